#!/usr/bin/env python3
"""Compares set operations of terrace-presburger with isl's on random expressions.

    pip install islpy
    cargo build --release -p terrace-presburger --example evaluate
    presburger/oracle/islpy_oracle.py target/release/examples/evaluate --cases 10000

Every case is one operation on one or two random relations, in isl's notation, with
parameters, existentially quantified variables, `mod`, `floor` and unions. Results
that are relations are compared with isl's by isl; both ways of printing are thereby
read by the other. "Unknown" answers are counted, wrong ones printed; the exit status
is 1 if there is a wrong one.
"""

import argparse
import collections
import random
import subprocess
import sys
import time

import islpy as isl


def term(rng, names, size):
    """A random affine expression."""
    parts = []
    for name in names:
        if rng.random() < 0.5:
            coefficient = rng.randint(-size, size)
            if coefficient:
                parts.append(f"{coefficient} * {name}")
    parts.append(str(rng.randint(-3 * size, 3 * size)))
    return "(" + " + ".join(parts) + ")"


def expression(rng, names, size):
    kind = rng.random()
    if kind < 0.1:
        return f"floor({term(rng, names, size)} / {rng.randint(2, 2 * size)})"
    if kind < 0.2:
        return f"({term(rng, names, size)} mod {rng.randint(2, 2 * size)})"
    return term(rng, names, size)


def constraint(rng, names, size):
    sign = rng.choice(["<=", ">=", "<", ">", "=", "<=", ">=", "!="])
    left, right = expression(rng, names, size), expression(rng, names, size)
    return f"{left} {sign} {right}"


def conjunction(rng, params, dims, bounded, size):
    parts = []
    if bounded:
        for dim in dims:
            low = rng.randint(-8, 4)
            high = rng.choice(params + [None, None]) if params else None
            high = high or str(low + rng.randint(0, 12))
            parts.append(f"{low} <= {dim} <= {high}")
    names = params + dims
    for _ in range(rng.randint(0, 3)):
        parts.append(constraint(rng, names, size))
    if rng.random() < 0.4:
        locals_ = ["e", "f"][: rng.randint(1, 2)]
        inner = [constraint(rng, names + locals_, size) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.5:
            inner.append(f"{rng.randint(-3, 0)} <= {locals_[0]} <= {rng.randint(0, 5)}")
        text = f"exists {', '.join(locals_)} : {' and '.join(inner)}"
        parts.append(f"{'not ' if rng.random() < 0.05 else ''}({text})")
    return " and ".join(parts) or "true"


def relation(rng, params, inputs, outputs, bounded, size, pieces=2):
    ins = [f"i{k}" for k in range(inputs)]
    outs = [f"o{k}" for k in range(outputs)]
    tuple_ = f"[{', '.join(outs)}]"
    if ins:
        tuple_ = f"[{', '.join(ins)}] -> {tuple_}"
    formula = " or ".join(
        "(" + conjunction(rng, params, ins + outs, bounded, size) + ")"
        for _ in range(rng.randint(1, pieces))
    )
    head = f"[{', '.join(params)}] -> " if params else ""
    return f"{head}{{ {tuple_} : {formula} }}"


def read(text):
    """A set or a map, whichever the text is."""
    kind = isl.Map if "->" in text[text.index("{") :] else isl.Set
    return kind.read_from_str(isl.DEFAULT_CONTEXT, text)


def truth(value):
    return "true" if value else "false"


ONE = {
    "same": lambda a: a,
    "complement": lambda a: a.complement(),
    "simplify": lambda a: a,
    "coalesce": lambda a: a,
    "disjoint-pieces": lambda a: a,
    "lexmin": lambda a: a.lexmin(),
    "lexmax": lambda a: a.lexmax(),
    "is-empty": lambda a: truth(a.is_empty()),
}
MAPS = {
    "domain": lambda a: a.domain(),
    "range": lambda a: a.range(),
    "inverse": lambda a: a.reverse(),
}
TWO = {
    "intersect": lambda a, b: a.intersect(b),
    "union": lambda a, b: a.union(b),
    "subtract": lambda a, b: a.subtract(b),
    "is-subset": lambda a, b: truth(a.is_subset(b)),
    "is-equal": lambda a, b: truth(a.is_equal(b)),
    "is-disjoint": lambda a, b: truth(a.is_disjoint(b)),
    "gist": None,
}


def case(rng):
    """The line for `evaluate`, and a function that makes isl's answer."""
    params = ["n", "m"][: rng.choice([0, 0, 0, 1, 1, 2])]
    maps = rng.random() < 0.4
    inputs, outputs = (rng.randint(1, 2), rng.randint(1, 2)) if maps else (0, rng.randint(1, 3))
    size = rng.choice([1, 2, 3, 5])
    bounded = rng.random() < 0.7
    kind = rng.random()
    if kind < 0.05:
        text = relation(rng, [], 0, outputs, True, size)
        return f"count|{text}", [text], lambda a: str(a.count_val())
    if kind < 0.1:
        text = relation(rng, params, 0, outputs, bounded, size)
        return f"project-first|{text}", [text], lambda a: a.project_out(isl.dim_type.set, 0, 1)
    if kind < 0.18 and maps:
        a = relation(rng, params, inputs, outputs, bounded, size)
        b = relation(rng, params, outputs, inputs, bounded, size)
        return f"compose|{a}|{b}", [a, b], lambda a, b: a.apply_range(b)
    if kind < 0.5:
        operation = rng.choice(list(ONE) + (list(MAPS) if maps else []))
        if operation in ("lexmin", "lexmax"):
            bounded = True
        a = relation(rng, params, inputs, outputs, bounded, size)
        return f"{operation}|{a}", [a], ONE.get(operation) or MAPS[operation]
    operation = rng.choice(list(TWO))
    a = relation(rng, params, inputs, outputs, bounded, size)
    b = relation(rng, params, inputs, outputs, bounded, size)
    if rng.random() < 0.3:
        # Often a subset of the other.
        a = relation(rng, params, inputs, outputs, True, size, 1)
        b = a.replace("}", f" or ({'o0 >= 1' if rng.random() < 0.5 else 'o0 <= 3'}) }}")
        if rng.random() < 0.3:
            a, b = b, a
    return f"{operation}|{a}|{b}", [a, b], TWO[operation]


def agree(answer, operation, operands, oracle):
    """Whether the answer is right."""
    if operation == "gist":
        a, b = operands
        return like(a, answer).intersect(b).is_equal(a.intersect(b))
    expected = oracle(*operands)
    if isinstance(expected, str):
        return answer == expected
    return like(expected, answer).is_equal(expected)


def like(expected, text):
    """The relation of a text, its parameters called as those of `expected`."""
    found = read(text)
    for at in range(found.dim(isl.dim_type.param)):
        name = expected.get_dim_name(isl.dim_type.param, at)
        found = found.set_dim_name(isl.dim_type.param, at, name)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("evaluate", help="the built example `evaluate`")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slow", type=float, default=1.0, help="print cases above so many seconds")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    ours = subprocess.Popen(
        [arguments.evaluate], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    isl.DEFAULT_CONTEXT.set_max_operations(500_000)
    right, unknown, wrong, skipped = (collections.Counter() for _ in range(4))
    seconds = 0.0
    for number in range(arguments.cases):
        line, texts, oracle = case(rng)
        operation = line.split("|")[0]
        start = time.perf_counter()
        ours.stdin.write(line + "\n")
        ours.stdin.flush()
        answer = ours.stdout.readline().strip()
        took = time.perf_counter() - start
        seconds += took
        if took > arguments.slow:
            print(f"slow, {took:.1f} s: {line}\n  {answer[:200]}", flush=True)
        if answer.startswith("unknown") or "given up" in answer:
            unknown[operation] += 1
            continue
        isl.DEFAULT_CONTEXT.reset_operations()
        try:
            fine = agree(answer, operation, [read(text) for text in texts], oracle)
        except isl.Error as error:
            if answer and not answer.startswith("error") and "maximal number" in str(error):
                skipped[operation] += 1
                continue
            print(f"isl: {error}")
            fine = False
        if fine:
            right[operation] += 1
        else:
            wrong[operation] += 1
            print(f"WRONG {number}: {line}\n  {answer}", flush=True)
            if not answer:
                break
    ours.stdin.close()
    print(f"{arguments.cases} cases, seed {arguments.seed}, isl {isl.version.VERSION_TEXT}; ours took {seconds:.1f} s")
    print(f"right {right.total()}, unknown {unknown.total()}, wrong {wrong.total()}, isl gave up {skipped.total()}")
    for operation in sorted(set(right) | set(unknown) | set(wrong) | set(skipped)):
        print(f"  {operation:16} right {right[operation]:5}  unknown {unknown[operation]:4}  wrong {wrong[operation]:4}  isl gave up {skipped[operation]:4}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
