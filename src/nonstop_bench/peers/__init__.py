"""The peers: BoTorch as oracle and rival, Optuna's GPSampler as rival.

`datasets` makes the data all sides see; `botorch` and `optuna` are thin adapters that only import where those packages
are installed; `footprint` weighs processes and installs; `effort` says how far our own time is from the BLAS limit.
"""
