from study.workflow import settings as s


class Settings(s.Section):
    """the best kernels of each kind of level, against linear programmes"""

    spaces: s.named(("circle", "sphere", "rotations"), "space", "spaces whose kernels are compared")
    notions: s.named(("metric", "pure", "both", "within"), "kind of level", "kinds of levels")
    losses: s.named(("angle", "mean", "far"), "loss", "losses that do not decrease with the angle")
    levels: s.epsilons("levels, per radian or as a whole")
    classes: int = s.key("number of classes of angles, from 9 to 121", ge=9, le=121)
    cells: int = s.key("cells of the circle for tables without symmetry, even", ge=4, le=16, multiple_of=2)
    pure_share: s.positive("pure level of the mixed levels, as a share of the metric one")
    radius: float = s.key("radius of the levels within a radius, in degrees: above 0 and at most 180", gt=0, le=180)
    shown: s.positive("level of the kernels in the figure")
    epsilons: s.epsilons("levels at which mechanisms are compared with the best")
