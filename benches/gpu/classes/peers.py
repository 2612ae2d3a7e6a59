#!/usr/bin/env python3
"""Times of PyTorch for the rows on standard input: lines as peers/main.cu reads and writes them.

Kernel times are those of several calls in a CUDA graph, or where one cannot be captured of
several calls behind each other, between two events.
"""
import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit(0)

TYPES = {"u": torch.uint8, "f": torch.float32, "d": torch.float64, "i": torch.int32, "l": torch.int64}


def signed(n):
    return n - (1 << 64) if n >= 1 << 63 else n


def mix(z, shift, factor):
    """A step of SplitMix64; PyTorch's shifts keep the sign."""
    z = z ^ ((z >> shift) & ((1 << (64 - shift)) - 1))
    return z * signed(factor) if factor else z


def filled(kind, x, y, seed, count, dtype):
    """The data of driver.c."""
    if kind == "zeros":
        return torch.zeros(count, dtype=dtype, device="cuda")
    parts = []
    for first in range(0, count, 1 << 25):
        i = torch.arange(first, min(count, first + (1 << 25)), device="cuda", dtype=torch.int64)
        bits = mix(mix(mix(seed + (i + 1) * signed(0x9E3779B97F4A7C15), 30, 0xBF58476D1CE4E5B9), 27, 0x94D049BB133111EB), 31, 0)
        u = ((bits >> 11) & ((1 << 53) - 1)).double() * 2.0 ** -53
        at = i.double() / count
        if kind == "random":
            v = u if dtype.is_floating_point else (bits >> 56) & 255 if dtype == torch.uint8 else ((bits >> 60) & 15) - 8
        elif kind == "below":
            v = (u * x).long()
        elif kind == "skew":
            v = (u * u * u * u * x).long()
        elif kind == "always":
            v = torch.full_like(i, x)
        elif kind == "flags":
            v = u * x < 1
        elif kind == "sorted":
            v = (at ** 1.2 * x).long()
        elif kind == "starts":
            v = torch.where((i == 0) | (i == count - 1), i * x, i * x - (u * x).long())
        elif kind == "steep":
            v = ((i.double() / (count - 1)) ** (1 / 3) * (x * (count - 1))).long()
        else:
            v = ((i % x if kind == "nearc" else (at * x).long()) + (u * (2 * y + 1)).long() - y) % x
        parts.append(v.to(dtype))
    return torch.cat(parts)


class Row:
    """Sizes and arrays as attributes; an array is made when it is asked for."""

    def __init__(self, line):
        self.name, self.set, *words = line.split()
        self.arrays = {}
        for word in words:
            if "~" in word:
                name, seed, fill, dims, ty = word.split("~")
                self.arrays[name] = int(seed), fill, [int(d) for d in dims.split("x")], TYPES[ty]
            else:
                name, _, value = word.partition("=")
                # An array may have the name of a size.
                setattr(self, name + "_", int(value))

    def __getattr__(self, name):
        if name not in self.arrays:
            raise AttributeError(name)
        seed, fill, dims, dtype = self.arrays[name]
        kind, *numbers = fill.split(":")
        x, y, *_ = [int(n) for n in numbers] + [0, 0]
        count = 1
        for d in dims:
            count *= d
        value = filled(kind, x, y, seed, count, dtype).reshape(dims)
        setattr(self, name, value)
        return value


def measure(row, label, names, call):
    """`call` gives what the C program writes to the arrays of these names."""
    made = call()
    made = made if isinstance(made, (tuple, list)) else (made,)
    for name, value in zip(names, made):
        print(f"sum {row.name} {row.set} {label} {name} {value.double().abs().sum().item():.17g}")
    del made
    torch.cuda.synchronize()

    def between(work):
        began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        began.record()
        work()
        ended.record()
        ended.synchronize()
        return began.elapsed_time(ended) * 1e-3

    once = between(call)
    times = int(min(10, max(2, 0.02 / once)))
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            for _ in range(times):
                call()
        work = graph.replay
    except Exception:  # noqa: BLE001  What synchronizes cannot be captured.
        torch.cuda.synchronize()

        def work():
            for _ in range(times):
                call()

    work()
    seconds = statistics.median(between(work) for _ in range(5)) / times
    calls = []
    for _ in range(100 if once < 1e-3 else 3):
        began = time.perf_counter()
        call()
        torch.cuda.synchronize()
        calls.append(time.perf_counter() - began)
    print(f"peer {row.name} {row.set} {label} {seconds:.9f} {statistics.median(calls):.9f}", flush=True)


def sparse(r):
    return torch.sparse_csr_tensor(r.start, r.col, r.val, (r.n_, r.n_), check_invariants=False)


def box_weights(w):
    distance = torch.arange(-1, 2, device="cuda") ** 2
    return w[distance[:, None, None] + distance[None, :, None] + distance[None, None, :]]


def csr(r):
    a, x = sparse(r), r.x
    return lambda: a @ x


def csr_residual(r):
    a, x, b = sparse(r), r.x, r.b
    return lambda: torch.addmv(b, a, x, alpha=-1)


def windows(r):
    x, w = r.x, r.w_
    strides = x.stride(0), w + 2, 1, w + 2, 1
    return lambda: x.as_strided((r.c_, 3, 3, r.h_, w), strides).contiguous()


def joint(r):
    a, b, p, q = r.a, r.b, r.p_, r.q_
    return lambda: torch.bincount(a * q + b, minlength=p * q)


def of(names, make, label="PyTorch"):
    return names.split(), make, label


# For each program the arrays that its result is compared with, and what makes the call.
PEERS = {
    "transpose": of("b", lambda r: (lambda a=r.a: a.t().contiguous())),
    "transpose_u8": of("b", lambda r: (lambda a=r.a: a.t().contiguous())),
    "batch_021": of("b", lambda r: (lambda a=r.a: a.transpose(1, 2).contiguous())),
    "reverse_210": of("b", lambda r: (lambda a=r.a: a.permute(2, 1, 0).contiguous())),
    "channels_last": of("y", lambda r: (lambda x=r.x: x.permute(0, 3, 1, 2).contiguous())),
    "heads_0213": of("y", lambda r: (lambda x=r.x: x.permute(0, 2, 1, 3).contiguous())),
    "reverse_5d": of("b", lambda r: (lambda a=r.a: a.permute(4, 3, 2, 1, 0).contiguous())),
    "every_third": of("b", lambda r: (lambda a=r.a: a[::2, ::3].contiguous())),
    "flip_i64": of("b", lambda r: (lambda a=r.a: a.flip(0, 1))),
    "im2col": of("y", windows),
    "sum_all": of("s", lambda r: (lambda x=r.x: x.sum())),
    "dot_f64": of("s", lambda r: (lambda x=r.x, y=r.y: torch.dot(x, y)), "cuBLAS"),
    "rows_sum": of("s", lambda r: (lambda a=r.a: a.sum(1))),
    "columns_sum": of("s", lambda r: (lambda a=r.a: a.sum(0))),
    "columns_mean": of("s", lambda r: (lambda a=r.a: a.mean(0))),
    "middle_axis": of("s", lambda r: (lambda a=r.a: a.sum(1))),
    "batch_moments": of("", lambda r: (lambda x=r.x: torch.var_mean(x, (0, 2, 3)))),
    "extrema_i32": of("low high", lambda r: (lambda a=r.a: torch.aminmax(a, dim=2))),
    "argmax_columns": of("at", lambda r: (lambda a=r.a: a.argmax(0))),
    "argmax_middle": of("at", lambda r: (lambda a=r.a: a.argmax(1))),
    "max_02_of_4": of("top", lambda r: (lambda a=r.a: a.amax((0, 2)))),
    "argmin_all": of("at", lambda r: (lambda x=r.x: x.argmin())),
    "axes_13_of_5": of("s", lambda r: (lambda a=r.a: a.sum((1, 3)))),
    "colour_sums_u8": of("s", lambda r: (lambda x=r.x: x.sum(0, dtype=torch.int64))),
    "softmax": of("b", lambda r: (lambda a=r.a: torch.softmax(a, 1))),
    "log_softmax_f64": of("b", lambda r: (lambda a=r.a: torch.log_softmax(a, 1))),
    "layer_norm": of("b", lambda r: (lambda a=r.a, g=r.gamma, b=r.beta: F.layer_norm(a, (r.n_,), g, b, 1e-5))),
    "rms_norm": of("b", lambda r: (lambda a=r.a, w=r.w: F.rms_norm(a, (r.n_,), w, 1e-6))),
    "log_sum_exp": of("s", lambda r: (lambda a=r.a: torch.logsumexp(a, 1))),
    "variance_f64": of("var mean", lambda r: (lambda a=r.a: torch.var_mean(a, 1))),
    "top_value": of("value at", lambda r: (lambda a=r.a: a.max(1))),
    "cumsum_rows": of("b", lambda r: (lambda a=r.a: a.cumsum(1))),
    "cummax_i32": of("b", lambda r: (lambda a=r.a: a.cummax(1))),
    "inclusive_f32": of("b", lambda r: (lambda a=r.a: a.cumsum(0))),
    "in_place_f64": of("a", lambda r: (lambda a=r.a: a.cumsum(0))),
    "widening_u8": of("b", lambda r: (lambda a=r.a: a.cumsum(0, dtype=torch.int64))),
    "running_max": of("b", lambda r: (lambda a=r.a: a.cummax(0))),
    "down_columns": of("a", lambda r: (lambda a=r.a: a.cumsum(0))),
    "middle_axis_f64": of("b", lambda r: (lambda a=r.a: a.cumsum(1))),
    "summed_area": of("b", lambda r: (lambda a=r.a: a.cumsum(1).cumsum(0))),
    "counts_i32": of("h", lambda r: (lambda a=r.a: torch.bincount(a, minlength=r.bins_))),
    "grey_u8": of("h", lambda r: (lambda a=r.a.flatten(): torch.bincount(a, minlength=256))),
    "ranges_f32": of("h", lambda r: (lambda x=r.x: torch.histc(x, r.bins_, 0, 1))),
    "scatter_f32": of("y", lambda r: (lambda at=r.at, x=r.x, y=r.y: y.zero_().index_add_(0, at, x))),
    "weighted_f64": of("y", lambda r: (lambda at=r.at, w=r.w, y=r.y: y.zero_().index_add_(0, at, w))),
    "add_rows": of("y", lambda r: (lambda at=r.at, x=r.x, y=r.y: y.zero_().index_add_(0, at, x))),
    "joint": of("h", joint),
    "box_r2_2d": of("", lambda r: (lambda a=r.a[None, None], w=r.w[None, None]: F.conv2d(a, w)), "cuDNN"),
    "box_3d": of("", lambda r: (lambda a=r.a[None, None], w=box_weights(r.w)[None, None]: F.conv3d(a, w)), "cuDNN"),
    "csr": of("y", csr, "cuSPARSE"),
    "csr_f64": of("r", csr_residual, "cuSPARSE"),
    "gather_i32": of("b", lambda r: (lambda a=r.a, at=r.at: torch.index_select(a, 0, at))),
    "embedding": of("y", lambda r: (lambda e=r.e, at=r.at: F.embedding(at, e))),
    "matmul_1k": of("c", lambda r: (lambda a=r.a, b=r.b: a @ b), "cuBLAS"),
}


def main():
    if not torch.cuda.is_available():
        sys.exit(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    with torch.no_grad():
        for line in sys.stdin:
            row = Row(line)
            if row.name not in PEERS:
                continue
            names, make, label = PEERS[row.name]
            try:
                measure(row, label, names, make(row))
            except Exception as why:  # noqa: BLE001  One peer must not end the others.
                print(f"{row.name} {row.set}: {str(why)[:200]}", file=sys.stderr)
            del row
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
