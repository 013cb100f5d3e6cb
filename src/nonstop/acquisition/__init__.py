"""Acquisition rules, one per file, and the maximiser they share."""
