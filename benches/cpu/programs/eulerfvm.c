/* 2-D Euler equations, finite volumes, Rusanov fluxes, reflecting walls. From a Fortran 77 code:
   the arrays are passed one by one, columns first, from 1, with one ghost cell a side. */
#include "bench.h"

#define NX 128
#define NY 96
#define LD (NX + 2)
#define A(a, i, j) a[(j) * LD + (i)]
#define GAMMA 1.4

static double rho[LD * (NY + 2)], mx[LD * (NY + 2)], my[LD * (NY + 2)], en[LD * (NY + 2)];
static double fx1[LD * (NY + 2)], fx2[LD * (NY + 2)], fx3[LD * (NY + 2)], fx4[LD * (NY + 2)];
static double fy1[LD * (NY + 2)], fy2[LD * (NY + 2)], fy3[LD * (NY + 2)], fy4[LD * (NY + 2)];
static double pr[LD * (NY + 2)], cs[LD * (NY + 2)];

static void bound(int nx, int ny, double *r, double *u, double *v, double *e) {
  for (int j = 1; j <= ny; j++) {
    A(r, 0, j) = A(r, 1, j);
    A(u, 0, j) = -A(u, 1, j);
    A(v, 0, j) = A(v, 1, j);
    A(e, 0, j) = A(e, 1, j);
    A(r, nx + 1, j) = A(r, nx, j);
    A(u, nx + 1, j) = -A(u, nx, j);
    A(v, nx + 1, j) = A(v, nx, j);
    A(e, nx + 1, j) = A(e, nx, j);
  }
  for (int i = 0; i <= nx + 1; i++) {
    A(r, i, 0) = A(r, i, 1);
    A(u, i, 0) = A(u, i, 1);
    A(v, i, 0) = -A(v, i, 1);
    A(e, i, 0) = A(e, i, 1);
    A(r, i, ny + 1) = A(r, i, ny);
    A(u, i, ny + 1) = A(u, i, ny);
    A(v, i, ny + 1) = -A(v, i, ny);
    A(e, i, ny + 1) = A(e, i, ny);
  }
}

static double eos(int nx, int ny, double *r, double *u, double *v, double *e, double *p, double *c) {
  double smax = 0.0;
  for (int j = 0; j <= ny + 1; j++)
    for (int i = 0; i <= nx + 1; i++) {
      double vx = A(u, i, j) / A(r, i, j), vy = A(v, i, j) / A(r, i, j), s;
      A(p, i, j) = (GAMMA - 1.0) * (A(e, i, j) - 0.5 * A(r, i, j) * (vx * vx + vy * vy));
      A(c, i, j) = sqrt(GAMMA * A(p, i, j) / A(r, i, j));
      s = sqrt(vx * vx + vy * vy) + A(c, i, j);
      if (s > smax) smax = s;
    }
  return smax;
}

static void flux(int nx, int ny, int di, int dj, double *r, double *n, double *t, double *e, double *p, double *c, double *f1,
                 double *f2, double *f3, double *f4) {
  for (int j = 1 - dj; j <= ny; j++)
    for (int i = 1 - di; i <= nx; i++) {
      int k = i + di, l = j + dj;
      double ul = A(n, i, j) / A(r, i, j), ur = A(n, k, l) / A(r, k, l);
      double al = fabs(ul) + A(c, i, j), ar = fabs(ur) + A(c, k, l), a = al > ar ? al : ar;
      A(f1, i, j) = 0.5 * (A(n, i, j) + A(n, k, l)) - 0.5 * a * (A(r, k, l) - A(r, i, j));
      A(f2, i, j) = 0.5 * (A(n, i, j) * ul + A(p, i, j) + A(n, k, l) * ur + A(p, k, l)) - 0.5 * a * (A(n, k, l) - A(n, i, j));
      A(f3, i, j) = 0.5 * (A(t, i, j) * ul + A(t, k, l) * ur) - 0.5 * a * (A(t, k, l) - A(t, i, j));
      A(f4, i, j) = 0.5 * ((A(e, i, j) + A(p, i, j)) * ul + (A(e, k, l) + A(p, k, l)) * ur) - 0.5 * a * (A(e, k, l) - A(e, i, j));
    }
}

static void advance(int nx, int ny, double dtdx, double *r, double *u, double *v, double *e, double *a1, double *a2, double *a3,
                    double *a4, double *b1, double *b2, double *b3, double *b4) {
  for (int j = 1; j <= ny; j++)
    for (int i = 1; i <= nx; i++) {
      A(r, i, j) = A(r, i, j) - dtdx * (A(a1, i, j) - A(a1, i - 1, j) + A(b1, i, j) - A(b1, i, j - 1));
      A(u, i, j) = A(u, i, j) - dtdx * (A(a2, i, j) - A(a2, i - 1, j) + A(b3, i, j) - A(b3, i, j - 1));
      A(v, i, j) = A(v, i, j) - dtdx * (A(a3, i, j) - A(a3, i - 1, j) + A(b2, i, j) - A(b2, i, j - 1));
      A(e, i, j) = A(e, i, j) - dtdx * (A(a4, i, j) - A(a4, i - 1, j) + A(b4, i, j) - A(b4, i, j - 1));
    }
}

int main(void) {
  for (int j = 1; j <= NY; j++)
    for (int i = 1; i <= NX; i++) {
      int in = (i - 40) * (i - 40) + (j - 30) * (j - 30) < 200;
      A(rho, i, j) = in ? 1.0 : 0.3 + 0.01 * (j % 10);
      A(en, i, j) = in ? 2.5 : 0.6;
    }
  double time = 0.0;
  bench_start();
  for (int n = 1; n <= 220; n++) {
    bound(NX, NY, rho, mx, my, en);
    double dtdx = 0.4 / eos(NX, NY, rho, mx, my, en, pr, cs);
    flux(NX, NY, 1, 0, rho, mx, my, en, pr, cs, fx1, fx2, fx3, fx4);
    flux(NX, NY, 0, 1, rho, my, mx, en, pr, cs, fy1, fy2, fy3, fy4);
    advance(NX, NY, dtdx, rho, mx, my, en, fx1, fx2, fx3, fx4, fy1, fy2, fy3, fy4);
    time += dtdx;
  }
  bench_stop();
  double mass = 0, energy = 0, kin = 0;
  for (int j = 1; j <= NY; j++)
    for (int i = 1; i <= NX; i++) {
      mass += A(rho, i, j);
      energy += A(en, i, j) * (i + j) * 0.01;
      kin += 0.5 * (A(mx, i, j) * A(mx, i, j) + A(my, i, j) * A(my, i, j)) / A(rho, i, j);
    }
  printf("check eulerfvm %.10g %.10g %.10g %.10g\n", time, mass, energy, kin);
  return 0;
}
