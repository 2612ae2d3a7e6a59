"""How one description of a program becomes C in several forms, and MLIR.

The C of a program is what stands in its function. Lines that begin with @ say where directives go:

    @nest N CLAUSES   in front of N loops that are independent of each other: in the form acc
                      `acc parallel loop collapse(N)`, in gang `gang` on the outer ones
    @inner CLAUSES    in front of the innermost loop: `acc loop vector` in gang
    @kernels          in front of a loop that is left to the compiler: `acc kernels`
    @atomic           in front of an update: `acc atomic update`

The form flat is acc with subscripts computed by hand; scop has its pragma around all; auto has
none. A program with several nests has `acc data` around all of them, else the clauses are the nest's.

The MLIR is the body of the function. Types of loads, stores, arithmetic and yields are left out,
and the bound of a loop may be `%i + 1`: both follow from the rest.
"""
import array
import os
import re

C_FORMS = ("acc", "gang", "flat", "scop", "auto")
MLIR_TYPES = {"float": "f32", "double": "f64", "int": "i32"}
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples")


class Array:
    """The names of its sizes, what is in it at first, its type where it is not the program's.

    `fill` is random, zeros, dominant, or below:N for integers of 0 to N - 1.
    """

    def __init__(self, dims, fill="random", ty=None):
        self.dims, self.fill, self.ty = dims, fill, ty

    def special(self):
        """Whether `terrace run` has no such fill, so that a file of it is needed."""
        return self.fill == "dominant" and len(self.dims) != 2 or self.fill.startswith("below")

    def count(self):
        return "(long)" + "*".join(self.dims)


class Program:
    """`sizes` has each size when results are checked and when times are taken. `out` names the
    arrays that are written (the last one), `host` those that the C under acc uses outside of
    its loops, for which there is no data clause. `sums` tells that floats are added up, or
    alike, so that another order gives other last digits."""

    def __init__(self, name, sizes, arrays, c, mlir, out=None, host=(), ty="float", sums=False):
        self.name, self.sizes, self.ty, self.sums = name, sizes, ty, sums
        self.arrays = {a: s if isinstance(s, Array) else Array(s) for a, s in arrays.items()}
        for a in self.arrays.values():
            a.ty = a.ty or ty
        self.c_text, self.mlir_text = c.strip("\n"), mlir.strip("\n")
        self.out = out or (list(arrays)[-1],)
        self.host = host

    def forms(self):
        """The C forms; one that would be the text of another again is none."""
        texts = {}
        for form in C_FORMS:
            if self.c(form) not in texts.values():
                texts[form] = self.c(form)
        return list(texts)

    def flat(self, text):
        for name, a in self.arrays.items():
            if len(a.dims) < 2:
                continue

            def computed(found):
                first, *rest = re.findall(r"\[([^]]*)\]", found.group(0))
                place = f"({first})"
                for size, subscript in zip(a.dims[1:], rest):
                    place = f"({place}*{size}+{subscript})"
                return f"{name}[{place[1:-1]}]"

            text = re.sub(rf"\b{name}" + r"\[[^]]*\]" * len(a.dims), computed, text)
        return text

    def parameter(self, name, form):
        a = self.arrays[name]
        if len(a.dims) == 1 or form != "flat":
            return f"{a.ty} {name}[restrict {a.dims[0]}]" + "".join(f"[{d}]" for d in a.dims[1:])
        return f"{a.ty} *restrict {name}"

    def data(self, form):
        def part(name):
            dims = self.arrays[name].dims
            if form == "flat":
                return f"{name}[0:{'*'.join(dims)}]"
            return name + "".join(f"[0:{d}]" for d in dims)

        there = [a for a in self.arrays if a not in self.host]
        clauses = {"copyin": [a for a in there if a not in self.out],
                   "copy": [a for a in there if a in self.out]}
        return " ".join(f"{k}({', '.join(map(part, v))})" for k, v in clauses.items() if v)

    def c(self, form):
        acc = form in ("acc", "gang", "flat")
        single = len(re.findall("@nest|@kernels", self.c_text)) == 1
        lines = []
        for line in self.c_text.split("\n"):
            found = re.match(r"(\s*)@(\w+) ?(\d*) ?(.*)", line)
            if not found:
                lines.append("    " + line)
                continue
            indent, what, depth, clauses = found.groups()
            if not acc or what == "inner" and form != "gang":
                continue
            if what == "nest":
                gangs = int(depth) - (form == "gang" and int(depth) > 1)
                text = "parallel loop" + (" gang" if form == "gang" else "")
                text += f" collapse({gangs})" if gangs > 1 else ""
            else:
                text = {"inner": "loop vector", "kernels": "kernels", "atomic": "atomic update"}[what]
            if single and what in ("nest", "kernels"):
                clauses += " " + self.data(form)
            lines.append(f"    {indent}#pragma acc {text} {clauses.strip()}".rstrip())
        parameters = [f"int {n}" for n in self.sizes] + [self.parameter(a, form) for a in self.arrays]
        body = "\n".join(lines)
        if form == "flat":
            body = self.flat(body)
        if form == "scop":
            body = f"  #pragma scop\n{body}\n  #pragma endscop"
        elif acc and not single:
            body = f"  #pragma acc data {self.data(form)}\n  {{\n{body}\n  }}"
        return f"#include <math.h>\n\nvoid kernel({', '.join(parameters)}) {{\n{body}\n}}\n"

    def main(self, runs):
        """Calls of the kernel with the same arrays, each with its time; the sums after the last.

        With `files` behind the size it writes instead the arrays that terrace run cannot fill.
        With -DFORMS_DEVICE arrays stay on the device from call to call, as `terrace run` has them.
        """
        resident = [a for a in self.arrays if a not in self.host]
        lines = ['#include "forms.h"', "void kernel();", "int main(int argc, char **argv) {",
                 "  int large = argc > 1 && !strcmp(argv[1], \"large\"), files = argc > 2;"]
        for n, (small, large) in self.sizes.items():
            lines.append(f"  int {n} = large ? {large} : {small};")
        for seed, (name, a) in enumerate(self.arrays.items(), 1):
            below = a.fill[6:] if a.fill.startswith("below:") else "0"
            lines.append(f"  void *{name} = forms_array('{a.ty[0]}', {a.count()}, {seed}, \"{a.fill}\", {a.dims[-1]}, {below});")
        lines.append("  if (files) {\n    char shape[64];")
        for name, a in self.arrays.items():
            if a.special():
                shape = ", ".join(["%d"] * len(a.dims))
                lines.append(f"    snprintf(shape, sizeof shape, \"{shape}\", {', '.join(a.dims)});")
                lines.append(f"    forms_file(\"{name}\", shape, {name}, '{a.ty[0]}', {a.count()});")
        lines.append("    return 0;\n  }")
        for name in self.out:
            size = f"({self.arrays[name].count()}) * sizeof({self.arrays[name].ty})"
            lines.append(f"  void *first_{name} = malloc({size});\n  memcpy(first_{name}, {name}, {size});")
        def device(call, names):
            """The call of OpenACC's library for each of the arrays."""
            calls = [f"  {call}({a}, {self.arrays[a].count()} * sizeof({self.arrays[a].ty}));" for a in names if a in resident]
            lines.extend(["#ifdef FORMS_DEVICE", *calls, "#endif"] if calls else [])

        device("acc_copyin", self.arrays)
        lines.append(f"  for (int run = 0; run < (large ? {runs} : 1); run++) {{")
        for name in self.out:
            size = f"({self.arrays[name].count()}) * sizeof({self.arrays[name].ty})"
            lines.append(f"    memcpy({name}, first_{name}, {size});")
        device("  acc_update_device", self.out)
        lines.append("    double began = forms_now();")
        lines.append(f"    kernel({', '.join([*self.sizes, *self.arrays])});")
        lines.append('    fprintf(stderr, "time %.6f\\n", forms_now() - began);\n  }')
        device("acc_update_self", self.out)
        for name in self.out:
            lines.append(f"  forms_show(\"{name}\", {name}, '{self.arrays[name].ty[0]}', {self.arrays[name].count()});")
        return "\n".join(lines + ["  return 0;", "}"]) + "\n"

    def files(self, runs):
        texts = {form + ".c": self.c(form) for form in self.forms()}
        return {"main.c": self.main(runs), "p.mlir": self.mlir(), **texts}

    def memref(self, name):
        a = self.arrays[name]
        return f"memref<{'?x' * len(a.dims)}{MLIR_TYPES[a.ty]}>"

    def typed(self, line):
        """A line of MLIR with what was left out."""
        def bound(found):
            word, name, more = found.groups()
            if not more and name[1:] in self.sizes:
                return found.group(0)
            return f"{word} affine_map<(d) -> (d{more or ''})>({name})"

        if "affine.for" in line:
            line = re.sub(r"(=|to) (%\w+)( [+-] \d+)?(?= to| \{| iter_args)", bound, line)
            return line.replace("TY", MLIR_TYPES[self.ty])
        if " : " in line:
            return line.replace("TY", MLIR_TYPES[self.ty])
        access = re.search(r"(?:affine|memref)\.(?:load|store) (?:%\w+, )?%(\w+)\[", line)
        if access:
            return f"{line} : {self.memref(access.group(1))}"
        if re.search(r"\b(arith|math)\.|affine\.yield", line):
            return f"{line} : {MLIR_TYPES[self.ty]}"
        return line

    def mlir(self):
        parameters, dims = [], {}
        for seed, (name, a) in enumerate(self.arrays.items(), 1):
            fill = "zeros" if a.special() else a.fill
            shape = "x".join(str(self.sizes[d][0]) for d in a.dims)
            init = f"{fill}:{shape}" + (f":{seed}" if fill != "zeros" else "")
            names = ", ".join(f'"{d}"' for d in a.dims)
            parameters.append(f'%{name}: {self.memref(name)} {{terrace.name = "{name}", terrace.dims = [{names}], terrace.init = "{init}"}}')
            for at, d in enumerate(a.dims):
                dims.setdefault(d, (at, name))
        for n, (small, _) in self.sizes.items():
            if n not in dims:
                parameters.append(f'%{n}: index {{terrace.name = "{n}", terrace.init = "{small}"}}')
        lines = ["func.func @kernel(", "    " + ",\n    ".join(parameters), ") {"]
        for d, (at, name) in dims.items():
            lines.append(f"  %at_{d} = arith.constant {at} : index\n  %{d} = memref.dim %{name}, %at_{d} : {self.memref(name)}")
        depth = 1
        for line in map(str.strip, self.mlir_text.split("\n")):
            depth -= line.startswith("}")
            lines.append("  " * depth + self.typed(line))
            depth += line.endswith("{")
        return "\n".join(lines + ["  return", "}"]) + "\n"

    def commands(self, tool, form, flags):
        """What compiles a form; main.o is gcc's, so that no form has its loops on a device.

        Loops without a directive work on the host's arrays, so that auto has none that stay on the device.
        """
        main = "host.o" if form == "auto" else "main.o"
        return [[*tool, *flags, form + ".c", main, "-o", form, "-lm"]]

    def prepare(self):
        compiled = ["gcc", "-O2", "-w", "-I", HERE, "-c", "main.c", "-o"]
        return [[*compiled, "main.o", "-DFORMS_DEVICE"], [*compiled, "host.o"],
                ["gcc", "-O2", "-w", "auto.c", "host.o", "-o", "host", "-lm"]]

    def command(self, form, large):
        return [f"./{form}", "large" if large else "small"]

    def arguments(self, large, _):
        """What tells `terrace run` the sizes, and the commands that have to run before."""
        dims = {d for a in self.arrays.values() for d in a.dims}
        options = [w for n, s in self.sizes.items() for w in ("--size" if n in dims else "--arg", f"{n}={s[large]}")]
        special = [a for a in self.arrays if self.arrays[a].special()]
        options += [w for a in special for w in ("--arg", f"{a}=@{a}.npy")]
        return options, [["./host", "large" if large else "small", "files"]] if special else []

    def tolerance(self):
        return 0.0 if self.ty == "int" else 1e-6 if self.ty == "double" else 1e-4


class Polybench:
    """A program of examples/c/polybench and its MLIR in examples/polybench.

    Only `size` and the directives differ, both macros of bench.h; each size is a program.
    """

    # What whole.sh has instead of the LARGE of the source.
    LARGE = {"floyd-warshall": {"N": 2800}, "gramschmidt": {"M": 1000, "N": 1200}, "nussinov": {"N": 2500}}
    # Those in which no floats are added up one after the other.
    ORDERED = ("adi", "deriche", "fdtd-2d", "floyd-warshall", "heat-3d", "jacobi-1d", "jacobi-2d", "nussinov", "seidel-2d")
    MACROS = {"acc": ["-DUSE_ACC"], "scop": [], "auto": ["-DNO_PRAGMA"]}

    def __init__(self, name):
        self.name, self.sums = name, name not in self.ORDERED
        self.source = os.path.abspath(os.path.join(EXAMPLES, "c", "polybench", name + ".c"))
        self.sizes = {}
        with open(self.source) as f:
            for size, classes in re.findall(r"#define (\w+) BENCH_SIZE\((.*)\)", f.read()):
                _, small, _, large = map(int, classes.split(","))
                self.sizes[size] = small, self.LARGE.get(name, {}).get(size, large)

    def forms(self):
        return list(self.MACROS)

    def mlir(self):
        with open(os.path.join(EXAMPLES, "polybench", self.name + ".mlir")) as f:
            text = f.read()
        if self.name in ("floyd-warshall", "nussinov"):
            # The C ones compute with integers.
            for old, new in (("xf64", "xi32"), (": f64", ": i32"), ("addf", "addi"), ("cmpf oeq", "cmpi eq"),
                             ("cmpf olt", "cmpi slt"), ("maximumf", "maxsi"), ("minimumf", "minsi")):
                text = text.replace(old, new)
            text = re.sub(r"constant (\d)\.0", r"constant \1", text)
        return text

    def files(self, runs):
        return {"p.mlir": self.mlir()}

    def commands(self, tool, form, flags):
        return [[*tool, *flags, *self.MACROS[form], "-Dmain=bench_main", *(f"-D{n}={s[large]}" for n, s in self.sizes.items()),
                 self.source, "whole.o", "-o", f"{form}-{size}", "-lm"] for large, size in enumerate(("small", "large"))]

    def prepare(self):
        return [["gcc", "-O2", "-c", os.path.join(HERE, "whole.c"), "-o", "whole.o"],
                self.commands(["gcc", "-O2"], "auto", [])[0], ["mv", "auto-small", "host-small"]]

    def command(self, form, large):
        return [f"./{form}-{'large' if large else 'small'}"]

    def arguments(self, large, folder):
        text = self.mlir()
        dims = set(re.findall(r'"(\w+)"', " ".join(re.findall(r"terrace.dims = \[(.*?)\]", text))))
        options = [w for n, s in self.sizes.items() for w in ("--size" if n in dims else "--arg", f"{n}={s[large]}")]
        data = self.own_data(large, folder)
        if data:
            options += ["--arg", f"{data[0]}={data[1]}"]
        return options, []

    def own_data(self, large, folder):
        """Where the C program's data is not what the MLIR says: the array, and what it shall be."""
        n = self.sizes.get("N", (0, 0))[large]
        if self.name == "durbin":
            return "r", numbers_file(folder, "r", "d", [draw(1, i) / (i + 2.0) / (i + 2.0) for i in range(n)], (n,))
        if self.name == "nussinov":
            return "seq", numbers_file(folder, "seq", "i", [int(draw(1, i) * 4) for i in range(n)], (n,))
        if self.name == "floyd-warshall":
            # The time does not depend on the lengths, and Python needs long for many of them.
            if large:
                return "path", f"iota:{n}x{n}"
            lengths = [0 if i % (n + 1) == 0 else 1 + int(draw(1, i) * 999) for i in range(n * n)]
            return "path", numbers_file(folder, "path", "i", lengths, (n, n))
        return None

    def tolerance(self):
        return 0.0 if self.name in ("floyd-warshall", "nussinov") else 1e-5


def draw(seed, i):
    """What bench_random gives."""
    mask = (1 << 64) - 1
    z = (seed + (i + 1) * 0x9E3779B97F4A7C15) & mask
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    return ((z ^ (z >> 31)) >> 11) * 2.0 ** -53


def numbers_file(folder, name, code, numbers, shape):
    """Writes NAME.npy into the folder in which terrace will run; what `--arg` says of it."""
    text = f"{{'descr': '<{code.replace('d', 'f8').replace('i', 'i4')}', 'fortran_order': False, 'shape': {shape}, }}"
    with open(os.path.join(folder, name + ".npy"), "wb") as f:
        f.write(b"\x93NUMPY\1\0" + (118).to_bytes(2, "little") + f"{text:<117}\n".encode())
        f.write(array.array(code, numbers).tobytes())
    return f"@{name}.npy"


def file_sums(path):
    """The number of elements of a .npy file, and the two sums that C programs print."""
    with open(path, "rb") as f:
        data = f.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    code = {"f4": "f", "f8": "d", "i4": "i", "i8": "q", "i1": "B", "u1": "B"}[re.search(rb"[<|](\w\d)", data[:start]).group(1).decode()]
    values = array.array(code, data[start:])
    return len(values), sum(map(abs, values)), sum(v * (1 + i % 97 / 97) for i, v in enumerate(values))
