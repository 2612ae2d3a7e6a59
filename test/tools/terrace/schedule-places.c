// Steps that name no loop that they could be done to.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

double a[64][64], b[64];
void f(int n, int *k)
{
  // CHECK: schedule-places.c:[[@LINE+2]]:33: error: the loop over `j` cannot be scheduled: its bounds are not affine, or how often it runs is not known before
  // CHECK: schedule-places.c:[[@LINE+4]]:5: note: this loop
#pragma terrace schedule(unroll(j: 2))
#pragma scop
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < k[i]; j++) b[i] += j;
#pragma endscop
  // CHECK: schedule-places.c:[[@LINE+1]]:33: error: there is no loop over `i` here: there is no loop here that a schedule could change
#pragma terrace schedule(unroll(i: 2))
#pragma scop
  b[0] = 1;
#pragma endscop
  // CHECK: schedule-places.c:[[@LINE+3]]:26: error: `tile` takes loops that are directly inside one another, and the loop over `k` is not directly in that over `i`
  // CHECK: schedule-places.c:[[@LINE+4]]:3: note: the loop over `i`
  // CHECK: schedule-places.c:[[@LINE+5]]:7: note: the loop over `k`
#pragma terrace schedule(tile(i, k: 4, 4))
#pragma scop
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      for (int k = 0; k < 64; k++) a[i][j] += k;
#pragma endscop
  // CHECK: schedule-places.c:[[@LINE+1]]:1: error: the file '{{.*}}Inputs/empty.mlir' holds no schedule (`schedule.sequence`)
#pragma terrace schedule("Inputs/empty.mlir")
#pragma scop
  for (int i = 0; i < 64; i++) b[i] = i;
#pragma endscop
}
