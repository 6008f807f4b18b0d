"""Properties as tests: of few examples, and of many in ``make test-all``.

The examples are Hypothesis's. They are the same in every run of the same property. Hypothesis would also try
constants from the sources of all modules that are imported so far, and so others in each run. The strategies
name what is worth trying.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.internal.conjecture import providers

providers.is_local_module_file = lambda path: False


def for_all(few, many, **strategies):
    """A property as a test, with the strategies of its arguments."""

    def decorate(holds):
        @pytest.mark.parametrize("examples", [few, pytest.param(many, marks=pytest.mark.sweep)])
        def test(examples):
            how = settings(
                max_examples=examples,
                derandomize=True,
                database=None,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            )
            how(given(**strategies)(holds))()

        test.__name__, test.__doc__ = holds.__name__, holds.__doc__
        return test

    return decorate
