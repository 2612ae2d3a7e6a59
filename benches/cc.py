#!/usr/bin/env python3
"""What `terrace cc` costs beside the system's compiler.

    benches/cc.py [--terrace PATH] [--runs N]

Two figures, each the least of several runs, taken in turns:

- the time of `terrace cc -O2 -c` on a generated C file of 10,000 lines without
  regions, against `gcc -O2 -c` on the same: at most 10 % more;
- the time from C to PTX of a kernel in the manner of PolyBench, beyond that of
  `cc -E` on the same file: at most 50 ms.

Exits with 1 if either is missed.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def plain_file(lines):
    """C without regions: functions of loops, switches and calls; the same every time."""
    r = random.Random(7)
    out = ["#include <math.h>", "#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>", ""]
    n = 0
    while len(out) < lines:
        callee = f"f{r.randrange(n)}(a - 1, x)" if n else "x"
        out += [
            f"struct s{n} {{ int a; double b[{r.randrange(2, 9)}]; struct s{n} *next; }};",
            f"static double f{n}(int a, double x)",
            "{",
            f"  double t[{r.randrange(8, 64)}];",
            f"  struct s{n} s;",
            "  int i, j;",
            "  memset(&s, 0, sizeof s);",
            "  if (a <= 0)",
            "    return x;",
            "  for (i = 0; i < (int)(sizeof t / sizeof t[0]); i++) {",
            f"    t[i] = sin(x * {r.random():.4f}) + i;",
            "    for (j = 0; j < i; j++)",
            f"      t[i] += t[j] * {r.random():.4f} - s.b[j & 1];",
            "  }",
            f"  switch (a % {r.randrange(3, 9)}) {{",
            f"  case 0: s.a = {r.randrange(100)}; break;",
            f"  case 1: s.a = (int)t[{r.randrange(8)}]; break;",
            '  case 2: printf("%d %g\\n", a, x); break;',
            f"  default: s.b[0] = {callee}; break;",
            "  }",
            f"  while (x > {r.randrange(1, 50)}.0)",
            f"    x = x / 2 - {r.random():.4f};",
            "  return s.a + s.b[0] + t[0] + x;",
            "}",
            "",
        ]
        n += 1
    out += ["int main(void)", "{", f'  printf("%g\\n", f{n - 1}(9, 3.5));', "  return 0;", "}"]
    return "\n".join(out) + "\n"


KERNEL = """\
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#ifndef N
#define N 1024
#endif
#define DATA_TYPE double

static DATA_TYPE A[N][N], B[N][N], C[N][N], D[N][N], E[N][N];

static void init(int n)
{
  int i, j;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      A[i][j] = (DATA_TYPE)((i * j + 1) % n) / (5 * n);
      B[i][j] = (DATA_TYPE)((i * (j + 1) + 2) % n) / (5 * n);
      C[i][j] = (DATA_TYPE)(i * (j + 3) % n) / (5 * n);
    }
}

static void kernel(int n, DATA_TYPE alpha, DATA_TYPE beta)
{
  int i, j, k;
#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      D[i][j] = 0;
      for (k = 0; k < n; k++)
        D[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      E[i][j] *= beta;
      for (k = 0; k < n; k++)
        E[i][j] += D[i][k] * C[k][j];
    }
#pragma endscop
}

int main(void)
{
  init(N);
  kernel(N, 1.5, 1.2);
  printf("%.6f\\n", E[N - 1][N - 1]);
  return 0;
}
"""


def seconds(words, where):
    start = time.perf_counter()
    subprocess.run(words, cwd=where, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def least(commands, where, runs):
    """The least time of each command, taken in turns so that the machine is the same."""
    best = [float("inf")] * len(commands)
    for _ in range(runs):
        for i, words in enumerate(commands):
            best[i] = min(best[i], seconds(words, where))
    return best


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--terrace", default=os.path.join(ROOT, "target/release/terrace"))
    p.add_argument("--runs", type=int, default=7)
    a = p.parse_args()
    terrace = os.path.abspath(a.terrace)
    if not os.path.isfile(terrace):
        sys.exit(f"there is no {terrace}; build it with cargo build --release, or name it with --terrace")
    missed = False
    with tempfile.TemporaryDirectory() as where:
        text = plain_file(10_000)
        with open(os.path.join(where, "plain.c"), "w") as f:
            f.write(text)
        with open(os.path.join(where, "kernel.c"), "w") as f:
            f.write(KERNEL)
        os.environ["TERRACE_HOST_CC"] = "gcc"
        flags = ["-O2", "-c", "plain.c", "-o", "plain.o"]
        gcc, ours = least([["gcc", *flags], [terrace, "cc", *flags]], where, a.runs)
        more = (ours / gcc - 1) * 100
        missed |= more > 10
        print(f"{text.count(chr(10))} lines without regions: gcc {gcc * 1e3:.1f} ms, terrace cc {ours * 1e3:.1f} ms, {more:+.2f} %")
        pre, ptx = least([["gcc", "-E", "kernel.c"], [terrace, "compile", "kernel.c", "--emit", "ptx"]], where, a.runs)
        beyond = (ptx - pre) * 1e3
        missed |= beyond > 50
        print(f"2mm from C to PTX: {ptx * 1e3:.1f} ms, of which cc -E {pre * 1e3:.1f} ms, beyond it {beyond:.1f} ms")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
