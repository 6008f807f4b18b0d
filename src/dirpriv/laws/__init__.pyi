from dirpriv.laws.cardioid import Cardioid as Cardioid
from dirpriv.laws.clipped_laplace import ClippedLaplace as ClippedLaplace
from dirpriv.laws.drawing.angles import tangent_normal as tangent_normal
from dirpriv.laws.own.declared import from_density as from_density
from dirpriv.laws.own.declared import from_log_density as from_log_density
from dirpriv.laws.planar_laplace import PlanarLaplace as PlanarLaplace
from dirpriv.laws.polar_laplace import PolarLaplace as PolarLaplace
from dirpriv.laws.protocols import Law as Law
from dirpriv.laws.protocols import SymmetricLaw as SymmetricLaw
from dirpriv.laws.purkayastha import Purkayastha as Purkayastha
from dirpriv.laws.rotations.base import RotationUniform as RotationUniform
from dirpriv.laws.rotations.chords import ChordalLaplace as ChordalLaplace
from dirpriv.laws.rotations.chords import RotationBingham as RotationBingham
from dirpriv.laws.rotations.folded import FoldedPurkayastha as FoldedPurkayastha
from dirpriv.laws.rotations.folded import FoldedVonMisesFisher as FoldedVonMisesFisher
from dirpriv.laws.rotations.laplace import RotationLaplace as RotationLaplace
from dirpriv.laws.rotations.steps import RotationCap as RotationCap
from dirpriv.laws.rotations.steps import RotationStaircase as RotationStaircase
from dirpriv.laws.shared.spherical import Uniform as Uniform
from dirpriv.laws.steps.laws import Cap as Cap
from dirpriv.laws.steps.laws import Staircase as Staircase
from dirpriv.laws.steps.laws import Trapezoid as Trapezoid
from dirpriv.laws.vector_laplace import VectorLaplace as VectorLaplace
from dirpriv.laws.von_mises_fisher import VonMisesFisher as VonMisesFisher
from dirpriv.laws.wrapped_laplace import WrappedLaplace as WrappedLaplace

__all__: list[str]
