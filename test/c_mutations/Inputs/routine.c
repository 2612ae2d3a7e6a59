#pragma acc routine seq
static double square(double x) { return x * x; }
#pragma acc routine vector
void scale(int n, double *x, double f);
double fabs(double);
static int clamp(int v, int low, int high)
{
  if (v < low) return low;
  return v > high ? high : v;
}
void apply(int n, double *x, int *k)
{
#pragma acc parallel loop gang worker num_workers(4) private(n)
  for (int i = 0; i < 100; i++)
    x[i] = square(fabs(x[i])) + clamp(k[i], 0, 9);
#pragma acc kernels if(n) self(n < 3)
  for (long i = 0; i != n; i++)
    scale(n, x + i, 2.0);
}
