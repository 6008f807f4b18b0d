"""What mypy reads in `make lint` also runs: the typed use cases pass, the wrong ones raise."""

import inspect

import pytest
import typed_misuse
import typed_use
from command_runs import hurry


def functions(module):
    return [function for _, function in inspect.getmembers(module, inspect.isfunction)
            if function.__module__ == module.__name__]  # fmt: skip


@pytest.mark.parametrize("use", functions(typed_use), ids=lambda use: use.__name__)
def test_a_typed_use_case_runs(use, monkeypatch):
    hurry(monkeypatch)
    use()


@pytest.mark.parametrize("misuse", typed_misuse.MEANT, ids=lambda misuse: misuse.__name__)
def test_what_the_type_checker_refuses_raises_what_is_meant(misuse):
    error, message = typed_misuse.MEANT[misuse]
    with pytest.raises(error, match=message) as caught:
        misuse()
    assert caught.type is error


def test_every_misuse_says_what_it_raises():
    assert set(functions(typed_misuse)) == {*typed_misuse.MEANT, typed_misuse.raises}
