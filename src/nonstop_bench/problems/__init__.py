"""Functions with known minima. `problem` says what a problem is, `catalogue` names them all."""
