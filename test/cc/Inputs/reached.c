// Subscripts that are not affine: which part of an array they reach.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <string.h>
#include <unistd.h>

// An array that ends where its page does, so that what is read beside it ends the program.
static double *tight(int n) {
  long page = sysconf(_SC_PAGESIZE), bytes = n * (long)sizeof(double);
  long whole = (bytes + page - 1) / page * page;
  char *p = mmap(0, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(p + page, whole, PROT_READ | PROT_WRITE);
  return (double *)(p + page + whole - bytes);
}

static void show(const char *name, int n, const double *a) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s = s * 0.75 + a[i];
  printf("%s %d %.17g\n", name, n, s);
}

static void fill(int n, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = i * 7 % 23 - 5;
}

static void periodic(int n, double *a, const double *b) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = b[(i + 1) % n] + 2 * b[(i + n - 1) % n];
#pragma endscop
}

static void clamped(int n, int r, double *a, const double *b) {
#pragma scop
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int d = -r; d <= r; d++) {
      int x = i + d;
      if (x < 0)
        x = 0;
      if (x >= n)
        x = n - 1;
      s += b[x];
    }
    a[i] = s;
  }
#pragma endscop
}

static void chosen(int n, int k, double *a, const double *b) {
#pragma scop
  for (int i = 0; i < n; i++) {
    int x = i > k ? i - k : i;
    int y = k > i ? i : k;
    a[i] = b[x] + 3 * b[y];
  }
#pragma endscop
}

static void mirrored(int n, double *a, const double *b) {
#pragma scop
  for (int i = 0; i < n; i++) {
    int l = i == 0 ? n - 1 : i - 1, r = i == n - 1 ? 0 : i + 1;
    a[i] = b[l] - b[r];
  }
#pragma endscop
}

static void masked(int lg, double *a, const double *b) {
  int n = 1 << lg;
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = b[(i + 3) & (n - 1)];
#pragma endscop
}

static void divided(int n, int q, double *a, const double *b) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = b[i / q] - b[(n - 1) / (i + 1)];
#pragma endscop
}

static void negative(int n, int m, double *a, const double *b) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] = b[(i - n / 2) % m + m - 1];
#pragma endscop
}

int main(void) {
  for (int n = 1; n < 40; n += n < 9 ? 1 : 7) {
    double *a = tight(n), *b = tight(n);
    fill(n, b);
    periodic(n, a, b);
    show("periodic", n, a);
    for (int r = 0; r < 12; r += 5) {
      clamped(n, r, a, b);
      show("clamped", n, a);
    }
    for (int k = 0; k < n; k += 3) {
      chosen(n, k, a, b);
      show("chosen", n, a);
    }
    mirrored(n, a, b);
    show("mirrored", n, a);
    for (int q = 1; q < 9; q += 3) {
      divided(n, q, a, b);
      show("divided", n, a);
    }
    for (int m = 1; m <= (n + 1) / 2; m += 2) {
      negative(n, m, a, b + (n - 2 * m + 1));
      show("negative", n, a);
    }
  }
  for (int lg = 0; lg < 7; lg++) {
    double *a = tight(1 << lg), *b = tight(1 << lg);
    fill(1 << lg, b);
    masked(lg, a, b);
    show("masked", 1 << lg, a);
  }
  return 0;
}
