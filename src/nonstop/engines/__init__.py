"""Where workers run: this process, processes of this machine, any concurrent.futures.Executor, Dask, Ray."""
