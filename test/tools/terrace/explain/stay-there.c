// Arrays that stay on the device until the program needs them, and functions whose own code is
// not understood.
//
// RUN: terrace explain %s -- -fopenmp 2>&1 | FileCheck %s

#define N 100
static double a[N], b[N];
int vfork(void);
void other(void);

// CHECK-LABEL: : followed
// CHECK: - b (800 bytes) is copied to the device unless it is there: only read here
// CHECK: - a (800 bytes) is copied to the device unless it is there, and back where the program needs it: read and written here
void followed(void) {
#pragma acc parallel loop
  for (int i = 0; i < N; i++) a[i] += b[i];
}

// CHECK-LABEL: : again
// CHECK: - a (800 bytes) is copied to the device before and back after: read and written here; each time, as the function has a call of `vfork`, which returns more than once
void again(void) {
  if (vfork()) other();
#pragma acc parallel loop
  for (int i = 0; i < N; i++) a[i] += 1;
}

// CHECK-LABEL: : threads
// CHECK: - a (800 bytes) is copied to the device before and back after: read and written here; each time, as the function has an OpenMP directive, whose threads run beside each other
void threads(void) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) b[i] = i;
#pragma acc parallel loop
  for (int i = 0; i < N; i++) a[i] += 1;
}
