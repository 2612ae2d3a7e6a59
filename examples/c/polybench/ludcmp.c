/* A * x = b, by A = L * U in place, L * y = b and U * x = y. */
#include "bench.h"

#ifndef N
#define N BENCH_SIZE(40, 120, 400, 2000)
#endif

static void kernel_ludcmp(int n, DATA_TYPE A[N][N], DATA_TYPE b[N], DATA_TYPE x[N],
                          DATA_TYPE y[N]) {
  int i, j, k;
  DATA_TYPE w;

  SCOP
  ACC(kernels copy(A[0:N][0:N]) copyin(b[0:n]) copyout(x[0:n]) create(y[0:n]))
  {
    for (i = 0; i < n; i++) {
      for (j = 0; j < i; j++) {
        w = A[i][j];
        for (k = 0; k < j; k++) w -= A[i][k] * A[k][j];
        A[i][j] = w / A[j][j];
      }
      for (j = i; j < n; j++) {
        w = A[i][j];
        for (k = 0; k < i; k++) w -= A[i][k] * A[k][j];
        A[i][j] = w;
      }
    }
    for (i = 0; i < n; i++) {
      w = b[i];
      for (j = 0; j < i; j++) w -= A[i][j] * y[j];
      y[i] = w;
    }
    for (i = n - 1; i >= 0; i--) {
      w = y[i];
      for (j = i + 1; j < n; j++) w -= A[i][j] * x[j];
      x[i] = w / A[i][i];
    }
  }
  ENDSCOP
}

int main(void) {
  BENCH_2D(A, N, N);
  BENCH_1D(b, N);
  BENCH_1D(x, N);
  BENCH_1D(y, N);
  bench_dominant(A, N, 1);
  bench_fill(b, N, 2);
  bench_zero(x, N);
  bench_zero(y, N);

  bench_start();
  kernel_ludcmp(N, A, b, x, y);
  bench_stop();

  bench_show("x", x, N);
  BENCH_FREE(A);
  BENCH_FREE(b);
  BENCH_FREE(x);
  BENCH_FREE(y);
  return 0;
}
