"""The surrogate: arrays in, arrays out. Nothing here knows a trial, a space or a study."""
