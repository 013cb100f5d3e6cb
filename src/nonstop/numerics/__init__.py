"""Arithmetic on arrays, independent of Bayesian optimization: linear algebra, descents, normal tails, points, seeds."""
