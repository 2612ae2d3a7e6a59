"""What a program has to move: runs its subscripts at the small sizes and sees what is read before it is written."""
import math

from ir import BYTES, Fold, If, Let, Load, Loop, Scatter, Select, Store, Where, Whole

def any_scatter(body):
    """Whether statements have sums in elements that data choose."""
    return any(isinstance(s, Scatter) or any_scatter(getattr(s, "body", [])) for s in body)


def loads(x, holds, out=None):
    """The loads of a value or a condition, without those behind a guard that does not hold."""
    out = [] if out is None else out
    if isinstance(x, Load):
        out.append(x)
    elif isinstance(x, Select) and x.guards and not holds(x.cond):
        loads(x.no, holds, out)
    elif isinstance(x, (list, tuple)):
        for y in x:
            loads(y, holds, out)
    elif hasattr(x, "__dict__"):
        for y in vars(x).values():
            loads(y, holds, out)
    return out


def names(x):
    """The names of the arrays in statements."""
    if isinstance(x, (list, tuple)):
        return set().union(*map(names, x)) if x else set()
    found = {x.array.name} if isinstance(x, (Load, Store, Scatter)) else set()
    return found.union(*(names(y) for y in vars(x).values())) if hasattr(x, "__dict__") else found


class Walk:
    def __init__(self, sizes):
        self.env = dict(sizes)
        self.read, self.written = {}, {}

    def touch(self, array, subs):
        place = 0
        for d, s in zip(array.dims, subs):
            size, at = d.at(self.env), s.at(self.env)
            if not 0 <= at < size:
                raise IndexError(f"{array.name}: {s.text()} is {at} of {size} with {self.env}")
            place = place * size + at
        return place

    def holds(self, cond):
        """Whether a condition on indices holds; one on data is taken to."""
        return not isinstance(cond, Where) or all(a.at(self.env) % mod == 0 if mod else a.at(self.env) >= 0 for a, mod in cond.parts)

    def values(self, *xs):
        for load in loads(xs, self.holds):
            place = self.touch(load.array, load.subs)
            if place not in self.written.get(load.array.name, ()):
                self.read.setdefault(load.array.name, set()).add(place)

    def nest(self, loops, inside):
        if not loops:
            inside()
            return
        loop = loops[0]
        for at in range(loop.low.at(self.env), min(h.at(self.env) for h in loop.highs), loop.step):
            self.env[loop.var] = at
            self.nest(loops[1:], inside)
        self.env.pop(loop.var, None)

    def fold(self, s):
        self.values([first for _, _, first in s.carries])

        def inside():
            self.block(s.body)
            self.values(s.nexts)

        self.nest(s.loops, inside)

    def block(self, body):
        for s in body:
            if isinstance(s, Loop):
                self.nest([s], lambda s=s: self.block(s.body))
            elif isinstance(s, Fold):
                self.fold(s)
            elif isinstance(s, Whole):
                self.fold(s.fold)
                self.block(s.stores)
            elif isinstance(s, If):
                self.values(s.cond)
                if self.holds(s.cond):
                    self.block(s.body)
            elif isinstance(s, Let):
                self.values(s.value)
            elif isinstance(s, Store):
                self.values(s.value)
                self.written.setdefault(s.array.name, set()).add(self.touch(s.array, s.subs))
            elif isinstance(s, Scatter):
                self.values(s.at, s.value)


def floor_shares(p):
    """For each array the shares of its 32-byte sectors that must be read and written; temporaries none."""
    walk = Walk({n: v[0] for n, v in p.sizes.items()})
    walk.block(p.body)
    out = {}
    for a in p.arrays:
        count = 1
        for d in a.dims:
            count *= d.at(walk.env)
        each = max(1, 32 // BYTES[a.ty])
        sectors = (count + each - 1) // each
        share = lambda found: len({k // each for k in found.get(a.name, ())}) / sectors
        out[a.name] = (0.0, 0.0) if a.role == "temp" else (share(walk.read), share(walk.written))
    return out


def held(p, sizes):
    """Bytes of all arrays at these sizes."""
    return sum(BYTES[a.ty] * math.prod(d.at(sizes) for d in a.dims) for a in p.arrays)


def moved(p, sizes, shares):
    """Bytes that have to move at these sizes."""
    return sum(BYTES[a.ty] * math.prod(d.at(sizes) for d in a.dims) * sum(shares[a.name]) for a in p.arrays)
