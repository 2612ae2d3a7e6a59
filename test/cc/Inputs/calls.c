#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long resident(void) {
  long all = 0, now = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &all, &now) != 2) exit(3);
  fclose(f);
  return now * 4;
}
static double scale(double *x, int n) {
  double s = 0;
#pragma acc parallel loop copy(x[0:n]) reduction(+:s)
  for (int i = 0; i < n; i++) { x[i] += 1; s += x[i]; }
  return s;
}
struct part { double *p; int n; };
static void members(struct part *q) {
#pragma acc data copyin(q[0:1]) copy(q->p[0:q->n])
  {
#pragma acc parallel loop present(q)
    for (int i = 0; i < q->n; i++) q->p[i] *= 0.5;
#pragma acc update self(q->p[0:1])
  }
}
static void later(double *x, int n) {
#pragma acc enter data copyin(x[0:n]) async(1)
#pragma acc parallel loop present(x[0:n]) async(1)
  for (int i = 0; i < n; i++) x[i] -= 1;
#pragma acc exit data copyout(x[0:n]) async(1)
#pragma acc wait(1)
}
int main(int argc, char **argv) {
  int many = argc > 1 ? atoi(argv[1]) : 1000;
  double x[16] = {0}, s = 0;
  long before = 0;
  for (int i = 0; i < many; i++) {
    if (i == many / 4) before = resident();
    double *y = malloc((8 + i % 8) * sizeof *y);
    for (int j = 0; j < 8 + i % 8; j++) y[j] = j;
    struct part q = {y, 8 + i % 8};
    s += scale(x, 16) ; members(&q); later(y, q.n);
    s += y[3];
    free(y);
  }
  fprintf(stderr, "%ld KiB more\n", resident() - before);
  printf("%g\n", s);
  return 0;
}
