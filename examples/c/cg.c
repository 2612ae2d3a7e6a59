/* Conjugate gradients for a sparse matrix in compressed rows: symmetric, with a diagonal
   that outweighs the rest of each row, so positive definite.

   -DN=... sets the number of rows, -DSTEPS=... that of iterations; -DUSE_ACC, -DNO_PRAGMA
   as in polybench/bench.h. */
#include "common.h"

#ifndef N
#define N 2000
#endif
#ifndef STEPS
#define STEPS 10
#endif
/* Elements that each row begins below the diagonal, and as many columns that it meets. */
#define PER_ROW 6

typedef struct {
  int n;
  int *begin;
  int *column;
  double *value;
} Sparse;

static void *memory(size_t bytes) {
  void *p = calloc(1, bytes);
  if (!p) {
    fprintf(stderr, "no memory for %zu bytes\n", bytes);
    exit(2);
  }
  return p;
}

static Sparse make(int n) {
  Sparse a = {n, memory((n + 1) * sizeof(int)), 0, 0};
  int *fill = memory(n * sizeof(int));
  /* Each pair (i, j) with j < i stands twice; a diagonal element in each row. */
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) {
      int last = -1;
      for (int e = 0; e < PER_ROW && i > 0; e++) {
        /* Columns in increasing order, in sections of the row, so that none comes twice. */
        int low = (int)((long)i * e / PER_ROW), high = (int)((long)i * (e + 1) / PER_ROW);
        int j = low + (int)(uniform(1, (uint64_t)i * PER_ROW + e) * (high - low));
        if (j <= last || j >= i) continue;
        last = j;
        if (pass == 0) {
          fill[i]++;
          fill[j]++;
        } else {
          double v = uniform(2, (uint64_t)i * PER_ROW + e) - 0.5;
          int at[2] = {fill[i]++, fill[j]++};
          a.column[at[0]] = j;
          a.column[at[1]] = i;
          a.value[at[0]] = a.value[at[1]] = v;
        }
      }
    }
    if (pass == 0) {
      for (int i = 0; i < n; i++) a.begin[i + 1] = a.begin[i] + fill[i] + 1;
      a.column = memory(a.begin[n] * sizeof(int));
      a.value = memory(a.begin[n] * sizeof(double));
      for (int i = 0; i < n; i++) fill[i] = a.begin[i] + 1;
    }
  }
  for (int i = 0; i < n; i++) {
    double sum = 0.1;
    for (int k = a.begin[i] + 1; k < a.begin[i + 1]; k++) sum += fabs(a.value[k]);
    a.column[a.begin[i]] = i;
    a.value[a.begin[i]] = sum;
  }
  free(fill);
  return a;
}

/* x = the solution of a * x = b after some steps from 0; gives the norm of the residual. */
static double solve(int n, const int *restrict begin, const int *restrict column,
                    const double *restrict value, const double *restrict b, double *restrict x,
                    double *restrict r, double *restrict p, double *restrict q, int steps) {
  double rr = 0;
  int i, t;
  int elements = begin[n];
  (void)elements;
#ifdef USE_ACC
#pragma acc data copyin(begin[0 : n + 1], column[0 : elements], value[0 : elements], b[0 : n]) \
    copyout(x[0 : n]) create(r[0 : n], p[0 : n], q[0 : n])
#endif
  {
#if defined(USE_ACC)
#pragma acc parallel loop reduction(+ : rr)
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
    for (i = 0; i < n; i++) {
      x[i] = 0;
      r[i] = b[i];
      p[i] = b[i];
      rr += b[i] * b[i];
    }
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif

    for (t = 0; t < steps; t++) {
      double pq = 0, next = 0, alpha, beta;
#if defined(USE_ACC)
#pragma acc parallel loop gang vector reduction(+ : pq)
#elif !defined(NO_PRAGMA)
#pragma terrace offload
#endif
      for (i = 0; i < n; i++) {
        double sum = 0;
        for (int k = begin[i]; k < begin[i + 1]; k++) sum += value[k] * p[column[k]];
        q[i] = sum;
        pq += p[i] * sum;
      }
      alpha = rr / pq;
#if defined(USE_ACC)
#pragma acc parallel loop reduction(+ : next)
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
      for (i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        next += r[i] * r[i];
      }
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif
      beta = next / rr;
      rr = next;
#if defined(USE_ACC)
#pragma acc parallel loop
#elif !defined(NO_PRAGMA)
#pragma scop
#endif
      for (i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
#if !defined(USE_ACC) && !defined(NO_PRAGMA)
#pragma endscop
#endif
    }
  }
  return sqrt(rr);
}

int main(void) {
  Sparse a = make(N);
  double *b = numbers(N), *x = numbers(N), *r = numbers(N), *p = numbers(N), *q = numbers(N);
  for (int i = 0; i < N; i++) b[i] = uniform(3, i);
  start();
  double residual = solve(a.n, a.begin, a.column, a.value, b, x, r, p, q, STEPS);
  stop();
  check("residual", &residual, 1);
  check("x", x, N);
  free(a.begin);
  free(a.column);
  free(a.value);
  free(b);
  free(x);
  free(r);
  free(p);
  free(q);
  return 0;
}
