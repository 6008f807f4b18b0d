"""What a person loses beyond one response: many responses, shuffled responses, Rényi divergences.

:func:`composed_level`
    several responses of one person, from the exact distribution of the privacy loss.
:func:`renyi_divergence`
    of one response: divergences of independent responses add up.
:func:`shuffled_level`, :func:`shuffled_delta`, :func:`local_level_for`
    one response each of N people, in a random order: certified bounds for the N at hand, see
    :mod:`dirpriv.accounting.shuffling`. :class:`Randomiser` stands for a law there.
:func:`shuffling_cost`
    how laws compare after shuffling in the limit of many people.

:mod:`dirpriv.central` has the mechanisms of a trusted curator, who sees the true directions.

>>> import numpy as np
>>> from dirpriv import accounting
>>> from dirpriv.mechanisms import PurkayasthaMechanism
>>> law = PurkayasthaMechanism.pure(1.0, dim=2).law
>>> round(accounting.composed_level(law, 10, distance=np.pi, delta=1e-6), 2)  # ten responses of one person
8.12
>>> round(accounting.shuffled_level(law, 1000, 1e-6), 3)  # one response of each of 1000 people, shuffled
0.085
"""

from dirpriv.accounting.renyi import renyi_divergence
from dirpriv.accounting.shuffling import local_level_for, shuffled_delta, shuffled_level, shuffling_cost
from dirpriv.guarantees import composed_level
from dirpriv.laws._blanket import Randomiser

__all__ = [
    "Randomiser",
    "composed_level",
    "local_level_for",
    "renyi_divergence",
    "shuffled_delta",
    "shuffled_level",
    "shuffling_cost",
]
