// Pointers in memory that the analysis does not follow.
//
// RUN: terrace cc -c %s -o %t.o 2>&1 | FileCheck %s
struct point { float x, y; };
void refused(int n, int ***a, struct point **p, double **b, char **s, int *(*m)[4]) {
  int i;
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
