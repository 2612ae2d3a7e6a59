/* Reductions of constructs, what every gang does, and what gangs have of their own. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
static int program_b4(void) {
  int ok = 1, val = 2, ary[32];
  for (int i = 0; i < 32; i++) ary[i] = -1;
#pragma acc parallel num_gangs(32) firstprivate(val) copy(ary, ok)
  {
#pragma acc loop gang
    for (int i = 0; i < 32; i++) { if (val != 2) ok = 0; val += i; ary[i] = val; }
  }
  int bad = 0; for (int i = 0; i < 32; i++) bad += ary[i] != 2 + i;
  printf("A ok %d bad %d val %d\n", ok, bad, val);
  int x = 123;
#pragma acc parallel num_gangs(1) reduction(+:x)
  { x = 23; }
  printf("B x %d (146)\n", x);
  x = 5;
#pragma acc parallel num_gangs(4) reduction(+:x)
  { x += 1; }
  printf("B2 x %d (9 with 4 gangs)\n", x);
  int v = 2, o = 0;
#pragma acc data copy(v)
  {
#pragma acc parallel present(v)
  v = 7;
#pragma acc parallel firstprivate(v) copy(o)
  { o = v == 7; v = 9; }
  }
  printf("C o %d v %d (1 7 on separate memory)\n", o, v);
  int a = 5, c = 0, d = 0;
#pragma acc data copy(a)
  {
#pragma acc parallel firstprivate(a) copyout(c)
    { a = 10; c = a; }
#pragma acc parallel copyout(d) present(a)
    { d = a; }
  }
  printf("D c %d d %d (10 5)\n", c, d);
  int y = 3, arr[32]; for (int i = 0; i < 32; i++) arr[i] = 3;
#pragma acc parallel firstprivate(y) copy(arr) num_gangs(32) num_workers(8) vector_length(32)
  {
#pragma acc loop gang
    for (int i = 0; i < 32; i++) arr[i] += y;
  }
  printf("E %d (6)\n", arr[31]);
  int r = 0;
#pragma acc parallel num_gangs(8) copy(r)
  {
#pragma acc atomic
    r++;
  }
  printf("F r %d (8 if gang-redundant)\n", r);
  return 0;
}

struct L_c1 { int v; struct L_c1 *next; };
static int program_c1(void) {
  int x = 123, y = 5, m = 3, p1 = 2;
#pragma acc parallel num_gangs(1) reduction(+:x)
  { x = 23; }
#pragma acc parallel num_gangs(1) reduction(max:m)
  { m = 1; }
#pragma acc parallel num_gangs(1) reduction(*:p1)
  { p1 = 5; }
#pragma acc serial reduction(+:y)
  { y = 1; y += 2; }
  printf("reduction on the construct: %d (146) %d (3) %d (10) %d (8)\n", x, m, p1, y);
  int s = 10, a[4] = {1,2,3,4};
#pragma acc parallel reduction(+:s) copyin(a)
  {
#pragma acc loop gang reduction(+:s)
   for (int i = 0; i < 4; i++) s += a[i];
  }
  printf("with a loop: %d (20)\n", s);
  s = 10;
#pragma acc parallel num_gangs(1) reduction(+:s) copyin(a)
  {
   s = 1;
#pragma acc loop vector reduction(+:s)
   for (int i = 0; i < 4; i++) s += a[i];
  }
  printf("set, then a loop: %d (21)\n", s);
  return 0;
}

static int program_d3(void) {
  int tmp[4], out[64], base[4] = {1, 2, 3, 4}, x = 3, acc = 0;
#pragma acc parallel loop gang private(tmp) copyout(out) firstprivate(base)
  for (int i = 0; i < 16; i++) {
    for (int k = 0; k < 4; k++) tmp[k] = i * k + base[k];
    for (int k = 0; k < 4; k++) out[4 * i + k] = tmp[3 - k];
  }
  int bad = 0; for (int i = 0; i < 64; i++) bad += out[i] != (i / 4) * (3 - i % 4) + 4 - i % 4;
  printf("private array bad %d (0)\n", bad);
#pragma acc parallel loop gang firstprivate(base) copyout(out)
  for (int i = 0; i < 16; i++) { base[0] = i; for (int k = 0; k < 4; k++) out[4 * i + k] = base[k] + base[0]; }
  bad = 0; for (int i = 0; i < 64; i++) bad += out[i] != (i % 4 ? base[i % 4] + i / 4 : 2 * (i / 4));
  printf("firstprivate array bad %d (0), base[0] %d (1)\n", bad, base[0]);
  int h[3] = {1, 1, 1};
#pragma acc parallel loop reduction(+:h)
  for (int i = 0; i < 30; i++) h[i % 3] += i;
  printf("array reduction %d %d %d (136 146 156)\n", h[0], h[1], h[2]);
  if (x > 5)
#pragma acc parallel loop copyout(out)
  for (int i = 0; i < 64; i++) out[i] = 9;
  printf("out %d\n", out[63] == 9);
#pragma acc parallel loop collapse(2) reduction(+:acc) if(x == 3)
  for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) acc += i * j;
  printf("acc %d (784)\n", acc);
#pragma acc parallel loop self(x == 3) copy(out)
  for (int i = 0; i < 64; i++) out[i] = i;
  printf("self %d (63)\n", out[63]);
  return 0; }

int main(void) {
  int failed = 0;
  failed |= program_b4();
  failed |= program_c1();
  failed |= program_d3();
  return failed;
}
