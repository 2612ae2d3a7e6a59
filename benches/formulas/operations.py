#!/usr/bin/env python3
"""Operations of random formulas: after `arith-restructure`, and after sympy.cse.

operations.py TERRACE_FOLDER [COUNT [SEED]]: the folder has `terrace` and `terrace-opt`. Needs sympy.
Each group of formulas shares subexpressions as those of models do. A whole power counts as the products
of repeated squaring on both sides. Results of both are compared at random points.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import sympy

NAMES = "a b c d e f".split()
SYMBOLS = dict(zip(NAMES, sympy.symbols(NAMES, positive=True)))


def formula(r, depth, known):
    """A formula as text. `known` are those that were made before."""
    if depth == 0 or r.random() < 0.1:
        return r.choice(NAMES) if r.random() < 0.8 else str(r.randint(2, 5))
    if known and r.random() < 0.2:
        return r.choice(known)
    kind = r.choice("+++**-/^")
    one = formula(r, depth - 1, known)
    if kind == "^":
        made = f"({one})**{r.randint(2, 3)}"
    elif kind == "/":
        made = f"({one})/({r.choice(NAMES)} + {formula(r, depth - 1, known)})"
    else:
        made = f"({one} {kind} {formula(r, depth - 1, known)})"
    known.append(made)
    return made


def products(n):
    """Products of a whole power."""
    return n.bit_length() - 1 + bin(n).count("1") - 1


def count(e):
    """Operations of an expression of sympy: quotients one each, and no sign of its own."""
    if e.is_Atom:
        return 0
    below = sum(count(a) for a in e.args)
    if e.is_Add:
        return below + len(e.args) - 1
    if e.is_Mul:
        above, under = e.as_numer_denom()
        if under != 1:
            return (0 if above in (1, -1) else count(above)) + count(under) + 1
        factors = [a for a in e.args if a != -1]
        return below + len(factors) - 1
    if e.is_Pow:
        n = e.exp
        if n.is_Integer:
            quotient = 1 if n < 0 else 0
            return count(e.base) + products(abs(int(n))) + quotient
    raise ValueError(f"no count of {e}")


def by_sympy(group):
    parsed = [sympy.sympify(t, locals=SYMBOLS) for t in group]
    shared, reduced = sympy.cse(parsed)
    return sum(count(e) for _, e in shared) + sum(count(e) for e in reduced), parsed


def by_terrace(folder, group, work):
    path = os.path.join(work, "m.tf")
    arrays = [f"R{k}" for k in range(len(group))]
    with open(path, "w") as f:
        f.write(f"model m({', '.join(NAMES)}: real) precision f64\n")
        f.writelines(f"array {a}(i: 1..1)\n" for a in arrays)
        f.write(f"compute {', '.join(arrays)}(i)\n")
        f.writelines(f"  {a} = {t}\n" for a, t in zip(arrays, group))
    run = lambda words: subprocess.run(words, check=True, capture_output=True, text=True).stdout
    text = run([os.path.join(folder, "terrace"), "compile", path, "--emit", "mlir"])
    lower = os.path.join(work, "m.mlir")
    with open(lower, "w") as f:
        f.write(text)
    text = run([os.path.join(folder, "terrace-opt"), lower, "-canonicalize", "-cse", "-arith-restructure", "-canonicalize", "-cse"])
    ops = re.findall(r"arith\.(addf|subf|mulf|divf|negf)\b", text)
    return len(ops), path


def agrees(folder, group, path, parsed, r):
    """Whether the compiled formulas have sympy's values at a random point."""
    point = {n: r.uniform(0.5, 2) for n in NAMES}
    words = [os.path.join(folder, "terrace"), "run", path]
    for n, v in point.items():
        words += ["--arg", f"{n}={v!r}"]
    for k in range(len(group)):
        words += ["--out", f"R{k}={path}.{k}.npy"]
    subprocess.run(words, check=True, capture_output=True)
    import struct
    for k, e in enumerate(parsed):
        with open(f"{path}.{k}.npy", "rb") as f:
            found = struct.unpack("<d", f.read()[-8:])[0]
        wanted = float(e.subs({SYMBOLS[n]: v for n, v in point.items()}))
        if not abs(found - wanted) <= 1e-9 * (1 + abs(wanted)):
            return False
    return True


def main():
    folder = sys.argv[1]
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    ours, theirs, worse, wrong = 0, 0, [], 0
    with tempfile.TemporaryDirectory() as work:
        for s in range(seed, seed + number):
            r = random.Random(s)
            known = []
            group = [formula(r, r.randint(3, 5), known) for _ in range(r.randint(1, 3))]
            b, parsed = by_sympy(group)
            if any(e.has(sympy.zoo, sympy.nan) for e in parsed):
                continue
            a, path = by_terrace(folder, group, work)
            wrong += not agrees(folder, group, path, parsed, r)
            ours, theirs = ours + a, theirs + b
            if a > b:
                worse.append((s, a, b))
    print(f"{number} groups of formulas: terrace {ours} operations, sympy.cse {theirs}; "
          f"more than sympy in {len(worse)}; wrong values in {wrong}")
    for s, a, b in worse:
        print(f"  seed {s}: {a} and {b}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
