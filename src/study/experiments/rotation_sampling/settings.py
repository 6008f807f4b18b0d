from study.workflow import settings as s


class Settings(s.Section):
    """time of the samplers of rotations, the printed ones and the floor"""

    epsilons: s.epsilons("privacy levels ε per radian")
    rounds: s.Rounds
    call_seconds: s.Seconds
    most_rows: s.draws("most draws in a call")
    rejection_rows: s.count("draws that a rejection with over 100 proposals a draw makes at once")
    most_proposals: s.count("proposals per draw beyond which a rejection sampler is not timed")
