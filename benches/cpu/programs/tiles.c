/* A matrix transposed block by block in its own place, and its sums by columns, by rows and along strides. */
#include "bench.h"

#define N 640
#define B 32

static void transpose(float *a, long n) {
  for (long ii = 0; ii < n; ii += B)
    for (long jj = ii; jj < n; jj += B)
      for (long i = ii; i < ii + B; i++)
        for (long j = ii == jj ? i + 1 : jj; j < jj + B; j++) {
          float t = a[i * n + j];
          a[i * n + j] = a[j * n + i];
          a[j * n + i] = t;
        }
}

static void column_sums(const float *a, float *sums, long n) {
  for (long j = 0; j < n; j++) {
    sums[j] = 0;
    for (long i = 0; i < n; i++) sums[j] += a[i * n + j];
  }
}

static void row_sums(const float *a, double *sums, long n) {
  for (long j = 0; j < n; j++) sums[j] = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) sums[i] += a[i * n + j];
}

static long strided(const int *x, long n, long stride) {
  long sum = 0;
  for (long i = 0; i < n; i += stride) sum += x[i];
  return sum;
}

int main(void) {
  float *a = malloc(N * N * sizeof *a), *columns = malloc(N * sizeof *columns);
  double *rows = malloc(N * sizeof *rows);
  int *x = malloc(N * N * sizeof *x);
  for (long i = 0; i < N * N; i++) {
    a[i] = (float)bench_random(1, i);
    x[i] = (int)(bench_random(2, i) * 2000) - 1000;
  }

  double sum = 0;
  long whole = 0;
  bench_start();
  for (int r = 0; r < 120; r++) {
    transpose(a, N);
    column_sums(a, columns, N);
    row_sums(a, rows, N);
    sum += columns[r] + rows[r + 1];
    whole += strided(x, N * N, 2 + r % 3) + strided(x + r, N * N - r, 7);
    a[r * N + 5] += 0.5f;
  }
  bench_stop();

  for (long i = 0; i < N; i++) sum += columns[i] * (1 + i % 13) + rows[i] * (1 + i % 7);
  printf("check sums %.17g %ld %.9g\n", sum, whole, a[N + 3]);
  free(a);
  free(columns);
  free(rows);
  free(x);
  return 0;
}
