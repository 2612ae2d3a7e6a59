// What each step of a schedule does to its loops, in words.
//
// RUN: terrace explain %s | FileCheck %s

#define N 64
double a[N][N], b[N], c[N];
void f(int n)
{
  // CHECK: - the loop over i is cut into strips of 8, which the loop over i_tile goes through (`strip_mine(i: 8)`)
#pragma terrace schedule(strip_mine(i: 8))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: - the loop over i is unrolled, with a copy of its body for each iteration (`unroll(i)`)
#pragma terrace schedule(unroll(i))
#pragma scop
  for (int i = 0; i < 4; i++) b[i] = i;
#pragma endscop
  // CHECK: - the loop over i is unrolled 2 times, in the loops inside it too (`unroll_jam(i: 2)`)
#pragma terrace schedule(unroll_jam(i: 2))
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = i;
#pragma endscop
  // CHECK: - the loop over i becomes 2 loops, i_0 and so on, each for a part of its body (`distribute(i: 1)`)
#pragma terrace schedule(distribute(i: 1))
#pragma scop
  for (int i = 0; i < N; i++) {
    b[i] = i;
    c[i] = 2 * i;
  }
#pragma endscop
  // CHECK: - the loop over j is skewed by 1 times i (`skew(i, j: 1)`)
#pragma terrace schedule(skew(i, j: 1))
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) a[i][j] = i;
#pragma endscop
  // CHECK: - the loop over i runs from its end to its start (`reverse(i)`)
#pragma terrace schedule(reverse(i))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: - the numbers of the loop over i are shifted by 3 (`shift(i: 3)`)
#pragma terrace schedule(shift(i: 3))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: - the first 3 iterations of the loop over i are a loop of their own, over i_peeled (`peel_front(i: 3)`)
#pragma terrace schedule(peel_front(i: 3))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: - the last 3 iterations of the loop over i are a loop of their own, over i_peeled (`peel_back(i: 3)`)
#pragma terrace schedule(peel_back(i: 3))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: - the loop over i is split at 20, into loops over i_below and i_above (`split(i: 20)`)
#pragma terrace schedule(split(i: 20))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
}
