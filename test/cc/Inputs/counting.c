// Loops that count in other ways than `for (i = 0; i < n; i++)`, with what their counters are behind them.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define N 64

static int ints[N], other[N];
static double reals[N], doubles[N];

static void reset(void) {
  for (int i = 0; i < N; i++) {
    ints[i] = i * 7 % 13;
    other[i] = 0;
    reals[i] = i * 0.5;
    doubles[i] = -1;
  }
}

static void show(const char *name, long long last) {
  unsigned long long sum = 0;
  for (int i = 0; i < N; i++)
    sum = sum * 31 + (unsigned)ints[i] * 3 + (unsigned)other[i] + (unsigned)(int)(reals[i] * 4) * 5 +
          (unsigned)(int)doubles[i] * 7;
  printf("%s %lld %llx\n", name, last, sum);
  reset();
}

int while_up(int n, double *a, const double *b) { int i = 0; while (i < n) { a[i] = b[i] + 1; i++; } return i; }
int while_two(int n, double *a, const double *b) { int i = 0, j = n - 1; while (i < n) { a[i] = b[j]; i++; j--; } return i * 100 + j; }
int do_up(int n, double *a, const double *b) { int i = 0; do { a[i] = b[i] + 1; i++; } while (i < n); return i; }
int do_head(int n, int *a) { int i = 0; do a[i] = 5; while (++i < n); return i; }
int do_old(int n, int *a) { int i = 0; do { a[i] = 5; } while (i++ < n); return i; }
int do_down(int n, int *a) { int i = n; do { i--; a[i] = 3; } while (i > 0); return i; }
int do_down_end(int n, int *a) { int i = n; do { a[i] = 3; i -= 2; } while (i > 1); return i; }
int back(int n, int *a) { int i; for (i = n; i-- > 0;) a[i] *= 2; return i; }
size_t back_size(size_t n, int *a) { size_t i; for (i = n; i-- > 0;) a[i] *= 2; return i; }
unsigned back_unsigned(unsigned n, int *a) { unsigned i; for (i = n; i-- != 0;) a[i] *= 2; return i; }
size_t arrow(size_t n, int *a) { while (n --> 0) a[n] = 4; return n; }
size_t truth(size_t n, int *a) { while (n--) a[n] = 6; return n; }
unsigned truth_unsigned(unsigned n, int *a) { while (n--) a[n] = 6; return n; }
int before(int n, int *a) { while (--n >= 0) a[n] = 1; return n; }
int before_above(int n, int *a) { int i = n; while (--i > 2) a[i] = 1; return i; }
int forth(int n, int *a) { int i = -1; while (i++ < n - 1) a[i] = 8; return i; }
int forth_new(int n, int *a) { int i = -1; while (++i < n) a[i] = 8; return i; }
int reverse(int n, double *a) { int i, j; for (i = 0, j = n - 1; i < j; i++, j--) { double t = a[i]; a[i] = a[j]; a[j] = t; } return i * 100 + j; }
int reverse_while(int lo, int hi, double *a) { while (lo < hi) { double t = a[lo]; a[lo] = a[hi]; a[hi] = t; lo++; hi--; } return lo * 100 + hi; }
int reverse_le(int lo, int hi, int *a) { for (; lo <= hi; lo++, hi--) { a[lo] += 1; a[hi] += 2; } return lo * 100 + hi; }
size_t reverse_size(size_t n, int *a) { size_t i = 0, j = n - 1; if (n == 0) return 0; for (; i < j; i++, j--) { int t = a[i]; a[i] = a[j]; a[j] = t; } return i * 100 + j; }
int meet_steps(int n, int *a, int *b) { int i = 0, j = n; for (; i < j; i += 2, j -= 3) { a[i] = i; b[j] = j; } return i * 100 + j; }
int chase(int n, int *a) { int i = 0, j = 5; for (; i < j && j < n; i += 3, j += 2) a[i] = j; return i * 100 + j; }
int by_four(int n, double *a, const double *b) { int i; for (i = 0; i + 3 < n; i += 4) { a[i] = b[i]; a[i + 1] = b[i + 1]; a[i + 2] = b[i + 2]; a[i + 3] = b[i + 3]; } for (; i < n; i++) a[i] = b[i] * 2; return i; }
size_t by_four_size(size_t n, double *a, const double *b) { size_t i = 0; for (; i + 4 <= n; i += 4) { a[i] = b[i]; a[i + 1] = b[i + 1]; a[i + 2] = b[i + 2]; a[i + 3] = b[i + 3]; } for (; i < n; i++) a[i] = b[i] * 2; return i; }
int scaled(int n, int *a) { int i; for (i = 0; 3 * i < n; i++) a[3 * i] = i; return i; }
int rest(int n, int *a) { int i; for (i = 0; n - i > 2; i++) a[i] = n - i; return i; }
int rest_down(int n, int *a) { int i; for (i = n - 1; i - 2 >= 0; i -= 2) a[i] = i; return i; }
int skips(int n, int *a) { int i = n; while (i-- > 0) { if (a[i] % 2) continue; a[i] = 100; } return i; }
long pointers(double *a, double *end) { double *p = a; while (p < end) { *p = 3; p++; } return p - a; }
long pointers_meet(double *a, int n) { double *p = a, *q = a + n; for (; p < q; p++, q--) { *p = 1; *(q - 1) = 2; } return (p - a) * 100 + (q - a); }
int uneven(int n, int *a) { int i = 0; while (i < n) { a[i] = 1; if (a[i] > 5) i++; i++; } return i; }
int inner(int n, int *a) { int i = 0, s = 0; while (i < n) { int j = 0; do { a[i * 4 + j] += i + j; j++; } while (j < 4); s += i; i++; } return s; }

int main(int argc, char **argv) {
  (void)argv;
  static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16};
  reset();
  for (int k = 0; k < 10; k++) {
    int n = sizes[k] + argc - 1;
    printf("n = %d\n", n);
    show("while_up", while_up(n, doubles, reals));
    show("while_two", while_two(n, doubles, reals));
    show("do_up", do_up(n, doubles, reals));
    show("do_head", do_head(n, ints));
    show("do_old", do_old(n, ints));
    show("do_down", do_down(n + 1, ints));
    show("do_down_end", do_down_end(n, ints));
    show("back", back(n, ints));
    show("back_size", (long long)back_size(n, ints));
    show("back_unsigned", back_unsigned(n, ints));
    show("arrow", (long long)arrow(n, ints));
    show("truth", (long long)truth(n, ints));
    show("truth_unsigned", truth_unsigned(n, ints));
    show("before", before(n, ints));
    show("before_above", before_above(n, ints));
    show("forth", forth(n, ints));
    show("forth_new", forth_new(n, ints));
    show("reverse", reverse(n, reals));
    show("reverse_while", reverse_while(1, n, reals));
    show("reverse_le", reverse_le(0, n, ints));
    show("reverse_size", (long long)reverse_size(n, ints));
    show("meet_steps", meet_steps(n, ints, other));
    show("chase", chase(n, ints));
    show("by_four", by_four(n, doubles, reals));
    show("by_four_size", (long long)by_four_size(n, doubles, reals));
    show("scaled", scaled(n, ints));
    show("rest", rest(n, ints));
    show("rest_down", rest_down(n, ints));
    show("skips", skips(n, ints));
    show("pointers", pointers(doubles, doubles + n));
    show("pointers_meet", pointers_meet(doubles, n));
    show("uneven", uneven(n, ints));
    show("inner", inner(n, ints));
  }
  return 0;
}
