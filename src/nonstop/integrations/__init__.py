"""nonstop inside other tools: one file for each host, each an extra of the same name."""
