"""What the declared releases of one dataset add up to: releases are counted, never rows or persons.

The sum of levels always holds. A level at a δ is stated only if it was fixed before the first release: by a
plan, or by a budget that a Rényi filter keeps whatever levels are chosen on the way, at one order that is
fixed with it (docs/mathematics.md, "Several releases").
"""

import copy
import dataclasses
import json
import math
from typing import Any

import numpy as np

from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.rounding import upwards
from dirpriv.exact.arithmetic import added
from dirpriv.exact.central import CentralRelease
from dirpriv.guarantees import renyi
from dirpriv.release.settings import AccountSettings

_ORDERS = [*(1.0 + 0.05 * 1.2**k for k in range(59)), math.inf]  # up to 2000, and that of sums
_ROUNDING = 1.0 + 1e-12  # of levels that are decimal numbers: ten of 0.1 are 1


def stated(account: Any, name: str = "") -> str:
    """What an account of the ledger adds up to; its name is for the holder alone."""
    releases, budget, planned = account["releases"], account["budget"], account["max_releases"]
    text = f"Dataset {name!r}" if name else "Account of these people"
    many = "release" if len(releases) == 1 else "releases"
    radius = " and ".join(dict.fromkeys(column["radius"] for column in account["columns"]))
    level = upwards(added(each["level"] for each in releases))
    text += f": {len(releases)} declared {many}. The sum is level {level} for a person, "
    text += f"each value within {radius}."
    if unlimited := sum(each["rows"] is None for each in releases):
        text += f" {unlimited} of them did not limit the rows per person. The sum assumes one row there."
    if planned:
        plan = f"{text} The plan, fixed before the first release: {planned[0]} equal releases, together level"
        return f"{plan} {upwards(account['bound'])} at δ = {planned[1]:g}."
    if budget and budget[1]:
        text += f" The budget, fixed before the first release: level {upwards(budget[0])} at δ = "
        return f"{text}{budget[1]:g}. A Rényi filter enforces it for all later levels."
    limit = f" The budget is a total level of {upwards(budget[0])}." if budget else ""
    return f"{text}{limit} No level at a δ is known, because none was fixed before the first release."


def entered(account: Any, claim: AccountSettings, guarantee: Any, code: Any, adopted: Any, today: str) -> Any:
    """The account with one more release, and with those that no account had; refused if it breaks a rule."""
    empty: dict[str, Any] = dict.fromkeys(("user", "settings", "bound", "order"))
    empty |= {"columns": [], "releases": []}
    account = copy.deepcopy(account or empty | {"budget": claim.budget, "max_releases": claim.max_releases})
    name, releases, before = repr(claim.dataset), account["releases"], len(account["releases"])
    budget, planned, rows = account["budget"], account["max_releases"], guarantee.max_rows_per_person
    if before and claim.other_people:
        raise InvalidArgument("other_people", f"needs a new name; {name} already has releases")
    if (claim.budget or claim.max_releases) and [claim.budget, claim.max_releases] != [budget, planned]:
        rule = f"must be set with the first release of a dataset; {name} already has a release"
        raise InvalidArgument("budget" if claim.budget else "max_releases", rule)
    if adopted and (planned or (budget and budget[1])):
        hint = f"give {named('dataset')} alone, or a {named('budget')} without δ"
        raise InvalidArgument("these people were released before a budget or plan was set", hint=hint)
    if account["user"] and claim.user is None:  # a person may have any number of rows in this release
        rule = f"{name} counts the rows of each person, so this release needs {named('user')} also"
        raise InvalidArgument(rule, hint=f"give it, and {named('max_rows_per_person')}")
    account["user"] = account["user"] or (claim.user and code(claim.user))
    if claim.user is not None and account["user"] != code(claim.user):
        raise InvalidArgument("user", f"must be the column that identifies persons in {name}", got=claim.user)
    for entries in adopted:
        for entry in entries:
            if _radius(account, entry["names"], entry["radius"], entry["period"]) != entry["radius"]:
                hint = f"leave {named('dataset')} out"
                raise InvalidArgument("these people were released with another radius", hint=hint)
        _add(account, entries[0]["date"], [entry["level"] for entry in entries], entry["max_rows_per_person"])
    distributions, losses = [], []
    for column in guarantee.columns:
        codes, period = list(map(code, column.names)), column.period
        radius, release = _radius(account, codes, column.radius, period), column.release()
        losses.append(float(release.certificate.loss(radius)))
        is_central = isinstance(release, CentralRelease)  # who has a pure level alone
        distributions.append((losses[-1] if is_central else release.noise, radius))
    _add(account, today, losses, rows)
    level, refused = added(each["level"] for each in releases), ""
    if budget and budget[1]:
        orders = [account["order"] or math.inf] if before else _ORDERS
        spent = np.sum([renyi.divergences(*noise, orders) for noise in distributions], axis=0) * (rows or 1)
        limits = np.array([renyi.divergence_kept(budget[0], budget[1], order) for order in orders])
        best = int(np.argmax(limits / spent))
        account["order"] = orders[best] if orders[best] < math.inf else None
        releases[-1]["divergence"] = float(spent[best])
        if added(each["divergence"] for each in releases) > limits[best] * _ROUNDING:
            refused = f"would exceed the budget of {name}, level {budget[0]:g} at δ = {budget[1]:g}"
    elif budget and level > budget[0] * _ROUNDING:
        refused = f"makes a sum of {upwards(level)}, above the budget of {name}, {budget[0]:g}"
    if planned:
        asked = [[getattr(column, field) for field in column._asked_for] for column in guarantee.columns]
        settings = code(json.dumps([asked, rows]))
        if not before:
            whole = {"max_rows_per_person": planned[0] * (rows or 1), "delta": planned[1]}
            whole |= {"account": None, "shuffled": None}
            account |= {"bound": dataclasses.replace(guarantee, **whole).person_level, "settings": settings}
        if settings != account["settings"] or len(releases) > planned[0]:
            refused = f"is not one of the {planned[0]} planned for {name}, all with the same options"
    if refused:
        raise InvalidArgument(f"this release {refused}", hint="nothing was drawn or counted")
    return account


def _radius(account: Any, codes: list[str], radius: str, period: str | None) -> str:
    """The radius of a column as it was declared first, which is now if the column is new; both of visits."""
    if " and " in radius:
        time, place = radius.split(" and ")
        return f"{_radius(account, codes[:1], time, period)} and {_radius(account, codes[1:], place, None)}"
    for column in account["columns"]:
        if set(codes) & set(column["names"]):
            if codes != column["names"] or period != column["period"]:
                rule = "a column was released in this dataset with another kind or period"
                raise InvalidArgument(rule, hint="release it as before, or give another dataset")
            return str(column["radius"])
    account["columns"].append({"names": codes, "radius": radius, "period": period})
    return radius


def _add(account: Any, date: str, levels: list[float], rows: int | None) -> None:
    level = added(levels, rows or 1)
    account["releases"].append({"date": date, "level": level, "rows": rows, "divergence": 0.0})
