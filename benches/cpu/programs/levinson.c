/* Linear prediction of frames of speech: window, correlation, Levinson and Durbin, residual. */
#include "bench.h"

#define ORDER 16
#define FRAME 400
#define HOP 160

struct lpc {
  double a[ORDER + 1], gain;
};

static void correlate(const double *x, double *r) {
  for (int lag = 0; lag <= ORDER; lag++) {
    double s = 0;
    for (int i = lag; i < FRAME; i++) s += x[i] * x[i - lag];
    r[lag] = s;
  }
}

static struct lpc durbin(const double *r) {
  struct lpc l = {{1}, r[0]};
  double *a = l.a;
  for (int i = 1; i <= ORDER; i++) {
    double k = r[i];
    for (int j = 1; j < i; j++) k += a[j] * r[i - j];
    k = -k / l.gain;
    for (int j = 1; j <= i / 2; j++) {
      double t = a[j] + k * a[i - j];
      a[i - j] += k * a[j];
      a[j] = t;
    }
    a[i] = k;
    l.gain *= 1 - k * k;
  }
  return l;
}

static double residual(const double *x, const struct lpc *l) {
  double energy = 0;
  for (int i = ORDER; i < FRAME; i++) {
    double e = 0;
    for (int j = 0; j <= ORDER; j++) e += l->a[j] * x[i - j];
    energy += e * e;
  }
  return energy;
}

int main(void) {
  int n = 2400000;
  short *pcm = malloc(n * sizeof(short));
  double window[FRAME], frame[FRAME], r[ORDER + 1];
  for (int i = 0; i < n; i++)
    pcm[i] = (short)(6000 * sin(i * 0.05) + 3000 * sin(i * (0.21 + i * 2e-9)) + 2000 * bench_random(1, i));
  for (int i = 0; i < FRAME; i++) window[i] = 0.54 - 0.46 * cos(2 * M_PI * i / (FRAME - 1));

  double gain = 0, rest = 0;
  bench_start();
  for (const short *p = pcm; p + FRAME <= pcm + n; p += HOP) {
    for (int i = 0; i < FRAME; i++) frame[i] = p[i] * window[i];
    correlate(frame, r);
    r[0] *= 1.0001;
    struct lpc l = durbin(r);
    gain += l.gain;
    rest += residual(frame, &l);
  }
  bench_stop();
  printf("check levinson %.8g %.8g\n", gain, rest);
  free(pcm);
  return 0;
}
