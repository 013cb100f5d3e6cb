"""A training script that nonstop can run: parameters as arguments, the value on the last line of output."""

from __future__ import annotations

import argparse
import math


def main() -> None:
    """Read the arguments and print the value."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, required=True)
    parser.add_argument("--depth", type=int, required=True)
    options = parser.parse_args()
    print("training ...")  # earlier lines of output are ignored
    print(0.1 + 0.02 * math.log10(options.lr / 1e-3) ** 2 + 0.001 * (options.depth - 7) ** 2)


if __name__ == "__main__":
    main()
