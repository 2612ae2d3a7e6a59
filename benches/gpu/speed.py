#!/usr/bin/env python3
"""Kernel times of whole programs on a GPU, without a hint in them, beside the machine's floors.

    benches/gpu/speed.py TERRACE [NAME...]

TERRACE is a release build of the tool. Each program is first checked against the
interpreter at a small size, then run five times at a large one on random data; the time of
a call is the sum, over its kernels, of the median of their launches. A rate counts the
program's own operations or the bytes that it cannot help to move, and stands beside the rate
that the machine can do: matrix units for products of f64, multiply-adds for others, a plain
copy of memory for the rest (shared figures of an H200: 66.7 and 64.7 TFLOP/s, 4244 GB/s).
"""
import os
import re
import subprocess
import sys

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
COPY, MATRIX_F64, FMA_F32 = 4.244e12, 66.7e12, 64.7e12
REPEAT = 5


def dims(**sizes):
    return sizes


def product(name, flops, floor, small, large, folder="polybench"):
    return (name, folder, small, large, {}, flops, floor, "TFLOP/s")


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
    product("gemm", gemm, FMA_F32, ODD, N4, folder="f32"),
    product("2mm", lambda d: 4 * d["NI"] ** 3, MATRIX_F64, dims(NI=130, NJ=131, NK=129, NL=133), dims(NI=4096, NJ=4096, NK=4096, NL=4096)),
    product("3mm", lambda d: 6 * d["NI"] ** 3, MATRIX_F64, dims(NI=130, NJ=131, NK=129, NL=133, NM=70), dims(NI=4096, NJ=4096, NK=4096, NL=4096, NM=4096)),
    product("syrk", lambda d: d["N"] * d["N"] * d["M"], MATRIX_F64, dims(N=131, M=70), dims(N=4096, M=4096)),
    product("syr2k", lambda d: 2 * d["N"] * d["N"] * d["M"], MATRIX_F64, dims(N=131, M=70), dims(N=4096, M=4096)),
    product("covariance", lambda d: d["N"] * d["M"] ** 2, MATRIX_F64, dims(N=131, M=70), dims(N=4096, M=4096)),
    product("correlation", lambda d: d["N"] * d["M"] ** 2, MATRIX_F64, dims(N=131, M=70), dims(N=4096, M=4096)),
    product("symm", lambda d: 2 * d["N"] * d["M"] ** 2, MATRIX_F64, dims(M=70, N=65), dims(M=2048, N=2048)),
    product("trmm", lambda d: d["N"] * d["M"] ** 2, MATRIX_F64, dims(M=70, N=65), dims(M=2048, N=2048)),
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
]
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def run(terrace, file, sizes, steps, *options):
    command = [terrace, "run", file, "--target", "gpu", *options]
    for name, n in sizes.items():
        command += ["--size", f"{name}={n}"]
    for name, n in steps.items():
        command += ["--arg", f"{name}={n}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.stdout + done.stderr


def seconds(text):
    """Of one call: medians of kernels, as often as each is launched."""
    total = 0.0
    for line in text.splitlines():
        found = re.match(r"(\S+) +gpu +\d+x\d+x\d+ +\d+x\d+x\d+ +(\d+)((?: +[\d.]+ [nmu]?s)+)", line)
        if found:
            times = re.findall(r"([\d.]+) ([nmu]?s)", found.group(3))
            number, unit = times[2]
            total += float(number) * UNITS[unit] * int(found.group(2)) / REPEAT
    return total


def main():
    terrace, wanted = sys.argv[1], sys.argv[2:]
    failed = False
    print("| program | sizes | check | ms | rate | floor | of it |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, folder, small, large, steps, work, floor, unit in ROWS:
        if wanted and name not in wanted:
            continue
        file = os.path.join(EXAMPLES, folder, name + ".mlir")
        title = f"{name} f32" if folder == "f32" else name
        try:
            few = {k: min(n, 5) for k, n in steps.items()}
            verified = run(terrace, file, small, few, "--verify")
            word = re.search(r"verify +(\w+)", verified)
            check = word.group(1) if word else "failed"
            time = seconds(run(terrace, file, large, steps, "--repeat", str(REPEAT)))
        except subprocess.TimeoutExpired:
            check, time = "over 120 s", 0.0
        failed |= check != "passed" or time == 0
        rate = work({**large, **steps}) / time if time else 0.0
        shown = rate / 1e12 if unit == "TFLOP/s" else rate / 1e9
        top = floor / 1e12 if unit == "TFLOP/s" else floor / 1e9
        sizes = "x".join(str(n) for n in large.values())
        print(f"| {title} | {sizes} | {check} | {time * 1e3:.3f} | {shown:.4g} {unit} | {top:.4g} | {rate / floor:.2f} |", flush=True)
    sys.exit(failed)


main()
