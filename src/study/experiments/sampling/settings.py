from study.workflow import settings as s


class Settings(s.Section):
    """time of the samplers, their peers and the floor"""

    dimensions: s.listed(s.several("a dimension n"), "dimensions n to time")
    kappas: s.listed(s.value(float, "a concentration κ, from 0 to 1e8", ge=0, le=1e8), "concentrations κ to time")
    rounds: s.Rounds
    repeat_seconds: s.positive("seconds of all its calls after which a method is not timed in a further round")
    call_seconds: s.positive("seconds of a call above which no more draws are made at once, nor more halvings")
    most_rows: s.draws("most draws in a call")
    most_numbers: s.draws("most coordinates in a call")
    bisection_iterations: s.count("halvings of Algorithm 1 and of the other bisections")
    bisection_rows: s.count("draws that a bisection makes at once")
    series_rows: s.count("draws that a bisection makes at once if its CDF is a series")
    longest_call: s.positive("processor seconds above which a call of a bisection is not timed")
    largest_dim_of_series: s.several("largest dimension in which the series of Eq. 7 is bisected")
    largest_dim_of_scipy: s.several("largest dimension in which SciPy's sampler is timed")
