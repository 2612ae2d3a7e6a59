// A product of one block and long k in C: in parts of k where sums may be computed in any order.
//
// RUN: terrace cc -c %s -o %t.o -Minfo --target-arch=sm_80,sm_90 --reassociate 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: terrace cc %t.o -o %t
// RUN: env TERRACE_TARGET=emulator TERRACE_EMULATOR=arch=sm_80 %t | FileCheck %s
// RUN: env TERRACE_TARGET=emulator TERRACE_EMULATOR=arch=sm_90 %t | FileCheck %s
// RUN: env TERRACE_TARGET=cpu %t | FileCheck %s
// RUN: terrace cc -c %s -o %t.o -Minfo --target-arch=sm_80,sm_90 2>&1 | FileCheck %s --check-prefix=ORDER
//
// INFO: long_k_region0_kernel0: matrix product, blocks of 64 x 64, 16 of k at a time, matrix units, a part of k
// INFO: sum of the parts of a matrix product
// ORDER: matrix product, blocks of 64 x 64, 16 of k at a time, matrix units
// ORDER-NOT: part of
// CHECK: wrong: 0 of 1023, the last 32940
#include <stdio.h>

#define M 33
#define N 31
#define K 1100
static double A[M][K], B[K][N], C[M][N];

static void long_k(void) {
#pragma scop
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j];
#pragma endscop
}

int main(void) {
  for (int i = 0; i < M; i++)
    for (int k = 0; k < K; k++) A[i][k] = (5 * i + 7 * k) % 11;
  for (int k = 0; k < K; k++)
    for (int j = 0; j < N; j++) B[k][j] = (3 * k + 5 * j) % 13;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) C[i][j] = i - j;
  long_k();
  int wrong = 0;
  double sum = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      sum = i - j;
      for (int k = 0; k < K; k++) sum += A[i][k] * B[k][j];
      wrong += C[i][j] != sum;
    }
  printf("wrong: %d of %d, the last %g\n", wrong, M * N, sum);
  return 0;
}
