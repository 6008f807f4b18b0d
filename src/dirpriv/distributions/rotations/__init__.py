"""Distributions of rotations in space.

"The SO(3) paper" is Hildebrandt, Schömer and Hildebrandt, "Metric Differential Privacy on the Special
Orthogonal Group SO(3)", 2025. Rotations are :class:`scipy.spatial.transform.Rotation`, one or a batch.
The concentration ``kappa`` of a distribution is one finite number κ ≥ 0, else a ValueError; 0 is the uniform
distribution. That of a folded distribution is the concentration of the distribution on S³.
"""
