// A program for polyhedral compilers and for OpenACC's: the directives say more.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

double g(int n, double a[n], double s)
{
  // CHECK: cc-scop-acc.c:[[@LINE+2]]:1: warning: this `scop` has no effect: the OpenACC directives in it say what is offloaded
  // CHECK: cc-scop-acc.c:[[@LINE+2]]:1: note: `acc data` is the first
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
