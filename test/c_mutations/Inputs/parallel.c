double dot(int n, const double *x, const double *y)
{
  double s = 0;
  int i;
#pragma acc parallel loop gang vector_length(128) reduction(+:s) copyin(x[0:n], y[0:n]) if(n > 3)
  for (i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}
void gemm(int n, float a[restrict n][n], float (*b)[n], float *c)
{
#pragma acc parallel copyin(a[0:n][0:n]) copyout(c[0:n*n]) num_gangs(n) async(1)
#pragma acc loop collapse(2) gang
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float t = 0.0f;
#pragma acc loop seq
      for (int k = 0; k < n; ++k)
        t += a[i][k] * b[k][j];
      c[i * n + j] = t;
    }
#pragma acc wait(1)
}
