typedef unsigned int word;
void histogram(int n, const word *v, int *h, float *sum)
{
  int old;
#pragma acc parallel loop copy(h[0:16], sum[0:1])
  for (int i = 0; i < n; i++) {
#pragma acc atomic update
    h[v[i] & 15]++;
#pragma acc atomic
    *sum += 0.5f;
#pragma acc atomic capture
    { old = h[0]; h[0] = old + 1; }
#pragma acc atomic read
    old = h[v[i] % 16];
#pragma acc atomic write
    h[3] = 7;
  }
}
