// Comparisons with the greatest element so far that decide about more than it.
#include <stdio.h>

#define N 3000

static double x[N];
static int y[N], z[N];

static int records(int n) {
  int s = 0;
  double m = -50;
#pragma scop
  for (int i = 0; i < n; i++)
    if (x[i] > m) {
      m = x[i];
      s += 1;
    }
#pragma endscop
  return s * 1000 + (int)m;
}

static int marked(int n) {
  int m = -50;
#pragma scop
  for (int i = 0; i < n; i++)
    if (y[i] > m) {
      m = y[i];
      z[i] = 1;
    }
#pragma endscop
  return m;
}

static int either(int n) {
  int lo = y[0], hi = y[0];
#pragma scop
  for (int i = 1; i < n; i++)
    if (y[i] < lo)
      lo = y[i];
    else if (y[i] > hi)
      hi = y[i];
#pragma endscop
  return hi * 1000 + lo;
}

static int below(int n) {
  int rows = 0;
  double m = -50;
#pragma scop
  for (int i = 5; i < n; i++)
    for (int j = 5; j < i + 1; j++) {
      if (x[i + 104] > m) {
        m = x[i + 104];
        rows = i;
      }
      z[j + 97] += y[j + 104];
    }
#pragma endscop
  return rows * 1000 + (int)m;
}

static double plain(int n) {
  double m = x[0];
#pragma scop
  for (int i = 1; i < n; i++)
    if (x[i] > m)
      m = x[i];
#pragma endscop
  return m;
}

int main(void) {
  static const int sizes[] = {1, 2, 7, 100, 1025, N};
  for (int q = 0; q < 6; q++) {
    int n = sizes[q], sum = 0;
    for (int i = 0; i < N; i++) {
      x[i] = i * 37 % 1009 - 9;
      y[i] = i * 53 % 997 - 300;
      z[i] = 0;
    }
    printf("%d: %d %d %d %d %g", n, records(n), marked(n), either(n), below(n < 60 ? n : 60), plain(n));
    for (int i = 0; i < N; i++)
      sum = sum * 3 % 1000003 + z[i] % 1000;
    printf(" %d\n", sum);
  }
  return 0;
}
