_Bool all(int n, const int *a, int *out)
{
  int low = 0x7fffffff, high = -5, bits = ~0, any = 0, every = 1;
  double product = 1;
  unsigned x = 0;
#pragma acc parallel loop reduction(min:low) reduction(max:high) reduction(&:bits) \
  reduction(||:any) reduction(&&:every) reduction(*:product) reduction(^:x)
  for (int i = 0; i < n; i++) {
    low = a[i] < low ? a[i] : low;
    high = a[i] > high ? a[i] : high;
    bits &= a[i];
    any = any || a[i];
    every = every && a[i];
    product *= a[i];
    x ^= (unsigned)a[i];
  }
  out[0] = low + high + bits + any;
#pragma acc kernels loop reduction(+:low) reduction(+:out[0:4])
  for (int i = 0; i < n; i++) {
    low += a[i];
    out[i % 4] += a[i] / 2;
  }
  return every + product + x + low;
}
