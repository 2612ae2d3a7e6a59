/* Members of records, alone and beside what clauses say of the record. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
struct S_b7 { int n; double d; int a[4]; } b7_g;
static int program_b7(void) {
  struct S_b7 s = {1, 2.0, {0}}; int arr[3] = {0}; int x = 1;
#pragma acc serial
  { s.n = 9; s.d = 3.5; s.a[2] = 4; arr[1] = 5; b7_g.n = 6; }
  printf("serial: n %d d %g a %d arr %d g %d (9 3.5 4 5 6)\n", s.n, s.d, s.a[2], arr[1], b7_g.n);
#pragma acc parallel copy(s)
  { s.n = 10; }
  printf("copy(s): %d (10)\n", s.n);
#pragma acc parallel loop
  for (int i = 0; i < 1; i++) s.n = 11;
  printf("loop: %d (11)\n", s.n);
  struct S_b7 *p = &s;
#pragma acc parallel copy(p[0:1])
  { p->n = 12; }
  printf("p->n: %d (12)\n", s.n);
#pragma acc kernels
  { s.n = 13; x = 4; }
  printf("kernels: %d %d (13 4)\n", s.n, x);
  s.n = 0;
#pragma acc parallel loop reduction(+:x) copy(s)
  for (int i = 0; i < 8; i++) {
   x += i;
#pragma acc atomic
   s.n += 2;
  }
  printf("atomic: %d (16) x %d (32)\n", s.n, x);
  return 0;
}

struct S_b8 { int n; double d; };
static int program_b8(void) {
  struct S_b8 s = {1, 2.0};
#pragma acc parallel copy(s)
  { s.n = 10; }
  printf("copy(s): %d (10)\n", s.n);
  return 0;
}

struct S_b8o { int n; double d; };
static int program_b8o(void) {
  struct S_b8o s = {1, 2.0};
#pragma acc parallel copyout(s)
  { s.n = 10; }
  printf("copyout(s): %d (10)\n", s.n);
  return 0;
}

struct S_b8v { long n; double d; int *p; };
static int program_b8v(void) {
  struct S_b8v s ; s.n = 1;
#pragma acc parallel copy(s)
  { s.n = 10; }
  printf("copy(s): %d (10)\n", s.n);
  return 0;
}

struct S_b9 { int n; double d; };
static int program_b9(void) {
  struct S_b9 s = {1, 2.0}, *p = &s;
#pragma acc parallel copy(p[0:1])
  { p->n = 12; }
  printf("p->n: %d (12)\n", s.n);
  return 0;
}

struct S_b10 { int n; double d; };
static int program_b10(void) {
  struct S_b10 s = {1, 2.0};
#pragma acc data copy(s)
  {
#pragma acc parallel present(s)
  { s.n = 12; }
  }
  printf("present %d (12)\n", s.n);
#pragma acc parallel loop copy(s)
   for (int i = 0; i < 4; i++) {
#pragma acc atomic
    s.n += 2; }
  printf("atomic %d (20)\n", s.n);
  return 0;
}

struct S_b11 { int n; double d; };
static int program_b11(void) {
  struct S_b11 s = {1, 2.0};
#pragma acc parallel copy(s)
  { s.n = 10; }
  printf("copy(s): %d (10)\n", s.n);
#pragma acc kernels
  { s.n = 13; }
  printf("kernels: %d (13)\n", s.n);
  return 0;
}

struct S_b12 { int n; double d; int a[8]; };
static int program_b12(int k) {
  struct S_b12 s = {1, 2.0, {0}}, t[4] = {{0}}; int x = 1, *q = &x, arr[2] = {1, 1}; struct S_b12 *p = &s;
  switch (k) {
  case 0: {
#pragma acc parallel copy(q[0:1])
  { *q = 12; } } printf("0 *q %d (12)\n", x); break;
  case 1: {
#pragma acc parallel copy(arr)
  { arr[0] = 12; } } printf("1 arr[0] %d (12)\n", arr[0]); break;
  case 2: {
#pragma acc parallel copy(t)
  { t[1].n = 12; } } printf("2 t[1].n %d (12)\n", t[1].n); break;
  case 3: {
#pragma acc parallel loop copy(s)
  for (int i = 0; i < 8; i++) { s.a[i] = i; if (i == 3) s.n = 12; } } printf("3 s.n %d %d (12 7)\n", s.n, s.a[7]); break;
  case 4: {
#pragma acc parallel loop copy(s)
  for (int i = 0; i < 1; i++) { s.n = s.n + 11; } } printf("4 s.n %d (12)\n", s.n); break;
  case 5: {
#pragma acc parallel copyout(s)
  { s.n = 12; s.d = 1; } } printf("5 s.n %d (12)\n", s.n); break;
  case 6: {
#pragma acc kernels copy(s)
  { s.n = 12; } } printf("6 s.n %d (12)\n", s.n); break;
  case 7: {
#pragma acc data copy(s)
#pragma acc kernels
  { s.n = 12; } } printf("7 s.n %d (12)\n", s.n); break;
  case 8: {
#pragma acc parallel copy(x)
  { x = 12; } } printf("8 x %d (12)\n", x); break;
  case 9: {
#pragma acc parallel loop copy(p[0:1])
  for (int i = 0; i < 8; i++) { p->a[i] = i; if (i == 3) p->n = 12; } } printf("9 s.n %d %d (12 7)\n", s.n, s.a[7]); break;
  case 10: {
#pragma acc enter data copyin(p[0:1])
#pragma acc parallel loop present(p)
  for (int i = 0; i < 8; i++) { p->a[i] = i; if (i == 3) p->n = 12; } 
#pragma acc exit data copyout(p[0:1])
  } printf("10 s.n %d %d (12 7)\n", s.n, s.a[7]); break;
  case 11: {
#pragma acc enter data copyin(p[0:1])
#pragma acc parallel loop
  for (int i = 0; i < 8; i++) { p->a[i] = i; if (i == 3) p->n = 12; } 
#pragma acc exit data copyout(p[0:1])
  } printf("11 s.n %d %d (12 7)\n", s.n, s.a[7]); break;
  case 12: { x = 0;
#pragma acc parallel loop copy(s) reduction(max:x)
  for (int i = 0; i < 8; i++) { s.a[i] = i * i; x = x > i ? x : i; } 
  } printf("12 x %d %d (7 49)\n", x, s.a[7]); break;
  case 13: { 
#pragma acc parallel copy(s)
  { s.n += 5; s.d *= 2; } 
  } printf("13 %d %g (6 4)\n", s.n, s.d); break;
  case 14: { 
#pragma acc serial copy(s)
  { s.n += 5; s.d *= 2; } 
  } printf("14 %d %g (6 4)\n", s.n, s.d); break;
  }
  return 0;
}

struct S_b13 { int n; double d; int a[8]; };
static int program_b13(void) {
  struct S_b13 s = {1, 2.0, {0}};
#pragma acc parallel loop copy(s)
  for (int i = 0; i < 8; i++) { s.a[i] = i; if (i == 3) s.n = 12; }
  printf("3 s.n %d %d (12 7)\n", s.n, s.a[7]);
  return 0; }

struct P_c8 { double x, y; int hits; };
static void sweep(struct P_c8 *p, int n, const double *a) {
#pragma acc parallel loop present(p[0:1], a[0:n])
  for (int i = 0; i < n; i++) {
    if (a[i] > 98) p->x = a[i];
#pragma acc atomic
    p->hits += 1;
  }
}
static int program_c8(void) {
  struct P_c8 p = {0, 0, 0}; double a[100]; for (int i = 0; i < 100; i++) a[i] = i;
  struct P_c8 *q = &p;
#pragma acc data copy(q[0:1]) copyin(a)
  { sweep(q, 100, a); sweep(q, 100, a); }
  printf("x %g hits %d (99 200)\n", p.x, p.hits);
  return 0; }

struct P_c9 { int n; int k; };
static int program_c9(void) {
  struct P_c9 p = {3, 0}; int a[16] = {0};
#pragma acc data copyin(p) copy(a)
  {
    p.n = 10;                     /* the host's; the device still has 3 */
#pragma acc parallel loop present(p)
    for (int i = 0; i < 16; i++) if (i < p.n) a[i] = 1;
  }
  int s = 0; for (int i = 0; i < 16; i++) s += a[i];
  printf("s %d (3 on separate memory)\n", s);
  return 0; }

struct V_d2 { int n; double *x; };
struct W_d2 { struct V_d2 v; double sum; } ;
static int program_d2(void) {
  struct W_d2 w; w.v.n = 50; w.v.x = malloc(50 * sizeof(double)); w.sum = 0;
  for (int i = 0; i < 50; i++) w.v.x[i] = i;
#pragma acc enter data copyin(w, w.v.x[0:50])
#pragma acc parallel loop present(w)
  for (int i = 0; i < w.v.n; i++) w.v.x[i] *= 2;
  double s = 0;
#pragma acc parallel loop present(w) reduction(+:s)
  for (int i = 0; i < w.v.n; i++) s += w.v.x[i];
#pragma acc serial present(w, w.v.x[0:50])
  { w.sum = 5; for (int i = 0; i < w.v.n; i++) w.sum += w.v.x[i]; }
#pragma acc update self(w.sum)
#pragma acc exit data copyout(w.v.x[0:50]) delete(w)
  printf("s %g sum %g (2450 2455)\n", s, w.sum);
  struct V_d2 *vs = malloc(3 * sizeof *vs);
  for (int k = 0; k < 3; k++) { vs[k].n = 4; vs[k].x = calloc(4, 8); }
#pragma acc enter data copyin(vs[0:3])
  for (int k = 0; k < 3; k++) {
#pragma acc enter data copyin(vs[k].x[0:4])
  }
#pragma acc parallel loop present(vs)
  for (int k = 0; k < 3; k++) for (int i = 0; i < vs[k].n; i++) vs[k].x[i] = k * 10 + i;
  for (int k = 0; k < 3; k++) {
#pragma acc exit data copyout(vs[k].x[0:4])
  }
#pragma acc exit data delete(vs[0:3])
  printf("%g %g (23 10)\n", vs[2].x[3], vs[1].x[0]);
  return 0; }

int main(void) {
  int failed = 0;
  failed |= program_b7();
  failed |= program_b8();
  failed |= program_b8o();
  failed |= program_b8v();
  failed |= program_b9();
  failed |= program_b10();
  failed |= program_b11();
  for (int k = 0; k < 15; k++) failed |= program_b12(k);
  failed |= program_b13();
  failed |= program_c8();
  failed |= program_c9();
  failed |= program_d2();
  return failed;
}
