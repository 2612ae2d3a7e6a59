/* Arrays whose rows lie where pointers say: apart and in order, in any order, twice in one array, in
   two arrays, over the table itself, of different length; and pointers that are not to be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 12
#define M 400

struct line { int n; double *v; };

static double room[3 * N][M + 3];
static unsigned char bytes[4 * M];

static void add(double **a, double **b, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = a[i][j] * 0.5 + b[i][j];
}

static void smooth(double **a, double **b, int n, int m) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++) a[i][j] = b[i - 1][j] + b[i + 1][j] - b[i][j - 1] - b[i][j + 1];
}

/* Row 0 has nothing above it; no pointer is read there. */
static void above(double **a, double **b, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = (i > 0 ? b[i - 1][j] : 1) + (i < n - 1 ? b[i + 1][j] : 2);
}

static void column(double **a, const double *x, int n, int k) {
  for (int i = 0; i < n; i++) a[i][k] += x[i];
}

static void lines(struct line *l, int n, int m) {
  for (int i = 0; i < n; i++) {
    l[i].n = m - i;
    for (int j = 0; j < m; j++) l[i].v[j] = l[i].v[j] * 2 + i;
  }
}

static void triangle(double **a, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) a[i][j] += i - j;
}

/* What is written may be the pointers. */
static void chars(unsigned char **a, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = (unsigned char)(a[i][j] + j);
}

static double sums(double **a, int n, int m) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s += a[i][j] * (i + 1);
  return s;
}

static double all(void) {
  double s = 0;
  for (int i = 0; i < 3 * N; i++)
    for (int j = 0; j < M + 3; j++) s = s * 0.999 + room[i][j] * (j % 7);
  return s;
}

static void fresh(void) {
  for (int i = 0; i < 3 * N; i++)
    for (int j = 0; j < M + 3; j++) room[i][j] = (i * 37 + j * 11) % 101;
}

int main(void) {
  double *a[N], *b[N], x[N];
  struct line l[N];
  /* The ways that rows lie, for each: where row i of both arrays is. */
  for (int way = 0; way < 6; way++) {
    fresh();
    for (int i = 0; i < N; i++) {
      int p = way == 1 ? (i * 5) % N : way == 5 ? N - 1 - i : i;
      a[i] = room[p];
      b[i] = room[N + (way == 2 ? 0 : p)];
      x[i] = i * 0.5;
    }
    if (way == 3) a[7] = a[2];
    if (way == 4) b[3] = a[4] + 1, b[9] = &room[0][M - 5];
    add(a, b, N, M);
    printf("add %d %.17g\n", way, all());
    smooth(a, b, N, M);
    smooth(b, a, N, M);
    printf("smooth %d %.17g\n", way, all());
    above(b, a, N, M);
    above(a, b, N, 0);
    above(a, b, 0, M);
    printf("above %d %.17g\n", way, all());
    column(a, x, N, 3);
    column(a, room[way], N, 4);
    column(a, a[way], N, 5);
    printf("column %d %.17g\n", way, all());
    triangle(a, N);
    printf("sums %d %.17g %.17g\n", way, sums(a, N, M), all());
    for (int i = 0; i < N; i++) l[i].n = 0, l[i].v = a[(i + way) % N];
    lines(l, N, M);
    printf("lines %d %d %.17g\n", way, l[3].n, all());
    add(a, a, N, M);
    printf("itself %d %.17g\n", way, all());
  }
  /* Rows of their own length, one behind the other. */
  double *t[N];
  fresh();
  for (int i = 0, at = 0; i < N; at += ++i) t[i] = room[0] + at;
  triangle(t, N);
  printf("triangle %.17g\n", all());
  /* A row that is the table. */
  unsigned char *c[4];
  for (int k = 0; k < 2; k++) {
    memset(bytes, 3, sizeof bytes);
    for (int i = 0; i < 4; i++) c[i] = bytes + i * M;
    if (k) {
      unsigned char **in = (unsigned char **)bytes;
      in[0] = bytes + M, in[1] = bytes + 2 * M;
      in[2] = bytes, in[3] = bytes + 3 * M;
      /* The pointers are written, but for those that are still needed, by adding 0. */
      chars(in, 3, 1);
    } else {
      chars(c, 4, M);
    }
    unsigned long s = 0;
    for (int i = 64; i < 4 * M; i++) s = s * 31 + bytes[i];
    printf("chars %d %lu\n", k, s);
  }
  return 0;
}
