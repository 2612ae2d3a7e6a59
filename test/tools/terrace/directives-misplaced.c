// Directives of terrace that stand where they mean nothing.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

#define N 64
double b[N];
  // CHECK: directives-misplaced.c:[[@LINE+1]]:1: error: `terrace target` is for a region, and none follows; write `#pragma terrace offload` behind it
#pragma terrace target(cpu)
void h(void) { b[0] = 1; }
void f(int n)
{
  // CHECK: directives-misplaced.c:[[@LINE+1]]:1: error: unknown architecture 'sm_61'; known are sm_70, sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120
#pragma terrace target(sm_61)
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
#pragma terrace target(cpu)
  // CHECK: directives-misplaced.c:[[@LINE+2]]:1: error: `terrace target` is a second target of the same statement
  // CHECK: directives-misplaced.c:[[@LINE-2]]:1: note: the first is here
#pragma terrace target(gpu)
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: directives-misplaced.c:[[@LINE+1]]:1: error: `terrace target` is for a region, and none follows; write `#pragma terrace offload` behind it
#pragma terrace target(cpu)
  for (int i = 0; i < N; i++) b[i] = i;
#pragma acc kernels
  {
  // CHECK: directives-misplaced.c:[[@LINE+2]]:1: error: `terrace target` has to stand before a region, and this is in one
  // CHECK: directives-misplaced.c:[[@LINE-3]]:1: note: the region begins here
#pragma terrace target(host)
    for (int i = 0; i < N; i++) b[i] = i;
  }
}

void k(void)
{
#pragma terrace schedule(unroll(i))
  // CHECK: directives-misplaced.c:[[@LINE+2]]:1: error: a second `terrace schedule` for the same statement
  // CHECK: directives-misplaced.c:[[@LINE-2]]:1: note: the first is here
#pragma terrace schedule(unroll(i: 2))
#pragma scop
  for (int i = 0; i < N; i++) b[i] = i;
#pragma endscop
  // CHECK: directives-misplaced.c:[[@LINE+1]]:1: error: `terrace schedule` is for a region or for a loop in one, and no region follows; write `#pragma terrace offload` behind it
#pragma terrace schedule(unroll(i: 2))
  for (int i = 0; i < N; i++) b[i] = i;
}

  // CHECK: directives-misplaced.c:[[@LINE+1]]:1: error: `terrace target` has to stand before a region; what follows here is none, or is not understood
#pragma terrace target(cpu)
extern void g(void);
