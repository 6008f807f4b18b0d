from dirpriv.pictures.busyness import draw_busyness as draw_busyness
from dirpriv.pictures.figure_style import figure_bytes as figure_bytes
from dirpriv.pictures.places import draw_map as draw_map
from dirpriv.pictures.places import draw_place_noise as draw_place_noise
from dirpriv.pictures.times import draw_comparison as draw_comparison
from dirpriv.pictures.times import draw_density_band as draw_density_band
from dirpriv.pictures.times import draw_histogram as draw_histogram
from dirpriv.pictures.times import draw_time_noise as draw_time_noise

__all__: list[str]
