#!/usr/bin/env python3
"""Operations a point of Devito's stencils: as Devito's own operator counts them, and after
`arith-restructure` on the same equations in formulas.

devito_operations.py TERRACE_FOLDER: the folder has `terrace` and `terrace-opt`. Needs devito.
Equations are Devito's, after it has put in finite differences, before it has simplified anything.
"""
import os
import re
import subprocess
import sys
import tempfile

os.environ.setdefault("DEVITO_LOGGING", "ERROR")
import sympy
from devito import Eq, Function, Grid, Operator, TimeFunction, cos, sin, solve, sqrt

GRID = Grid(shape=(40, 40, 40))
INDICES = {"x": "i", "y": "j", "z": "k"}


def acoustic(order):
    u = TimeFunction(name="u", grid=GRID, time_order=2, space_order=order)
    m, damp = Function(name="m", grid=GRID), Function(name="damp", grid=GRID)
    return [Eq(u.forward, solve(m * u.dt2 - u.laplace + damp * u.dt, u.forward))]


def tti(order):
    """Waves in a medium with tilted layers, by rotated second derivatives."""
    make = lambda n: TimeFunction(name=n, grid=GRID, time_order=2, space_order=order)
    given = lambda n: Function(name=n, grid=GRID, space_order=order)
    u, v = make("u"), make("v")
    m, damp, eps, delta = given("m"), given("damp"), given("eps"), given("delta")
    theta, phi = given("theta"), given("phi")
    ct, st, cp, sp = cos(theta), sin(theta), cos(phi), sin(phi)
    x, y, z = GRID.dimensions
    half = order // 2

    def along(f):
        d = lambda g, s: getattr(g, s)(fd_order=half)
        return st * cp * d(f, "dx") + st * sp * d(f, "dy") + ct * d(f, "dz")

    def back(g):
        t = lambda e, s: getattr(e, s)(fd_order=half)
        return t(st * cp * g, "dx") + t(st * sp * g, "dy") + t(ct * g, "dz")

    gzz = lambda f: back(along(f))
    h0 = u.laplace - gzz(u)
    hz = gzz(v)
    one = m * u.dt2 - ((1 + 2 * eps) * h0 + sqrt(1 + 2 * delta) * hz) + damp * u.dt
    two = m * v.dt2 - (sqrt(1 + 2 * delta) * h0 + hz) + damp * v.dt
    return [Eq(u.forward, solve(one, u.forward)), Eq(v.forward, solve(two, v.forward))]


def by_devito(equations):
    operator = Operator(equations, opt="advanced")
    sections = operator._profiler._sections.values()
    return sum(s.sops for s in sections)


def formula(e, halo, arrays):
    """Devito's expression as a formula; notes the arrays that it reads."""
    text = str(e)

    def access(found):
        name, inside = found.group(1), found.group(2)
        if name in ("sqrt", "sin", "cos", "exp"):
            return found.group(0)
        parts = [p.strip() for p in inside.split(",")]
        if parts[0].startswith("t"):
            name += {"t": "_now", "t - dt": "_old", "t + dt": "_new"}[parts.pop(0)]
        places = []
        for p in parts:
            p = re.sub(r"(\d+)\*h_[xyz]", r"\1", p)
            p = re.sub(r"h_[xyz]", "1", p)
            p = re.sub(r"\b([xyz])\b", lambda m: INDICES[m.group(1)], p)
            p = p.replace(" ", "")
            far = re.findall(r"[+-]\d+", p)
            halo.append(max([abs(int(f)) for f in far], default=0))
            places.append(p)
        arrays.add(name)
        return f"{name}[{', '.join(places)}]"

    # Names of functions stand in front of what has no parentheses inside.
    text = re.sub(r"\b([A-Za-z]\w*)\(([^()]*)\)", access, text)
    return text.replace("dt", "tau")


def by_terrace(folder, equations, work):
    halo, arrays, lines = [0], set(), []
    targets = []
    for e in equations:
        done = e.evaluate
        target = done.lhs.name + "_new"
        arrays.add(target)
        targets.append(target)
        lines.append(f"  {target} = {formula(done.rhs, halo, arrays)}\n")
    path = os.path.join(work, "m.tf")
    far = max(halo)
    with open(path, "w") as f:
        f.write("model m(X, Y, Z: index; tau, h_x, h_y, h_z: real) precision f32\n")
        f.writelines(f"array {a}(i: 0..X, j: 0..Y, k: 0..Z)\n" for a in sorted(arrays))
        skip = f"skip {far} {far}"
        f.write(f"compute {', '.join(targets)}(i {skip}, j {skip}, k {skip})\n")
        f.writelines(lines)
    run = lambda words: subprocess.run(words, check=True, capture_output=True, text=True).stdout
    try:
        text = run([os.path.join(folder, "terrace"), "compile", path, "--emit", "mlir"])
        lower = os.path.join(work, "m.mlir")
        with open(lower, "w") as f:
            f.write(text)
        text = run([os.path.join(folder, "terrace-opt"), lower, "-canonicalize", "-cse", "-affine-loop-invariant-code-motion",
                    "-arith-restructure", "-canonicalize", "-cse"])
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.stderr[:2000])
    inside = text[text.rindex("affine.for"):]
    return len(re.findall(r"(?:arith\.(?:addf|subf|mulf|divf|negf)|math\.\w+)\b", inside))


def main():
    folder = sys.argv[1]
    print("operations a point        devito   terrace")
    with tempfile.TemporaryDirectory() as work:
        for name, make, orders in [("acoustic", acoustic, (4, 8, 16)), ("tti", tti, (4, 8))]:
            for order in orders:
                equations = make(order)
                print(f"{name + ', order ' + str(order):24} {by_devito(equations):7} {by_terrace(folder, equations, work):9}")


if __name__ == "__main__":
    main()
