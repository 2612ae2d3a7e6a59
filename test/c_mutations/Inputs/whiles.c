int roots(int n, int *a, unsigned char *b)
{
  int i, j, steps = 0;
#pragma acc serial copy(a[0:n]) copyout(steps)
  {
    i = 0;
    while (i < n) {
      int x = a[i];
      do {
        x = x & 1 ? 3 * x + 1 : x / 2;
        if (x < 0) break;
      } while (x > 1);
      for (j = 0; j < 3; j++) {
        if (b[j] == 'x') continue;
        b[j] ^= (unsigned char)x;
      }
      i += 1;
    }
    for (i = n; i--; ) steps += a[i];
  }
#pragma acc kernels
  for (i = 0; i < n; i++) {
    switch (a[i] % 4) {
    case 0: a[i] = 1; break;
    case 1: a[i]++;
    default: a[i] <<= 2;
    }
    for (j = i; j * j < 100; j += i + 1) a[i] = -a[i];
  }
  return steps;
}
