"""Random programs in C of loops over arrays, for random_loops.py, which says what they are like."""
import random
import re

from random_expressions import INT_MAX, REALS, Array, Expressions, Loop, inner


class Generator(Expressions):
    """A program of a seed.

    Real elements stay between -1 and 1 and away from the smallest numbers, whose arithmetic is slow on
    some machines: what is stored is three quarters of something between -1 and 1 and a constant more.
    """

    def __init__(self, seed):
        self.seed, self.r = seed, random.Random(seed)
        r = self.r
        self.flat = r.random() < 0.35
        depth = 3 if not self.flat and r.random() < 0.4 else 2
        if self.flat:
            self.rows = r.choice((2000, 10000, 50000, 200000))
            self.columns = 4
        else:
            sizes = (48, 64, 100, 130) if depth == 3 else (100, 200, 333, 512)
            self.rows = r.choice(sizes)
            self.columns = self.rows if r.random() < 0.5 else r.choice(sizes)
        self.depth = 1 if self.flat else depth
        self.length = 2 * max(self.rows, self.columns) + 16
        # How the loops come to the arrays: by name, or by parameters of three kinds.
        self.style = r.choice(("static", "fixed", "variable", "linear"))
        self.restrict = r.random() < 0.5
        self.n, self.m = ("N", "M") if self.style in ("static", "fixed") else ("n", "m")
        main = r.choice(("double", "double", "float", "float", "int", "uint8_t", "short"))
        self.main = main
        self.arrays = []
        for k in range(r.randint(3, 5)):
            ctype = main if r.random() < 0.75 else r.choice(("double", "float", "int", "uint8_t", "short"))
            dims = 1 if self.flat or k and r.random() < 0.35 else 2
            self.arrays.append(Array("abcde"[k], ctype, dims))
        self.outputs = r.sample(self.arrays, r.randint(1, 3))
        if not any(x.dims == self.arrays[0].dims for x in self.outputs):
            self.outputs.append(self.arrays[0])
        self.totals = [Array("total", "double" if main in REALS else "long", 1, True)]
        if not self.flat:
            self.totals.append(Array("product", main if main in REALS else "long", 2, True))
        self.temporaries = 0
        self.lines = []

    def emit(self, level, text):
        self.lines.append("  " * level + text)

    # Loops.

    def loop(self, var, size, text, outer):
        """A loop over `size` numbers, whose bound is `text`; a triangle below or above a loop outside."""
        r, margin = self.r, self.margin
        if outer and self.triangle:
            o = outer[-1]
            if o.low >= 0 and o.high < size and self.chance(0.5):
                return Loop(var, 0, o.high, f"for (int {var} = 0; {var} {r.choice(('<', '<='))} {o.var}; {var}++)")
            if o.low >= 0:
                first = r.choice((o.var, f"{o.var} + 1"))
                return Loop(var, o.low, size - 1, f"for (int {var} = {first}; {var} < {text}; {var}++)")
        low, high = margin, size - 1 - margin
        end = f"{text} - {margin}" if margin else text
        if self.chance(0.08):
            return Loop(var, low, high, f"for (int {var} = {text} - {margin + 1}; {var} >= {low}; {var}--)")
        step = "++" if self.chance(0.9) else f" += {r.choice((2, 3))}"
        return Loop(var, low, high, f"for (int {var} = {low}; {var} < {end}; {var}{step})")

    def nest(self, depth):
        """The loops of a nest, outermost first: i along rows, j along columns, k along either."""
        self.margin = self.r.choice((0, 0, 1, 1, 2))
        self.triangle = self.chance(0.2)
        kinds = [("i", self.rows, self.n), ("j", self.columns, self.m), ("k", min(self.rows, self.columns), "")][:depth]
        kinds = [(v, s, t or (self.n if s == self.rows else self.m)) for v, s, t in kinds]
        if depth > 1 and self.chance(0.3):
            self.r.shuffle(kinds)
        loops = []
        for var, size, text in kinds:
            loops.append(self.loop(var, size, text, loops))
        return loops

    def square(self, dims):
        """The loops through all inner elements, which have neighbours."""
        self.margin, self.triangle = 1, False
        sizes = (("i", self.rows, self.n), ("j", self.columns, self.m))
        return [self.loop(*size, []) for size in sizes[:dims]]

    # Statements.

    def temporary(self):
        self.temporaries += 1
        return f"t{self.temporaries}"

    def stored(self, array, text, low=0, high=0):
        """What keeps an element where it has to stay."""
        if array.real:
            suffix = "f" if array.ctype == "float" else ""
            return f"0.75{suffix} * {inner(text)} + 0.{self.r.randint(5, 20):02d}{suffix}"
        if array.range[0] <= low and high <= array.range[1] or array.ctype == "uint8_t":
            return text
        return f"{inner(text)} % {array.range[1] + 1}"

    def block(self, level, guard, *statements):
        self.emit(level, guard + "{")
        for text in statements:
            self.emit(level + 1, text)
        self.emit(level, "}")

    def assign(self, level, scope, written):
        """An element gets a value, perhaps by way of a variable, perhaps on a condition. Few people write one
        that another statement of the loop has written, or the same for all iterations of a loop."""
        r = self.r
        for _ in range(12):
            array = r.choice(self.outputs)
            target = self.element(array, scope, self.chance(0.85))
            if target not in written and all(re.search(rf"\b{loop.var}\b", target) for loop in scope):
                break
        written.append(target)
        guard = f"if ({self.condition(scope)}) " if self.chance(0.25) else ""
        if array.real:
            depth = r.randint(1, 3)
            if self.chance(0.2):
                t = self.temporary()
                first = f"{array.ctype} {t} = {self.real(scope, 1, array.ctype)};"
                value = self.stored(array, self.real(scope, depth, array.ctype, (t,)))
                self.block(level, guard, first, f"{target} = {value};")
            else:
                self.emit(level, f"{guard}{target} = {self.stored(array, self.real(scope, depth, array.ctype))};")
            return
        x, low, high = self.integer(scope, r.randint(1, 3))
        if self.chance(0.3):
            t, (bottom, top) = self.temporary(), array.range
            self.block(level, guard, f"int {t} = {x};", f"if ({t} < {bottom}) {t} = {bottom};",
                       f"if ({t} > {top}) {t} = {top};", f"{target} = {t};")
        else:
            self.emit(level, f"{guard}{target} = {self.stored(array, x, low, high)};")

    def term(self, scope, depth=1):
        """What is summed up, in the kind of numbers that the program is about. A sum of what the innermost
        loop does not change is a product, which nobody writes as a loop; it is left if nothing else comes."""
        for _ in range(8):
            text = self.real(scope, depth, self.main) if self.main in REALS else self.integer(scope, depth)[0]
            if re.search(rf"\b{scope[-1].var}\b", text):
                break
        return text

    def open(self, level, loops):
        """The headers of loops, with a brace behind each; returns the level inside."""
        for loop in loops:
            self.emit(level, loop.header + " {")
            level += 1
        return level

    def close(self, level, loops):
        for _ in loops:
            level -= 1
            self.emit(level, "}")

    def elementwise(self, level):
        # A loop over a row alone is short. It does not stand alone.
        loops = self.nest(min(self.depth, 2) if self.flat or not self.lines or self.chance(0.85) else 1)
        inside, written = self.open(level, loops), []
        for _ in range(self.r.choice((1, 1, 2, 3))):
            self.assign(inside, loops, written)
        self.close(inside, loops)

    def row_sums(self, level):
        """A sum, or the greatest value, of each row, for each element, or of everything."""
        loops = self.nest(1 if self.flat else self.r.randint(2, self.depth))
        whole = self.flat or self.chance(0.3)
        outer, inner = (([], loops) if whole else (loops[:-1], loops[-1:]))
        kind = self.main if self.main in REALS else "long"
        s = self.temporary()
        inside = self.open(level, outer)
        if whole:
            self.emit(level, "{")
            inside += 1
        greatest = self.chance(0.2)
        first = "0" if not greatest else "-2" if kind != "long" else "-1000000"
        self.emit(inside, f"{kind} {s} = {first};")
        deepest = self.open(inside, inner)
        if greatest:
            x = self.term(loops, 0)
            self.emit(deepest, f"if ({x} {self.r.choice(('>', '>', '>='))} {s}) {s} = {x};")
        else:
            guard = f"if ({self.condition(loops)}) " if self.chance(0.25) else ""
            self.emit(deepest, f"{guard}{s} += {self.term(loops, self.r.randint(1, 2))};")
        self.close(deepest, inner)
        target = self.element(self.totals[0], outer) if outer else f"total[{self.r.randint(0, 7)}]"
        self.emit(inside, f"{target} += {s};")
        if whole:
            self.emit(level, "}")
        self.close(inside if not whole else inside - 1, outer)

    def accumulate(self, level):
        """Sums in elements, of a matrix product's kind in three loops."""
        loops = self.nest(1 if self.flat else self.r.randint(2, self.depth))
        inside = self.open(level, loops)
        total = self.r.choice(self.totals)
        if len(loops) == 3:
            total = self.totals[1]
        guard = f"if ({self.condition(loops)}) " if self.chance(0.15) else ""
        self.emit(inside, f"{guard}{self.element(total, loops, True)} += {self.term(loops)};")
        self.close(inside, loops)

    def stencil(self, level):
        """Steps over time, between two arrays or in place."""
        dims = 1 if self.flat else 2
        choices = [a for a in self.arrays if a.dims == dims and a.real == (self.main in REALS)]
        if not choices:
            return self.elementwise(level)
        one, two = self.r.choice(choices), self.r.choice(choices)
        self.emit(level, f"for (int t = 0; t < {self.r.randint(2, 6)}; t++) {{")
        for source, target in ((one, two), (two, one))[:1 + self.chance(0.6)]:
            loops = self.square(dims)
            inside = self.open(level + 1, loops)
            places = [("i", "j"), ("i - 1", "j"), ("i + 1", "j"), ("i", "j - 1"), ("i", "j + 1"), ("i - 1", "j - 1")]
            places = places[:3] if self.flat else places[:self.r.choice((5, 6))]
            summed = " + ".join(self.at(source, *p) for p in places)
            value = self.stored(target, f"({summed}) / {len(places)}", *(source.range or ()))
            self.emit(inside, f"{self.at(target, *places[0])} = {value};")
            self.close(inside, loops)
        self.emit(level, "}")

    def recurrence(self, level):
        """An element from the one before it."""
        choices = [a for a in self.outputs if self.flat or self.lines or a.dims == 2]
        if not choices:
            return self.elementwise(level)
        array = self.r.choice(choices)
        loops = self.square(array.dims)
        if array.dims == 2 and self.chance(0.3):
            loops.reverse()
        inside = self.open(level, loops)
        places = (("i - 1", "j"), ("i", "j - 1"), ("i - 1", "j - 1"))
        before = self.at(array, *(places[0] if array.dims == 1 else self.r.choice(places)))
        if array.real:
            value = self.stored(array, f"0.5 * ({before} + {self.real(loops, 1, array.ctype)})")
        else:
            x, low, high = self.integer(loops, 1)
            x, low, high = (f"{inner(x)} / 8", -abs(low), high) if high < INT_MAX // 2 else ("1", 1, 1)
            value = self.stored(array, f"{before} + {x}", low + array.range[0], high + array.range[1])
        self.emit(inside, f"{self.at(array, 'i', 'j')} = {value};")
        self.close(inside, loops)

    def counts(self, level):
        """How often values occur."""
        whole = [a for a in self.arrays if not a.real and (self.flat or self.lines or a.dims == 2)]
        if not whole:
            return self.row_sums(level)
        array = self.r.choice(whole)
        loops = self.nest(array.dims)
        inside = self.open(level, loops)
        self.emit(inside, f"counts[{self.element(array, loops, True)} & 63]++;")
        self.close(inside, loops)

    # The program.

    def declared(self, array, where):
        """An array as a definition or as a parameter."""
        if where == "static":
            size = "[L]" if array.dims == 1 else "[N * M]" if self.style == "linear" else "[N][M]"
            return f"static {array.ctype} {array.name}{size}"
        only = "restrict " if self.restrict else ""
        if array.dims == 1 or self.style == "linear":
            return f"{array.ctype} *{only}{array.name}"
        first = f"[{only}{self.n}]" if self.restrict else f"[{self.n}]"
        return f"{array.ctype} {array.name}{first}[{self.m}]"

    def program(self):
        makers = (self.elementwise, self.row_sums, self.accumulate, self.stencil, self.recurrence, self.counts)
        for make in self.r.choices(makers, (40, 18, 16, 14, 8, 4), k=self.r.choice((1, 1, 2, 2, 3))):
            make(1)
        body = "\n".join(self.lines)
        arrays = [*self.arrays, *self.totals]
        everything = "\n".join(f"{self.declared(a, 'static')};" for a in arrays)
        counters = [] if self.style in ("static", "fixed") else ["int n", "int m"]
        if self.style == "static":
            parameters, values = "void", ""
        else:
            parameters = ", ".join([*counters, *(self.declared(a, "parameter") for a in arrays)])
            values = ", ".join([*(["N", "M"] if counters else []), *(a.name for a in arrays)])
        fills = "\n".join(self.fill(a) for a in self.arrays)
        checks = "\n".join(f'  check("{a.name}", {a.name}, sizeof {a.name});' for a in arrays)
        return PROGRAM.format(seed=self.seed, rows=self.rows, columns=self.columns, length=self.length,
                              arrays=everything, parameters=parameters, values=values, body=body, fills=fills,
                              checks=checks)

    def fill(self, array):
        value = "uniform()" if array.real else f"{array.range[0]} + uniform() * {array.range[1] - array.range[0]}"
        return (f"  for (int i = 0; i < (int)(sizeof {array.name} / sizeof({array.ctype})); i++) "
                f"(({array.ctype} *){array.name})[i] = {value};")


# The loops are called through a pointer that may change, so that neither compiler sees that they are
# repeated, and a sum of all bytes of each array is printed.
PROGRAM = """/* Random loops of seed {seed}. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N {rows}
#define M {columns}
#define L {length}

{arrays}
static unsigned counts[64];

static void kernel({parameters}) {{
{body}
}}

static double uniform(void) {{
  static uint64_t state = {seed};
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 9007199254740992.0;
}}

static void check(const char *name, const void *data, size_t size) {{
  const unsigned char *bytes = data;
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
  printf("check %s %llx\\n", name, (unsigned long long)sum);
}}

int main(int argc, char **argv) {{
  int repeats = argc > 1 ? atoi(argv[1]) : 1;
{fills}
  void (*volatile run)({parameters}) = kernel;
  clock_t began = clock();
  for (int r = 0; r < repeats; r++) run({values});
  fprintf(stderr, "time %.6f\\n", (double)(clock() - began) / CLOCKS_PER_SEC);
{checks}
  check("counts", counts, sizeof counts);
  return 0;
}}
"""
