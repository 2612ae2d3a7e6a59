"""Programs of forms.py that are alike: products, sums, scans, stencils."""
from forms_text import Program


def for_each(loops, c, mlir):
    """A nest of independent loops, from the outermost in, as C and as MLIR."""
    lines = [f"@nest {len(loops)}"]
    for depth, (i, n) in enumerate(loops):
        if depth and depth == len(loops) - 1:
            lines.append("  " * depth + "@inner")
        lines.append("  " * depth + f"for (int {i} = 0; {i} < {n}; {i}++)")
    starts = "\n".join(f"affine.for %{i} = 0 to %{n} {{" for i, n in loops)
    return "\n".join(lines) + " {\n" + c.strip("\n") + "\n}", f"{starts}\n{mlir.strip()}\n" + "}\n" * len(loops)


def plain(name, sizes, arrays, loops, c, mlir, **more):
    """A program that is one such nest."""
    return Program(name, sizes, arrays, *for_each(loops, c, mlir), **more)


def product(name, a, b, ty="float", m=(70, 4096), n=(70, 4096), k=(70, 4096)):
    """C = the product of A and B, of which either may be stored transposed."""
    row = {"n": ("m", "k"), "t": ("k", "m")}[a]
    col = {"n": ("k", "n"), "t": ("n", "k")}[b]
    x, y = {"n": "i][l", "t": "l][i"}[a], {"n": "l][j", "t": "j][l"}[b]
    value = lambda t: "%" + t.replace("][", ", %")
    c, mlir = for_each([("i", "m"), ("j", "n")], f"""
    {ty} s = 0;
    for (int l = 0; l < k; l++) s += A[{x}] * B[{y}];
    C[i][j] = s;""", f"""
%zero = arith.constant 0.0
%s = affine.for %l = 0 to %k iter_args(%t = %zero) -> (TY) {{
  %a = affine.load %A[{value(x)}]
  %b = affine.load %B[{value(y)}]
  %p = arith.mulf %a, %b
  %q = arith.addf %t, %p
  affine.yield %q
}}
affine.store %s, %C[%i, %j]""")
    return Program(name, {"m": m, "n": n, "k": k}, {"A": row, "B": col, "C": ("m", "n")}, c, mlir, ty=ty, sums=True)


def total(name, along, m=(70, 8192), n=(70, 8192)):
    """Sums over the rows or the columns of a matrix."""
    keep, over, size, other = ("i", "j", "m", "n") if along == "rows" else ("j", "i", "n", "m")
    c, mlir = for_each([(keep, size)], f"""
    float t = 0;
    for (int {over} = 0; {over} < {other}; {over}++) t += A[i][j];
    S[{keep}] = t;""", f"""
%zero = arith.constant 0.0
%s = affine.for %{over} = 0 to %{other} iter_args(%t = %zero) -> (TY) {{
  %a = affine.load %A[%i, %j]
  %q = arith.addf %t, %a
  affine.yield %q
}}
affine.store %s, %S[%{keep}]""")
    return Program(name, {"m": m, "n": n}, {"A": ("m", "n"), "S": (size,)}, c, mlir, sums=True)


def scan(name, c_step, step, first, ty="float", sums=False):
    """Element i of B is all elements of A up to i, combined."""
    return Program(name, {"n": (5000, 1 << 24)}, {"A": ("n",), "B": ("n",)}, f"""
{ty} s = {first};
@kernels
for (int i = 0; i < n; i++) {{
  {c_step};
  B[i] = s;
}}""", f"""
%first = arith.constant {first} : TY
%all = affine.for %i = 0 to %n iter_args(%s = %first) -> (TY) {{
  %a = affine.load %A[%i]
  %t = {step} %s, %a
  affine.store %t, %B[%i]
  affine.yield %t
}}""", ty=ty, sums=sums)


def stencil(name, sizes, steps, dims):
    """Steps that put the mean of a cell and its neighbours into B, and copy B back to A."""
    ivs = "ijl"[:len(dims)]

    def around(place):
        at = [place()] + [place(k, d) for k in range(len(dims)) for d in (-1, 1)]
        return at

    def c_place(k=None, d=0):
        return "A" + "".join(f"[{v}{d:+d}]" if n == k else f"[{v}]" for n, v in enumerate(ivs))

    def mlir_place(k=None, d=0):
        at = ", ".join(f"%{v} {'-' if d < 0 else '+'} 1" if n == k else f"%{v}" for n, v in enumerate(ivs))
        return f"%A[{at}]"

    here = "".join(f"[{v}]" for v in ivs)
    weight = 1 / (2 * len(dims) + 1)

    def c_nest(body):
        lines = [f"  @nest {len(dims)}"]
        for depth, (v, n) in enumerate(zip(ivs, dims)):
            if depth and depth == len(dims) - 1:
                lines.append("  " * (depth + 1) + "@inner")
            lines.append("  " * (depth + 1) + f"for (int {v} = 1; {v} < {n} - 1; {v}++)")
        return "\n".join(lines) + "\n" + "  " * (len(dims) + 1) + body

    def mlir_nest(body):
        starts = [f"affine.for %{v} = 1 to %{n} - 1 {{" for v, n in zip(ivs, dims)]
        return "\n".join(starts + body + ["}"] * len(dims))

    sums = ["%s0 = affine.load " + around(mlir_place)[0]]
    for k, place in enumerate(around(mlir_place)[1:], 1):
        sums += [f"%a{k} = affine.load {place}", f"%s{k} = arith.addf %s{k - 1}, %a{k}"]
    sums += [f"%w = arith.constant {weight:.9f}", f"%b = arith.mulf %w, %s{2 * len(dims)}",
             "affine.store %b, %B[" + ", ".join(f"%{v}" for v in ivs) + "]"]
    back = ["%b = affine.load %B[" + ", ".join(f"%{v}" for v in ivs) + "]",
            "affine.store %b, %A[" + ", ".join(f"%{v}" for v in ivs) + "]"]
    c = "for (int t = 0; t < steps; t++) {\n" + c_nest(
        f"B{here} = {weight:.9f}f * ({' + '.join(around(c_place))});") + "\n" + c_nest(f"A{here} = B{here};") + "\n}"
    mlir = "affine.for %t = 0 to %steps {\n" + mlir_nest(sums) + "\n" + mlir_nest(back) + "\n}"
    return Program(name, {**sizes, "steps": steps}, {"A": dims, "B": dims}, c, mlir, out=("A", "B"))
