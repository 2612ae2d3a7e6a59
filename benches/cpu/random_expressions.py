"""The expressions of random_program.py: subscripts, elements, real numbers, integers and conditions."""
import re

REALS = ("double", "float")
# What elements of these types stay between, so that sums and products of a few of them fit an int.
RANGES = {"int": (-100000, 100000), "short": (-3000, 3000), "uint8_t": (0, 255)}
INT_MAX = 2**31 - 1


def inner(x):
    """An operand, in parentheses if it is more than a number, a variable, an element or a call."""
    return x if re.fullmatch(r"[\w.]+(\[[^\[\]]*\])*|\([^()]*\)|[a-z]+\([^()]*\)", x) else f"({x})"


class Array:
    """`total` arrays are only ever added to and read by nothing else: their elements grow."""

    def __init__(self, name, ctype, dims, total=False):
        self.name, self.ctype, self.dims, self.total = name, ctype, dims, total
        self.real = ctype in REALS
        self.range = RANGES.get(ctype)


class Loop:
    """A counter, all of whose values are from `low` to `high`."""

    def __init__(self, var, low, high, header):
        self.var, self.low, self.high, self.header = var, low, high, header


class Expressions:
    """Needs of the program: `r`, what chance is taken from; `arrays`, those that may be read; `main`, the type that
    the program is mostly about; `rows`, `columns` and `length`, how many elements matrices and vectors have,
    and `n` and `m`, the names of the first two; `flat`, without matrices; `style`, `linear` if they are vectors
    in the text.
    """

    def chance(self, p):
        return self.r.random() < p

    # Subscripts and elements.

    def subscript(self, size, text, scope, home):
        """One that is in bounds for all values of the counters; mostly the home counter and a small offset."""
        r = self.r
        for _ in range(8):
            loop = home if home and self.chance(0.85) else r.choice(scope)
            v, low, high = loop.var, loop.low, loop.high
            kind = r.choices(("plain", "offset", "double", "reverse", "sum", "half", "rest", "constant"),
                             (60, 30, 5, 4, 3, 2, 1, 2))[0]
            if kind == "offset":
                c = r.choice((-2, -1, 1, 2))
                out, low, high = f"{v} {'+' if c > 0 else '-'} {abs(c)}", low + c, high + c
            elif kind == "double":
                c = r.randint(0, 2)
                out, low, high = f"2 * {v}" + (f" + {c}" if c else ""), 2 * low + c, 2 * high + c
            elif kind == "reverse":
                out, low, high = f"{text} - 1 - {v}", size - 1 - high, size - 1 - low
            elif kind == "sum":
                other = r.choice(scope)
                out, low, high = f"{v} + {other.var}", low + other.low, high + other.high
            elif kind == "half":
                out, low, high = f"{v} / 2", low // 2, high // 2
            elif kind == "rest":
                out, low, high = f"{v} % 8", 0, 7
            elif kind == "constant":
                low = high = r.randint(0, 3)
                out = str(low)
            else:
                out = v
            if 0 <= low and high < size:
                return out
        return "0"

    def at(self, array, s, t):
        """The element of a matrix with these subscripts; of a vector the one with the first."""
        if array.dims == 1:
            return f"{array.name}[{s}]"
        if self.style == "linear":
            return f"{array.name}[{inner(s)} * {self.m} + {t}]"
        return f"{array.name}[{s}][{t}]"

    def element(self, array, scope, plain=False):
        by = {loop.var: loop for loop in scope}
        if array.dims == 1:
            home = by.get("i") if self.flat else self.r.choice(scope)
            inside = home and home.high < self.length
            return f"{array.name}[{home.var if plain and inside else self.subscript(self.length, 'L', scope, home)}]"
        first, second = by.get("i"), by.get("j")
        if self.chance(0.15) and "k" in by:
            first, second = (first, by["k"]) if self.chance(0.5) else (by["k"], second)
        if not plain and self.chance(0.08):
            first, second = second, first
        if plain and first and second and first.high < self.rows and second.high < self.columns:
            s, t = first.var, second.var
        else:
            s = self.subscript(self.rows, self.n, scope, first)
            t = self.subscript(self.columns, self.m, scope, second)
        return self.at(array, s, t)

    # Expressions.

    @staticmethod
    def other(x, make):
        """An operand that is not the same again, and no mere constant, if that can soon be had."""
        for _ in range(4):
            y = make()
            if y != x and not (isinstance(y, tuple) and y[1] == y[2]):
                break
        return y

    def constant(self, ctype):
        text = f"{self.r.randint(1, 95) / 100:.2f}"
        # People forget the suffix.
        return text + ("f" if ctype == "float" and not self.chance(0.1) else "")

    def real(self, scope, depth, ctype, known=()):
        """One between -1 and 1."""
        r, suffix = self.r, "f" if ctype == "float" else ""
        if depth <= 0 or self.chance(0.15):
            if known and self.chance(0.4):
                return r.choice(known)
            readable = [a for a in self.arrays if a.real] or self.arrays
            if self.chance(0.12):
                readable = self.arrays
            if self.chance(0.12):
                return self.constant(ctype)
            array = r.choice(readable)
            text = self.element(array, scope)
            return text if array.real else f"{text} / {array.range[1]}.0{suffix}"
        kind = r.choices(("mean", "product", "difference", "weighted", "choice", "quotient", "root", "exp", "stencil"),
                         (20, 25, 15, 15, 8, 5, 4, 1, 10))[0]
        x = self.real(scope, depth - 1, ctype, known)
        if kind == "root":
            return f"sqrt{suffix}(fabs{suffix}({x}))"
        if kind == "exp":
            return f"exp{suffix}({x} - 1)"
        y = self.other(x, lambda: self.real(scope, depth - 1, ctype, known))
        if kind == "product":
            return f"{inner(x)} * {inner(y)}"
        if kind == "difference":
            return f"0.5{suffix} * ({inner(x)} - {inner(y)})"
        if kind == "weighted":
            return f"(0.25{suffix} * {inner(x)} + 0.75{suffix} * {inner(y)})"
        if kind == "choice":
            return f"({x} {r.choice('<>')} {self.constant(ctype)} ? {x} : {y})"
        if kind == "quotient":
            return f"{inner(x)} / (2 + {inner(y)})"
        if kind == "stencil":
            z = self.real(scope, 0, ctype, known)
            return f"({x} + {y} + {z}) / 3"
        return f"0.5{suffix} * ({x} + {y})"

    def integer(self, scope, depth, known=()):
        """An int, and what it is between."""
        r = self.r
        if depth <= 0 or self.chance(0.15):
            if known and self.chance(0.4):
                return r.choice(known)
            whole = [a for a in self.arrays if not a.real]
            if not whole or self.chance(0.12):
                c = r.randint(1, 100)
                return str(c), c, c
            if self.chance(0.08):
                loop = r.choice(scope)
                return loop.var, loop.low, loop.high
            array = r.choice(whole)
            return (self.element(array, scope), *array.range)
        x, a, b = self.other(None, lambda: self.integer(scope, depth - 1, known))
        kind = r.choice(("sum", "sum", "difference", "product", "mask", "shift", "rest", "quotient", "choice", "abs"))
        if kind == "mask":
            c = r.choice((15, 63, 255, 1023))
            return f"({inner(x)} & {c})", 0, c
        if kind == "shift":
            c = r.randint(1, 4)
            return f"({inner(x)} >> {c})", a >> c, b >> c
        if kind == "rest":
            c = r.choice((3, 7, 10, 64, 1000))
            return f"{inner(x)} % {c}", min(0, 1 - c) if a < 0 else 0, c - 1
        if kind == "quotient":
            c = r.choice((2, 3, 5, 8, 9))
            return f"{inner(x)} / {c}", -(-a // c) if a < 0 else 0, max(b, 0) // c
        if kind == "abs":
            return f"abs({x})", 0, max(abs(a), abs(b))
        y, c, d = self.other((x, a, b), lambda: self.integer(scope, depth - 1, known))
        if kind == "choice":
            return f"({x} {r.choice('<>')} {y} ? {x} : {y})", min(a, c), max(b, d)
        if kind == "product":
            ends = [p * q for p in (a, b) for q in (c, d)]
            if max(map(abs, ends)) < INT_MAX:
                return f"{inner(x)} * {inner(y)}", min(ends), max(ends)
        if kind == "difference" and max(b - c, d - a) < INT_MAX:
            return f"({inner(x)} - {inner(y)})", a - d, b - c
        if max(map(abs, (a + c, b + d))) < INT_MAX:
            return f"({x} + {y})", a + c, b + d
        return x, a, b

    def condition(self, scope):
        r = self.r
        if self.chance(0.12):
            return f"{r.choice(scope).var} % {r.choice((2, 3, 4))} == {r.randint(0, 1)}"
        if self.main in REALS:
            x, sign = self.real(scope, self.chance(0.3), self.main), r.choice(("<", ">", "<=", ">="))
            text = f"{x} {sign} {self.constant(self.main)}"
        else:
            x, low, high = self.integer(scope, self.chance(0.3))
            text = f"{x} {r.choice(('<', '>', '<=', '>=', '!='))} {r.randint(low, high)}"
        return f"{text} && {self.condition(scope)}" if self.chance(0.1) else text
