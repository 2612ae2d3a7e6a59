#!/usr/bin/env python3
"""Random loops in C on the CPU, terrace without directives beside gcc -O2: times and results.

    benches/cpu/random_loops.py TERRACE [--count 200] [--seed 1] [--runs 3] [--aim 0.03] [--core 0]
    benches/cpu/random_loops.py --emit SEED > program.c

Makes COUNT programs (random_program.py), of the seeds SEED, SEED + 1 and so on: one to three nests of one
to three loops over arrays of one and two dimensions, with stencils, reductions, conditions, triangles,
strides and loops over time. A seed always gives the same program; --emit prints it. Each is compiled by gcc -O2
-ffp-contract=off and by terrace cc -O2 --auto -ffp-contract=off, and calls its loops as often as gcc's
program needs for AIM seconds. Both run pinned and by turns, RUNS times, and the least processor time
counts. Those that are more than 3 % slower are run again before they are believed.

A line for each program has the seed, gcc's time, terrace's, and the first over the second (above 1 terrace
is faster). What is not compiled, fails or prints something else than gcc's program is told of on standard
error and listed at the end, behind the ten slowest and the shares; it makes the exit status 1. With
--json FILE the times are written, too.
"""
import argparse
import json
import os
import sys
import tempfile

from common import STRICT, built, by_turns, compare, mean, pinned_to, shares, terrace_env
from random_program import Generator

GCC, AUTO = "gcc -O2", "auto"
# No program of these takes as many seconds, to compile or to run, unless something is wrong with it.
PATIENCE = 60


def ways(o):
    return {
        GCC: (["gcc", "-O2", *STRICT], None),
        AUTO: ([o.terrace, "cc", "-O2", "--auto", *STRICT], terrace_env(1)),
    }


def calibrate(program, aim, pinned):
    """Has the program repeat its loops so often that they take about AIM seconds."""
    repeats = 1
    while True:
        program.arguments = [str(repeats)]
        program.run(pinned, PATIENCE)
        took = max(program.times.pop(), 1e-6)
        # A time of a few clock ticks says little, so that it is not multiplied by much.
        if took > aim / 8:
            return max(1, round(repeats * aim / took))
        repeats *= max(2, min(50, int(aim / took / 4)))


def tried(seed, o, folder):
    """The two times of a seed, none where there is none, and what is wrong with it or nothing."""
    name = f"seed-{seed}"
    source = os.path.join(folder, name + ".c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(Generator(seed).program())
    programs = built(name, ways(o), [source], folder, PATIENCE)
    pinned = pinned_to([o.core])
    try:
        if AUTO not in programs:
            return None, "not compiled"
        programs[AUTO].arguments = programs[GCC].arguments = [str(calibrate(programs[GCC], o.aim, pinned))]
        by_turns(name, programs, o.runs, pinned, PATIENCE)
        if AUTO not in programs:
            return None, "failed"
        if compare(name, programs, [AUTO], GCC):
            return None, "wrong"
        if programs[GCC].least() * 1.03 < programs[AUTO].least():
            by_turns(name, programs, 2 * o.runs, pinned, PATIENCE)
        return (programs[GCC].least(), programs[AUTO].least()), None
    finally:
        for entry in os.listdir(folder):
            os.remove(os.path.join(folder, entry))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("terrace", nargs="?")
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--seed", type=int, default=1, help="the first of the seeds")
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--aim", type=float, default=0.03, help="the seconds that gcc's program shall take")
    p.add_argument("--core", type=int, default=0, help="the core that the programs are pinned to")
    p.add_argument("--emit", type=int, metavar="SEED", help="print the program of a seed and do nothing else")
    p.add_argument("--json")
    o = p.parse_args()
    if o.emit is not None:
        print(Generator(o.emit).program(), end="")
        return 0
    if not o.terrace:
        p.error("the release build of terrace is wanted")
    o.terrace = os.path.abspath(o.terrace)
    times, wrong = {}, {}
    print(f"{'seed':8}{'gcc -O2':>10}{'auto':>10}{'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(o.seed, o.seed + o.count):
            both, why = tried(seed, o, folder)
            if why:
                wrong[seed] = why
                print(f"{seed:<8}{why:>28}", flush=True)
                continue
            times[seed] = both
            print(f"{seed:<8}{both[0]:10.4f}{both[1]:10.4f}{both[0] / max(both[1], 1e-9):8.2f}", flush=True)
    ratios = {seed: two / max(ours, 1e-9) for seed, (two, ours) in times.items()}
    print(f"geometric mean {mean(list(ratios.values())):.2f}")
    print(shares(list(ratios.values())) + ", of gcc -O2")
    slowest = sorted(ratios, key=ratios.get)[:10]
    print("slowest: " + ", ".join(f"seed {seed} {ratios[seed]:.2f}" for seed in slowest))
    for why in sorted(set(wrong.values())):
        print(f"{why}: " + ", ".join(f"seed {seed}" for seed, w in wrong.items() if w == why))
    if o.json:
        with open(o.json, "w", encoding="utf-8") as f:
            json.dump({"times": times, "wrong": wrong}, f, indent=1)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
