/* Two kernels, whose result every target has to print alike. */
#include <stdio.h>
#define N 100000

static double a[N], b[N];

int main(void) {
  double sum = 0;
  for (int i = 0; i < N; i++) a[i] = i % 7;
#pragma acc data copy(a) create(b)
  {
#pragma acc parallel loop
    for (int i = 0; i < N; i++) b[i] = 2 * a[i] + 1;
#pragma acc parallel loop
    for (int i = 0; i < N; i++) a[i] = b[i] - a[i];
  }
  for (int i = 0; i < N; i++) sum += a[i];
  printf("%.0f\n", sum);
  return 0;
}
