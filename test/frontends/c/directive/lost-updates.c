// Elements that an iteration of a parallel loop reads and writes where another may too.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void f(int n, int m, int *restrict h, const int *restrict d, const int *restrict x)
{
// One atomic operation does these.
// CHECK-NOT: warning
#pragma acc parallel loop copy(h[0:m]) copyin(d[0:n], x[0:n])
  for (int i = 0; i < n; i++) h[d[i]] += x[i];
#pragma acc parallel loop copy(h[0:m]) copyin(d[0:n], x[0:n])
  for (int i = 0; i < n; i++) h[d[i]] = h[d[i]] + x[i];
// What is only written is the program's word.
#pragma acc parallel loop copy(h[0:m]) copyin(d[0:n], x[0:n])
  for (int i = 0; i < n; i++) h[d[i]] = x[i];
// CHECK: lost-updates.c:[[@LINE+2]]:31: warning: h[d[i]] is read and written in iterations that a directive says are independent; where two of them have the same element, one change is lost: it is not known that they do not, and this is no update that one atomic operation does
#pragma acc parallel loop copy(h[0:m]) copyin(d[0:n], x[0:n])
  for (int i = 0; i < n; i++) h[d[i]] = h[d[i]] * 2 + 1;
// CHECK: lost-updates.c:[[@LINE-1]]:3: note: the loop with the directive
// CHECK: lost-updates.c:[[@LINE+2]]:51: warning: h[d[i]] is read and written in iterations
#pragma acc parallel loop copy(h[0:m]) copyin(d[0:n], x[0:n])
  for (int i = 0; i < n; i++) if (x[i] > h[d[i]]) h[d[i]] = x[i];
// Nobody claims anything here, and it runs in order.
// CHECK-NOT: warning
#pragma acc kernels copy(h[0:m]) copyin(d[0:n], x[0:n])
  for (int i = 0; i < n; i++) h[d[i]] = h[d[i]] * 2 + 1;
}
