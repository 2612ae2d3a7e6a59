/* The 30 kernels of examples/polybench in plain C.
 *
 *     peers NAME PARAMETER...
 *
 * A parameter is a number, or the shape of an array as `@20x30`; they come in the order
 * of the program's own. The arrays' elements (f64) are read from standard input and, when
 * the kernel has run, written to standard output, one array after the other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PARAMETERS 16

typedef struct {
  double number;
  long shape[3];
  double *data;
} Param;

/* Parameter i as an array x of 1, 2 or 3 dimensions with extents x0, x1, x2. */
#define VECTOR(x, i)                                                                               \
  long x##0 = p[i].shape[0];                                                                       \
  double *x = p[i].data;                                                                           \
  (void)x##0
#define MATRIX(x, i)                                                                               \
  long x##0 = p[i].shape[0], x##1 = p[i].shape[1];                                                 \
  double (*x)[x##1] = (double (*)[x##1])p[i].data;                                                 \
  (void)x##0
#define CUBE(x, i)                                                                                 \
  long x##0 = p[i].shape[0], x##1 = p[i].shape[1], x##2 = p[i].shape[2];                           \
  double (*x)[x##1][x##2] = (double (*)[x##1][x##2])p[i].data;                                     \
  (void)x##0
#define FOR(i, low, high) for (long i = (low); i < (high); i++)
#define DOWN(i, high, low) for (long i = (high); i >= (low); i--)

static void correlation(Param *p) {
  MATRIX(data, 0);
  MATRIX(corr, 1);
  VECTOR(mean, 2);
  VECTOR(stddev, 3);
  double n = (double)data0;
  FOR(j, 0, data1) {
    mean[j] = 0;
    FOR(i, 0, data0) mean[j] += data[i][j];
    mean[j] /= n;
  }
  FOR(j, 0, data1) {
    stddev[j] = 0;
    FOR(i, 0, data0) stddev[j] += pow(data[i][j] - mean[j], 2);
    stddev[j] = sqrt(stddev[j] / n);
    if (stddev[j] <= 0.1)
      stddev[j] = 1;
  }
  FOR(i, 0, data0) FOR(j, 0, data1) data[i][j] = (data[i][j] - mean[j]) / (sqrt(n) * stddev[j]);
  FOR(i, 0, data1) {
    corr[i][i] = 1;
    FOR(j, i + 1, data1) {
      corr[i][j] = 0;
      FOR(k, 0, data0) corr[i][j] += data[k][i] * data[k][j];
      corr[j][i] = corr[i][j];
    }
  }
}

static void covariance(Param *p) {
  MATRIX(data, 0);
  MATRIX(cov, 1);
  VECTOR(mean, 2);
  double n = (double)data0;
  FOR(j, 0, data1) {
    mean[j] = 0;
    FOR(i, 0, data0) mean[j] += data[i][j];
    mean[j] /= n;
  }
  FOR(i, 0, data0) FOR(j, 0, data1) data[i][j] -= mean[j];
  FOR(i, 0, data1) FOR(j, i, data1) {
    double dot = 0;
    FOR(k, 0, data0) dot += data[k][i] * data[k][j];
    cov[i][j] = cov[j][i] = dot / (n - 1);
  }
}

static void gemm(Param *p) {
  double alpha = p[0].number, beta = p[1].number;
  MATRIX(C, 2);
  MATRIX(A, 3);
  MATRIX(B, 4);
  FOR(i, 0, C0) {
    FOR(j, 0, C1) C[i][j] *= beta;
    FOR(k, 0, A1) FOR(j, 0, C1) C[i][j] += alpha * A[i][k] * B[k][j];
  }
}

static void gemver(Param *p) {
  double alpha = p[0].number, beta = p[1].number;
  MATRIX(A, 2);
  VECTOR(u1, 3);
  VECTOR(v1, 4);
  VECTOR(u2, 5);
  VECTOR(v2, 6);
  VECTOR(w, 7);
  VECTOR(x, 8);
  VECTOR(y, 9);
  VECTOR(z, 10);
  FOR(i, 0, A0) FOR(j, 0, A1) A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
  FOR(i, 0, A0) FOR(j, 0, A1) x[i] += beta * A[j][i] * y[j];
  FOR(i, 0, A0) x[i] += z[i];
  FOR(i, 0, A0) FOR(j, 0, A1) w[i] += alpha * A[i][j] * x[j];
}

static void gesummv(Param *p) {
  double alpha = p[0].number, beta = p[1].number;
  MATRIX(A, 2);
  MATRIX(B, 3);
  VECTOR(tmp, 4);
  VECTOR(x, 5);
  VECTOR(y, 6);
  FOR(i, 0, A0) {
    tmp[i] = y[i] = 0;
    FOR(j, 0, A1) {
      tmp[i] += A[i][j] * x[j];
      y[i] += B[i][j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
  }
}

/* Each update of C above row i is that of the symmetric counterpart of A[i][k]. */
static void symm(Param *p) {
  double alpha = p[0].number, beta = p[1].number;
  MATRIX(C, 2);
  MATRIX(A, 3);
  MATRIX(B, 4);
  FOR(i, 0, C0) FOR(j, 0, C1) {
    double below = 0;
    FOR(k, 0, i) {
      C[k][j] += alpha * B[i][j] * A[i][k];
      below += B[k][j] * A[i][k];
    }
    C[i][j] = beta * C[i][j] + alpha * B[i][j] * A[i][i] + alpha * below;
  }
}

static void syr2k(Param *p) {
  double alpha = p[0].number, beta = p[1].number;
  MATRIX(C, 2);
  MATRIX(A, 3);
  MATRIX(B, 4);
  FOR(i, 0, C0) {
    FOR(j, 0, i + 1) C[i][j] *= beta;
    FOR(k, 0, A1)
    FOR(j, 0, i + 1) C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
  }
}

static void syrk(Param *p) {
  double alpha = p[0].number, beta = p[1].number;
  MATRIX(C, 2);
  MATRIX(A, 3);
  FOR(i, 0, C0) {
    FOR(j, 0, i + 1) C[i][j] *= beta;
    FOR(k, 0, A1) FOR(j, 0, i + 1) C[i][j] += alpha * A[i][k] * A[j][k];
  }
}

static void trmm(Param *p) {
  double alpha = p[0].number;
  MATRIX(A, 1);
  MATRIX(B, 2);
  FOR(i, 0, B0) FOR(j, 0, B1) {
    FOR(k, i + 1, A0) B[i][j] += A[k][i] * B[k][j];
    B[i][j] *= alpha;
  }
}

static void mm2(Param *p) {
  double alpha = p[0].number, beta = p[1].number;
  MATRIX(tmp, 2);
  MATRIX(A, 3);
  MATRIX(B, 4);
  MATRIX(C, 5);
  MATRIX(D, 6);
  FOR(i, 0, tmp0) FOR(j, 0, tmp1) {
    tmp[i][j] = 0;
    FOR(k, 0, A1) tmp[i][j] += alpha * A[i][k] * B[k][j];
  }
  FOR(i, 0, D0) FOR(j, 0, D1) {
    D[i][j] *= beta;
    FOR(k, 0, tmp1) D[i][j] += tmp[i][k] * C[k][j];
  }
}

static void product(const Param *x, const Param *a, const Param *b) {
  long m = x->shape[0], n = x->shape[1], depth = a->shape[1];
  FOR(i, 0, m) FOR(j, 0, n) {
    x->data[i * n + j] = 0;
    FOR(k, 0, depth) x->data[i * n + j] += a->data[i * depth + k] * b->data[k * n + j];
  }
}

static void mm3(Param *p) {
  product(&p[0], &p[1], &p[2]);
  product(&p[3], &p[4], &p[5]);
  product(&p[6], &p[0], &p[3]);
}

static void atax(Param *p) {
  MATRIX(A, 0);
  VECTOR(x, 1);
  VECTOR(y, 2);
  VECTOR(tmp, 3);
  FOR(j, 0, A1) y[j] = 0;
  FOR(i, 0, A0) {
    tmp[i] = 0;
    FOR(j, 0, A1) tmp[i] += A[i][j] * x[j];
    FOR(j, 0, A1) y[j] += A[i][j] * tmp[i];
  }
}

static void bicg(Param *p) {
  MATRIX(A, 0);
  VECTOR(s, 1);
  VECTOR(q, 2);
  VECTOR(x, 3);
  VECTOR(r, 4);
  FOR(j, 0, A1) s[j] = 0;
  FOR(i, 0, A0) {
    q[i] = 0;
    FOR(j, 0, A1) {
      s[j] += r[i] * A[i][j];
      q[i] += A[i][j] * x[j];
    }
  }
}

static void doitgen(Param *p) {
  CUBE(A, 0);
  MATRIX(C4, 1);
  VECTOR(sum, 2);
  FOR(r, 0, A0) FOR(q, 0, A1) {
    FOR(c, 0, A2) {
      sum[c] = 0;
      FOR(s, 0, A2) sum[c] += A[r][q][s] * C4[s][c];
    }
    FOR(c, 0, A2) A[r][q][c] = sum[c];
  }
}

static void mvt(Param *p) {
  VECTOR(x1, 0);
  VECTOR(x2, 1);
  VECTOR(y1, 2);
  VECTOR(y2, 3);
  MATRIX(A, 4);
  FOR(i, 0, A0) FOR(j, 0, A1) {
    x1[i] += A[i][j] * y1[j];
    x2[i] += A[j][i] * y2[j];
  }
}

static void cholesky(Param *p) {
  MATRIX(A, 0);
  FOR(i, 0, A0) {
    FOR(j, 0, i) {
      FOR(k, 0, j) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    FOR(k, 0, i) A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}

static void durbin(Param *p) {
  VECTOR(r, 0);
  VECTOR(y, 1);
  double *z = malloc((size_t)r0 * sizeof(double));
  double alpha = -r[0], beta = 1;
  y[0] = alpha;
  FOR(k, 1, r0) {
    beta *= 1 - alpha * alpha;
    double sum = 0;
    FOR(i, 0, k) sum += r[k - i - 1] * y[i];
    alpha = -(r[k] + sum) / beta;
    FOR(i, 0, k) z[i] = y[i] + alpha * y[k - i - 1];
    memcpy(y, z, (size_t)k * sizeof(double));
    y[k] = alpha;
  }
  free(z);
}

static void gramschmidt(Param *p) {
  MATRIX(A, 0);
  MATRIX(R, 1);
  MATRIX(Q, 2);
  FOR(k, 0, A1) {
    double norm = 0;
    FOR(i, 0, A0) norm += A[i][k] * A[i][k];
    R[k][k] = sqrt(norm);
    FOR(i, 0, A0) Q[i][k] = A[i][k] / R[k][k];
    FOR(j, k + 1, A1) {
      R[k][j] = 0;
      FOR(i, 0, A0) R[k][j] += Q[i][k] * A[i][j];
      FOR(i, 0, A0) A[i][j] -= Q[i][k] * R[k][j];
    }
  }
}

static void factor(Param *a) {
  Param *p = a;
  MATRIX(A, 0);
  FOR(i, 0, A0) FOR(j, 0, A1) {
    FOR(k, 0, i < j ? i : j) A[i][j] -= A[i][k] * A[k][j];
    if (j < i)
      A[i][j] /= A[j][j];
  }
}

static void ludcmp(Param *p) {
  MATRIX(A, 0);
  VECTOR(b, 1);
  VECTOR(x, 2);
  VECTOR(y, 3);
  factor(p);
  FOR(i, 0, A0) {
    y[i] = b[i];
    FOR(j, 0, i) y[i] -= A[i][j] * y[j];
  }
  DOWN(i, A0 - 1, 0) {
    x[i] = y[i];
    FOR(j, i + 1, A0) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
}

static void trisolv(Param *p) {
  MATRIX(L, 0);
  VECTOR(x, 1);
  VECTOR(b, 2);
  FOR(i, 0, L0) {
    x[i] = b[i];
    FOR(j, 0, i) x[i] -= L[i][j] * x[j];
    x[i] /= L[i][i];
  }
}

/* The causal and the anticausal half of the filter along n elements, `step` apart. */
static void filter(const double *in, double *ahead, double *back, long n, long step, double k,
                   double alpha) {
  double e = exp(-alpha), e2 = exp(-2 * alpha), b1 = pow(2, -alpha);
  double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
  FOR(i, 0, n) {
    double y = k * in[i * step] + k * e * (alpha - 1) * x1 + b1 * y1 - e2 * y2;
    x1 = in[i * step], y2 = y1, y1 = ahead[i * step] = y;
  }
  x1 = y1 = y2 = 0;
  DOWN(i, n - 1, 0) {
    double y = k * e * (alpha + 1) * x1 - k * e2 * x2 + b1 * y1 - e2 * y2;
    x2 = x1, x1 = in[i * step], y2 = y1, y1 = back[i * step] = y;
  }
}

static void deriche(Param *p) {
  double alpha = p[0].number, e = exp(-alpha);
  double k = (1 - e) * (1 - e) / (1 + 2 * alpha * e - exp(2 * alpha));
  MATRIX(in, 1);
  MATRIX(out, 2);
  MATRIX(y1, 3);
  MATRIX(y2, 4);
  FOR(i, 0, in0) filter(in[i], y1[i], y2[i], in1, 1, k, alpha);
  FOR(i, 0, in0) FOR(j, 0, in1) out[i][j] = y1[i][j] + y2[i][j];
  FOR(j, 0, in1) filter(&out[0][j], &y1[0][j], &y2[0][j], in0, in1, k, alpha);
  FOR(i, 0, in0) FOR(j, 0, in1) out[i][j] = y1[i][j] + y2[i][j];
}

static void floyd_warshall(Param *p) {
  MATRIX(path, 0);
  FOR(k, 0, path0) FOR(i, 0, path0) FOR(j, 0, path0) {
    double through = path[i][k] + path[k][j];
    if (through < path[i][j])
      path[i][j] = through;
  }
}

static void nussinov(Param *p) {
  VECTOR(seq, 0);
  MATRIX(table, 1);
  DOWN(i, seq0 - 1, 0) FOR(j, i + 1, seq0) {
    double best = fmax(table[i][j], table[i][j - 1]);
    best = fmax(best, table[i + 1][j]);
    double pair = i < j - 1 && seq[i] + seq[j] == 3 ? 1 : 0;
    best = fmax(best, table[i + 1][j - 1] + pair);
    FOR(k, i + 1, j) best = fmax(best, table[i][k] + table[k + 1][j]);
    table[i][j] = best;
  }
}

static void adi(Param *p) {
  MATRIX(u, 1);
  MATRIX(v, 2);
  MATRIX(r, 3);
  MATRIX(q, 4);
  long n = u0, steps = (long)p[0].number;
  double mul1 = 2.0 / (double)steps * (double)(n * n), mul2 = mul1 / 2;
  double a = -mul1 / 2, b = 1 + mul1, d = -mul2 / 2, e = 1 + mul2;
  FOR(t, 0, steps) {
    FOR(i, 1, n - 1) {
      v[0][i] = v[n - 1][i] = q[i][0] = 1;
      r[i][0] = 0;
      FOR(j, 1, n - 1) {
        double pivot = a * r[i][j - 1] + b;
        r[i][j] = -a / pivot;
        q[i][j] =
            (-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - d * u[j][i + 1] - a * q[i][j - 1]) / pivot;
      }
      DOWN(j, n - 2, 1) v[j][i] = r[i][j] * v[j + 1][i] + q[i][j];
    }
    FOR(i, 1, n - 1) {
      u[i][0] = u[i][n - 1] = q[i][0] = 1;
      r[i][0] = 0;
      FOR(j, 1, n - 1) {
        double pivot = d * r[i][j - 1] + e;
        r[i][j] = -d / pivot;
        q[i][j] =
            (-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - a * v[i + 1][j] - d * q[i][j - 1]) / pivot;
      }
      DOWN(j, n - 2, 1) u[i][j] = r[i][j] * u[i][j + 1] + q[i][j];
    }
  }
}

static void fdtd_2d(Param *p) {
  MATRIX(ex, 0);
  MATRIX(ey, 1);
  MATRIX(hz, 2);
  VECTOR(fict, 3);
  FOR(t, 0, fict0) {
    FOR(j, 0, ex1) ey[0][j] = fict[t];
    FOR(i, 1, ex0) FOR(j, 0, ex1) ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
    FOR(i, 0, ex0) FOR(j, 1, ex1) ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
    FOR(i, 0, ex0 - 1)
    FOR(j, 0, ex1 - 1) hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

static void heat_step(const Param *from, const Param *to) {
  long n = from->shape[0], at[3] = {n * n, n, 1};
  FOR(i, 1, n - 1) FOR(j, 1, n - 1) FOR(k, 1, n - 1) {
    long here = i * at[0] + j * at[1] + k;
    const double *x = from->data + here;
    double change = 0;
    FOR(axis, 0, 3) change += 0.125 * (x[at[axis]] - 2 * x[0] + x[-at[axis]]);
    to->data[here] = change + x[0];
  }
}

static void heat_3d(Param *p) {
  FOR(t, 0, (long)p[0].number) {
    heat_step(&p[1], &p[2]);
    heat_step(&p[2], &p[1]);
  }
}

static void jacobi_1d(Param *p) {
  VECTOR(A, 1);
  VECTOR(B, 2);
  FOR(t, 0, (long)p[0].number) {
    FOR(i, 1, A0 - 1) B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    FOR(i, 1, A0 - 1) A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}

static void star(const Param *from, const Param *to) {
  long n = from->shape[0];
  FOR(i, 1, n - 1) FOR(j, 1, n - 1) {
    const double *x = from->data + i * n + j;
    to->data[i * n + j] = 0.2 * (x[0] + x[-1] + x[1] + x[n] + x[-n]);
  }
}

static void jacobi_2d(Param *p) {
  FOR(t, 0, (long)p[0].number) {
    star(&p[1], &p[2]);
    star(&p[2], &p[1]);
  }
}

static void seidel_2d(Param *p) {
  MATRIX(A, 1);
  FOR(t, 0, (long)p[0].number) FOR(i, 1, A0 - 1) FOR(j, 1, A1 - 1) {
    double sum = 0;
    FOR(di, -1, 2) FOR(dj, -1, 2) sum += A[i + di][j + dj];
    A[i][j] = sum / 9;
  }
}

static const struct {
  const char *name;
  void (*run)(Param *);
} kernels[] = {
    {"2mm", mm2},
    {"3mm", mm3},
    {"adi", adi},
    {"atax", atax},
    {"bicg", bicg},
    {"cholesky", cholesky},
    {"correlation", correlation},
    {"covariance", covariance},
    {"deriche", deriche},
    {"doitgen", doitgen},
    {"durbin", durbin},
    {"fdtd-2d", fdtd_2d},
    {"floyd-warshall", floyd_warshall},
    {"gemm", gemm},
    {"gemver", gemver},
    {"gesummv", gesummv},
    {"gramschmidt", gramschmidt},
    {"heat-3d", heat_3d},
    {"jacobi-1d", jacobi_1d},
    {"jacobi-2d", jacobi_2d},
    {"lu", factor},
    {"ludcmp", ludcmp},
    {"mvt", mvt},
    {"nussinov", nussinov},
    {"seidel-2d", seidel_2d},
    {"symm", symm},
    {"syr2k", syr2k},
    {"syrk", syrk},
    {"trisolv", trisolv},
    {"trmm", trmm},
};

static void fail(const char *what, const char *which) {
  fprintf(stderr, "%s: %s\n", what, which);
  exit(1);
}

int main(int argc, char **argv) {
  Param p[MAX_PARAMETERS];
  size_t count[MAX_PARAMETERS] = {0};
  int n = argc - 2;
  if (n < 1 || n > MAX_PARAMETERS)
    fail("usage", "peers NAME PARAMETER...");
  for (int i = 0; i < n; i++) {
    const char *text = argv[i + 2];
    p[i] = (Param){0, {1, 1, 1}, NULL};
    if (*text != '@') {
      p[i].number = strtod(text, NULL);
      continue;
    }
    sscanf(text, "@%ldx%ldx%ld", &p[i].shape[0], &p[i].shape[1], &p[i].shape[2]);
    count[i] = (size_t)(p[i].shape[0] * p[i].shape[1] * p[i].shape[2]);
    p[i].data = malloc(count[i] * sizeof(double));
    if (!p[i].data || fread(p[i].data, sizeof(double), count[i], stdin) != count[i])
      fail("no data for array", text);
  }
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    if (strcmp(kernels[k].name, argv[1]) != 0)
      continue;
    kernels[k].run(p);
    for (int i = 0; i < n; i++)
      fwrite(p[i].data, sizeof(double), count[i], stdout);
    return 0;
  }
  fail("no such kernel", argv[1]);
}
