/* Data directives: right on any target only if they do what they say. */
#include <stdio.h>
#include <stdlib.h>

#define N 64

static double table[N];
#pragma acc declare create(table)

struct grid { int n, m; double *cell; };

static double on_stack(int n)
{
  double t[N], s = 0;
#pragma acc declare create(t)
  int i;
#pragma acc parallel loop
  for (i = 0; i < N; i++)
    t[i] = i + n;
#pragma acc parallel loop reduction(+:s)
  for (i = 0; i < N; i++)
    s += t[i];
  if (n > 3)
    return s;
  return 2 * s;
}

static void twice(double *a, int n, int fast)
{
  if (fast > 5)
    return;
#pragma acc parallel loop present(a[0:n]) if(fast)
  for (int i = 0; i < n; i++)
    a[i] *= 2;
}

static void grids(struct grid *g)
{
#pragma acc parallel loop collapse(2) copy(g->cell[0:g->n*g->m])
  for (int i = 0; i < g->n; i++)
    for (int j = 0; j < g->m; j++)
      g->cell[i * g->m + j] += i - j;
}

int main(void)
{
  int n = 40, count = 0;
  double *a = malloc(sizeof(double) * n), *b = malloc(sizeof(double) * n), total = 0;
  static double plane[10][12];
  for (int i = 0; i < n; i++) {
    a[i] = i;
    b[i] = 0;
  }
  for (int i = 0; i < N; i++)
    table[i] = i * 0.5;
#pragma acc update device(table)

  /* Regions inside find the data that is there, with offsets. */
#pragma acc data copyin(a[4:n-4]) copy(b[0:n]) copy(total)
  {
    for (int k = 0; k < 3; k++) {
#pragma acc parallel loop
      for (int i = 4; i < n; i++)
        b[i] += a[i] + table[i];
    }
#pragma acc parallel loop reduction(+:total)
    for (int i = 0; i < n; i++)
      total += b[i];
#pragma acc update self(b[4:2])
    printf("%g %g\n", b[4], b[5]);
    b[5] = 1000;
#pragma acc update device(b[5:1])
#pragma acc parallel loop
    for (int i = 0; i < n; i++)
      b[i] += 1;
  }
  printf("%g %g %g\n", b[3], b[5], b[39]);
  printf("%g\n", total);

  /* Lifetimes without structure, queues, and columns. */
#pragma acc enter data copyin(a[0:n], plane) async(1)
#pragma acc wait(1)
  twice(a, n, 1);
#pragma acc parallel loop async(2) present(plane)
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 12; j++)
      plane[i][j] = i * 100 + j;
#pragma acc wait(2)
#pragma acc update self(plane[2:3][5:2])
  printf("%g %g\n", plane[3][5], plane[4][6]);
#pragma acc update self(plane) self(a[0:n])
  printf("%g %g %g\n", plane[3][4], plane[9][11], a[39]);
#pragma acc parallel loop copyin(a[0:10])
  for (int i = 0; i < 10; i++)
    b[i] = a[i];
#pragma acc exit data delete(plane) copyout(a[0:n]) finalize
  printf("%g %g\n", b[9], a[1]);

  /* What a condition turns off stays on the host. */
#pragma acc data copy(a[0:n]) if(count)
  {
#pragma acc parallel loop if(count == 0)
    for (int i = 0; i < n; i++)
      a[i] = -i;
#pragma acc kernels self(1)
    for (int i = 0; i < n; i++)
      count += i;
  }
  printf("%g %d\n", a[7], count);

  printf("%g %g\n", on_stack(3), on_stack(4));
  struct grid g = {4, 5, a};
  grids(&g);
  printf("%g %g\n", a[0], a[19]);
#pragma acc init
#pragma acc set device_num(0)
  free(a);
  free(b);
#pragma acc shutdown
  return 0;
}
