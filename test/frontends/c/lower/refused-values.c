// Values, arrays and initialisers that are not translated, and why.
//
// RUN: terrace compile %s --emit mlir 2>&1 | FileCheck %s

typedef double lanes __attribute__((vector_size(16)));
// CHECK-DAG: refused-values.c:[[@LINE+1]]:41: remark: 'f1' stays C: 'a' has a negative size
int f1(void) { const int n = -1; double a[n]; a[0] = 1; return a[0]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:27: remark: 'f2' stays C: a compound literal
int f2(void) { int a[3] = (int[3]){1, 2, 3}; return a[1]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:31: remark: 'f3' stays C: an array of more than 4096 characters that a string initialises
int f3(void) { char s[5000] = "abc"; return s[1]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:27: remark: 'f4' stays C: a string of wide characters
int f4(void) { int w[4] = L"abc"; return w[1]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:24: remark: 'f5' stays C: an initialiser of an array of variable length
int f5(int n) { double a[n] = {}; return a[0]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:45: remark: 'f6' stays C: 't', whose declaration is jumped over
int f6(int n) { switch (n) { int t; case 1: t = 2; return t; } return 0; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:30: remark: 'f7' stays C: __int128 arithmetic
int f7(int n) { __int128 x = n; return (int)x; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:33: remark: 'f8' stays C: _Atomic int arithmetic
int f8(int n) { _Atomic int x = n; return (int)x; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:45: remark: 'f9' stays C: an access to a volatile object
int f9(volatile int *v) { volatile int *w = v; return w[2]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:67: remark: 'g1' stays C: a pointer to a variable that is moved off it
int g1(void) { double a[4]; a[1] = 2; double (*q)[4] = &a; return q[1][0]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:41: remark: 'g2' stays C: 'y', which is of type long double
double g2(void) { long double y[3], x = y[0]; return x; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:37: remark: 'g3' stays C: a value of type long double
double g3(void) { long double y[3]; y[0] = y[1]; return 1; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:28: remark: 'g4' stays C: __int128 arithmetic
double g4(void) { double a[(__int128)3]; a[1] = 2; return a[1]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:33: remark: 'g5' stays C: a value of type vector of 16 bytes
int g5(int n) { static lanes v; v; return n; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:27: remark: 'g6' stays C: a string
int g6(int n) { char *s = "abc"; return s[n]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:23: remark: 'g7' stays C: a floating constant of this form
int g7(void) { return 0x1p+99999999999999999999999999999; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:28: remark: 'g8' stays C: a range of more than 65536 elements
int g8(int n) { int a[] = {[0 ... 70000] = n}; return a[1]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:17: remark: 'g9' stays C: a complex constant
void g9(void) { 2.0i; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:33: remark: 'h1' stays C: an element of a vector
void h1(void) { static lanes v; v[1]; }
// CHECK-DAG: refused-values.c:[[@LINE+1]]:5: remark: 'h2' stays C: 'h2' has a parameter of type a type of more than 100 levels * * * * * *
int h2(int **********************************************************************************************************p) { return 1; }
