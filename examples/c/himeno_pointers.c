/* The sweep of the Himeno benchmark on matrices whose sizes stand beside a pointer to
   their elements, reached by a macro. As himeno.c otherwise, with the same numbers.

   -DN=... sets the size: a grid of (N + 1) x (N + 1) x (2 N + 1); -DSTEPS=... the number of
   sweeps; -DUSE_ACC, -DNO_PRAGMA as in polybench/bench.h. */
#include "common.h"

#ifndef N
#define N 32
#endif
#ifndef STEPS
#define STEPS 8
#endif

typedef struct {
  float *m;
  int nums, rows, cols, deps;
} Matrix;

/* Element (r, c, d) of part n. */
#define MR(mt, n, r, c, d) \
  (mt)->m[(((n) * (mt)->rows + (r)) * (mt)->cols + (c)) * (mt)->deps + (d)]
#define COUNT(mt) ((mt)->nums * (mt)->rows * (mt)->cols * (mt)->deps)

static Matrix new_matrix(int nums, int rows, int cols, int deps) {
  Matrix mt = {NULL, nums, rows, cols, deps};
  mt.m = calloc((size_t)COUNT(&mt), sizeof(float));
  if (!mt.m) {
    fprintf(stderr, "no memory\n");
    exit(2);
  }
  return mt;
}

static void fill(Matrix *mt, int n, float value) {
  for (int r = 0; r < mt->rows; r++)
    for (int c = 0; c < mt->cols; c++)
      for (int d = 0; d < mt->deps; d++) MR(mt, n, r, c, d) = value;
}

static void fill_random(Matrix *mt, int n, float scale, uint64_t seed) {
  for (int r = 0; r < mt->rows; r++)
    for (int c = 0; c < mt->cols; c++)
      for (int d = 0; d < mt->deps; d++) {
        uint64_t at = ((uint64_t)r * mt->cols + c) * mt->deps + d;
        MR(mt, n, r, c, d) = scale * (float)uniform(seed, at);
      }
}

static void fill_pressure(Matrix *mt) {
  for (int r = 0; r < mt->rows; r++)
    for (int c = 0; c < mt->cols; c++)
      for (int d = 0; d < mt->deps; d++)
        MR(mt, 0, r, c, d) = (float)(r * r) / (float)((mt->rows - 1) * (mt->rows - 1));
}

/* Gives the sum of the squared steps of the last sweep. */
static double jacobi(int steps, Matrix *a, Matrix *b, Matrix *c, Matrix *p, Matrix *bnd,
                     Matrix *wrk1, Matrix *wrk2) {
  const float omega = 0.8f;
  double gosa = 0;
  int i, j, k, t;
  int imax = p->rows - 1, jmax = p->cols - 1, kmax = p->deps - 1;
#if defined(USE_ACC)
#pragma acc data copyin(a->m[0 : COUNT(a)], b->m[0 : COUNT(b)], c->m[0 : COUNT(c)],      \
                            bnd->m[0 : COUNT(bnd)], wrk1->m[0 : COUNT(wrk1)])             \
    copy(p->m[0 : COUNT(p)]) create(wrk2->m[0 : COUNT(wrk2)])
#endif
  for (t = 0; t < steps; t++) {
    gosa = 0;
#if defined(USE_ACC)
#pragma acc parallel loop collapse(3) reduction(+ : gosa)
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
    for (i = 1; i < imax; i++)
      for (j = 1; j < jmax; j++)
        for (k = 1; k < kmax; k++) {
          float s0 =
              MR(a, 0, i, j, k) * MR(p, 0, i + 1, j, k) +
              MR(a, 1, i, j, k) * MR(p, 0, i, j + 1, k) +
              MR(a, 2, i, j, k) * MR(p, 0, i, j, k + 1) +
              MR(b, 0, i, j, k) * (MR(p, 0, i + 1, j + 1, k) - MR(p, 0, i + 1, j - 1, k) -
                                   MR(p, 0, i - 1, j + 1, k) + MR(p, 0, i - 1, j - 1, k)) +
              MR(b, 1, i, j, k) * (MR(p, 0, i, j + 1, k + 1) - MR(p, 0, i, j - 1, k + 1) -
                                   MR(p, 0, i, j + 1, k - 1) + MR(p, 0, i, j - 1, k - 1)) +
              MR(b, 2, i, j, k) * (MR(p, 0, i + 1, j, k + 1) - MR(p, 0, i - 1, j, k + 1) -
                                   MR(p, 0, i + 1, j, k - 1) + MR(p, 0, i - 1, j, k - 1)) +
              MR(c, 0, i, j, k) * MR(p, 0, i - 1, j, k) +
              MR(c, 1, i, j, k) * MR(p, 0, i, j - 1, k) +
              MR(c, 2, i, j, k) * MR(p, 0, i, j, k - 1) + MR(wrk1, 0, i, j, k);
          float ss = (s0 * MR(a, 3, i, j, k) - MR(p, 0, i, j, k)) * MR(bnd, 0, i, j, k);
          gosa += ss * ss;
          MR(wrk2, 0, i, j, k) = MR(p, 0, i, j, k) + omega * ss;
        }
#if defined(USE_ACC)
#pragma acc parallel loop collapse(3)
#endif
    for (i = 1; i < imax; i++)
      for (j = 1; j < jmax; j++)
        for (k = 1; k < kmax; k++) MR(p, 0, i, j, k) = MR(wrk2, 0, i, j, k);
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif
  }
  return gosa;
}

int main(void) {
  int mi = N + 1, mj = N + 1, mk = 2 * N + 1;
  Matrix a = new_matrix(4, mi, mj, mk), b = new_matrix(3, mi, mj, mk);
  Matrix c = new_matrix(3, mi, mj, mk), p = new_matrix(1, mi, mj, mk);
  Matrix bnd = new_matrix(1, mi, mj, mk), wrk1 = new_matrix(1, mi, mj, mk);
  Matrix wrk2 = new_matrix(1, mi, mj, mk);
  for (int m = 0; m < 3; m++) {
    fill(&a, m, 1);
    fill_random(&b, m, 0.1f, m + 2);
    fill(&c, m, 1);
  }
  fill(&a, 3, 1.0f / 6);
  fill(&bnd, 0, 1);
  fill_random(&wrk1, 0, 1, 1);
  fill_pressure(&p);

  start();
  double gosa = jacobi(STEPS, &a, &b, &c, &p, &bnd, &wrk1, &wrk2);
  stop();
  check("gosa", &gosa, 1);
  double *out = numbers(COUNT(&p));
  for (int i = 0; i < COUNT(&p); i++) out[i] = p.m[i];
  check("p", out, COUNT(&p));

  free(out);
  free(a.m);
  free(b.m);
  free(c.m);
  free(p.m);
  free(bnd.m);
  free(wrk1.m);
  free(wrk2.m);
  return 0;
}
