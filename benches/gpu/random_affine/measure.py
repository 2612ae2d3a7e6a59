"""Times of random programs on a GPU, over what they have to move."""
import concurrent.futures
import fcntl
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from check import LETTERS, count
from forms import IN_C, IN_MLIR, Failure, kernel_seconds, shell
from generate import LEAST_BYTES, program
from to_c import FORMS, c_text
from to_mlir import mlir_text

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 7
# Seconds that one form of a program may take, with its arrays and while it waits for the device.
PATIENCE = 150
# Times over the floor from which on the file of `--json` has the kernels of a program.
SLOW = 1.5
# Elements that are copied for the bandwidth: a few at the sizes of `check`, else 1 GiB.
COPIED = (1 << 16, 1 << 28)
# That copy, and a kernel that has nothing to do.
FLOORS = """void kernel_copy(const float a[restrict COPIED], float b[restrict COPIED]) {
#pragma acc parallel loop present(a, b)
  for (int i = 0; i < COPIED; i++) b[i] = a[i];
}
void kernel_nothing(const float a[restrict 1], float b[restrict 1]) {
#pragma acc parallel loop present(a, b)
  for (int i = 0; i < 1; i++) b[i] = a[i];
}
"""


def entries(programs, built, which):
    """The table of driver.c: what each built form is called with."""
    text, table = "", ""
    described = [("copy", "copy", [("a", "f", COPIED[which], 1, 0), ("b", "f", COPIED[which], 2, 1)], [])]
    described += [("nothing", "nothing", [("a", "f", 1, 1, 0), ("b", "f", 1, 2, 1)], [])]
    for seed, p in programs.items():
        sizes = {n: v[which] for n, v in p.sizes.items()}
        arrays = [(a.name, LETTERS[a.ty], count(a, sizes), k, int(a.role == "out")) for k, a in enumerate(p.arrays, 1)]
        numbers = [] if p.style == "static" else list(map(str, sizes.values()))
        described += [(f"{seed}_{f}", f"{seed}_{f}", arrays, numbers) for f in built[seed]]
    for name, function, arrays, numbers in described:
        rows = ", ".join(f"{{\"{n}\", '{t}', {c}, {s}, {w}}}" for n, t, c, s, w in arrays)
        types = ", ".join(["int"] * len(numbers) + ["void *"] * len(arrays))
        values = ", ".join(numbers + [f"p[{k}]" for k in range(len(arrays))])
        text += f"void kernel_{function}({types});\nstatic void call_{name}(void *const *p) {{ kernel_{function}({values}); }}\n"
        text += f"static const struct array arrays_{name}[] = {{{rows}}};\n"
        table += f"    {{\"{name}\", call_{name}, {len(arrays)}, arrays_{name}}},\n"
    head = "#include <stdint.h>\nstruct array { const char *name; char type; long count; uint64_t seed; int written; };\n"
    head += "struct entry { const char *name; void (*call)(void *const *arrays); int count; const struct array *arrays; };\n"
    return f"{head}{text}const struct entry entries[] = {{\n{table}    {{0, 0, 0, 0}},\n}};\n"


def build(terrace, out, seeds, forms, arch, jobs, which=1):
    """Compiles the forms in C to one driver, and writes the MLIR and what programs move. `which` is 0 for the sizes of
    `check`, with which `run` can be tried without a GPU."""
    os.makedirs(out, exist_ok=True)
    shutil.copy(terrace, os.path.join(out, "terrace"))
    described, built, programs = {}, {}, {}
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        def write(name, text, at=work):
            with open(os.path.join(at, name), "w") as f:
                f.write(text)

        def compiled(seed, form):
            name = f"{seed}_{form}"
            write(name + ".c", c_text(programs[seed], form, which, "kernel_" + name))
            command = [terrace, "cc", "-O2", "-w", f"--target-arch={arch}", "--reassociate", *(["--auto"] if form == "auto" else [])]
            try:
                shell([*command, "-c", name + ".c", "-o", name + ".o"], cwd=work, until=time.monotonic() + 300)
            except Failure as why:
                return str(why)
            return None

        for seed in seeds:
            p = program(seed)
            if which and p.moved < LEAST_BYTES:
                print(f"seed {seed}: moves {p.moved / 1e6:.0f} MB, left out", flush=True)
                continue
            programs[seed] = p
            write(f"{seed}.mlir", mlir_text(p, which), out)
            outputs = [a.name for a in p.arrays if a.role == "out" and a.ty != "u8"]
            types = sorted({a.ty for a in p.arrays if a.role == "out"})
            described[seed] = {"bytes": p.moved, "sizes": {n: v[which] for n, v in p.sizes.items()}, "refused": {}, "outputs": outputs, "types": types}
        jobs_of = [(s, f) for s in programs for f in forms if f in FORMS]
        for (seed, form), why in zip(jobs_of, pool.map(lambda j: compiled(*j), jobs_of)):
            if why:
                described[seed]["refused"][form] = why
                print(f"seed {seed}, {form}: {why}", flush=True)
            else:
                built.setdefault(seed, []).append(form)
        write("floors.c", f"#define COPIED {COPIED[which]}\n{FLOORS}")
        shell([terrace, "cc", "-O2", "-w", f"--target-arch={arch}", "-c", "floors.c"], cwd=work)
        write("entries.c", entries({s: programs[s] for s in built}, built, which))
        shell(["gcc", "-O2", "-w", "-c", os.path.join(HERE, "driver.c"), "entries.c"], cwd=work)
        objects = [f"{s}_{f}.o" for s, fs in built.items() for f in fs]
        shell([terrace, "cc", "-O2", *objects, "floors.o", "driver.o", "entries.o", "-o", os.path.join(out, "driver"), "-lm"], cwd=work)
    with open(os.path.join(out, "programs.json"), "w") as f:
        json.dump({"copied": COPIED[which], "programs": described}, f, indent=1)
    return 1 if any(d["refused"] for d in described.values()) else 0


class Device:
    """What `build` made, on a machine with a GPU."""

    def __init__(self, out, target):
        self.out, self.target = out, target
        self.lock = os.path.join(tempfile.mkdtemp(), "lock")
        # The lines of the kernels in the profile of each program, as they stand there.
        self.kernels = {}

    def driver(self, name, where):
        """Seconds of the kernels of a call, and the outputs' sums behind the first."""
        env = dict(os.environ, TERRACE_TARGET=self.target, TERRACE_PROFILE="1", TERRACE_TIMES="all", RANDOM_LOCK=self.lock)
        said, profile = shell([os.path.join(self.out, "driver"), name, where, str(RUNS)], env=env, until=time.monotonic() + PATIENCE)
        sums = {n: (float(s), float(m)) for n, s, m in re.findall(r"^check (\S+) (\S+) (\S+)$", said, re.M)}
        calls = len(re.findall(r"^time ", profile, re.M))
        self.kernels[name] = [" ".join(l.split()) for l in profile.splitlines() if re.match(IN_C, l)]
        return kernel_seconds(profile, calls, IN_C), sums

    def mlir(self, seed):
        command = [os.path.join(self.out, "terrace"), "run", f"{seed}.mlir", "--target", self.target, "--reassociate", "--repeat", str(RUNS)]
        with open(self.lock, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            said = "".join(shell(command, cwd=self.out, env=dict(os.environ, TERRACE_TIMES="all"), until=time.monotonic() + PATIENCE))
        sums = {n: (float(s), None) for n, s in re.findall(r"^array +(\S+) .*checksum sum (\S+)", said, re.M)}
        return kernel_seconds(said, RUNS, IN_MLIR), sums

    def form(self, seed, form, described):
        if form in described["refused"]:
            raise Failure("refused: " + described["refused"][form])
        seconds, sums = self.mlir(seed) if form == "mlir" else self.driver(f"{seed}_{form}", "host" if form == "auto" else "device")
        if not seconds:
            raise Failure("host: it has no kernel")
        return seconds, sums


def differ(described, sums, others):
    """The first output whose sums two forms do not agree on; MLIR has run on its own results, where it updates any."""
    within = 1e-3 if "f32" in described["types"] else 1e-6
    for name in described["outputs"]:
        if name in sums and name in others:
            magnitude = others[name][1] or sums[name][1] or abs(others[name][0])
            if abs(sums[name][0] - others[name][0]) > within * magnitude:
                return name
    return None


def run(out, seeds, forms, target, jobs, json_file):
    """Prints a row for each program, the mean and the worst; times are over the floor."""
    with open(os.path.join(out, "programs.json")) as f:
        made = json.load(f)
    every = {int(s): d for s, d in made["programs"].items()}
    seeds = [s for s in seeds if s in every]
    device = Device(out, target)
    copy = 8 * made["copied"] / device.driver("copy", "device")[0]
    launch = device.driver("nothing", "device")[0]
    print(f"A copy moves {copy * 1e-9:.0f} GB/s, a launch takes {launch * 1e6:.1f} us.\n")
    print(f"| seed | MB | floor, us | {' | '.join(forms)} |\n| --- | ---: | ---: |" + " ---: |" * len(forms), flush=True)
    ratios, bad, rows = {f: {} for f in forms}, [], []

    def measured(seed):
        found = {}
        for form in forms:
            try:
                found[form] = device.form(seed, form, every[seed])
            except Failure as why:
                found[form] = why
        return seed, found

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for seed, found in pool.map(measured, seeds):
            d = every[seed]
            floor = d["bytes"] / copy + launch
            cells, reference = [], next((v[1] for v in found.values() if not isinstance(v, Failure)), None)
            for form, what in found.items():
                if isinstance(what, Failure):
                    bad.append(f"seed {seed}, {form}: {what}")
                    cells.append(re.match(r"\w+", str(what)).group(0) if str(what) else "failed")
                    continue
                where = differ(d, what[1], reference)
                if where:
                    bad.append(f"seed {seed}, {form}: {where} is not what another form makes of it")
                    cells.append("differs")
                    continue
                ratios[form][seed] = what[0] / floor
                cells.append(f"{what[0] / floor:.2f}")
            slow = {f: device.kernels.get(f"{seed}_{f}") for f in forms if ratios[f].get(seed, 0) > SLOW}
            rows.append({"seed": seed, "floor": floor, **{f: ratios[f].get(seed) for f in forms}, "kernels": slow})
            print(f"| {seed} | {d['bytes'] / 1e6:.0f} | {floor * 1e6:.0f} | {' | '.join(cells)} |", flush=True)
    mean = lambda v: math.exp(sum(map(math.log, v)) / len(v)) if v else math.nan
    print("| mean | | | " + " | ".join(f"{mean(list(r.values())):.3f}" for r in ratios.values()) + " |")
    worst = [max(r, key=r.get) if r else None for r in ratios.values()]
    print("| worst | | | " + " | ".join("-" if w is None else f"{r[w]:.2f} (seed {w})" for w, r in zip(worst, ratios.values())) + " |")
    for why in bad:
        print(why, file=sys.stderr)
    if json_file:
        with open(json_file, "w") as f:
            json.dump({"copy": copy, "launch": launch, "rows": rows, "bad": bad}, f, indent=1)
    return 1 if bad else 0
