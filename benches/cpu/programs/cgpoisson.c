/* Conjugate gradients with Jacobi preconditioning for a 3-D diffusion operator with variable
   coefficients. Converted from Fortran: everything is indexed from 1, with a halo at 0 and n+1. */
#include "bench.h"

#define IX(i, j, k) (((k) * (ny + 2) + (j)) * (nx + 2) + (i))

static void setup(int nx, int ny, int nz, double *ax, double *ay, double *az, double *diag, double *rhs) {
  int i, j, k;
  for (k = 0; k <= nz + 1; k++)
    for (j = 0; j <= ny + 1; j++)
      for (i = 0; i <= nx + 1; i++) {
        int c = IX(i, j, k);
        ax[c] = 1.0 + 0.5 * sin(0.3 * i + 0.2 * j);
        ay[c] = 1.0 + 0.3 * cos(0.25 * k + 0.1 * i);
        az[c] = 0.7 + 0.2 * sin(0.4 * j);
        rhs[c] = 0.0;
        diag[c] = 1.0;
      }
  for (k = 1; k <= nz; k++)
    for (j = 1; j <= ny; j++)
      for (i = 1; i <= nx; i++) {
        int c = IX(i, j, k);
        diag[c] = ax[c] + ax[IX(i - 1, j, k)] + ay[c] + ay[IX(i, j - 1, k)] + az[c] + az[IX(i, j, k - 1)] + 0.01;
        rhs[c] = exp(-0.01 * ((i - nx / 2) * (i - nx / 2) + (j - ny / 3) * (j - ny / 3) + (k - nz / 2) * (k - nz / 2)));
      }
}

static void matvec(int nx, int ny, int nz, double *ax, double *ay, double *az, double *diag, double *p, double *q) {
  int i, j, k;
  for (k = 1; k <= nz; k++)
    for (j = 1; j <= ny; j++)
      for (i = 1; i <= nx; i++)
        q[IX(i, j, k)] = diag[IX(i, j, k)] * p[IX(i, j, k)] - ax[IX(i, j, k)] * p[IX(i + 1, j, k)] -
                         ax[IX(i - 1, j, k)] * p[IX(i - 1, j, k)] - ay[IX(i, j, k)] * p[IX(i, j + 1, k)] -
                         ay[IX(i, j - 1, k)] * p[IX(i, j - 1, k)] - az[IX(i, j, k)] * p[IX(i, j, k + 1)] -
                         az[IX(i, j, k - 1)] * p[IX(i, j, k - 1)];
}

static double ddot(int nx, int ny, int nz, double *a, double *b) {
  int i, j, k;
  double s = 0.0;
  for (k = 1; k <= nz; k++)
    for (j = 1; j <= ny; j++)
      for (i = 1; i <= nx; i++) s = s + a[IX(i, j, k)] * b[IX(i, j, k)];
  return s;
}

static int cg(int nx, int ny, int nz, double *ax, double *ay, double *az, double *diag, double *rhs, double *x, double *r,
              double *z, double *p, double *q, int maxit, double tol, double *final) {
  int i, j, k, iter;
  double rho, rho_old = 1.0, alpha, beta, norm;
  for (k = 1; k <= nz; k++)
    for (j = 1; j <= ny; j++)
      for (i = 1; i <= nx; i++) {
        x[IX(i, j, k)] = 0.0;
        r[IX(i, j, k)] = rhs[IX(i, j, k)];
      }
  for (iter = 1; iter <= maxit; iter++) {
    for (k = 1; k <= nz; k++)
      for (j = 1; j <= ny; j++)
        for (i = 1; i <= nx; i++) z[IX(i, j, k)] = r[IX(i, j, k)] / diag[IX(i, j, k)];
    rho = ddot(nx, ny, nz, r, z);
    beta = iter == 1 ? 0.0 : rho / rho_old;
    for (k = 1; k <= nz; k++)
      for (j = 1; j <= ny; j++)
        for (i = 1; i <= nx; i++) p[IX(i, j, k)] = z[IX(i, j, k)] + beta * p[IX(i, j, k)];
    matvec(nx, ny, nz, ax, ay, az, diag, p, q);
    alpha = rho / ddot(nx, ny, nz, p, q);
    for (k = 1; k <= nz; k++)
      for (j = 1; j <= ny; j++)
        for (i = 1; i <= nx; i++) {
          x[IX(i, j, k)] = x[IX(i, j, k)] + alpha * p[IX(i, j, k)];
          r[IX(i, j, k)] = r[IX(i, j, k)] - alpha * q[IX(i, j, k)];
        }
    rho_old = rho;
    norm = sqrt(ddot(nx, ny, nz, r, r));
    if (norm < tol) break;
  }
  *final = norm;
  return iter;
}

int main(void) {
  int nx = 44, ny = 40, nz = 36, n = (nx + 2) * (ny + 2) * (nz + 2);
  double *w = calloc(10 * n, sizeof(double)), final, sum = 0;
  double *ax = w, *ay = w + n, *az = w + 2 * n, *diag = w + 3 * n, *rhs = w + 4 * n;
  double *x = w + 5 * n, *r = w + 6 * n, *z = w + 7 * n, *p = w + 8 * n, *q = w + 9 * n;
  setup(nx, ny, nz, ax, ay, az, diag, rhs);
  bench_start();
  int iter = cg(nx, ny, nz, ax, ay, az, diag, rhs, x, r, z, p, q, 200, 1e-8, &final);
  bench_stop();
  for (int i = 0; i < n; i++) sum += x[i];
  printf("check cgpoisson %d %.7g\n", iter < 200, sum);
  free(w);
  return 0;
}
