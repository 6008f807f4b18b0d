"""Read the claims of ``config/claims/``, without pandas: the workflow reads them before any job starts."""

from pathlib import Path
from string import Formatter
from typing import Annotated, Literal

import yaml
from pydantic import Field

from study.claims.numbered_statements import OTHERWISE, SourceSection, section_of
from study.simulation.populations import INVENTED
from study.workflow import checked_yaml
from study.workflow import settings as s
from study.workflow.job import InputError
from study.workflow.settings import BY_KIND, LIST, MAPPING, NUMBER, TEXT, TRUTH, key, maybe

Text = s.value(str, "a text", min_length=1)
Columns = s.Listed[Text]
TablePath = Annotated[str, Field(pattern=r"^[a-z0-9_]+/[a-z0-9_]+[.]csv$")]
_Text, _Number, _Truth = Annotated[str, TEXT], Annotated[float, NUMBER], Annotated[bool, TRUTH]
Value = Annotated[_Text | _Number | _Truth, BY_KIND, key("a value")]


class Bounds(s.Section):
    above: float = None
    below: float = None
    at_least: float = None
    at_most: float = None


_Values, _Bounds = Annotated[list[Value], LIST], Annotated[Bounds, MAPPING]
_Wanted = Annotated[_Text | _Number | _Truth | _Values | _Bounds, BY_KIND]
_Rows = dict[str, s.value(_Wanted, "a value, a list of values, or bounds")]
Where = s.value(_Rows, "by column a value, a list of values, or bounds such as {above: 0, at_most: 1}")


class Equal(s.Section):
    column: Text
    equals: Value


class Comparison(s.Section):
    """the rows that the value is compared with"""

    table: TablePath = maybe("their table, if it is another")
    where: Where = key("what is different about them")
    value: Text = maybe("their column, if it is another")
    on: Columns = maybe("the columns by which rows are matched, if they are not those in by")
    as_: Literal["ratio", "difference"] = key("ratio or difference", alias="as")


_Measured = Annotated[_Text | Annotated[Equal, MAPPING], BY_KIND]


class Measure(s.Section):
    """where it is measured"""

    table: TablePath = key("a table under results/")
    where: Where
    by: Columns = maybe("the columns that name a row, and by which rows are matched")
    value: _Measured = key("a column, or {column: …, equals: …} for 1 where they are equal and 0 where not")
    exact: bool = key("whether the value has no interval because no chance is in it", default=False)
    interval: s.Pair[Text] = maybe("the columns of the 95 % interval, if they are not low and high")
    missing: Literal["infinite"] = maybe('"infinite" if a missing value stands for one that is not finite')
    against: Comparison = None


class Number(s.Section):
    """a number that the finding or the headline shows; what is left out is as in the claim's measure"""

    table: TablePath = maybe("its table, if it is another than the claim's")
    where: Where = maybe("its rows; in the claim's table only what differs from the claim's")
    value: Text = maybe("its column, if it is another")
    take: Literal["smallest", "largest", "rows"] = maybe("which of several, or how many rows; else there is one")
    against: Comparison = None


class ColumnReference(s.Section):
    column: Text


Two = s.Pair[s.value(float, "a number")]
_Expected = Annotated[_Number | Annotated[Two, LIST] | Annotated[ColumnReference, MAPPING], BY_KIND]
SEVERITIES = ("misprint", "wording", "accuracy", "privacy")
"""How bad it is that a claim fails, from the mildest."""
OURS = "beyond"
"""The file of our own claims, which hold or fail."""
FAILED = ("refuted", "not reproduced")
Kind, Rows = Literal["statement", "result"], Literal["every", "some", "unknown"]
Excerpt = Literal["printed", "quoted", "reconstructed", "absent", "ours"]
REBUILT = ("reconstructed", "absent")
"""Of claims whose formula or experiment is not in the excerpts, so that ours stands for it."""


_EntryName = Annotated[str, Field(pattern="^[a-z][a-z0-9_]*$")]


class Headline(s.Section):
    """the claim as one of the ten findings that matter"""

    rank: int = key("its place among them, from 1 to 10", ge=1, le=10)
    says: Text = key("a sentence or two, with numbers of results/claims.csv such as {value:.2f}")


class ClaimEntry(s.Section):
    place: Text = key("section, equation or figure")
    excerpt: Excerpt = key(
        "printed, reconstructed or absent: whether it is in our excerpts; "
        "quoted: printed there as a word of others; ours: no source states it"
    )
    reconstruction: Text = maybe("how it was rebuilt, or from where it is known; needed if reconstructed or absent")
    kind: Kind = key("statement (a counter-example refutes it) or result (of an experiment)")
    severity: Literal[SEVERITIES] = maybe("how bad it is that it fails; only if it is expected to fail")
    fault: Text = maybe("the fault by which it fails, by its name in faults; if other claims fail by it, too")
    title: str = key("the claim in a line of at most 72 characters", min_length=1, max_length=72)
    says: Text = key("the claim in our words")
    needs: Text = maybe("what data must have to be judged; only and always if where names a dataset")
    quantity: Text = key("what is measured")
    unit: Text = maybe("its unit")
    measure: Measure
    rows: Rows = maybe("every, some, or unknown (the source leaves open which)")
    relation: Literal["near", "above", "below", "within"] = key("what is accepted")
    expected: _Expected = key("a number, two numbers (for within), or {column: …}")
    tolerance: float = maybe("how far from the expected value is accepted, at least 0", ge=0)
    tolerance_of: Literal["value"] = maybe('"value" if the tolerance is a share of the expected value')
    because: Text = key("why this tolerance")
    timed: bool = key("whether it is about speed", default=False)
    verdict: Literal["reproduced", "not reproduced", "refuted", "undecidable"] = key("the expected verdict")
    finding: Text = maybe("what else there is to know, with numbers as in a headline")
    numbers: dict[_EntryName, Number] = maybe("by name what the finding and the headline show besides")
    figure: str = maybe("name of the figure that shows it, if one does", pattern="^[a-z0-9_]+$")
    headline: Headline = None

    def problems(self):
        faults = []
        if wrong := OTHERWISE.search(self.place):
            faults.append((("place",), f'write "Eq. 6", "Figure 10", "Theorem 24" in place of "{wrong[0]}"'))
        if isinstance(self.expected, list) != (self.relation == "within"):
            wanted = "a list" if self.relation == "within" else "a number or a mapping of keys to values"
            faults.append((("expected",), f"must be {wanted} where the relation is {self.relation}"))
        about = self.measure.where.get("population")
        if (about in (None, *INVENTED)) != (self.needs is None):
            faults.append((("needs",), f"must say what data need, if and only if the claim is about data: {about}"))
        fails = self.verdict in FAILED
        if fails != (self.severity is not None):
            text = f"must be one of {', '.join(SEVERITIES)}" if fails else "must not be there"
            faults.append((("severity",), f"{text}, as the verdict is {self.verdict}"))
        if self.excerpt in ("reconstructed", "absent") and self.reconstruction is None:
            how = "how it was rebuilt" if self.excerpt == "reconstructed" else "from where it is known"
            faults.append((("reconstruction",), f"must say {how}, as the excerpt is {self.excerpt}"))
        return faults


NUMBERS = {"value", "low", "high", "stated", "rows", "rows_fulfilling", "where"}
"""Columns of results/claims.csv that a finding or a headline may show."""


class Source(s.Section):
    name: Text = key("what the source is called here")
    title: Text = key("authors, title and year")
    excerpts: Text = key("which parts of it are in the excerpts, and which are not")
    faults: dict[_EntryName, Text] = maybe("by name in a line the faults by which several claims fail")
    sections: list[SourceSection] = key("its sections with what they state", min_length=1)
    claims: dict[_EntryName, ClaimEntry] = key(
        "the claims by name; a name is lower-case letters, digits and underscores, and begins with a letter"
    )

    def problems(self):
        """Faults that claims have and the source does not list, or the other way round."""
        named = {claim.fault for claim in self.claims.values() if claim.severity} - {None}
        text = "must be listed here, and be the fault of claims that fail"
        return [(("faults", name), text) for name in sorted(named ^ set(self.faults or {}))]


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # in C it is ten times as fast


def read_claims(folder):
    """The sources and the claims of a folder, each by name; one file for each source, named after its letter.

    A faulty file raises one :class:`~study.workflow.job.InputError` with a line for each problem.
    """
    sources, claims = {}, {}
    for path in sorted(Path(folder).glob("*.yaml")):
        content = checked_yaml.read(path, _LOADER)
        try:
            s.check(content, Source)
        except InputError as error:
            raise InputError(f"{path.name}: {error}") from error
        for name in content["claims"].keys() & claims.keys():
            other = claims[name]["source"]
            raise InputError(f"{path.name}: the claim {name} is in {other}.yaml too; rename one")
        sources[path.stem] = {key: value for key, value in content.items() if key != "claims"}
        for name, claim in content["claims"].items():
            section = section_of(claim["place"], content["sections"])
            claims[name] = {"source": path.stem, "section": section or "", **claim}
    for name, claim in claims.items():
        own = set(claim.get("numbers", {}))
        for kind, text in texts_of(claim).items():
            fields = {field for _, field, _, _ in Formatter().parse(text) if field is not None}
            own -= fields
            for field in fields - set(claim.get("numbers", {})):
                other, _, column = field.rpartition(".")
                if column not in NUMBERS or (other and other not in claims):
                    choices = f"its numbers, of {', '.join(sorted(NUMBERS))}, or of another claim's"
                    raise InputError(f"the {kind} of {name} has {{{field}}}, which is none of {choices}")
        if own:
            raise InputError(f"the claim {name} has the number {min(own)}, which no text of it shows")
    return {"sources": sources, "claims": claims}


def texts_of(claim):
    """The texts of a claim that have numbers of the results."""
    texts = {key: claim.get(key, "") for key in ("because", "finding")}
    return texts | {"headline": claim.get("headline", {}).get("says", "")}


def headlines_of(claims):
    """The findings that matter, in their order, by the claims they are."""
    headlines = {name: claim["headline"] for name, claim in claims.items() if "headline" in claim}
    return dict(sorted(headlines.items(), key=lambda pair: pair[1]["rank"]))


def tables_of(claims):
    """Paths of the tables that claims are measured in."""
    measures = [claim["measure"] for claim in claims.values()]
    measures += [number for claim in claims.values() for number in claim.get("numbers", {}).values()]
    names = {measure["table"] for measure in measures if "table" in measure}
    names |= {measure["against"]["table"] for measure in measures if "table" in measure.get("against", {})}
    return sorted(f"results/{name}" for name in names)


def figures_of(claims):
    """Paths of the figures that show claims, as PNG."""
    return sorted({f"figures/{claim['figure']}.png" for claim in claims.values() if "figure" in claim})
