"""What a run says while it runs: a line, a panel, log records, calls of the user's functions."""
