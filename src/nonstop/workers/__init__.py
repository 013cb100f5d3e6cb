"""Who evaluates: the loop of a worker, leases and heartbeats, stopping, objectives, and where the time went."""
