// RUN: env TERRACE_PTXAS=%S/Inputs/ptxas terrace explain %s --arch sm_80 | FileCheck %s
// RUN: env TERRACE_PTXAS=%S/Inputs/ptxas terrace explain %s --arch sm_80 --format json | FileCheck %s --check-prefix=JSON
// RUN: env TERRACE_PTXAS=%S/Inputs/ptxas terrace explain %s --arch sm_90 | FileCheck %s --check-prefix=ARCH
// RUN: env TERRACE_PTXAS=none terrace explain %s --arch sm_80 | FileCheck %s --check-prefix=NONE

#define N 1000
double a[N][N], b[N];

// What the assembler says, and what fits a multiprocessor.
void plain(void)
{
// CHECK: - kernel plain_region0_kernel0: blocks of 64 x 4 threads, 8 x 125 of them
// CHECK-NEXT: - plain_region0_kernel0: 40 registers a thread, no spills, 0 bytes of shared memory a block; 6 of 8 blocks of 256 threads fit an SM of sm_80: occupancy 75 %, bounded by registers
// JSON: "registers": 40,
// JSON: "registers_unknown": null,
// JSON: "spill_bytes": 0,
// JSON: "shared_bytes": 0,
// JSON: "occupancy": 75,
// JSON: "resident": {
// JSON: "arch": "sm_80",
// JSON: "blocks": 6,
// JSON: "most": 8,
// JSON: "limit": "registers"
// ARCH: - plain_region0_kernel0: registers unknown: this ptxas does not assemble for sm_90; it knows sm_80, 0 bytes of shared memory a block; at most 8 blocks of 256 threads fit an SM of sm_90: occupancy at most 100 %
// NONE: - plain_region0_kernel0: registers unknown: no ptxas found, 0 bytes of shared memory a block; at most 8 blocks of 256 threads fit an SM of sm_80: occupancy at most 100 %
#pragma acc parallel loop gang worker collapse(2)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = 1;
}

void spills(int n)
{
// Threads do two iterations each, so that blocks of 256 threads have 512.
// CHECK: - kernel spills_region0_kernel0: blocks of 256 threads, (n + 511) / 512 of them
// CHECK-NEXT: ! spills_region0_kernel0: 128 registers a thread, 48 bytes of spills, 24 bytes of local memory a thread, 0 bytes of shared memory a block; 2 of 8 blocks of 256 threads fit an SM of sm_80: occupancy 25 %, bounded by registers
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    b[i] = 1;
}

// Blocks of a loop that begins later and ends sooner.
void inner(int n)
{
// CHECK: - kernel inner_region0_kernel0: blocks of 256 threads, ((n - 2) + 255) / 256 of them
#pragma acc parallel loop
  for (int i = 1; i < n - 1; i++)
    b[i] = 1;
}

// Small blocks run out of slots.
void slots(int n)
{
// CHECK: - kernel slots_region0_kernel0: blocks of 32 threads
// CHECK-NEXT: - slots_region0_kernel0: 40 registers a thread, no spills, 0 bytes of shared memory a block; 32 of 64 blocks of 32 threads fit an SM of sm_80: occupancy 50 %, bounded by the number of blocks
#pragma acc parallel loop vector_length(32)
  for (int i = 0; i < n; i++)
    b[i] = 1;
}

void large(int n)
{
// CHECK: - kernel large_region0_kernel0: blocks of 1024 threads
// CHECK: - large_region0_kernel0: it cannot run: 204800 registers a block; an SM has 65536 to give
#pragma acc parallel loop vector_length(1024)
  for (int i = 0; i < n; i++)
    b[i] = 1;
}

void silent(int n)
{
// CHECK: - silent_region0_kernel0: registers unknown: ptxas does not tell them
#pragma acc parallel loop
  for (int i = 0; i < n; i++)
    b[i] = 1;
}

// A reduction needs shared memory and a second kernel.
double sum(void)
{
// CHECK: - sum_region0_kernel0: 40 registers a thread, no spills, 2048 bytes of shared memory a block
// CHECK: - kernel sum_region0_kernel1: blocks of 256 threads
// CHECK: - sum_region0_kernel1: combines the partial results of the blocks, in their order
// NONE: - sum_region0_kernel0: registers unknown: no ptxas found, 2048 bytes of shared memory a block; at most 8 blocks
  double s = 0;
#pragma acc parallel loop reduction(+ : s)
  for (int i = 0; i < N; i++)
    s += b[i];
  return s;
}

// What no loop may run in another order runs in one thread.
void serial(void)
{
// CHECK: - kernel serial_region0_kernel0: one thread{{$}}
// CHECK-NEXT: - serial_region0_kernel0: 40 registers a thread, no spills, 0 bytes of shared memory a block{{$}}
// CHECK-NEXT: - serial_region0_kernel0: one thread runs these statements one after another
// CHECK: - the loop over i runs in order: the construct is serial
// CHECK-NEXT: - one thread of serial_region0_kernel0 runs all of it
#pragma acc serial
  for (int i = 1; i < N; i++)
    b[i] += b[i - 1];
}
