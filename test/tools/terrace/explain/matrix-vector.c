// RUN: terrace explain %s | FileCheck %s
// RUN: terrace explain %s --size n=4000 --size m=500 | FileCheck %s --check-prefix=SIZED

// Rows of a matrix, a thread each: tiles are copied ahead by others, so that neighbouring
// threads read neighbouring elements, and every sum keeps its order.

// CHECK: product_region0_kernel0: blocks of 96 threads, (n + 31) / 32 of them
// CHECK: product_region0_kernel0: 64 threads of a block copy A and x to shared memory in tiles of 32 iterations, 4 ahead of the tile that the other 32 use; sums keep their order; runs where the program finds that it pays, else the next kernel does
// CHECK: product_region0_kernel0: what it costs depends on {{.*}}n
// CHECK: kernel product_region0_kernel1: blocks of
// CHECK: the read of A[i][j]: neighbouring threads are 500 elements (4000 bytes) apart

// Rows are copied whole, and of x a block copies each element once.

// SIZED: product_region0_kernel0: {{[0-9.]+}} us a launch by the cost model for sm_90 (H200 SXM), memory binds; counts are in part estimates
// SIZED-NEXT: i along x: 125 blocks of 96 threads
// SIZED: the read of A[i][j]: 8.00 sectors a request; 62500 requests, 500000 sectors, 16000000 bytes (estimate)
// SIZED: the read of x[j]: 8.00 sectors a request; 1953.12 requests, 15625 sectors, 500000 bytes (estimate)
// SIZED: memory {{.*}} us 16.068 MB at 4244 GB/s <- binds
// SIZED: shared memory {{.*}} passes
// SIZED: latency {{.*}} clocks a block, 4 tiles under way; 0.19 waves of 5 blocks an SM (shared memory)

void product(int n, int m, double A[restrict][500], double x[restrict], double y[restrict]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) y[i] += A[i][j] * x[j];
#pragma endscop
}
