// RUN: terrace compile %s --emit mlir | FileCheck %s --check-prefix=MLIR
// RUN: terrace compile %s --emit mlir -DTYPE=float | FileCheck %s --check-prefix=FLOAT
// RUN: terrace compile %s --emit ptx --arch sm_80 | FileCheck %s --check-prefix=PTX
// RUN: terrace compile %s --emit asm | FileCheck %s --check-prefix=ASM
// RUN: terrace compile %s --emit hir | FileCheck %s --check-prefix=HIR
// RUN: terrace run %s --entry sum --arg 0=10 --verify | FileCheck %s --check-prefix=RUNS

#ifndef TYPE
#define TYPE double
#endif

int sum(int n)
{
  int s = 0;
  for (int i = 0; i < n; i++)
    s += i;
  return s;
}

// MLIR: func.func @axpy.region0
// MLIR: affine.for {{.*}}loc("i"("{{.*}}compile-c.c":[[@LINE+9]]:3
// FLOAT: func.func @axpy.region0({{.*}}memref<?xf32>
// PTX: .target sm_80
// PTX: .entry axpy_region0_kernel0
// ASM: @axpy.region0
// HIR: name: "axpy"
void axpy(int n, TYPE a, TYPE *x, TYPE *y)
{
#pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}

// RUNS: result   0: 45
// RUNS: verify   passed
