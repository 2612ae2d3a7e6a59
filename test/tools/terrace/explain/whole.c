// Loops of regions that are one kernel as a whole, as in MLIR programs.
//
// RUN: terrace explain %s | FileCheck %s

// CHECK-LABEL: : sums
// CHECK: sums_region0_kernel1: scan in one pass, a block for each tile and the next
void sums(int n, int *restrict a, int *restrict b) {
#pragma scop
  int s = 3;
  for (int i = 0; i < n; i++) {
    s += a[i];
    b[i] = s;
  }
#pragma endscop
}

// CHECK-LABEL: : in_order
// CHECK: one thread runs these statements one after another
void in_order(int n, int *restrict a, int *restrict b) {
#pragma acc parallel copyin(a[0:n]) copy(b[0:n])
  {
    int s = 0;
#pragma acc loop seq
    for (int i = 0; i < n; i++) {
      s += a[i];
      b[i] = s;
    }
  }
}

// CHECK-LABEL: : sweeps
// CHECK: sweeps_region0_kernel0: stencil tiled along time, {{[0-9]+}} sweeps a launch
void sweeps(int t, double A[restrict 500][500], double B[restrict 500][500]) {
#pragma scop
  for (int k = 0; k < t; k++) {
    for (int i = 1; i < 499; i++)
      for (int j = 1; j < 499; j++) B[i][j] = A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1];
    for (int i = 1; i < 499; i++)
      for (int j = 1; j < 499; j++) A[i][j] = B[i - 1][j] + B[i + 1][j] + B[i][j - 1] + B[i][j + 1];
  }
#pragma endscop
}

// CHECK-LABEL: : chain
// CHECK: a region begins here (kernels), with 1 kernel
void chain(int n, float *restrict x, float *restrict y, float *restrict z) {
#pragma acc kernels copyin(x[0:n]) copy(y[0:n], z[0:n])
  {
    for (int i = 0; i < n; i++) y[i] = x[i] * 2;
    for (int i = 0; i < n; i++) z[i] = y[i] + 1;
  }
}

// CHECK-LABEL: : gangs
// CHECK: gangs_region0_kernel0: each iteration of {{.*}} is the work of a block, whose 128 threads share the loops in it
// CHECK: gangs_region0_kernel0: no estimate of its time: its threads work together in a way that the model does not know
void gangs(int m, int n, float A[restrict m][n], float B[restrict m][n]) {
#pragma acc parallel loop gang copyin(A[0:m]) copy(B[0:m])
  for (int i = 0; i < m; i++) {
    float s = 0;
#pragma acc loop vector reduction(+ : s)
    for (int j = 0; j < n; j++) s += A[i][j];
#pragma acc loop vector
    for (int j = 0; j < n; j++) B[i][j] = A[i][j] / s;
  }
}

// CHECK-LABEL: : counts
// CHECK: blocks of 256 threads, (n + 1023) / 1024 of them
void counts(int n, int *restrict a, int h[restrict 256]) {
#pragma scop
  for (int i = 0; i < n; i++) h[a[i]] += 1;
#pragma endscop
}
