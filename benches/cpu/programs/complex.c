/* Arithmetic on arrays of complex numbers as a structure, and the Mandelbrot set by a fixed number of steps. */
#include "bench.h"

#define N 4096
#define STEPS 20

typedef struct {
  double re, im;
} complex;

static complex mul(complex a, complex b) {
  complex r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return r;
}

static void multiply(const complex *a, const complex *b, complex *c, int n) {
  for (int i = 0; i < n; i++) c[i] = mul(a[i], b[i]);
}

static void divide(complex *a, const complex *b, int n) {
  for (int i = 0; i < n; i++) {
    double size = b[i].re * b[i].re + b[i].im * b[i].im;
    complex over = {b[i].re / size, -b[i].im / size};
    a[i] = mul(a[i], over);
  }
}

static complex inner(const complex *a, const complex *b, int n) {
  complex sum = {0, 0};
  for (int i = 0; i < n; i++) {
    sum.re += a[i].re * b[i].re + a[i].im * b[i].im;
    sum.im += a[i].im * b[i].re - a[i].re * b[i].im;
  }
  return sum;
}

/* How many of the points are still within the circle after the steps; the others are kept from growing on. */
static int mandelbrot(const complex *c, complex *z, int n) {
  int inside = 0;
  for (int i = 0; i < n; i++) {
    double x = 0, y = 0;
    for (int s = 0; s < STEPS; s++) {
      double x2 = x * x - y * y + c[i].re, y2 = 2 * x * y + c[i].im;
      int stays = x * x + y * y <= 4.0;
      x = stays ? x2 : x;
      y = stays ? y2 : y;
    }
    z[i].re = x;
    z[i].im = y;
    if (x * x + y * y <= 4.0) inside++;
  }
  return inside;
}

int main(void) {
  static complex a[N], b[N], c[N], z[N];
  for (int i = 0; i < N; i++) {
    a[i].re = bench_random(1, i) + 0.5, a[i].im = bench_random(2, i) - 0.5;
    b[i].re = bench_random(3, i) * 2.6 - 2, b[i].im = bench_random(4, i) * 2.4 - 1.2;
  }

  long inside = 0;
  complex total = {0, 0};
  bench_start();
  for (int r = 0; r < 1600; r++) {
    multiply(a, b, c, N);
    divide(c, a, N);
    complex s = inner(c, a, N);
    total.re += s.re, total.im += s.im;
    a[r].im += 0.25;
    if (r % 4 == 0) {
      inside += mandelbrot(b, z, N);
      for (int i = 0; i < N; i++) b[i].re *= 0.999;
    }
  }
  bench_stop();

  double sum = 0;
  for (int i = 0; i < N; i++) sum += c[i].re * (1 + i % 13) + c[i].im + z[i].re - z[i].im;
  printf("check complex %ld %.17g %.17g %.17g\n", inside, sum, total.re, total.im);
  return 0;
}
