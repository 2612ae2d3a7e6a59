// What functions of string.h cannot do in a region, and why.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s

#include <stddef.h>
void *memset(void *to, int byte, size_t n);
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);
struct point { double x, y; };

void regions(int n, double *a, double *b, float *f, struct point *p, _Bool *yes, int *r)
{
#pragma acc serial copy(a[0:n])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:5: warning: the region runs on the host, as the system's compiler makes it: a number of bytes of which nothing says how many elements of 8 bytes they are
  { memset(a, 0, n); }
#pragma acc serial copy(a[0:n])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:5: warning: the region runs on the host, as the system's compiler makes it: a number of bytes of which nothing says how many elements of 8 bytes they are
  { memset(a, 0, 12); }
#pragma acc serial copy(a[0:n])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:15: warning: the region runs on the host, as the system's compiler makes it: a part of a variable, or more than it, in bytes
  { double z; memset(&z, 0, n * sizeof z); a[0] = z; }
#pragma acc serial copy(p[0:n])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:5: warning: the region runs on the host, as the system's compiler makes it: memset of records with other than 0
  { memset(p, 1, n * sizeof *p); }
#pragma acc serial copy(yes[0:n])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:5: warning: the region runs on the host, as the system's compiler makes it: memset of _Bool with other than 0 and 1
  { memset(yes, 2, n); }
#pragma acc serial copy(a[0:n], f[0:n])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:5: warning: the region runs on the host, as the system's compiler makes it: a copy of elements of type float to elements of type double
  { memcpy(a, f, n * sizeof *a); }
#pragma acc serial copy(yes[0:n], r[0:n])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:40: warning: the region runs on the host, as the system's compiler makes it: a copy of other elements to _Bool
  { unsigned char c[4] = {0, 1, 1, 0}; memcpy(yes, c, 4); }
#pragma acc serial copy(a[0:n], b[0:n])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:5: warning: the region runs on the host, as the system's compiler makes it: memmove between pointers that may point to one array
  { memmove(a, b, n * sizeof *a); }
#pragma acc serial copyin(a[0:n], f[0:n]) copy(r[0:1])
  // CHECK-DAG: refused-memory.c:[[@LINE+1]]:12: warning: the region runs on the host, as the system's compiler makes it: a comparison of elements of type double with ones of type float
  { r[0] = memcmp(a, f, n * sizeof *a); }
}
