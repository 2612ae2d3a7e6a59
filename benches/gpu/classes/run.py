#!/usr/bin/env python3
"""Classes of programs in several forms on a GPU, beside peers and the bandwidth of a copy.

    benches/gpu/classes/run.py build TERRACE OUT [NAME...] [--nvcc NVCC]
    benches/gpu/classes/run.py check OUT [NAME...]      results, without a GPU
    benches/gpu/classes/run.py run OUT [NAME...]        tables, with a GPU and no compiler of terrace's
    benches/gpu/classes/run.py list

A NAME is a class or a program. README.md tells what the columns are.
"""
import argparse
import concurrent.futures
import fcntl
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from programs import CLASSES, FORMS, HERE, LIMIT, RUNS, programs, rows

from forms import IN_C, IN_MLIR, Failure, checks, compare, kernel_seconds, shell
from forms_text import file_sums

WORDS = ("wrong", "late", "host", "refused", "takes too long")
# Seconds that one run of a program may take, with all that it prepares and while it waits for the device.
PATIENCE = 100


def attempt(work):
    """What it gives, or why it gives nothing."""
    try:
        return work()
    except Failure as why:
        return why
    except Exception as why:  # noqa: BLE001  One program must not end the table.
        return Failure(repr(why))


def build_program(p, terrace, at, arch):
    """Compiles each form to an object; the forms that were, and why others were not."""
    built, said = [], {}
    compilers = {f: [terrace, "cc", "-O2", "-w", f"--target-arch={arch}", *([] if f == "strict" else ["--reassociate"]),
                     *(["--auto"] if f == "auto" else [])] for f in p.forms()}
    compilers |= {f: ["gcc", "-O2", "-w"] for f in ("host", "exact")}
    for form, compiler in compilers.items():
        name = f"{p.name}_{form}"
        with open(os.path.join(at, name + ".c"), "w") as f:
            f.write(p.c({"host": "auto"}.get(form, form)).replace("void kernel(", f"void kernel_{name}(", 1))
        why = attempt(lambda: shell([*compiler, "-c", name + ".c", "-o", name + ".o"], cwd=at, until=time.monotonic() + 300))
        if isinstance(why, Failure):
            said[form] = str(why)
        else:
            built.append(form)
    return built, said


def stubs(forms):
    """The table of what the driver can call."""
    text = "struct stub { const char *name; void (*call)(const int *s, void *const *a); };\n"
    entries = ""
    for p, form in forms:
        name = f"{p.name}_{form}"
        types = ", ".join(["int"] * len(p.sizes) + ["void *"] * len(p.arrays))
        values = [f"s[{k}]" for k in range(len(p.sizes))] + [f"a[{k}]" for k in range(len(p.arrays))]
        text += f"void kernel_{name}({types});\nstatic void call_{name}(const int *s, void *const *a) {{ kernel_{name}({', '.join(values)}); }}\n"
        entries += f'    {{"{name}", call_{name}}},\n'
    return text + f"const struct stub stubs[] = {{\n{entries}    {{0, 0}},\n}};\n"


def build(o):
    out, terrace = os.path.abspath(o.out), os.path.abspath(o.terrace)
    os.makedirs(out, exist_ok=True)
    copy = os.path.join(out, "terrace")
    if not os.path.exists(copy) or not os.path.samefile(terrace, copy):
        shutil.copy(terrace, copy)
        attempt(lambda: shell(["strip", copy]))
    # A folder has one driver, with all its programs.
    folders = {p.folder: {q.name: q for q in programs(p.folder)} for every in rows(o.names).values() for p, _ in every}
    refused = 0
    for folder, ps in folders.items():
        at, began = os.path.join(out, folder), time.monotonic()
        shutil.rmtree(at, ignore_errors=True)
        with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
            os.makedirs(at)
            done = dict(zip(ps, pool.map(lambda p: build_program(p, terrace, work, o.arch), ps.values())))
            there = [(ps[n], f) for n, (built, _) in done.items() for f in built]
            with open(os.path.join(work, "stubs.c"), "w") as f:
                f.write(stubs(there))
            shell(["gcc", "-O2", "-w", "-I", os.path.dirname(HERE), "-c", os.path.join(HERE, "driver.c"), "stubs.c"], cwd=work)
            objects = [f"{p.name}_{f}.o" for p, f in there]
            shell([terrace, "cc", "-O2", *objects, "driver.o", "stubs.o", "-o", os.path.join(at, "driver"), "-lm"], cwd=work)
            attempt(lambda: shell(["strip", os.path.join(at, "driver")]))
        said = {n: why for n, (_, why) in done.items()}
        with open(os.path.join(at, "refused.json"), "w") as f:
            json.dump(said, f)
        for n, forms in said.items():
            for form, why in forms.items():
                refused += 1
                print(f"{folder}/{n} {form}: {why}", flush=True)
        print(f"{folder}: {len(ps)} programs, {len(there)} forms, {time.monotonic() - began:.0f} s", flush=True)
    if o.nvcc:
        peers(out, o.nvcc, f"-arch={o.arch}")
    return 1 if refused else 0


def peers(out, nvcc, arch):
    """Compiles the peers side by side, and links them."""
    sources = sorted(f for f in os.listdir(os.path.join(HERE, "peers")) if f.endswith(".cu"))
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(min(len(sources), os.cpu_count())) as pool:
        objects = [os.path.join(work, s[:-3] + ".o") for s in sources]
        said = [s for s in pool.map(lambda s: attempt(lambda: shell(
            [nvcc, "-O3", "-std=c++17", "--extended-lambda", "-w", arch, "-c", os.path.join(HERE, "peers", s), "-o", os.path.join(work, s[:-3] + ".o")])), sources)
            if isinstance(s, Failure)]
        objects = [x for x in objects if os.path.exists(x)]
        linked = attempt(lambda: shell([nvcc, arch, *objects, "-o", os.path.join(out, "peers")]))
    for why in said + [linked] * isinstance(linked, Failure):
        print(f"peers: {why}", file=sys.stderr)


class Built:
    """A folder that `build` made."""

    def __init__(self, out, target):
        self.out, self.target = os.path.abspath(out), target
        self.lock = os.path.join(tempfile.mkdtemp(), "lock")
        self.references = {}

    def driver(self, p, what, form, where, runs, patience=PATIENCE, cwd=None, **env):
        s = p.sized(what)
        arrays = [f"{n},{a['type'][0]},{'x'.join(map(str, a['dims']))},{a['seed']},{a['fill']},{a['role']}{'+' if a['host'] else ''}"
                  for n, a in s["arrays"].items()]
        command = [os.path.join(self.out, p.folder, "driver"), f"{p.name}_{form}", where, str(runs), str(LIMIT),
                   ",".join(map(str, s["sizes"].values())), *arrays]
        return shell(command, cwd=cwd, env={**os.environ, **env}, until=time.monotonic() + patience)

    def refused(self, p, form):
        with open(os.path.join(self.out, p.folder, "refused.json")) as f:
            return json.load(f).get(p.name, {}).get(form)

    def c(self, p, what, form, runs, **env):
        why = self.refused(p, form)
        if why:
            raise Failure("refused: " + why)
        return self.driver(p, what, form, "host" if form == "auto" else "device", runs,
                           TERRACE_TARGET=self.target, CLASSES_LOCK=self.lock, **env)

    def expected(self, p, what, strict=False):
        """The sums of gcc's program; at large sizes with sums in f64, unless their order is kept."""
        form = "host" if what == "check" or strict or not p.sums else "exact"
        key = p.name, what, form
        with self.references.setdefault((*key, "lock"), threading.Lock()):
            if key not in self.references:
                self.references[key] = attempt(lambda: checks(self.driver(p, what, form, "plain", 1)[0]))
        found = self.references[key]
        if isinstance(found, Failure):
            raise Failure(f"no reference: {found}")
        return found

    def tolerance(self, p):
        types = {a.ty for n, a in p.arrays.items() if n in p.out}
        return 1e-4 if "float" in types else 1e-6 if "double" in types else 0.0

    def compared(self, p, what, sums, form):
        compare(sums, self.expected(p, what, form == "strict"), self.tolerance(p))

    def mlir(self, p, what, *more, outs=False):
        s, path = p.sized(what), p.mlir_path()
        with open(path) as f:
            text = f.read()
        dims, options = {}, []
        for name, names in re.findall(r'terrace.name = "(\w+)", terrace.dims = \[(.*?)\]', text):
            dims |= {d: n for d, n in zip(re.findall(r'"(\w+)"', names), s["arrays"][name]["dims"]) if not d.isdigit()}
        scalars = re.findall(r'index \{terrace.name = "(\w+)"', text)
        options += [w for d, n in dims.items() for w in ("--size", f"{d}={n}")]
        options += [w for n in scalars for w in ("--arg", f"{n}={s['sizes'][n]}")]
        with tempfile.TemporaryDirectory() as work:
            self.driver(p, what, "host", "files", 1, cwd=work)
            options += [w for f in sorted(os.listdir(work)) for w in ("--arg", f"{f[:-4]}=@{f}")]
            written = [n for n, a in s["arrays"].items() if a["role"] in ("out", "inout")]
            if outs:
                options += [w for n in written for w in ("--out", f"{n}=result-{n}.npy")]
            command = [os.path.join(self.out, "terrace"), "run", path, *options, *(["--reassociate"] if p.sums else []), *more]
            with open(self.lock, "a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                said = "".join(shell(command, cwd=work, env=dict(os.environ, TERRACE_TIMES="all"), until=time.monotonic() + PATIENCE))
            return said, {n: list(file_sums(os.path.join(work, f"result-{n}.npy"))) for n in written} if outs else {}

    def small(self, p, form, targets):
        """What is to be said of the form at the size at which results are checked; what is wrong is raised."""
        if form == "mlir":
            for target in targets:
                said, sums = self.mlir(p, "check", "--target", target, outs=True)
                self.compared(p, "check", sums, form)
            return kernel_seconds(said, 1, IN_MLIR)
        found = attempt(lambda: self.c(p, "check", form, 1, TERRACE_PROFILE="1"))
        # A profile would stand where the reason is looked for.
        sums, profile = self.c(p, "check", form, 1) if isinstance(found, Failure) else found
        self.compared(p, "check", checks(sums), form)
        return kernel_seconds(profile, 1, IN_C)

    def timed(self, p, what, form):
        """Seconds of the kernels of a call, and where C is called seconds of the whole call."""
        if form == "mlir":
            said, _ = self.mlir(p, what, "--target", self.target, "--repeat", str(RUNS))
            seconds = kernel_seconds(said, RUNS, IN_MLIR)
            whole = None
        else:
            sums, profile = self.c(p, what, form, RUNS, TERRACE_PROFILE="1", TERRACE_TIMES="all")
            self.compared(p, what, checks(sums), form)
            seconds = kernel_seconds(profile, len(re.findall("^time ", profile, re.M)), IN_C)
            whole = None
            if what.startswith("small") and form != "auto":
                calls = [float(t) for t in re.findall(r"^time (\S+)$", self.c(p, what, form, 200)[1], re.M)]
                whole = statistics.median(calls[len(calls) // 4:])
        if not seconds:
            raise Failure("host: it has no kernel")
        return seconds, whole


def forms_of(p, quick, wanted=()):
    there = [f for f in FORMS if f in p.forms() or f == "mlir" and p.mlir_path()]
    # gang has the text of acc where it is missing.
    there = [f for f in there if not wanted or f in wanted]
    return [f for f in there if f in ("gang" if "gang" in there else "acc", "mlir")] if quick else there


def check(o):
    built, bad = Built(o.out, o.target), 0
    every = {(p.folder, p.name): p for ps in rows(o.names).values() for p, _ in ps}

    def one(p, form):
        found = attempt(lambda: built.small(p, form, ("interp", o.target)))
        return f"{p.folder}/{p.name} {form}: " + (str(found) if isinstance(found, Failure) else "ok" if found else "ok, without a kernel")

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for said in pool.map(lambda job: one(*job), [(p, f) for p in every.values() for f in forms_of(p, False)]):
            bad += ": ok" not in said
            print(said, flush=True)
    print(f"{bad} are wrong")
    return 1 if bad else 0


def row_lines(every):
    """The rows for the peers: name, set, sizes and arrays."""
    lines = []
    for p, what in every:
        s = p.sized(what)
        arrays = [f"{n}~{a['seed']}~{a['fill']}~{'x'.join(map(str, a['dims']))}~{a['type'][0]}" for n, a in s["arrays"].items()]
        lines.append(" ".join([p.name, what, *(f"{k}={v}" for k, v in s["sizes"].items()), *arrays]))
    return "\n".join(lines) + "\n"


def peer_times(out, every, seconds):
    """Bytes a second of a copy, and of each row the peers: seconds, name, seconds of a call, sums."""
    found, sums, copy = {}, {}, None
    commands = [[sys.executable, os.path.join(HERE, "peers.py")]]
    if os.path.exists(os.path.join(out, "peers")):
        commands.insert(0, [os.path.join(out, "peers")])
    for command in commands:
        # What it said before the time was up counts.
        with tempfile.TemporaryFile("w+") as said:
            try:
                done = subprocess.run(command, input=row_lines(every), stdout=said, stderr=subprocess.PIPE, text=True, timeout=seconds)
                why = done.stderr + (f"ends with {done.returncode}" if done.returncode else "")
            except subprocess.TimeoutExpired:
                why = f"takes longer than {seconds} s"
            if why:
                print(f"{os.path.basename(command[-1])}: {why[-2000:]}", file=sys.stderr)
            said.seek(0)
            for word, *rest in (line.split() for line in said):
                if word == "copy":
                    copy = float(rest[0])
                elif word == "sum":
                    sums.setdefault(tuple(rest[:3]), {})[rest[3]] = float(rest[4])
                elif word == "peer":
                    name, what, label, took, call = rest
                    found.setdefault((name, what), []).append((float(took), label, float(call), sums.get((name, what, label), {})))
    return copy, found


def right(peer, expected):
    """Whether the sums of a peer are those of gcc's program."""
    return all(n in expected and abs(s - expected[n][1]) <= 1e-3 * expected[n][1] + 1e-9 for n, s in peer[3].items())


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def number(value, spec, scale=1):
    return "-" if value is None else format(value * scale, spec)


class Table:
    """Prints the rows of a class and what they come to."""

    def __init__(self, name, copy, peers, file, built):
        self.name, self.copy, self.peers, self.file, self.built = name, copy, peers, file, built
        self.kind, self.target = CLASSES[name]
        self.shares = {f: [] for f in FORMS}
        self.none = {f: 0 for f in FORMS}
        print(f"\n## {name}\n\nA copy moves {number(copy, '.0f', 1e-9)} GB/s. Kernel times in ms, behind each its share of that.\n")
        print("| program | sizes | MB | " + " | ".join(FORMS) + " | peer | ms | peer / best | peer / worst | numerics |")
        print("| --- | --- | ---: |" + " ---: |" * len(FORMS) + " --- | ---: | ---: | ---: | --- |", flush=True)

    def row(self, p, what, cells):
        s = p.sized(what)
        floor = s["bytes"] / self.copy if self.copy else None
        calls = self.name == "small"
        # Of several peers the one whose kernels take least; of small sizes the one whose call does.
        expected = attempt(lambda: self.built.expected(p, what))
        peers = self.peers.get((p.name, what), [])
        if not isinstance(expected, Failure):
            for peer in [t for t in peers if not right(t, expected)]:
                print(f"{p.folder}/{p.name} {what}: the peer {peer[1]} gives {peer[3]}, expected {expected}", file=sys.stderr)
            peers = [t for t in peers if right(t, expected)]
        peer = min(peers, key=lambda t: t[2 if calls else 0], default=None)
        shown, times = {f: "-" for f in FORMS}, {}
        for form, found in cells.items():
            if isinstance(found, Failure):
                shown[form] = next((w for w in WORDS if str(found).startswith(w)), "failed").replace("takes too long", "late")
                self.none[form] += 1
                print(f"{p.folder}/{p.name} {what} {form}: {found}", file=sys.stderr)
                continue
            seconds, whole = found
            shown[form] = f"{1e3 * seconds:.4g}"
            if floor:
                shown[form] += f" ({floor / seconds:.2f})"
            if calls:
                shown[form] = f"{1e3 * seconds:.4g}" + (f" [{1e3 * whole:.4g}]" if whole else "")
                seconds = whole or seconds + (peer[2] - peer[0] if peer else 0)
            times[form] = seconds
            share = floor / seconds if self.kind == "copy" and floor else peer[2 if calls else 0] / seconds if peer else None
            if share:
                self.shares[form].append(share)
        beside = peer and peer[2 if calls else 0]
        # What keeps the order of sums is a row's own matter: it is not what the others are held against.
        free = [t for f, t in times.items() if f != "strict"]
        best, worst = (min(free), max(free)) if free else (None, None)
        sizes = " ".join(f"{k}={v}" for k, v in s["sizes"].items())
        print(f"| {p.name} {what} | {sizes} | {s['bytes'] / 1e6:.4g} | " + " | ".join(shown.values()) +
              f" | {peer[1] if peer else '-'} | {number(beside, '.4g', 1e3)} | {number(beside and best and beside / best, '.2f')} | "
              f"{number(beside and worst and beside / worst, '.2f')} | {'reassociated' if p.sums else 'strict'} |", flush=True)
        if self.file:
            values = {f: str(c) if isinstance(c, Failure) else c for f, c in cells.items()}
            self.file.write(json.dumps({"class": self.name, "program": p.name, "set": what, "sizes": s["sizes"], "bytes": s["bytes"],
                                        "copy": self.copy, "cells": values, "peers": peers}) + "\n")
            self.file.flush()

    def end(self):
        what = "copy's bandwidth" if self.kind == "copy" else "peer's speed"
        print(f"\nShares of the {what}, to be at least {self.target:.2f}: ", end="")
        print("; ".join(f"{f} {mean(v):.2f} (mean), {min(v):.2f} (least), {sum(s >= self.target for s in v)} of {len(v) + self.none[f]} reach it"
                        for f, v in self.shares.items() if v), flush=True)


def quick_set(p):
    """The least of a program's sets that moves 100 MB, for which no cache is large enough."""
    moved = sorted((p.sized(what)["bytes"], what) for what in p.sets if what != "check" and not what.startswith("small"))
    return next((what for b, what in moved if b >= 1e8), moved[-1][1] if moved else None)


def run(o):
    built, began = Built(o.out, o.target), time.monotonic()
    classes = rows(o.names)
    if o.quick:
        classes = {c: [(p, what) for p, what in every if what in ("small", quick_set(p))] for c, every in classes.items()}
    if o.sets:
        classes = {c: chosen for c, every in classes.items() if (chosen := [r for r in every if r[1] in o.sets.split(",")])}
    if not os.path.exists(os.path.join(built.out, "peers")) and shutil.which("nvcc"):
        peers(built.out, "nvcc", "-arch=native")
    file = open(o.json, "w") if o.json else None
    limit = o.limit or (225 if o.quick else 410)
    # With --quick the time is that of all, and so are the peers.
    together = peer_times(built.out, [r for every in classes.values() for r in every], 60) if o.quick else None
    for name, every in classes.items():
        end = (began if o.quick else time.monotonic()) + limit
        copy, beside = together or peer_times(built.out, every, 120)
        table = Table(name, copy, beside, file, built)
        looked = {}

        def cell(p, what, form):
            if not o.quick:
                # Each form is looked at once at the small size.
                with looked.setdefault((p.name, form), threading.Lock()):
                    key = (p.name, form, "small")
                    if key not in looked:
                        looked[key] = attempt(lambda: built.small(p, form, (built.target,)))
                if isinstance(looked[key], Failure):
                    return looked[key]
            return attempt(lambda: built.timed(p, what, form)) if time.monotonic() < end else Failure("late")

        with concurrent.futures.ThreadPoolExecutor(1 if name == "small" else o.jobs) as pool:
            futures = {(p.name, what, f): pool.submit(cell, p, what, f) for p, what in every for f in forms_of(p, o.quick, o.forms)}
            for p, what in every:
                table.row(p, what, {f: futures[p.name, what, f].result() for f in forms_of(p, o.quick, o.forms)})
        table.end()
    print(f"\n{time.monotonic() - began:.0f} s")
    return 0


def show():
    for name, every in rows([]).items():
        kind, target = CLASSES[name]
        print(f"{name}, {target:.2f} of the {kind}:")
        for p, what in every:
            print(f"  {p.name} {what}: {' '.join(f'{k}={v}' for k, v in p.sets[what][0].items())}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    steps.add_parser("list")
    b = steps.add_parser("build")
    b.add_argument("terrace")
    b.add_argument("--arch", default="sm_90", help="of the kernels in C programs (sm_90)")
    b.add_argument("--nvcc", help="compiles the peers here, so that the machine with the GPU need not")
    c = steps.add_parser("check")
    c.add_argument("--target", default="emulator", help="also cpu or gpu")
    r = steps.add_parser("run")
    r.add_argument("--quick", action="store_true", help="one size of each program, two forms, no checks at small sizes")
    r.add_argument("--forms", metavar="FORM,...", type=lambda s: s.split(","), default=(), help="only these forms of each program")
    r.add_argument("--sets", metavar="SET,...", help="only these sizes of each program")
    r.add_argument("--limit", metavar="SECONDS", type=float, help="of a class, after which nothing new starts (410; with --quick 225 of all)")
    r.add_argument("--json", metavar="FILE", help="the rows as JSON, too, a line each")
    r.add_argument("--target", default="gpu", help="emulator tries this step: its times mean nothing")
    for step, jobs in ((b, 2), (c, 2), (r, 6)):
        step.add_argument("out")
        step.add_argument("names", nargs="*")
        step.add_argument("--jobs", type=int, default=jobs, help=f"programs that are prepared at the same time ({jobs})")
    o = parser.parse_args()
    return {"list": lambda _: show(), "build": build, "check": check, "run": run}[o.step](o)


if __name__ == "__main__":
    sys.exit(main())
