from dirpriv import distributions as distributions
from dirpriv import estimators as estimators
from dirpriv import geometry as geometry
from dirpriv import guarantees as guarantees
from dirpriv import mechanisms as mechanisms
from dirpriv import pictures as pictures
from dirpriv import planner as planner
from dirpriv import release as release
from dirpriv import tables as tables
from dirpriv._inputs.errors import InvalidArgument as InvalidArgument

__version__: str
__all__: list[str]
