"""Benchmarks of nonstop: experiments on a virtual clock, comparisons with other optimisers, tables and figures."""
