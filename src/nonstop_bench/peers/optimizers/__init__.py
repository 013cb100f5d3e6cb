"""Other optimisers behind the simulator's ask and tell, one file each; only `registry` knows their names."""
