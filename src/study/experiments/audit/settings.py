from study.workflow import settings as s

SPACES = ("circle", "sphere", "rotation", "vector")


class Settings(s.Section):
    """lower bounds on the levels of all mechanisms from their outputs"""

    spaces: s.named(SPACES, "circle, sphere, rotation or vector", "where the audited mechanisms live")
    epsilon: s.positive("what is stated per radian")
    pure_epsilon: s.positive("what is stated of pure privacy")
    distance: s.distance("distance of the inputs")
    seam_distance: s.distance("distance of two inputs across the seam")
    polar_distance: s.distance("distance of the inputs of polar Laplace")
    overspending: float = s.key("how many times more the overspending mechanism spends, above 1", gt=1, le=10)
    gamma_epsilon: s.positive("what is stated per radian of gamma angles")
    gamma_distance: s.distance("distance of their inputs")
    vector_dims: s.listed(s.several("a dimension"), "dimensions d of noise in space")
    vector_distance: s.positive("distance of the inputs in space")
    confidence: s.confidence("confidence of each lower bound")
    learnt: int = s.key(
        "outputs of each of the two inputs from which cells are learnt, 50 to 10 million", ge=50, le=10**7
    )
    samples: s.draws("outputs of each of the two inputs")
    repetitions: s.several("repeated audits")
    repetition_samples: s.draws("outputs of each input in a repeated audit")
