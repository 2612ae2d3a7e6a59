#!/usr/bin/env python3
"""PolyBench's kernels from C on the CPU, beside gcc in the same run.

    benches/cpu/polybench.py TERRACE [NAME...] [--size LARGE] [--runs 7] [--threads 1] [--march native]

TERRACE is a release build of the tool. Columns, each the median over RUNS of the processor time of
the kernel alone, in seconds (with several threads the time that goes by). All are pinned to the
same cores and run by turns, so that a busy machine slows all alike:

    gcc -O2     strict, by element, as people compile
    gcc -O3     -march=native -ffast-math, the best of vectors of 128, 256 and 512 bits; by --no-fast none
    scop        terrace cc -O2, the loops under `#pragma scop`, TERRACE_TARGET=cpu
    auto        terrace cc -O2 --auto, without a directive

Behind each of terrace's stand gcc -O2 over it and gcc -O3 over it: above 1 terrace is faster. The
last row has geometric means. What terrace's programs print must equal what gcc -O2's print, which
has -ffp-contract=off; where it does not, standard error says so. With --json FILE the medians are
written, too. floyd-warshall and nussinov run at smaller sizes than PolyBench's.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples", "c", "polybench")
# PolyBench's own sizes, 2800 and 2500, take long with gcc, too.
SMALLER = {"floyd-warshall": ["-DN=1400"], "nussinov": ["-DN=1500"]}
WIDTHS = ("128", "256", "512")
FAST = ["-O3", "-march=native", "-ffast-math"]


def shell(command, **env):
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **env))
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-400:] or done.returncode}")
    return done


class Program:
    """A kernel compiled in one way."""

    def __init__(self, path, env=None):
        self.path, self.env, self.times, self.said = path, env or {}, [], None

    def run(self, pinned):
        done = shell([*pinned, self.path], **self.env)
        self.said = re.findall(r"^check .*$", done.stdout, re.M)
        self.times.append(float(re.search(r"^time ([0-9.]+)$", done.stderr, re.M).group(1)))

    def median(self):
        return statistics.median(self.times)


def built(name, o, folder):
    source = os.path.join(EXAMPLES, name + ".c")
    sizes = [f"-D{o.size}", *([] if o.threads > 1 else ["-DBENCH_CPU_TIME"]), *SMALLER.get(name, [])]
    threads = {"TERRACE_TARGET": "cpu", "TERRACE_NUM_THREADS": str(o.threads)}
    march = [f"-march={o.march}"] if o.march else []
    ways = {"gcc -O2": (["gcc", "-O2", "-ffp-contract=off", "-DNO_PRAGMA"], None)}
    if not o.no_fast:
        for bits in WIDTHS:
            ways["gcc -O3 " + bits] = (["gcc", *FAST, f"-mprefer-vector-width={bits}", "-DNO_PRAGMA"], None)
    for form, flags in (("scop", []), ("auto", ["--auto", "-DNO_PRAGMA"])):
        if form in o.forms:
            ways[form] = ([o.terrace, "cc", "-O2", *march, *flags], threads)
    out = {}
    for way, (command, env) in ways.items():
        path = os.path.join(folder, name + "-" + way.replace(" ", ""))
        try:
            shell([*command, *sizes, source, "-o", path, "-lm"])
            out[way] = Program(path, env)
        except RuntimeError as why:
            print(f"{name} {way}: {why}", file=sys.stderr)
    return out


def measured(name, o, folder):
    programs = built(name, o, folder)
    pinned = ["taskset", "-c", ",".join(str(c) for c in range(o.threads))]
    for _ in range(o.runs):
        for way, program in list(programs.items()):
            try:
                program.run(pinned)
            except RuntimeError as why:
                print(f"{name} {way}: {why}", file=sys.stderr)
                del programs[way]
    expected = programs["gcc -O2"].said
    for way in o.forms:
        if way in programs and programs[way].said != expected:
            print(f"{name} {way}: results differ from gcc -O2: {programs[way].said} {expected}", file=sys.stderr)
    return {way: p.median() for way, p in programs.items()}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


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
    names = o.names or sorted(f[:-2] for f in os.listdir(EXAMPLES) if f.endswith(".c"))
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
