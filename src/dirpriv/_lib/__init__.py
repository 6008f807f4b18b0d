"""What every room uses and no user sees: types, frozen objects, rounding, quadrature."""
