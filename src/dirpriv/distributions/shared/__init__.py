"""What distributions share: their privacy, the distribution of the angle, and the numerics of log kernels."""
