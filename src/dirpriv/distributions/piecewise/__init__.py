"""Distributions on spheres whose log kernel is made of pieces: steps and slopes."""
