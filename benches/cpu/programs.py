#!/usr/bin/env python3
"""Small C programs as people write them, without a directive, on the CPU, beside gcc in the same run.

    benches/cpu/programs.py TERRACE [NAME...] [--runs 5] [--threads 1] [--march native] [--no-fast]

TERRACE is a release build of the tool, NAME a file of benches/cpu/programs without its ending; without
one all are run. Columns, each the median over RUNS of the processor time of the program's kernel, in
seconds (with several threads the time that goes by). All are pinned to the same cores and run by turns:

    O2          gcc -O2 -ffp-contract=off, strict, as people compile
    O3          gcc -O3 -ffp-contract=off, as strict
    fast        gcc -O3 -march=native -ffast-math, the best of vectors of 128, 256 and 512 bits; by
                --no-fast none
    auto        terrace cc -O2 --auto -ffp-contract=off, TERRACE_TARGET=cpu

Behind them stand the times of gcc over terrace's, above 1 where terrace is faster, and the seconds that
terrace took to compile. The last rows have the geometric means, and how many programs are at most 3 %
slower than by gcc -O2, more than 10 % slower, and at least 1.3 times as fast. With --march the first two
of gcc are given it, too, so that they and terrace compile for the same machine. What terrace's programs
print must equal what gcc -O2's print; where it does not, standard error says so, and the exit status is
1. So it is where a program is not compiled or fails. With --json FILE the medians are written, too.
"""
import argparse
import json
import math
import os
import sys
import tempfile

from common import FAST, HERE, POLYBENCH, STRICT, WIDTHS, built, by_turns, compare, mean, pinned_to, shares, terrace_env

PROGRAMS = os.path.join(HERE, "programs")
BESIDE = ("O2", "O3", "fast")


def ways(o):
    march = [f"-march={o.march}"] if o.march else []
    out = {f"gcc -{level}": (["gcc", f"-{level}", *STRICT, *march], None) for level in ("O2", "O3")}
    if not o.no_fast:
        for bits in WIDTHS:
            out["gcc fast " + bits] = (["gcc", *FAST, f"-mprefer-vector-width={bits}"], None)
    out["auto"] = ([o.terrace, "cc", "-O2", "--auto", *STRICT, *march], terrace_env(o.threads))
    return out


def measured(name, o, folder):
    """The median of each column, how long terrace compiled, and whether its program printed what it should."""
    # The header with the clock is PolyBench's.
    rest = ["-I", POLYBENCH, *([] if o.threads > 1 else ["-DBENCH_CPU_TIME"]), os.path.join(PROGRAMS, name + ".c")]
    programs = built(name, ways(o), rest, folder)
    by_turns(name, programs, o.runs, pinned_to(range(o.threads)))
    right = "auto" in programs and not compare(name, programs, ["auto"])
    times = {way: p.median() for way, p in programs.items()}
    fast = min((t for way, t in times.items() if way.startswith("gcc fast")), default=math.nan)
    columns = {"O2": times["gcc -O2"], "O3": times["gcc -O3"], "fast": fast, "auto": times.get("auto", math.nan)}
    return columns, programs["auto"].compiled if "auto" in programs else math.nan, right


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("terrace")
    p.add_argument("names", nargs="*")
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--march", default="",
                   help="handed to terrace cc and to gcc; without it the code runs on any machine of the kind")
    p.add_argument("--no-fast", action="store_true", help="leave out gcc -O3 -march=native -ffast-math")
    p.add_argument("--json")
    o = p.parse_intermixed_args()
    o.terrace = os.path.abspath(o.terrace)
    known = sorted(f[:-2] for f in os.listdir(PROGRAMS) if f.endswith(".c"))
    if unknown := set(o.names) - set(known):
        p.error(f"no such program: {' '.join(sorted(unknown))}")
    names = o.names or known
    print(f"{'program':16}" + "".join(f"{c:>9}" for c in (*BESIDE, "auto")) + "".join(f"{'/' + c:>7}" for c in BESIDE)
          + f"{'cc':>8}")
    ratios, all_times, wrong = {c: [] for c in BESIDE}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            times, compiled, right = measured(name, o, folder)
            all_times[name] = times
            if not right:
                wrong.append(name)
            # A clock that has not moved is no time to divide by.
            row = {c: times[c] / max(times["auto"], 1e-9) for c in BESIDE}
            for c, ratio in row.items():
                if not math.isnan(ratio):
                    ratios[c].append(ratio)
            print(f"{name:16}" + "".join(f"{times[c]:9.4f}" for c in (*BESIDE, "auto"))
                  + "".join(f"{row[c]:7.2f}" for c in BESIDE) + f"{compiled:8.2f}", flush=True)
    print(f"{'geometric mean':52}" + "".join(f"{mean(ratios[c]):7.2f}" for c in BESIDE))
    print(shares(ratios["O2"]) + ", of gcc -O2")
    if wrong:
        print("wrong or not run: " + " ".join(wrong))
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump(all_times, f, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
