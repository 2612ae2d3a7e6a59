"""numpy and scipy beside `irregular.rs`: peers.py WORK N prints the median time of a call in
seconds, and the sum of the results, each times its place in 0 to 6. The data are the same."""

import sys
import time

import numpy as np
import scipy.sparse


def median(before, f):
    before()
    f()
    times, begun = [], time.perf_counter()
    while len(times) < 7 or (time.perf_counter() - begun < 0.5 and len(times) < 100000):
        before()
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def mixed(n):
    return np.arange(n, dtype=np.uint32) * np.uint32(2654435769)


def floats(n):
    return mixed(n) * 1e-3 - 1e6


def nothing():
    pass


def scatter(n):
    x, z = floats(n), np.zeros(n)
    p = (np.arange(n, dtype=np.uint64) * np.uint64(0x9E3779B1) & np.uint64(n - 1)).astype(np.int64)
    def f():
        z[p] = x
    return median(nothing, f), z


def histogram(n):
    k, out = (mixed(n) >> 24).astype(np.int64), []
    def f():
        out[:] = [np.bincount(k, minlength=256)]
    return median(nothing, f), out[0]


def sort(source):
    x = source.copy()
    def refill():
        x[:] = source
    return median(refill, lambda: x.sort()), x


def argsort_f64(n):
    x, out = floats(n), []
    def f():
        out[:] = [np.argsort(x, kind="stable")]
    return median(nothing, f), out[0]


def reduce_by_key(n):
    k, x, out = np.arange(n) // 10, floats(n), []
    def f():
        first = np.flatnonzero(np.concatenate(([True], k[1:] != k[:-1])))
        out[:] = [np.add.reduceat(x, first), k[first]]
    return median(nothing, f), out[0]


def product(matrix):
    x, out = np.arange(matrix.shape[0]) % 100 * 0.5, []
    def f():
        out[:] = [matrix @ x]
    return median(nothing, f), out[0]


def five_points(n):
    side = int(round(n**0.5))
    one = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (side, side))
    unit = scipy.sparse.identity(side)
    matrix = scipy.sparse.kron(unit, one) + scipy.sparse.kron(one, unit)
    return product(scipy.sparse.csr_matrix(matrix))


def power_law(n):
    lengths = np.minimum(2 + n // 16 // (1 + mixed(n).astype(np.int64) % n), n)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    k = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    i = np.repeat(np.arange(n), lengths)
    columns = ((i + 31 * k).astype(np.uint32) * np.uint32(2654435769)).astype(np.int64) % n
    values = 1.0 + k % 5 * 0.25
    return product(scipy.sparse.csr_matrix((values, columns.astype(np.int32), offsets), (n, n)))


WORKS = {
    "there": lambda n: (0.0, np.zeros(1)),
    "scatter": scatter,
    "histogram": histogram,
    "sort_u32": lambda n: sort(mixed(n)),
    "sort_f64": lambda n: sort(floats(n)),
    "argsort_f64": argsort_f64,
    "reduce_by_key": reduce_by_key,
    "five_points": five_points,
    "power_law": power_law,
}

if sys.argv[1] in WORKS:
    seconds, result = WORKS[sys.argv[1]](int(sys.argv[2]))
    print(seconds, float(np.sum(result * (np.arange(len(result)) % 7.0))))
