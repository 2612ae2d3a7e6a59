/* Times one form of the atmosphere model, and checks it against the packed program of Fortran.
   driver N M STEPS WHAT: WHAT is terrace, turned (the same with k innermost), packed or plain. Prints nanoseconds a cell and step of the
   best of several runs, and the greatest difference from the other program. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "atmosphere.h"

typedef int form(int64_t, int64_t, float, float, const float *, const float *, const float *,
                 const float *, float *, float *, float *, float *, float *, float *, float *,
                 float *, float *, float *, float *, float *, float *);
form atmosphere_plain, atmosphere_packed;

static int64_t n, m;
static int wide, turned;

/* All arrays of the model; in the plain form each has all indices. */
struct fields {
  float *rho, *th, *k, *nu, *r, *t, *q, *u, *w, *fx, *fz, *gx, *gz, *d, *c, *un, *wn;
};

static float *zeros(int64_t count) {
  float *p = aligned_alloc(64, (size_t)(count * sizeof(float) + 127) / 64 * 64);
  if (!p) exit(2);
  memset(p, 0, (size_t)count * sizeof(float));
  return p;
}

static int64_t cells(void) { return wide ? (2 * n + 1) * (2 * m + 1) : n * m; }

/* Where the cell c, l lies (counted from 0). */
static int64_t cell(int64_t c, int64_t l) {
  if (turned) return c * m + l;
  return wide ? (2 * l + 1) * (2 * n + 1) + 2 * c + 1 : l * n + c;
}

static struct fields fields(void) {
  struct fields f;
  int64_t side = wide ? cells() : (n + 1) * m, top = wide ? cells() : n * (m + 1);
  f.rho = zeros(2 * m + 1), f.th = zeros(2 * m + 1), f.nu = zeros(2 * m + 1);
  f.k = zeros(2 * m + 1), f.c = zeros(2 * m + 1);
  f.r = zeros(cells()), f.t = zeros(cells()), f.q = zeros(cells()), f.d = zeros(cells());
  f.u = zeros(side), f.fx = zeros(side), f.gx = zeros(side), f.un = zeros(side);
  f.w = zeros(top), f.fz = zeros(top), f.gz = zeros(top), f.wn = zeros(top);
  for (int64_t k = 0; k <= 2 * m; k++) {
    f.rho[k] = 1.2f * expf(-0.5f * k / (2 * m));
    f.th[k] = 300 + 10.0f * k / (2 * m);
    f.nu[k] = 0.5f;
  }
  for (int64_t k = 0; k <= m; k++) f.k[wide ? 2 * k : k] = k == 0 || k == m ? 0 : 5;
  for (int64_t l = 0; l < m; l++)
    for (int64_t c = 0; c < n; c++) {
      float x = (c + 0.5f) / n - 0.5f, z = (l + 0.5f) / m - 0.3f;
      float bubble = expf(-60 * (x * x + z * z));
      f.t[cell(c, l)] = 2 * bubble;
      f.q[cell(c, l)] = bubble;
    }
  return f;
}

static void step(const char *what, struct fields *f) {
  int s;
  if (!strcmp(what, "terrace") || turned)
    s = atmosphere(n, m, 0.02f, 20, f->rho, f->th, f->k, f->nu, f->r, f->t, f->q, f->u, f->w, f->fx,
                   f->fz, f->gx, f->gz, f->d, f->c);
  else
    s = (wide ? atmosphere_plain : atmosphere_packed)(
        n, m, 0.02f, 20, f->rho, f->th, f->k, f->nu, f->r, f->t, f->q, f->u, f->w, f->fx, f->fz,
        f->gx, f->gz, f->d, f->c, f->un, f->wn);
  if (s) {
    fprintf(stderr, "%s\n", atmosphere_message(s));
    exit(1);
  }
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  n = atol(argv[1]), m = atol(argv[2]);
  int steps = atoi(argv[3]);
  const char *what = argv[4];
  struct fields right = fields();
  for (int s = 0; s < steps; s++) step("packed", &right);
  wide = !strcmp(what, "plain");
  turned = !strcmp(what, "turned");
  struct fields f = fields();
  for (int s = 0; s < steps; s++) step(what, &f);
  double worst = 0, greatest = 0;
  for (int64_t l = 0; l < m; l++)
    for (int64_t c = 0; c < n; c++) {
      int64_t at = l * n + c;
      double d = fabs((double)f.t[cell(c, l)] - right.t[at]) + fabs((double)f.q[cell(c, l)] - right.q[at]);
      if (!(d <= worst)) worst = d;
      greatest = fmax(greatest, fabs(right.t[at]) + fabs(right.q[at]));
    }
  if (!(worst < 1e-3 * greatest)) {
    fprintf(stderr, "%s differs by %g\n", what, worst);
    return 1;
  }
  double best = 1e9;
  for (int run = 0; run < 7; run++) {
    double begin = seconds();
    for (int s = 0; s < steps; s++) step(what, &f);
    best = fmin(best, seconds() - begin);
  }
  printf("%.3f %.1e\n", 1e9 * best / steps / (n * m), worst / greatest);
  return 0;
}
