"""Releases whose guarantee holds in floating point: integer tables, drawn from by the operating system."""
