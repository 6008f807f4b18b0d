from study.core import settings as core


class Settings(core.Section):
    """time of the samplers, their peers and the floor"""

    dimensions: core.listed(int, "a dimension n, at least 2", ge=2) = core.key("dimensions n to time")
    kappas: core.listed(float, "a concentration κ, from 0 to 1e8", ge=0, le=1e8) = core.key(
        "concentrations κ to time"
    )
    rounds: core.Rounds
    call_seconds: core.Seconds
    most_rows: core.Draws = core.key("most draws in a call, at least 1000")
    most_numbers: core.Draws = core.key("most coordinates in a call, at least 1000")
    bisection_iterations: core.Count = core.key("bisections of Algorithm 1, at least 1")
    bisection_rows: core.Count = core.key("draws that Algorithm 1 makes at once, at least 1")
    largest_dim_of_bisection: core.Several = core.key("largest dimension in which Algorithm 1 is timed")
    largest_dim_of_scipy: core.Several = core.key("largest dimension in which SciPy's sampler is timed")
