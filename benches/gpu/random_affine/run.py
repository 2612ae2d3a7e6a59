#!/usr/bin/env python3
"""Random affine programs on a GPU: right results, and time over what has to move.

    benches/gpu/random_affine/run.py check TERRACE [--seeds A:B] [--forms acc,mlir] [--keep FOLDER] [--kinds blocks]
    benches/gpu/random_affine/run.py build TERRACE OUT [--seeds A:B] [--forms acc,mlir]
    benches/gpu/random_affine/run.py run OUT [--seeds A:B] [--forms acc,mlir] [--json FILE]

`check` wants no GPU, `build` neither; `run` wants a GPU, this folder with the files beside it in benches/gpu, and OUT.
README.md says what programs are like, what is compared and what the columns are.
"""
import argparse
import os
import sys

import check
import measure
from to_c import FORMS


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("check", "build", "run"))
    p.add_argument("paths", nargs="+", metavar="PATH")
    p.add_argument("--seeds", help="from A to below B (1:21 for check, else 1:501)")
    p.add_argument("--forms", help="some of " + ", ".join(check.EVERY))
    p.add_argument("--keep", help="a folder for what check makes")
    p.add_argument("--kinds", default="", help="check other programs, with nests of these kinds alone: blocks,reduction,...")
    p.add_argument("--arch", default="sm_90")
    p.add_argument("--target", default="gpu")
    p.add_argument("--jobs", type=int, default=min(8, os.cpu_count()))
    p.add_argument("--small", action="store_true", help="build with the sizes of check, to try run with --target emulator")
    p.add_argument("--json")
    o = p.parse_args()
    first, last = map(int, (o.seeds or ("1:21" if o.what == "check" else "1:501")).split(":"))
    seeds, paths = range(first, last), list(map(os.path.abspath, o.paths))
    if len(paths) != 1 + (o.what == "build"):
        p.error(f"found {len(paths)} paths behind {o.what}, expected {1 + (o.what == 'build')}")
    if o.what == "check":
        forms = (o.forms or ",".join(check.EVERY)).split(",")
        return 1 if check.check(paths[0], seeds, forms, o.keep and os.path.abspath(o.keep), tuple(filter(None, o.kinds.split(',')))) else 0
    forms = (o.forms or ",".join((*FORMS, "mlir"))).split(",")
    if o.what == "build":
        return measure.build(*paths, seeds, forms, o.arch, o.jobs, int(not o.small))
    return measure.run(*paths, seeds, forms, o.target, o.jobs, o.json and os.path.abspath(o.json))


if __name__ == "__main__":
    sys.exit(main())
