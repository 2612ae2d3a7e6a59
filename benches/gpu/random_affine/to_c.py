"""A random program as C, in the forms acc, gang, scop and auto."""
from ir import (C_TYPES, Aff, Cast, Compare, Const, Fold, If, Index, Let, Load, Loop, Op, Scalar, Scatter, Select,
                Store, Where, Whole)

FORMS = ("acc", "gang", "scop", "auto")
# How an operation is written for integers and for floats; a dictionary of functions of C's texts.
OPS = {
    "add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})", "div": "({} / {})", "rem": "({} % {})",
    "and": "({} & {})", "or": "({} | {})", "xor": "({} ^ {})", "shr": "({} >> {})",
    "max": "fmax", "min": "fmin", "abs": "fabs", "sqrt": "sqrt", "exp": "exp", "tanh": "tanh",
}
CLAUSES = {"add": "+", "mul": "*", "max": "max", "min": "min"}


class Writer:
    """The text of one form. `fixed` holds the values of sizes where they are constants."""

    def __init__(self, program, form, which):
        self.p, self.form, self.lines = program, form, []
        self.in_gang = self.in_vector = False
        self.fixed = {n: v[which] for n, v in program.sizes.items()} if program.style == "static" else {}

    def acc(self):
        return self.form in ("acc", "gang")

    def emit(self, level, text):
        self.lines.append("  " * level + text)

    def aff(self, a):
        out = Aff(a.const)
        for v, f in a.terms.items():
            out = out + (self.fixed[v] * f if v in self.fixed else Aff(0, **{v: f}))
        return out.text()

    # Values.

    def element(self, array, subs):
        if self.p.style != "linear" or len(subs) == 1:
            return array.name + "".join(f"[{self.aff(s)}]" for s in subs)
        text = self.aff(subs[0])
        for dim, s in zip(array.dims[1:], subs[1:]):
            head = text if text.isidentifier() else f"({text})"
            size = self.aff(dim)
            size = size if size.isidentifier() or size.isdigit() else f"({size})"
            text = f"{head} * {size} + {self.aff(s)}" if s.const >= 0 and not any(f < 0 for f in s.terms.values()) else f"{head} * {size} + ({self.aff(s)})"
        return f"{array.name}[{text}]"

    def scattered(self, s):
        """The element of a scatter; `at` is no affine expression."""
        rest = [self.aff(x) for x in s.subs]
        at = [self.value(s.at), *rest] if not s.front else [*rest, self.value(s.at)]
        if self.p.style != "linear" or len(at) == 1:
            return s.array.name + "".join(f"[{x}]" for x in at)
        return f"{s.array.name}[({at[0]}) * ({self.aff(s.array.dims[1])}) + {at[1]}]"

    def value(self, e):
        if isinstance(e, Const):
            if e.ty == "i32":
                return str(e.value) if e.value >= 0 else f"({e.value})"
            if abs(e.value) == float("inf"):
                return "INFINITY" if e.value > 0 else "(-INFINITY)"
            text = repr(float(e.value)) + ("f" if e.ty == "f32" else "")
            return text if e.value >= 0 else f"({text})"
        if isinstance(e, Scalar):
            return e.name
        if isinstance(e, Load):
            return self.element(e.array, e.subs)
        if isinstance(e, Index):
            text = self.aff(e.aff)
            return text if text.isidentifier() else f"({text})"
        if isinstance(e, Cast):
            return f"({C_TYPES[e.ty]}){self.value(e.arg)}"
        if isinstance(e, Select):
            return f"({self.cond(e.cond)} ? {self.value(e.yes)} : {self.value(e.no)})"
        args = [self.value(a) for a in e.args]
        if e.ty == "i32" and e.op in ("max", "min"):
            return f"({args[0]} {'>' if e.op == 'max' else '<'} {args[1]} ? {args[0]} : {args[1]})"
        if e.ty == "i32" and e.op == "abs":
            return f"({args[0]} < 0 ? -{args[0]} : {args[0]})"
        form = OPS[e.op]
        if "{" in form:
            return form.format(*args)
        return f"{form}{'f' if e.ty == 'f32' else ''}({', '.join(args)})"

    def cond(self, c):
        if isinstance(c, Compare):
            return f"{self.value(c.a)} {c.op} {self.value(c.b)}"
        return " && ".join(f"{self.aff(a)} >= 0" if not mod else f"({self.aff(a)}) % {mod} == 0" for a, mod in c.parts)

    # Statements.

    def header(self, loop):
        text = " && ".join(f"{loop.var} < {self.aff(h)}" for h in loop.highs)
        step = f"{loop.var}++" if loop.step == 1 else f"{loop.var} += {loop.step}"
        return f"for (int {loop.var} = {self.aff(loop.low)}; {text}; {step}) {{"

    def update(self, level, name, new):
        """A scalar that is carried gets its next value, as people write it."""
        mine = lambda e: isinstance(e, Scalar) and e.name == name
        if mine(new):
            return
        if isinstance(new, Select) and mine(new.no):
            self.emit(level, f"if ({self.cond(new.cond)}) {{")
            self.update(level + 1, name, new.yes)
            self.emit(level, "}")
        elif isinstance(new, Op) and new.op in ("add", "mul") and mine(new.args[0]):
            self.emit(level, f"{name} {'+' if new.op == 'add' else '*'}= {self.value(new.args[1])};")
        elif isinstance(new, Op) and new.op in ("max", "min") and mine(new.args[0]) and self.p.traits["if_extrema"]:
            x = self.value(new.args[1])
            self.emit(level, f"if ({x} {'>' if new.op == 'max' else '<'} {name}) {name} = {x};")
        else:
            self.emit(level, f"{name} = {self.value(new)};")

    def updates(self, level, s):
        pairs = list(zip(s.carries, s.nexts))
        first = s.nexts[0]
        if len(pairs) > 1 and all(isinstance(n, Select) and n.cond == first.cond for n in s.nexts):
            self.emit(level, f"if ({self.cond(first.cond)}) {{")
            for (name, _, _), n in pairs:
                self.emit(level + 1, f"{name} = {self.value(n.yes)};")
            self.emit(level, "}")
            return
        for (name, _, _), n in pairs:
            self.update(level, name, n)

    def fold(self, level, s, clause=""):
        for name, ty, first in s.carries:
            self.emit(level, f"{C_TYPES[ty]} {name} = {self.value(first)};")
        shared = {} if clause else self.shared(s)
        shared[0] = clause or shared.get(0)
        depth = level
        for k, loop in enumerate(s.loops):
            if shared.get(k):
                self.emit(depth, shared[k])
            self.emit(depth, self.header(loop))
            depth += 1
        self.block(depth, s.body, False)
        self.updates(depth, s)
        for _ in s.loops:
            depth -= 1
            self.emit(depth, "}")

    def reductions(self, s):
        """Clauses for what a fold combines, or nothing where it is no reduction."""
        ops = []
        for (name, _, _), n in zip(s.carries, s.nexts):
            n = n.yes if isinstance(n, Select) and n.no == Scalar(name, n.ty) else n
            if not (isinstance(n, Op) and n.op in CLAUSES and n.args[0] == Scalar(name, n.ty)):
                return ""
            ops.append(f"reduction({CLAUSES[n.op]} : {name})")
        return "" if s.body else " ".join(ops)

    def shared(self, s):
        """In the form gang, what the threads of a block combine together: directives by loops."""
        clauses = self.reductions(s)
        if self.form != "gang" or not clauses or not self.in_gang or self.in_vector or not self.p.traits["shared_folds"]:
            return {}
        if len(s.loops) > 1 and self.p.traits["workers"]:
            return {0: f"#pragma acc loop worker {clauses}", len(s.loops) - 1: f"#pragma acc loop vector {clauses}"}
        many = len(s.loops)
        return {0: f"#pragma acc loop vector {f'collapse({many}) ' if many > 1 else ''}{clauses}"}

    def directive(self, level, loop):
        """In front of the outermost parallel loop: how many there are, one right in the other."""
        many, at = 1, loop
        bound = {loop.var}
        while len(at.body) == 1 and isinstance(at.body[0], Loop) and at.body[0].par:
            inside = at.body[0]
            if len(inside.highs) > 1 or any(v in bound for e in (inside.low, *inside.highs) for v in e.terms):
                break
            at = inside
            bound.add(at.var)
            many += 1
        if self.form == "gang":
            many = max(1, many - 1)
            self.emit(level, "#pragma acc parallel loop gang" + (f" collapse({many})" if many > 1 else ""))
        else:
            many = many if self.p.traits["collapse"] else 1
            self.emit(level, "#pragma acc parallel loop" + (f" collapse({many})" if many > 1 else ""))
        return many

    def loop(self, level, s, outside, skip):
        """`skip` is how many parallel loops a directive outside takes with it."""
        vector = False
        if self.acc() and s.par:
            if outside:
                skip = self.directive(level, s)
            elif self.form == "gang" and skip <= 0 and not any(isinstance(x, Loop) and x.par for x in s.body):
                self.emit(level, "#pragma acc loop vector")
                vector = True
        before = self.in_gang, self.in_vector
        self.in_gang = self.in_gang or s.par
        self.in_vector = self.in_vector or vector
        self.emit(level, self.header(s))
        self.block(level + 1, s.body, outside and not s.par, skip - 1)
        self.emit(level, "}")
        self.in_gang, self.in_vector = before

    def whole(self, level, s):
        """A sum of everything: a reduction clause where there is one, else kernels."""
        clauses = self.reductions(s.fold)
        if self.acc() and clauses and self.p.traits["clause"]:
            many = len(s.fold.loops)
            self.fold(level, s.fold, f"#pragma acc parallel loop {clauses}" + (f" collapse({many})" if many > 1 else ""))
            self.emit(level, "#pragma acc serial")
            self.emit(level, "{")
            self.block(level + 1, s.stores, False)
            self.emit(level, "}")
            return
        if self.acc():
            self.emit(level, "#pragma acc kernels")
        self.emit(level, "{")
        self.fold(level + 1, s.fold)
        self.block(level + 1, s.stores, False)
        self.emit(level, "}")

    def block(self, level, body, outside, skip=0):
        """Statements; `outside` tells that no parallel loop is around them."""
        for s in body:
            if isinstance(s, Loop):
                self.loop(level, s, outside, skip)
            elif isinstance(s, Whole):
                self.whole(level, s)
            elif isinstance(s, Fold):
                self.fold(level, s)
            elif isinstance(s, Let):
                self.emit(level, f"{C_TYPES[s.value.ty]} {s.name} = {self.value(s.value)};")
            elif isinstance(s, Store):
                self.emit(level, f"{self.element(s.array, s.subs)} = {self.value(s.value)};")
            elif isinstance(s, Scatter):
                if self.acc():
                    self.emit(level, "#pragma acc atomic update")
                self.emit(level, f"{self.scattered(s)} += {self.value(s.value)};")
            elif isinstance(s, If):
                self.emit(level, f"if ({self.cond(s.cond)}) {{")
                self.block(level + 1, s.body, outside, skip)
                self.emit(level, "}")

    def parameter(self, a):
        const = "const " if a.role == "in" else ""
        only = "restrict " if self.p.restrict else ""
        if self.p.style == "linear":
            return f"{const}{C_TYPES[a.ty]} *{only}{a.name}"
        first, *rest = [self.aff(d) for d in a.dims]
        return f"{const}{C_TYPES[a.ty]} {a.name}[{only}{first}]" + "".join(f"[{d}]" for d in rest)

    def data(self):
        def part(a):
            if self.p.style == "linear":
                return f"{a.name}[0:{' * '.join(f'({self.aff(d)})' for d in a.dims)}]"
            return a.name + "".join(f"[0:{self.aff(d)}]" for d in a.dims)

        kinds = {"copyin": "in", "copy": "out", "create": "temp"}
        there = {k: [part(a) for a in self.p.arrays if a.role == r] for k, r in kinds.items()}
        return "#pragma acc data " + " ".join(f"{k}({', '.join(v)})" for k, v in there.items() if v)

    def function(self, name):
        """The function; sizes that are constants are no parameters."""
        sizes = [] if self.fixed else [f"int {n}" for n in self.p.sizes]
        self.emit(0, f"void {name}({', '.join([*sizes, *map(self.parameter, self.p.arrays)])}) {{")
        if self.acc():
            self.emit(1, self.data())
            self.emit(1, "{")
            self.block(2, self.p.body, True)
            self.emit(1, "}")
        else:
            if self.form == "scop":
                self.emit(0, "#pragma scop")
            self.block(1, self.p.body, True)
            if self.form == "scop":
                self.emit(0, "#pragma endscop")
        self.emit(0, "}")
        return "\n".join(self.lines) + "\n"


def c_text(program, form, which, name="kernel"):
    """A file with the program; `which` is 0 for the sizes of `check`, 1 for those of `run`."""
    return f"/* Random affine program of seed {program.seed}, {form}. */\n#include <math.h>\n\n" + Writer(program, form, which).function(name)
