// Pointers that a loop swaps are tried as they were before it, and then otherwise. What is known
// behind the last statement in front of the loop stays.
//
// RUN: terrace cc --auto -ta=multicore -Minfo -c %s -o %t.o 2>&1 | FileCheck %s
typedef struct { int n; double *u, *r; } level;

// CHECK: smooth:
// CHECK: a region begins here (auto)
static void smooth(level *l, int sweeps) {
  double *u = l->u, *t = l->r;
  const int n = l->n;
  while (sweeps-- > 0) {
    for (int i = 1; i < n; i++) t[i] = u[i - 1] + u[i];
    double *s = u;
    u = t;
    t = s;
  }
}

// CHECK: all:
// CHECK: this region stays on the host: the pointer 't' may point to several arrays
void all(level *g) {
  for (int k = 0; k < 4; k++) {
    if (g[k].n > 2) smooth(&g[k], 2);
  }
}
