"""Figure 1 of paper A, drawn: a unit vector as a part along the mode and a part across it."""

import matplotlib.pyplot as plt
import numpy as np

from study import figures

ALONG, ACROSS, TURN, VECTOR = "#003f73", "#12a87a", "#c8520c", "0.1"  # of the colour-blind-safe palette
UP = np.array([0.0, 0.0, 1.0])  # the mode


def decompose(theta, azimuth):
    """A unit vector x = cos θ μ + sin θ ξ at the angle θ from the mode μ, and its tangent direction ξ."""
    tangent = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    return np.cos(theta) * UP + np.sin(theta) * tangent, tangent


def draw(settings):
    """The decomposition on the sphere; the angles of the settings are in degrees."""
    theta, azimuth = np.deg2rad(settings["theta"]), np.deg2rad(settings["azimuth"])
    x, tangent = decompose(theta, azimuth)
    side = figures.COLUMN * figures.MILLIMETRE
    figure = plt.figure(figsize=(side, side))
    ax = figure.add_axes((-0.12, -0.16, 1.24, 1.24), projection="3d", computed_zorder=False)
    figures.ball_axes(ax, settings["elevation"], settings["turn"], half_width=0.92)

    _draw_sphere(ax, np.deg2rad(settings["elevation"]), np.deg2rad(settings["turn"]))
    turn = np.linspace(0.0, 2.0 * np.pi, 361)
    circle = np.array([np.cos(turn), np.sin(turn), 0.0 * turn])
    foot = np.cos(theta) * UP
    # all points at the same angle from the mode, and the subsphere of the directions ξ
    ax.plot(*(np.sin(theta) * circle + foot[:, None]), color="0.55", linewidth=0.8, linestyle=(0, (2, 2)))
    ax.plot(*circle, color=ACROSS, linewidth=1.3)

    for end, colour, width in ((UP, ALONG, 1.0), (tangent, ACROSS, 1.0), (x, VECTOR, 1.8)):
        ax.quiver(0.0, 0.0, 0.0, *end, color=colour, linewidth=width, arrow_length_ratio=0.08)
    ax.plot(*np.stack([np.zeros(3), foot], axis=1), color=ALONG, linewidth=3.0, solid_capstyle="butt")
    ax.plot(*np.stack([foot, x], axis=1), color=ACROSS, linewidth=3.0, solid_capstyle="butt")
    bend = np.linspace(0.0, theta, 60)
    arc = np.array([decompose(angle, azimuth)[0] for angle in bend]).T
    ax.plot(*(0.32 * arc), color=TURN, linewidth=1.2)
    ax.plot(*arc, color=TURN, linewidth=0.9, linestyle=":")

    _write(ax, 1.12 * UP, "mode $\\mu$", ALONG)
    _write(ax, 1.16 * tangent, "$\\xi$", ACROSS, size=10)
    _write(ax, 1.11 * x, "$x$", VECTOR, size=10)
    _write(ax, 0.3 * foot - 0.05 * tangent, "$t = \\cos\\theta$", ALONG, ha="right")
    _write(ax, (foot + x) / 2.0 + 0.12 * UP - 0.13 * tangent, "$h = \\sin\\theta$", ACROSS, size=7.5)
    _write(ax, 0.42 * decompose(theta / 2.0, azimuth)[0], "$\\theta$", TURN, size=10)
    front = np.deg2rad(settings["turn"])
    below = np.array([np.cos(front), np.sin(front), -0.12])
    _write(ax, below, "subsphere of the $\\xi$ orthogonal to $\\mu$", ACROSS, size=7.5)
    sphere = 0.96 * np.array([-np.sin(front), np.cos(front), -0.8])
    _write(ax, sphere, "$S^{n-1}$", VECTOR)
    equation = "$x = t\\,\\mu + h\\,\\xi = \\cos\\theta\\;\\mu + \\sin\\theta\\;\\xi$"
    figure.text(0.5, 0.02, equation, ha="center", fontsize=10, color=VECTOR)
    return figures.with_headline(figure, "A direction is a part along the mode and a part across it")


def _draw_sphere(ax, elevation, turn):
    """A pale sphere with its outline and a few meridians and parallels."""
    surface = figures.sphere(73, 37)
    ax.plot_surface(*surface, color="0.88", alpha=0.25, linewidth=0, antialiased=True, shade=False)
    ax.plot_wireframe(*surface, rstride=6, cstride=6, color="0.8", linewidth=0.35)
    angle = np.linspace(0.0, 2.0 * np.pi, 361)
    right = np.array([-np.sin(turn), np.cos(turn), 0.0])
    forward = np.array([np.cos(turn), np.sin(turn), 0.0])
    above = np.cos(elevation) * UP - np.sin(elevation) * forward
    ax.plot(*(np.outer(right, np.cos(angle)) + np.outer(above, np.sin(angle))), color="0.5", linewidth=0.8)


def _write(ax, at, text, colour, size=8.5, ha="center", va="center"):
    ax.text(*at, text, color=figures.ink(colour), fontsize=size, ha=ha, va=va)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw, snakemake.params.settings)
