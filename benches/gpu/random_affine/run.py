#!/usr/bin/env python3
"""Random affine programs on a GPU: right results, and time over what has to move.

    benches/gpu/random_affine/run.py check TERRACE [--seeds A:B] [--forms acc,mlir] [--keep FOLDER]

README.md says what programs are like and what is compared.
"""
import argparse
import os
import sys

import check


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("check",))
    p.add_argument("terrace")
    p.add_argument("--seeds", default="1:21", help="from A to below B")
    p.add_argument("--forms", default=",".join(check.EVERY))
    p.add_argument("--keep")
    o = p.parse_args()
    seeds = range(*map(int, o.seeds.split(":")))
    return 1 if check.check(os.path.abspath(o.terrace), seeds, o.forms.split(","), o.keep and os.path.abspath(o.keep)) else 0


if __name__ == "__main__":
    sys.exit(main())
