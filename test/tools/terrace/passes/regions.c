// What is shown of passes over regions of C: for which region, and for which of its forms.
//
// RUN: terrace cc -c %s -o %t.o --target-arch=sm_90 --print-ir-after-all 2>&1 | FileCheck %s
// RUN: terrace cc -c %s -o %t.o --target-arch=sm_75,sm_90 --print-ir-after gpu-map-contractions --print-ir-before=offload-map 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: terrace cc -c %s -o %t.o --timing 2>&1 | FileCheck %s --check-prefix=TIMES
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
// RUN: not terrace cc -c %s --print-ir-after=canonicalise 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not terrace cc -c %s --print-ir-before 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: terrace cc -c %s -o %t.o --print-ir-after=affine-loop-tile 2>&1 | FileCheck %s --check-prefix=NOT-RUN
//
// terrace compile goes the same way.
// RUN: terrace cc -c %s -o %t.o --target-arch=sm_90 --print-ir-after-all 2> %t.cc
// RUN: terrace compile %s --emit ptx --print-ir-after-all 2> %t.compile > /dev/null
// RUN: cmp %t.cc %t.compile
//
// QUIET-NOT: {{.}}
// NEAR: terrace cc: error: --print-ir-after: found 'canonicalise', which is no pass; did you mean 'canonicalize'? terrace-opt --list-passes lists all passes
// VALUE: error: found --print-ir-before, expected --print-ir-before=VALUE, which is PASS, or several as cse,canonicalize
// NOT-RUN: note: the pass 'affine-loop-tile' did not run: there is nothing to print around it
//
// CHECK: // -----// IR Dump After OffloadParallelize (offload-parallelize) of region scale.region0 of {{.*}}regions.c, all forms ('func.func' operation: @scale.region0) //----- //
// CHECK-NEXT: {{^}}func.func @scale.region0(
// CHECK: affine.parallel
// CHECK: IR Dump After {{.*}} (affine-order-strides) of region scale.region0 of {{.*}}regions.c, its order on a core
// CHECK: IR Dump After {{.*}} (lower-affine) of region scale.region0 of {{.*}}regions.c, for cpu
// CHECK-NOT: gpu.launch
// CHECK: (lower-affine) of region scale.region0 of {{.*}}regions.c, for gpu sm_90
// CHECK: (offload-map) of region scale.region0 of {{.*}}regions.c, for gpu sm_90 ('func.func' operation: @scale.region0)
// CHECK: gpu.launch
// CHECK: (gpu-kernel-outlining) of region scale.region0
// CHECK: region product.region0 of
// CHECK-NOT: scale.region0
//
// NAMED: IR Dump Before OffloadMap (offload-map) of region scale.region0 of {{.*}}regions.c, for gpu sm_75
// NAMED: IR Dump After {{.*}} (gpu-map-contractions) of region product.region0 of {{.*}}regions.c, for gpu sm_75
// NAMED: IR Dump After {{.*}} (gpu-map-contractions) of region product.region0 of {{.*}}regions.c, for gpu sm_90
// NAMED: IR Dump Before OffloadMap (offload-map) of region product.region0 of {{.*}}regions.c, for gpu sm_75
// NAMED: IR Dump Before OffloadMap (offload-map) of region product.region0 of {{.*}}regions.c, for gpu sm_90
//
// TIMES: ... Execution time report ...
// TIMES: Passes of region scale.region0 of {{.*}}regions.c, all forms
// TIMES-NEXT: 'func.func' Pipeline
// TIMES-NEXT: OffloadPrivateReductions
// TIMES-NEXT: OffloadUnsigned
// TIMES: Passes of region scale.region0 of {{.*}}regions.c, all forms
// TIMES-NEXT: 'func.func' Pipeline
// TIMES-NEXT: AffineUncoalesce
// TIMES-NEXT: AffineWrapToSelect
// TIMES-NEXT: OffloadPresume
// TIMES-NEXT: AffineDelinearize
// TIMES-NEXT: 'func.func' Pipeline
// TIMES-NEXT: AffineArgExtrema
// TIMES-NEXT: AffinePromoteAccumulators
// TIMES-NEXT: OffloadParallelize
// TIMES: Passes of region scale.region0 of {{.*}}regions.c, for cpu
// TIMES: CSE
// TIMES: Passes of region scale.region0 of {{.*}}regions.c, for gpu sm_75
// TIMES: OffloadMap
// TIMES: PTX
// TIMES: Machine code
// TIMES-NEXT: Rest
// TIMES-NEXT: Total
#define N 32
double A[N][N], B[N][N], C[N][N];

void scale(int n, double *restrict x) {
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++) x[i] *= 2;
}
void product(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
