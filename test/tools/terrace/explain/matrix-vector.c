// RUN: terrace explain %s | FileCheck %s

// Rows of a matrix, a thread each: tiles are copied ahead by others, so that neighbouring
// threads read neighbouring elements, and every sum keeps its order.

// CHECK: product_region0_kernel0: blocks of 96 threads, (n + 31) / 32 of them
// CHECK: product_region0_kernel0: 64 threads of a block copy A and x to shared memory in tiles of 32 iterations, 4 ahead of the tile that the other 32 use; sums keep their order
// CHECK: product_region0_kernel0: runs where the program finds that it pays; else the next kernel does
// CHECK: product_region0_kernel0: no estimate of its time: its threads copy tiles ahead to shared memory, which the model does not know
// CHECK: kernel product_region0_kernel1: blocks of
// CHECK: the read of A[i][j]: neighbouring threads are 500 elements (4000 bytes) apart

void product(int n, int m, double A[restrict][500], double x[restrict], double y[restrict]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) y[i] += A[i][j] * x[j];
#pragma endscop
}
