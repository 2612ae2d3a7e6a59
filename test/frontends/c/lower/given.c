// Variables that are computed from others once are computed in the region, too.
// RUN: terrace compile %s --emit mlir | FileCheck %s

// CHECK-LABEL: func.func @width.region0(
// CHECK-SAME: %arg0: i32 {acc.access = "read", acc.name = "nx"}
// CHECK-NOT: acc.name = "w"
// CHECK: arith.addi %{{.*}}, %c2
void width(int nx, int ny, double *restrict a) {
  int w = nx + 2;
#pragma scop
  for (int i = 0; i < ny; i++)
    for (int j = 0; j < nx; j++)
      a[i * w + j] = 1;
#pragma endscop
}

// One from another, and by assignments in front of it.
// CHECK-LABEL: func.func @steps.region0(
// CHECK-SAME: acc.name = "n"
// CHECK-NOT: acc.name = "w"
// CHECK-NOT: acc.name = "g"
// CHECK: return
void steps(int n, int m, double *restrict a) {
  int g, w;
  g = 2;
  w = n + 2 * g;
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = g; j < w - g; j++)
      a[i * w + j] = 1;
#pragma endscop
}

// It gets another value.
// CHECK-LABEL: func.func @again.region0(
// CHECK: acc.name = "w"
void again(int nx, int ny, double *restrict a) {
  int w = nx + 2;
  if (ny > 5)
    w++;
#pragma scop
  for (int i = 0; i < ny; i++)
    a[i * w] = 1;
#pragma endscop
}

// What it was computed from does.
// CHECK-LABEL: func.func @before.region0(
// CHECK: acc.name = "w"
void before(int nx, int ny, double *restrict a) {
  int w = nx + 2;
  nx = 0;
#pragma scop
  for (int i = 0; i < ny; i++)
    a[i * w + nx] = 1;
#pragma endscop
}

// Somebody else may change it.
// CHECK-LABEL: func.func @given_away.region0(
// CHECK: acc.name = "w"
void look(int *);
void given_away(int nx, int ny, double *restrict a) {
  int w = nx + 2;
  look(&w);
#pragma scop
  for (int i = 0; i < ny; i++)
    a[i * w] = 1;
#pragma endscop
}

// Only some calls assign it.
// CHECK-LABEL: func.func @at_times.region0(
// CHECK: acc.name = "w"
void at_times(int nx, int ny, double *restrict a, int *p) {
  int w;
  if (*p)
    w = nx + 2;
#pragma scop
  for (int i = 0; i < ny; i++)
    a[i * w] = 1;
#pragma endscop
}

// Where the region stands the name is another variable's.
// CHECK-LABEL: func.func @hidden.region0(
// CHECK: acc.name = "w"
void hidden(int n, int m, double *restrict a) {
  int w = n + 2;
  {
    int n = m / 3;
#pragma scop
    for (int i = 0; i < n; i++)
      a[i * w] = 1;
#pragma endscop
  }
}

// A conversion may lose bits, and unsigned numbers wrap.
// CHECK-LABEL: func.func @narrow.region0(
// CHECK: acc.name = "w"
void narrow(long n, int m, double *restrict a) {
  int w = n + 2;
#pragma scop
  for (int i = 0; i < m; i++)
    a[i * w] = 1;
#pragma endscop
}
