from dirpriv.distributions.cardioid import Cardioid as Cardioid
from dirpriv.distributions.clipped_laplace import ClippedLaplace as ClippedLaplace
from dirpriv.distributions.piecewise.families import Cap as Cap
from dirpriv.distributions.piecewise.families import Staircase as Staircase
from dirpriv.distributions.piecewise.families import Trapezoid as Trapezoid
from dirpriv.distributions.planar_laplace import PlanarLaplace as PlanarLaplace
from dirpriv.distributions.polar_laplace import PolarLaplace as PolarLaplace
from dirpriv.distributions.protocols import Distribution as Distribution
from dirpriv.distributions.protocols import SymmetricDistribution as SymmetricDistribution
from dirpriv.distributions.purkayastha import Purkayastha as Purkayastha
from dirpriv.distributions.rotations.base import RotationUniform as RotationUniform
from dirpriv.distributions.rotations.cap_and_staircase import RotationCap as RotationCap
from dirpriv.distributions.rotations.cap_and_staircase import RotationStaircase as RotationStaircase
from dirpriv.distributions.rotations.chordal import ChordalLaplace as ChordalLaplace
from dirpriv.distributions.rotations.chordal import RotationBingham as RotationBingham
from dirpriv.distributions.rotations.folded import FoldedPurkayastha as FoldedPurkayastha
from dirpriv.distributions.rotations.folded import FoldedVonMisesFisher as FoldedVonMisesFisher
from dirpriv.distributions.rotations.laplace import RotationLaplace as RotationLaplace
from dirpriv.distributions.sampling.directions import draw_at_angle as draw_at_angle
from dirpriv.distributions.shared.spherical import Uniform as Uniform
from dirpriv.distributions.user.declared_density import from_density as from_density
from dirpriv.distributions.user.declared_density import from_log_density as from_log_density
from dirpriv.distributions.vector_laplace import VectorLaplace as VectorLaplace
from dirpriv.distributions.von_mises_fisher import VonMisesFisher as VonMisesFisher
from dirpriv.distributions.wrapped_laplace import WrappedLaplace as WrappedLaplace

__all__: list[str]
