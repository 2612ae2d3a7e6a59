#!/usr/bin/env python3
"""PolyBench's kernels on the CPU, from C and from MLIR, beside other compilers in the same run.

    benches/cpu/polybench.py TERRACE [NAME...] [--size LARGE] [--runs 7] [--threads 1,2] [--march native]

TERRACE is a release build of the tool. A table for each number of threads. Its columns, each the median over
RUNS in seconds, are of programs that are pinned to the same cores and run by turns, so that a busy machine
slows all alike:

    O2       gcc -O2 -ffp-contract=off, strict, by element, as people compile; always on one thread
    O3       gcc -O3 -march=native -ffast-math, the best of vectors of 128, 256 and 512 bits; by --no-fast none
    polly    clang -O3 -march=native -ffast-math with Polly, on all of the threads; CLANG names another clang
    blas     OpenBLAS, for products, on all of the threads; variables that override what it chooses are unset
    scop     terrace cc -O2 -ffp-contract=off, the loops under `#pragma scop`, TERRACE_TARGET=cpu
    auto     terrace cc -O2 -ffp-contract=off --auto, without a directive
    fast     terrace cc -O3 -ffast-math --auto: with the freedom of O3
    mlir     terrace run of the file in examples/polybench, its own data; by the clock on the wall

A peer that is not installed has no column of figures. On one thread it is processor time, with more the time
that goes by; --cpu-time makes it processor time of all threads, for machines that are busy. --peers and --forms
choose columns. Behind each of terrace's stand O2, O3 and the best of the other peers over it: above 1 terrace is
faster. `GF/s` are the operations on floats a second of terrace's best, `peak` their share of the multiply-adds of
f64 that `terrace calibrate --target cpu` measures on the same cores in front of the table. The last row has
geometric means.

What terrace's programs print must equal what gcc -O2's print; where it does not, standard error says so and the
exit status is 1. What OpenBLAS's print, and those of `fast`, must be as near as another order of sums allows. With --json FILE the
medians are written, too. floyd-warshall and nussinov run at smaller sizes than PolyBench's; --whole takes its own.
"""
import argparse
import json
import math
import os
import sys
import tempfile

import peers
from common import POLYBENCH, STRICT, WIDTHS, built, by_turns, compare, mean, pinned_to, terrace_env

FORMS = ("scop", "auto", "fast", "mlir")
# Forms that need not print what gcc -O2's program prints: in another order of sums, of other data.
OTHERWISE = ("fast", "mlir")
OTHERS = ("polly", "blas")
# How far sums in another order may be off, of numbers that are all positive.
NEAR = 1e-9


def ways(o, threads):
    march = [f"-march={o.march}"] if o.march else []
    out = peers.gcc(o)
    if "polly" in o.peers:
        out.update(peers.polly(o, threads))
    auto = ["--auto", "-DNO_PRAGMA"]
    strict = ["-O2", *STRICT]
    for form, flags in (("scop", strict), ("auto", [*strict, *auto]), ("fast", ["-O3", "-ffast-math", *auto])):
        if form in o.forms:
            out[form] = ([o.terrace, "cc", *march, *flags], terrace_env(threads))
    return out


def near(one, other):
    """Whether two programs print the same but for the order of sums."""
    words = [line.split() for line in one], [line.split() for line in other]
    if len(words[0]) != len(words[1]):
        return False
    pairs = ((a, b) for x, y in zip(*words) for a, b in zip(x, y))
    return all(a == b or math.isclose(float(a), float(b), rel_tol=NEAR) for a, b in pairs)


def measured(name, o, threads, pinned, folder):
    """The medians by column, whether all results were right, and what the BLAS library says of itself."""
    clock = [] if threads > 1 and not o.cpu_time else ["-DBENCH_CPU_TIME"]
    given = peers.defined(peers.sizes(name, o))
    programs = built(name, ways(o, threads), [*given, *clock, os.path.join(POLYBENCH, name + ".c")], folder)
    if "blas" in o.peers:
        programs.update(peers.blas(name, o, threads, folder))
    if "mlir" in o.forms:
        programs["mlir"] = peers.FromMlir(name, o, threads)
    by_turns(name, programs, o.runs, pinned)
    wanted = [form for form in o.forms if form not in OTHERWISE]
    right = all(form in programs for form in o.forms) and not compare(name, programs, wanted)
    library = programs["blas"].head if "blas" in programs else ""
    for way in ("blas", "fast"):
        if way in programs and not near(programs[way].said, programs["gcc -O2"].said):
            print(f"{name} {way}: results are far from gcc -O2's", file=sys.stderr)
            right = False
    times = {way: p.median() for way, p in programs.items()}
    fast = [t for way, t in times.items() if way.startswith("gcc -O3")]
    row = {"O2": times["gcc -O2"], "O3": min(fast, default=math.nan)}
    row.update({column: times.get(column, math.nan) for column in (*OTHERS, *FORMS)})
    return row, right, library


def line(name, o, row, ratios, peak):
    """A row of the table; its ratios are added to those of the columns."""
    out = f"{name:15}" + "".join(f"{row[c]:9.4f}" for c in ("O2", "O3", *o.peers))
    others = [row[c] for c in o.peers if not math.isnan(row[c])]
    for form in o.forms:
        # A clock that has not moved is no time to divide by.
        ours = max(row[form], 1e-9) if not math.isnan(row[form]) else math.nan
        three = [row["O2"] / ours, row["O3"] / ours, min(others, default=math.nan) / ours]
        out += f"{ours:9.4f}" + "".join(f"{r:7.2f}" for r in three)
        for i, r in enumerate(three):
            if not math.isnan(r):
                ratios[form][i].append(r)
    best = min((row[f] for f in o.forms if not math.isnan(row[f])), default=math.nan)
    flops = peers.operations(name, o)
    if flops and best > 0:
        rate = flops / best / 1e9
        out += f"{rate:8.2f}" + (f"{rate / peak:6.2f}" if peak else "")
    return out


def table(o, threads, folder):
    """Prints the table of a number of threads. The medians, and the kernels whose results were wrong."""
    pinned = pinned_to(range(o.core, o.core + threads))
    figures = peers.machine(o.terrace, threads, pinned, folder)
    print(f"\n{threads} thread{'s'[:threads > 1]}, size {o.size}")
    shown = ("_gb_s", "f64_add_128", *(f"f64_fma_{bits}" for bits in WIDTHS))
    print("; ".join(f"{key} {value:g}" for key, value in figures.items() if key.endswith(shown)))
    print(f"{'kernel':15}" + "".join(f"{c:>9}" for c in ("O2", "O3", *o.peers))
          + "".join(f"{f:>9}{'/O2':>7}{'/O3':>7}{'/best':>7}" for f in o.forms) + f"{'GF/s':>8}{'peak':>6}")
    peak = threads * max((figures.get(f"f64_fma_{bits}", 0) for bits in WIDTHS), default=0)
    ratios, medians, wrong, libraries = {f: ([], [], []) for f in o.forms}, {}, [], set()
    for name in o.names:
        row, right, library = measured(name, o, threads, pinned, folder)
        medians[name] = row
        libraries.add(library)
        if not right:
            wrong.append(name)
        print(line(name, o, row, ratios, peak), flush=True)
    blank = 15 + 9 * (2 + len(o.peers))
    print(f"{'geometric mean':{blank}}" + "".join(f"{'':9}" + "".join(f"{mean(r):7.2f}" for r in ratios[f]) for f in o.forms))
    for library in sorted(libraries - {""}):
        print(f"OpenBLAS: {library}")
    return medians, wrong


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("terrace")
    p.add_argument("names", nargs="*", metavar="NAME")
    p.add_argument("--size", default="LARGE", choices=peers.CLASSES)
    p.add_argument("--whole", action="store_true", help="PolyBench's own sizes for all kernels")
    p.add_argument("--runs", type=int, default=7)
    p.add_argument("--threads", default="1", type=lambda s: [int(n) for n in s.split(",")])
    p.add_argument("--core", type=int, default=0, help="the first of the cores that programs are pinned to")
    p.add_argument("--march", default="", help="handed to terrace cc; without it the code runs on any machine of the kind")
    p.add_argument("--forms", default=",".join(FORMS), type=lambda s: s.split(","))
    p.add_argument("--peers", default=",".join(OTHERS), type=lambda s: [c for c in s.split(",") if c])
    p.add_argument("--clang", default="clang", help="the clang that has Polly")
    p.add_argument("--no-fast", action="store_true", help="leave out gcc -O3 -march=native -ffast-math")
    p.add_argument("--cpu-time", action="store_true", help="processor time with several threads, too")
    p.add_argument("--json")
    o = p.parse_intermixed_args()
    o.terrace = os.path.abspath(o.terrace)
    known = sorted(f[:-2] for f in os.listdir(POLYBENCH) if f.endswith(".c"))
    if unknown := (set(o.names) - set(known)) | (set(o.forms) - set(FORMS)) | (set(o.peers) - set(OTHERS)):
        p.error(f"no such kernel, form or peer: {' '.join(sorted(unknown))}")
    o.names = o.names or known
    print(f"{peers.version('gcc')}; {peers.version(o.clang)}")
    all_times, failed = {}, []
    with tempfile.TemporaryDirectory() as folder:
        for threads in o.threads:
            all_times[threads], wrong = table(o, threads, folder)
            failed += wrong
    if failed:
        print("wrong or not run: " + " ".join(failed))
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump(all_times, f, indent=1)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
