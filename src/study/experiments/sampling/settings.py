from study.core import settings as s

KAPPA = s.value(float, "a concentration κ, from 0 to 1e8", ge=0, le=1e8)


class Settings(s.Section):
    """time of the samplers, their peers and the floor"""

    dimensions: s.listed(s.several("a dimension n"), "dimensions n to time")
    kappas: s.listed(KAPPA, "concentrations κ to time")
    rounds: s.Rounds
    call_seconds: s.Seconds
    most_rows: s.draws("most draws in a call")
    most_numbers: s.draws("most coordinates in a call")
    bisection_iterations: s.count("bisections of Algorithm 1")
    bisection_rows: s.count("draws that Algorithm 1 makes at once")
    largest_dim_of_bisection: int = s.key("largest dimension in which Algorithm 1 is timed", ge=2)
    largest_dim_of_scipy: int = s.key("largest dimension in which SciPy's sampler is timed", ge=2)
