"""How distributions of directions draw: angles from the mode, normal numbers, the tangent-normal step."""
