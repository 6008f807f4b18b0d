from study.workflow import settings as s


class Settings(s.Section):
    """the inequalities of Theorem 24 over a range of concentrations"""

    lowest: s.positive("lowest concentration κ")
    highest: float = s.key("highest concentration κ, above 0 and at most 100", gt=0, le=100)
    points: s.points("number of concentrations")
    limits: s.kappas("concentrations κ at which the means are compared with their limits")

    def problems(self):
        return s.not_ascending(("highest",), self.lowest, self.highest)
