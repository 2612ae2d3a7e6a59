// Numbers of steps, and schedules without a statement.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void f(int n)
{
  double b[64][64];
  // CHECK: schedule-numbers.c:[[@LINE+1]]:40: error: `tile` needs a number above 0, and this is 0
#pragma terrace schedule(tile(i, j: 4, 0))
#pragma scop
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) b[i][j] = 0;
#pragma endscop
  // CHECK: schedule-numbers.c:[[@LINE+1]]:36: error: `unroll` needs a constant, and this is not one
#pragma terrace schedule(unroll(i: n))
#pragma scop
  for (int i = 0; i < 64; i++) b[i][0] = 0;
#pragma endscop
  // CHECK: schedule-numbers.c:[[@LINE+1]]:36: error: an integer is needed here, and this is `double (*)[64]`
#pragma terrace schedule(unroll(i: b))
#pragma scop
  for (int i = 0; i < 64; i++) b[i][0] = 0;
#pragma endscop
  // CHECK: schedule-numbers.c:[[@LINE+1]]:36: error: `m` is not declared
#pragma terrace schedule(unroll(i: m))
#pragma scop
  for (int i = 0; i < 64; i++) b[i][0] = 0;
#pragma endscop
  // CHECK: schedule-numbers.c:[[@LINE+1]]:35: error: `split` needs a number of 64 bits, and this is 18446744073709551615
#pragma terrace schedule(split(i: 18446744073709551615u))
#pragma scop
  for (int i = 0; i < 64; i++) b[i][0] = 0;
#pragma endscop
  // CHECK: schedule-numbers.c:[[@LINE+1]]:32: error: `pluto` needs a number above 0, and this is -3
#pragma terrace schedule(pluto(-3))
#pragma scop
  for (int i = 0; i < 64; i++) b[i][0] = 0;
#pragma endscop
}

  // CHECK: schedule-numbers.c:[[@LINE+1]]:1: error: `terrace schedule` has to stand in a function
#pragma terrace schedule(none)
void g(void)
{
  // CHECK: schedule-numbers.c:[[@LINE+2]]:1: error: `terrace schedule` is for a statement, and `acc wait` follows
  // CHECK: schedule-numbers.c:[[@LINE+2]]:1: note: this stands in between
#pragma terrace schedule(none)
#pragma acc wait
  // CHECK: schedule-numbers.c:[[@LINE+2]]:1: error: `terrace schedule` is for a statement, and none follows
  // CHECK: schedule-numbers.c:[[@LINE+2]]:1: note: the block ends here
#pragma terrace schedule(none)
}
