"""The base of mechanisms of one's own that are given by their log kernel alone."""

import functools

from dirpriv import distributions
from dirpriv.mechanisms import CalibrationRule, Mechanism


class KernelMechanism(Mechanism):
    """A subclass has ``log_density(theta)``, and ``steepest`` or ``finest``; the density is exp(κ log_density(θ)).

    ``log_density`` takes an array of angles. What is declared of it is as for
    :func:`dirpriv.distributions.from_log_density`, which gives the levels.
    """

    steepest = finest = None
    breaks = ()

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)

        @functools.cache
        def declared():
            declarations = {"steepest": cls.steepest, "finest": cls.finest, "breaks": cls.breaks}
            return distributions.from_log_density(cls.log_density, **declarations)

        cls.noise_type = lambda dim, kappa: declared().noise(dim, kappa)
        cls.tight = CalibrationRule(
            metric=lambda epsilon: epsilon / declared().metric_level(),
            pure=lambda epsilon: epsilon / declared().pure_level(),
        )
