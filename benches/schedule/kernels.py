#!/usr/bin/env python3
"""What the automatic scheduler finds for PolyBench's kernels, and how long it takes.

    benches/schedule/kernels.py target/release/terrace-opt [--pluto PLUTO --polybench DIR] [--runs N]

One line a kernel. "tiled": along how many loops the statement with the widest bands is
tiled. "parallel": along how many dimensions of time some statement's instances may run
at once, without tiles. Times are medians of whole runs of the tool, reading the program
and printing it included. With a binary of Pluto and a folder of PolyBench/C 4.2, neither
of which is ours, the same is asked of Pluto for the marked part of each kernel's C file,
in the same run; that part is cut out and macros that wrap sizes, constants and functions
are taken off, since Pluto's parser knows none.
"""

import argparse
import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def timed(command, runs):
    times = []
    out = None
    for _ in range(runs):
        start = time.perf_counter()
        out = subprocess.run(command, capture_output=True, text=True, timeout=300)
        times.append(time.perf_counter() - start)
    return out, statistics.median(times)


def ours(opt, file, runs):
    """(tiled, parallel, seconds), or what was printed instead."""
    out, seconds = timed([opt, file, "--auto-schedule=tile-size=32"], runs)
    plain, _ = timed([opt, file, "--auto-schedule=tile-size=0"], 1)
    if out.returncode or plain.returncode or "left in its order" in out.stderr:
        return out.stderr.strip().split("\n")[0]
    maps = dict(re.findall(r"^(#map\d*) = affine_map<(.*)>$", out.stdout, re.M))
    tiled = 0
    for times in re.findall(r"schedule\.reschedule .*? to \[(.*?)\]", out.stdout):
        for name in re.findall(r"#map\d*", times):
            results = maps[name].split("-> (", 1)[1]
            tiled = max(tiled, sum("floordiv" in r for r in results.split(",")))
    parallel = set()
    for nest, lists in enumerate(re.findall(r" parallel (\[\[.*\]\])", plain.stdout)):
        for one in re.findall(r"\[([\d, ]*)\]", lists[1:-1]):
            parallel.update((nest, int(n)) for n in one.split(",") if n.strip())
    return tiled, len(parallel), seconds


def plutos(pluto, source, runs):
    """The same of Pluto."""
    with open(source) as f:
        text = f.read()
    scop = re.search(r"#pragma scop\n(.*?)#pragma endscop", text, re.S)
    body = scop.group(1)
    body = re.sub(r"_PB_(\w+)", r"\1", body)
    body = re.sub(r"SCALAR_VAL\(([^)]*)\)", r"\1", body)
    for macro, function in [("SQRT_FUN", "sqrt"), ("EXP_FUN", "exp"), ("POW_FUN", "pow")]:
        body = body.replace(macro, function)
    body = body.replace("DATA_TYPE", "double")
    with tempfile.TemporaryDirectory() as folder:
        c = os.path.join(folder, "kernel.c")
        with open(c, "w") as f:
            f.write(f"#pragma scop\n{body}#pragma endscop\n")
        o = os.path.join(folder, "out.c")
        out, seconds = timed([pluto, c, "--tile", "-o", o], runs)
        plain, _ = timed([pluto, c, "--nointratileopt", "--parallel", "-o", o], 1)
    if out.returncode:
        return (out.stdout + out.stderr).strip().split("\n")[-1]
    after = out.stdout.split("After tiling")[-1] if "After tiling" in out.stdout else ""
    tiled = max((len(re.findall(r"zT", t)) for t in re.findall(r"^T\(S\d+\): (.*)$", after, re.M)), default=0)
    parallel = len(re.findall(r"^t\d+ --> parallel loop", plain.stdout, re.M))
    return tiled, parallel, seconds


def show(result):
    if isinstance(result, str):
        return f"{'-':>5} {'-':>8} {'-':>9}  {result}"
    tiled, parallel, seconds = result
    return f"{tiled:5} {parallel:8} {seconds * 1000:6.0f} ms"


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("opt")
    p.add_argument("--pluto")
    p.add_argument("--polybench")
    p.add_argument("--runs", type=int, default=3)
    a = p.parse_args()
    head = f"{'tiled':>5} {'parallel':>8} {'time':>9}"
    print(f"{'kernel':15} {head}" + (f"   {head} (Pluto)" if a.pluto else ""))
    slowest = 0.0
    for file in sorted(glob.glob(os.path.join(ROOT, "examples", "polybench", "*.mlir"))):
        name = os.path.basename(file)[: -len(".mlir")]
        mine = ours(a.opt, file, a.runs)
        line = f"{name:15} {show(mine)}"
        if not isinstance(mine, str):
            slowest = max(slowest, mine[2])
        if a.pluto:
            sources = glob.glob(os.path.join(a.polybench, "**", f"{name}.c"), recursive=True)
            line += "   " + (show(plutos(a.pluto, sources[0], a.runs)) if sources else "no source")
        print(line, flush=True)
    print(f"slowest: {slowest * 1000:.0f} ms", file=sys.stderr)


main()
