/* Sorting by bubbles, by insertion and by selection, and groups of four by a network. */
#include "bench.h"
#include <string.h>

#define N 6000

static void bubble(int *a, int n) {
  for (int i = 0; i < n - 1; i++) {
    int swapped = 0;
    for (int j = 0; j < n - 1 - i; j++) {
      if (a[j] > a[j + 1]) {
        int t = a[j];
        a[j] = a[j + 1];
        a[j + 1] = t;
        swapped = 1;
      }
    }
    if (!swapped) break;
  }
}

static void insertion(double *a, int n) {
  for (int i = 1; i < n; i++) {
    double v = a[i];
    int j = i - 1;
    while (j >= 0 && a[j] > v) {
      a[j + 1] = a[j];
      j--;
    }
    a[j + 1] = v;
  }
}

static void selection(unsigned *a, int n) {
  for (int i = 0; i < n - 1; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (a[j] < a[least]) least = j;
    unsigned t = a[i];
    a[i] = a[least];
    a[least] = t;
  }
}

#define ORDER(p, q)      \
  do {                   \
    if (p > q) {         \
      float t = p;       \
      p = q;             \
      q = t;             \
    }                    \
  } while (0)

static void fours(float *v, int n) {
  for (int i = 0; i + 3 < n; i += 4) {
    float a = v[i], b = v[i + 1], c = v[i + 2], d = v[i + 3];
    ORDER(a, b);
    ORDER(c, d);
    ORDER(a, c);
    ORDER(b, d);
    ORDER(b, c);
    v[i] = a, v[i + 1] = b, v[i + 2] = c, v[i + 3] = d;
  }
}

int main(void) {
  static int a[N];
  static double b[N];
  static unsigned c[N];
  static float d[N], fresh[N];
  for (int i = 0; i < N; i++) {
    a[i] = (int)(bench_random(1, i) * 1000000) - 500000;
    b[i] = bench_random(2, i);
    c[i] = (unsigned)(bench_random(3, i) * 4000000000.0);
    fresh[i] = (float)bench_random(4, i);
  }

  double sum = 0;
  bench_start();
  bubble(a, N);
  insertion(b, N);
  selection(c, N);
  for (int r = 0; r < 4000; r++) {
    memcpy(d, fresh, sizeof d);
    fours(d, N);
    sum += d[r];
    fresh[r] = d[N - 1 - r];
  }
  bench_stop();

  for (int i = 0; i < N; i++) sum += a[i] * (1 + i % 13) + b[i] * (1 + i % 7) + c[i] / (1 + i % 5) + d[i];
  printf("check sorted %.17g %d %u\n", sum, a[0], c[N - 1]);
  return 0;
}
