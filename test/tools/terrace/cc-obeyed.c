// A loop that is called independent and is not: one warning, whatever the number of
// dependences, with the one that gives wrong values first.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: terrace cc -w -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// SILENT-NOT: warning

void f(int n, double a[n][n])
{
#pragma acc parallel copy(a[0:n][0:n])
#pragma acc loop
  // CHECK: cc-obeyed.c:[[@LINE+5]]:3: warning: the directive says that the iterations are independent, but they are not: an iteration reads a[i][j], which an earlier one writes as a[j][i]
  // CHECK: cc-obeyed.c:[[@LINE+9]]:7: note: the write of a[j][i]
  // CHECK: cc-obeyed.c:[[@LINE+6]]:16: note: the read of a[i][j], 1 or more iterations later
  // CHECK: cc-obeyed.c:[[@LINE+2]]:3: note: and 1 more dependence; `terrace explain` names all
  // CHECK-NOT: warning
  for (int i = 0; i < n; i++) {
    double s = 1;
    for (int j = 0; j < i; j++)
      s = s - (a[i][j] * a[i][j]);
    for (int j = i + 1; j < n; j++)
      a[j][i] = a[i][i] * s + a[i][j];
  }
}
