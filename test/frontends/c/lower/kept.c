// What stays C is said, with the reason and the place.
//
// RUN: terrace compile %s --emit mlir 2>&1 | FileCheck %s

int printf(const char *, ...);
double measured(void);

// CHECK-DAG: kept.c:[[@LINE+1]]:27: remark: 'hello' stays C: a call of 'printf', whose arguments are not declared
int hello(int n) { return printf("%d\n", n); }

void region(int n, double *a) {
#pragma acc kernels
  // CHECK-DAG: kept.c:[[@LINE+1]]:38: remark: a region of 'region' stays C: a call of 'measured', which has no device form
  for (int i = 0; i < n; i++) a[i] = measured();
}

// CHECK-DAG: func.func @region(
