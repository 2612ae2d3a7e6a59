// Products side by side in C: one for each two numbers, and one factor for all of them.
//
// RUN: terrace cc -c %s -o %t.o -Minfo --target-arch=sm_80,sm_90 2>&1 | FileCheck %s --check-prefix=INFO
// RUN: terrace cc %t.o -o %t
// RUN: env TERRACE_TARGET=emulator TERRACE_EMULATOR=arch=sm_80 %t | FileCheck %s
// RUN: env TERRACE_TARGET=emulator TERRACE_EMULATOR=arch=sm_90 %t | FileCheck %s
// RUN: env TERRACE_TARGET=cpu %t | FileCheck %s
// RUN: env TERRACE_PTXAS=none terrace explain %s | FileCheck %s --check-prefix=COST
//
// INFO: batched_region0_kernel0: matrix products side by side, blocks of 64 x 64
// COST: its threads work together in a way that the model does not know
// CHECK: wrong: 0 of 23328, the last 688
#include <stdio.h>

#define R 3
#define H 2
#define M 54
#define N 72
#define K 20
static double A[R][M][H * K], B[H][K][N], C[R][H][M][N];

static void batched(void) {
#pragma scop
  for (int r = 0; r < R; r++)
    for (int h = 0; h < H; h++)
      for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
          C[r][h][i][j] = 0;
          for (int k = 0; k < K; k++) C[r][h][i][j] += A[r][i][h * K + k] * B[h][k][j];
        }
#pragma endscop
}

int main(void) {
  for (int r = 0; r < R; r++)
    for (int i = 0; i < M; i++)
      for (int k = 0; k < H * K; k++) A[r][i][k] = (3 * r + 5 * i + 7 * k) % 11;
  for (int h = 0; h < H; h++)
    for (int k = 0; k < K; k++)
      for (int j = 0; j < N; j++) B[h][k][j] = (2 * h + 3 * k + 5 * j) % 13;
  batched();
  int wrong = 0;
  double sum = 0;
  for (int r = 0; r < R; r++)
    for (int h = 0; h < H; h++)
      for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
          sum = 0;
          for (int k = 0; k < K; k++) sum += A[r][i][h * K + k] * B[h][k][j];
          wrong += C[r][h][i][j] != sum;
        }
  printf("wrong: %d of %d, the last %g\n", wrong, R * H * M * N, sum);
  return 0;
}
