"""What mypy reads in `make lint` also runs: the typed use cases pass, the wrong ones raise."""

import inspect

import pytest
import typed_misuse
import typed_use


def functions(module):
    return [function for _, function in inspect.getmembers(module, inspect.isfunction)
            if function.__module__ == module.__name__]  # fmt: skip


@pytest.mark.parametrize("use", functions(typed_use), ids=lambda use: use.__name__)
def test_a_typed_use_case_runs(use):
    use()


@pytest.mark.parametrize("use", functions(typed_misuse), ids=lambda use: use.__name__)
def test_what_the_type_checker_refuses_raises(use):
    with pytest.raises((TypeError, ValueError)):
        use()
