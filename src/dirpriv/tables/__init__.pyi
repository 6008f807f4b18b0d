from dirpriv.tables.forms import times_in_sql as times_in_sql
from dirpriv.tables.table import Table as Table
