from study.core import settings as core


class Settings(core.Section):
    """time of the samplers of rotations, the printed ones and the floor"""

    epsilons: core.Epsilons = core.key("privacy levels ε per radian, positive numbers")
    rounds: core.Rounds
    call_seconds: core.Seconds
    most_rows: core.Draws = core.key("most draws in a call, at least 1000")
    rejection_rows: core.Count = core.key(
        "draws that a rejection with over 100 proposals a draw makes at once, at least 1"
    )
    most_proposals: core.Count = core.key(
        "proposals per draw beyond which a rejection sampler is not timed, at least 1"
    )
