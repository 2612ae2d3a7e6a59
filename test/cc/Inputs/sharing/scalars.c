/* Scalars that data around a construct, or `declare`, names; loop variables. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
static int program_b1(void) {
  int n = 0, first = -1, a[8];
#pragma acc data copy(n, first) copyout(a)
  {
#pragma acc parallel loop
    for (int i = 0; i < 8; i++) {
#pragma acc atomic capture
      a[i] = n++;
    }
#pragma acc serial
    { first = 42; }
  }
  printf("n %d (8)  first %d (42)\n", n, first);
  n = 0;
#pragma acc parallel loop copy(n) copyout(a)
    for (int i = 0; i < 8; i++) {
#pragma acc atomic capture
      a[i] = n++;
    }
  printf("n %d (8)\n", n);
  int m = 1;
#pragma acc data copy(m)
  {
#pragma acc parallel loop
    for (int i = 0; i < 8; i++) {
#pragma acc atomic update
      m = m * 2;
    }
  }
  printf("m %d (256)\n", m);
  m = 1;
#pragma acc data copy(m)
  {
#pragma acc parallel loop
    for (int i = 0; i < 8; i++) {
#pragma acc atomic update
      m = 7 - m;
    }
  }
  printf("m %d (1)\n", m);
  m = 1;
#pragma acc data copy(m)
  {
#pragma acc parallel loop
    for (int i = 0; i < 1; i++) {
#pragma acc atomic write
      m = 9;
    }
  }
  printf("m %d (9)\n", m);
#pragma acc data copy(m)
  {
#pragma acc parallel
    m = 10;
  }
  printf("m %d (10)\n", m);
#pragma acc data copy(m)
  {
#pragma acc parallel present(m)
    m = 11;
  }
  printf("m %d (11)\n", m);
  return 0;
}

int b2_g = 1, b2_h = 1;
#pragma acc declare create(b2_g)
int b2_s = 5;
#pragma acc declare copyin(b2_s)
int ss(void) { int l = 3;
#pragma acc declare copy(l)
#pragma acc parallel
  l = 4;
  return l; }
static int program_b2(void) {
  b2_g = 5;
#pragma acc update device(b2_g)
#pragma acc parallel
  b2_g = b2_g + 1;
#pragma acc update self(b2_g)
  printf("g %d (6)\n", b2_g);
#pragma acc serial
  b2_s = 6;
#pragma acc update self(b2_s)
  printf("s %d (6)\n", b2_s);
#pragma acc enter data copyin(b2_h)
#pragma acc parallel present(b2_h)
  b2_h = 6;
#pragma acc exit data copyout(b2_h)
  printf("h %d (6)\n", b2_h);
  printf("l %d\n", ss());
  int q = 3, r = 0;
#pragma acc data copyin(q) copyout(r)
  {
  q = 7; /* device copy stays 3 */
#pragma acc parallel
  r = q;
  }
  printf("r %d (3 on separate memory, 7 shared)\n", r);
  int t = 3;
#pragma acc data create(t)
  {
#pragma acc parallel
   t = 5;
#pragma acc parallel copyout(r)
   r = t;
#pragma acc update self(t)
  }
  printf("r %d t %d (5 5)\n", r, t);
  double sum = 0, a[100];
  for (int i = 0; i < 100; i++) a[i] = i;
#pragma acc data copy(sum) copyin(a)
  {
#pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < 100; i++) sum += a[i];
#pragma acc parallel loop
    for (int i = 0; i < 100; i++) { if (i == 50) sum = -sum; }
  }
  printf("sum %g (-4950)\n", sum);
  return 0;
}

static int program_c5(void) {
  int a[100], found = 0, err = 0; double mx = 0; for (int i = 0; i < 100; i++) a[i] = i;
#pragma acc data copyin(a) copy(found, err)
  {
#pragma acc parallel loop
    for (int i = 0; i < 100; i++) if (a[i] == 42) found = i;
#pragma acc parallel loop
    for (int i = 0; i < 100; i++) if (a[i] > 1000) err = 1;
#pragma acc serial
    { found = found + 1; }
  }
  printf("found %d (43)\n", found);
  return 0;
}

float d1_g = 1; int cnt;
#pragma acc declare create(d1_g)
#pragma acc declare create(cnt)
#pragma acc routine seq
static int bump(int k) { int o;
#pragma acc atomic capture
  { o = cnt; cnt += k; }
  return o; }
static int program_d1(void) {
  printf("present %d\n", acc_is_present(&d1_g, sizeof d1_g) != 0);
  cnt = 0; int seen[8];
#pragma acc update device(cnt)
#pragma acc parallel loop copyout(seen)
  for (int i = 0; i < 8; i++) seen[i] = bump(2);
  cnt = -1;
#pragma acc update self(cnt)
  printf("cnt %d (16)\n", cnt);
  return 0; }

int i;
int gi;
static int program_b14(void) {
  int c = 234, a[8], after = 0, v;
#pragma acc kernels copyout(a) copy(after)
  {
    c = 234;
#pragma acc loop seq
    for (c = 0; c < 8; c++) a[c] = c;
    after = c;
  }
  printf("1 after seq loop c %d (8; loop variable of seq loop stays in sequence?)\n", after);
#pragma acc kernels copyout(a) copy(after)
  {
    c = 234;
#pragma acc loop independent
    for (c = 0; c < 8; c++) a[c] = c;
    after = c;
  }
  printf("2 after independent loop c %d (234: private)\n", after);
  c = 234;
#pragma acc parallel copyout(a) copy(after)
  {
    c = 235;
#pragma acc loop gang
    for (c = 0; c < 8; c++) a[c] = c;
    after = c;
  }
  printf("3 after %d (235), c %d (234)\n", after, c);
  /* data clauses of scalars that are changed */
  i = -1; int j = -2; v = 0;
#pragma acc parallel copyout(v) copyin(i, j)
  { v = (i == -1 && j == -2); i = 2; j = 1; v += i == 2 && j == 1; }
  printf("4 v %d (2) i %d j %d (-1 -2 on separate memory)\n", v, i, j);
  i = -1; j = -2;
#pragma acc parallel copyout(v) create(i, j)
  { i = 2; j = 1; v = i + j; }
  printf("5 v %d (3) i %d j %d (-1 -2 on separate memory)\n", v, i, j);
#pragma acc data copyin(i, j)
  {
#pragma acc parallel copyout(v) present(i, j)
  { i = 2; j = 1; v = i + j; }
  }
  printf("6 v %d (3) i %d j %d (-1 -2 on separate memory)\n", v, i, j);
#pragma acc kernels copyout(v) copyin(i, j)
  { v = (i == -1 && j == -2); i = 2; j = 1; v += i == 2 && j == 1; }
  printf("7 v %d (2) i %d j %d (-1 -2 on separate memory)\n", v, i, j);
  i = -1; j = -2;
#pragma acc data copyin(i, j)
  {
#pragma acc kernels copyout(v)
  { i = 2; j = 1; v = i + j; }
  i = 50;
#pragma acc kernels copyout(v)
  { v = i + j; }
  }
  printf("8 v %d (3) i %d j %d (50 -2 on separate memory)\n", v, i, j);
  int x = 5;
#pragma acc enter data copyin(x)
  x = 6;
#pragma acc parallel present(x) copyout(v)
  { v = x; x = 9; }
  printf("9 v %d (5) x %d (6)\n", v, x);
#pragma acc exit data copyout(x)
  printf("10 x %d (9)\n", x);
  return 0;
}

int main(void) {
  int failed = 0;
  failed |= program_b1();
  failed |= program_b2();
  failed |= program_c5();
  failed |= program_d1();
  failed |= program_b14();
  return failed;
}
