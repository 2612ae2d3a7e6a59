/* Maxwell's equations in 2-D (TM), a point source, absorbing layers by split fields (PML). */
#include "bench.h"

#define NX 220
#define NY 180
#define LAYER 12

static float ezx[NX][NY], ezy[NX][NY], ez[NX][NY], hx[NX][NY], hy[NX][NY];
static float eps[NX][NY];
static float ax[NX], bx[NX], ay[NY], by[NY], axh[NX], bxh[NX], ayh[NY], byh[NY];

static void profile(int n, float *a, float *b, float shift) {
  for (int i = 0; i < n; i++) {
    float p = i + shift, d = 0;
    if (p < LAYER) d = (LAYER - p) / LAYER;
    if (p > n - 1 - LAYER) d = (p - (n - 1 - LAYER)) / LAYER;
    float sigma = 1.2f * d * d * d;
    a[i] = (1 - 0.5f * sigma) / (1 + 0.5f * sigma);
    b[i] = 0.5f / (1 + 0.5f * sigma);
  }
}

int main(void) {
  profile(NX, ax, bx, 0);
  profile(NY, ay, by, 0);
  profile(NX, axh, bxh, 0.5f);
  profile(NY, ayh, byh, 0.5f);
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      float r = sqrtf((i - 140.f) * (i - 140.f) + (j - 90.f) * (j - 90.f));
      eps[i][j] = r < 25 ? 1.0f / 2.25f : 1.0f;
    }

  float probe = 0;
  bench_start();
  for (int t = 0; t < 750; t++) {
    for (int i = 1; i < NX - 1; i++)
      for (int j = 1; j < NY - 1; j++) {
        ezx[i][j] = ax[i] * ezx[i][j] + bx[i] * eps[i][j] * (hy[i][j] - hy[i - 1][j]);
        ezy[i][j] = ay[j] * ezy[i][j] - by[j] * eps[i][j] * (hx[i][j] - hx[i][j - 1]);
      }
    ezx[60][90] += sinf(0.12f * t) * (t < 260 ? 1.0f : 0.0f);
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY; j++) ez[i][j] = ezx[i][j] + ezy[i][j];
    for (int i = 0; i < NX - 1; i++)
      for (int j = 0; j < NY - 1; j++) {
        hx[i][j] = ayh[j] * hx[i][j] - byh[j] * (ez[i][j + 1] - ez[i][j]);
        hy[i][j] = axh[i] * hy[i][j] + bxh[i] * (ez[i + 1][j] - ez[i][j]);
      }
    probe += fabsf(ez[180][60]);
  }
  bench_stop();

  double e = 0, h = 0;
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      e += ez[i][j] * ez[i][j];
      h += hx[i][j] * hx[i][j] + hy[i][j] * hy[i][j];
    }
  printf("check fdtdpml %.4g %.4g %.4g\n", probe, e, h);
  return 0;
}
