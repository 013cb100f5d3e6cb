"""The surrogate, a Gaussian process: arrays in, arrays out. Nothing here knows of trials, spaces or studies."""
