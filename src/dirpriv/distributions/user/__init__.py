"""Distributions of one's own: completed with what follows from their methods and their density."""
