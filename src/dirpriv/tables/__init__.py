"""Files of tables: which formats are read, how their columns are read, and what messages say of them.

A value is read right or refused, with its row and the rule. No message shows a value of a file, as these are
personal. :class:`Table` opens a file. Tables are read by DuckDB and pandas, the extra ``tables``
(``pip install "dirpriv[tables]"``).
"""

from dirpriv._lib.lazy import face

__getattr__, __dir__, __all__ = face(__name__)
