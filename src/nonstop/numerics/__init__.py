"""Arithmetic on arrays, without a word of optimisation: linear algebra, descents, tails, points, seeds, threads."""
