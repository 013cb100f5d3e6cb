"""The report: every claim of the paper, what was measured, and a verdict; all of it computed from committed results."""
