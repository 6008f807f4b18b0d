from dirpriv import accounting as accounting
from dirpriv import audit as audit
from dirpriv import central as central
from dirpriv import estimators as estimators
from dirpriv import geography as geography
from dirpriv import geometry as geometry
from dirpriv import guarantees as guarantees
from dirpriv import laws as laws
from dirpriv import mechanisms as mechanisms
from dirpriv import planner as planner
from dirpriv import release as release
from dirpriv import rotations as rotations
from dirpriv import transport as transport
from dirpriv._errors import InvalidArgument as InvalidArgument

__version__: str
__all__: list[str]
