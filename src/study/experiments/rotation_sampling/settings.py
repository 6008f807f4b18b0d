from study.workflow import settings as s


class Settings(s.Section):
    """time of the samplers of rotations, the printed ones and the floor"""

    epsilons: s.epsilons("privacy levels ε per radian")
    rounds: s.Rounds
    repeat_seconds: s.positive("seconds of all its calls after which a sampler is not timed in a further round")
    longest_call: s.positive("seconds of a call of the slowest sampler above which no more draws are made at once")
    most_rows: s.draws("most draws in a call")
    most_proposals: s.count("proposals per draw beyond which a rejection sampler is not timed")
    single_draws: s.count("draws of a sampler that makes one a call")
