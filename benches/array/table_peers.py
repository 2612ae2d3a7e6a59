"""numpy, numba, numexpr and scipy beside `table.rs`: a line `work n seconds check peer` for each row that
one of them has. table_peers.py N [WORK] leaves out what has more than N elements."""

import sys
import time

import numpy as np


def median(before, f):
    before()
    f()
    times, begun = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - begun < 0.5 and len(times) < 10000):
        before()
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def nothing():
    pass


MOST = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 62
ONLY = sys.argv[2] if len(sys.argv) > 2 else ""


def asked(work, n):
    return n <= MOST and ONLY in work


def check(z):
    n = len(z)
    return sum(float(z[(k * 2654435761) % n]) * (1.0 + 0.125 * k) for k in range(1, 17))


def row(work, n, seconds, value, peer):
    print(f"{work} {n} {seconds:e} {value:.17e} {peer}", flush=True)


def numbers(n, by):
    return (np.arange(n, dtype=np.int64) * by % 1000) * 0.01 + 0.5


def mixed(n):
    i = np.arange(1, n + 1, dtype=np.uint32)
    i = (i ^ (i >> np.uint32(15))) * np.uint32(0x2C1B3C6D)
    i = (i ^ (i >> np.uint32(12))) * np.uint32(0x297A2D39)
    return i ^ (i >> np.uint32(15))


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        return None


numexpr, numba, scipy = optional("numexpr"), optional("numba"), optional("scipy")
if scipy:
    import scipy.fft
    import scipy.sparse


def jitted(**flags):
    return (lambda f: numba.njit(**flags)(f)) if numba else (lambda f: None)


@jitted(parallel=True)
def nb_sin(z, x, y):
    for i in numba.prange(len(z)):
        z[i] = 2.0 * y[i] - np.sin(x[i])


@jitted(parallel=True)
def nb_sums(z, x, y, w):
    for i in numba.prange(len(z)):
        z[i] = 2.0 * x[i] + 3.0 * y[i] + 0.5 * w[i]


@jitted(parallel=True)
def nb_lorenz(x, y, z, r, steps):
    for i in numba.prange(len(x)):
        a, b, c = x[i], y[i], z[i]
        for _ in range(steps):
            da = 10.0 * (b - a)
            db = a * (r[i] - c) - b
            dc = a * b - 8.0 / 3.0 * c
            a, b, c = a + 1e-3 * da, b + 1e-3 * db, c + 1e-3 * dc
        x[i], y[i], z[i] = a, b, c


def elementwise(n):
    x, y, z = numbers(n, 1), numbers(n, 7), np.zeros(n)
    if asked("2y-sin", n):
        if numexpr:
            t = median(nothing, lambda: numexpr.evaluate("2.0 * y - sin(x)", {"x": x, "y": y}, out=z))
            row("2y-sin", n, t, check(z), "numexpr")
        if numba:
            row("2y-sin", n, median(nothing, lambda: nb_sin(z, x, y)), check(z), "numba")
    if asked("ax+by+cz", n):
        w = numbers(n, 3)
        if numexpr:
            named = {"x": x, "y": y, "w": w}
            text = "2.0 * x + 3.0 * y + 0.5 * w"
            t = median(nothing, lambda: numexpr.evaluate(text, named, out=z))
            row("ax+by+cz", n, t, check(z), "numexpr")
        if numba:
            row("ax+by+cz", n, median(nothing, lambda: nb_sums(z, x, y, w)), check(z), "numba")
    if asked("copy", n):
        row("copy", n, median(nothing, lambda: np.copyto(z, x)), check(z), "numpy")


def reductions(n):
    if not asked("dot,min,max", n):
        return
    x, y, out = numbers(n, 1), numbers(n, 7), []

    def f():
        out[:] = [np.dot(x, y) + x.min() + x.max()]

    row("dot,min,max", n, median(nothing, f), out[0], "numpy")


def scans(n):
    x, z = numbers(n, 1), np.zeros(n)
    if asked("scan", n):
        row("scan", n, median(nothing, lambda: np.cumsum(x, out=z)), check(z), "numpy")
    if asked("scan-by-key", n):
        first = np.arange(n) // 10 * 10

        def f():
            np.cumsum(x, out=z)
            # What there was before each run goes off.
            z[:] = z - (z - x)[first]

        row("scan-by-key", n, median(nothing, f), check(z), "numpy")


def sorts(n):
    source = mixed(n)
    if asked("sort-u32", n):
        k = source.copy()
        t = median(lambda: np.copyto(k, source), k.sort)
        row("sort-u32", n, t, check(k), "numpy")
    if asked("sort-f64", n):
        floats = source * 1e-3 - 1e6
        k = floats.copy()
        t = median(lambda: np.copyto(k, floats), k.sort)
        row("sort-f64", n, t, check(k), "numpy")
    if asked("sort-pairs", n):
        k, v, out = source >> np.uint32(8), np.arange(n, dtype=np.uint32), []

        def f():
            out[:] = [v[np.argsort(k, kind="stable")]]

        row("sort-pairs", n, median(nothing, f), check(out[0]), "numpy")


def products(side):
    n = side * side
    if scipy and asked("spmv-5-points", n):
        one = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], (side, side))
        unit = scipy.sparse.identity(side)
        a = scipy.sparse.csr_matrix(scipy.sparse.kron(unit, one) + scipy.sparse.kron(one, unit))
        x, out = numbers(n, 7) ** 2, []

        def f():
            out[:] = [a @ x]

        row("spmv-5-points", n, median(nothing, f), check(out[0]), "scipy")
    n //= 4
    if scipy and asked("spmv-power-law", n):
        i = np.arange(n, dtype=np.uint64)
        lengths = np.minimum(2 + n // 16 // (1 + (i * np.uint64(2654435761) % np.uint64(n)).astype(np.int64)), n)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        k = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
        i = np.repeat(np.arange(n), lengths)
        columns = (i + 31 * k).astype(np.uint64) * np.uint64(2654435761) % np.uint64(n)
        a = scipy.sparse.csr_matrix((1.0 + k % 5 * 0.25, columns.astype(np.int32), offsets), (n, n))
        x, out = numbers(n, 7) ** 2, []

        def g():
            out[:] = [a @ x]

        row("spmv-power-law", n, median(nothing, g), check(out[0]), "scipy")


def transforms(work, sizes):
    n = int(np.prod(sizes))
    if not scipy or not asked(work, n):
        return
    z, out = (numbers(n, 7) + 1j * numbers(n, 3)).reshape(sizes), []

    def f():
        s = scipy.fft.fftn(0.5 * z + 1.0, workers=-1)
        out[:] = [s.real**2 + s.imag**2]

    row(work, n, median(nothing, f), check(out[0].ravel()), "scipy")


def random(n):
    if not asked("random", n):
        return
    z = np.zeros(n)
    g = np.random.Generator(np.random.SFC64(7))
    t = median(nothing, lambda: g.random(out=z))
    row("random", n, t, float(z.mean()), "numpy")


def ensemble(n, steps):
    if not numba or not asked("lorenz", n):
        return
    r = np.arange(n) % 100 * 0.2 + 0.5
    s = [numbers(n, 1) for _ in range(3)]
    nb_lorenz(*s, r, 1)
    s = [numbers(n, 1) for _ in range(3)]
    begun = time.perf_counter()
    nb_lorenz(*s, r, steps)
    t = time.perf_counter() - begun
    s = [numbers(n, 1) for _ in range(3)]
    nb_lorenz(*s, r, 500)
    row(f"lorenz-{steps}", n, t, check(s[2]), "numba")


for n in [1 << 16, 1 << 20, 1 << 27]:
    if n <= MOST:
        elementwise(n)
reductions(1 << 27)
for n in [1 << 20, 1 << 27]:
    if n <= MOST:
        scans(n)
        sorts(n)
products(min(4096, int(MOST**0.5)))
transforms("fft-2^24", (1 << 24,))
transforms("fft-4096^2", (4096, 4096))
transforms("fft-1000003", (1000003,))
random(1 << 28)
ensemble(min(1 << 14, MOST), 10000)
