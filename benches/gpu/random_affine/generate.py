#!/usr/bin/env python3
"""Random affine programs for GPUs: `program(seed)` gives the one of a seed.

    benches/gpu/random_affine/generate.py SEED [acc|gang|scop|auto|mlir] [--large]

prints it with its sizes for `run.py check`, or with those for `run.py run`. README.md says what programs are like.
"""
import math
import sys

import live
import to_c
import to_mlir
from ir import BYTES, Aff, Compare, Const, Cast, Fold, If, Index, Let, Load, Loop, Op, Program, Scalar, Scatter, Select, Store, Whole, var
from blocks import Blocks

LETTERS = "ijkl"
# Bytes that a program moves at the sizes of `run`, at the least.
LEAST_BYTES = 240e6
# Larger than this a program is not made for that: one that computes much from little.
MOST_ITERATIONS, MOST_BYTES = 1 << 30, 8e9


class Generator(Blocks):
    def __init__(self, seed):
        super().__init__(seed)
        r = self.r
        rank = r.choices((1, 2, 3, 4), (15, 45, 28, 12))[0]
        self.kinds, self.axes = {}, []
        for k in range(rank):
            if k and self.chance(0.25):
                self.axes.append(r.choice(self.axes))
                continue
            name = f"n{k}"
            self.axes.append(name)
            self.kinds[name] = r.choices(("power", "odd", "tiny", "round", "edge"), (20, 40, 12 if rank > 1 else 0, 15, 13))[0]
        if all(k == "tiny" for k in self.kinds.values()):
            self.kinds[self.axes[0]] = "odd"
        self.sums = False
        self.body, self.nests, self.shapes = [], 0, []

    # Nests.

    def scope(self, margins=0, axes=None):
        """The loops of a nest, one for each axis: (variable, size, margin)."""
        self.nests += 1
        self.writes, self.reads = set(), set()
        axes = self.axes if axes is None else axes
        self.shapes.append(axes)
        return [(f"{LETTERS[k]}{self.nests}", var(n), margins if self.kinds[n] != "tiny" else 0) for k, n in enumerate(axes)]

    def loops(self, scope, body, steps=0.03):
        """A nest around statements; where there are margins, of inner iterations alone."""
        out = body
        for v, size, margin in reversed(scope):
            step = self.r.choice((2, 3)) if self.chance(steps) else 1
            out = [Loop(v, Aff(margin), [size - margin if margin else size], out, step)]
        return out

    def shuffled(self, scope, p=0.15):
        scope = list(scope)
        if self.chance(p / 5 if self.tidy else p):
            self.r.shuffle(scope)
        return scope

    def place(self, scope, ty=None, temp=False):
        """An array to be written and the subscripts: as the loops are, or permuted, strided or reversed."""
        mixed = self.shuffled(scope, 0.12)
        pairs = [self.subscript(v, s, 0, (1, 0, 0, 0) if temp else (97, 1, 1, 1) if self.tidy else (92, 3, 3, 2)) for v, s, _ in mixed]
        return self.target([d for _, d in pairs], ty, temp), [s for s, _ in pairs]

    def guarded(self, scope, store, p=0.15):
        return If(self.condition(scope), [store]) if self.chance(p) else store

    def statements(self, scope, count, temp=False):
        """Stores to several arrays, with scalars that they share."""
        body, lets = [], []
        for _ in range(count):
            array, subs = self.place(scope, temp=temp)
            ty = array.value_type()
            if self.chance(0.3):
                lets.append((self.name("t"), ty))
                body.append(Let(lets[-1][0], self.value(scope, ty, 1)))
            x = self.stored(array, self.value(scope, ty, self.r.randint(1, 3), lets))
            store = Store(array, subs, x)
            body.append(store if temp else self.guarded(scope, store))
        return body

    def elementwise(self):
        scope = self.scope(self.r.choice((0, 0, 0, 1, 1, 2)))
        body = self.statements(scope, self.r.choice((1, 1, 2, 3)))
        self.body += self.loops(self.shuffled(scope), body)

    def in_place(self):
        """Each element from itself and others."""
        scope = self.scope()
        array = self.target([s for _, s, _ in scope])
        mine = self.plain(scope, array)
        x = Op("add", [self.value(scope, mine.ty, 1), mine])
        self.body += self.loops(self.shuffled(scope), [self.guarded(scope, Store(array, mine.subs, self.stored(array, x)), 0.3)])

    def chain(self):
        """Nests each of which goes on with what the one before made, in temporaries at times."""
        last, count = None, self.r.randint(2, 5)
        for k in range(count):
            margin = self.r.choice((0, 0, 1)) if k == count - 1 or self.chance(0.3) else 0
            temp = k < count - 1 and not margin and self.chance(0.7)
            scope = self.scope(margin)
            self.reads |= {last.name} if last else set()
            array = self.target([s for _, s, _ in scope], temp=temp)
            ty = array.value_type()
            x = self.value(scope, ty, self.r.randint(1, 2))
            if last:
                before = Load(last, [var(v) + self.r.randint(-m, m) for v, _, m in scope])
                x = Op(self.r.choice(("add", "sub", "max")), [before if before.ty == ty else Cast(before, ty), x])
            store = Store(array, [var(v) for v, _, _ in scope], self.stored(array, x))
            self.body += self.loops(self.shuffled(scope, 0.1), [store if temp else self.guarded(scope, store, 0.1)], 0 if temp else 0.03)
            last = array

    # Folds.

    def carried(self, scope, kind, kept):
        """Of a reduction: carries, next values, and the values that are stored behind it."""
        ty = "i32" if self.whole else self.main
        if kind == "count":
            name = self.name("s")
            one = Op("add", [Scalar(name, "i32"), Const(1, "i32")])
            return [(name, "i32", Const(0, "i32"))], [Select(self.condition(scope), one, Scalar(name, "i32"))], [Scalar(name, "i32")]
        if kind == "argmax":
            x = self.access(scope, exact=True)
            top, at = self.name("s"), self.name("s")
            place = Index(var(scope[-1][0]) if len(scope) < 2 or self.chance(0.7) else var(scope[-1][0]) + var(scope[-2][0], 3))
            better = Compare(self.r.choice((">", ">=", "<")), x, Scalar(top, x.ty))
            low = {"<": 1000, ">": -1000, ">=": -1000}[better.op]
            first = Const(low if x.ty == "i32" else float(low), x.ty)
            return ([(top, x.ty, first), (at, "i32", Const(0, "i32"))],
                    [Select(better, x, Scalar(top, x.ty)), Select(better, place, Scalar(at, "i32"))],
                    [Scalar(at, "i32")] + [Scalar(top, x.ty)] * self.chance(0.5))
        if self.main == "f32" and self.chance(0.1):
            ty = "f64"
        x = self.value(scope, ty, self.r.randint(0, 2))
        name = self.name("s")
        me = Scalar(name, ty)
        if kind in ("max", "min"):
            return [(name, ty, self.first(kind, ty, kept))], [Op(kind, [me, x])], [me]
        if kind == "recurrence":
            self.sums = self.sums or ty != "i32"
            return [(name, ty, self.first("sum", ty, kept))], [self.recurrence(me, Op("and", [x, Const(63, ty)]) if ty == "i32" else x)], [me]
        self.sums = self.sums or ty != "i32"
        if ty == "i32":
            x = Op("and", [x, Const(7, ty)])
        if kind == "mul" and ty != "i32":
            x = Op("add", [Op("mul", [Op("min", [Op("abs", [x]), Const(1.0, ty)]), Const(0.5, ty)]), Const(0.75, ty)])
            return [(name, ty, self.first("mul", ty, kept))], [Op("mul", [me, x])], [me]
        zero = self.first("sum", ty, kept)
        next_ = Op("add", [me, x])
        if self.chance(0.15):
            next_ = Select(self.condition(scope), next_, me)
        if kind == "two":
            other = self.name("s")
            it = Scalar(other, ty)
            y = self.value(scope, ty, 1)
            y = Op("and", [y, Const(7, ty)]) if ty == "i32" else Op("mul", [y, y])
            return [(name, ty, zero), (other, ty, zero)], [next_, Op("add", [it, y])], [me, it]
        return [(name, ty, zero)], [next_], [me]

    def results(self, kept, values):
        """Stores of what folds leave, behind all loops of theirs."""
        out = []
        for v in values:
            if kept:
                pairs = [self.subscript(*s, (92, 4, 2, 2)) for s in [(v, s, 0) for v, s, _ in self.shuffled(kept, 0.1)]]
            else:
                pairs = [(Aff(self.r.randint(0, 2)), Aff(3))]
            ty = v.ty if v.ty != "i32" or self.main not in ("u8", "i16") or self.chance(0.5) else self.main
            array = self.target([d for _, d in pairs], ty)
            array.exact = ty in ("i32", "u8", "i16")
            x = Op("and", [v, Const(255, "i32")]) if array.ty in ("u8", "i16") else v
            if v.ty != "i32" and self.chance(0.2):
                x = Op("sqrt", [Op("abs", [v])]) if self.chance(0.5) else Op("mul", [v, Const(0.01, v.ty)])
            out.append(Store(array, [s for s, _ in pairs], x))
        return out

    def split(self, scope):
        """The loops that stay and those that are folded: any subset of the axes."""
        folded = {self.r.randrange(len(scope))} | {k for k in range(len(scope)) if self.chance(0.3)}
        return [s for k, s in enumerate(scope) if k not in folded], [s for k, s in enumerate(scope) if k in folded]

    def reduction(self):
        scope = self.scope()
        kept, folded = self.split(scope)
        kind = self.r.choices(("sum", "max", "min", "mul", "count", "argmax", "two", "recurrence"), (34, 12, 8, 6, 10, 14, 12, 6))[0]
        if kept and kind == "sum" and self.chance(0.35):
            return self.in_memory(scope, kept, folded)
        carries, nexts, values = self.carried(scope, kind, kept)
        stores = self.results(kept, values)
        order = self.shuffled(folded, 0.2) if kind != "argmax" else folded
        fold = Fold(carries, [Loop(v, Aff(0), [s], par=False) for v, s, _ in order], [], nexts)
        self.body += self.loops(kept, [fold, *stores]) if kept else [Whole(fold, stores)]

    def in_memory(self, scope, kept, folded):
        """A sum in an element of an array; at times the loops that fold are outside."""
        array = self.target([s for _, s, _ in kept], "i32" if self.whole else self.main)
        mine = self.plain(kept, array)
        x = self.value(scope, mine.ty, 1)
        self.sums = self.sums or not self.whole
        x = Op("and", [x, Const(7, "i32")]) if self.whole else x
        array.exact = self.whole
        update = Store(array, mine.subs, Op("add", [mine, x]))
        first = Store(array, mine.subs, Const(0 if self.whole else 0.0, mine.ty))
        inside = lambda body: self.plain_loops(folded, body, False)
        if self.chance(0.5):
            self.body += self.plain_loops(kept, [first, *inside([update])], True)
        else:
            again = [(v + "z", s, m) for v, s, m in kept]
            self.body += self.plain_loops(again, [Store(array, [var(v) for v, _, _ in again], first.value)], True)
            self.body += inside(self.plain_loops(kept, [update], True))

    def plain_loops(self, scope, body, par):
        for v, s, _ in reversed(scope):
            body = [Loop(v, Aff(0), [s], body, 1, par)]
        return body

    def normalized(self):
        """Rows by their extrema, sums or moments, in place at times."""
        scope = self.scope()
        at = len(scope) - 1 if self.chance(0.9 if self.tidy else 0.6) else self.r.randrange(len(scope))
        kept, (v, size, _) = scope[:at] + scope[at + 1:], scope[at]
        ty = self.main if not self.whole else "f32"
        dims = [s for _, s, _ in scope]
        here = lambda a, w: Load(a, [var(w if u == v else u) for u, _, _ in scope])
        source = self.find(dims, ty)
        if source.role == "in" and self.chance(0.25):
            source.role = "out"
        to = source if source.role == "out" and self.chance(0.6) else self.target(dims, ty)
        to.exact, self.sums = False, True
        self.writes.add(to.name)
        f = lambda x: Const(x, ty)
        body, counter = [], Cast(Index(size), ty)

        def fold(first, make):
            name, w = self.name("s"), self.name("w")
            me = Scalar(name, ty)
            body.append(Fold([(name, ty, f(first))], [Loop(w, Aff(0), [size], par=False)], [], [make(me, here(source, w))]))
            return me

        kind = self.r.choice(("softmax", "moments", "range", "share"))
        if kind == "softmax":
            top = fold(-1000.0, lambda me, x: Op("max", [me, x]))
            total = fold(0.0, lambda me, x: Op("add", [me, Op("exp", [Op("sub", [x, top])])]))
            new = lambda x: Op("div", [Op("exp", [Op("sub", [x, top])]), total])
        elif kind == "moments":
            mean, m = self.name("m"), None
            total = fold(0.0, lambda me, x: Op("add", [me, x]))
            body.append(Let(mean, Op("div", [total, counter])))
            m = Scalar(mean, ty)
            square = lambda x: Op("mul", [Op("sub", [x, m]), Op("sub", [x, m])])
            spread = fold(0.0, lambda me, x: Op("add", [me, square(x)]))
            new = lambda x: Op("div", [Op("sub", [x, m]), Op("sqrt", [Op("add", [Op("div", [spread, counter]), f(0.01)])])])
        elif kind == "range":
            low = fold(1000.0, lambda me, x: Op("min", [me, x]))
            top = fold(-1000.0, lambda me, x: Op("max", [me, x]))
            new = lambda x: Op("div", [Op("sub", [x, low]), Op("add", [Op("sub", [top, low]), f(0.1)])])
        else:
            total = fold(0.0, lambda me, x: Op("add", [me, Op("abs", [x])]))
            new = lambda x: Op("div", [x, Op("add", [total, f(1.0)])])
        x = new(here(source, v))
        if self.chance(0.3):
            weights = self.find([size], ty, reuse=0.3)
            x = Op("mul", [x, Load(weights, [var(v)])])
        inner = Loop(v, Aff(0), [size], [Store(to, here(to, v).subs, x)])
        if self.chance(0.2) and kept:
            body += self.results(kept, [s for s in (Scalar(n, ty) for n, _, _ in body[0].carries)])
        body.append(inner)
        self.body += self.loops(kept, body) if kept else self.row_alone(body)

    def row_alone(self, body):
        """One row: its loops stand in a loop of one iteration."""
        return [Loop(self.name("one"), Aff(0), [Aff(1)], body)]

    def prefix(self):
        """Running sums or extrema along an axis."""
        scope = self.scope()
        at = len(scope) - 1 if self.chance(0.6) else self.r.randrange(len(scope))
        kept, (v, size, _) = scope[:at] + scope[at + 1:], scope[at]
        ty = "i32" if self.whole else self.main
        to = self.target([s for _, s, _ in scope], ty)
        x = self.value(scope, ty, self.r.randint(0, 1))
        x = Op("and", [x, Const(7, ty)]) if ty == "i32" else Op("mul", [x, Const(0.01, ty)])
        op = self.r.choice(("add", "add", "add", "max", "min", "other"))
        self.sums = self.sums or (op in ("add", "other") and ty != "i32")
        to.exact = ty == "i32"
        subs = [var(u) for u, _, _ in scope]
        if kept and op == "add" and self.chance(0.25):
            before = [var(u) - 1 if u == v else var(u) for u, _, _ in scope]
            update = Store(to, subs, Op(op, [Load(to, before), x]))
            step = lambda body: [Loop(v, Aff(1), [size], body, par=False)]
            self.body += step(self.plain_loops(kept, [update], True)) if self.chance(0.5) else self.plain_loops(kept, step([update]), True)
            return
        if self.chance(0.2):
            # In place.
            x = Load(to, subs)
            x = Op("and", [x, Const(7, ty)]) if ty == "i32" else Op("mul", [x, Const(0.01, ty)])
        elif self.chance(0.15):
            subs = [size - 1 - var(u) if u == v else var(u) for u, _, _ in scope]
        name = self.name("s")
        me, new = Scalar(name, ty), Scalar(self.name("t"), ty)
        next_ = self.recurrence(me, x) if op == "other" else Op(op, [me, x])
        if op == "add" and self.chance(0.15):
            # It begins anew here and there.
            next_ = Select(self.index_condition(scope), x, next_)
        store = Store(to, subs, new if self.chance(0.7) else me)
        body = [Let(new.name, next_), self.guarded(scope, store, 0.1)]
        fold = Fold([(name, ty, self.first(op, ty, kept))], [Loop(v, Aff(0), [size], par=False)], body, [new])
        behind = self.results(kept, [me]) if self.chance(0.25) else []
        self.body += self.plain_loops(kept, [fold, *behind], True) if kept else [Whole(fold, behind)]

    def scatter(self):
        scope = self.scope()
        bins = self.r.choice((4, 16, 64, 256))
        ty = "i32" if self.whole or self.chance(0.3) else self.main
        other = [self.r.choice(scope)] if self.chance(0.25) else []
        front = self.chance(0.5)
        dims = [size for _, size, _ in other]
        array = self.target([*dims, Aff(bins)] if front else [Aff(bins), *dims], ty)
        array.exact = ty == "i32"
        self.sums = self.sums or ty != "i32"
        at = Op("and", [self.value(scope, "i32", 1), Const(bins - 1, "i32")])
        x = Const(1, ty) if ty == "i32" and self.chance(0.5) else self.value(scope, ty, 1)
        x = x if ty != "i32" else Op("and", [x, Const(7, ty)])
        self.body += self.loops(scope, [self.guarded(scope, Scatter(array, at, [var(v) for v, _, _ in other], front, x))])

    # Bounds that depend on loops outside.

    def ragged(self):
        """The last loop goes as far as one outside says; elementwise, or a fold."""
        axes = list(self.axes) if len(self.axes) > 1 else [self.axes[0]] * 2
        which = self.r.randrange(len(axes) - 1)
        axes[-1] = axes[which]
        scope = self.scope(axes=axes)
        o, n, _ = scope[which]
        v = scope[-1][0]
        w = self.r.randint(2, 9)
        low, highs, size = self.r.choice((
            (Aff(0), [var(o) + 1], n), (Aff(0), [var(o)], n), (Aff(0), [n - var(o)], n), (var(o), [n], n), (var(o) + 1, [n], n),
            (var(o), [n, var(o) + w], n), (Aff(0), [n, var(o, 2) + 1], n), (Aff(0), [var(o, 2) + 1], n * 2), (var(o), [var(o) + w], n + w)))
        scope[-1] = (v, size, 0)
        outside = scope[:-1]
        if self.chance(0.5):
            inner = [Loop(v, low, highs, self.statements(scope, self.r.choice((1, 1, 2))))]
        else:
            kind, kept = self.r.choice(("sum", "max", "count", "argmax", "two", "sum", "recurrence")), outside
            carries, nexts, values = self.carried(scope, kind, kept)
            inner = [Fold(carries, [Loop(v, low, highs, par=False)], [], nexts), *self.results(outside, values)]
        self.body += self.plain_loops(outside, inner, True)

    # The program.

    def program(self, kinds=()):
        r = self.r
        makers = {self.elementwise: 20, self.in_place: 6, self.chain: 14, self.reduction: 22, self.normalized: 10, self.blocks: 18, self.prefix: 7,
                  self.scatter: 5, self.ragged: 10}
        makers = {m: w for m, w in makers.items() if not kinds or m.__name__ in kinds}
        for make in r.choices(list(makers), list(makers.values()), k=r.choices((1, 2, 3), (45, 35, 20))[0]):
            make()
        used = [a for a in self.arrays if a.name in live.names(self.body)]
        style = r.choices(("variable", "linear", "static"), (50, 20, 30))[0]
        traits = {t: self.chance(p) for t, p in (("collapse", 0.7), ("clause", 0.7), ("if_extrema", 0.5), ("if_values", 0.3), ("atomic", 0.7), ("shared_folds", 0.7), ("workers", 0.5))}
        p = Program(self.seed, used, self.body, {}, style, self.chance(0.9), self.sums, traits)
        self.choose_sizes(p)
        return p

    def volume(self, sizes):
        """Iterations of the largest nest."""
        return max(math.prod(sizes[n] for n in axes) for axes in self.shapes)

    def fitted(self, weight, enough, tiny):
        """The least sizes, from small ones on, of which `enough` says so."""
        base = 0.1
        while True:
            sizes = {n: tiny[n] if n in tiny else self.sized(n, base * weight[n]) for n in self.kinds}
            # No size is enough where loops go along short axes alone.
            if enough(sizes) or base > 1e7:
                return sizes
            base *= 1.1

    def choose_sizes(self, p):
        r = self.r
        elements = r.choices((300, 3000, 12000, 40000), (25, 40, 30, 5))[0]
        if live.any_scatter(self.body) and self.chance(0.6):
            # From so many updates on copies in shared memory pay.
            elements = 50000
        tiny = {n: r.randint(1, 7) for n, kind in self.kinds.items() if kind == "tiny"}
        weight = {n: r.choice((0.05, 0.3, 0.6, 1, 1, 1.7, 3, 20)) if len(self.kinds) > 1 else 1 for n in self.kinds}
        small = self.fitted(weight, lambda s: self.volume(s) >= elements, tiny)
        p.sizes = {n: (v, 0) for n, v in self.fitted(weight, lambda s: self.volume(s) >= 1500, tiny).items()}
        shares = live.floor_shares(p)
        large = self.fitted(weight, lambda s: live.moved(p, s, shares) >= LEAST_BYTES or self.volume(s) > MOST_ITERATIONS
                            or live.held(p, s) > MOST_BYTES, tiny)
        p.sizes = {n: (small[n], large[n]) for n in self.kinds}
        p.moved = live.moved(p, large, shares)

    def sized(self, n, about):
        kind = self.kinds[n]
        if kind == "power":
            return max(8, 1 << round(max(about, 4)).bit_length() - 1)
        if kind == "round":
            unit = 100 if about > 400 else 10 if about > 30 else 4
            return max(8, round(about / unit) * unit)
        if kind == "edge":
            # One more or less than a power of two.
            return max(7, (1 << round(max(about, 4)).bit_length() - 1) + 1 - 2 * (int(n[1:]) % 2))
        return max(5, int(about) | 1)


def program(seed, kinds=()):
    """The program of a seed; with `kinds` another one, of nests of these kinds alone."""
    return Generator(seed).program(kinds)


def main():
    words = [w for w in sys.argv[1:] if w != "--large"]
    which = int("--large" in sys.argv)
    p, form = program(int(words[0])), words[1] if len(words) > 1 else "mlir"
    print(to_mlir.mlir_text(p, which) if form == "mlir" else to_c.c_text(p, form, which), end="")


if __name__ == "__main__":
    main()
