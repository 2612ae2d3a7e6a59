#!/usr/bin/env python3
"""The same program in several forms: do they become kernels of the same speed?

    benches/gpu/forms.py build TERRACE OUT [NAME...] [--peers PEERS] [--strict]
    benches/gpu/forms.py check OUT [NAME...]      results, without a GPU
    benches/gpu/forms.py run OUT [NAME...]        times and results, with a GPU and no compiler
    benches/gpu/forms.py list

TERRACE is a release build of the tool, a NAME a program or one of the classes that `list` shows.
The programs are in forms_programs.py, PolyBench's 30 are those of examples. Options stand in front
of TERRACE and OUT, or behind all. The forms:

    acc    C under `acc parallel loop`
    gang   the same with `gang` on the outer loop and `vector` on the one inside
    flat   acc with subscripts computed by hand: A[i*n+j]
    scop   C under `#pragma scop`
    auto   C without directives, by `terrace cc --auto`
    mlir   affine loops over memrefs, by `terrace run`

All sums may be reordered (--reassociate; OpenACC allows it). With --strict none may: then acc,
gang and flat have no column where sums of floats occur, as their directives allow it anyway.

A time is the sum over the kernels of a call. C's profile has no median, so that of a kernel is,
in C as in MLIR, the mean of its launches without the slowest one, which in most is the first.
Only kernels of functions whose names begin with `kernel` count: --auto finds other loops too. In
place of a time stands `host` where there is no kernel, `wrong` where the results are, `late` where
the time was up, and `-` where there is no such form. The reason goes to standard error.
Where PEERS has bin/gcc that offloads to nvptx, the last columns are what a call takes in all, with
copies, by `gcc -O3 -fopenacc` and by terrace, both from the form acc: medians, the first call left
out. Kernel times of gcc's programs are not to be had this way.

Results of C at small sizes are compared with those of gcc -O2 by two sums, those of large sizes
with those of the other forms (within 1e-4 of the sum of magnitudes for f32, with --strict 1e-7). For MLIR `run` asks for `--verify` at a small size. `check` compares
it with gcc's sums, too, and runs on the emulator.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

from forms_programs import CLASSES
from forms_text import file_sums
from kernel_times import UNITS

RUNS = 7
FORMS = ("acc", "gang", "flat", "scop", "auto", "mlir")
# Seconds that the forms of one program may take together.
PATIENCE = 60


class Failure(Exception):
    """Why a cell has no time."""


def chosen(names):
    known = {n for name, ps in CLASSES.items() for n in (name, *(p.name for p in ps))}
    for name in names:
        if name not in known:
            sys.exit(f"found the name {name}, expected one that `forms.py list` shows")
    return [p for name, ps in CLASSES.items() for p in ps if not names or name in names or p.name in names]


def shell(command, until=None, **more):
    """What a command printed on standard output and standard error; nothing but that fails."""
    left = None if until is None else until - time.monotonic()
    if left is not None and left <= 0:
        raise Failure("late")
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=left, **more)
    except subprocess.TimeoutExpired:
        raise Failure("takes too long") from None
    except OSError as why:
        raise Failure(str(why)) from None
    if done.returncode:
        raise Failure(f"ends with {done.returncode}: " + (done.stderr or done.stdout).strip()[-400:])
    return done.stdout, done.stderr


def build_one(p, terrace, out, peers, o):
    """Writes and compiles a program; the lines to say of it."""
    at = os.path.join(out, p.name)
    os.makedirs(at, exist_ok=True)
    said = []
    for name, text in p.files(RUNS).items():
        with open(os.path.join(at, name), "w") as f:
            f.write(text)
    jobs = {"host": p.prepare()}
    for form in p.forms():
        flags = ["-O2", "-w", f"--target-arch={o.arch}", *([] if o.strict else ["--reassociate"]), *(["--auto"] if form == "auto" else [])]
        jobs[form] = p.commands([terrace, "cc"], form, flags)
    for form, commands in jobs.items():
        try:
            for command in commands:
                shell(command, cwd=at, until=time.monotonic() + 600)
        except Failure as why:
            said.append(f"{p.name} {form}: {why}")
    if peers:
        gcc = [os.path.join(peers, "bin", "gcc"), "-O3", "-w", "-fopenacc", "-foffload=nvptx-none", "-foffload-options=-lm"]
        try:
            # The same files as of the form acc; what they become stands in a folder beside that.
            os.makedirs(os.path.join(at, "peer"), exist_ok=True)
            for command in p.commands(gcc, "acc", []):
                command[command.index("-o") + 1] = "peer/" + command[command.index("-o") + 1]
                shell(command, cwd=at, until=time.monotonic() + 600)
        except Failure as why:
            said.append(f"{p.name} gcc: {why}")
    try:
        # At the large size many a program takes the host too long.
        sums = checks(shell(p.command("host", False), cwd=at, env=dict(os.environ, WHOLE_RUNS="1"), until=time.monotonic() + 60)[0])
        with open(os.path.join(at, "sums.json"), "w") as f:
            json.dump(sums, f)
    except Failure as why:
        said.append(f"{p.name} host: {why}")
    return said


def build(o):
    out, terrace = os.path.abspath(o.out), os.path.abspath(o.terrace)
    os.makedirs(os.path.join(out, "lib"), exist_ok=True)
    shutil.copy(terrace, os.path.join(out, "terrace"))
    peers = o.peers and os.path.abspath(o.peers)
    if peers and not os.access(os.path.join(peers, "bin", "gcc"), os.X_OK):
        peers = None
    if peers:
        for name in ("libgomp.so.1", "libgomp-plugin-nvptx.so.1"):
            path = shell([os.path.join(peers, "bin", "gcc"), f"-print-file-name={name}"])[0].strip()
            if os.path.isabs(path):
                shutil.copy(path, os.path.join(out, "lib", name))
    with open(os.path.join(out, "options.json"), "w") as f:
        json.dump({"strict": o.strict, "peers": bool(peers)}, f)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for said in pool.map(lambda p: build_one(p, terrace, out, peers, o), chosen(o.names)):
            for line in said:
                failed += 1
                print(line, flush=True)
    return 1 if failed else 0


def checks(text):
    """The sums that a C program printed: name -> number of elements, of magnitudes, weighted."""
    found = re.findall(r"^check (\w+) (\d+) (\S+) (\S+)$", text, re.M)
    return {name: [int(n), float(a), float(b)] for name, n, a, b in found}


def compare(sums, expected, tolerance):
    """The weighted sum may cancel, so both are held against that of the magnitudes.

    Its weights are fractions, and whoever adds in another order rounds otherwise, of integers, too.
    """
    for name, (n, magnitude, weighted) in expected.items():
        got = sums.get(name)
        room = tolerance * magnitude
        rounding = max(room, 1e-13 * magnitude)
        if not got or got[0] != n or not abs(got[1] - magnitude) <= room or not abs(got[2] - weighted) <= rounding:
            raise Failure(f"wrong: {name} is {got}, expected {[n, magnitude, weighted]}")
    if not expected:
        raise Failure("wrong: no sums to compare with")


def kernel_seconds(text, calls, mine):
    """Seconds of the kernels of a call, from a profile; `mine` begins the line of one that counts."""
    seconds = 0.0
    for line in text.splitlines():
        found = re.match(mine, line)
        if found:
            times = [float(n) * UNITS[u] for n, u in re.findall(r"([\d.]+) ([nmu]?s)\b", line[found.end():])]
            if len(times) < 4:
                raise Failure("failed: no times in " + line.strip())
            count, whole, slowest = int(found.group("count")), times[0], times[3]
            mean = (whole - slowest) / (count - 1) if count > 1 else whole
            seconds += mean * count / calls
    return seconds


# Grid and block of a kernel whose launches differ stand there as `varies` in C and `-` in MLIR.
SHAPE = r"(?:\d+x\d+x\d+|varies|-)"
IN_C = rf"kernel\S*\s+\S+\s+\S+:\d+\S*\s+(?P<count>\d+)\s+{SHAPE}\s+{SHAPE}\s+(?:\d+|-)\s"
IN_MLIR = rf"\S+ +gpu +{SHAPE} +{SHAPE} +(?P<count>\d+)\s"


class Built:
    """A folder that `build` made, and what is asked of its programs."""

    def __init__(self, out, target="gpu"):
        self.out, self.target = os.path.abspath(out), target
        # Only a device is fast enough for the sizes of which times are taken.
        self.big = target == "gpu"
        with open(os.path.join(self.out, "options.json")) as f:
            self.__dict__.update(json.load(f))
        # The sums of each program at its large size, from the first form that had them.
        self.large = {}

    def folder(self, p):
        return os.path.join(self.out, p.name)

    def forms(self, p):
        """The forms whose results are the program's: an order of sums that was not asked for is none."""
        there = p.forms() + ["mlir"]
        return [f for f in there if not (self.strict and p.sums and f in ("acc", "gang", "flat"))]

    def tolerance(self, p):
        """Sums in the order written differ by what multiply-adds and functions round, which is less."""
        return p.tolerance() * (1e-3 if self.strict else 1)

    def expected(self, p):
        with open(os.path.join(self.folder(p), "sums.json")) as f:
            return json.load(f)

    def c(self, p, form, large, until, **env):
        env = {**os.environ, "WHOLE_RUNS": str(RUNS if large else 1), **env}
        return shell(p.command(form, large), cwd=self.folder(p), env=env, until=until)

    def terrace_run(self, p, large, until, *more):
        options, before = p.arguments(large, self.folder(p))
        for command in before:
            shell(command, cwd=self.folder(p), until=until)
        command = [os.path.join(self.out, "terrace"), "run", "p.mlir", *options, *([] if self.strict else ["--reassociate"]), *more]
        return "".join(shell(command, cwd=self.folder(p), until=until, env=dict(os.environ, TERRACE_TIMES="all")))

    def verify(self, p, target, until):
        said = self.terrace_run(p, False, until, "--verify", "--target", target)
        if not re.search(r"verify +passed", said):
            raise Failure("wrong: " + said.strip()[-300:])

    def checked(self, p, form, until):
        """What is to be said of the form at the small size on the emulator; what is wrong is raised."""
        if form != "mlir":
            said, profile = self.c(p, form, False, until, TERRACE_TARGET="emulator", TERRACE_PROFILE="1")
            compare(checks(said), self.expected(p), self.tolerance(p))
            return "ok" if kernel_seconds(profile, 1, IN_C) else "ok, without a kernel"
        expected = self.expected(p)
        files = {name: os.path.join(self.folder(p), f"result-{name}.npy") for name in expected}
        outs = [w for name, path in files.items() for w in ("--out", f"{name}={path}")]
        for target in ("interp", "emulator"):
            said = self.terrace_run(p, False, until, "--target", target, *outs)
            try:
                compare({name: list(file_sums(path)) for name, path in files.items()}, expected, self.tolerance(p))
            except Failure as why:
                raise Failure(f"{target}: {why}") from None
        self.verify(p, "emulator", until)
        return "ok" if kernel_seconds(said, 1, IN_MLIR) else "ok, without a kernel"

    def timed(self, p, form, until, quick):
        """Seconds of the kernels of a call."""
        if form == "mlir":
            if not quick:
                self.verify(p, self.target, until)
            said = self.terrace_run(p, self.big, until, "--target", self.target, "--repeat", str(RUNS))
            return kernel_seconds(said, RUNS, IN_MLIR)
        if not quick:
            compare(checks(self.c(p, form, False, until, TERRACE_TARGET=self.target)[0]), self.expected(p), self.tolerance(p))
        said, profile = self.c(p, form, self.big, until, TERRACE_TARGET=self.target, TERRACE_PROFILE="1", TERRACE_TIMES="all")
        compare(checks(said), self.large.setdefault(p.name, checks(said)), self.tolerance(p))
        return kernel_seconds(profile, len(re.findall("^time ", profile, re.M)), IN_C)

    def whole(self, p, form, until, **env):
        """Milliseconds of a call with its copies, or why not, as text."""
        try:
            compare(checks(self.c(p, form, False, until, **env)[0]), self.expected(p), self.tolerance(p))
            calls = re.findall(r"^time ([\d.]+)$", self.c(p, form, self.big, until, **env)[1], re.M)
            return f"{1e3 * statistics.median(map(float, calls[1:] or calls)):.3f}"
        except Failure as why:
            print(f"{p.name} {form}, whole: {why}", file=sys.stderr)
            return "wrong" if str(why).startswith("wrong") else "-"

    def both_whole(self, p, until):
        """What a call takes by gcc and by terrace, from the form acc."""
        libraries = os.path.join(self.out, "lib") + ":" + os.environ.get("LD_LIBRARY_PATH", "")
        peer = p.command("acc", False)[0].replace("./", "peer/")
        if not os.path.exists(os.path.join(self.folder(p), peer)):
            return "-", self.whole(p, "acc", until, TERRACE_TARGET=self.target)
        device = "nvidia" if self.big else "host"
        return (self.whole(p, "peer/acc", until, LD_LIBRARY_PATH=libraries, ACC_DEVICE_TYPE=device),
                self.whole(p, "acc", until, TERRACE_TARGET=self.target))


def check(o):
    built, bad = Built(o.out), 0
    end = time.monotonic() + o.limit
    for p in chosen(o.names):
        for form in built.forms(p):
            try:
                said = built.checked(p, form, min(end, time.monotonic() + PATIENCE))
                print(f"{p.name} {form}: {said}", flush=True)
            except Failure as why:
                bad += 1
                print(f"{p.name} {form}: {why}", flush=True)
            except Exception as why:  # noqa: BLE001  One program must not keep the others from being looked at.
                bad += 1
                print(f"{p.name} {form}: {why!r}", flush=True)
    print(f"{bad} are wrong")
    return 1 if bad else 0


def run(o):
    built, end = Built(o.out, o.target), time.monotonic() + o.limit
    print("kernel times in ms; behind each its ratio to the least of the forms, with ! where it is over 1.05")
    print(f"{'program':<16} {'least':>9} " + " ".join(f"{f:>16}" for f in FORMS) + (f" {'gcc, whole':>12} {'acc, whole':>12}" if built.peers else ""), flush=True)
    ratios = {f: [] for f in FORMS}
    near = far = none = 0
    for p in chosen(o.names):
        until = min(end, time.monotonic() + PATIENCE)
        times, cells = {}, {f: "-" for f in FORMS}
        for f in built.forms(p):
            try:
                times[f] = built.timed(p, f, until, o.quick)
                if not times[f]:
                    raise Failure("host: it has no kernel")
            except Exception as why:  # noqa: BLE001  One program must not end the table.
                times.pop(f, None)
                none += 1
                cells[f] = next((w for w in ("wrong", "late", "host") if str(why).startswith(w)), "failed")
                print(f"{p.name} {f}: {why}", file=sys.stderr)
        least = min(times.values(), default=0.0)
        for f, t in times.items():
            # A microsecond is nothing that could be measured.
            same = t <= 1.05 * least or t - least < 1e-6
            near, far = near + same, far + (not same)
            ratios[f].append(t / least)
            cells[f] = f"{1e3 * t:8.3f} x{t / least:5.2f}{' ' if same else '!'}"
        row = f"{p.name:<16} {1e3 * least:9.3f} " + " ".join(f"{c:>16}" for c in cells.values())
        if built.peers:
            row += " ".join(["", *(f"{w:>12}" for w in built.both_whole(p, until))])
        print(row, flush=True)
    means = [f"x{math.exp(statistics.fmean(map(math.log, r))):.3f}" if r else "-" for r in ratios.values()]
    print(f"{'geometric mean':<26} " + " ".join(f"{m:>16}" for m in means))
    print(f"{near} cells are within 5 % of the least, {far} are not, {none} have no time")
    return 0


def show():
    for name, programs in CLASSES.items():
        print(f"{name}: {' '.join(p.name for p in programs)}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("list")
    b = steps.add_parser("build")
    b.add_argument("terrace")
    b.add_argument("--peers", metavar="PEERS", help="a folder with bin/gcc, as whole.sh has it")
    b.add_argument("--strict", action="store_true", help="no sum in another order than written")
    b.add_argument("--arch", default="sm_90", help="of the kernels in C programs (sm_90)")
    b.add_argument("--jobs", type=int, default=1, help="programs that are compiled at the same time")
    c = steps.add_parser("check")
    r = steps.add_parser("run")
    r.add_argument("--quick", action="store_true", help="leave out the small sizes, which only check results")
    r.add_argument("--target", default="gpu", help="emulator tries this step at the small sizes: its times mean nothing")
    for step in (b, c, r):
        step.add_argument("out")
        step.add_argument("names", nargs="*")
    for step, limit in ((c, 3600), (r, 420)):
        step.add_argument("--limit", metavar="SECONDS", type=float, default=limit, help=f"after which nothing new starts ({limit})")
    o = parser.parse_args()
    return {"list": lambda _: show(), "build": build, "check": check, "run": run}[o.step](o)


if __name__ == "__main__":
    sys.exit(main())
