"""The second, wider contest: its tasks in two halves, the table of its results, and its command."""
