// RUN: terrace explain --auto %s | FileCheck %s
// RUN: terrace cc --auto %s -o %t && env TERRACE_TARGET=emulator %t | FileCheck %s --check-prefix=VALUES
// RUN: env TERRACE_TARGET=cpu %t | FileCheck %s --check-prefix=VALUES
#include <stdio.h>

int count[2];

// Elements that a nest only adds to are sums; what is copied covers both.
// CHECK: sums-in-memory.c:{{[0-9]+}}: sums
// CHECK: - r (r[0:2], 8 bytes) is copied to the device unless it is there, and back where the program needs it
// CHECK: - the loop over i is parallel
// CHECK: - r[0] is the sum of all iterations
// CHECK: - r[1] is the maximum of all iterations
void sums(int n, int m, const int a[restrict n][m], int *restrict r)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      r[0] += a[i][j];
      r[1] = r[1] > a[i][j] ? r[1] : a[i][j];
    }
}

// A variable of the program is no different.
// CHECK: sums-in-memory.c:{{[0-9]+}}: products
// CHECK: - the loop over i is parallel
// CHECK: - count[1] is the sum of all iterations
void products(int n, const int *restrict a)
{
  for (int i = 0; i < n; i++)
    count[1] += a[i] * a[i];
}

int a[60][70];

int main(void)
{
  int r[2] = {1, 2};
  for (int i = 0; i < 60; i++)
    for (int j = 0; j < 70; j++)
      a[i][j] = (i * 7 + j * 13) % 19 - 5;
  sums(60, 70, a, r);
  sums(0, 70, a, r);
  sums(60, 0, a, r);
  products(60, a[3]);
  // VALUES: 16801 13 2747
  printf("%d %d %d\n", r[0], r[1], count[1]);
  return 0;
}
