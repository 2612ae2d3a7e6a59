"""Nests whose outer iterations are a block's work each: folds, loops and scalars behind each other within a row."""
from ir import Aff, Cast, Const, Fold, If, Let, Load, Loop, Op, Scalar, Store, var
from values import Values


class Blocks(Values):
    """What the outer loops' iterations write is theirs: arrays of theirs are read at any place of the row behind
    the loop that wrote it."""

    def begin(self):
        scope = self.scope()
        at = len(scope) - 1 if self.chance(0.95 if self.tidy else 0.6) else self.r.randrange(len(scope))
        self.kept, self.along = scope[:at] + scope[at + 1:], scope[at]
        # Arrays of a row's elements, those that have been written with their type; scalars; where the row is in subscripts.
        self.at, self.rows, self.scalars = at, [], []

    def here(self, array, sub):
        subs = [var(v) for v, _, _ in self.kept]
        subs.insert(self.at, sub)
        return Load(array, subs)

    def inner(self):
        """A loop along the row: bounds that may depend on the loops outside where sizes allow that."""
        name, size = self.name("v"), self.along[1]
        low, high = Aff(0), size
        same = [v for v, s, _ in self.kept if s == size]
        if same and self.chance(0.3):
            o = var(self.r.choice(same))
            low, high = self.r.choice(((Aff(0), o + 1), (Aff(0), o), (o, size), (o + 1, size), (Aff(0), size - o)))
        return Loop(name, low, [high], par=False)

    def row_value(self, name, ty, depth):
        """Of the row: its arrays at this or another place, its scalars, and anything else."""
        scope = [*self.kept, (name, self.along[1], 0)]
        terms = [self.value(scope, ty, depth, [s for s in self.scalars if ty != "i32" or s[1] == "i32"])]
        if self.rows and self.chance(0.8):
            a = self.r.choice(self.rows)
            x = self.here(a, var(name) if self.chance(0.9 if self.tidy else 0.6) else self.along[1] - 1 - var(name))
            if ty != "i32" or x.ty == "i32":
                terms.append(x if x.ty == ty else Cast(x, ty))
        if self.scalars and self.chance(0.7):
            x = Scalar(*self.r.choice(self.scalars))
            if ty != "i32" or x.ty == "i32":
                x = x if x.ty == ty else Cast(x, ty)
                terms.append(x if ty == "i32" else Op("min", [x, Const(2.0, ty)]))
        out = terms[0]
        for t in terms[1:]:
            out = Op(self.r.choice(("add", "sub", "max", "min")), [out, t])
        return out

    def fold_item(self):
        ty = "i32" if self.whole else self.main
        loop, name = self.inner(), self.name("s")
        x = self.row_value(loop.var, ty, self.r.randint(0, 1))
        me = Scalar(name, ty)
        first = lambda kind: self.first(kind, ty, self.kept)
        self.scalars.append((name, ty))
        kind = self.r.choice(("sum", "sum", "sum", "max", "max", "min", "recurrence"))
        if kind == "sum":
            self.sums = self.sums or ty != "i32"
            x = Op("and", [x, Const(7, ty)]) if ty == "i32" else Op("mul", [x, Const(0.01, ty)])
            return Fold([(name, ty, first("sum"))], [loop], [], [Op("add", [me, x])])
        x = Op("and", [x, Const(1023, ty)]) if ty == "i32" else x
        if kind == "recurrence":
            self.sums = self.sums or ty != "i32"
            return Fold([(name, ty, first("sum"))], [loop], [], [self.recurrence(me, x)])
        return Fold([(name, ty, first(kind))], [loop], [], [Op(kind, [me, x])])

    def loop_item(self):
        """A loop that writes one or two arrays of the row."""
        loop, new = self.inner(), []
        loop.par = True
        full = loop.low == Aff(0) and loop.highs == [self.along[1]]
        for _ in range(self.r.choice((1, 1, 2))):
            old = [a for a in self.rows if a.role == "out" and a not in new]
            dims = [s for _, s, _ in self.kept]
            dims.insert(self.at, self.along[1])
            new.append(self.r.choice(old) if old and self.chance(0.3) else self.target(dims, temp=full and self.chance(0.25)))
        again = [a for a in new if a in self.rows]
        # Within the loop that writes it an array is read at the same place alone.
        self.rows = [a for a in self.rows if a not in new]
        for array in new:
            x = self.row_value(loop.var, array.value_type(), self.r.randint(0, 2))
            mine = self.here(array, var(loop.var))
            if array in again and self.chance(0.5):
                x = Op("add", [mine, x])
            store = Store(array, mine.subs, self.stored(array, x))
            if array.role != "temp" and self.chance(0.15):
                store = If(self.condition([*self.kept, (loop.var, self.along[1], 0)]), [store])
            loop.body.append(store)
        self.rows += new
        return loop

    def running_item(self):
        """Running sums of the row."""
        ty = "i32" if self.whole else self.main
        loop, name, t = self.inner(), self.name("s"), self.name("t")
        dims = [s for _, s, _ in self.kept]
        dims.insert(self.at, self.along[1])
        x = self.row_value(loop.var, ty, 0)
        array = self.target(dims, ty)
        array.exact = self.whole
        self.sums = self.sums or not self.whole
        x = Op("and", [x, Const(7, ty)]) if ty == "i32" else Op("mul", [x, Const(0.01, ty)])
        body = [Let(t, Op("add", [Scalar(name, ty), x])), Store(array, self.here(array, var(loop.var)).subs, Scalar(t, ty))]
        self.rows.append(array)
        self.scalars.append((name, ty))
        return Fold([(name, ty, Const(0 if ty == "i32" else 0.0, ty))], [loop], body, [Scalar(t, ty)])

    def scalar_item(self):
        """A number of the row, from those that are there."""
        ty = "i32" if self.whole else self.main
        name = self.name("t")
        x = self.value(self.kept, ty, 1, [s for s in self.scalars if s[1] == ty])
        if self.rows and self.chance(0.5):
            y = self.here(self.r.choice(self.rows), Aff(0) if self.chance(0.5) else self.along[1] - 1)
            x = Op("add", [x, y if y.ty == ty else Cast(y, ty)]) if ty != "i32" or y.ty == "i32" else x
        x = Op("and", [x, Const(1023, "i32")]) if ty == "i32" else Op("min", [x, Const(2.0, ty)])
        self.scalars.append((name, ty))
        return Let(name, x)

    def blocks(self):
        self.begin()
        if not self.kept:
            return self.elementwise()
        makers = {self.fold_item: 4, self.loop_item: 5, self.running_item: 0.7, self.scalar_item: 1.5}
        body = []
        for make in self.r.choices(list(makers), list(makers.values()), k=self.r.randint(2, 5)):
            item = make()
            if isinstance(item, Loop) and self.chance(0.1) and all(s.array.role == "out" for s in item.body if isinstance(s, Store)):
                item = If(self.index_condition(self.kept), [item])
            body.append(item)
        if not any(isinstance(s, (Loop, If)) for s in body) or self.chance(0.4):
            mine = [s for s in self.scalars]
            if mine:
                body += self.results(self.kept, [Scalar(*self.r.choice(mine))])
            else:
                body.append(self.loop_item())
        self.body += self.plain_loops(self.kept, body, True)
