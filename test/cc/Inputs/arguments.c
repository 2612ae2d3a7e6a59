/* Every kind of object that a region can take from the program around it. */
#include <stdio.h>
#include <stdlib.h>

#define N 100

struct body { double x, v[2]; int id; };
struct mesh { int n; double *a; double fixed[10]; struct { double h; } inner; };

static void step(struct body *b, struct mesh *m, struct mesh s, int n)
{
  int i;
#pragma acc parallel loop copy(b[0:n])
  for (i = 0; i < n; i++)
    b[i].x = b[i].x + b[i].v[1] * s.inner.h;
#pragma acc parallel loop
  for (i = 0; i < n; i++)
    b[i].v[0] = b[i].x;
#pragma acc parallel loop copy(m->a[0:m->n])
  for (i = 0; i < m->n; i++)
    m->a[i] = s.fixed[i % 10] + m->fixed[0];
}

static float dot(const float *x, float *y, int n, short k, unsigned char *f)
{
  int i;
  float s = 0;
  unsigned char flag = 0;
#pragma acc parallel loop copyin(x[0:n]) reduction(+:s) firstprivate(k) private(i)
  for (i = 0; i < n; i++) {
    y[i] = x[i] * (float)k;
    s += x[i] * y[i];
  }
#pragma acc kernels
  {
    for (i = 0; i < n; i++)
      y[i] = y[i] + 1;
    flag = 200;
  }
  *f = (unsigned char)(flag + i);
  return s;
}

static double sum(int n, int m, double p[N][N], double (*r)[N], double *s, double vla[n][m])
{
  double t[n][m], out = 0;
#pragma acc kernels create(t)
  {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        t[i][j] = vla[i][j] * 2;
        p[i][j] += r[j][i] + s[i * m + j] + t[i][j];
      }
  }
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      out += p[i][j] * vla[i][j];
#pragma endscop
  return out;
}

/* Two names of one memory, one element apart: the order of iterations shows. */
static void shift(double *to, double *from, int n)
{
#pragma scop
  for (int i = 0; i < n; i++)
    to[i] = from[i] + 1;
#pragma endscop
}

static long mixed(long long *w, unsigned *u, signed char *c, _Bool *b, int n)
{
  long last = -1;
  _Bool any = 0;
  signed char low = 100;
  const int one = 1;
#pragma acc kernels copy(w[0:n], u[0:n], c[0:n], b[0:n])
  {
    for (int i = 0; i < n; i++) {
      w[i] = -w[i] * one;
      u[i] = u[i] * 3u;
      c[i] = (signed char)(c[i] * 2);
      b[i] = !b[i];
      last = i - 5;
    }
    any = 1;
    low = -3;
  }
  return last * 1000 + any * 100 + low;
}

static double g[50];
static int steps;

static void globals(void)
{
#pragma acc kernels
  {
    for (int i = 0; i < 50; i++)
      g[i] = i * 0.25 + steps;
    steps = 12;
  }
}

int main(void)
{
  struct body b[5];
  struct mesh m = {7, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {0.5}};
  m.a = malloc(7 * sizeof(double));
  for (int i = 0; i < 5; i++) {
    b[i].x = i;
    b[i].v[0] = 7;
    b[i].v[1] = i * 2;
    b[i].id = i;
  }
  step(b, &m, m, 5);
  for (int i = 0; i < 5; i++)
    printf("%g %g %d ", b[i].x, b[i].v[0], b[i].id);
  for (int i = 0; i < 7; i++)
    printf("%g ", m.a[i]);
  printf("\n");

  float x[10], y[10];
  unsigned char f;
  for (int i = 0; i < 10; i++)
    x[i] = (float)i + 0.5f;
  printf("%g ", dot(x, y, 10, -3, &f));
  printf("%d ", f);
  for (int i = 0; i < 10; i++)
    printf("%g ", y[i]);
  printf("\n");

  static double p[N][N], r[N][N], s[2000];
  double (*v)[7] = malloc(sizeof(double) * 9 * 7);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      p[i][j] = i - j;
      r[i][j] = i * j % 7;
    }
  for (int i = 0; i < 2000; i++)
    s[i] = i % 13;
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 7; j++)
      v[i][j] = i + j;
  printf("%g", sum(9, 7, p, r, s, v));
  printf(" %g %g", p[8][6], p[3][9]);
  printf(" %g", sum(9, 7, p, p, &p[20][0], v));
  printf(" %g\n", p[5][4]);

  shift(s, s + 100, 50);
  shift(s + 201, s + 200, 50);
  printf("%g %g %g\n", s[3], s[201], s[250]);

  long long w[6];
  unsigned u[6];
  signed char c[6];
  _Bool t[6];
  for (int i = 0; i < 6; i++) {
    w[i] = i * 10000000000ll;
    u[i] = 4000000000u + (unsigned)i;
    c[i] = (signed char)(i * 20);
    t[i] = i % 2;
  }
  printf("%ld", mixed(w, u, c, t, 6));
  for (int i = 0; i < 6; i++)
    printf(" %lld %u %d %d", w[i], u[i], c[i], t[i]);
  printf("\n");

  steps = 3;
  globals();
  printf("%g %g %d\n", g[0], g[49], steps);
  free(m.a);
  free(v);
  return 0;
}
