"""What terrace is compared with on PolyBench's kernels: gcc, clang with Polly, and a BLAS library."""
import os
import re
import subprocess

from common import FAST, HERE, POLYBENCH, STRICT, WIDTHS, Program, shell

# The kernels that blas.c has.
PRODUCTS = ("2mm", "3mm", "doitgen", "gemm", "symm", "syr2k", "syrk", "trmm")
# PolyBench's own sizes, 2800 and 2500, take long with gcc, too.
SMALLER = {"floyd-warshall": {"N": 1400}, "nussinov": {"N": 1500}}
CLASSES = ("MINI", "SMALL", "MEDIUM", "LARGE")
# What chooses a library's kernels or threads in place of the library.
OVERRIDES = re.compile(r"(OPENBLAS|GOTO|OMP|MKL|BLIS|BLAS)_.*")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def sizes(name, o):
    """The sizes of a kernel in the class asked for, by the names that its C file and its MLIR file have."""
    with open(os.path.join(POLYBENCH, name + ".c"), encoding="utf-8") as f:
        found = re.findall(r"#define (\w+) BENCH_SIZE\(([^)]*)\)", f.read())
    out = {macro: int(values.split(",")[CLASSES.index(o.size)]) for macro, values in found}
    return out if o.whole else {**out, **SMALLER.get(name, {})}


def defined(given):
    return [f"-D{macro}={value}" for macro, value in given.items()]


def gcc(o):
    """Ways to compile by gcc."""
    out = {"gcc -O2": (["gcc", "-O2", *STRICT, "-DNO_PRAGMA"], None)}
    if not o.no_fast:
        for bits in WIDTHS:
            out["gcc -O3 " + bits] = (["gcc", *FAST, f"-mprefer-vector-width={bits}", "-DNO_PRAGMA"], None)
    return out


def polly(o, threads):
    """A way to compile by clang, whose loops Polly transforms; none where there is no clang that has it."""
    command = [o.clang, *FAST, "-mllvm", "-polly"]
    tried = [*command, "-x", "c", "-c", "/dev/null", "-o", "/dev/null"]
    try:
        shell(tried)
    except (RuntimeError, OSError):
        return {}
    env = {name: None for name in os.environ if OVERRIDES.fullmatch(name)}
    if threads > 1:
        command += ["-mllvm", "-polly-parallel", "-mllvm", "-polly-omp-backend=GNU", "-fopenmp=libgomp"]
        env["OMP_NUM_THREADS"] = str(threads)
    return {"polly": ([*command, "-DNO_PRAGMA"], env)}


def blas(name, o, threads, folder):
    """The program of a product by OpenBLAS; none where there is none, or the kernel is no product."""
    if name not in PRODUCTS:
        return {}
    path = os.path.join(folder, name + "-blas")
    env = {variable: None for variable in os.environ if OVERRIDES.fullmatch(variable)}
    try:
        flags = shell(["pkg-config", "--cflags", "--libs", "openblas"]).stdout.split()
        clock = [] if threads > 1 and not o.cpu_time else ["-DBENCH_CPU_TIME"]
        source = os.path.join(HERE, "blas.c")
        shell(["gcc", "-O2", "-I", POLYBENCH, f"-DKERNEL_{name}", *clock, *defined(sizes(name, o)), source,
               "-o", path, *flags, "-lm"])
    except (RuntimeError, OSError):
        return {}
    return {"blas": Program(path, {**env, "OPENBLAS_NUM_THREADS": str(threads)})}


class FromMlir(Program):
    """A program of examples/polybench by `terrace run`. Its clock is the wall's, and it has other data than the
    C program, so that it says nothing to compare."""

    def __init__(self, name, o, threads):
        file = os.path.join(HERE, "..", "..", "examples", "polybench", name + ".mlir")
        with open(file, encoding="utf-8") as f:
            text = f.read()
        dims = {dim for dims in re.findall(r"terrace.dims = \[([^\]]*)\]", text) for dim in re.findall(r'"(\w+)"', dims)}
        given = [["--size" if size in dims else "--arg", f"{size}={n}"] for size, n in sizes(name, o).items()]
        arguments = ["run", file, "--threads", str(threads), *sum(given, [])]
        super().__init__(o.terrace, None, arguments)

    def run(self, pinned, timeout=None):
        said = shell([*pinned, self.path, *self.arguments], timeout).stdout
        number, unit = re.search(r"^call +([0-9.]+) (ns|us|ms|s)\b", said, re.M).groups()
        self.times.append(float(number) * SECONDS[unit])


def operations(name, o):
    """The operations on floats of a kernel, by the formula of its MLIR file."""
    file = os.path.join(HERE, "..", "..", "examples", "polybench", name + ".mlir")
    with open(file, encoding="utf-8") as f:
        formula = re.search(r'terrace.flops = "([^"]*)"', f.read())
    # Formulas are sums and products of sizes and numbers.
    if not formula or not re.fullmatch(r"[\w\s+*/().^-]+", formula.group(1)):
        return None
    names = {name: float(value) for name, value in sizes(name, o).items()}
    try:
        return eval(formula.group(1).replace("^", "**"), {"__builtins__": {}}, names)
    except (NameError, SyntaxError, TypeError):
        return None


def machine(terrace, threads, pinned, folder):
    """What `terrace calibrate` measures of the cores that the programs are pinned to: its rates by name."""
    file = os.path.join(folder, f"{threads}.cores")
    command = [*pinned, terrace, "calibrate", "--target", "cpu", "-o", file]
    try:
        shell(command, TERRACE_NUM_THREADS=str(threads))
        with open(file, encoding="utf-8") as f:
            return {key: float(value) for key, value in re.findall(r"^(\w+) = ([0-9.]+)", f.read(), re.M)}
    except (RuntimeError, OSError) as why:
        print(f"no figures of the machine: {why}")
        return {}


def version(command):
    """The first line of what a compiler says of itself."""
    try:
        return subprocess.run([command, "--version"], capture_output=True, text=True).stdout.split("\n", 1)[0]
    except OSError:
        return f"no {command}"
