#!/usr/bin/env python3
"""Random loops in C whose bounds are data, terrace without directives beside gcc: results, not times.

    benches/cpu/random_while.py TERRACE [--count 200] [--seed 1]
    benches/cpu/random_while.py --emit SEED > program.c

What random_loops.py does not make: while and do loops, loops that are left by a break or by a second condition,
bounds and subscripts from arrays and from scalars that change, loops that go down, counters of several types, and
arrays of several types, global or behind pointers, of which two may be one array. A seed always gives the same
program; --emit prints it. Each is compiled by gcc -O1 -fwrapv -fno-strict-aliasing -ffp-contract=off and by terrace
cc -O2 --auto -ffp-contract=off, and terrace's program runs in each of these ways: on one thread, on two, and by the
code for every machine of the kind (TERRACE_CPU=x86-64).

What is not compiled, fails or prints something else than gcc's program is told of on standard error and listed at
the end; it makes the exit status 1.
"""
import argparse
import os
import random
import sys
import tempfile

from common import STRICT, shell, terrace_env

GCC = ["gcc", "-O1", "-w", "-fwrapv", "-fno-strict-aliasing", *STRICT]
RUNS = {
    "one thread": terrace_env(1),
    "two threads": terrace_env(2),
    "x86-64": {**terrace_env(1), "TERRACE_CPU": "x86-64"},
}
# No program of these takes as many seconds, to compile or to run, unless something is wrong with it.
PATIENCE = 60
# Elements of each array. Subscripts stay below: see the factors and bounds that are chosen.
ROOM = 4096
TYPES = {
    "a": ("int", "int", "unsigned char", "short", "float", "double"),
    "b": ("int", "unsigned char", "float", "int", "long"),
    "c": ("int", "float", "unsigned"),
}


class Generator:
    """The program of a seed. `a`, `b` and `c` are its arrays, `at` holds subscripts below 61; `p` and `q` are
    scalars that loops move; `s`, `f` and `m` collect."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.types = {array: self.r.choice(types) for array, types in TYPES.items()}
        self.pointers = self.r.random() < 0.5
        self.same = self.pointers and self.types["a"] == self.types["b"] and self.r.random() < 0.4
        self.lines = []

    def put(self, depth, text):
        self.lines.append("  " * depth + text)

    def subscript(self, scalars):
        terms = self.r.sample(scalars, min(len(scalars), self.r.choice((1, 1, 2, 2, 3))))
        factors = [(t, self.r.choice((1, 1, 1, 1, 2, 3)) if t in ("j", "k") else 1) for t in terms]
        words = [t if by == 1 else f"{by} * {t}" for t, by in factors]
        offset = self.r.choice((0, 0, 1, 2, 5, 8))
        return " + ".join(words + [str(offset)] * (offset > 0))

    def value(self, scalars, depth=0):
        kind = self.r.random()
        if depth > 2 or kind < 0.45:
            return f"{self.r.choice('abc')}[{self.subscript(scalars)}]"
        if kind < 0.5:
            return f"a[at[{self.r.choice(scalars)} & 63]]"
        if kind < 0.6:
            return self.r.choice(scalars)
        if kind < 0.65:
            return str(self.r.choice((1, 3, 7)))
        operation = self.r.choice("+-*+")
        both = self.value(scalars, depth + 1), self.value(scalars, depth + 1)
        # Products of large numbers would overflow.
        words = [f"FEW({v})" for v in both] if operation == "*" else both
        return f"({words[0]} {operation} {words[1]})"

    def store(self, depth, scalars):
        """An assignment of a number that fits, so that nothing overflows and every conversion is defined."""
        array = self.r.choice("abc")
        floats = self.types[array] in ("float", "double")
        value = f"0.5f * NEAR({self.value(scalars)})" if floats else f"FEW({self.value(scalars)})"
        self.put(depth, f"{array}[{self.subscript(scalars)}] = {value};")

    def statements(self, depth, scalars):
        for _ in range(self.r.choice((1, 1, 2, 3))):
            kind = self.r.random()
            value = self.value(scalars)
            if kind < 0.5:
                self.store(depth, scalars)
            elif kind < 0.65:
                self.put(depth, f"s += FEW({value});")
            elif kind < 0.75:
                self.put(depth, f"f += NEAR({value});")
            elif kind < 0.85:
                self.put(depth, f"if (FEW({value}) > {self.r.choice((0, 3, 20))}) {{")
                self.store(depth + 1, scalars)
                self.put(depth, "}")
            elif kind < 0.92:
                self.put(depth, f"if (FEW({value}) > m) m = FEW({value});")
            else:
                self.put(depth, f"q = (q + FEW({value})) & 63;")

    def inner(self, depth, scalars, counter):
        """A loop that counts, from and to what is a number, a scalar, or in an array."""
        low = self.r.choice(("0", "0", "0", "p", "q", "at[p & 63]", *(["i"] if "i" in scalars else [])))
        high = self.r.choice((f"{low} + 16", f"{low} + 33", "p + 20", "q + 40", "at[(p + 1) & 63]", "w", "37",
                              "at[q & 63] + 3"))
        kind = self.r.choice(("int", "int", "int", "long", "size_t"))
        # An unsigned counter is compared with a bound that may be below its start.
        if kind == "size_t" and not high.isdigit():
            kind = "int"
        if self.r.random() < 0.12:
            self.put(depth, f"for (int {counter} = {high} - 1; {counter} >= {low}; {counter}--) {{")
        else:
            step = self.r.choice(("++", "++", "++", " += 2"))
            self.put(depth, f"for ({kind} {counter} = {low}; {counter} < {high}; {counter}{step}) {{")
        scalars = [*scalars, counter]
        if counter == "j" and self.r.random() < 0.5:
            if self.r.random() < 0.4:
                self.statements(depth + 1, scalars)
            self.inner(depth + 1, scalars, "k")
            if self.r.random() < 0.3:
                self.statements(depth + 1, scalars)
        else:
            self.statements(depth + 1, scalars)
        self.put(depth, "}")

    def outer(self):
        """A loop of which nobody knows in advance how often it runs."""
        kind = self.r.choice(("while", "while and", "do", "for", "break"))
        scalars = ["p", "q"]
        end = "}"
        if kind == "while":
            self.put(1, "p = 0;")
            self.put(1, "while (p < 90) {")
        elif kind == "while and":
            self.put(1, "p = 0;")
            self.put(1, "while (p < 90 && s < 100000) {")
        elif kind == "do":
            self.put(1, "p = 3;")
            self.put(1, "do {")
            end = "} while (p < 80);"
        else:
            scalars.append("i")
            often = self.r.choice((10, 40)) if kind == "for" else 50
            self.put(1, f"for (int i = 0; i < {often}; i++) {{")
            self.put(2, "p = at[i];")
            if kind == "break":
                self.put(2, f"if (p == {self.r.choice((5, 9))} || s > 200000) break;")
        for _ in range(self.r.choice((1, 1, 2))):
            if self.r.random() < 0.2:
                self.statements(2, scalars)
            self.inner(2, scalars, "j")
        if self.r.random() < 0.3:
            self.put(2, f"q = at[(q + {self.r.choice((1, 3))}) & 63];")
        if kind.startswith("while"):
            self.put(2, f"p += {self.r.choice(('7', '1 + (at[p & 63] & 7)', '1 + (q & 3)'))};")
        if kind == "do":
            self.put(2, "p += 1 + (at[p & 63] & 3);")
        self.put(1, end)

    def program(self):
        kinds = {**self.types, "at": "int"}
        names = {array: array.upper() if self.pointers else array for array in kinds}
        parameters = [f"{'const ' * (a == 'at')}{kind} *{a}" for a, kind in kinds.items()] if self.pointers else []
        given = [names["a"], names["a" if self.same else "b"], names["c"], names["at"]] if self.pointers else []
        head = [
            "#include <stddef.h>", "#include <stdio.h>", "#include <stdlib.h>",
            "#define FEW(x) ((int)((long)(x) & 63))",
            "#define NEAR(x) ((x) < -50 ? -50.0f : (x) > 50 ? 50.0f : (float)(x))",
            *(f"static {kind} {names[a]}[{64 if a == 'at' else ROOM}];" for a, kind in kinds.items()),
            f"static long kernel({', '.join([*parameters, 'int w'])}) {{",
            "  long s = 0;", "  float f = 0;", "  int m = 0, p = 0, q = 11;",
        ]
        for _ in range(self.r.choice((1, 2, 2))):
            self.outer()
        call = ", ".join([*given, "30 + r"])
        tail = [
            "  return s + (long)(f * 4) + m * 1000 + p + q;", "}",
            "int main(void) {",
            f"  for (int i = 0; i < 64; i++) {names['at']}[i] = (i * 37 + 11) % 61;",
            f"  for (int i = 0; i < {ROOM}; i++) {{",
            *(f"    {names[a]}[i] = i * {by} % {below};" for a, by, below in (("a", 7, 51), ("b", 5, 43), ("c", 3, 29))),
            "  }", "  long t = 0;", "  for (int r = 0; r < 3; r++) {",
            f"    t = t * 31 + kernel({call});", f"    {names['at']}[r] = (r * 13) % 61;", "  }",
            "  double h = 0;",
            f"  for (int i = 0; i < {ROOM}; i++)",
            f"    h = h * 0.999 + (double){names['a']}[i] + 3 * (double){names['b']}[i] + 7 * (double){names['c']}[i];",
            '  printf("check %ld %.17g\\n", t, h);', "  return 0;", "}",
        ]
        return "\n".join([*head, *self.lines, *tail]) + "\n"


def tried(seed, o, folder):
    """What is wrong with the program of a seed, or nothing."""
    source, by_gcc, by_us = (os.path.join(folder, name) for name in ("program.c", "by-gcc", "by-terrace"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(Generator(seed).program())
    shell([*GCC, source, "-o", by_gcc, "-lm"], PATIENCE)
    expected = shell([by_gcc], PATIENCE).stdout
    try:
        shell([o.terrace, "cc", "-O2", "--auto", *STRICT, source, "-o", by_us, "-lm"], PATIENCE)
    except RuntimeError as why:
        print(f"seed {seed}: {why}", file=sys.stderr)
        return "not compiled"
    for way, env in RUNS.items():
        try:
            found = shell([by_us], PATIENCE, **env).stdout
        except RuntimeError as why:
            print(f"seed {seed}, {way}: {why}", file=sys.stderr)
            return "failed"
        if found != expected:
            print(f"seed {seed}, {way}: found {found.strip()}, expected {expected.strip()}", file=sys.stderr)
            return "wrong"
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("terrace", nargs="?")
    p.add_argument("--count", type=int, default=200)
    p.add_argument("--seed", type=int, default=1, help="the first of the seeds")
    p.add_argument("--emit", type=int, metavar="SEED", help="print the program of a seed and do nothing else")
    o = p.parse_args()
    if o.emit is not None:
        print(Generator(o.emit).program(), end="")
        return 0
    if not o.terrace:
        p.error("the release build of terrace is wanted")
    o.terrace = os.path.abspath(o.terrace)
    wrong = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(o.seed, o.seed + o.count):
            if why := tried(seed, o, folder):
                wrong.setdefault(why, []).append(seed)
    print(f"{o.count - sum(map(len, wrong.values()))} of {o.count} programs are right")
    for why, seeds in sorted(wrong.items()):
        print(f"{why}: " + ", ".join(f"seed {seed}" for seed in seeds))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
