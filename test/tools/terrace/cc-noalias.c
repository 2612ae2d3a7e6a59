// What C promises of arrays, and what the call of a region looks at, reaches kernels:
// arrays that are only read are loaded as such.
//
// RUN: terrace compile %s --emit ptx | FileCheck %s

// CHECK-LABEL: .entry promised_region0_kernel0
// CHECK-COUNT-2: ld.global.nc.f64
void promised(int n, double *restrict a, const double *b) {
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n])
  for (int i = 1; i < n; i++) a[i] = b[i - 1] + b[i];
}

// Before this the program finds out whether a and b overlap.
// CHECK-LABEL: .entry looked_at_region0_kernel0
// CHECK-COUNT-2: ld.global.nc.f64
void looked_at(int n, double *a, double *b) {
#pragma scop
  for (int i = 1; i < n; i++) a[i] = b[i] + b[i - 1];
#pragma endscop
}

// If they are the same memory from end to end the region runs on the device all the same,
// so that nothing is promised. Of c, which may not be, it is.
// CHECK-LABEL: .entry coincide_region0_kernel0
// CHECK-DAG: ld.global.f64
// CHECK-DAG: ld.global.nc.f64
// CHECK: st.global.f64
void coincide(int n, double *a, double *b, double *c) {
#pragma scop
  for (int i = 1; i < n; i++) a[i] = b[i] + c[i - 1];
#pragma endscop
}

// b is a part of a.
// CHECK-LABEL: .entry based_region0_kernel0
// CHECK-NOT: .nc.
// CHECK: ret;
void based(int n, double *restrict a) {
  double *b = a + 1;
#pragma acc parallel loop present(a[0:n], b[0:n])
  for (int i = 0; i < n; i++) a[i] = 2 * b[i] + a[i];
}

// Nothing says where a ends, so that it is not compared.
// CHECK-LABEL: .entry endless_region0_kernel0
// CHECK: ld.global.f64
// CHECK: ret;
void endless(int n, const int *at, double *a, double *b) {
#pragma acc parallel loop present(a, b, at)
  for (int i = 0; i < n; i++) { a[at[i]] = i; a[at[i]] += b[i]; }
}
