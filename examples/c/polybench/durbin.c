/* The Yule-Walker equations of the Toeplitz matrix given by r, solved for y by the recursion
   of Levinson and Durbin. r falls off, so that the matrix is well conditioned. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(40, 120, 400, 2000)
#endif

static void kernel_durbin(int n, DATA_TYPE r[N], DATA_TYPE y[N]) {
  int i, k;
  DATA_TYPE z[N];
  DATA_TYPE alpha, beta, sum;

  SCOP
  ACC(data copyin(r[0:n]) copy(y[0:n]) create(z))
  {
    ACC(serial)
    y[0] = -r[0];
    beta = VAL(1.0);
    alpha = -r[0];
    for (k = 1; k < n; k++) {
      beta = (1 - alpha * alpha) * beta;
      sum = VAL(0.0);
      ACC(parallel loop reduction(+ : sum))
      for (i = 0; i < k; i++) sum += r[k - i - 1] * y[i];
      alpha = -(r[k] + sum) / beta;
      ACC(parallel loop)
      for (i = 0; i < k; i++) z[i] = y[i] + alpha * y[k - i - 1];
      ACC(parallel loop)
      for (i = 0; i < k; i++) y[i] = z[i];
      ACC(serial)
      y[k] = alpha;
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_1D(r, N);
  BENCH_1D(y, N);
  for (int i = 0; i < N; i++) r[i] = bench_random(1, i) / (i + 2.0) / (i + 2.0);
  bench_zero(y, N);

  bench_start();
  kernel_durbin(N, r, y);
  bench_stop();

  bench_show("y", y, N);
  BENCH_FREE(r);
  BENCH_FREE(y);
  return 0;
}
