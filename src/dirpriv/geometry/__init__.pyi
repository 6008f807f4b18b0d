from dirpriv.geometry import earth as earth
from dirpriv.geometry import rotation_distances as rotation_distances
from dirpriv.geometry import spaces as spaces
from dirpriv.geometry.directions import TURN as TURN
from dirpriv.geometry.directions import angle_between_vectors as angle_between_vectors
from dirpriv.geometry.directions import angles_to_hours as angles_to_hours
from dirpriv.geometry.directions import angles_to_vectors as angles_to_vectors
from dirpriv.geometry.directions import circular_distance as circular_distance
from dirpriv.geometry.directions import hours_to_angles as hours_to_angles
from dirpriv.geometry.directions import vectors_to_angles as vectors_to_angles

__all__: list[str]
