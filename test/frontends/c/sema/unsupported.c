// C that terrace reads and does not translate: no error, and the function stays C.
//
// RUN: terrace compile %s --emit mlir 2>&1 | FileCheck %s

typedef __builtin_va_list va_list;
struct later;
struct flexible { int n; double data[]; };
int setjmp(long *);
void nothing(void);
// CHECK-DAG: unsupported.c:[[@LINE+1]]:30: remark: 'nan_of' stays C: a NaN with a payload
double nan_of(void) { return __builtin_nan("1"); }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:30: remark: 'caught' stays C: a call of setjmp
int caught(long *b) { return setjmp(b); }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:32: remark: 'exchanged' stays C: an atomic builtin
int exchanged(int *p) { return __sync_fetch_and_add(p, 1); }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:33: remark: 'imaginary' stays C: _Complex double arithmetic
double imaginary(void) { return __real__ 2.0i; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:28: remark: 'letters' stays C: a string of wide characters
int letters(void) { return L"ab"[0]; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:21: remark: 'ranges' stays C: a case range of more than 4096 values
int ranges(int n) { switch (n) { case 0 ... 100000: return 1; } return 0; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:68: remark: 'lanes' stays C: vector of 16 bytes arithmetic
float lanes(float x) { __attribute__((vector_size(16))) float v = {x}; v[1] = v[0] * 2; return v[1] + x; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:5: remark: 'flexible' stays C: 'flexible' has a parameter of type struct flexible *
int flexible(struct flexible *f) { return f->n + f->data[0]; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:28: remark: 'offset' stays C: an offset that is not constant
int offset(int k) { return __builtin_offsetof(struct { int a[9]; }, a[k]); }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:5: remark: 'incomplete' stays C: 'incomplete' has a parameter of type struct later *
int incomplete(struct later *p) { return p != 0; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:63: remark: 'conditional' stays C: a pointer that may point to several arrays
int conditional(int n, double *a, double *b) { double *p; p = n ? a : b; return p[0]; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:44: remark: 'modified' stays C: a conversion of a pointer to a number
int modified(double *a, long n) { long i = (long)&a[n]; return i; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:29: remark: 'overflow' stays C: `__builtin_add_overflow_p`
int overflow(void) { return __builtin_add_overflow_p(1, 2, 3); }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:63: remark: 'vectors' stays C: vector of 16 bytes arithmetic
int vectors(void) { __attribute__((vector_size(16))) int v = {1}; return v[0]; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:46: remark: 'shape' stays C: a pointer that is converted to a pointer to another type
int shape(double (*a)[3]) { double (*b)[9] = (double (*)[9])a; return b[0][1]; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:5: remark: 'anytype' stays C: 'anytype' has a parameter of type _Atomic int *
int anytype(_Atomic int *p) { return *p; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:12: remark: 'varying' stays C: 'varying' takes a variable number of arguments
static int varying(int n, ...) { return n; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:35: remark: 'calls_varying' stays C: 'varying' takes a variable number of arguments
int calls_varying(int n) { return varying(n, 2); }
static double rows_of(double (*p)[4]) { return p[0][1]; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:52: remark: 'other_rows' stays C: a pointer that is converted to a pointer to another type
double other_rows(double (*p)[8]) { return rows_of((double (*)[4])p); }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:32: remark: 'statements' stays C: a statement expression
int statements(int n) { return ({ int k = n; if (k) nothing(); k; }); }
int *literal = (int[]){1, 2, 3};
// CHECK-DAG: unsupported.c:[[@LINE+1]]:33: remark: 'uses_literal' stays C: 'literal', a global of type int *
int uses_literal(void) { return literal[1]; }
// CHECK-DAG: unsupported.c:[[@LINE+1]]:5: remark: 'whole' stays C: 'whole' has a parameter of type struct flexible *
int whole(struct flexible *f, struct flexible *g) { *f = *g; return 0; }
// Outside of functions, and no length that a C compiler takes.
// CHECK-DAG: unsupported.c:[[@LINE+1]]:17: remark: 'uses_length' stays C: a compound literal
int length_of_a[(int){3}];
int uses_length(void) { return sizeof(length_of_a); }
