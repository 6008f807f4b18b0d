"""What a distribution guarantees when it is used as a mechanism, exactly.

A mechanism draws from a distribution whose mode is the true value. Where the distribution has the log kernel f(θ), the
log ratio of the densities of one output under two inputs is f(θ) - f(θ'), so with θ the angle

* the **metric level** is sup |f'| per radian: inputs at distance d lose at most this times d
  (ε·d∡-privacy; Weggenmann and Kerschbaum 2021, Definition 13),
* the **pure level** is max f - min f: no two inputs lose more (pure ε-differential privacy), and
* the **privacy loss** at a distance d is the largest loss between two inputs at exactly that distance.

A level is infinite where there is no guarantee; :func:`from_distribution` gives the reason. A distribution has the
same quantities as methods (``distribution.metric_level()``, ``distribution.pure_level()``,
``distribution.privacy_loss(distance)``). The functions here take any :class:`dirpriv.distributions.Distribution`,
including your own, or a density as a function of the angle with what you declare of it
(:func:`dirpriv.distributions.from_log_density`, :func:`dirpriv.distributions.from_density`).
:func:`largest_concentration` goes the other way, from a promised level to a concentration.

The levels are those of the exact distribution: a naive sampler in floating point has gaps through which more can leak.

**Beyond one response:**

* :func:`composed_level`: several responses of one person, from the exact distribution of the privacy loss.
* :func:`renyi_divergence` of one response: divergences of independent responses add up.
* :func:`shuffled_level`, :func:`shuffled_delta`: one response each of N people, in a random order, by
  certified bounds for the N at hand, see :mod:`dirpriv.guarantees.shuffling`. :class:`ShufflingParameters` stands for
  a distribution there.
* :func:`shuffled_sample_size_ratio`: how distributions compare after shuffling in the limit of many people.

:mod:`dirpriv.mechanisms.central` has the mechanisms of a trusted data owner, who sees the true directions.
"""

from dirpriv._lib.lazy import face

__getattr__, __dir__, __all__ = face(__name__)
