// Variables that a loop's body makes grow by a constant follow from its counter.
// RUN: terrace compile %s --emit mlir | FileCheck %s

// CHECK-LABEL: func.func @pointers.region0(
// CHECK: affine.for %[[I:[a-z0-9]+]]
// CHECK-NOT: iter_args
// CHECK: affine.load %{{.*}}[%[[I]]]
// CHECK: affine.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK: return
void pointers(int n, const double *restrict a, double *restrict b) {
  const double *p = a;
  double *q = b;
#pragma scop
  for (int i = 0; i < n; i++)
    *q++ = *p++ * 3;
#pragma endscop
}

// Several steps in an iteration, one of them in a loop of known length.
// CHECK-LABEL: func.func @channels.region0(
// CHECK-NOT: iter_args
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}} * 4 + %{{.*}}]
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}} * 4 + 3]
// CHECK: return
void channels(int n, const unsigned char *restrict a, unsigned char *restrict b) {
#pragma scop
  {
    unsigned char *q = b;
    for (int i = 0; i < n; i++) {
      for (int c = 0; c < 3; c++)
        *q++ = a[3 * i + c];
      *q++ = 255;
    }
  }
#pragma endscop
}

// One number for two loops; what it is behind them is written back.
// CHECK-LABEL: func.func @plane.region0(
// CHECK: arith.maxsi
// CHECK-NOT: iter_args
// CHECK: return %{{.*}} : i32
int plane(int n, int m, double *restrict a) {
  int k = 0;
#pragma scop
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      a[k++] = j;
#pragma endscop
  return k;
}

// Not always, not by the same, not to the end, or by itself: the loop carries it.
// CHECK-LABEL: func.func @at_times.region0(
// CHECK: iter_args
void at_times(int n, double *restrict a) {
#pragma scop
  {
    int k = 0;
    for (int i = 0; i < n; i++)
      if (a[i] > 0)
        a[k++] = a[i];
  }
#pragma endscop
}

// CHECK-LABEL: func.func @triangle.region0(
// CHECK: iter_args
void triangle(int n, double *restrict a) {
#pragma scop
  {
    int k = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        a[k++] = j;
  }
#pragma endscop
}

// CHECK-LABEL: func.func @left_early.region0(
// CHECK: iter_args
void left_early(int n, double *restrict a) {
#pragma scop
  {
    int k = 0;
    for (int i = 0; i < n; i++) {
      if (a[i] > 0)
        continue;
      a[k++] = i;
    }
  }
#pragma endscop
}

// CHECK-LABEL: func.func @doubled.region0(
// CHECK: iter_args
void doubled(int n, double *restrict a) {
#pragma scop
  {
    int k = 1;
    for (int i = 0; i < n; i++) {
      a[i] = k++;
      k = k * 2;
    }
  }
#pragma endscop
}

// The counter of an inner loop begins anew each time.
// CHECK-LABEL: func.func @counters.region0(
// CHECK: iter_args
// CHECK: return %{{.*}} : i32
int counters(int n, int m, double *restrict a) {
  int j = 0;
#pragma scop
  for (int i = 0; i < m; i++)
    for (j = 0; j < n; j++)
      a[i * n + j] = j;
#pragma endscop
  return j;
}

// A list of values is not followed.
// CHECK-LABEL: func.func @listed.region0(
// CHECK: iter_args
// CHECK: return %{{.*}} : i32
int listed(int n, double *restrict a) {
  int k = 0;
#pragma scop
  for (int i = 0; i < n; i++) {
    int two[2] = {k++, k++};
    a[i] = two[0] + two[1];
  }
#pragma endscop
  return k;
}

// It is taken back, but not if the iteration ends before.
// CHECK-LABEL: func.func @taken_back.region0(
// CHECK: iter_args
// CHECK: return %{{.*}} : i32
int taken_back(int n, double *restrict a, const double *restrict b) {
  int k = 0;
#pragma scop
  for (int i = 0; i < n; i++) {
    k++;
    if (b[i] > 0)
      continue;
    a[i] = k;
    k--;
  }
#pragma endscop
  return k;
}
