//! Pointers as values in regions: null or not, compared, subtracted, chosen, returned, and as
//! the counters of loops. That nothing is said of a program means that its loops are what
//! their directives say.

use super::folder::alike;

/// Null pointers, pointers that functions return or that may be null, and comparisons.
const VALUES: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <stdbool.h>
static int *first(int *a, int n, int what) {
  for (int i = 0; i < n; i++)
    if (a[i] == what) return a + i;
  return NULL;
}
static int *largest(int *a, int n) {
  int *best = NULL;
  for (int i = 0; i < n; i++)
    if (!best || a[i] > *best) best = &a[i];
  return best;
}
static int length(const char *s) { const char *p = s; while (*p) p++; return p - s; }
int main(void) {
  int a[10], b[10], n = 10, *none = NULL;
  int *some = malloc(10 * sizeof *some);
#pragma acc parallel loop copyout(a)
  for (int *q = a; q < a + 10; q++) *q = 3;
  printf("%d 3\n", a[9]);
#pragma acc parallel copyout(a)
  { int *r = a; r[2] = 5; if (r) r[1] = 2; for (int i = 3; i < 10; i++) r[i] = i; r[0] = !r; }
  for (int i = 0; i < 10; i++) printf("%d ", a[i]);
  printf("\n");
  int *p;
#pragma acc parallel loop copy(a)
  for (p = a + 9; p != a; p--) *p += p - a;
  for (int i = 0; i < 10; i++) printf("%d ", a[i]);
  printf("\n");
  int found[5];
#pragma acc serial copyin(a) copyout(found)
  {
    int *f = first(a, n, 12), *g = first(a, n, 1000);
    found[0] = f ? f - a : -1;
    found[1] = g ? g - a : -1;
    found[2] = largest(a, n) - a;
    found[3] = f == g;
    found[4] = f != NULL && *f == 12 && g == 0;
  }
  printf("%d %d %d %d %d\n", found[0], found[1], found[2], found[3], found[4]);
  int what = -1;
#pragma acc serial copyout(what) copyin(none[0:0])
  { what = none ? 1 : 2; if (some) what += 10; if (none == NULL || *none) what += 100; }
  printf("%d 112\n", what);
#pragma acc parallel loop copyout(some[0:n])
  for (int *q = some; q <= &some[n - 1]; q += 2) { q[0] = q - some; q[1] = -1; }
  for (int i = 0; i < 10; i++) printf("%d ", some[i]);
  printf("\n");
  char text[20] = "hello, world"; int len = 0, odd = 0, rest = 0;
#pragma acc serial copyin(text) copy(len, odd, rest)
  {
    len = length(text);
    const char *t = text; const char *e = t + len;
    while (t < e) { if (*t++ & 1) odd++; }
    for (const char *u = text; *u; ++u) rest += *u == 'o';
  }
  printf("%d %d %d\n", len, odd, rest);
#pragma acc parallel loop copyin(a) copyout(b)
  for (int i = 0; i < 10; i++) { int *c = i % 2 ? a + i : &a[0]; b[i] = *c + (c == a) * 1000; }
  for (int i = 0; i < 10; i++) printf("%d ", b[i]);
  printf("\n");
  int m[4][5];
#pragma acc parallel loop copyout(m)
  for (int (*row)[5] = m; row < m + 4; row++) for (int *c = *row; c < *row + 5; c++) *c = (int)(row - m) * 10 + (int)(c - *row);
  printf("%d %d %d\n", m[3][4], m[0][0], m[2][1]);
#pragma acc serial copy(m, what)
  { bool t = &m[1][0] == &m[0][0] + 5; what = t + 2 * (&m[3][1] - &m[1][2]) + 1000 * (a == b) + 10000 * (&m[1][1] > &m[0][4]); int *w = m[0]; int k = 0; while (w < m[0] + 20) *w++ = k++; }
  printf("%d %d\n", what, m[3][4]);
  return 0; }
"#;

/// Pointers that count, alone and beside another counter.
const COUNTERS: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int n = 20, a[20], b[20];
  float x[30], *y = malloc(30 * 4);
  int *p, *q;
#pragma acc parallel loop copyout(a)
  for (int i = 0, *r = a; i < n; i++, r++) *r = i;
  for (int i = 0; i < 20; i++) printf("%d ", a[i]);
  printf("\n");
  int k = 5;
#pragma acc kernels copyout(b) copyin(a)
  { p = a; q = b + 19; int i;
    for (i = 0; i < n; i++, p++, q--, k += 3) *q = *p + k; }
  for (int i = 0; i < 20; i++) printf("%d ", b[i]);
  printf("%d\n", k);
  k = 7;
#pragma acc serial copyout(b) copyin(a) copy(k)
  { int *r = a + 19, i, *s = b; for (i = n; i > 0; --i, r--, s++, k -= 2) *s = *r * 2 + k; b[0] = r - a; b[1] = s - b; b[2] = i; b[3] = k; }
  for (int i = 0; i < 20; i++) printf("%d ", b[i]);
  printf("%d\n", k);
#pragma acc parallel loop copyout(y[0:30]) 
  for (float *f = y; f <= &y[29]; f++) *f = f - y;
#pragma acc parallel loop copyout(x) copyin(y[0:30])
  for (float *f = &x[29]; f >= x; f -= 1) *f = y[f - x] * 2;
  for (int i = 0; i < 30; i++) printf("%g ", x[i]);
  printf("\n");
  double s = 0;
#pragma acc parallel loop reduction(+:s) copyin(x)
  for (float *f = x; f != x + 30; f = f + 1) s += *f;
  printf("%g\n", s);
#pragma scop
  for (float *f = x; f < x + 30; ++f) *f = 1;
#pragma endscop
  for (int i = 0; i < 30; i++) printf("%g ", x[i]);
  int hits = 0;
  const char *msg = "abcabcabc"; char text[32]; int w = 0; for (; msg[w]; w++) text[w] = msg[w]; text[w] = 0;
#pragma acc serial copyin(text) copy(hits)
  { for (char *c = text; *c; c++) { if (*c == 'b') hits++; if (c == text + 6) break; } }
  printf("%d\n", hits);
  struct P { double x, y; } ps[8];
#pragma acc parallel loop copyout(ps)
  for (struct P *z = ps; z < ps + 8; z++) { z->x = z - ps; z->y = -z->x; }
  printf("%g %g\n", ps[7].x, ps[3].y);
  double *rows[3]; for (int i = 0; i < 3; i++) rows[i] = i == 1 ? NULL : calloc(4, 8);
  int c2 = 0;
#pragma acc serial copy(c2) copyin(rows)
  { for (int i = 0; i < 3; i++) if (!rows[i]) c2 += i; else c2 += 100; }
  printf("%d\n", c2);
  int *nl = NULL, cnt = 0;
#pragma acc serial copy(cnt) copyin(a)
  { int *last = NULL; for (int i = 0; i < n; i++) { if (a[i] % 7 == 0) last = &a[i]; if (last) cnt += *last; } if (nl) cnt = -1; if (last == &a[14]) cnt += 10000; }
  printf("%d\n", cnt);
  return 0;
}
"#;

#[test]
fn pointers_are_null_compared_and_chosen() {
    assert_eq!(alike(VALUES), "");
}

#[test]
fn pointers_count() {
    assert_eq!(alike(COUNTERS), "");
}

/// Pointers into rows, behind records, that are swapped between regions, and null with nothing
/// behind them.
const MORE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { double *data; int n; } vec;
static double *at(vec *v, int i) { return i < v->n ? &v->data[i] : NULL; }
static double get(vec *v, int i) { double *p = at(v, i); return p ? *p : -1; }
static char *find(char *s, char c) { while (*s != c) { if (!*s) return 0; s++; } return s; }
int main(void) {
  vec v = {malloc(10 * 8), 10};
  for (int i = 0; i < 10; i++) v.data[i] = i * i;
  double r[12];
#pragma acc parallel loop copyin(v, v.data[0:10]) copyout(r)
  for (int i = 0; i < 12; i++) r[i] = get(&v, i);
  for (int i = 0; i < 12; i++) printf("%g ", r[i]);
  char text[4][16] = {"hello", "world", "foo", "bar"}; int where[4];
#pragma acc parallel loop copyin(text) copyout(where)
  for (int i = 0; i < 4; i++) { char *p = find(text[i], 'o'); where[i] = p ? (int)(p - text[i]) : -1; }
  for (int i = 0; i < 4; i++) printf("%d ", where[i]);
  double x[100], y[100], *src = x, *dst = y; int n = 100;
  for (int i = 0; i < n; i++) x[i] = y[i] = i;
#pragma acc data copy(x, y)
  for (int t = 0; t < 4; t++) {
#pragma acc parallel loop present(src[0:n], dst[0:n])
    for (int i = 1; i < n - 1; i++) dst[i] = (src[i - 1] + src[i + 1]) / 2 + 1;
    double *tmp = src; src = dst; dst = tmp;
  }
  printf("%g %g\n", x[50], y[7]);
  long total = 0; int lens[3] = {3, 0, 5}; int data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma acc serial copyin(lens, data) copy(total)
  { int *p = data; for (int k = 0; k < 3; k++) { int *e = p + lens[k]; long s = 0; do { if (p == e) break; s += *p++; } while (p != e); total = total * 100 + s; } }
  printf("%ld\n", total);
#pragma acc parallel loop copyout(data)
  for (int i = 0; i < 8; i++) { int *p = data; p += i; *p = i; int *q = &*p; (*q)++; if (q == p && q - data == i) *q += 10; }
  for (int i = 0; i < 8; i++) printf("%d ", data[i]);
  int *w = NULL; int ok = 0;
#pragma acc parallel loop reduction(+:ok)
  for (int i = 0; i < 8; i++) if (w == NULL || w[i] > 0) ok++;
  printf("%d\n", ok);
  float *fp = NULL, sum = 0; n = 0;
#pragma acc parallel loop copyin(fp[0:n]) reduction(+:sum)
  for (float *p = fp; p < fp + n; p++) sum += *p;
  printf("%g\n", sum);
  return 0; }
"#;

#[test]
fn pointers_into_rows_and_behind_records() {
    assert_eq!(alike(MORE), "");
}
