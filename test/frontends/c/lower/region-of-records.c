// A region over records cannot be called where they are kept as fields.
//
// RUN: terrace compile %s --emit mlir 2>&1 | FileCheck %s

struct point { double x, y; };
void f(int n)
{
  struct point p[9];
  p[1].x = 2;
#pragma scop
  // CHECK-DAG: region-of-records.c:[[@LINE+1]]:3: remark: 'f' stays C: a region over an array of records
  for (int i = 0; i < n; i++) p[i].x = 1;
#pragma endscop
}
