/* Expectation maximisation of a mixture of Gaussians with diagonal covariances. */
#include "bench.h"

#define N 6000
#define D 6
#define K 5
#define ITERATIONS 70

static double x[N][D], resp[N][K], mean[K][D], var[K][D], weight[K];

static double e_step(void) {
  double loglik = 0;
  double norm[K];
  for (int k = 0; k < K; k++) {
    double s = log(weight[k]);
    for (int d = 0; d < D; d++) s -= 0.5 * log(2 * M_PI * var[k][d]);
    norm[k] = s;
  }
  for (int i = 0; i < N; i++) {
    double top = -INFINITY;
    for (int k = 0; k < K; k++) {
      double q = 0;
      for (int d = 0; d < D; d++) {
        double t = x[i][d] - mean[k][d];
        q += t * t / var[k][d];
      }
      resp[i][k] = norm[k] - 0.5 * q;
      if (resp[i][k] > top) top = resp[i][k];
    }
    double sum = 0;
    for (int k = 0; k < K; k++) sum += resp[i][k] = exp(resp[i][k] - top);
    for (int k = 0; k < K; k++) resp[i][k] /= sum;
    loglik += top + log(sum);
  }
  return loglik;
}

static void m_step(void) {
  for (int k = 0; k < K; k++) {
    double n = 1e-10;
    for (int i = 0; i < N; i++) n += resp[i][k];
    for (int d = 0; d < D; d++) {
      double m = 0;
      for (int i = 0; i < N; i++) m += resp[i][k] * x[i][d];
      m /= n;
      double v = 0;
      for (int i = 0; i < N; i++) v += resp[i][k] * (x[i][d] - m) * (x[i][d] - m);
      mean[k][d] = m;
      var[k][d] = v / n + 1e-6;
    }
    weight[k] = n / N;
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int d = 0; d < D; d++) {
      double g = 0;
      for (int r = 0; r < 6; r++) g += bench_random(r + 1, i * D + d) - 0.5;
      x[i][d] = 3 * ((i % K) * (d + 1) % K) + g;
    }
  for (int k = 0; k < K; k++) {
    weight[k] = 1.0 / K;
    for (int d = 0; d < D; d++) {
      mean[k][d] = x[k][d] + 0.3;
      var[k][d] = 2;
    }
  }
  double l = 0;
  bench_start();
  for (int it = 0; it < ITERATIONS; it++) {
    l = e_step();
    m_step();
  }
  bench_stop();
  double s = 0;
  for (int k = 0; k < K; k++)
    for (int d = 0; d < D; d++) s += (mean[k][d] + var[k][d]) * (k + 1) * (d + 1);
  printf("check gmmem %.10g %.10g\n", l, s);
  return 0;
}
