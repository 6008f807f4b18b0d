"""Laws of rotations in space.

"The SO(3) paper" is Hildebrandt, Schömer and Hildebrandt, "Metric Differential Privacy on the Special
Orthogonal Group SO(3)", 2025. Rotations are :class:`scipy.spatial.transform.Rotation`, one or a batch.
"""
