/* Definitions with parameters declared behind the brackets, as C89 has them. */
#include <stdio.h>

double scale();

static int twice(n)
  int n;
{
  return 2 * n;
}

/* A float and a char arrive as double and int. */
static double mixed(c, f, x, n)
  char c;
  float f;
  double x[];
  int n;
{
  return x[n] + f * c;
}

double scale(a, n, f)
  double *a;
  register int n;
  float f;
{
  int i;
  double s = 0;
#pragma acc parallel loop copy(a[0:n]) reduction(+ : s)
  for (i = 0; i < n; i++) {
    a[i] = mixed('a', f, a, i) + twice(i);
    s += a[i];
  }
  return s;
}

static void fill(m, a, n)
  int n, m;
  double a[10][10];
{
  int i, j;
#pragma scop
  for (i = 0; i < n; i++)
    for (j = 0; j < m; j++)
      a[i][j] = i + 0.5 * j;
#pragma endscop
}

int main(argc, argv)
  int argc;
  char **argv;
{
  double a[10], b[10][10];
  int i;
  for (i = 0; i < 10; i++) a[i] = i;
  fill(9, b, 10);
  printf("%g %g\n", scale(a, 10, 0.5f), b[7][8]);
  return argc > 1 && argv[1][0] == 0;
}
