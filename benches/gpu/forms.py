#!/usr/bin/env python3
"""The same program in several forms: do they become kernels of the same speed?

    benches/gpu/forms.py build TERRACE OUT [NAME...]
    benches/gpu/forms.py run OUT [NAME...]

`build` writes each program below as C and as MLIR and compiles the C ones; `run` needs a GPU and
no compiler. TERRACE is a release build of the tool. The forms:

    acc    C under `acc parallel loop`
    gang   the same with `gang` on the outer loop and `vector` on the one inside
    flat   acc with subscripts computed by hand: A[i*n+j]
    scop   C under `#pragma scop`
    mlir   affine loops over memrefs, by `terrace run`

A time is the sum over a call's kernels of the mean of their launches in C, of the median in
MLIR, which are what the profiles of both have; the first launch of a kernel counts. All sums may be
reordered (--reassociate; OpenACC allows it). Results of C are compared with those of gcc -O2 by
two sums, within 1e-4 of the larger; of MLIR `terrace run --verify` at a small size is asked.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

from kernel_times import UNITS, per_call

RUNS = 7
FORMS = ("acc", "gang", "flat", "scop", "mlir")


class Program:
    """Arrays with the names of their sizes, loops from the outermost in, and what is done.

    `body` is C with subscripts in brackets; `mlir` the same as the body of the loops.
    """

    def __init__(self, name, sizes, arrays, loops, body, mlir, ty="float"):
        self.name, self.sizes, self.arrays, self.loops = name, sizes, arrays, loops
        self.body, self.mlir, self.ty = body, mlir, ty

    def flat(self, text):
        for name, dims in self.arrays.items():
            if len(dims) == 2:
                text = re.sub(rf"\b{name}\[(\w+)\]\[(\w+)\]", rf"{name}[\1*{dims[1]}+\2]", text)
        return text

    def c(self, form):
        two = form not in ("flat",)
        names = ", ".join(f"int {n}" for n in self.sizes)

        def parameter(name, dims):
            if len(dims) == 2 and two:
                return f"{self.ty} {name}[restrict {dims[0]}][{dims[1]}]"
            return f"{self.ty} *restrict {name}"

        arrays = ", ".join(parameter(a, d) for a, d in self.arrays.items())

        def whole(name):
            dims = self.arrays[name]
            if two and len(dims) == 2:
                return f"{name}[0:{dims[0]}]"
            return f"{name}[0:{'*'.join(dims)}]"

        out = list(self.arrays)[-1]
        data = f"copyin({', '.join(whole(a) for a in self.arrays if a != out)}) copy({whole(out)})"
        (i, n), *inner = self.loops
        lines = [f"void kernel({names}, {arrays}) {{"]
        if form == "scop":
            lines.append("  #pragma scop")
        else:
            level = " gang" if form == "gang" else f" collapse({len(self.loops)})"
            lines.append(f"  #pragma acc parallel loop{level if inner or form == 'gang' else ''} {data}")
        lines.append(f"  for (int {i} = 0; {i} < {n}; {i}++)" + (" {" if form == "gang" and inner else ""))
        for j, m in inner:
            if form == "gang":
                lines.append("    #pragma acc loop vector")
            lines.append(f"    for (int {j} = 0; {j} < {m}; {j}++)")
        body = self.flat(self.body) if form == "flat" else self.body
        lines += ["    {", body, "    }"]
        if form == "gang" and inner:
            lines.append("  }")
        if form == "scop":
            lines.append("  #pragma endscop")
        return "\n".join(lines + ["}"]) + "\n"

    def main(self):
        text = ["#include <stdio.h>", "#include <stdlib.h>", "void kernel();", f"#define T {self.ty}"]
        text.append("static void fill(T *p, long n, unsigned s) {\n"
                    "  for (long i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; p[i] = (int)(s >> 20) / 2048.0 - 1; }\n}")
        text.append("int main(int argc, char **argv) {")
        for n, (small, large) in self.sizes.items():
            text.append(f"  int {n} = argc > 1 ? {large} : {small};")
        for k, (a, dims) in enumerate(self.arrays.items()):
            size = "(long)" + "*".join(dims)
            text.append(f"  T *{a} = malloc({size} * sizeof(T)); fill({a}, {size}, {k + 1});")
        args = ", ".join([*self.sizes, *("(void *)" + a for a in self.arrays)])
        out = list(self.arrays)[-1]
        size = "(long)" + "*".join(self.arrays[out])
        text.append(f"  int runs = argc > 1 ? {RUNS} : 1;")
        text.append(f"  for (int r = 0; r < runs; r++) kernel({args});")
        text.append("  double sum = 0, weighted = 0;")
        text.append(f"  for (long i = 0; i < {size}; i++) {{ sum += {out}[i]; weighted += {out}[i] * (double)(i % 97 - 48); }}")
        text.append('  printf("%.9g %.9g\\n", sum, weighted);\n}')
        return "\n".join(text) + "\n"

    def text(self):
        ty = {"float": "f32", "double": "f64"}[self.ty]

        def memref(dims):
            return "memref<" + "?x" * len(dims) + ty + ">"

        lines, seen = [], set()
        for k, (a, dims) in enumerate(self.arrays.items()):
            init = "x".join(str(self.sizes[d][1]) for d in dims)
            names = ", ".join(f'"{d}"' for d in dims)
            lines.append(f'    %{a}: {memref(dims)} {{terrace.name = "{a}", terrace.dims = [{names}], terrace.init = "random:{init}:{k + 1}"}}')
        head = f"func.func @{self.name.replace('-', '_')}(\n" + ",\n".join(lines) + "\n) {\n"
        for a, dims in self.arrays.items():
            for at, d in enumerate(dims):
                if d not in seen:
                    seen.add(d)
                    head += f"  %at_{d} = arith.constant {at} : index\n  %{d} = memref.dim %{a}, %at_{d} : {memref(dims)}\n"
        for i, n in self.loops:
            head += f"  affine.for %{i} = 0 to %{n} {{\n"
        body = self.mlir
        for a, dims in self.arrays.items():
            body = body.replace(f"@{a}", memref(dims))
        return head + body.replace("TY", ty) + "  }\n" * len(self.loops) + "  return\n}\n"


def product(name, a, b, ty="float", m=(70, 4096), n=(70, 4096), k=(70, 4096)):
    """C = the product of A and B, of which either may be stored transposed."""
    row = {"n": ("m", "k"), "t": ("k", "m")}[a]
    col = {"n": ("k", "n"), "t": ("n", "k")}[b]
    x, y = {"n": "i][l", "t": "l][i"}[a], {"n": "l][j", "t": "j][l"}[b]
    value = lambda t: "%" + t.replace("][", ", %")
    body = (f"      {ty} s = 0;\n      for (int l = 0; l < k; l++) s += A[{x}] * B[{y}];\n"
            "      C[i][j] = s;")
    mlir = f"""    %zero = arith.constant 0.0 : TY
    %s = affine.for %l = 0 to %k iter_args(%t = %zero) -> (TY) {{
      %a = affine.load %A[{value(x)}] : @A
      %b = affine.load %B[{value(y)}] : @B
      %p = arith.mulf %a, %b : TY
      %q = arith.addf %t, %p : TY
      affine.yield %q : TY
    }}
    affine.store %s, %C[%i, %j] : @C
"""
    return Program(name, {"m": m, "n": n, "k": k}, {"A": row, "B": col, "C": ("m", "n")},
                   [("i", "m"), ("j", "n")], body, mlir, ty)


def total(name, along, m, n):
    """Sums over the rows or the columns of a matrix."""
    keep, over, size, other = ("i", "j", "m", "n") if along == "rows" else ("j", "i", "n", "m")
    body = (f"      float t = 0;\n      for (int {over} = 0; {over} < {other}; {over}++) t += A[i][j];\n"
            f"      S[{keep}] = t;")
    mlir = f"""    %zero = arith.constant 0.0 : TY
    %s = affine.for %{over} = 0 to %{other} iter_args(%t = %zero) -> (TY) {{
      %a = affine.load %A[%i, %j] : @A
      %q = arith.addf %t, %a : TY
      affine.yield %q : TY
    }}
    affine.store %s, %S[%{keep}] : @S
"""
    return Program(name, {"m": m, "n": n}, {"A": ("m", "n"), "S": (size,)}, [(keep, size)], body, mlir)


PROGRAMS = [
    product("nn", "n", "n"),
    product("tn", "t", "n"),
    product("nt", "n", "t"),
    product("tt", "t", "t"),
    product("nn-f64", "n", "n", "double", (70, 2048), (70, 2048), (70, 2048)),
    product("tn-f64", "t", "n", "double", (70, 2048), (70, 2048), (70, 2048)),
    product("skinny", "n", "n", "float", (70, 8192), (33, 64), (70, 8192)),
    total("rows", "rows", (70, 8192), (70, 8192)),
    total("columns", "columns", (70, 8192), (70, 8192)),
    Program("transpose", {"m": (70, 8192), "n": (70, 8192)}, {"A": ("m", "n"), "B": ("n", "m")},
            [("i", "m"), ("j", "n")], "      B[j][i] = A[i][j];", """    %a = affine.load %A[%i, %j] : @A
    affine.store %a, %B[%j, %i] : @B
"""),
    Program("axpy", {"n": (1000, 1 << 26)}, {"x": ("n",), "y": ("n",)}, [("i", "n")],
            "      y[i] += 3 * x[i];", """    %c = arith.constant 3.0 : TY
    %a = affine.load %x[%i] : @x
    %b = affine.load %y[%i] : @y
    %p = arith.mulf %c, %a : TY
    %q = arith.addf %b, %p : TY
    affine.store %q, %y[%i] : @y
"""),
    Program("scale-rows", {"m": (70, 8192), "n": (70, 8192)},
            {"s": ("m",), "A": ("m", "n"), "B": ("m", "n")},
            [("i", "m"), ("j", "n")], "      B[i][j] = s[i] * A[i][j];",
            """    %c = affine.load %s[%i] : @s
    %a = affine.load %A[%i, %j] : @A
    %p = arith.mulf %c, %a : TY
    affine.store %p, %B[%i, %j] : @B
"""),
]


def chosen(names):
    return [p for p in PROGRAMS if not names or p.name in names]


def shell(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def build(terrace, out, names):
    os.makedirs(out, exist_ok=True)
    shutil.copy(terrace, os.path.join(out, "terrace"))
    failed = []
    for p in chosen(names):
        at = os.path.join(out, p.name)
        os.makedirs(at, exist_ok=True)
        files = {"main.c": p.main(), "p.mlir": p.text()}
        for form in FORMS:
            if form != "mlir":
                files[form + ".c"] = p.c(form)
        for name, text in files.items():
            with open(os.path.join(at, name), "w") as f:
                f.write(text)
        commands = {"host": ["gcc", "-O2", "-w", "main.c", "acc.c", "-o", "host"]}
        for form in FORMS:
            if form != "mlir":
                commands[form] = [os.path.abspath(terrace), "cc", "-O2", "-w", "--reassociate",
                                  "main.c", form + ".c", "-o", form]
        for form, command in commands.items():
            done = shell(command, cwd=at)
            if done.returncode:
                failed.append(f"{p.name} {form}: {(done.stderr or done.stdout).strip()[:400]}")
        # At the large size a product takes the host too long.
        with open(os.path.join(at, "sums.json"), "w") as f:
            json.dump(shell(["./host"], cwd=at).stdout.split(), f)
    for line in failed:
        print(line)
    return 1 if failed else 0


def kernels(text):
    """Seconds of the kernels of a call, from the profile of a C program."""
    seconds = 0.0
    for line in text.splitlines():
        found = re.match(r"\S+\s+\S+_kernel\d+\S*\s+\S+\s+(\d+)\s+\S+\s+\d+x\d+x\d+\s+\d+\s+(.*)", line)
        if found:
            times = re.findall(r"([\d.]+) ([nmu]?s)", found.group(2))
            seconds += float(times[1][0]) * UNITS[times[1][1]] * int(found.group(1)) / RUNS
    return seconds


def close(a, b):
    return len(a) == len(b) == 2 and all(
        abs(float(x) - float(y)) <= 1e-4 * max(abs(float(x)), abs(float(y)), 1.0) for x, y in zip(a, b))


def timed(out, p, form):
    """Milliseconds, or why there are none."""
    at = os.path.join(out, p.name)
    env = dict(os.environ, TERRACE_TARGET="gpu", TERRACE_PROFILE="1")
    try:
        if form == "mlir":
            tool = os.path.abspath(os.path.join(out, "terrace"))
            command = [tool, "run", "p.mlir", "--target", "gpu", "--reassociate"]
            small = [w for n, (s, _) in p.sizes.items() for w in ("--size", f"{n}={s}")]
            large = [w for n, (_, s) in p.sizes.items() for w in ("--size", f"{n}={s}")]
            said = shell([*command, *small, "--verify"], cwd=at, timeout=60)
            if not re.search(r"verify +passed", said.stdout + said.stderr):
                return "wrong: " + (said.stdout + said.stderr)[-200:]
            done = shell([*command, *large, "--repeat", str(RUNS)], cwd=at, timeout=60)
            return per_call(done.stdout + done.stderr, RUNS) * 1e3 or (done.stderr or done.stdout)[-200:]
        with open(os.path.join(at, "sums.json")) as f:
            sums = json.load(f)
        small = shell([f"./{form}"], cwd=at, env=env, timeout=60)
        if not close(small.stdout.split(), sums):
            return f"wrong: {small.stdout.strip()} instead of {sums} {small.stderr[-200:]}"
        done = shell([f"./{form}", "large"], cwd=at, env=env, timeout=60)
        return kernels(done.stdout + done.stderr) * 1e3 or "no kernel"
    except (subprocess.TimeoutExpired, OSError) as why:
        return str(why)[:80]


def run(out, names):
    print("kernel times in ms; behind each its ratio to the least of the forms")
    print(f"{'program':<12} {'least':>8} " + " ".join(f"{f:>16}" for f in FORMS))
    bad = 0
    for p in chosen(names):
        times = {f: timed(out, p, f) for f in FORMS}
        known = [t for t in times.values() if isinstance(t, float)]
        least = min(known, default=0.0)
        cells = []
        for f in FORMS:
            t = times[f]
            if not isinstance(t, float):
                cells.append(f"{'-':>16}")
                print(f"{p.name} {f}: {t}", file=sys.stderr)
                bad += 1
                continue
            same = t <= 1.05 * least or t - least < 1e-3
            bad += not same
            cells.append(f"{t:8.3f} x{t / least:5.2f}{' ' if same else '!'}")
        print(f"{p.name:<12} {least:8.3f} " + " ".join(f"{c:>16}" for c in cells), flush=True)
    print(f"{bad} cells are beyond 5 % of the least, or have no time")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    b = steps.add_parser("build")
    b.add_argument("terrace")
    b.add_argument("out")
    b.add_argument("names", nargs="*")
    r = steps.add_parser("run")
    r.add_argument("out")
    r.add_argument("names", nargs="*")
    o = parser.parse_args()
    if o.step == "build":
        return build(o.terrace, o.out, o.names)
    run(o.out, o.names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
