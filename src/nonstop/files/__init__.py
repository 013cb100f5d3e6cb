"""Trials in files: written as CSV, JSON and JSONL, read again, and read from where other programs keep them."""
