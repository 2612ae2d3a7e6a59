// Arrays of which it is not known how far they reach.
//
// RUN: terrace explain %s | FileCheck %s

void guarded(int n, const int *use, long *restrict x, const long *restrict q) {
// CHECK: q (q[0:10 * n - 9], 8*(10*n - 9) bytes) is copied to the device before: only read here; whether q[i * 10] is used, only memory tells, so that only what can be read is copied: copyin(q[0:n]) would say how large it is
// CHECK: x (x[0:n], 8*n bytes) is copied to the device before and back after: read and written here; whether x[i] is used, only memory tells, so that only what can be read is copied, and only what changed is copied back: copy(x[0:n]) would say how large it is
#pragma acc kernels
  for (int i = 0; i < n; i++)
    if (use[i]) x[i] += q[10 * i];
}

// CHECK-LABEL: declared
void declared(int n, const int *at, long *x, const long q[n]) {
// CHECK: q {{.*}}callers may pass less than is declared, so that only what can be read is copied: copyin(q[0:n]) would say how large it is
#pragma acc kernels
  for (int i = 0; i < n; i++) x[i] += q[at[i]];
}
