"""What all pictures share: one look, one width, and the bytes of a file."""

import contextlib
import importlib
import io
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Literal

LINE = 11.2  # points, of text of 8 points
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "0.4"  # distinct for the colour-blind (Okabe and Ito)
LEADER = {"arrowstyle": "-", "color": BLUE, "linewidth": 0.6}  # from a text to what it is about
_DATES = {"pdf": "CreationDate", "svg": "Date"}  # what a file would say of the time
_LOOK = {
    "axes.axisbelow": True,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "legend.frameon": False,
    "pdf.fonttype": 42,
    "savefig.dpi": 150,
    "svg.hashsalt": "dirpriv",
    "text.parse_math": False,  # names of columns may have dollar signs
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


def figure_bytes(figure: Any, kind: Literal["png", "pdf", "svg"] = "png") -> bytes:
    """The bytes of a file of a picture: those that the command writes with ``--plot``.

    They are the same for each picture of the same numbers. Matplotlib moves the panels of a map a little each
    time that it draws them, so draw a new map for each file.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        From a function of this module.
    kind : {"png", "pdf", "svg"}
        The format.

    Examples
    --------
    >>> from dirpriv import distributions, pictures
    >>> pictures.figure_bytes(pictures.draw_place_noise(distributions.PlanarLaplace(0.005)))[1:4]
    b'PNG'
    """
    written = io.BytesIO()
    with look():
        figure.savefig(written, format=kind, metadata={_DATES[kind]: None} if kind in _DATES else None)
    return written.getvalue()


@contextlib.contextmanager
def look() -> Iterator[None]:
    """Draw with one look, whatever the user's settings of Matplotlib."""
    try:
        style = importlib.import_module("matplotlib.style")
    except ModuleNotFoundError:
        raise ImportError('pictures need Matplotlib: pip install "dirpriv[pictures]"', name="matplotlib") from None
    with style.context(["default", _LOOK]):
        yield


def new_figure(height: float, columns: int = 1, lines: int = 0, *, rows: int = 1, **kwargs: Any) -> tuple[Any, Any]:
    """A figure as wide as a page and this high in millimetres, and some lines more, with its panels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    millimetre = 72.0 / 25.4  # in points
    figure = Figure(figsize=(170.0 / 25.4, (height + LINE / millimetre * lines) / 25.4))
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, **kwargs)


def note(ax: Any, text: str, at: tuple[float, float], away: tuple[float, float], **look: Any) -> None:
    """A text beside a place in a picture, at a distance in points."""
    ax.annotate(text, at, xytext=away, textcoords="offset points", fontsize=8, **look)


def wrapped(texts: Sequence[str]) -> list[str]:
    """Lines that are as wide as a picture."""
    return [line for text in texts for line in textwrap.wrap(text, 92)]


def headed(title: str, guarantee: str) -> str:
    """A title with the level of what it is about, where that is known."""
    return f"{title}: {guarantee}" if guarantee else title
