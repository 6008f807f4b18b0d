from typing import Literal

from study.core import settings as core


class Settings(core.Section):
    """lower bounds on the levels of all mechanisms from their outputs"""

    spaces: core.listed(
        Literal["circle", "sphere", "rotation", "vector"], "circle, sphere, rotation or vector"
    ) = core.key("where the audited mechanisms live")
    epsilon: core.Epsilon = core.key("what is stated per radian, a positive number")
    pure_epsilon: core.Epsilon = core.key("what is stated of pure privacy, a positive number")
    distance: core.Distance = core.key("distance of the inputs in radians, above 0 and below π")
    seam_distance: core.Distance = core.key(
        "distance of two inputs across the seam in radians, above 0 and below π"
    )
    polar_distance: core.Distance = core.key(
        "distance of the inputs of polar Laplace in radians, above 0 and below π"
    )
    overspending: float = core.key(
        "how many times more the overspending mechanism spends, above 1", gt=1, le=10
    )
    gamma_epsilon: core.Epsilon = core.key("what is stated per radian of gamma angles, a positive number")
    gamma_distance: core.Distance = core.key("distance of their inputs in radians, above 0 and below π")
    vector_dims: core.listed(int, "a dimension, at least 2", ge=2) = core.key(
        "dimensions d of noise in space"
    )
    vector_distance: core.Positive = core.key("distance of the inputs in space, a positive number")
    confidence: core.Confidence = core.key("confidence of each lower bound, from 0.5 up to 1")
    samples: core.Draws = core.key("outputs of each of the two inputs, at least 1000")
    repetitions: core.Several = core.key("repeated audits, at least 2")
    repetition_samples: core.Draws = core.key("outputs of each input in a repeated audit, at least 1000")
