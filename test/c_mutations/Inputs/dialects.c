void dialects(int n, float *restrict a, float *restrict b)
{
  int i, j;
#pragma acc region copyin(b[0:n-1]) copyout(a[0:n-1])
  {
#pragma acc for parallel, vector(16)
    for (i = 0; i < n; i++) {
#pragma acc cache(b[0:4])
      a[i] = b[i];
    }
  }
#pragma terrace parallel loop
  for (i = 0; i < n; i++)
    a[i] += 1.0f;
#pragma terrace kernels
  for (i = 0; i < n; i++)
    for (j = i; j < n; j++)
      b[j] = a[i];
#pragma omp parallel for
  for (i = 0; i < n; i++) a[i]--;
#pragma acc init device_type(nvidia)
#pragma acc shutdown
}
