#!/usr/bin/env python3
"""PolyBench's kernels from C on the CPU, beside gcc in the same run.

    benches/cpu/polybench.py TERRACE [NAME...] [--size LARGE] [--runs 7] [--threads 1] [--march native]

TERRACE is a release build of the tool. Columns, each the median over RUNS of the processor time of
the kernel alone, in seconds (with several threads the time that goes by). All are pinned to the
same cores and run by turns, so that a busy machine slows all alike:

    gcc -O2     strict, by element, as people compile
    gcc -O3     -march=native -ffast-math, the best of vectors of 128, 256 and 512 bits; by --no-fast none
    scop        terrace cc -O2 -ffp-contract=off, the loops under `#pragma scop`, TERRACE_TARGET=cpu
    auto        terrace cc -O2 -ffp-contract=off --auto, without a directive

Behind each of terrace's stand gcc -O2 over it and gcc -O3 over it: above 1 terrace is faster. The
last row has geometric means. What terrace's programs print must equal what gcc -O2's print, which
has -ffp-contract=off; where it does not, standard error says so. With --json FILE the medians are
written, too. floyd-warshall and nussinov run at smaller sizes than PolyBench's.
"""
import argparse
import json
import math
import os
import tempfile

from common import FAST, POLYBENCH, STRICT, WIDTHS, built, by_turns, compare, mean, pinned_to, terrace_env

# PolyBench's own sizes, 2800 and 2500, take long with gcc, too.
SMALLER = {"floyd-warshall": ["-DN=1400"], "nussinov": ["-DN=1500"]}


def ways(o):
    march = [f"-march={o.march}"] if o.march else []
    out = {"gcc -O2": (["gcc", "-O2", *STRICT, "-DNO_PRAGMA"], None)}
    if not o.no_fast:
        for bits in WIDTHS:
            out["gcc -O3 " + bits] = (["gcc", *FAST, f"-mprefer-vector-width={bits}", "-DNO_PRAGMA"], None)
    for form, flags in (("scop", []), ("auto", ["--auto", "-DNO_PRAGMA"])):
        if form in o.forms:
            out[form] = ([o.terrace, "cc", "-O2", *STRICT, *march, *flags], terrace_env(o.threads))
    return out


def measured(name, o, folder):
    sizes = [f"-D{o.size}", *([] if o.threads > 1 else ["-DBENCH_CPU_TIME"]), *SMALLER.get(name, [])]
    programs = built(name, ways(o), [*sizes, os.path.join(POLYBENCH, name + ".c")], folder)
    by_turns(name, programs, o.runs, pinned_to(range(o.threads)))
    compare(name, programs, o.forms)
    return {way: p.median() for way, p in programs.items()}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("terrace")
    p.add_argument("names", nargs="*")
    p.add_argument("--size", default="LARGE")
    p.add_argument("--runs", type=int, default=7)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--march", default="", help="handed to terrace cc; without it the code runs on any machine of the kind")
    p.add_argument("--forms", default="scop,auto", type=lambda s: s.split(","))
    p.add_argument("--no-fast", action="store_true", help="leave out gcc -O3 -march=native -ffast-math")
    p.add_argument("--json")
    o = p.parse_intermixed_args()
    o.terrace = os.path.abspath(o.terrace)
    names = o.names or sorted(f[:-2] for f in os.listdir(POLYBENCH) if f.endswith(".c"))
    print(f"{'kernel':16}{'gcc -O2':>9}{'gcc -O3':>9}" + "".join(f"{f:>9}{'/O2':>7}{'/O3':>7}" for f in o.forms))
    ratios, all_times = {f: ([], []) for f in o.forms}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            times = all_times[name] = measured(name, o, folder)
            two = times["gcc -O2"]
            three = min((t for way, t in times.items() if way.startswith("gcc -O3")), default=math.nan)
            line = f"{name:16}{two:9.4f}{three:9.4f}"
            for form in o.forms:
                if form not in times:
                    line += f"{'-':>9}{'-':>7}{'-':>7}"
                    continue
                ours = max(times[form], 1e-9)
                ratios[form][0].append(two / ours)
                ratios[form][1].append(three / ours)
                line += f"{ours:9.4f}{two / ours:7.2f}{three / ours:7.2f}"
            print(line, flush=True)
    print(f"{'geometric mean':34}" + "".join(f"{'':>9}{mean(a):7.2f}{mean(b):7.2f}" for a, b in ratios.values()))
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump(all_times, f, indent=1)


if __name__ == "__main__":
    main()
