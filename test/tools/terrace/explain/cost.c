// What the cost model says of kernels.
//
// RUN: terrace explain %s | FileCheck %s
// RUN: terrace explain %s --format json | FileCheck %s --check-prefix=JSON
// RUN: terrace explain %s --format html | FileCheck %s --check-prefix=HTML
// RUN: terrace explain %s --size n=4000 --size T=10 | FileCheck %s --check-prefix=SIZED
// RUN: terrace explain %s --cost-model table | FileCheck %s --check-prefix=TABLE
// RUN: terrace explain %s --cost-model table --format json | FileCheck %s --check-prefix=TABLE-JSON
// RUN: terrace explain %s --machine %S/../Inputs/machines/slow-sm_90.machine | FileCheck %s --check-prefix=SLOW
// RUN: env TERRACE_CACHE_DIR=%S/../Inputs/machines terrace explain %s | FileCheck %s --check-prefix=SLOW
// RUN: not terrace explain %s --arch sm_80 --machine %S/../Inputs/machines/slow-sm_90.machine 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not terrace explain %s --size n 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not terrace compile %s --emit ptx --cost-model table 2>&1 | FileCheck %s --check-prefix=REGIONS

// OTHER: describes a machine of sm_90, but code is made for sm_80
// SIZE: found `n`, expected DIM=N, such as N=512
// REGIONS: error: kernels of regions are mapped by the built-in model, so that --cost-model changes nothing here; explain --cost-model shows what it says of them

#define N 1024
double a[N][N], b[N][N];

void columns(void)
{
// CHECK-LABEL: : columns
// CHECK: - columns_region0_kernel0: [[US:[0-9.]+]] us a launch by the cost model for sm_90 (H200 SXM), L2 binds; counts are exact
// CHECK-NEXT: j along x, i along y: 32 x 128 blocks of 32 x 8 threads; 32 registers a thread (a guess), 64 warps an SM, 3.88 waves
// CHECK-NEXT: line [[@LINE+35]]: the read of a[i] [j]: 8.00 sectors a request; 32768 requests, 262144 sectors, 8388608 bytes (exact)
// CHECK-NEXT: line [[@LINE+34]]: the write of b[j][i]: 32.00 sectors a request; 32768 requests, 1048576 sectors, 8388608 bytes (exact)
// CHECK-NEXT: memory {{ *[0-9.]+}} us 16.777 MB at 4244 GB/s
// CHECK-NEXT: L2 {{ *}}[[US]] us {{.*}} <- binds
// CHECK-NEXT: L1
// CHECK: launch 3.700 us an empty kernel
// JSON: "cost": {
// JSON: "arch": "sm_90",
// JSON: "time_us": {{[0-9.]+}},
// JSON-NEXT: "binding": "L2",
// JSON-NEXT: "exact": true,
// JSON: "memory_bytes": 16777216,
// JSON: "text": "a[i] [j]",
// JSON: "requests": 32768,
// JSON-NEXT: "sectors": 262144,
// JSON-NEXT: "sectors_per_request": 8,
// JSON: "name": "memory",
// JSON-NEXT: "time_us": {{[0-9.]+}},
// JSON: "table_lines": null,
// JSON: "cost_wants": [],
// JSON-NEXT: "cost_unknown": null,
// HTML: <p class="s">columns_region0_kernel0: {{[0-9.]+}} us a launch by the cost model for sm_90 (H200 SXM), L2 binds
// TABLE-LABEL: : columns
// TABLE: - columns_region0_kernel0: 1114112 cache lines by the table of classes for sm_90 (H200 SXM){{$}}
// TABLE: the read of a[i] [j]: 0.0625 lines a thread each time
// TABLE-NEXT: the write of b[j][i]: 1.0000 lines a thread each time
// TABLE-NOT: memory
// TABLE: is copied
// TABLE-JSON: "model": "table",
// TABLE-JSON: "table_lines_per_thread": 0.0625
// TABLE-JSON: "table_lines": 1114112,
// SLOW: us a launch by the cost model for sm_90 (slow), memory binds
#pragma acc parallel loop gang worker collapse(2) vector_length(32) num_workers(8)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[j][i] = a[i] [j];
}

// Sizes that only the program knows; those of dimensions follow.
void sized(int n, double (*restrict m)[n + 2], double *restrict p, double *restrict q)
{
// CHECK-LABEL: : sized
// CHECK: - sized_region0_kernel0: what it costs depends on n: say --size n=N{{$}}
// JSON: "cost": null,
// JSON-NEXT: "cost_wants": [
// JSON-NEXT: "n"
// SIZED: - sized_region0_kernel0: 3.700 us a launch by the cost model for sm_90 (H200 SXM), launch binds; counts are exact
// SIZED-NEXT: i along x: 16 blocks of 256 threads
// SIZED-NEXT: the read of m[i][1]: 32.00 sectors a request; 125 requests, 4000 sectors, 32000 bytes (exact)
// SIZED-NEXT: the read of q[i]: 8.00 sectors a request
#pragma acc parallel loop copyin(m[0:n], q[0:n]) copy(p[0:n])
  for (int i = 0; i < n; i++)
    p[i] += m[i][1] + q[i];
}

// Several iterations a thread, several launches.
void stencil(int T, double A[restrict N][N], double B[restrict N][N])
{
// SIZED-LABEL: : stencil
// SIZED: memory binds; 10 launches; counts are in part estimates
// SIZED-NEXT: j along x, i along y: 8 x 128 blocks of 128 x 2 threads, 4 of i a thread;
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = B[i][j] + B[i + 1][j] + B[i - 1][j];
#pragma endscop
}

// What the model has no answer for.
double sum(void)
{
// CHECK-LABEL: : sum
// CHECK: - sum_region0_kernel0: no estimate of its time: its threads combine what they compute, which the model does not know
// CHECK-NOT: sum_region0_kernel1: no estimate
// JSON: "cost_unknown": "its threads combine what they compute, which the model does not know",
  double s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < N; i++)
    s += a[i][0];
  return s;
}

void gather(int *restrict k, double *restrict p)
{
// CHECK-LABEL: : gather
// CHECK: no estimate of its time: a subscript or bound is no sum of multiples of counters
#pragma acc parallel loop copyin(k[0:N]) copyout(p[0:N])
  for (int i = 0; i < N; i++)
    p[i] = a[k[i]][0];
}

void gangs(void)
{
// CHECK-LABEL: : gangs
// CHECK: no estimate of its time: a clause says how many blocks there are, which the model does not know
#pragma acc parallel loop num_gangs(4)
  for (int i = 0; i < N; i++)
    a[i][0] = 1;
}

void bounds(int *restrict count)
{
// CHECK-LABEL: : bounds
// CHECK-NOT: bounds_region0_kernel0: no estimate
// CHECK: bounds_region0_kernel1: no estimate of its time: its loops are not affine
#pragma acc parallel copyin(count[0:N])
#pragma acc loop seq
  for (int t = 0; t < N; t++)
#pragma acc loop independent
    for (int i = 0; i < count[t]; i++)
      a[t][i] += 1;
}

void triangle(void)
{
// CHECK-LABEL: : triangle
// CHECK: no estimate of its time: a subscript or bound divides a counter or multiplies two
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++)
      a[i][j] += 1;
#pragma endscop
}

void product(double A[restrict N][N], double B[restrict N][N], double C[restrict N][N])
{
// CHECK-LABEL: : product
// CHECK: product_region0_kernel0: [[PRODUCT:[0-9.]+]] us a launch by the cost model for sm_90 (H200 SXM), L2 binds; counts are in part estimates
// CHECK-NEXT: tiles of 64 x 64 of i and j: 16 x 16 blocks of 128 threads; 16 of k at a time, 4 slabs; 164 registers a thread (a guess), 12 warps an SM, 0.65 waves
// CHECK-NEXT: line [[@LINE+22]]: the read of A[i][k]: 8.00 sectors a request; 524288 requests, 4194304 sectors, 134217728 bytes (estimate)
// CHECK: the read of B[k][j]: 8.00 sectors a request
// CHECK: the read of C[i][j]: 16.00 sectors a request
// CHECK: the write of C[i][j]: 16.00 sectors a request
// CHECK: L2 {{ *}}[[PRODUCT]] us {{.*}} <- binds
// CHECK: shared memory {{.*}} us 6291456 passes
// CHECK: matrix units {{.*}} us 0.0021 TFLOP at 66.7 TFLOP/s
// CHECK: latency {{.*}} clocks a slab, {{[0-9]+}} of them until the first products; 0.65 waves of 3 blocks an SM (registers)
// JSON: "tile": {
// JSON-NEXT: "rows": "i",
// JSON-NEXT: "columns": "j",
// JSON-NEXT: "depth": "k",
// JSON: "slab": 16,
// JSON-NEXT: "slabs": 4
// JSON: "runs": true,
// JSON: "name": "matrix units",
// TABLE-LABEL: : product
// TABLE: no estimate of its time: the table of classes is of threads that load from memory themselves
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
