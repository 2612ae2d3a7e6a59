// Why a region is not offloaded: an error where the directive asks for it, at the
// statement at fault.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

struct point { double x, y; };
struct mixed { struct point p[2]; char name[7]; };
struct far;
int printf(const char *, ...);
double outside(double);
int old();
#pragma acc routine seq
double apart(double);
double *rows[4];
long double wide[4];
volatile int seen;
// CHECK-DAG: refused-regions.c:[[@LINE+1]]:51: warning: the region runs on the host, as the system's compiler makes it: the static variable 'calls' of another function
static double twice(double x) { static int calls; calls++; return 2 * x; }
// CHECK-DAG: refused-regions.c:[[@LINE+1]]:47: warning: the region runs on the host, as the system's compiler makes it: a call of 'deep', which calls itself, so that nothing says how often
static double deep(double x) { return x > 0 ? deep(x - 1) : x; }
int limit;
// CHECK-DAG: refused-regions.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: the global 'limit', which a local variable of the same name hides
static int hidden(void) { return limit; }

void regions(int n, double *a, struct mixed *m, struct far *f, union { int i; float f; } *u)
{
  int i = 0;
  double *p = a;
  struct point q[4];
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: a call of 'printf', which has no device form
  for (i = 0; i < n; i++) printf("%d", i);
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: a call of 'outside', which has no device form
  for (i = 0; i < n; i++) a[i] = outside(a[i]);
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: a call of 'old', which has no device form
  for (i = 0; i < n; i++) a[i] = old(i);
#pragma acc parallel loop
  for (i = 0; i < n; i++) a[i] = twice(a[i]);
#pragma acc parallel loop
  for (i = 0; i < n; i++) a[i] = deep(a[i]);
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: long double arithmetic
  for (i = 0; i < n; i++) a[i] = wide[i];
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: a call of 'apart', a routine ({{.*}}refused-regions.c:12) without a body in this file; its definition has to be here, such as a static function in a header
  for (i = 0; i < n; i++) a[i] = apart(*rows[i]);
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: a member of a union
  for (i = 0; i < n; i++) u[i].i = 3;
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: 'm', whose records hold arrays of records
  for (i = 0; i < n; i++) m[i].p[1].x = 3;
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:29: warning: the region runs on the host, as the system's compiler makes it: an asm statement
  for (i = 0; i < n; i++) { asm("nop"); }
#pragma acc parallel
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:12: error: this cannot be offloaded, as its directive asks: a goto
  { n = 3; goto out; }
  out:
#pragma acc parallel
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:43: error: this cannot be offloaded, as its directive asks: a return out of the region
  for (i = 0; i < n; i++) { if (a[i] > 0) return; }
  while (n) {
#pragma acc parallel
    // CHECK-DAG: refused-regions.c:[[@LINE+1]]:17: error: this cannot be offloaded, as its directive asks: a break out of the region
    { a[0] = 1; break; }
#pragma acc kernels
    // CHECK-DAG: refused-regions.c:[[@LINE+1]]:31: error: this cannot be offloaded, as its directive asks: a continue out of the region
    { a[0] = 1; if (a[1] > 0) continue; }
  }
#pragma acc parallel loop private(p)
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:28: warning: the region runs on the host, as the system's compiler makes it: the pointer 'p' has no known value here
  for (i = 0; i < n; i++) *p = 1;
#pragma acc parallel loop private(p[0:])
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:3: warning: the region runs on the host, as the system's compiler makes it: the private pointer 'p'
  for (i = 0; i < n; i++) p[0] = 1;
#pragma acc parallel
  {
// CHECK-DAG: refused-regions.c:[[@LINE+1]]:1: error: this cannot be offloaded, as its directive asks: a directive that moves data or waits, inside a region
#pragma acc wait
    a[0] = 1;
  }
#pragma acc parallel
  {
// CHECK-DAG: refused-regions.c:[[@LINE+1]]:1: error: this cannot be offloaded, as its directive asks: a directive that moves data or waits, inside a region
#pragma acc update self(a[0:n])
    a[0] = 1;
  }
#pragma acc parallel loop
  for (i = 0; i < n; i++) {
#pragma acc atomic
    // CHECK-DAG: refused-regions.c:[[@LINE+1]]:5: error: this cannot be offloaded, as its directive asks: an atomic statement that is none of `x++`, `x += e`, `x = x + e` and, with `capture`, `v = x += e`
    a[i] = a[i] > 0 ? 1 : 2;
  }
#pragma acc parallel loop
  for (i = 0; i < n; i++) {
#pragma acc atomic capture
    // CHECK-DAG: refused-regions.c:[[@LINE+1]]:5: error: this cannot be offloaded, as its directive asks: an atomic block that is none of `{ v = x; x += e; }`, `{ x += e; v = x; }` and `{ v = x; x = e; }`
    { a[0] = 1; a[1] = 2; a[2] = 3; }
  }
#pragma acc parallel loop
  for (i = 0; i < n; i++) { int limit = 3; a[i] = hidden() + limit; }
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:43: warning: the region runs on the host, as the system's compiler makes it: 'e', an array of pointers
  for (i = 0; i < n; i++) { double *e[2]; e[0] = a; a[i] = *e[0]; }
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+2]]:36: warning: this has no form for the GPU, so that the region runs on the host: 'memref.alloca' op is an array of its own for each iteration of a parallel loop, and its size is not a constant; the GPU has such arrays only with constant sizes
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:3: note: in the region that begins here
  for (i = 0; i < n; i++) { double t[i + 1]; a[i] = t[0]; }
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: a conversion of a pointer to a number
  for (i = 0; i < n; i++) a[i] = (long)(a + i);
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: a pointer that is converted to a pointer to another type
  for (i = 0; i < n; i++) a[i] = ((struct point *)a)[i].x;
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+2]]:3: warning: the directive says that the iterations are independent, but they are not: an iteration writes q[].x[i], which an earlier one still reads as q[].x[i + 1]
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:3: note: and 1 more dependence; `terrace explain` names all
  for (i = 0; i < n; i++) q[i] = q[i + 1];
#pragma acc parallel loop
  // CHECK-DAG: refused-regions.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: 'seen', which is volatile
  for (i = 0; i < n; i++) seen = i;
}
