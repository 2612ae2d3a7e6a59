"""Results of random programs at small sizes, in the emulator, which looks for races."""
import array
import math
import os
import re
import subprocess
import tempfile
import time

from generate import program
from ir import BYTES
from to_c import C_TYPES, FORMS, c_text
from to_mlir import mlir_text

HERE = os.path.dirname(os.path.abspath(__file__))
LETTERS = {"f32": "f", "f64": "d", "i32": "i", "u8": "u", "i16": "s"}
CODES = {"f32": "f", "f64": "d", "i32": "i", "u8": "B", "i16": "h"}
# `mlir` on the emulator, `interp` on the interpreter against C, `tiles` behind tile-from-affine alone.
EVERY = (*FORMS, "interp", "mlir", "tiles")
PATIENCE = 60


class Wrong(Exception):
    """What is wrong with a form of a program."""


def command(words, folder, **env):
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", timeout=PATIENCE, cwd=folder, env={**os.environ, **env})
    except subprocess.TimeoutExpired:
        raise Wrong(f"over {PATIENCE} s: {' '.join(words)}") from None
    if done.returncode:
        raise Wrong(f"ends with {done.returncode}: {' '.join(words)}\n{(done.stderr + done.stdout).strip()[-1500:]}")
    return done.stdout + done.stderr


def count(a, sizes):
    n = 1
    for d in a.dims:
        n *= d.at(sizes)
    return n


def main_text(p, forms):
    """The program that calls the forms."""
    sizes = {n: v[0] for n, v in p.sizes.items()}
    given = [] if p.style == "static" else list(map(str, sizes.values()))
    call = ", ".join([*given, *(a.name for a in p.arrays)])
    arrays = " ".join(f"ARRAY('{LETTERS[a.ty]}', {a.name}, {count(a, sizes)}, {seed}, {int(a.role == 'out')})" for seed, a in enumerate(p.arrays, 1))
    types = ", ".join([*("int" for _ in given), *("void *" for _ in p.arrays)])
    declared = "".join(f"void kernel_{f}({types});\n" for f in forms)
    return f"{declared}#define FORMS {' '.join(f'FORM({f})' for f in forms)}\n#define CALL ({call})\n#define ARRAYS {arrays}\n#include \"{HERE}/check_main.c\"\n"


def read(path, p):
    """What a file of outputs holds, array by array."""
    sizes, out = {n: v[0] for n, v in p.sizes.items()}, {}
    with open(path, "rb") as f:
        for a in p.arrays:
            if a.role == "out":
                out[a.name] = array.array(CODES[a.ty], f.read(count(a, sizes) * BYTES[a.ty]))
    return out


def read_npy(path, a):
    with open(path, "rb") as f:
        data = f.read()
    return array.array(CODES[a.ty], data[10 + int.from_bytes(data[8:10], "little"):])


def compare(p, found, expected):
    """Integers are to be the same. Of floats the last digits may differ."""
    for a in p.arrays:
        if a.role != "out":
            continue
        x, y = found[a.name], expected[a.name]
        if len(x) != len(y):
            raise Wrong(f"{a.name} has {len(x)} elements, expected {len(y)}")
        # Of an empty row the greatest is minus infinity.
        scale = max((abs(v) for v in y if math.isfinite(v)), default=0)
        allowed = {"f32": 2e-4, "f64": 1e-9}.get(a.ty, 0) * max(scale, 1e-3)
        bad = [k for k in range(len(x)) if not (x[k] == y[k] or abs(x[k] - y[k]) <= allowed or x[k] != x[k] and y[k] != y[k])]
        if bad:
            k = bad[0]
            raise Wrong(f"wrong: {len(bad)} of {len(x)} elements of {a.name}, first {k}: {x[k]!r}, expected {y[k]!r}")


class Checked:
    """A program of a seed in a folder of its own."""

    def __init__(self, terrace, seed, folder, kinds):
        self.terrace, self.folder, self.p = terrace, folder, program(seed, kinds)
        self.options = (["--reassociate"] if seed % 3 else []) + (["--index-bitwidth=32"] if seed % 4 == 1 else [])
        self.objects = {}
        self.write("main.c", main_text(self.p, ["gcc"]))
        self.write("gcc.c", c_text(self.p, "auto", 0, "kernel_gcc"))
        self.write("p.mlir", mlir_text(self.p, 0))
        command(["gcc", "-O1", "-ffp-contract=off", "-w", "main.c", "gcc.c", "-o", "gcc", "-lm"], folder)
        command(["./gcc", "gcc", "gcc.out"], folder)
        self.expected = read(self.at("gcc.out"), self.p)

    def at(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.at(name), "w") as f:
            f.write(text)

    def outs(self, head):
        return [w for a in self.p.arrays if a.role == "out" for w in ("--out", f"{a.name}={head}-{a.name}.npy")]

    def npys(self, head):
        return {a.name: read_npy(self.at(f"{head}-{a.name}.npy"), a) for a in self.p.arrays if a.role == "out"}

    def c(self, form):
        self.write(f"{form}.c", c_text(self.p, form, 0, f"kernel_{form}"))
        self.write(f"main_{form}.c", main_text(self.p, [form]))
        command(["gcc", "-O1", "-w", "-c", f"main_{form}.c"], self.folder)
        words = [self.terrace, "cc", "-O1", "-w", "-ffp-contract=off", *self.options, *(["--auto"] if form == "auto" else [])]
        command([*words, f"{form}.c", f"main_{form}.o", "-o", form, "-lm"], self.folder)
        said = command([f"./{form}", form, f"{form}.out"], self.folder, TERRACE_TARGET="emulator", TERRACE_PROFILE="1")
        compare(self.p, read(self.at(f"{form}.out"), self.p), self.expected)
        return "" if re.search(r"kernel", said) else "no kernel"

    def interp(self, path="p.mlir"):
        command([self.terrace, "run", path, "--target", "interp", *self.outs("interp")], self.folder)
        compare(self.p, self.npys("interp"), self.expected)

    def mlir(self):
        said = command([self.terrace, "run", "p.mlir", "--target", "emulator", *self.options, *self.outs("mlir")], self.folder)
        compare(self.p, self.npys("mlir"), self.expected)
        return "" if re.search(r"kernel\w* +gpu ", said) else "no kernel"

    def tiles(self):
        opt = os.path.join(os.path.dirname(self.terrace), "terrace-opt")
        passes = ["-affine-parallelize", "-gpu-fuse-nests", f"-tile-from-affine=reassociate={'true' if '--reassociate' in self.options else 'false'}"]
        command([opt, "p.mlir", *passes, "-o", "tiles.mlir"], self.folder)
        self.interp("tiles.mlir")
        with open(self.at("tiles.mlir")) as f:
            return "" if "tile." in f.read() else "no tiles"

    def form(self, form):
        return self.c(form) if form in FORMS else getattr(self, form)()


def check(terrace, seeds, forms, keep=None, kinds=()):
    """Says what is wrong, and how many forms there were. What is wrong is kept in a folder where one is named."""
    tried, wrong, began = 0, 0, time.monotonic()
    for seed in seeds:
        with tempfile.TemporaryDirectory() as work:
            folder = work if not keep else os.path.join(keep, "-".join(["seed", str(seed), *kinds]))
            os.makedirs(folder, exist_ok=True)
            try:
                checked = Checked(terrace, seed, folder, kinds)
            except Wrong as why:
                print(f"seed {seed}: no reference: {why}", flush=True)
                wrong += 1
                continue
            said = []
            for form in forms:
                tried += 1
                try:
                    note = checked.form(form)
                    said += [f"{form}: {note}"] if note else []
                except Wrong as why:
                    wrong += 1
                    print(f"seed {seed}, {form}: {why}", flush=True)
                    said.append(f"{form}: WRONG")
            print(f"seed {seed}" + (": " + "; ".join(said) if said else ""), flush=True)
    print(f"{len(seeds)} programs, {tried} forms, {wrong} wrong, {time.monotonic() - began:.0f} s")
    return wrong
