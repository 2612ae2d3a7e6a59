// Pointers in memory that the analysis does not follow.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s
struct point { float x, y; };
struct odd { int n; int *p; } __attribute__((packed));
void refused(int n, int ***a, struct point **p, double **b, char **s, int *(*m)[4], struct odd *o, int (**v)[n]) {
  int i;
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: 'o', whose pointers are not at whole distances
  for (i = 0; i < n; i++) o[i].p[2] = 3;
#pragma endscop
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: 'v', whose rows have rows of unknown size
  for (i = 0; i < n; i++) v[i][1][2] = 3;
#pragma endscop
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:{{.*}}: warning: the region runs on the host, as the system's compiler makes it: a pointer into one of several rows that lie where pointers say
  for (i = 0; i < n; i++) { double *x = b[i], *y = b[0]; if (x > y) x[0] = 1; }
#pragma endscop
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:{{.*}}: warning: the region runs on the host, as the system's compiler makes it: 'own', an array of pointers
  for (i = 0; i < n; i++) { double *own[2]; own[i & 1] = b[0]; own[i & 1][0] = 3; }
#pragma endscop
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: 'm', whose pointers stand in several dimensions
  for (i = 0; i < n; i++) m[i][1][2] = 3;
#pragma endscop
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: 'a', which leads to pointers to pointers
  for (i = 0; i < n; i++) a[i][0][1] = 3;
#pragma endscop
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:27: warning: the region runs on the host, as the system's compiler makes it: 'p', which leads to rows of records
  for (i = 0; i < n; i++) p[i][1].x = 3;
#pragma endscop
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:{{.*}}: warning: the region runs on the host, as the system's compiler makes it: whether a pointer in memory is null
  for (i = 0; i < n; i++) if (s[i]) s[i][0] = 3;
#pragma endscop
#pragma scop
  // CHECK-DAG: refused-tables.c:[[@LINE+1]]:{{.*}}: warning: the region runs on the host, as the system's compiler makes it: a pointer in memory that is changed
  for (i = 0; i < n; i++) b[i] = b[0];
#pragma endscop
}
