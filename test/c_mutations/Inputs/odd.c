#define N 10
typedef long long wide;
static wide v[N + 2] = {[3] = 1, 2};
inline __attribute__((always_inline)) int one(void) { return 1; }
int odd(int argc, char **argv)
{
  register int i;
  wide s = 0, t;
  __extension__ unsigned long long big = 0xffffffffffffffffULL;
  goto start;
start:
#pragma acc kernels
  for (i = 0; i < N; i++) {
    t = v[i] << (i & 31);
    v[i] = (t, s = t * 2, (wide)(big / (i + 1)));
    s += ({ int q = i; q; });
  }
#pragma acc parallel loop private(i)
  for (unsigned char c = 0; c < 200; c += 7)
    v[c % 12] = c ? -1.5e3 : 1e300;
#pragma acc serial
  ;
#pragma acc kernels
  {
    int a[N];
    for (i = 0; i < N; i++) a[i] = i;
    for (i = 0; i < N; i++) v[i] = a[N - 1 - i];
    if (argc > 2) { v[0] = one(); } else v[1] = v[0];
  }
  return (int)s + i;
}
