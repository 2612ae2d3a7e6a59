// Mistakes in names and types that the system compiler is not asked about, several at once.
//
// RUN: not terrace compile %s --emit mlir 2>&1 | FileCheck %s

typedef int number;
struct point { int x[3]; };
extern struct point p;

// CHECK-DAG: types.c:[[@LINE+1]]:22: error: `number` is a type, and a value is needed here
int a(void) { return number; }
// CHECK-DAG: types.c:[[@LINE+1]]:33: error: `int` has no members
int b(void) { int k = 1; return __builtin_offsetof(int, x); }
// CHECK-DAG: types.c:[[@LINE+1]]:22: error: `int` has no members
int c(void) { return __builtin_offsetof(struct point, x[1].y); }
// CHECK-DAG: types.c:[[@LINE+1]]:32: error: `int [3]` has no members
int d(struct point q) { return __builtin_offsetof(struct point, x.y); }
// CHECK-DAG: types.c:[[@LINE+1]]:5: error: `e` has a body and is no function
int e { return 1; }
// CHECK-DAG: types.c:[[@LINE+1]]:35: error: `int [3]` has no such part
int g(void) { struct point q = {.x.y = 3}; return 0; }
// CHECK-DAG: types.c:[[@LINE+1]]:27: error: `int [2]` has no such part
int h(void) { int k[2] = {.x = 1}; return 0; }
// CHECK-DAG: types.c:[[@LINE+1]]:7: error: the length of an array has to be an integer, and this is `double`
int i[1.5];
// CHECK-DAG: types.c:[[@LINE+1]]:34: error: the value of a case has to be an integer constant, and this is `double`
int k(int n) { switch (n) { case 1.5: return 2; } return 0; }
// CHECK-DAG: types.c:[[@LINE+1]]:26: error: the value of an enumerator has to be an integer constant, and this is `double`
int l(void) { enum { A = 2.5 }; return A; }
// CHECK-DAG: types.c:[[@LINE+2]]:19: error: a bit-field of `int` cannot have this width
// CHECK-DAG: types.c:[[@LINE+1]]:23: error: this value has to be an integer constant, and this is `double`
struct wide { int m : 1.5; };
_Static_assert(1.5, "");
// CHECK-DAG: types.c:[[@LINE+1]]:10: error: `int` has no parts to be designated
int m = {[1.5] = 3};
// CHECK-DAG: types.c:[[@LINE+1]]:14: error: a designated index has to be an integer constant, and this is `double`
int n[3] = {[1.5] = 3};
