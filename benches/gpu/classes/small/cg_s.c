/* 25 steps of conjugate gradients with a sparse matrix of 1400 rows, as in the class S of that benchmark.
size check n=100 nnz=800 start~starts:8
size small n=1400 nnz=78400 start~starts:56
fill col near:n:300
out x
scratch p r q
host none
sums
bytes 25*(12*nnz + 80*n)
*/
#include <math.h>

void kernel(int n, int nnz, const int start[restrict n + 1], const int col[restrict nnz], const double val[restrict nnz],
            const double b[restrict n], double p[restrict n], double r[restrict n], double q[restrict n], double x[restrict n]) {
  double rho = 0;
  //@ nest 1 reduction(+:rho)
  for (int i = 0; i < n; i++) {
    x[i] = 0;
    r[i] = b[i];
    p[i] = b[i];
    rho += b[i] * b[i];
  }
  for (int step = 0; step < 25; step++) {
    //@ nest 1
    for (int i = 0; i < n; i++) {
      double s = 40.0 * p[i];
      //@ inner reduction(+:s)
      for (int k = start[i]; k < start[i + 1]; k++) s += val[k] * p[col[k]];
      q[i] = s;
    }
    double d = 0;
    //@ nest 1 reduction(+:d)
    for (int i = 0; i < n; i++) d += p[i] * q[i];
    double alpha = rho / d, last = rho;
    rho = 0;
    //@ nest 1 reduction(+:rho)
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      rho += r[i] * r[i];
    }
    double beta = rho / last;
    //@ nest 1
    for (int i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
  }
}
