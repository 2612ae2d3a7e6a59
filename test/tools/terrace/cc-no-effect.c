// Directives that are read and not followed say so.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

void f(int n, double a[n])
{
  // CHECK: cc-no-effect.c:[[@LINE+1]]:1: warning: `terrace schedule` has no effect yet: the choice is terrace's own
#pragma terrace schedule("tiles.mlir")
#pragma terrace offload
  for (int i = 0; i < n; i++) a[i] = i;
  // CHECK: cc-no-effect.c:[[@LINE+1]]:1: warning: `terrace target` has no effect yet: the choice is terrace's own
#pragma terrace target(gpu)
#pragma terrace offload
  for (int i = 0; i < n; i++) a[i] += i;
}

// A program for polyhedral compilers and for OpenACC's: the directives say more.
double g(int n, double a[n], double s)
{
  // CHECK: cc-no-effect.c:[[@LINE+2]]:1: warning: this `scop` has no effect: the OpenACC directives in it say what is offloaded
  // CHECK: cc-no-effect.c:[[@LINE+2]]:1: note: `acc data` is the first
#pragma scop
#pragma acc data copy(a[0:n])
  {
#pragma acc parallel loop
    for (int i = 0; i < n; i++) a[i] = i;
    double t = s;
#pragma acc update host(a[0:n])
    s = t + a[0];
  }
  double u = s;
#pragma endscop
  return u;
}

// Directives for loops and accesses only are about the region.
void h(int n, double a[n])
{
  // CHECK-NOT: no effect
#pragma scop
#pragma acc loop independent
  for (int i = 0; i < n; i++) a[i] = i;
#pragma endscop
}
