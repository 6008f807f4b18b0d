from dirpriv.pictures.frame import content as content
from dirpriv.pictures.places import draw_map as draw_map
from dirpriv.pictures.places import draw_place_reach as draw_place_reach
from dirpriv.pictures.times import draw_comparison as draw_comparison
from dirpriv.pictures.times import draw_density_band as draw_density_band
from dirpriv.pictures.times import draw_histogram as draw_histogram
from dirpriv.pictures.times import draw_time_reach as draw_time_reach

__all__: list[str]
