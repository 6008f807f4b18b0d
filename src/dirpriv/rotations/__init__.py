"""Rotations in space: laws on SO(3), mechanisms and metrics.

"The SO(3) paper" is Hildebrandt, Schömer and Hildebrandt, "Metric Differential Privacy on the Special
Orthogonal Group SO(3)", 2025. Rotations are :class:`scipy.spatial.transform.Rotation`, one or a batch.
"""

from dirpriv.rotations import metrics
from dirpriv.rotations.bingham import RotationBingham
from dirpriv.rotations.chordal import ChordalLaplace
from dirpriv.rotations.folded import FoldedPurkayastha, FoldedVonMisesFisher
from dirpriv.rotations.laplace import RotationLaplace
from dirpriv.rotations.mechanisms import (
    ChordalLaplaceMechanism,
    FoldedPurkayasthaMechanism,
    FoldedVonMisesFisherMechanism,
    RotationBinghamMechanism,
    RotationCapMechanism,
    RotationLaplaceMechanism,
    RotationStaircaseMechanism,
)
from dirpriv.rotations.steps import RotationCap, RotationStaircase
from dirpriv.rotations.uniform import RotationUniform

__all__ = [
    "ChordalLaplace",
    "ChordalLaplaceMechanism",
    "FoldedPurkayastha",
    "FoldedPurkayasthaMechanism",
    "FoldedVonMisesFisher",
    "FoldedVonMisesFisherMechanism",
    "RotationBingham",
    "RotationBinghamMechanism",
    "RotationCap",
    "RotationCapMechanism",
    "RotationLaplace",
    "RotationLaplaceMechanism",
    "RotationStaircase",
    "RotationStaircaseMechanism",
    "RotationUniform",
    "metrics",
]
