// Sizes of blocks and grids that no machine has: the nearest is taken, and said.
//
// RUN: terrace cc -c %s -o %t.o --target-arch=sm_80 2>&1 | FileCheck %s
// RUN: terrace cc -c %s -o %t.o -w 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: not terrace cc -c %s --target-arch=sm_61 2>&1 | FileCheck %s --check-prefix=ARCH

// NONE-NOT: warning
// ARCH: error: --target-arch: unknown architecture 'sm_61'; known are sm_70, sm_75,

void vector(int n, float *restrict a) {
  // CHECK: cc-limits.c:[[@LINE+2]]:3: warning: found vector_length(2048), expected at most 1024, the threads of a block along x on sm_80; 1024 is taken
#pragma acc parallel loop vector_length(2048) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] *= 2;
}
void gangs(int n, float *restrict a) {
  // CHECK: cc-limits.c:[[@LINE+2]]:3: warning: found num_gangs(3000000000), expected at most 2147483647, the blocks in a grid on sm_80; 2147483647 is taken
#pragma acc parallel loop gang num_gangs(3000000000) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] *= 2;
}
void both(int n, float *restrict a) {
  // CHECK: cc-limits.c:[[@LINE+2]]:3: warning: found 64 workers of 32 threads, expected at most 1024 threads in a block on sm_80; 32 workers are taken
#pragma acc parallel loop gang num_workers(64) vector_length(32) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] *= 2;
}
void none(int n, float *restrict a) {
  // CHECK: cc-limits.c:[[@LINE+3]]:3: warning: found num_gangs(-1), expected at least 1; it is left out
  // CHECK: cc-limits.c:[[@LINE+2]]:3: warning: found vector_length(0), expected at least 1; it is left out
#pragma acc parallel loop vector_length(0) num_gangs(-1) copy(a[0:n])
  for (int i = 0; i < n; i++) a[i] *= 2;
}
void of_loops(int n, float *restrict a) {
#pragma acc kernels copy(a[0:n])
  // CHECK: cc-limits.c:[[@LINE+2]]:3: warning: found vector(4096), expected at most 1024, the threads of a block along x on sm_80; 1024 is taken
#pragma acc loop independent vector(4096)
  for (int i = 0; i < n; i++) a[i] *= 2;
}
void workers(int n, int m, float a[n][m]) {
  // CHECK: cc-limits.c:[[@LINE+2]]:3: warning: found num_workers(1025), expected at most 1024, the threads of a block along y on sm_80; 1024 is taken
#pragma acc parallel loop num_workers(1025) copy(a[0:n][0:m])
  for (int i = 0; i < n; i++) a[i][0] *= 2;
}
