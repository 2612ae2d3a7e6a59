/* The remainder is never below 0, and what is in front of q1 is g0's neighbour. */
#include <math.h>
#include <stdio.h>

double g0[64];

static void f5(int n, int m, double *q0, double *q1) {
  double r59 = 1000;
#pragma scop
  for (int i60 = 2; i60 < m; ++i60) {
    for (int i61 = 0; i61 < m; ++i61) {
      q1[i61] = 1;
    }
    r59 = fmin(r59, fabs(q1[(1 + i60) % 10 * 6] - 07));
  }
#pragma endscop
  printf("f5 r59 %.17g\n", (double)r59);
  for (int i = 0; i < 64; i++) printf("%g ", g0[i]);
}

int main(void) {
  f5(8, 10, &g0[20], g0);
  return 0;
}
