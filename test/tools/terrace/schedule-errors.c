// Steps that cannot be done, or that would change what the program computes.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

#define N 64
double a[N][N], b[N], c[N];
void f(int n, int *idx)
{
  // CHECK: schedule-errors.c:[[@LINE+3]]:31: error: there is no loop over `x` here: there are loops over `i`, `j`
  // CHECK: schedule-errors.c:[[@LINE+4]]:3: note: the loop over `i`
  // CHECK: schedule-errors.c:[[@LINE+4]]:5: note: the loop over `j`
#pragma terrace schedule(tile(x, j: 4, 4))
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = i;
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+3]]:33: error: there are 2 loops over `i` here: write `i#1` for the first of them
  // CHECK: schedule-errors.c:[[@LINE+4]]:3: note: `i#1`
  // CHECK: schedule-errors.c:[[@LINE+4]]:3: note: `i#2`
#pragma terrace schedule(unroll(i: 2))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
  for (int i = 0; i < N; i++) c[i] = i;
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+3]]:33: error: there is no loop number 3 over `i` here, but 2: there are loops over `i`
  // CHECK: schedule-errors.c:[[@LINE+4]]:3: note: the loop over `i`
  // CHECK: schedule-errors.c:[[@LINE+4]]:3: note: the loop over `i`
#pragma terrace schedule(unroll(i#3: 2))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
  for (int i = 0; i < N; i++) c[i] = i;
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+4]]:26: error: `parallel(i)` is not legal: the loop over i runs in order: each iteration reads a[i - 1][j], which the one before writes as a[i][j]
  // CHECK: schedule-errors.c:[[@LINE+5]]:3: note: this loop
  // CHECK: schedule-errors.c:[[@LINE+5]]:33: note: the write of a[i][j]
  // CHECK: schedule-errors.c:[[@LINE+4]]:50: note: the read of a[i - 1][j], 1 iteration later
#pragma terrace schedule(parallel(i))
#pragma scop
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] += 0.5 * a[i - 1][j];
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+4]]:26: error: `interchange` is not legal for loop 'i' at line {{[0-9]+}}: it would reverse the flow dependence on 'a'
  // CHECK: schedule-errors.c:[[@LINE+5]]:3: note: this loop
  // CHECK: schedule-errors.c:[[@LINE+5]]:37: note: the store to 'a' in iteration (i = 1, j = 1)
  // CHECK: schedule-errors.c:[[@LINE+4]]:54: note: the load from 'a' in iteration (i = 2, j = 0), which depends on it, would come before it
#pragma terrace schedule(interchange(j, i))
#pragma scop
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N - 1; j++) a[i][j] += 0.5 * a[i - 1][j + 1];
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+4]]:26: error: `reverse` is not legal for loop 'i' at line {{[0-9]+}}: it would reverse the flow dependence on 'b'
  // CHECK: schedule-errors.c:[[@LINE+5]]:3: note: this loop
  // CHECK: schedule-errors.c:[[@LINE+4]]:31: note: the store to 'b' in iteration (i = 1)
  // CHECK: schedule-errors.c:[[@LINE+3]]:39: note: the load from 'b' in iteration (i = 2), which depends on it, would come before it
#pragma terrace schedule(reverse(i))
#pragma scop
  for (int i = 1; i < N; i++) b[i] += b[i - 1];
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+3]]:26: error: `tile` takes its loops from the outside in, and the loop over `j` is in that over `i`
  // CHECK: schedule-errors.c:[[@LINE+5]]:5: note: the loop over `j`
  // CHECK: schedule-errors.c:[[@LINE+3]]:3: note: the loop over `i`
#pragma terrace schedule(tile(j, i: 4, 4))
#pragma scop
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N - 1; j++) a[i][j] += 0.5;
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+2]]:26: error: `tile` cannot be done to loop 'i' at line {{[0-9]+}}: it takes 2 perfectly nested loops, but there is 1: loop 'i' at line {{[0-9]+}} holds more than a loop
  // CHECK: schedule-errors.c:[[@LINE+3]]:3: note: this loop
#pragma terrace schedule(tile(i, j: 4, 4))
#pragma scop
  for (int i = 1; i < N; i++) {
    b[i] = 0;
    for (int j = 0; j < N - 1; j++) a[i][j] += 0.5;
  }
#pragma endscop
}

void g(int n, int *idx)
{
#pragma terrace schedule(unroll(k: 2))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
  for (int k = 0; k < idx[0]; k++) c[k] = k;
#pragma endscop
#pragma acc kernels
  {
  // CHECK: schedule-errors.c:[[@LINE+1]]:1: error: `pluto` is for a whole region, and this is in one: write it before the region, or steps for these loops
#pragma terrace schedule(pluto)
    for (int i = 0; i < N; i++) b[i] = i;
  }
  // CHECK: schedule-errors.c:[[@LINE+2]]:1: error: `pluto` chooses the order of all loops, and one of them has a directive of its own, which would no longer hold
  // CHECK: schedule-errors.c:[[@LINE+5]]:5: note: this loop
#pragma terrace schedule(pluto)
#pragma acc kernels
  {
#pragma acc loop seq
    for (int i = 0; i < N; i++) b[i] = i;
  }
  // CHECK: schedule-errors.c:[[@LINE+2]]:1: error: `pluto` chooses the order of all loops, and another schedule of the region asks for one
  // CHECK: schedule-errors.c:[[@LINE+4]]:1: note: this one
#pragma terrace schedule(pluto)
#pragma acc kernels
  {
#pragma terrace schedule(unroll(i: 4))
    for (int i = 0; i < N; i++) b[i] = i;
  }
  // CHECK: schedule-errors.c:[[@LINE+1]]:1: error: the schedule '{{.*}}nothere.mlir' cannot be read: No such file or directory
#pragma terrace schedule("nothere.mlir")
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+1]]:34: error: `i` is named twice
#pragma terrace schedule(tile(i, i: 2, 2))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+1]]:26: error: the loop of `parallel(i)` is no longer there after the steps behind it; write it behind them
#pragma terrace schedule(parallel(i), unroll(i))
#pragma scop
  for (int i = 0; i < 4; i++) b[i] = i;
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+3]]:26: error: `parallel(i)` is not legal: the loop over i runs in order: it is not known whether its iterations depend on each other
  // CHECK: schedule-errors.c:[[@LINE+4]]:3: note: this loop
  // CHECK: schedule-errors.c:[[@LINE+3]]:31: note: the subscript idx[i] of b is read from memory (idx[i])
#pragma terrace schedule(parallel(i))
#pragma scop
  for (int i = 0; i < N; i++) b[idx[i]] += i;
#pragma endscop
  double s = 0;
  // CHECK: schedule-errors.c:[[@LINE+4]]:26: error: `parallel(i)` is not legal: the loop over i runs in order: the sum of s may not be reordered (floating point); -fassociative-math or a reduction clause allows it
  // CHECK: schedule-errors.c:[[@LINE+5]]:3: note: this loop
  // CHECK: schedule-errors.c:[[@LINE+4]]:3: note: the sum in s
  // CHECK: schedule-errors.c:[[@LINE+3]]:3: note: the sum in s, 1 iteration later
#pragma terrace schedule(parallel(i))
#pragma scop
  for (int i = 0; i < N; i++) s += b[i];
#pragma endscop
  c[0] = s;
  // CHECK: schedule-errors.c:[[@LINE+5]]:26: error: `fuse` is not legal for loop 'i' at line {{[0-9]+}} and loop 'j' at line {{[0-9]+}}: it would reverse the flow dependence on 'b'
  // CHECK: schedule-errors.c:[[@LINE+6]]:3: note: this loop
  // CHECK: schedule-errors.c:[[@LINE+6]]:3: note: this loop
  // CHECK: schedule-errors.c:[[@LINE+4]]:31: note: the store to 'b' in iteration (i = 1)
  // CHECK: schedule-errors.c:[[@LINE+4]]:42: note: the load from 'b' in iteration (j = 0), which depends on it, would come before it
#pragma terrace schedule(fuse(i, j))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = c[i];
  for (int j = 0; j < N - 1; j++) c[j] = b[j + 1];
#pragma endscop
  // CHECK: schedule-errors.c:[[@LINE+2]]:26: error: `parallel(i)` is not legal: the loop over i runs in order: the construct is serial
  // CHECK: schedule-errors.c:[[@LINE+3]]:3: note: this loop
#pragma terrace schedule(parallel(i))
#pragma acc serial
  for (int i = 0; i < N; i++) b[i] = c[i];
}
