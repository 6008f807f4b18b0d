from study.workflow import settings as s


class PrintedResponses(s.Section):
    """the numbers of responses that paper A prints"""

    purkayastha: s.positive("that of Purkayastha")
    wrapped_laplace: s.positive("that of wrapped Laplace")


class PrintedErrors(PrintedResponses):
    """the MAEs that paper A prints for one number of responses"""

    von_mises_fisher: s.positive("that of von Mises-Fisher")


class Directional(s.Section):
    """survey sizes at the same level per radian"""

    epsilons: s.epsilons("privacy levels ε per radian")
    half_width: s.half_width("a survey size")
    most_draws: s.draws("most draws spent on one survey size")


class Settings(s.Section):
    """responses needed for a given error"""

    epsilons: s.epsilons("privacy levels ε")
    error: float = s.key("the MAE to reach, in radians, above 0 and below 1.5 (uniform noise has π/2)", gt=0, lt=1.5)
    printed_errors: PrintedErrors
    printed_responses: PrintedResponses
    printed_epsilon: s.positive("the privacy level ε at which they are printed")
    half_width: s.half_width("a survey size")
    most_draws: s.draws("most draws spent on one survey size")
    printed_half_width: s.half_width("a survey size at the printed ε, everyone in one direction")
    printed_draws: s.draws("most draws spent on one of these")
    directional: Directional
