"""The programs of forms.py. forms_text.py tells how they are written."""
import os

from forms_shapes import plain, product, scan, stencil, total
from forms_text import EXAMPLES, Array, Polybench, Program

SQUARE = {"m": (70, 8192), "n": (70, 8192)}
SMALLER = {"m": (70, 4096), "n": (75, 4096)}
VECTOR = {"n": (5000, 1 << 26)}

PRODUCTS = [
    product("nn", "n", "n"),
    product("tn", "t", "n"),
    product("nt", "n", "t"),
    product("tt", "t", "t"),
    product("nn-f64", "n", "n", "double", (70, 2048), (70, 2048), (70, 2048)),
    product("tn-f64", "t", "n", "double", (70, 2048), (70, 2048), (70, 2048)),
    product("skinny", "n", "n", "float", (70, 8192), (33, 64), (70, 8192)),
    plain("batched-product", {"b": (5, 512), "n": (20, 64)}, {"A": ("b", "n", "n"), "B": ("b", "n", "n"), "C": ("b", "n", "n")},
          [("p", "b"), ("i", "n"), ("j", "n")], """
    float s = 0;
    for (int l = 0; l < n; l++) s += A[p][i][l] * B[p][l][j];
    C[p][i][j] = s;""", """
%zero = arith.constant 0.0
%s = affine.for %l = 0 to %n iter_args(%t = %zero) -> (TY) {
  %a = affine.load %A[%p, %i, %l]
  %b1 = affine.load %B[%p, %l, %j]
  %q = arith.mulf %a, %b1
  %u = arith.addf %t, %q
  affine.yield %u
}
affine.store %s, %C[%p, %i, %j]""", sums=True),
    plain("max-plus", {"m": (40, 2048), "n": (50, 2048), "k": (60, 2048)}, {"A": ("m", "k"), "B": ("k", "n"), "C": ("m", "n")},
          [("i", "m"), ("j", "n")], """
    float s = -1e30f;
    for (int l = 0; l < k; l++) s = fmaxf(s, A[i][l] + B[l][j]);
    C[i][j] = s;""", """
%low = arith.constant -1.0e30 : TY
%s = affine.for %l = 0 to %k iter_args(%t = %low) -> (TY) {
  %a = affine.load %A[%i, %l]
  %b = affine.load %B[%l, %j]
  %q = arith.addf %a, %b
  %u = arith.maxnumf %t, %q
  affine.yield %u
}
affine.store %s, %C[%i, %j]"""),
    plain("upper-vector", {"n": (150, 8192)}, {"A": ("n", "n"), "x": ("n",), "y": ("n",)}, [("i", "n")], """
    float s = 0;
    for (int j = i; j < n; j++) s += A[i][j] * x[j];
    y[i] = s;""", """
%zero = arith.constant 0.0
%s = affine.for %j = %i to %n iter_args(%t = %zero) -> (TY) {
  %a = affine.load %A[%i, %j]
  %b = affine.load %x[%j]
  %p = arith.mulf %a, %b
  %q = arith.addf %t, %p
  affine.yield %q
}
affine.store %s, %y[%i]""", sums=True),
]

REDUCTIONS = [
    total("rows", "rows"),
    total("columns", "columns"),
    Program("dot", {"n": (5000, 1 << 24), "one": (1, 1)}, {"x": ("n",), "y": ("n",), "s": Array(("one",), "zeros")}, """
float sum = 0;
@nest 1 reduction(+:sum)
for (int i = 0; i < n; i++) sum += x[i] * y[i];
s[0] = sum;""", """
%zero = arith.constant 0.0
%sum = affine.for %i = 0 to %n iter_args(%t = %zero) -> (TY) {
  %a = affine.load %x[%i]
  %b = affine.load %y[%i]
  %p = arith.mulf %a, %b
  %q = arith.addf %t, %p
  affine.yield %q
}
affine.store %sum, %s[0]""", host=("s",), sums=True),
    Program("dot-matrices", {**SMALLER, "one": (1, 1)}, {"A": ("m", "n"), "B": ("m", "n"), "s": Array(("one",), "zeros")}, """
float sum = 0;
@nest 2 reduction(+:sum)
for (int i = 0; i < m; i++)
  @inner reduction(+:sum)
  for (int j = 0; j < n; j++) sum += A[i][j] * B[i][j];
s[0] = sum;""", """
%zero = arith.constant 0.0
%sum = affine.for %i = 0 to %m iter_args(%t = %zero) -> (TY) {
  %row = affine.for %j = 0 to %n iter_args(%u = %t) -> (TY) {
    %a = affine.load %A[%i, %j]
    %b = affine.load %B[%i, %j]
    %p = arith.mulf %a, %b
    %q = arith.addf %u, %p
    affine.yield %q
  }
  affine.yield %row
}
affine.store %sum, %s[0]""", host=("s",), sums=True),
    Program("center-columns", SMALLER, {"mean": Array(("n",), "zeros"), "A": ("m", "n")}, """
@nest 1
for (int j = 0; j < n; j++) {
  float s = 0;
  for (int i = 0; i < m; i++) s += A[i][j];
  mean[j] = s / m;
}
@nest 2
for (int i = 0; i < m; i++)
  @inner
  for (int j = 0; j < n; j++) A[i][j] -= mean[j];""", """
%rows = arith.index_cast %m : index to i32
%count = arith.sitofp %rows : i32 to f32
%zero = arith.constant 0.0
affine.for %j = 0 to %n {
  %s = affine.for %i = 0 to %m iter_args(%t = %zero) -> (TY) {
    %a = affine.load %A[%i, %j]
    %q = arith.addf %t, %a
    affine.yield %q
  }
  %d = arith.divf %s, %count
  affine.store %d, %mean[%j]
}
affine.for %i = 0 to %m {
  affine.for %j = 0 to %n {
    %a = affine.load %A[%i, %j]
    %b = affine.load %mean[%j]
    %c = arith.subf %a, %b
    affine.store %c, %A[%i, %j]
  }
}""", out=("mean", "A"), sums=True),
    plain("softmax", SMALLER, {"A": ("m", "n"), "B": ("m", "n")}, [("i", "m")], """
  float top = A[i][0];
  @inner reduction(max:top)
  for (int j = 1; j < n; j++) top = fmaxf(top, A[i][j]);
  float sum = 0;
  @inner reduction(+:sum)
  for (int j = 0; j < n; j++) {
    B[i][j] = expf(A[i][j] - top);
    sum += B[i][j];
  }
  @inner
  for (int j = 0; j < n; j++) B[i][j] /= sum;""", """
%zero = arith.constant 0.0
%first = affine.load %A[%i, 0]
%top = affine.for %j = 1 to %n iter_args(%t = %first) -> (TY) {
  %a = affine.load %A[%i, %j]
  %q = arith.maxnumf %t, %a
  affine.yield %q
}
%sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (TY) {
  %a = affine.load %A[%i, %j]
  %d = arith.subf %a, %top
  %e = math.exp %d
  affine.store %e, %B[%i, %j]
  %q = arith.addf %t, %e
  affine.yield %q
}
affine.for %j = 0 to %n {
  %e = affine.load %B[%i, %j]
  %d = arith.divf %e, %sum
  affine.store %d, %B[%i, %j]
}""", sums=True),
    plain("layer-norm", SMALLER, {"A": ("m", "n"), "B": ("m", "n")}, [("i", "m")], """
  float sum = 0;
  @inner reduction(+:sum)
  for (int j = 0; j < n; j++) sum += A[i][j];
  float mean = sum / n, square = 0;
  @inner reduction(+:square)
  for (int j = 0; j < n; j++) square += (A[i][j] - mean) * (A[i][j] - mean);
  float scale = 1 / sqrtf(square / n + 1e-5f);
  @inner
  for (int j = 0; j < n; j++) B[i][j] = (A[i][j] - mean) * scale;""", """
%zero = arith.constant 0.0
%one = arith.constant 1.0
%least = arith.constant 1.0e-5
%columns = arith.index_cast %n : index to i32
%count = arith.sitofp %columns : i32 to f32
%sum = affine.for %j = 0 to %n iter_args(%t = %zero) -> (TY) {
  %a = affine.load %A[%i, %j]
  %q = arith.addf %t, %a
  affine.yield %q
}
%mean = arith.divf %sum, %count
%square = affine.for %j = 0 to %n iter_args(%t = %zero) -> (TY) {
  %a = affine.load %A[%i, %j]
  %d = arith.subf %a, %mean
  %p = arith.mulf %d, %d
  %q = arith.addf %t, %p
  affine.yield %q
}
%v = arith.divf %square, %count
%w = arith.addf %v, %least
%root = math.sqrt %w
%scale = arith.divf %one, %root
affine.for %j = 0 to %n {
  %a = affine.load %A[%i, %j]
  %d = arith.subf %a, %mean
  %b = arith.mulf %d, %scale
  affine.store %b, %B[%i, %j]
}""", sums=True),
    Program("histogram", {"n": (5000, 1 << 24), "bins": (256, 256)},
            {"a": Array(("n",), "below:bins"), "h": Array(("bins",), "zeros")}, """
@nest 1
for (int i = 0; i < n; i++) {
  @atomic
  h[a[i]]++;
}""", """
%one = arith.constant 1 : i32
affine.for %i = 0 to %n {
  %v = affine.load %a[%i]
  %bin = arith.index_cast %v : i32 to index
  %old = memref.atomic_rmw addi %one, %h[%bin] : (i32, memref<?xi32>) -> i32
}""", ty="int"),
]

SCANS = [
    scan("prefix", "s += A[i]", "arith.addf", "0.0", sums=True),
    scan("prefix-i32", "s += A[i]", "arith.addi", "0", ty="int"),
    scan("running-max", "s = fmaxf(s, A[i])", "arith.maxnumf", "-1.0e30"),
    plain("prefix-rows", SQUARE, {"A": ("m", "n"), "B": ("m", "n")}, [("i", "m")], """
  float s = 0;
  for (int j = 0; j < n; j++) {
    s += A[i][j];
    B[i][j] = s;
  }""", """
%zero = arith.constant 0.0
%all = affine.for %j = 0 to %n iter_args(%s = %zero) -> (TY) {
  %a = affine.load %A[%i, %j]
  %t = arith.addf %s, %a
  affine.store %t, %B[%i, %j]
  affine.yield %t
}""", sums=True),
]

COPIES = [
    plain("transpose", SQUARE, {"A": ("m", "n"), "B": ("n", "m")}, [("i", "m"), ("j", "n")],
          "    B[j][i] = A[i][j];", "%a = affine.load %A[%i, %j]\naffine.store %a, %B[%j, %i]"),
    plain("axpy", VECTOR, {"x": ("n",), "y": ("n",)}, [("i", "n")], "    y[i] += 3 * x[i];", """
%c = arith.constant 3.0
%a = affine.load %x[%i]
%b = affine.load %y[%i]
%p = arith.mulf %c, %a
%q = arith.addf %b, %p
affine.store %q, %y[%i]"""),
    plain("scale-rows", SQUARE, {"s": ("m",), "A": ("m", "n"), "B": ("m", "n")}, [("i", "m"), ("j", "n")],
          "    B[i][j] = s[i] * A[i][j];", """
%c = affine.load %s[%i]
%a = affine.load %A[%i, %j]
%p = arith.mulf %c, %a
affine.store %p, %B[%i, %j]"""),
    Program("chain", {"n": (5000, 1 << 24)}, {a: ("n",) for a in "abcde"}, """
@nest 1
for (int i = 0; i < n; i++) b[i] = 2 * a[i] + 1;
@nest 1
for (int i = 0; i < n; i++) c[i] = b[i] * b[i];
@nest 1
for (int i = 0; i < n; i++) d[i] = c[i] - a[i];
@nest 1
for (int i = 0; i < n; i++) e[i] = d[i] / (c[i] + 1);""", """
%one = arith.constant 1.0
%two = arith.constant 2.0
affine.for %i = 0 to %n {
  %x = affine.load %a[%i]
  %y = arith.mulf %two, %x
  %z = arith.addf %y, %one
  affine.store %z, %b[%i]
}
affine.for %i = 0 to %n {
  %x = affine.load %b[%i]
  %z = arith.mulf %x, %x
  affine.store %z, %c[%i]
}
affine.for %i = 0 to %n {
  %x = affine.load %c[%i]
  %y = affine.load %a[%i]
  %z = arith.subf %x, %y
  affine.store %z, %d[%i]
}
affine.for %i = 0 to %n {
  %x = affine.load %d[%i]
  %y = affine.load %c[%i]
  %z = arith.addf %y, %one
  %w = arith.divf %x, %z
  affine.store %w, %e[%i]
}""", out=("b", "c", "d", "e")),
    plain("gather", {"n": (5000, 1 << 24)}, {"a": ("n",), "idx": Array(("n",), "below:n", "int"), "b": ("n",)},
          [("i", "n")], "    b[i] = a[idx[i]];", """
%at = affine.load %idx[%i]
%k = arith.index_cast %at : i32 to index
%v = memref.load %a[%k]
affine.store %v, %b[%i]"""),
    plain("strided-read", {"n": (1250, 1 << 24), "n4": (5000, 1 << 26)}, {"a": ("n4",), "b": ("n",)},
          [("i", "n")], "    b[i] = a[4 * i];", "%v = affine.load %a[4 * %i]\naffine.store %v, %b[%i]"),
    plain("strided-write", {"n": (1250, 1 << 24), "n3": (3750, 3 << 24)}, {"a": ("n",), "b": ("n3",)},
          [("i", "n")], "    b[3 * i + 1] = a[i];", "%v = affine.load %a[%i]\naffine.store %v, %b[3 * %i + 1]"),
    Program("triangle", {"n": (150, 8192)}, {"u": ("n",), "v": ("n",), "C": ("n", "n")}, """
@nest 1
for (int i = 0; i < n; i++)
  @inner
  for (int j = 0; j <= i; j++) C[i][j] += 2 * u[i] * v[j];""", """
%two = arith.constant 2.0
affine.for %i = 0 to %n {
  affine.for %j = 0 to %i + 1 {
    %a = affine.load %u[%i]
    %b = affine.load %v[%j]
    %c = affine.load %C[%i, %j]
    %p = arith.mulf %two, %a
    %q = arith.mulf %p, %b
    %r = arith.addf %c, %q
    affine.store %r, %C[%i, %j]
  }
}"""),
]

STENCILS = [
    stencil("jacobi-1d-copy", {"n": (1000, 1 << 22)}, (7, 100), ("n",)),
    stencil("jacobi-2d-copy", {"n": (75, 4096)}, (7, 100), ("n", "n")),
    stencil("heat-3d-copy", {"n": (22, 256)}, (7, 50), ("n", "n", "n")),
    plain("convolution", {"m": (70, 4096), "n": (75, 4096), "m4": (74, 4100), "n4": (79, 4100), "five": (5, 5)},
          {"A": ("m4", "n4"), "w": ("five", "five"), "B": ("m", "n")}, [("i", "m"), ("j", "n")], """
    float s = 0;
    for (int p = 0; p < 5; p++)
      for (int q = 0; q < 5; q++) s += w[p][q] * A[i+p][j+q];
    B[i][j] = s;""", """
%zero = arith.constant 0.0
%s = affine.for %p = 0 to 5 iter_args(%t = %zero) -> (TY) {
  %r = affine.for %q = 0 to 5 iter_args(%u = %t) -> (TY) {
    %x = affine.load %w[%p, %q]
    %y = affine.load %A[%i + %p, %j + %q]
    %z = arith.mulf %x, %y
    %v = arith.addf %u, %z
    affine.yield %v
  }
  affine.yield %r
}
affine.store %s, %B[%i, %j]""", sums=True),
]

FACTORIZATIONS = [
    plain("batched-cholesky", {"b": (40, 4096), "n": (20, 32)}, {"A": Array(("b", "n", "n"), "dominant")}, [("p", "b")], """
  for (int j = 0; j < n; j++) {
    float d = A[p][j][j];
    for (int k = 0; k < j; k++) d -= A[p][j][k] * A[p][j][k];
    A[p][j][j] = sqrtf(d);
    for (int i = j + 1; i < n; i++) {
      float s = A[p][i][j];
      for (int k = 0; k < j; k++) s -= A[p][i][k] * A[p][j][k];
      A[p][i][j] = s / A[p][j][j];
    }
  }""", """
affine.for %j = 0 to %n {
  %old = affine.load %A[%p, %j, %j]
  %d = affine.for %k = 0 to %j iter_args(%t = %old) -> (TY) {
    %x = affine.load %A[%p, %j, %k]
    %y = arith.mulf %x, %x
    %z = arith.subf %t, %y
    affine.yield %z
  }
  %root = math.sqrt %d
  affine.store %root, %A[%p, %j, %j]
  affine.for %i = %j + 1 to %n {
    %below = affine.load %A[%p, %i, %j]
    %s = affine.for %k = 0 to %j iter_args(%t = %below) -> (TY) {
      %x = affine.load %A[%p, %i, %k]
      %y = affine.load %A[%p, %j, %k]
      %w = arith.mulf %x, %y
      %z = arith.subf %t, %w
      affine.yield %z
    }
    %diagonal = affine.load %A[%p, %j, %j]
    %q = arith.divf %s, %diagonal
    affine.store %q, %A[%p, %i, %j]
  }
}""", sums=True),
    plain("batched-solve", {"b": (40, 4096), "n": (20, 64)},
          {"L": Array(("b", "n", "n"), "dominant"), "r": ("b", "n"), "x": Array(("b", "n"), "zeros")}, [("p", "b")], """
  for (int i = 0; i < n; i++) {
    float s = r[p][i];
    for (int j = 0; j < i; j++) s -= L[p][i][j] * x[p][j];
    x[p][i] = s / L[p][i][i];
  }""", """
affine.for %i = 0 to %n {
  %right = affine.load %r[%p, %i]
  %s = affine.for %j = 0 to %i iter_args(%t = %right) -> (TY) {
    %l = affine.load %L[%p, %i, %j]
    %v = affine.load %x[%p, %j]
    %y = arith.mulf %l, %v
    %z = arith.subf %t, %y
    affine.yield %z
  }
  %diagonal = affine.load %L[%p, %i, %i]
  %q = arith.divf %s, %diagonal
  affine.store %q, %x[%p, %i]
}""", sums=True),
]

POLYBENCH = [Polybench(name[:-2]) for name in sorted(os.listdir(os.path.join(EXAMPLES, "c", "polybench"))) if name.endswith(".c")]

CLASSES = {
    "products": PRODUCTS,
    "reductions": REDUCTIONS,
    "scans": SCANS,
    "copies": COPIES,
    "stencils": STENCILS,
    "factorizations": FACTORIZATIONS,
    "polybench": POLYBENCH,
}
