"""Pictures of what a level means, of histograms and of maps: the same that the command ``dirpriv`` draws.

Each function returns a Figure of Matplotlib, as wide as a page, whose look does not depend on the settings.
:func:`figure_bytes` gives the bytes of its file. Matplotlib is the extra ``pictures`` (``pip install
"dirpriv[pictures]"``), and imported when a picture is drawn.
"""

from dirpriv._lib.lazy import face

__getattr__, __dir__, __all__ = face(__name__)
