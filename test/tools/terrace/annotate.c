// The lines of a C file, as it was before the preprocessor.
//
// REQUIRES: gcc
// RUN: terrace compile %s --emit ptx --annotate | FileCheck %s
// RUN: terrace compile %s --emit ptx --dump-passes 2>&1 >/dev/null | FileCheck %s --check-prefix=DUMP

// CHECK: .visible .entry
// CHECK: // {{.*}}annotate.c:[[@LINE+9]]: a[i] = TWICE(a[i]) + 1.0f; // as it is written
// CHECK: ld.global.f32
// DUMP: // -----// PTX Dump After cleanup (kernel: scale{{.*}}changes) //----- //

#define TWICE(x) (2.0f * (x))

void scale(int n, float *restrict a) {
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = TWICE(a[i]) + 1.0f; // as it is written
}
