// RUN: terrace explain %s | FileCheck %s

// A stencil whose size only the run knows: rows are shared where there are enough of them.
// {{each thread runs 8 iterations of i at once, where there are enough of them, and loads once what they share}}

// CHECK: sweep_region0_kernel0: each thread runs 8 iterations of i at once, where there are enough of them, and loads once what they share

void sweep(int n, double A[restrict][2000], double B[restrict][2000]) {
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < 1999; j++)
      B[i][j] = 0.2 * (A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
#pragma endscop
}
