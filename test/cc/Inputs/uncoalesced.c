// Loops over products of sizes that take their counters apart.
#include <stdio.h>
#include <stdlib.h>

static void turned(int n, int m, const double *a, double *b) { for (int t = 0; t < n * m; t++) { int i = t / m, j = t % m; b[j * n + i] = a[i * m + j]; } }
static void planes(int n, int m, int k, const double *a, double *b) { for (int t = 0; t < n * m * k; t++) { int x = t % k, y = (t / k) % m, z = t / (k * m); b[(x * m + y) * n + z] = a[t]; } }
static void rest(int n, int m, int k, const double *a, double *b) { for (int t = 0; t < n * m * k; t++) { int z = t / (m * k), r = t % (m * k), y = r / k, x = r % k; b[(z * k + x) * m + y] = a[t] + z; } }
static void edges(int n, int m, const double *a, double *b) { for (int t = 0; t < n * m; t++) { int i = t / m, j = t % m; if (i > 0 && i < n - 1 && j > 0 && j < m - 1) b[t] = a[t - m] + a[t + m] + a[t - 1] + a[t + 1]; else b[t] = a[t]; } }
static long sum(int n, int m, const int *c) { long s = 0; for (int t = 0; t < n * m; t++) s += c[(t % m) * n + t / m] * (t / m + 1L); return s; }
static void in_branch(int n, int m, double *b) { for (int t = 0; t < m * n; t++) if (b[t] > 1) b[t] += t / m - t % m; }
static void wide(long n, long m, double *b) { for (long t = 0; t < n * m; t++) b[(t % m) * n + t / m] *= 2; }
static void channels(int n, int m, const unsigned char *p, unsigned char *q) { for (int t = 0; t < n * m * 3; t++) { int c = t % 3, at = t / 3; q[c * n * m + at] = p[t]; } }

static unsigned long long check(int n, const double *b) { unsigned long long s = 0; for (int i = 0; i < n; i++) s = s * 31 + (unsigned long long)(long long)(b[i] * 4); return s; }

int main(void) {
  static const int sizes[][3] = {{1, 1, 1}, {3, 4, 5}, {7, 1, 2}, {1, 9, 3}, {0, 5, 2}, {5, 0, 2}, {8, 16, 4}, {13, 17, 3}, {-3, -4, 1}};
  for (int q = 0; q < 9; q++) {
    int n = sizes[q][0], m = sizes[q][1], k = sizes[q][2], all = abs(n * m * k) * 3 + 8;
    double *a = malloc(all * sizeof *a), *b = calloc(all, sizeof *b);
    int *c = malloc(all * sizeof *c);
    unsigned char *p = malloc(all), *r = calloc(all, 1);
    for (int i = 0; i < all; i++) { a[i] = i * 37 % 101; c[i] = i * 11 % 17; p[i] = (unsigned char)(i * 7); }
    printf("%d %d %d:", n, m, k);
    if (n >= 0 && m >= 0) {
      turned(n, m, a, b); printf(" %llx", check(all, b));
      planes(n, m, k, a, b); printf(" %llx", check(all, b));
      rest(n, m, k, a, b); printf(" %llx", check(all, b));
      edges(n, m, a, b); printf(" %llx", check(all, b));
      printf(" %ld", sum(n, m, c));
      wide(n, m, b); printf(" %llx", check(all, b));
      channels(n, m, p, r);
      unsigned s = 0; for (int i = 0; i < all; i++) s = s * 31 + r[i];
      printf(" %x", s);
    }
    in_branch(n, m, b); printf(" %llx\n", check(all, b));
    free(a); free(b); free(c); free(p); free(r);
  }
  return 0;
}
