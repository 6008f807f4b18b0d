"""Errors of private mean directions, simulated to a wanted interval; shared by the experiments on means."""

import numpy as np

from dirpriv import geometry
from study.simulation import control_variates, seeding
from study.simulation.estimates import PILOT, simulated_mean

FEW = 100  # repetitions with controls at least: an interval of this many normal numbers covers 94.7 %
MARGIN = 0.8  # of the wanted width is planned from so few, which know their deviation to a tenth or so
BLOCK_NUMBERS = 131_072  # coordinates in a block; it fits the processor's cache and has its own generator


def central_errors(mechanism, population, repetitions, rng):
    """Errors when a trusted party randomises the mean direction once: one draw around it.

    The sensitivity of a mean direction is π for any number of responses: one person can reverse it.
    """
    truth = population.vectors.sum(axis=0)
    truth = np.broadcast_to(truth / np.linalg.norm(truth), (repetitions, truth.size))
    return geometry.angular_distance(mechanism.randomise(truth, rng=rng), truth)


def local_errors(mechanism, population, responses, repetitions, response_rng, noise_rng, controls=None):
    """Errors when each of ``responses`` people randomises their own vector, in ``repetitions`` repetitions.

    The estimate is the direction of the sum of the randomised vectors. Its error is the angle to the
    direction of the sum of the true vectors of the same people, less what ``controls`` explain of it.
    """
    true = population.draw((repetitions * responses,), response_rng)
    noisy = mechanism.randomise(true, rng=noise_rng)
    if true.shape[-1] > 2:
        sums = [x.reshape(repetitions, responses, -1).sum(axis=1) for x in (true, noisy)]
        return geometry.angular_distance(*(s / np.linalg.norm(s, axis=-1, keepdims=True) for s in sums))
    # as complex numbers the vectors of one repetition lie side by side, which NumPy adds ten times faster
    people, noisy = (
        np.ascontiguousarray(x).view(complex).reshape(repetitions, responses) for x in (true, noisy)
    )
    if controls is None:
        return geometry.angle_between(*(np.angle(x.sum(axis=1)) for x in (people, noisy)))
    same = len(population.vectors) == 1
    powers = responses * controls.powers(people[:1, :1]) if same else controls.powers(people)
    return controls.errors(noisy.sum(axis=1), powers)


def mean_central_error(mechanism, population, cell, seed, half_width, most_draws):
    """MAE of the central model; see :func:`study.simulation.estimates.simulated_mean`."""

    def draw(block, repetitions):
        return central_errors(mechanism, population, repetitions, seeding.generator(seed, *cell, block))

    return simulated_mean(draw, BLOCK_NUMBERS // population.vectors.shape[1], half_width, most_draws)


def mean_local_error(mechanism, population, responses, cell, response_cell, seed, half_width, most_draws):
    """MAE of the local model; see :func:`study.simulation.estimates.simulated_mean`.

    ``cell`` names the random stream of the noise, ``response_cell`` that of the people. The latter does not
    depend on the mechanism, so that all mechanisms are compared on the same people.
    """

    controls = control_variates.controls_of(mechanism.law, responses, population)

    def draw(block, repetitions):
        people = seeding.generator(seed, *response_cell, responses, block)
        noise = seeding.generator(seed, *cell, responses, block)
        return local_errors(mechanism, population, responses, repetitions, people, noise, controls)

    block, pilot = BLOCK_NUMBERS // (responses * population.vectors.shape[1]), PILOT
    if controls:
        block, pilot, half_width = min(block, FEW), FEW, MARGIN * half_width
    return simulated_mean(draw, block, half_width, most_draws / responses, pilot)
