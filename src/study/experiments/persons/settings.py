from typing import Annotated

from pydantic import AfterValidator

from study.workflow import settings as s


class Group(s.Section):
    """people whose directions, and their responses about them, have von Mises distributions"""

    share: float = s.key("share of all people, above 0 and at most 1", gt=0, le=1)
    hour: float = s.key("hour about which the people lie, from 0 up to 24", ge=0, lt=24)
    people: s.positive("concentration of the people about this hour")
    responses: s.positive("concentration of the responses of a person about their own direction")


def _all_people(groups):
    total = sum(group.share for group in groups)
    s.refuse([((), f"the shares must add up to 1; they add up to {total:g}")] if abs(total - 1) > 1e-9 else [])
    return groups


PeopleGroups = Annotated[s.value(list[Group], "groups of people", min_length=1), AfterValidator(_all_people)]


class Settings(s.Section):
    """error of a mean direction where every person has several responses"""

    symmetric: PeopleGroups
    skewed: PeopleGroups
    people: s.several("number of people who take part")
    epsilons: s.epsilons("pure levels ε of a person, of the curves against ε")
    responses: s.count("responses of a person on these curves")
    epsilon: s.positive("pure level ε of a person, of the curves against the number of responses")
    responses_grid: s.listed(s.count("a number of responses"), "numbers of responses on these curves")
    cells: int = s.key("cells of the circle, from 24 to 10000", ge=24, le=10000)
    repetitions: s.several("repetitions")
    split_repetitions: s.several("repetitions in which the budget is split")
