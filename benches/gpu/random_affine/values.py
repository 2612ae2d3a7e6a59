"""Random arrays, accesses, values and conditions, for generate.py.

Floats stay small and away from overflow. Conditions on data are about arrays that come out the same in any
order of sums, so that a last digit decides nothing. What a nest writes it reads nowhere else.
"""
import random

from ir import Aff, Array, Cast, Compare, Const, Index, Load, Op, Scalar, Select, Where, var


class Values:
    def __init__(self, seed):
        self.seed, self.r = seed, random.Random(seed)
        self.arrays, self.writes, self.reads, self.names = [], set(), set(), 0
        r = self.r
        main = r.choices(("f32", "f64", "i32", "u8", "i16"), (50, 15, 20, 8, 7))[0]
        self.main = main
        # Half of the programs go along rows, as most do that people write.
        self.tidy = self.chance(0.5)
        self.whole = main in ("i32", "u8", "i16")

    def chance(self, p):
        return self.r.random() < p

    def name(self, head):
        self.names += 1
        return f"{head}{self.names}"

    # Arrays.

    def some_type(self):
        if self.chance(0.85):
            return self.main
        return self.r.choice(("i32", "u8", "i16") if self.whole else ("f32", "f64", "f32", "i32"))

    def new_array(self, dims, ty=None, role="in"):
        a = Array(self.name("abcdefgh"[len(self.arrays) % 8]), ty or self.some_type(), list(dims), role)
        self.arrays.append(a)
        return a

    def find(self, dims, ty=None, exact=False, reuse=0.7):
        """An array that may be read here, perhaps a new one. `ty` is that of its values."""
        a = self.found(dims, ty, exact, reuse)
        self.reads.add(a.name)
        return a

    def found(self, dims, ty, exact, reuse):
        there = [a for a in self.arrays if a.dims == list(dims) and a.name not in self.writes and (ty is None or a.value_type() == ty)
                 and (a.exact or not exact)]
        if there and (self.chance(reuse) or len(self.arrays) > 7):
            # What was written last is what a chain goes on with.
            return there[-1] if self.chance(0.5) else self.r.choice(there)
        if ty == "i32":
            return self.new_array(dims, self.r.choice(("i32", self.main)) if self.whole else "i32")
        return self.new_array(dims, ty)

    def target(self, dims, ty=None, temp=False):
        """An array to be written: a new one, or an output of a nest before, which loses what it held."""
        ty = ty or self.main
        old = [a for a in self.arrays if a.role == "out" and a.dims == list(dims) and a.ty == ty and a.name not in self.writes | self.reads]
        a = self.r.choice(old) if old and not temp and self.chance(0.15) else self.new_array(dims, ty, "temp" if temp else "out")
        self.writes.add(a.name)
        return a

    # Accesses. `scope` is a list of (variable, size, margin).

    def subscript(self, name, size, margin, kinds):
        """A subscript and the size of the dimension that it needs."""
        kind = self.r.choices(("plain", "reversed", "strided", "offset"), kinds)[0]
        if margin and self.chance(0.5):
            return var(name) + self.r.randint(-margin, margin), size
        if kind == "reversed":
            return size - 1 - var(name), size
        if kind == "strided":
            s, c = self.r.choice((2, 2, 3)), self.r.randint(0, 2)
            return var(name, s) + c, size * s + self.r.choice((c, 3))
        if kind == "offset":
            c = self.r.randint(1, 3)
            return var(name) + c, size + c
        return var(name), size

    def access(self, scope, ty=None, exact=False, kinds=(84, 5, 6, 5)):
        scope = list(scope)
        if self.tidy:
            kinds = (98, 0.5, 0.5, 1)
        if self.chance(0.02 if self.tidy else 0.15):
            self.r.shuffle(scope)
        if len(scope) > 1 and self.chance(0.18):
            scope = [s for s in scope if self.chance(0.6)] or [self.r.choice(scope)]
        pairs = [self.subscript(*s, kinds) for s in scope]
        if len(pairs) < 4 and self.chance(0.05):
            pairs.insert(self.r.randint(0, len(pairs)), (Aff(self.r.randint(0, 2)), Aff(3)))
        return Load(self.find([d for _, d in pairs], ty, exact), [s for s, _ in pairs])

    def plain(self, scope, array):
        return Load(array, [var(v) for v, _, _ in scope])

    # Conditions.

    def index_condition(self, scope):
        v, size, _ = self.r.choice(scope)
        kind = self.r.choice(("mod", "below", "edge", "pair"))
        if kind == "pair" and len(scope) > 1:
            w = self.r.choice([s for s in scope if s[0] != v])[0]
            return Where([(var(v) - var(w) + self.r.randint(-2, 2), 0)])
        if kind == "below":
            return Where([(size - var(v) - self.r.randint(2, 5), 0)])
        if kind == "edge":
            return Where([(var(v) - 1, 0), (size - 2 - var(v), 0)])
        return Where([(var(v) + self.r.randint(0, 2), self.r.choice((2, 3, 4)))])

    def condition(self, scope):
        if self.chance(0.4):
            return self.index_condition(scope)
        x = self.access(scope, exact=True)
        if x.ty == "i32":
            return Compare(self.r.choice(("<", "<=", ">", ">=", "!=", "==")), x, Const(self.r.randint(-3, 4), "i32"))
        return Compare(self.r.choice(("<", ">", ">=")), x, Const(self.r.choice((0.25, 0.5, 0.75)), x.ty))

    # Values.

    def guarded_neighbour(self, scope, other):
        """An element beside this one where there is such a one, else something else."""
        v, size, _ = self.r.choice(scope)
        by = self.r.choice((-2, -1, 1, 3))
        inside = var(v) + by if by < 0 else size - 1 - by - var(v)
        a = self.find([s for _, s, _ in scope], other.ty)
        x = Load(a, [var(u) + by if u == v else var(u) for u, _, _ in scope])
        return Select(Where([(inside, 0)]), x if x.ty == other.ty else Cast(x, other.ty), other, True)

    def first(self, kind, ty, scope):
        """What a fold begins with: mostly what changes nothing, but not always."""
        if kind in ("max", "min"):
            if ty != "i32" and self.chance(0.4):
                return Const(float("-inf" if kind == "max" else "inf"), ty)
            low = -100000 if kind == "max" else 100000
            return Const(low if ty == "i32" else float(low), ty)
        if scope and self.chance(0.12):
            return self.leaf(scope, ty, [])
        if self.chance(0.1):
            return Const(3 if ty == "i32" else 1.5, ty)
        neutral = 1 if kind in ("mul", "and") else 0
        return Const(-1 if kind == "and" else neutral if ty == "i32" else float(neutral), ty)

    def recurrence(self, me, x):
        """A next value that depends on the one before in a way that is no sum and no extremum."""
        ty, c = me.ty, lambda v: Const(v, me.ty)
        if ty == "i32":
            return self.r.choice((
                Op("sub", [x, me]), Op("and", [Op("add", [Op("mul", [me, c(3)]), x]), c(255)]), Op("xor", [Op("shr", [me, c(1)]), x]),
                Op("max", [Op("sub", [me, c(1)]), x]), Select(Compare(">", x, me), x, Op("sub", [me, c(1)])),
                Op("xor", [me, x]), Op("or", [me, x]), Op("and", [me, x])))
        return self.r.choice((
            Op("sub", [x, me]), Op("add", [Op("mul", [me, c(0.5)]), x]), Op("max", [Op("mul", [me, c(0.75)]), x]),
            Op("min", [Op("add", [me, c(0.25)]), x]), Op("mul", [Op("add", [me, x]), c(0.5)]), Op("sub", [me, x])))

    def leaf(self, scope, ty, lets):
        if lets and self.chance(0.3):
            x = Scalar(*self.r.choice(lets))
        elif self.chance(0.06):
            x = Index(var(self.r.choice(scope)[0]))
            x = Op("and", [x, Const(15, "i32")])
            return x if ty == "i32" else Op("mul", [Cast(x, ty), Const(0.0625, ty)])
        else:
            x = self.access(scope, "i32" if ty == "i32" else None)
        return x if x.ty == ty else Cast(x, ty)

    def value(self, scope, ty, depth=2, lets=()):
        """Something of type `ty`; `lets` are scalars (name, type) that are there."""
        if depth == 0 or self.chance(0.15):
            return self.leaf(scope, ty, [x for x in lets if ty != "i32" or x[1] == "i32"])
        a = self.value(scope, ty, depth - 1, lets)
        if self.chance(0.07):
            return self.guarded_neighbour(scope, a)
        if self.chance(0.1):
            return Select(self.condition(scope), a, self.value(scope, ty, 0, lets))
        c = lambda v: Const(v, ty)
        if ty == "i32":
            kind = self.r.choice(("add", "add", "sub", "mul", "max", "min", "xor", "and", "or", "shr", "rem", "div", "abs"))
            if kind in ("shr", "rem", "div", "abs"):
                return Op(kind, [a] if kind == "abs" else [a, Const(self.r.choice((1, 2, 3)) if kind == "shr" else self.r.choice((3, 5, 16)), "i32")])
            b = self.value(scope, ty, depth - 1, lets)
            if kind == "mul":
                a, b = Op("and", [a, Const(63, ty)]), Op("and", [b, Const(31, ty)])
            return Op(kind, [a, b])
        kind = self.r.choice(("add", "add", "sub", "mul", "mul", "max", "min", "abs", "sqrt", "exp", "div", "scale"))
        if kind == "abs":
            return Op("abs", [Op("sub", [a, c(0.5)])])
        if kind == "sqrt":
            return Op("sqrt", [Op("add", [Op("abs", [a]), c(0.125)])])
        if kind == "exp":
            return Op("exp", [Op("sub", [c(0.0), Op("abs", [a])])])
        if kind == "scale":
            return Op("add", [Op("mul", [a, c(self.r.choice((0.5, 0.75, -0.25)))]), c(self.r.choice((0.1, 0.2)))])
        b = self.value(scope, ty, depth - 1, lets)
        if kind == "div":
            return Op("div", [a, Op("add", [Op("mul", [b, b]) if not isinstance(b, Op) else Op("abs", [b]), c(1.5)])])
        if kind == "mul":
            return Op("mul", [Op("mul", [a, c(0.75)]), Op("min", [Op("max", [b, c(-2.0)]), c(2.0)]) if isinstance(b, Op) else b])
        return Op(kind, [a, b])

    def stored(self, array, x):
        """A value as it is stored: small enough, and marked where its last digits may differ."""
        if array.value_type() == "i32":
            return Op("and", [x, Const({"u8": 255, "i16": 4095, "i32": 1023}[array.ty], "i32")])
        array.exact = False
        if isinstance(x, Op) and x.op in ("add", "sub", "mul", "div"):
            x = Op("mul", [x, Const(0.75, x.ty)])
        return x

    def constant_for(self, ty):
        return Const(self.r.randint(0, 3) if ty == "i32" else self.r.choice((0.0, 0.5, 1.0)), ty)
