"""How the library reads what callers give: columns, times, places, angles, units; and its errors."""
