// A loop on the GPU whose iteration 500 stores far behind the array, for debuggers to
// name the line.
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int n = 1000;
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
  int *at = malloc(n * sizeof *at);
  for (int i = 0; i < n; i++) {
    a[i] = i;
    at[i] = i;
  }
  at[500] = 500000000;
#pragma acc parallel loop copyin(a[0:n], at[0:n]) copyout(b[0:n])
  for (int i = 0; i < n; i++)
    b[at[i]] = a[i] * 2;
  printf("%g\n", b[3]);
}
