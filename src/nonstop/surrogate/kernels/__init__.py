"""Kernels: one file each, the base class they share, and the table of their names."""
