// Calls that are not translated, and why.
//
// RUN: terrace compile %s --emit mlir 2>&1 | FileCheck %s

struct point { double x, y; };
struct part { double v[4]; };
typedef double lanes __attribute__((vector_size(16)));
void takes(double *);
void takes_function(int (*)(int));
static int old() { return 1; }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:12: remark: 'many' stays C: 'many' takes a variable number of arguments
static int many(int n, ...) { return n; }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:21: remark: 'both' stays C: 'both' returns struct point
static struct point both(double x) { struct point p; p.x = x; p.y = x; return p; }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:23: remark: 'f1' stays C: a call of 'old' with 2 and not 0 arguments
int f1(void) { return old(1, 2); }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:23: remark: 'f2' stays C: 'many' takes a variable number of arguments
int f2(void) { return many(1, 2); }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:36: remark: 'f3' stays C: a call that returns a record
double f3(void) { struct point p = both(1); return p.x; }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:17: remark: 'f4' stays C: 'both' returns struct point
void f4(void) { both(1); }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:41: remark: 'f5' stays C: an argument that is an array of another shape than the parameter
void f5(void) { struct part s[3]; takes(s[0].v); }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:17: remark: 'f6' stays C: 'takes_function' has a parameter of type a function *
void f6(void) { takes_function(0); }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:32: remark: 'f7' stays C: a pointer to a function
int f7(void) { int (*f)(int) = many; return f(3); }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:24: remark: 'f8' stays C: `__builtin_isnan` of this type
int f8(int n) { return __builtin_isnan(n); }
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:5: remark: 'f9' stays C: 'f9' has a parameter of type vector of 16 bytes *
int f9(lanes *p) { return (*p)[0]; }
static int later();
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:34: remark: 'g1' stays C: a call of 'later' with double * and not int as an argument
int g1(double *p) { return later(p); }
static int first();
// CHECK-DAG: refused-calls.c:[[@LINE+1]]:34: remark: 'g2' stays C: a call of 'first' with double * and not float * as an argument
int g2(double *p) { return first(p); }
static int later(int n) { return n; }
static int first(float *a) { return a[0]; }
