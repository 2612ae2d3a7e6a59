// RUN: not terrace explain %s 2>&1 | FileCheck %s
// RUN: not terrace explain %s.none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not terrace explain none.i 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not terrace explain %s --format pdf 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not terrace explain %s --graph tree 2>&1 | FileCheck %s --check-prefix=KIND

// What is wrong is said, and what can be explained is.
// CHECK: for (int i = 0; i < n; i++)
// CHECK-NEXT: - a region begins here (parallel), with 1 kernel
void f(int n, double *a)
{
#pragma acc parallel loop copy(a[0:n])
  for (int i = 0; i < n; i++)
    a[i] = 0;
#pragma acc data copy(a[0:n])
  {
// CHECK: errors.c:[[@LINE+1]]:5: error: `return` leaves a data construct
    return;
  }
}

// NONE: errors.c.none
// INPUT: cannot open input file 'none.i'
// FORMAT: found `pdf`, expected text, json or html, or dot or svg for graphs
// KIND: found `tree`, expected deps, calls or cfg
