"""The programs of a class, read from their C files, and the forms made of them.

A folder beside this file is a class, `NAME.c` in it a program: one function `kernel`, whose
parameters are sizes (int) and then arrays. The comment at its top says what it is and, a line each:

    size SET NAME=VALUE ... [ARRAY~FILL ...]   sizes of a run. `check` is compared with gcc's results,
                    `main` is the one that --quick takes, `small...` belong to the class small
    fill ARRAY FILL what is in an array at first (random); driver.c has the kinds
    out ARRAY...    written, and not read before that
    inout ARRAY...  written; what it held is put back before each call
    scratch ARRAY...  as inout, but its contents behind a call are nobody's
    host ARRAY...   used by the host between the loops, so that it does not stay on the device
    temp SECTION... arrays of the function itself, for a `create` clause
    bytes FORMULA   what has to move; without it each array once, those of inout twice
    bytes_SET FORMULA  the same for one set
    sums            floats are added up, so that another order gives other last digits

In the body `//@ nest`, `//@ inner`, `//@ kernels` and `//@ atomic` say where directives go
(../forms_text.py). Between `//@ data` and `//@ end`, where they are, is what data clauses are for.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from forms_text import Array, Program  # noqa: E402

# Each class with what it is to reach: a share of the copy's bandwidth, or of a peer's speed.
CLASSES = {
    "elementwise": ("copy", 0.92),
    "permutations": ("copy", 0.9),
    "reductions": ("copy", 0.9),
    "rows": ("copy", 0.9),
    "prefix": ("copy", 0.9),
    "histograms": ("peer", 0.7),
    "stencils": ("copy", 0.88),
    "sparse": ("peer", 1.0),
    "small": ("peer", 1 / 1.3),
}
FORMS = ("acc", "gang", "scop", "auto", "mlir", "strict")
BYTES = {"unsigned char": 1, "float": 4, "int": 4, "double": 8, "long": 8}
# Seconds, calls: a run ends behind the first of the two.
LIMIT, RUNS = 1.5, 7


class Text(Program):
    """A program as its file has it."""

    def __init__(self, folder, name):
        self.folder = folder
        self.path = os.path.join(HERE, folder, name + ".c")
        with open(self.path) as f:
            text = f.read()
        header, code = re.match(r"/\*(.*?)\*/\n(.*)", text, re.S).groups()
        self.keys = {"size": [], "fill": []}
        self.says = header.strip().split("\n")[0]
        for line in header.strip().split("\n")[1:]:
            key, _, rest = line.strip().partition(" ")
            if key in ("size", "fill"):
                self.keys[key].append(rest.split())
            else:
                self.keys[key] = rest
        self.preamble, parameters, body = re.match(r"(.*?)void kernel\((.*?)\) \{\n(.*)\}\n", code, re.S).groups()
        self.sets = {}
        for what, *pairs in self.keys["size"]:
            sizes = dict(p.split("=") for p in pairs if "~" not in p)
            self.sets[what] = ({k: whole(v, {}) for k, v in sizes.items()}, dict(p.split("~") for p in pairs if "~" in p))
        arrays, fills = {}, dict(self.keys["fill"])
        for kind, array, dims in re.findall(r"(?:const )?(unsigned char|float|double|int|long) (\w+)\[restrict (.*?)\](?:,|$|(?=\[))", " ".join(parameters.split())):
            rest = re.search(rf"\b{array}\[restrict .*?\]((?:\[[^]]*\])*)", parameters).group(1)
            arrays[array] = Array((dims, *re.findall(r"\[(.*?)\]", rest)), fills.get(array, "random"), kind)
        written = [w for key in ("out", "inout", "scratch") for w in self.keys.get(key, "").split()]
        first = next(iter(arrays.values())).ty
        body = re.sub(r"^(\s*)//@ ", r"\1@", body, flags=re.M)
        before, data, body2 = body.partition("  @data\n")
        self.before, self.behind = "", ""
        if data:
            self.before = before
            body, _, self.behind = body2.partition("  @end\n")
        super().__init__(name, {n: (s, s) for n, s in self.sets["check"][0].items()}, arrays, body, "", tuple(written),
                         tuple(self.keys.get("host", "").split()), first, "sums" in self.keys)

    def c(self, form):
        text = super().c("scop" if form in ("strict", "exact") else form)
        head, brace, rest = text.partition("{\n")
        inside, close, _ = rest.rpartition("}\n")
        if form == "gang":
            # A loop of its own is spread over the threads of all blocks.
            parts = re.split(r"(?=#pragma acc parallel loop gang)", inside)
            inside = "".join(p if "loop vector" in p else p.replace("loop gang", "loop gang vector", 1) for p in parts)
        if form == "exact":
            # A reference for long sums: those that are added up in f32 are too far off.
            inside = re.sub(r"\bfloat (?=\w+(?:,| =|;))", "double ", inside.replace("#pragma scop\n", "").replace("#pragma endscop\n", ""))
        head = head.replace("#include <math.h>\n\n", self.preamble or "")
        return head + brace + self.before + inside + self.behind + close

    def data(self, form):
        temp = self.keys.get("temp")
        return super().data(form) + (f" create({', '.join(temp.split())})" if temp else "")

    def forms(self):
        """The C forms; there is one in which sums keep their order only where that matters."""
        texts = {}
        for form in FORMS:
            if form != "mlir" and (form != "strict" or self.sums) and self.c(form) not in [t for f, t in texts.items() if form != "strict"]:
                texts[form] = self.c(form)
        return list(texts)

    def mlir_path(self):
        path = self.path[:-2] + ".mlir"
        return path if os.path.exists(path) else None

    def sized(self, what):
        """Of a set: its sizes, and for each array its dimensions, bytes, fill and role."""
        sizes, fills = self.sets[what]
        arrays = {}
        for seed, (name, a) in enumerate(self.arrays.items(), 1):
            dims = [whole(d, sizes) for d in a.dims]
            role = next((r for r in ("out", "inout", "scratch") if name in self.keys.get(r, "").split()), "in")
            count = 1
            for d in dims:
                count *= d
            kind, *more = fills.get(name, a.fill).split(":")
            fill = ":".join([kind, *(str(whole(m, sizes)) for m in more)])
            arrays[name] = {"type": a.ty, "dims": dims, "count": count, "seed": seed, "fill": fill, "role": role,
                            "host": name in self.host}
        formula = self.keys.get("bytes_" + what, self.keys.get("bytes"))
        if formula:
            moved = eval(formula, {"min": min}, dict(sizes))
        else:
            moved = sum(BYTES[a["type"]] * a["count"] * (2 if a["role"] == "inout" else 1) for a in arrays.values())
        return {"sizes": sizes, "arrays": arrays, "bytes": moved}


def whole(text, sizes):
    """An expression of C's over sizes."""
    return int(eval(re.sub(r"(?<!/)/(?!/)", "//", text), {}, dict(sizes)))


def programs(folder):
    return [Text(folder, f[:-2]) for f in sorted(os.listdir(os.path.join(HERE, folder))) if f.endswith(".c")]


def rows(names):
    """Of each class that is asked for, or whose program is: the programs and sets that are its rows."""
    every = [p for c in CLASSES if os.path.isdir(os.path.join(HERE, c)) for p in programs(c)]
    known = {*CLASSES, *(p.name for p in every)}
    for n in names:
        if n not in known:
            sys.exit(f"found the name {n}, expected a class or a program: {' '.join(sorted(known))}")
    found = {}
    for p in every:
        for what in p.sets:
            row_class = "small" if what.startswith("small") else p.folder
            if what != "check" and (not names or row_class in names or p.name in names):
                found.setdefault(row_class, []).append((p, what))
    return {c: found[c] for c in CLASSES if c in found}
