// Several architectures: a product has kernels of its own from sm_80 on, and others on
// sm_90; what has none is made for the oldest alone. A device runs the newest it can.
//
// RUN: mkdir -p %t.kept && terrace cc -c %s -o %t.kept/a.o -Minfo --target-arch=sm_80,sm_75,sm_90 --terrace-keep=%t.kept 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: terrace cc %t.kept/a.o -o %t
// RUN: env TERRACE_TARGET=emulator TERRACE_EMULATOR=arch=sm_75,counts %t 2>&1 | FileCheck %s --check-prefixes=CHECK,OLD
// RUN: env TERRACE_TARGET=emulator TERRACE_EMULATOR=arch=sm_89,counts %t 2>&1 | FileCheck %s --check-prefixes=CHECK,MIDDLE
// RUN: env TERRACE_TARGET=emulator TERRACE_EMULATOR=arch=sm_90,counts %t 2>&1 | FileCheck %s --check-prefixes=CHECK,NEW
// RUN: cat %t.kept/a.product.region0.ptx | FileCheck %s --check-prefix=SM75
// RUN: cat %t.kept/a.product.region0.sm_80.ptx | FileCheck %s --check-prefix=SM80
// RUN: cat %t.kept/a.product.region0.sm_90.ptx | FileCheck %s --check-prefix=SM90
// RUN: not ls %t.kept/a.scale.region0.sm_80.ptx
//
// Without the option sm_75 and sm_90; else only those that are named.
// RUN: terrace cc -c %s -o %t.o -Minfo 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: terrace cc -c %s -o %t.o -Minfo --target-arch sm_80 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: terrace explain %s --target-arch=sm_75,sm_90a | FileCheck %s --check-prefix=EXPLAIN
// RUN: not terrace explain %s --target-arch=sm_75,sm_75 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not terrace cc -c %s --target-arch=sm_75,sm_1,,sm_75,x 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not terrace cc -c %s --target-arch= 2>&1 | FileCheck %s --check-prefix=NOTHING
//
// INFO: another version for sm_80 and newer: {{.*}} (matrix product,
// INFO: another version for sm_90 and newer: {{.*}} (matrix product,
// INFO-NOT: another version
// TWO: another version for sm_90 and newer
// TWO-NOT: another version
// ONE-NOT: another version
// EXPLAIN: another version for sm_90a: {{.*}} (matrix product,
// SM75: .target sm_75
// SM75-NOT: mma.sync
// SM80: .target sm_80
// SM80: mma.sync.aligned.m8n8k4
// SM90: .target sm_90
// SM90: mma.sync.aligned.m16n8k8
// TWICE: --target-arch: found sm_75 twice
// WRONG: error: --target-arch: unknown architecture 'sm_1'; known are {{.*}}; found nothing as architecture 3, expected one, or several as sm_75,sm_90; found sm_75 twice; unknown architecture 'x'
// NOTHING: error: --target-arch: found nothing, expected one, or several as sm_75,sm_90
#include <stdio.h>

#define N 37
static double A[N][N], B[N][N], C[N][N];

static void product(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}
static void scale(void) {
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) C[i][j] *= 2;
#pragma endscop
}
int main(void) {
  long sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = (i * 3 + j) % 7;
      B[i][j] = (i + j * 5) % 11;
    }
  product();
  scale();
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += (i + 2 * j) % 5 * (long)C[i][j];
  // OLD: product_region0_kernel0:
  // OLD-NOT: matrix
  // MIDDLE: by class: {{.*}}, matrix 24576,
  // NEW: by class: {{.*}}, matrix 6144,
  // CHECK: sum 3028642
  printf("sum %ld\n", sum);
  return 0;
}
