// What cannot be translated stays C, and the reason is said where it stands.
//
// RUN: terrace compile %s --emit mlir 2>&1 | FileCheck %s

struct point { double x, y; };
struct bits { unsigned low : 3; int rest; };
struct far; 
union both { int i; float f; };
struct mixed { struct point p[2]; char name[8]; union both u; };
int old();
double outside(double);
void takes(double *);
int many(int, ...);
struct point made(void);
double *found(int);
extern int table[];
extern struct far unknown;
union both shared;
double _Complex z;
long double wide;
double *rows[4];

// CHECK-DAG: refused.c:[[@LINE+1]]:24: remark: 'g1' stays C: a call of 'many', whose arguments are not declared
int g1(int n) { return many(n); }
// CHECK-DAG: refused.c:[[@LINE+1]]:24: remark: 'g2' stays C: a call of 'old', whose arguments are not declared
int g2(int n) { return old(n); }
// CHECK-DAG: refused.c:[[@LINE+1]]:26: remark: 'g3' stays C: a call that returns a record
double g3(void) { return made().x; }
// CHECK-DAG: refused.c:[[@LINE+1]]:27: remark: 'g4' stays C: the pointer that 'found' returns
double g4(void) { return *found(3); }
// CHECK-DAG: refused.c:[[@LINE+1]]:42: remark: 'g5' stays C: the array 'table', whose size is not known here
int g5(void) { return sizeof(table[0]) + table[1]; }
// CHECK-DAG: refused.c:[[@LINE+1]]:23: remark: 'g6' stays C: a member of a union
int g6(void) { return shared.i; }
// CHECK-DAG: refused.c:[[@LINE+1]]:26: remark: 'g7' stays C: long double arithmetic
double g7(void) { return wide; }
// CHECK-DAG: refused.c:[[@LINE+1]]:26: remark: 'g8' stays C: _Complex double arithmetic
double g8(void) { return __real__ z; }
// CHECK-DAG: refused.c:[[@LINE+1]]:32: remark: 'g9' stays C: 'rows', a global of type double *
double g9(double *p) { return *rows[1]; }
// CHECK-DAG: refused.c:[[@LINE+1]]:29: remark: 'h1' stays C: a conversion of a pointer to a number
long h1(double *p) { return (long)p; }
// CHECK-DAG: refused.c:[[@LINE+1]]:29: remark: 'h2' stays C: a pointer made of a number
double h2(long n) { return *(double *)n; }
// CHECK-DAG: refused.c:[[@LINE+1]]:26: remark: 'h3' stays C: whether a parameter is null, in a function as a whole
int h3(int *p) { return !p; }
// CHECK-DAG: refused.c:[[@LINE+1]]:36: remark: 'h4' stays C: a pointer to a variable that is moved off it
int h4(void) { int v; int *p = &v; p[1] = 2; return v; }
// CHECK-DAG: refused.c:[[@LINE+1]]:27: remark: 'h5' stays C: a pointer that is converted to a pointer to another type
float h5(int n) { return *(float *)&n; }
// CHECK-DAG: refused.c:[[@LINE+1]]:8: remark: 'h8' stays C: 'h8' has a parameter of type struct point *
double h8(struct point *p) { struct point *q = p; return q == p; }
// CHECK-DAG: refused.c:[[@LINE+1]]:5: remark: 'h9' stays C: 'h9' has a parameter of type struct bits
int h9(struct bits b) { b.low = 3; return b.low; }
// CHECK-DAG: refused.c:[[@LINE+1]]:40: remark: 'i3' stays C: a member of a union
int i3(int n) { struct mixed m; return m.u.i; }
// CHECK-DAG: refused.c:[[@LINE+1]]:41: remark: 'i4' stays C: 'a', an array of pointers
double i4(void) { double *a[3]; return *a[1]; }
// CHECK-DAG: refused.c:[[@LINE+1]]:32: remark: 'i5' stays C: the pointer 'p', whose address is taken
int i5(void) { int k = 0, *p = &k, **q = &p; return **q; }
// CHECK-DAG: refused.c:[[@LINE+1]]:42: remark: 'i7' stays C: a goto
int i7(int n) { again: if (n > 0) { n--; goto again; } return n; }
// CHECK-DAG: refused.c:[[@LINE+1]]:17: remark: 'i8' stays C: an asm statement
int i8(int n) { asm("nop"); return n; }
// CHECK-DAG: refused.c:[[@LINE+1]]:5: remark: 'i9' stays C: 'i9' has a parameter of type a function *
int i9(int (*f)(int)) { return f(3); }
// CHECK-DAG: refused.c:[[@LINE+1]]:28: remark: 'j1' stays C: a pointer into the middle of an array as an argument
void j1(double *p) { takes(p + 1); }
// CHECK-DAG: refused.c:[[@LINE+1]]:23: remark: 'j2' stays C: a null pointer as an argument
void j2(void) { takes((double *)0); }
// CHECK-DAG: refused.c:[[@LINE+1]]:36: remark: 'j4' stays C: two pointers that may point to different arrays are subtracted
long j4(char *a, char *b) { return a - b; }
static double j5a(double *p) { return p[0]; }
// CHECK-DAG: refused.c:[[@LINE+1]]:40: remark: 'j5' stays C: a pointer into the middle of an array as an argument
double j5(double (*p)[4]) { return j5a(&p[1][0]); }
// CHECK-DAG: refused.c:[[@LINE+1]]:14: remark: 'j6' stays C: 'j6' has a parameter of type struct point
struct point j6(struct point p) { return p; }
// CHECK-DAG: refused.c:[[@LINE+1]]:34: remark: 'j7' stays C: an access to a volatile object
int j7(volatile int *p) { return *p; }
// CHECK-DAG: refused.c:[[@LINE+1]]:10: remark: 'j9' stays C: 'j9' has a parameter of type __int128
__int128 j9(__int128 a) { return a; }
// CHECK-DAG: refused.c:[[@LINE+1]]:23: remark: 'k1' stays C: the array 'table', whose size is not known here
int k1(void) { return table != 0; }
// CHECK-DAG: refused.c:[[@LINE+1]]:36: remark: 'k2' stays C: a pointer that is converted to a pointer to another type
int k2(unsigned char *p) { return *(int *)p; }
// CHECK-DAG: refused.c:[[@LINE+1]]:56: remark: 'k3' stays C: a pointer that is converted to a pointer to another type
double k3(int n) { double s = 0; void *p = &s; return *(double *)p; }
// CHECK-DAG: refused.c:[[@LINE+1]]:17: remark: 'k4' stays C: a case label inside another statement
int k4(int a) { switch (a) { for (;;) { case 1: return 3; } } return 0; }
// CHECK-DAG: refused.c:[[@LINE+1]]:24: remark: 'k5' stays C: a call of '__builtin_powi', which is not declared
int k5(int a) { return __builtin_powi(a, 2); }
// CHECK-DAG: refused.c:[[@LINE+1]]:6: remark: 'k6' stays C: 'k6' has a parameter of type struct mixed *
void k6(struct mixed *m) { m->p[1].x = 1; m->name[2] = 'c'; }
static int w7;
// CHECK-DAG: refused.c:[[@LINE+1]]:26: remark: 'k7' stays C: a pointer that may point to several arrays
int k7(int n) { int *p = n ? &n : &w7; return *p; }
// CHECK-DAG: refused.c:[[@LINE+1]]:6: remark: 'k8' stays C: 'k8' has a parameter of type struct mixed *
void k8(struct mixed *a, struct mixed *b) { *a = *b; }
