"""What a released file guarantees, in words, from the contents of its guarantee in types of JSON."""

import math
from typing import Any

from dirpriv._lib.formatting import level_within
from dirpriv._lib.rounding import upwards
from dirpriv.exact.arithmetic import added
from dirpriv.release.release_arguments import TURN

_PERSONS = "who is in the file, and who had fewer rows"
_BEYOND = {
    "clamp": "places beyond {reach} are moved to the border",
    "ask": "places beyond {reach} are moved to the border; the release reveals that not all are beyond it",
    "stop": "the release reveals that none is beyond {reach}",
    "keep": "places beyond {reach} are left out",
}


def times(column: Any, ticks: int) -> str:
    """The guarantee of a column of times or headings, with the width of its cells in seconds or 0.001°."""
    what, width, rest = "headings", f"{ticks / 1000.0:g}°", " A released value stands for the cell that contains it."
    if column["period"] != TURN:
        what = "times of day" if column["period"] == "24h" else "times of the week"
        width = f"{ticks // 60} min" if ticks % 60 == 0 else f"{ticks} s"
        rest += " The radius is a difference of local clock times. When clocks change, two close "
        rest += "moments can be an hour apart."
    text = f"Column '{column['name']}': {what} in {column['cells']} cells of {width}, with the Purkayastha "
    return f"{text}mechanism on a table of integers. {_promise(what.partition(' ')[0], column)}{rest}"


def places(columns: Any) -> str:
    """The guarantee of columns of latitudes and longitudes."""
    text = f"Columns {_quoted(columns['names'])}: {_region(columns)}, with planar Laplace noise on a lattice of "
    return f"{text}integers. {_promise('places', columns)}"


def visits(columns: Any) -> str:
    """The guarantee of columns of times and places together."""
    time, place = columns["columns"]
    text = f"Columns {_quoted(columns['names'])}: times in {time['cells']} cells, and {_region(place)}, with one noise "
    text += f"for both on a table of integers. {_promise('visits', columns)} Two noises that share this level keep it "
    return f"{text}within both radii, too. They promise more to visits that are near in one of the two, and are larger."


def _region(columns: Any) -> str:
    north, east = columns["region_centre"]
    beyond = _BEYOND[columns.get("outside", "clamp")].format(reach=columns["region_reach"])
    return f"places in cells of {columns['cell_size']} around {north:g}, {east:g} ({beyond})"


def items(column: Any) -> str:
    """The guarantee of a column of items."""
    text = f"Column '{column['name']}': items of a public list of {len(column['items'])}, with exponential weights on "
    text += f"a table of integers. {_promise('items', column)} {_cover(column)}"
    return f"{text} The list has the SHA-256 {column['sha256']}."


def _cover(column: Any) -> str:
    (typical, largest), (others, fewest) = column["unchanged"], column["items_within_radius"]
    text = f"An item is released as itself with a probability of {typical:.1%} (median), and of up to {largest:.1%}. "
    return f"{text}Within the radius it has {others:g} other items (median), and at least {fewest:g}."


def summary(document: Any) -> str:
    """The guarantee of a file in short."""
    columns = document["columns"]
    levels: dict[str, list[str]] = {}
    for column in columns:
        names = column["names"] if "names" in column else [column["name"]]
        levels.setdefault(level_within(column["level"], column["radius"]), []).append(_quoted(names))
    text = "; ".join(f"{level} for each row of {', '.join(names)}" for level, names in levels.items())
    text = f"L{text[1:]}. For two true values within the radius, the probabilities of a released value "
    text += f"differ by at most a factor of {_ratio(max(column['level'] for column in columns))}."
    if len(columns) > 1:
        text += f" The levels of a row's columns add up to {upwards(document['per_response']['level'])}."
    text += "".join(f" {_cover(column)}" for column in columns if column["kind"] == "item")
    things = ["number of rows", *([_PERSONS] if document["per_person"] else []), *document["unprotected"]]
    lines = [*_both(document), text, _person(document), *_further(document)]
    lines += [f"Not protected: {thing}." for thing in things]
    if "drawn_by" in document:
        lines.append("Not verified: the behaviour of the devices. A report can be forged.")
    return "\n".join(lines)


def text(columns: list[str], document: Any) -> str:
    """The whole guarantee of a file, below the texts of its columns."""
    lines, person, total = [*_both(document), *columns], _person(document), upwards(document["per_response"]["level"])
    if len(columns) > 1:
        lines.append(f"One row: the levels of its columns add up to {total}.")
    whose = f"{person} Not protected: {_PERSONS}."
    lines.append(whose if document["per_person"] else f"The guarantee is for each row. {person}")
    lines += _further(document)
    if unprotected := document["unprotected"]:
        lines.append(f"Not protected: {'; '.join(unprotected)}.")
    drawn = "The random numbers came from the operating system."
    if "drawn_by" in document:
        drawn = "Each device drew its own noise, once for each question and period. The guarantee "
        drawn += "assumes honest devices, which is not verified. Reports can be forged. People can "
        drawn += "answer again if they clear the storage of their browser."
    return "\n".join([*lines, f"{drawn} The number of rows is not protected."])


def accounts(document: Any) -> list[str]:
    """Earlier releases, what all of them add up to, and the account of the dataset, in lines."""
    lines = []
    for release in document["earlier_releases"]:
        what = _quoted(release["columns"] or ()) or "other columns"
        level = f"level {upwards(release['level'])} within {release['radius']}"
        lines.append(f"Earlier release of {what} of this file: {level}.")
    if (composed := document["composed"]) is not None:
        text = f"All releases of this file together: level {upwards(composed['per_response']['level'])}"
        text += " for each row, within the smallest radius of the releases."
        if (person := composed["per_person"]) is not None:
            at = f" at δ = {upwards(person['delta'])}" if person["delta"] else ""
            text += f" For all rows of a person: level {upwards(person['level'])}{at}."
        elif document["per_person"]:
            text += " No level for all rows of a person is known, because not all releases limited these "
            text += "rows by the same column."
        lines.append(text)
    return [*lines, document["account"]] if "account" in document else lines


def _both(document: Any) -> list[str]:
    """What is promised within both radii, of a time and a place together."""
    if (both := document.get("within_both")) is None:
        return []
    columns, is_sum = document["columns"], both["together"] == "sum"
    parts = zip("de", columns if is_sum else columns[0]["columns"], strict=True)
    terms = [f"{upwards(part['level'])} {name}/{part['radius']}" for name, part in parts]
    loss = " + ".join(terms) if is_sum else f"max({', '.join(terms)})"
    text = f"Within both radii, {both['radius']}: level {upwards(both['level'])} for the time and the place of a row "
    return [f"{text}together. Two rows whose cells are d apart in time and e in place lose at most {loss}."]


def _person(document: Any) -> str:
    """What is guaranteed to a person."""
    if (person := document["per_person"]) is None:
        return "The level of a person is the sum of the levels of that person's rows."
    at, rows, level = "", person["rows"], upwards(person["level"])
    if person["delta"]:
        without = upwards(added(added([column["level"]], rows) for column in document["columns"]))
        none = "; δ does not help with these few rows" if level == without else ""
        at = f" at δ = {upwards(person['delta'])} ({without} without δ{none})"
    chosen, have = "rows of each person were", "Together they have"
    if rows == 1:
        chosen, have = "row of each person was", "It has"
    text = f"Per person: {rows} {chosen} chosen at random. {have} level {level}"
    return f"{text}{at}, if each value changes by at most the radius."


def _further(document: Any) -> list[str]:
    """The level of each report beside that of the shuffled file, and accounts, in lines."""
    if (shuffled := document.get("shuffled")) is None:
        return accounts(document)
    whose, own = "a row", document["per_response"]["level"]
    if (person := document["per_person"]) is not None:
        whose, own = "a person", person["level"]
    text = f"Shuffled: level {upwards(shuffled['level'])} at δ = {shuffled['delta']:g} for {whose}, within "
    text += f"{document['columns'][0]['radius']}. This level holds against people who see only this file. "
    text += f"Level {upwards(own)} holds against people who know the order of its rows. The noise of at "
    text += f"least {shuffled['reports']} reports hides each report, even from people who know all other "
    text += "true values. For times up to twice as far apart, the level of the file doubles, and δ becomes "
    text += "e^level + 1 times as large. Other files of these people are not counted here."
    return [text, *accounts(document)]


def _quoted(names: Any) -> str:
    return " and ".join(f"'{name}'" for name in names)


def _ratio(level: float) -> str:
    """How many times as probable a report can be at a level."""
    return upwards(math.exp(level), 3) if level < 50.0 else f"e^{upwards(level)}"


def _promise(what: str, column: Any) -> str:
    level, radius = column["level"], column["radius"]
    text = f"Level {upwards(level)} within {radius}: for two true {what} at most {radius} apart, the "
    text += f"probabilities of a released value differ by at most a factor of {_ratio(level)}. For any two "
    return f"{text}{what}, the level is {upwards(column['certificate']['pure'], 3)}."
