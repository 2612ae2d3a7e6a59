// RUN: terrace explain %s --graph calls | FileCheck %s --check-prefix=CALLS
// RUN: terrace explain %s --graph cfg --function pick | FileCheck %s --check-prefix=CFG
// RUN: terrace explain %s --graph cfg --function pick --format svg | FileCheck %s --check-prefix=SVG
// RUN: terrace explain %s --graph deps --function next | FileCheck %s --check-prefix=DEPS
// RUN: not terrace explain %s --graph cfg --function none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace explain %s --graph cfg --format html 2>&1 | FileCheck %s --check-prefix=SHOWN
// RUN: not terrace explain %s --format svg 2>&1 | FileCheck %s --check-prefix=GRAPH

double sqrt(double);
double a[100];

void next(int n)
{
  for (int i = 1; i < n; i++)
    a[i] = sqrt(a[i - 1]);
}

int pick(int a, int b)
{
  int r = 0;
  switch (a) {
  case 1:
    r = 2;
    break;
  case 2:
  case 3:
    r = 5;
  default:
    r += b;
  }
again:
  if (r < 100) {
    r *= 2;
    if (r == 64)
      return 7;
    goto again;
  }
  do {
    r--;
    if (r % 7 == 0)
      continue;
    if (r == 3)
      break;
  } while (r > 0);
  while (1)
    if (next(r), r++ > 9)
      return pick(r, 0) + pick(0, r);
}

// CALLS: digraph "calls in
// CALLS: n0 [label="next\lline 12\l"];
// CALLS: n1 [label="pick\lline 18\l"];
// CALLS: n2 [label="sqrt\l", style=dashed];
// CALLS: n0 -> n2;
// CALLS: n1 -> n0;
// CALLS: n1 -> n1 [label="2 calls"];

// CFG: digraph "pick" {
// CFG: n0 [label="pick:\l20: int r = 0;\l21: switch (a)\l"];
// CFG: n1 [label="end\l"];
// CFG-DAG: label="23: r = 2;\l"
// CFG-DAG: label="27: r = 5;\l"
// CFG-DAG: label="29: r += b;\l"
// CFG-DAG: label="32: again:\l32: if (r < 100)\l"
// CFG-DAG: label="{{[0-9]+}}: while (r > 0)\l"
// CFG-DAG: [label="2, 3"];
// CFG-DAG: [label="default"];
// CFG-DAG: [label="break"];
// CFG-DAG: [label="again"];
// CFG-NOT: digraph

// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: >29: r += b;</text>
// SVG: </svg>

// DEPS: digraph "next"
// DEPS: label="read of a[i - 1]\lline 15\l"
// DEPS: label="write of a[i]\lline 15\l"
// DEPS: n1 -> n0 [label="flow\nover i by 1"];

// NONE: there is no function `none` with a body
// SHOWN: a graph is shown as dot or svg
// GRAPH: dot and svg show a graph; add --graph deps, calls or cfg
