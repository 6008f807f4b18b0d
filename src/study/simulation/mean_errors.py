"""Errors of private mean directions, simulated to a wanted interval; shared by the experiments on means."""

import numpy as np
import scipy  # SciPy imports its submodules at their first use

from dirpriv import geometry
from study.simulation import control_variates, seeding
from study.simulation.estimates import PILOT, Z95, mean_of_draws, simulated_mean

FEW = 100  # repetitions with controls at least: an interval of this many normal numbers covers 94.7 %
MARGIN = 0.8  # of the wanted width is planned: from so few, which know their deviation to a tenth or so
BLOCK_NUMBERS = 131_072  # coordinates in a block; it fits the processor's cache and has its own generator


def local_errors(mechanism, population, responses, repetitions, response_rng, noise_rng, controls=None):
    """Errors on the circle when each of ``responses`` people randomises their own direction.

    The estimate of a repetition is the direction of the sum of the randomised vectors. Its error is the angle
    to the direction of the sum of the true vectors of the same people, less what ``controls`` explain of it.
    On spheres see :func:`errors_on_sphere`.
    """
    true = population.draw((repetitions * responses,), response_rng)
    noisy = mechanism.randomise(true, rng=noise_rng)
    # as complex numbers the vectors of one repetition lie side by side, which NumPy adds ten times faster
    people, noisy = (np.ascontiguousarray(x).view(complex).reshape(repetitions, responses) for x in (true, noisy))
    if controls is None:
        return geometry.circular_distance(*(np.angle(x.sum(axis=1)) for x in (people, noisy)))
    same = len(population.vectors) == 1
    powers = responses * controls.powers(people[:1, :1]) if same else controls.powers(people)
    return controls.errors(noisy.sum(axis=1), powers)


def errors_on_sphere(distributions, population, responses, repetitions, response_rng, across_rng, angle_rngs):
    """Errors as of :func:`local_errors` on a sphere, for several distributions at once: repetitions × distributions.

    A noisy vector is cos θ x + sin θ s, with s uniform among the directions across the true vector x. The
    distributions differ in their angles θ alone, and the sums over the responses are those of the coordinates of
    x and of a normal vector, whose part across x has the direction s. So these are drawn once for all distributions.
    """
    true = population.draw((repetitions, responses), response_rng)
    normal = across_rng.standard_normal(true.shape)
    along = np.einsum("...i,...i->...", true, normal)
    across = np.sqrt(np.einsum("...i,...i->...", normal, normal) - along**2)
    of_true, of_normal = np.empty((2, repetitions, len(distributions), responses))
    for number, (distribution, rng) in enumerate(zip(distributions, angle_rngs, strict=True)):
        theta = distribution.angle_rvs((repetitions, responses), rng=rng)
        of_normal[:, number] = np.sin(theta) / across
        of_true[:, number] = np.cos(theta) - of_normal[:, number] * along
    sums = true.sum(axis=1)[:, None], of_true @ true + of_normal @ normal
    return geometry.angle_between_vectors(*(s / np.linalg.norm(s, axis=-1, keepdims=True) for s in sums))


def mean_local_error(mechanism, population, responses, cell, response_cell, seed, half_width, most_draws):
    """MAE of the local model; see :func:`study.simulation.estimates.simulated_mean`.

    ``cell`` names the random stream of the noise, ``response_cell`` that of the people. The latter does not
    depend on the mechanism, so that all mechanisms are compared on the same people.
    """

    controls = control_variates.controls_of(mechanism.noise, responses, population)

    def draw(block, repetitions):
        people = seeding.generator(seed, *response_cell, responses, block)
        noise = seeding.generator(seed, *cell, responses, block)
        if population.vectors.shape[1] > 2:
            return errors_on_sphere([mechanism.noise], population, responses, repetitions, people, noise, [noise])[:, 0]
        return local_errors(mechanism, population, responses, repetitions, people, noise, controls)

    block, pilot = BLOCK_NUMBERS // (2 * responses), PILOT
    if controls:
        block, pilot, half_width = min(block, FEW), FEW, MARGIN * half_width
    return simulated_mean(draw, block, half_width, most_draws / responses, pilot)


def repetitions_on_sphere(dim, responses, half_width, least, most_numbers):
    """Repetitions for a relative half-width of the 95 % interval of a mean error on the sphere of R^n.

    A small error is the length of a normal vector of n - 1 coordinates. Larger ones scatter up to a fifth
    more, relative to their mean: hence the margin. At least ``least``, but at most ``most_numbers``
    coordinates.
    """
    half = (dim - 1) / 2.0
    mean = np.exp(scipy.special.gammaln(half + 0.5) - scipy.special.gammaln(half))  # of the length, over √2
    wanted = int(np.ceil((half / mean**2 - 1.0) * (Z95 / (MARGIN * half_width)) ** 2))
    return max(2, min(max(wanted, least), most_numbers // (responses * dim)))


def mean_errors_on_sphere(distributions, population, responses, repetitions, cells, response_cell, seed):
    """MAE of the local model on a sphere for several distributions; ``cells`` name the streams of their noise.

    ``response_cell`` names those of the people and of the directions of the noise, which all distributions share.
    """
    dim = population.vectors.shape[1]
    block, errors = max(1, BLOCK_NUMBERS // (responses * dim)), []
    for number, done in enumerate(range(0, repetitions, block)):
        names = [(*response_cell, kind, responses, number) for kind in ("people", "across")]
        names += [(*cell, responses, number) for cell in cells]
        shared, across, *angles = (seeding.generator(seed, *name) for name in names)
        count = min(block, repetitions - done)
        errors.append(errors_on_sphere(distributions, population, responses, count, shared, across, angles))
    return [mean_of_draws(of_distribution) for of_distribution in np.concatenate(errors).T]
