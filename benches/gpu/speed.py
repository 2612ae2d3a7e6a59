#!/usr/bin/env python3
"""Kernel times of whole programs on a GPU, without a hint in them, beside the machine's floors.

    benches/gpu/speed.py TERRACE [--peers] [--plot FILE.svg] [NAME...]
    benches/gpu/speed.py TERRACE --extralarge [NAME...]

TERRACE is a release build of the tool. With --peers the vendor's library and plain CUDA do the
same in the same run (speed_peers.cu, compiled here with nvcc); --plot draws what share of the
machine's rate each reaches. --extralarge has PolyBench's sizes beside PPCG. Each program is first checked against the
interpreter at a small size, then run five times at a large one on random data; the time of
a call is the sum, over its kernels, of the median of their launches. A rate counts the
program's own operations or the bytes that it cannot help to move, and stands beside the rate
that the machine can do: matrix units for products of f64, tf32 and types of 16 bits, multiply-adds
for others, a plain copy of memory for the rest (shared figures of an H200: 66.7, 319, 640 and
64.7 TFLOP/s, 4244 GB/s).
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from kernel_times import per_call

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
COPY, MATRIX_F64, FMA_F32, MATRIX_TF32, MATRIX_16 = 4.244e12, 66.7e12, 64.7e12, 319e12, 640e12
# Folders of programs in types other than f64.
TYPES = ("f32", "f16", "bf16")
REPEAT = 5


def dims(**sizes):
    return sizes


def product(name, flops, floor, small, large, folder="polybench", *flags):
    return (name, folder, small, large, {}, flops, floor, "TFLOP/s", *flags)


def stream(name, bytes_moved, small, large, steps=None, folder="polybench"):
    return (name, folder, small, large, steps or {}, bytes_moved, COPY, "GB/s")


def gemm(d):
    return 2 * d["M"] * d["N"] * d["K"]


def square(passes):
    """So many passes over a square matrix of f64."""
    return lambda d: passes * 8 * d["N"] ** 2


def himeno(d):
    return 34 * d["T"] * (d["I"] - 2) * (d["J"] - 2) * (d["K"] - 2)


N4 = dims(M=4096, N=4096, K=4096)
ODD = dims(M=300, N=257, K=129)
ROWS = [
    product("gemm", gemm, MATRIX_F64, ODD, N4, folder=""),
    product("gemm", gemm, MATRIX_F64, ODD, dims(M=8192, N=8192, K=8192), folder=""),
    product("gemm", gemm, FMA_F32, ODD, N4, "f32"),
    product("gemm", gemm, MATRIX_TF32, ODD, N4, "f32", "--allow-tf32"),
    product("gemm", gemm, MATRIX_16, ODD, N4, "f16"),
    product("gemm", gemm, MATRIX_16, ODD, N4, "bf16"),
    product("2mm", lambda d: 4 * d["NI"] ** 3, MATRIX_F64, dims(NI=130, NJ=131, NK=129, NL=133), dims(NI=4096, NJ=4096, NK=4096, NL=4096)),
    product("3mm", lambda d: 6 * d["NI"] ** 3, MATRIX_F64, dims(NI=130, NJ=131, NK=129, NL=133, NM=70), dims(NI=4096, NJ=4096, NK=4096, NL=4096, NM=4096)),
    product("syrk", lambda d: d["N"] * d["N"] * d["M"], MATRIX_F64, dims(N=131, M=70), dims(N=4096, M=4096)),
    product("syr2k", lambda d: 2 * d["N"] * d["N"] * d["M"], MATRIX_F64, dims(N=131, M=70), dims(N=4096, M=4096)),
    product("covariance", lambda d: d["N"] * d["M"] ** 2, MATRIX_F64, dims(N=131, M=70), dims(N=4096, M=4096)),
    product("correlation", lambda d: d["N"] * d["M"] ** 2, MATRIX_F64, dims(N=131, M=70), dims(N=4096, M=4096)),
    product("symm", lambda d: 2 * d["N"] * d["M"] ** 2, MATRIX_F64, dims(M=70, N=65), dims(M=4096, N=4096)),
    product("trmm", lambda d: d["N"] * d["M"] ** 2, MATRIX_F64, dims(M=70, N=65), dims(M=4096, N=4096)),
    product("doitgen", lambda d: 2 * d["NR"] * d["NQ"] * d["NP"] ** 2, MATRIX_F64, dims(NR=5, NQ=7, NP=33), dims(NR=220, NQ=250, NP=270)),
    stream("atax", square(2), dims(M=257, N=330), dims(M=16384, N=16384)),
    stream("bicg", square(2), dims(M=257, N=330), dims(M=16384, N=16384)),
    stream("mvt", square(2), dims(N=257), dims(N=16384)),
    stream("gesummv", square(2), dims(N=257), dims(N=16384)),
    stream("gemver", square(4), dims(N=257), dims(N=16384)),
    stream("jacobi-2d", lambda d: 32 * d["T"] * d["N"] ** 2, dims(N=733), dims(N=16384), dims(T=3)),
    stream("heat-3d", lambda d: 32 * d["T"] * d["N"] ** 3, dims(N=85), dims(N=640), dims(T=3)),
    stream("jacobi-2d", lambda d: 32 * d["T"] * d["N"] ** 2, dims(N=733), dims(N=16384), dims(T=32)),
    stream("heat-3d", lambda d: 32 * d["T"] * d["N"] ** 3, dims(N=85), dims(N=640), dims(T=32)),
    stream("fdtd-2d", lambda d: 80 * d["T"] * d["NX"] * d["NY"], dims(NX=735, NY=749, T=2), dims(NX=16384, NY=16384, T=2)),
    ("himeno", "f32", dims(I=17, J=33, K=65), dims(I=256, J=128, K=128), dims(T=10), himeno, 34 / 56 * COPY, "TFLOP/s"),
    ("himeno", "f32", dims(I=17, J=33, K=65), dims(I=512, J=256, K=256), dims(T=10), himeno, 34 / 56 * COPY, "TFLOP/s"),
    ("himeno", "f32", dims(I=17, J=33, K=65), dims(I=1024, J=512, K=512), dims(T=5), himeno, 34 / 56 * COPY, "TFLOP/s"),
    ("nbody-f32", "solvers", dims(N=301), dims(N=131072), dims(T=1), lambda d: 20 * d["T"] * d["N"] ** 2, FMA_F32, "TFLOP/s", "--use-fast-math"),
]
# Time steps of the peers whose rows here differ in theirs.
PEER_STEPS = {"jacobi-2d": 3, "heat-3d": 3}
# PolyBench 4.2.1's EXTRALARGE, and the milliseconds that PPCG 0.09 with its defaults and
# nvcc -O3 takes for the kernels of these on an H200 (measured apart, figures of docs/lab/programs.md).
EXTRALARGE = [
    ("gemm", dims(NI=2000, NJ=2300, NK=2600), {}, 6.87),
    ("2mm", dims(NI=1600, NJ=1800, NK=2200, NL=2400), {}, 7.05),
    ("3mm", dims(NI=1600, NJ=1800, NK=2000, NL=2200, NM=2400), {}, 13.70),
    ("syrk", dims(M=2000, N=2600), {}, 27.25),
    ("covariance", dims(M=2600, N=3000), {}, 25.5),
    ("doitgen", dims(NQ=220, NR=250, NP=270), {}, 1042),
    ("atax", dims(M=1800, N=2200), {}, 0.53),
    ("gesummv", dims(N=2800), {}, 0.93),
    ("jacobi-2d", dims(N=2800), dims(T=1000), 81.5),
    ("heat-3d", dims(N=200), dims(T=1000), 431),
    ("fdtd-2d", dims(NX=2000, NY=2600, T=1000), {}, 181),
    ("adi", dims(N=2000), dims(T=1000), 3792),
]
SMALL = dims(NI=70, NJ=65, NK=67, NL=71, NM=69, M=66, N=73, NQ=11, NR=7, NP=33, NX=61, NY=75)


def run(terrace, file, sizes, steps, *options):
    command = [terrace, "run", file, "--target", "gpu", *options]
    for name, n in sizes.items():
        command += ["--size", f"{name}={n}"]
    for name, n in steps.items():
        command += ["--arg", f"{name}={n}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


def path(folder, name):
    return os.path.join(EXAMPLES, folder, name + ".mlir")


def check(terrace, row):
    """What the interpreter says of a row's program at its small size."""
    name, folder, small, _, steps, _, _, _, *flags = row
    few = {k: min(n, 5) for k, n in steps.items()}
    try:
        word = re.search(r"verify +(\w+)", run(terrace, path(folder, name), small, few, "--verify", *flags))
    except subprocess.TimeoutExpired:
        return "over 120 s"
    return word.group(1) if word else "failed"


def peer_name(name, folder):
    return f"{name}_{folder}" if folder in TYPES else name


def peer_times(names):
    """Milliseconds of the peers, by name and sizes."""
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "speed_peers")
        source = os.path.join(here, "speed_peers.cu")
        subprocess.run(["nvcc", "-O3", "-arch=native", source, "-lcublas", "-o", binary], check=True)
        said = subprocess.run([binary, *names], check=True, capture_output=True, text=True).stdout
    times = {}
    for line in said.splitlines():
        name, sizes, ms = line.split()
        times[name, sizes] = float(ms)
    return times


def extralarge(terrace, names):
    """Kernel times at PolyBench's EXTRALARGE beside PPCG's; whether all are right."""
    print("| program | check | ms | PPCG, ms | PPCG / terrace |")
    print("| --- | --- | --- | --- | --- |")
    ratios, right = [], True
    for name, sizes, steps, ppcg in EXTRALARGE:
        if names and name not in names:
            continue
        file = os.path.join(EXAMPLES, "polybench", name + ".mlir")
        small = {k: 3 if k == "T" else SMALL[k] for k in sizes}
        word = re.search(r"verify +(\w+)", run(terrace, file, small, {k: 2 for k in steps}, "--verify"))
        time = per_call(run(terrace, file, sizes, steps, "--repeat", str(REPEAT)), REPEAT)
        check = word.group(1) if word else "failed"
        right &= check == "passed" and time > 0
        ratios.append(ppcg / (time * 1e3) if time else 0.0)
        print(f"| {name} | {check} | {time * 1e3:.3f} | {ppcg} | {ratios[-1]:.2f} |", flush=True)
    if ratios and min(ratios) > 0:
        print(f"| geometric mean | | | | {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} |")
    return right


def plot(rows, file):
    """Bars of the share of the machine's rate: the program's, and under it its peer's."""
    left, wide, high = 190, 520, 30
    bottom = 40 + high * len(rows)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide + 60}" height="{bottom + 50}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{left + wide + 60}" height="{bottom + 50}" fill="white"/>',
    ]
    for k in range(7):
        x = left + wide * k / 6
        out.append(f'<line x1="{x:.0f}" y1="30" x2="{x:.0f}" y2="{bottom}" stroke="#{"666" if k == 5 else "ddd"}"/>')
        out.append(f'<text x="{x:.0f}" y="{bottom + 16}" text-anchor="middle">{k / 5:.1f}</text>')
    for i, (title, share, peer) in enumerate(rows):
        y = 36 + high * i
        out.append(f'<text x="{left - 8}" y="{y + 15}" text-anchor="end">{title}</text>')
        for value, top, tall, color in [(share, y, 12, "#2a6fbb"), (peer, y + 12, 8, "#bbb")]:
            if value is not None:
                out.append(f'<rect x="{left}" y="{top}" width="{min(value / 1.2, 1) * wide:.1f}" height="{tall}" fill="{color}"/>')
        out.append(f'<text x="{left + min(share / 1.2, 1) * wide + 4:.0f}" y="{y + 11}">{share:.2f}</text>')
    out.append(
        f'<text x="{left}" y="{bottom + 36}">Share of the machine\'s rate. Blue: terrace; '
        "grey: the vendor\'s library, or plain CUDA.</text></svg>"
    )
    with open(file, "w") as f:
        f.write("\n".join(out) + "\n")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("terrace")
    options.add_argument("names", nargs="*")
    options.add_argument("--peers", action="store_true")
    options.add_argument("--plot", metavar="FILE.svg")
    options.add_argument("--extralarge", action="store_true")
    o = options.parse_intermixed_args()
    if o.extralarge:
        sys.exit(not extralarge(o.terrace, o.names))
    chosen = [r for r in ROWS if not o.names or r[0] in o.names]
    keys = {peer_name(r[0], r[1]) for r in chosen}
    peers = peer_times(sorted(keys)) if o.peers else {}
    failed, drawn = False, []
    # Side by side: they take the host's time. What is compiled for them is in the cache for
    # the times then.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        checks = list(pool.map(lambda row: check(o.terrace, row), chosen))
    print("| program | sizes | check | ms | rate | floor | of it | peer, ms | peer / terrace |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for (name, folder, _, large, steps, work, floor, unit, *flags), checked in zip(chosen, checks):
        exact = "--allow-tf32" not in flags
        title = f"{name} {folder if exact else 'tf32'}" if folder in TYPES else name
        try:
            # Where a call launches each kernel often, one call is enough.
            repeat = 1 if steps.get("T", 1) >= REPEAT else REPEAT
            time = per_call(run(o.terrace, path(folder, name), large, steps, "--repeat", str(repeat), *flags), repeat)
        except subprocess.TimeoutExpired:
            checked, time = "over 120 s", 0.0
        failed |= checked != "passed" or time == 0
        rate = work({**large, **steps}) / time if time else 0.0
        scale = 1e12 if unit == "TFLOP/s" else 1e9
        sizes = "x".join(str(n) for n in large.values())
        peer = peers.get((peer_name(name, folder), sizes)) if exact else None
        if peer:
            peer *= steps.get("T", 1) / PEER_STEPS.get(name, steps.get("T", 1))
        beside = f"{peer:.3f} | {peer / (time * 1e3):.2f}" if peer and time else "- | -"
        print(
            f"| {title} | {sizes} | {checked} | {time * 1e3:.3f} | {rate / scale:.4g} {unit} | {floor / scale:.4g} "
            f"| {rate / floor:.2f} | {beside} |",
            flush=True,
        )
        drawn.append((f"{title} {sizes.split('x')[0]}", rate / floor, work({**large, **steps}) / (peer * 1e-3) / floor if peer else None))
    if o.plot:
        plot(drawn, o.plot)
    sys.exit(failed)


main()
