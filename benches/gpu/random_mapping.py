#!/usr/bin/env python3
"""Random affine programs: the automatic mapping beside one thread for each iteration of the
outermost loop, in blocks of 256.

    benches/gpu/random_mapping.py check TERRACE [COUNT [SEED...]]  small sizes, in the emulator
    benches/gpu/random_mapping.py time TERRACE [COUNT [SEED...]]   large ones, on a GPU
    benches/gpu/random_mapping.py show SEED                      the two programs

COUNT programs from each SEED on. A program has one or two nests of one to five loops in any order, of which the outermost is
parallel; others may be parallel or add up. Bounds may be triangular, subscripts permuted,
shifted or doubled. The plain form is written by hand, as a gpu.launch that runs the inner
loops one after another in each thread; the automatic one is the loops as they are.

`check` runs both in the emulator, which finds races and accesses out of bounds, against the
interpreter. `time` compares the kernels' times, the medians of five launches, those that are
above 1.3 times the plain form's again by themselves, and prints what remains so, then the
distribution. The exit status is 1 if any is wrong or slower than that.
"""
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from kernel_times import per_call

REPEAT = 5
# Processes at once, the ratio that is too much, and how often what is above it is timed again.
SIDE_BY_SIDE, LIMIT, AGAIN = 4, 1.3, 3


class Ref:
    """An access: for each dimension a loop, a factor and a shift."""

    def __init__(self, array, subscripts):
        self.array, self.subscripts = array, subscripts


class Nest:
    def __init__(self, order, parallel, triangle, stores, loads, update, form):
        self.order, self.parallel, self.triangle = order, parallel, triangle
        self.stores, self.loads, self.update, self.form = stores, loads, update, form


def trips_of(parallel, serial):
    """Sizes of loops, so that a nest has some millions of iterations."""
    budget = 2 ** random.choice([20, 22, 24])
    each = budget ** (1.0 / (parallel + serial))
    return [max(8, int(each * random.choice([0.25, 0.5, 1, 1, 2, 4]))) for _ in range(parallel + serial)]


class Program:
    def __init__(self, seed):
        random.seed(seed)
        self.seed = seed
        self.type = random.choice(["f64", "f32"])
        self.arrays = []  # (name, dimension names)
        self.sizes = {}
        self.nests = [self.nest(k) for k in range(random.choice([1, 1, 2]))]

    def array(self, subscripts, what):
        name = f"{what}{len(self.arrays)}"
        dims = []
        for loop, factor, _ in subscripts:
            dim = loop.upper() if factor == 1 else f"{loop.upper()}{factor}"
            self.sizes[dim] = factor * self.sizes[loop.upper()]
            dims.append(dim)
        self.arrays.append((name, dims))
        return Ref(name, subscripts)

    def nest(self, k):
        parallel, serial = random.choice([1, 2, 2, 2, 3, 3]), random.choice([0, 0, 1, 1, 2])
        while True:
            trips = trips_of(parallel, serial)
            if math.prod(trips) <= 2**25 and max(trips) <= 2**22:
                break
        names = [f"{c}{k}" for c in "ijlmn"[: parallel + serial]]
        for name, n in zip(names, trips):
            self.sizes[name.upper()] = n
        order = names[1:]
        random.shuffle(order)
        order = [names[0], *order]
        along, adding = names[:parallel], names[parallel:]
        # A triangle: a loop that ends where an outer one is. Both get the smaller size.
        triangle = {}
        if len(order) >= 2 and random.random() < 0.2:
            outer, inner = order[0], order[-1]
            n = min(self.sizes[outer.upper()], self.sizes[inner.upper()])
            self.sizes[outer.upper()] = self.sizes[inner.upper()] = max(n, 8)
            triangle[inner] = outer
        target = along[:]
        random.shuffle(target)
        store = self.array([(l, 1, 0) for l in target], "C")
        loads = []
        for _ in range(random.choice([1, 2, 2, 3])):
            pool = along + adding
            rank = min(len(pool), random.choice([1, 2, 2, 3]))
            used = random.sample(pool, rank)
            shaped = [(l, 1 if triangle or random.random() < 0.9 else 2, 0) for l in used]
            first = self.array(shaped, "A")
            loads.append(first)
            # The same array again, at neighbours.
            for _ in range(random.choice([0, 0, 0, 1, 2, 4])):
                near = [(l, f, random.choice([-1, 0, 0, 1])) for l, f, _ in shaped]
                loads.append(Ref(first.array, near))
        update = bool(adding) or random.random() < 0.3
        return Nest(order, along, triangle, store, loads, update, random.choice(["sum", "product", "mixed"]))

    # Text of the two forms. Loops run from 1 to their size less 1, for the neighbours.

    def memref(self, name):
        rank = len(dict(self.arrays)[name])
        return f"memref<{'x'.join('?' * rank)}x{self.type}>"

    def head(self):
        args = []
        for n, (name, dims) in enumerate(self.arrays):
            shape = "x".join(str(self.sizes[d]) for d in dims)
            listed = ", ".join(f'"{d}"' for d in dims)
            args.append(
                f'    %{name}: {self.memref(name)} {{terrace.name = "{name}", terrace.dims = [{listed}], '
                f'terrace.init = "random:{shape}:{n + 1}"}}'
            )
        return "func.func @random(\n" + ",\n".join(args) + ") {\n"

    def bounds(self):
        """The sizes of loops, from arrays that have them."""
        out, known = "", set()
        for name, dims in self.arrays:
            for at, dim in enumerate(dims):
                loop = dim.lower()
                if loop not in known and re.fullmatch(r"[ijlmn]\d", loop):
                    known.add(loop)
                    out += f"  %{loop}_at = arith.constant {at} : index\n"
                    out += f"  %{loop}_n = memref.dim %{name}, %{loop}_at : {self.memref(name)}\n"
        # A loop none of whose arrays has just its size: half of one that is doubled.
        for name, dims in self.arrays:
            for at, dim in enumerate(dims):
                loop = dim.lower()[:2]
                if loop not in known:
                    known.add(loop)
                    out += f"  %{loop}_at = arith.constant {at} : index\n"
                    out += f"  %{loop}_d = memref.dim %{name}, %{loop}_at : {self.memref(name)}\n"
                    out += f"  %{loop}_two = arith.constant 2 : index\n"
                    out += f"  %{loop}_n = arith.divui %{loop}_d, %{loop}_two : index\n"
        for nest in self.nests:
            for loop in nest.order:
                if loop not in known:
                    out += f"  %{loop}_n = arith.constant {self.sizes[loop.upper()]} : index\n"
        return out

    def body(self, k, nest, pad, affine):
        ty, out, values = self.type, "", []
        tag = f"{k}_"

        def subscript(r, s):
            loop, factor, shift = s
            if affine:
                text = f"%{loop}" if factor == 1 else f"{factor} * %{loop}"
                return text + (f" {'+' if shift > 0 else '-'} {abs(shift)}" if shift else "")
            nonlocal out
            value = f"%{loop}"
            name = f"{tag}{r}_{loop}_{factor}_{shift + 1}"
            if factor != 1:
                out += f"{pad}%f{name} = arith.muli {value}, %two : index\n"
                value = f"%f{name}"
            if shift:
                out += f"{pad}%s{name} = arith.{'addi' if shift > 0 else 'subi'} {value}, %one : index\n"
                value = f"%s{name}"
            return value

        op = "affine" if affine else "memref"
        for r, ref in enumerate(nest.loads):
            at = ", ".join(subscript(r, s) for s in ref.subscripts)
            out += f"{pad}%v{tag}{r} = {op}.load %{ref.array}[{at}] : {self.memref(ref.array)}\n"
            values.append(f"%v{tag}{r}")
        have = values[0]
        for r, value in enumerate(values[1:]):
            kind = {"sum": "addf", "product": "mulf", "mixed": "addf" if r % 2 else "mulf"}[nest.form]
            out += f"{pad}%x{tag}{r} = arith.{kind} {have}, {value} : {ty}\n"
            have = f"%x{tag}{r}"
        at = ", ".join(f"%{l}" for l, _, _ in nest.stores.subscripts)
        array = nest.stores.array
        if nest.update:
            out += f"{pad}%old{tag} = {op}.load %{array}[{at}] : {self.memref(array)}\n"
            out += f"{pad}%new{tag} = arith.addf %old{tag}, {have} : {ty}\n"
            have = f"%new{tag}"
        return out + f"{pad}{op}.store {have}, %{array}[{at}] : {self.memref(array)}\n"

    def automatic(self):
        out = self.head() + self.bounds()
        for k, nest in enumerate(self.nests):
            pad = "  "
            for loop in nest.order:
                end = f"affine_map<()[n] -> (n - 1)>()[%{loop}_n]"
                if loop in nest.triangle:
                    end = f"affine_map<(o) -> (o)>(%{nest.triangle[loop]})"
                out += f"{pad}affine.for %{loop} = 1 to {end} {{\n"
                pad += "  "
            out += self.body(k, nest, pad, True)
            for _ in nest.order:
                pad = pad[2:]
                out += f"{pad}}}\n"
        return out + "  return\n}\n"

    def plain(self):
        out = self.head() + self.bounds()
        out += "  %one = arith.constant 1 : index\n  %two = arith.constant 2 : index\n"
        out += "  %block = arith.constant 256 : index\n"
        for k, nest in enumerate(self.nests):
            first = nest.order[0]
            for loop in nest.order:
                out += f"  %{loop}_e = arith.subi %{loop}_n, %one : index\n"
            out += f"  %g{k} = arith.ceildivui %{first}_n, %block : index\n"
            out += (
                f"  gpu.launch blocks(%bx{k}, %by{k}, %bz{k}) in (%gx{k} = %g{k}, %gy{k} = %one, %gz{k} = %one)\n"
                f"      threads(%tx{k}, %ty{k}, %tz{k}) in (%sx{k} = %block, %sy{k} = %one, %sz{k} = %one) {{\n"
            )
            out += f"    %o{k} = arith.muli %bx{k}, %block : index\n    %p{k} = arith.addi %o{k}, %tx{k} : index\n"
            out += f"    %{first} = arith.addi %p{k}, %one : index\n"
            out += f"    %in{k} = arith.cmpi ult, %{first}, %{first}_e : index\n    scf.if %in{k} {{\n"
            pad = "      "
            for loop in nest.order[1:]:
                end = f"%{nest.triangle[loop]}" if loop in nest.triangle else f"%{loop}_e"
                out += f"{pad}scf.for %{loop} = %one to {end} step %one {{\n"
                pad += "  "
            out += self.body(k, nest, pad, False)
            for _ in nest.order[1:]:
                pad = pad[2:]
                out += f"{pad}}}\n"
            out += "    }\n    gpu.terminator\n  }\n"
        return out + "  return\n}\n"

    def small(self):
        """Sizes for the emulator, which no block divides."""
        rng = random.Random(self.seed)
        loops = sum(len(n.order) for n in self.nests)
        out = {}
        for dim in self.sizes:
            if len(dim) == 2:
                out[dim] = rng.choice([5, 11, 19, 37] if loops < 6 else [5, 7, 11])
        for nest in self.nests:
            for inner, outer in nest.triangle.items():
                out[inner.upper()] = out[outer.upper()]
        for dim in self.sizes:
            if len(dim) == 3:
                out[dim] = 2 * out[dim[:2]]
        bound = {d for _, dims in self.arrays for d in dims}
        return {d: n for d, n in out.items() if d in bound}


def run(terrace, file, *options):
    command = [terrace, "run", file, *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "over 120 s"
    return done.stdout + done.stderr


def files(folder, seed):
    program = Program(seed)
    paths = []
    for form in ("automatic", "plain"):
        path = os.path.join(folder, f"{form}-{seed}.mlir")
        with open(path, "w") as f:
            f.write(getattr(program, form)())
        paths.append(path)
    return program, paths


def check(terrace, seeds):
    def one(seed):
        with tempfile.TemporaryDirectory() as folder:
            program, paths = files(folder, seed)
            sizes = [w for d, n in program.small().items() for w in ("--size", f"{d}={n}")]
            said = [run(terrace, p, "--target", "emulator", "--verify", *sizes) for p in paths]
        return seed, [bool(re.search(r"verify +passed", s)) for s in said], said

    wrong = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for seed, right, said in pool.map(one, seeds):
            for form, ok, text in zip(("automatic", "plain"), right, said):
                if not ok:
                    wrong += 1
                    print(f"seed {seed}, {form}: {text.strip()[:600]}", flush=True)
    print(f"{len(seeds)} programs, {wrong} wrong")
    return wrong


def measured(terrace, paths):
    """Seconds of the automatic and of the plain form."""
    return [per_call(run(terrace, p, "--target", "gpu", "--repeat", str(REPEAT)), REPEAT) for p in paths]


def time(terrace, seeds):
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        every = {seed: files(folder, seed)[1] for seed in seeds}
        # What the driver compiles takes longest: side by side, into the cache.
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda p: run(terrace, p, "--target", "gpu"), [p for paths in every.values() for p in paths]))
        # A process is nearly all start and data, so that kernels of several hardly meet.
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            found = pool.map(lambda paths: measured(terrace, paths), every.values())
            for number, (seed, both) in enumerate(zip(every, found)):
                times[seed] = both
                if number % 20 == 19:
                    print(f"{number + 1} programs", flush=True)
        # Alone, where it looks slow: a few microseconds vary by half.
        for seed, both in times.items():
            for _ in range(AGAIN):
                if both[0] > LIMIT * both[1]:
                    again = measured(terrace, every[seed])
                    both = times[seed] = [min(old or new, new or old) for old, new in zip(both, again)]
    slower = 0
    for seed, both in times.items():
        if not all(both):
            print(f"seed {seed}: no time")
            slower += 1
        elif both[0] > LIMIT * both[1]:
            print(f"seed {seed}: {both[0] * 1e6:.1f} us, plain {both[1] * 1e6:.1f} us, {both[0] / both[1]:.2f}")
            slower += 1
    ratios = sorted(both[0] / both[1] for both in times.values() if all(both))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    at = lambda q: ratios[min(len(ratios) - 1, int(q * len(ratios)))]
    print(
        f"{len(ratios)} programs, automatic / plain: least {ratios[0]:.3f}, a tenth under {at(0.1):.3f}, median {at(0.5):.3f}, "
        f"a tenth over {at(0.9):.3f}, most {ratios[-1]:.3f}, geometric mean {mean:.3f}; {slower} above {LIMIT} or without a time"
    )
    return slower


def main():
    what = sys.argv[1]
    if what == "show":
        program = Program(int(sys.argv[2]))
        print(program.automatic(), program.plain(), sep="\n")
        return
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    seeds = [first + k for first in map(int, sys.argv[4:] or ["1"]) for k in range(count)]
    sys.exit(bool({"check": check, "time": time}[what](sys.argv[2], seeds)))


main()
