#include <stdio.h>

#define N 4000
static int next[N + 1], item[6 * N], length[N];
static double x[N];

int main(void) {
  int m = 0;
  for (int i = 0; i < N; i++) {
    next[i] = m;
    for (int k = 0; k < i % 5; k++) item[m++] = (i * 7 + k * k * 31) % N;
    length[i] = i * 37 % 101;
    x[i] = (i * 73 % 997) / 8.0 - 60;
  }
  next[N] = m;

  long pairs = 0;
  int odd = 0;
#pragma acc parallel loop reduction(+ : pairs) reduction(^ : odd) copyin(next, item)
  for (int u = 0; u < N; u++) {
    for (int e = next[u]; e < next[u + 1]; e++) {
      int v = item[e];
      if (v <= u) continue;
      int p = next[u], q = next[v];
      while (p < next[u + 1] && q < next[v + 1]) {
        if (item[p] < item[q]) p++;
        else if (item[p] > item[q]) q++;
        else {
          pairs++;
          odd ^= item[p];
          p++, q++;
        }
      }
    }
  }

  int first = N, last = -1, best = 100;
#pragma acc parallel loop reduction(min : first) reduction(max : last) copyin(length)
  for (int i = 0; i < N; i++)
    if (length[i] == best) {
      if (i < first) first = i;
      if (i > last) last = i;
    }

  double low = 1e9, product = 1;
#pragma acc parallel loop collapse(2) reduction(min : low) reduction(* : product) copyin(x)
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 100; j++) {
      double v = x[i * 100 + j];
      int steps = 0;
      while (v > 1) v /= 3, steps++;
      if (steps > 2 && v < low) low = v;
      if (steps == 4 && j % 50 == 7) product *= 2;
    }
  printf("%ld %d %d %d %.17g %g\n", pairs, odd, first, last, low, product);
  return 0;
}
