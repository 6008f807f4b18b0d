"""What ``help()`` shows of the public names; calls of them, each in its whole form, are in ``typed_use.py``."""

import inspect

from numpy.typing import ArrayLike

from dirpriv import distributions, estimators, geometry, guarantees, mechanisms, release


def test_signatures_that_help_shows_spell_types_by_their_names():
    """``ArrayLike``, not the union of seven types that it stands for; one of eight arguments was 1 640 characters."""
    rooms = [distributions, estimators, geometry, guarantees, mechanisms, release]
    values = [getattr(room, name) for room in rooms for name in room.__all__]
    kinds = [each for each in values if inspect.isclass(each)]
    calls = [getattr(kind, name) for kind in kinds for name in vars(kind) if not name.startswith("_")]
    shown = [str(inspect.signature(call)) for call in [*values, *calls] if inspect.isroutine(call)]
    assert len(shown) > 150 and not [text for text in shown if "numpy._typing" in text or "_SupportsArray" in text]

    def expanded(x: ArrayLike) -> None: ...

    assert "_SupportsArray" in str(inspect.signature(expanded))  # what is refused above
