// What a region uses of the program around it and cannot have, and why.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

struct point { double x, y; };
struct part { double v[4]; double *p; long double w; struct point q; double m[2][2]; };
#pragma pack(push, 4)
struct odd { double x; int k; };
struct skewed { int k; double x; int l; };
#pragma pack(pop)
static int old() { return 1; }
static int many(int n, ...) { return n; }
static struct point both(double x) { struct point p; p.x = x; p.y = x; return p; }
static double *same(double *x) { return x; }
union either { int i; double d; };
static union either far(int i) { union either e; e.i = i; return e; }
const double table[4] = {1, 2, 3, 4};
void regions(int n, int m, double *a, struct part *s, struct odd *o, struct skewed *k,
             struct point (*rows)[m], volatile double *v)
{
  double *q, c = 0;
  struct point one;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:38: warning: the region runs on the host, as the system's compiler makes it: a call of 'old' with 1 and not 0 arguments
  for (int i = 0; i < n; i++) a[i] = old(i);
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:38: warning: the region runs on the host, as the system's compiler makes it: 'many' takes a variable number of arguments
  for (int i = 0; i < n; i++) a[i] = many(i, 2);
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:33: warning: the region runs on the host, as the system's compiler makes it: 'far', which is a union
  for (int i = 0; i < n; i++) { far(1); a[i] = 1; }
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:31: warning: the region runs on the host, as the system's compiler makes it: a pointer in memory that is changed
  for (int i = 0; i < n; i++) s[i].p = a;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:31: warning: the region runs on the host, as the system's compiler makes it: a value of type long double
  for (int i = 0; i < n; i++) s[i].w = 1;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:31: warning: the region runs on the host, as the system's compiler makes it: 'o', whose records are not at a constant distance of whole '.x'
  for (int i = 0; i < n; i++) o[i].x = 1;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:31: warning: the region runs on the host, as the system's compiler makes it: 'k', whose field '.x' is not aligned to its size
  for (int i = 0; i < n; i++) k[i].x = 1;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:31: warning: the region runs on the host, as the system's compiler makes it: 'rows', whose records are not at a constant distance of whole '.x'
  for (int i = 0; i < n; i++) rows[i][1].x = 1;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:45: warning: the region runs on the host, as the system's compiler makes it: a pointer to a field of an array of records
  for (int i = 0; i < n; i++) { double *z = &s[i].m[1][0]; z[1] = 1; }
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:31: warning: the region runs on the host, as the system's compiler makes it: an access to a volatile object
  for (int i = 0; i < n; i++) v[i] = 1;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:62: error: this cannot be offloaded, as its directive asks: a store to 'table', which is const
  for (int i = 0; i < n; i++) { double *z = (double *)table; z[i] = 1; }
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:31: warning: the region runs on the host, as the system's compiler makes it: a pointer to a variable that is moved off it
  for (int i = 0; i < n; i++) (&c)[i] = 1;
#pragma acc kernels loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:33: warning: the region runs on the host, as the system's compiler makes it: the pointer 'q' is changed
  for (int i = 0; i < n; i++) { q = a; q[i] = 1; }
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:31: warning: the region runs on the host, as the system's compiler makes it: a copy of a record with a field of type double *
  for (int i = 0; i < n; i++) s[i] = s[i + 1];
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:38: warning: the region runs on the host, as the system's compiler makes it: two pointers that may point to different arrays are compared
  for (int i = 0; i < n; i++) a[i] = a == q;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:38: warning: the region runs on the host, as the system's compiler makes it: two pointers that may point to different arrays are subtracted
  for (int i = 0; i < n; i++) a[i] = a - q;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:38: warning: the region runs on the host, as the system's compiler makes it: a comparison of a pointer with null by order
  for (int i = 0; i < n; i++) a[i] = a > (double *)0;
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:48: warning: the region runs on the host, as the system's compiler makes it: an access through a null pointer
  for (int i = 0; i < n; i++) { double *z = 0; *z = 1; }
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:56: warning: the region runs on the host, as the system's compiler makes it: a null pointer that is moved
  for (int i = 0; i < n; i++) { double *z = 0; a[i] = *(z + 1); }
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:39: warning: the region runs on the host, as the system's compiler makes it: a pointer to void that is moved
  for (int i = 0; i < n; i++) a[i] = *(double *)((void *)a + 8);
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:39: warning: the region runs on the host, as the system's compiler makes it: a pointer that may point to several arrays
  for (int i = 0; i < n; i++) a[i] = *(i ? a : q);
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:38: warning: the region runs on the host, as the system's compiler makes it: a string
  for (int i = 0; i < n; i++) a[i] = "abc"[1];
#pragma acc parallel loop
  // CHECK-DAG: refused-captures.c:[[@LINE+1]]:38: warning: the region runs on the host, as the system's compiler makes it: a NaN with a payload
  for (int i = 0; i < n; i++) a[i] = __builtin_nan("3");
}
