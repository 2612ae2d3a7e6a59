"""What a random program is made of: affine expressions, values, conditions, statements and arrays.

Values are of f32, f64 or i32. Elements of u8 and i16 become i32 when they are loaded, as in C.
Statements are in a list that runs in order; `Loop.par` says that iterations are independent.
"""
from dataclasses import dataclass, field

C_TYPES = {"f32": "float", "f64": "double", "i32": "int", "u8": "unsigned char", "i16": "short"}
BYTES = {"f32": 4, "f64": 8, "i32": 4, "u8": 1, "i16": 2}


class Aff:
    """A sum of a constant and of variables (loops and sizes) with factors."""

    def __init__(self, const=0, **terms):
        self.const, self.terms = const, {v: f for v, f in terms.items() if f}

    def __add__(self, other):
        if isinstance(other, int):
            other = Aff(other)
        out = Aff(self.const + other.const, **self.terms)
        for v, f in other.terms.items():
            out.terms[v] = out.terms.get(v, 0) + f
        out.terms = {v: f for v, f in out.terms.items() if f}
        return out

    def __mul__(self, k):
        return Aff(self.const * k, **{v: f * k for v, f in self.terms.items()})

    def __sub__(self, other):
        return self + other * -1 if isinstance(other, Aff) else self + -other

    def __eq__(self, other):
        return self.const == other.const and self.terms == other.terms

    def __hash__(self):
        return hash((self.const, tuple(sorted(self.terms.items()))))

    def plain(self):
        """Its only variable where it is no more than that."""
        return next(iter(self.terms)) if not self.const and list(self.terms.values()) == [1] else None

    def at(self, env):
        return self.const + sum(env[v] * f for v, f in self.terms.items())

    def text(self, name=lambda v: v):
        """As C and MLIR have it; `name` says how a variable is written."""
        out = ""
        for v, f in sorted(self.terms.items(), key=lambda t: t[1] < 0):
            one = name(v) if abs(f) == 1 else f"{abs(f)} * {name(v)}"
            out += (f" {'-' if f < 0 else '+'} {one}") if out else (f"0 - {one}" if f < 0 else one)
        if self.const or not out:
            out += f" {'-' if self.const < 0 else '+'} {abs(self.const)}" if out else str(self.const)
        return out


def var(name, factor=1):
    return Aff(0, **{name: factor})


@dataclass
class Array:
    """`role` is in, out (written; what is not written stays) or temp (nobody looks at it behind the program).
    `exact` tells that another order of sums does not change it."""
    name: str
    ty: str
    dims: list
    role: str = "in"
    exact: bool = True

    def value_type(self):
        return "i32" if self.ty in ("u8", "i16") else self.ty


# Values. Each has its type as `ty`.

@dataclass
class Const:
    value: float
    ty: str


@dataclass
class Scalar:
    name: str
    ty: str


@dataclass
class Load:
    array: Array
    subs: list

    @property
    def ty(self):
        return self.array.value_type()


@dataclass
class Index:
    """An affine expression as a number."""
    aff: Aff
    ty: str = "i32"


@dataclass
class Op:
    """`op` is a key of to_c.OPS: two operands, or one."""
    op: str
    args: list

    @property
    def ty(self):
        return self.args[0].ty


@dataclass
class Cast:
    arg: object
    ty: str


@dataclass
class Select:
    """Where `yes` may only be computed when `cond` holds, `cond` is a Where."""
    cond: object
    yes: object
    no: object
    guards: bool = False

    @property
    def ty(self):
        return self.yes.ty


# Conditions.

@dataclass
class Compare:
    """Of two values; `op` is one of < <= > >= == !=."""
    op: str
    a: object
    b: object


@dataclass
class Where:
    """All of these about indices: an affine expression that is >= 0, or == 0 modulo the number behind it."""
    parts: list


# Statements.

@dataclass
class Loop:
    """From `low` to below all of `highs`."""
    var: str
    low: Aff
    highs: list
    body: list = field(default_factory=list)
    step: int = 1
    par: bool = True


@dataclass
class Let:
    name: str
    value: object


@dataclass
class Store:
    array: Array
    subs: list
    value: object


@dataclass
class Scatter:
    """Adds to an element that data tell (`at` is an i32), in a row or a column of it (`subs`, in front or behind)."""
    array: Array
    at: object
    subs: list
    front: bool
    value: object


@dataclass
class If:
    cond: object
    body: list


@dataclass
class Fold:
    """Loops (without bodies) that carry scalars: (name, type, first value) each. An iteration runs `body`, then
    the scalars get the values of `nexts`, all at once."""
    carries: list
    loops: list
    body: list
    nexts: list


@dataclass
class Whole:
    """A fold outside of all parallel loops, and stores of what it leaves."""
    fold: Fold
    stores: list


@dataclass
class Program:
    """`sizes` has for each name its value for `check` and for `run`, `moved` the bytes that it has to move then. `style` says how arrays are passed:
    variable, linear or static. `sums` tells that floats are combined, so that their order matters."""
    seed: int
    arrays: list
    body: list
    sizes: dict
    style: str
    restrict: bool
    sums: bool
    traits: dict
    moved: float = 0
