"""Who evaluates: the loop of a worker, its lease, how it is stopped, objectives, and where its time went."""
