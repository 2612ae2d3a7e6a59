// A region that is asked to run on a GPU and has no form for one is an error; one that is
// to stay C need have none.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

#define N 64
double b[N];
void f(int n, double *p, int *q)
{
#pragma terrace target(gpu)
#pragma scop
  // CHECK-DAG: target-gpu-errors.c:[[@LINE+2]]:3: error: this has no form for the GPU: there is no loop whose iterations may run in any order
  // CHECK-DAG: target-gpu-errors.c:[[@LINE+1]]:3: note: in the region that begins here
  for (int i = 1; i < N; i++) b[i] += b[i - 1];
#pragma endscop
#pragma terrace target(gpu)
#pragma terrace offload
  // CHECK-DAG: target-gpu-errors.c:[[@LINE+2]]:3: error: this has no form for the GPU: there is no loop whose iterations may run in any order
  // CHECK-DAG: target-gpu-errors.c:[[@LINE+1]]:3: note: in the region that begins here
  for (int i = 0; i < n; i++) p[q[i]] = 3;
#pragma terrace target(gpu)
#pragma terrace offload
  // CHECK-DAG: target-gpu-errors.c:[[@LINE+1]]:33: error: this cannot be offloaded, as its directive asks: a goto
  for (int i = 0; i < n; i++) { goto l; l: b[i] = 1; }
#pragma terrace target(host)
#pragma acc parallel loop
  for (int i = 0; i < n; i++) { goto m; m: b[i] = 1; }
}
