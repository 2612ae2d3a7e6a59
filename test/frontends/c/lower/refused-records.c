// Structures and unions that are not translated, and why.
//
// RUN: terrace compile %s --emit mlir 2>&1 | FileCheck %s

struct point { double x, y; };
struct flexible { int n; double data[]; };
struct wide { int a[100]; };
struct holder { double *p; };
struct far;
extern struct far away;
union either { int i; float f; } one, other;
// CHECK-DAG: refused-records.c:[[@LINE+1]]:46: remark: 'f1' stays C: a copy of a record with more than 64 elements in an array
int f1(void) { struct wide p, q; p.a[0] = 1; q = p; return q.a[0]; }
// CHECK-DAG: refused-records.c:[[@LINE+1]]:50: remark: 'f2' stays C: a copy of a record with a field of type double *
int f2(double *d) { struct holder p, q; p.p = d; q = p; return q.p[0]; }
// CHECK-DAG: refused-records.c:[[@LINE+1]]:61: remark: 'f3' stays C: a record that `?:` chooses
double f3(int n) { struct point p, q; p.x = q.x = 1; return (n ? p : q).x; }
// CHECK-DAG: refused-records.c:[[@LINE+1]]:55: remark: 'f4' stays C: the value of an assignment of a record; use what was assigned to
double f4(int n) { struct point p, q; q.x = n; return (p = q).x; }
// CHECK-DAG: refused-records.c:[[@LINE+1]]:17: remark: 'f5' stays C: 'one', which is a union
void f5(void) { one = other; }
// CHECK-DAG: refused-records.c:[[@LINE+1]]:32: remark: 'f6' stays C: 'u', which is a union
int f6(void) { union either u; u.i = 3; return u.f; }
// CHECK-DAG: refused-records.c:[[@LINE+1]]:61: remark: 'f7' stays C: the bit-field 's.a'
int f7(int n) { struct { int a : 3; int b; } s, t; s.b = n; t = s; return t.b; }
// CHECK-DAG: refused-records.c:[[@LINE+1]]:35: remark: 'f8' stays C: 'f.data' has no known size
double f8(void) { struct flexible f; f.n = 1; return f.n; }
// CHECK-DAG: refused-records.c:[[@LINE+1]]:46: remark: 'f9' stays C: 'away', whose type is not complete
int f9(int n) { struct far *p = &away, *q = &away; return n; }
int g1(void) { struct point p; p.x = 1; p; return p.x; }
