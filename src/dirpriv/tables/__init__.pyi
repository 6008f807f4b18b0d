from dirpriv.tables.table import Table as Table
