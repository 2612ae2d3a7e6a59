"""A random program as affine MLIR."""
from ir import Aff, Cast, Compare, Const, Fold, If, Index, Let, Load, Loop, Op, Scalar, Scatter, Select, Store, Whole

TYPES = {"f32": "f32", "f64": "f64", "i32": "i32", "u8": "i8", "i16": "i16"}
FLOAT = {"add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf", "max": "arith.maximumf",
         "min": "arith.minimumf", "abs": "math.absf", "sqrt": "math.sqrt", "exp": "math.exp", "tanh": "math.tanh"}
INTEGER = {"add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "div": "arith.divsi", "rem": "arith.remsi",
           "and": "arith.andi", "or": "arith.ori", "xor": "arith.xori", "shr": "arith.shrsi", "max": "arith.maxsi",
           "min": "arith.minsi", "abs": "math.absi"}
COMPARE = {"<": ("olt", "slt"), "<=": ("ole", "sle"), ">": ("ogt", "sgt"), ">=": ("oge", "sge"), "==": ("oeq", "eq"), "!=": ("une", "ne")}


class Writer:
    """`which` is 0 for the sizes of `check`, 1 for those of `run`: the arrays' first contents have them as their shapes."""

    def __init__(self, program, which):
        self.p, self.lines, self.number = program, [], 0
        self.values = {n: v[which] for n, v in program.sizes.items()}
        self.fixed = self.values if program.style == "static" else {}
        self.scalars = {}
        self.constants = {}

    def emit(self, level, text):
        self.lines.append("  " * level + text)

    def fresh(self):
        self.number += 1
        return f"%x{self.number}"

    def op(self, level, text):
        """A value of its own."""
        name = self.fresh()
        self.emit(level, f"{name} = {text}")
        return name

    def constant(self, text, ty):
        """Constants stand at the top of the function."""
        return self.constants.setdefault((text, ty), f"%cst{len(self.constants)}")

    # Affine expressions.

    def aff(self, a):
        out = Aff(a.const)
        for v, f in a.terms.items():
            out = out + (self.fixed[v] * f if v in self.fixed else Aff(0, **{v: f}))
        return out

    def subscript(self, a):
        return self.aff(a).text(lambda v: f"%{v}")

    def mapped(self, affs, many=""):
        """As a bound, with a word in front where there are several."""
        affs = [self.aff(a) for a in affs]
        if len(affs) == 1 and not affs[0].terms:
            return str(affs[0].const)
        # A loop's variable alone would be taken for a symbol.
        if len(affs) == 1 and affs[0].plain() in self.values:
            return f"%{affs[0].plain()}"
        names = sorted({v for a in affs for v in a.terms})
        text = ", ".join(a.text() for a in affs)
        return f"{many + ' ' if len(affs) > 1 else ''}affine_map<({', '.join(names)}) -> ({text})>({', '.join('%' + n for n in names)})"

    def applied(self, level, a):
        """An index with the value of an affine expression."""
        text = self.mapped([a])
        if text.startswith("%"):
            return text
        if text.startswith("affine_map"):
            return self.op(level, f"affine.apply {text}")
        return self.constant(text, "index")

    def memref(self, array):
        dims = [self.aff(d) for d in array.dims]
        return f"memref<{''.join(('?' if d.terms else str(d.const)) + 'x' for d in dims)}{TYPES[array.ty]}>"

    # Values.

    def value(self, level, e):
        if isinstance(e, Const):
            bits = {"f32": ("0x7F800000", "0xFF800000"), "f64": ("0x7FF0000000000000", "0xFFF0000000000000")}
            if abs(e.value) == float("inf"):
                return self.constant(bits[e.ty][e.value < 0], e.ty)
            return self.constant(str(e.value) if e.ty == "i32" else repr(float(e.value)), e.ty)
        if isinstance(e, Scalar):
            return self.scalars[e.name]
        if isinstance(e, Load):
            at = ", ".join(map(self.subscript, e.subs))
            out = self.op(level, f"affine.load %{e.array.name}[{at}] : {self.memref(e.array)}")
            if e.array.ty in ("u8", "i16"):
                out = self.op(level, f"arith.{'extui' if e.array.ty == 'u8' else 'extsi'} {out} : {TYPES[e.array.ty]} to i32")
            return out
        if isinstance(e, Index):
            return self.op(level, f"arith.index_cast {self.applied(level, e.aff)} : index to i32")
        if isinstance(e, Cast):
            arg = self.value(level, e.arg)
            if e.arg.ty == e.ty:
                return arg
            kind = "sitofp" if e.arg.ty == "i32" else "extf" if e.ty == "f64" else "truncf"
            return self.op(level, f"arith.{kind} {arg} : {e.arg.ty} to {e.ty}")
        if isinstance(e, Select):
            cond = self.cond(level, e.cond)
            if self.p.traits["if_values"] or e.guards:
                return self.branch(level, cond, e)
            yes, no = self.value(level, e.yes), self.value(level, e.no)
            return self.op(level, f"arith.select {cond}, {yes}, {no} : {e.ty}")
        args = ", ".join(self.value(level, a) for a in e.args)
        return self.op(level, f"{(INTEGER if e.ty == 'i32' else FLOAT)[e.op]} {args} : {e.ty}")

    def branch(self, level, cond, e):
        """A choice as scf.if: what is not chosen is not computed."""
        out = self.fresh()
        self.emit(level, f"{out} = scf.if {cond} -> ({e.ty}) {{")
        self.emit(level + 1, f"scf.yield {self.value(level + 1, e.yes)} : {e.ty}")
        self.emit(level, "} else {")
        self.emit(level + 1, f"scf.yield {self.value(level + 1, e.no)} : {e.ty}")
        self.emit(level, "}")
        return out

    def cond(self, level, c):
        if isinstance(c, Compare):
            a, b = self.value(level, c.a), self.value(level, c.b)
            whole = c.a.ty == "i32"
            return self.op(level, f"arith.cmp{'i' if whole else 'f'} {COMPARE[c.op][whole]}, {a}, {b} : {c.a.ty}")
        out, zero = None, self.constant("0", "index")
        for a, mod in c.parts:
            at = self.applied(level, a)
            if mod:
                rest = self.op(level, f"arith.remsi {at}, {self.constant(str(mod), 'index')} : index")
                one = self.op(level, f"arith.cmpi eq, {rest}, {zero} : index")
            else:
                one = self.op(level, f"arith.cmpi sge, {at}, {zero} : index")
            out = one if out is None else self.op(level, f"arith.andi {out}, {one} : i1")
        return out

    # Statements.

    def header(self, loop):
        step = f" step {loop.step}" if loop.step != 1 else ""
        return f"affine.for %{loop.var} = {self.mapped([loop.low])} to {self.mapped(loop.highs, 'min')}{step}"

    def fold(self, level, s):
        firsts = [self.value(level, first) for _, _, first in s.carries]
        types = [ty for _, ty, _ in s.carries]
        results = []
        for depth, loop in enumerate(s.loops):
            inside = [self.fresh() for _ in s.carries]
            result = self.fresh()
            carried = ", ".join(f"{i} = {f}" for i, f in zip(inside, firsts))
            many = f":{len(types)}" if len(types) > 1 else ""
            self.emit(level + depth, f"{result}{many} = {self.header(loop)} iter_args({carried}) -> ({', '.join(types)}) {{")
            results.append([f"{result}#{k}" for k in range(len(types))] if many else [result])
            firsts = inside
        depth = level + len(s.loops)
        for (name, _, _), v in zip(s.carries, firsts):
            self.scalars[name] = v
        self.block(depth, s.body)
        values = [self.value(depth, n) for n in s.nexts]
        for values in [values, *reversed(results[1:])]:
            self.emit(depth, f"affine.yield {', '.join(values)} : {', '.join(types)}")
            depth -= 1
            self.emit(depth, "}")
        for (name, _, _), v in zip(s.carries, results[0]):
            self.scalars[name] = v

    def store(self, level, s):
        value = self.value(level, s.value)
        if s.array.ty in ("u8", "i16"):
            value = self.op(level, f"arith.trunci {value} : i32 to {TYPES[s.array.ty]}")
        at = ", ".join(map(self.subscript, s.subs))
        self.emit(level, f"affine.store {value}, %{s.array.name}[{at}] : {self.memref(s.array)}")

    def scatter(self, level, s):
        at = self.op(level, f"arith.index_cast {self.value(level, s.at)} : i32 to index")
        value, ty = self.value(level, s.value), s.array.ty
        rest = [self.applied(level, x) for x in s.subs]
        array = f"%{s.array.name}[{', '.join([*rest, at] if s.front else [at, *rest])}]"
        if self.p.traits["atomic"]:
            self.op(level, f"memref.atomic_rmw add{'i' if ty == 'i32' else 'f'} {value}, {array} : ({ty}, {self.memref(s.array)}) -> {ty}")
            return
        old = self.op(level, f"memref.load {array} : {self.memref(s.array)}")
        new = self.op(level, f"arith.add{'i' if ty == 'i32' else 'f'} {old}, {value} : {ty}")
        self.emit(level, f"memref.store {new}, {array} : {self.memref(s.array)}")

    def guarded(self, level, s):
        if isinstance(s.cond, Compare):
            self.emit(level, f"scf.if {self.cond(level, s.cond)} {{")
        else:
            names = sorted({v for a, _ in s.cond.parts for v in self.aff(a).terms})
            parts = ", ".join(f"{self.aff(a).text()} >= 0" if not m else f"({self.aff(a).text()}) mod {m} == 0" for a, m in s.cond.parts)
            self.emit(level, f"affine.if affine_set<({', '.join(names)}) : ({parts})>({', '.join('%' + n for n in names)}) {{")
        self.block(level + 1, s.body)
        self.emit(level, "}")

    def block(self, level, body):
        for s in body:
            if isinstance(s, Loop):
                self.emit(level, self.header(s) + " {")
                self.block(level + 1, s.body)
                self.emit(level, "}")
            elif isinstance(s, Whole):
                self.fold(level, s.fold)
                self.block(level, s.stores)
            elif isinstance(s, Fold):
                self.fold(level, s)
            elif isinstance(s, Let):
                self.scalars[s.name] = self.value(level, s.value)
            elif isinstance(s, Store):
                self.store(level, s)
            elif isinstance(s, Scatter):
                self.scatter(level, s)
            elif isinstance(s, If):
                self.guarded(level, s)

    # The function.

    def parameter(self, seed, a):
        dims = [self.aff(d) for d in a.dims]
        shape = "x".join(str(d.at(self.values)) for d in a.dims)
        names = ", ".join(f'"{d.text().replace(" * ", "x").replace(" + ", "p").replace(" - ", "m")}"' for d in dims)
        names = ", ".join(n if n[1].isalpha() or n.strip('"').isdigit() else f'"s{n[1:]}' for n in names.split(", "))
        return f'    %{a.name}: {self.memref(a)} {{terrace.name = "{a.name}", terrace.dims = [{names}], terrace.init = "random:{shape}:{seed}"}}'

    def function(self, name):
        seeds = {a.name: k for k, a in enumerate(self.p.arrays, 1)}
        arguments = [self.parameter(seeds[a.name], a) for a in self.p.arrays if a.role != "temp"]
        head = []
        for n in self.p.sizes if not self.fixed else ():
            for a in self.p.arrays:
                at = next((k for k, d in enumerate(a.dims) if d.plain() == n), None)
                if a.role != "temp" and at is not None:
                    head.append(f"  %{n} = memref.dim %{a.name}, {self.constant(str(at), 'index')} : {self.memref(a)}")
                    break
            else:
                arguments.append(f'    %{n}: index {{terrace.name = "{n}", terrace.init = "{self.values[n]}"}}')
        temps = [a for a in self.p.arrays if a.role == "temp"]
        for a in temps:
            sizes = ", ".join(self.applied(1, d) for d in a.dims if self.aff(d).terms)
            self.emit(1, f"%{a.name} = memref.alloc({sizes}) : {self.memref(a)}")
        self.block(1, self.p.body)
        for a in temps:
            self.emit(1, f"memref.dealloc %{a.name} : {self.memref(a)}")
        constants = [f"  {v} = arith.constant {text} : {ty}" for (text, ty), v in self.constants.items()]
        return "\n".join([f"func.func @{name}(", ",\n".join(arguments) + ") {", *constants, *head, *self.lines, "  return", "}"]) + "\n"


def mlir_text(program, which, name="kernel"):
    return f"// Random affine program of seed {program.seed}.\n\n" + Writer(program, which).function(name)
