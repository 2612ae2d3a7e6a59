// A region that loses on a GPU whatever its sizes are: the figures are for a thousand.
//
// RUN: terrace explain %s | FileCheck %s

void chain(int n, double *a)
{
  // CHECK: a region begins here (kernels), with 1 kernel
  // CHECK-NEXT: stays on the host where its data is not on the device already: estimated {{.*}} s against {{.*}} s with sizes of 1000; TERRACE_TARGET=gpu runs it there
#pragma acc kernels copy(a[0:n*n])
  for (int t = 0; t < n; t++)
    for (int i = 1; i < n * n; i++)
      a[i] = a[i - 1] * a[i - 1] + a[i];
}
