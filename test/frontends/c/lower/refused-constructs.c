// Regions that cannot be had as the directive asks, and why.
//
// RUN: not terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

struct inner { double v[3]; };
struct outer { struct inner in[2]; double *link; };
struct odd { double d; char c[9]; };
int count(int n, double *a, struct outer *o, struct odd *odd, int *k, double **m, double (*fn)(double), struct inner **q)
{
  int i, s = 0;
#pragma acc parallel loop
  // CHECK-DAG: refused-constructs.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: a pointer in memory that is changed
  for (i = 0; i < n; i++) o[i].link = a;
#pragma acc parallel loop
  // CHECK-DAG: refused-constructs.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: a pointer in memory that is changed
  for (i = 0; i < n; i++) m[i] += 1;
#pragma acc parallel loop
  // CHECK-DAG: refused-constructs.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: an array of pointers to elements of type struct inner
  for (i = 0; i < n; i++) q[i]->v[0] = 1;
// CHECK-DAG: refused-constructs.c:[[@LINE+1]]:1: error: it is not known how much of `a` this region may touch: which part of it a[k[i]] reaches: k[i] is read from memory; add copy(a[0:n]) with its number of elements
#pragma acc parallel loop
  for (i = 0; i < n; i++) a[k[i]] = 1;
#pragma acc parallel loop copy(a[0:n])
  // CHECK-DAG: refused-constructs.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: a call through a pointer
  for (i = 0; i < n; i++) a[i] = fn(a[i]);
#pragma acc parallel loop copy(odd[0:n])
  for (i = 0; i < n; i++) odd[i].c[1] = odd[i].d;
#pragma acc parallel loop copy(a[0:n])
  // CHECK-DAG: refused-constructs.c:[[@LINE+1]]:36: warning: this has no form for the GPU, so that the region runs on the host: 'memref.alloca' op is an array of its own for each iteration of a parallel loop, and its size is not a constant; the GPU has such arrays only with constant sizes
  for (i = 0; i < n; i++) { double t[n]; t[i] = 2; a[i] = t[n - 1 - i]; }
#pragma acc parallel loop copy(a[0:n])
  // CHECK-DAG: refused-constructs.c:[[@LINE+1]]:41: warning: the region runs on the host, as the system's compiler makes it: a pointer that may point to several arrays
  for (i = 0; i < n; i++) { double *p = i ? a : m[0]; a[i] = p[0]; }
#pragma acc parallel loop copy(a[0:n])
  // CHECK-DAG: refused-constructs.c:[[@LINE+1]]:34: warning: the region runs on the host, as the system's compiler makes it: a call of '__builtin_powi', which has no device form
  for (i = 0; i < n; i++) a[i] = __builtin_powi(2.0, i);
#pragma acc parallel loop copy(o[0:n])
  // CHECK-DAG: refused-constructs.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: 'o', whose records hold arrays of records
  for (i = 0; i < n; i++) o[i] = o[n - i];
  return s;
}
