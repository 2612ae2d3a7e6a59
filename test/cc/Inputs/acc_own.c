/* Variables that a construct has copies of its own of, wherever it runs: `private`,
   `firstprivate`, scalars that no clause names under parallel and serial, counters of
   loops that a directive shares out. Each check prints a line, `ok` or `FAIL`. */
#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>

#define N 40

static int failures;

static void check(const char *name, int holds) {
  printf("%s %s\n", holds ? "ok" : "FAIL", name);
  fflush(stdout);
  failures += !holds;
}

static void scalars(void) {
  int val = 2, imp = 3, serial = 7, t = 100, w = 1, a[N];
  double d = 0.5;
  float f = 1.5f;
  unsigned char c = 200;
  _Bool b = 1;
#pragma acc parallel firstprivate(val) copyout(a[0:1])
  {
    a[0] = val;
    val = 9;
  }
  check("firstprivate", val == 2 && a[0] == 2);
#pragma acc parallel copyout(a[0:2])
  {
    a[0] = imp + (int)(2 * d) + (int)(2 * f) + c + b;
    imp = 9;
    d = 9;
    f = 9;
    c += 100;
    b = 0;
    a[1] = imp + (int)d + (int)f + c + b;
  }
  check("scalars without a clause", imp == 3 && d == 0.5 && f == 1.5f && c == 200 && b);
  check("their values within", a[0] == 208 && a[1] == 27 + 44);
#pragma acc serial
  { serial = 8; }
  check("serial", serial == 7);
#pragma acc parallel loop private(t) copyout(a)
  for (int i = 0; i < N; i++) {
    t = i;
    a[i] = t;
  }
  check("private of a loop", t == 100 && a[N - 1] == N - 1);
#pragma acc parallel loop firstprivate(w) copyout(a)
  for (int i = 0; i < N; i++) a[i] = w + i;
  check("firstprivate of a loop", w == 1 && a[N - 1] == N);
}

static int global = 4;

static void places(int parameter) {
  static int kept = 5;
  int a[3];
#pragma acc parallel copyout(a)
  {
    global += 10;
    kept += 10;
    parameter += 10;
    a[0] = global;
    a[1] = kept;
    a[2] = parameter;
  }
  check("globals, static variables, parameters",
        global == 4 && kept == 5 && parameter == 6 && a[0] == 14 && a[1] == 15 && a[2] == 16);
}

static void counters(void) {
  int c = 234, i = -1, j = -2, k = -3, a[8], m[4][4], after = 0;
#pragma acc kernels copyout(a) copy(after)
  {
    c = 5;
#pragma acc loop independent
    for (c = 0; c < 8; c++) a[c] = c;
    after = c;
  }
  check("a counter under kernels", after == 5 && a[7] == 7);
#pragma acc kernels copyout(a) copy(after)
  {
    c = 5;
#pragma acc loop seq
    for (c = 0; c < 8; c++) a[c] = c;
    after = c;
  }
  check("the counter of seq", after == 8);
  c = 234;
#pragma acc parallel copyout(a) copy(after)
  {
    c = 235;
#pragma acc loop gang
    for (c = 0; c < 8; c++) a[c] = 2 * c;
    after = c;
  }
  check("a counter under parallel", after == 235 && c == 234 && a[7] == 14);
#pragma acc parallel loop collapse(2) copyout(m)
  for (i = 0; i < 4; i++)
    for (j = 0; j < 4; j++) m[i][j] = i * j;
  check("counters of collapse", i == -1 && j == -2 && m[3][3] == 9);
#pragma acc kernels loop tile(2, 2) copyout(m)
  for (i = 0; i < 4; i++)
    for (j = 0; j < 4; j++) m[i][j] = i + j;
  check("counters of tile", i == -1 && j == -2 && m[3][3] == 6);
#pragma acc parallel loop copyout(m) private(k)
  for (i = 0; i < 4; i++) {
#pragma acc loop
    for (j = 0; j < 4; j++) {
      k = i - j;
      m[i][j] = k;
    }
  }
  check("counters of loops in loops", i == -1 && j == -2 && k == -3 && m[3][1] == 2);
}

static void inner(void) {
  int t = 1, tmp[4] = {7, 7, 7, 7}, a[N], out[4] = {0};
#pragma acc kernels copyout(a, out)
  {
    t = 2;
#pragma acc loop independent private(t)
    for (int i = 0; i < N; i++) {
      t = i * i;
      a[i] = t;
    }
    out[0] = t;
  }
  check("private of a loop, and the variable behind it", out[0] == 2 && a[5] == 25);
#pragma acc parallel loop private(tmp) copyout(a)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 4; k++) tmp[k] = i * k;
    a[i] = tmp[1] + tmp[3];
  }
  check("a private array", tmp[0] == 7 && tmp[3] == 7 && a[9] == 36);
}

struct pair {
  int x;
  double y;
};

static int table[N];

static void aggregates(int n) {
  int lengths[n], a[N];
  struct pair p = {1, 2};
  for (int i = 0; i < n; i++) lengths[i] = i;
  for (int i = 0; i < N; i++) table[i] = i;
#pragma acc parallel loop private(p) copyout(a)
  for (int i = 0; i < N; i++) {
    p.x = i;
    a[i] = p.x + 1;
  }
  check("a private record", p.x == 1 && p.y == 2 && a[N - 1] == N);
#pragma acc serial firstprivate(lengths) copyout(a[0:1])
  {
    a[0] = lengths[n - 1];
    lengths[0] = 99;
  }
  check("a firstprivate array of variable length", lengths[0] == 0 && a[0] == n - 1);
#pragma acc serial firstprivate(table) copyout(a[0:1])
  {
    a[0] = table[3];
    table[3] = 99;
  }
  check("a firstprivate static array", table[3] == 3 && a[0] == 3);
}

static void pointers(void) {
  int a[N], *p = a, *first = a;
  for (int i = 0; i < N; i++) a[i] = i;
#pragma acc serial copy(a)
  {
    int *q = a;
    q += 2;
    *q = 77;
  }
  check("a pointer of the region", a[2] == 77);
#pragma acc parallel loop copy(p[0:N])
  for (int i = 0; i < N; i++) p[i] += 1;
  check("a pointer that stays", p == first && a[0] == 1);
}

/* Functions that are called mean the program's variables, whose copies only the text of the
   construct names. */
static int level = 4, row[4] = {1, 2, 3, 4};
#pragma acc declare create(level, row)

#pragma acc routine seq
static int level_of_program(void) { return level; }
#pragma acc routine seq
static void raise_level(int by) { level += by; }
#pragma acc routine seq
static int row_of_program(int i) { return row[i]; }
#pragma acc routine seq
static int level_with_own(int n) {
  int sum = 0;
#pragma acc loop seq private(level)
  for (int i = 0; i < n; i++) {
    level = 100 * i;
    sum += level + level_of_program();
  }
  return sum + level;
}

static void seen_by_functions(void) {
  int a[5] = {0};
#pragma acc update device(level, row)
#pragma acc parallel private(level) copy(a)
  {
    level = 9;
    a[0] = level_of_program();
    raise_level(3);
    a[1] = level;
    a[2] = level_of_program();
  }
#pragma acc update self(level)
  check("a private global in functions", a[0] == 4 && a[1] == 9 && a[2] == 7 && level == 7);
#pragma acc parallel firstprivate(level) copy(a)
  {
    a[0] = level;
    level = 9;
    a[1] = level_of_program();
    a[2] = level;
  }
#pragma acc update self(level)
  check("a firstprivate global in functions", a[0] == 7 && a[1] == 7 && a[2] == 9 && level == 7);
#pragma acc parallel loop private(level) copy(a)
  for (int i = 0; i < 4; i++) {
    level = 10 * i;
    a[i] = level + level_of_program();
  }
  check("a loop's private global in functions", a[0] == 7 && a[3] == 37);
#pragma acc parallel loop private(row) copy(a)
  for (int i = 0; i < 4; i++) {
    row[i] = 20;
    a[i] = row[i] + row_of_program(i);
  }
  check("a private array in functions", a[0] == 21 && a[3] == 24);
#pragma acc serial private(level) copy(a)
  {
    level = 1;
    a[0] = level_with_own(3);
    a[1] = level;
  }
  check("private in a function too", a[0] == 300 + 3 * 7 + 7 && a[1] == 1);
}

/* A gang's own value that loops add to is lost, as any other. */
static void sums_of_own(void) {
  int x = 10, y = 10, z = 10, a[3] = {0}, *p = a;
#pragma acc parallel firstprivate(x) copy(a)
  {
#pragma acc loop reduction(+ : x)
    for (int i = 0; i < 4; i++) x += i;
    a[0] = x;
  }
  check("firstprivate, which a loop reduces", x == 10 && a[0] == 16);
#pragma acc serial firstprivate(y)
  {
#pragma acc loop seq reduction(+ : y)
    for (int i = 0; i < 4; i++) y += i;
  }
  check("firstprivate of serial, which a loop reduces", y == 10);
#pragma acc parallel private(z) copy(a)
  {
    z = 1;
#pragma acc loop reduction(* : z)
    for (int i = 1; i < 5; i++) z *= i;
    a[1] = z;
  }
  check("private, which a loop reduces", z == 10 && a[1] == 24);
#pragma acc parallel copy(p[0:3])
  {
    p += 2;
    *p = 5;
  }
  check("a pointer of a clause that moves", p == a && a[2] == 5);
}

/* The region runs as the system's compiler made it. */
static void at_home(int no, int yes) {
  int x = 1, r = 0;
#pragma acc parallel if (no) copy(r)
  {
    r = x;
    x = 5;
  }
  check("if", x == 1 && r == 1);
#pragma acc parallel self(yes) copy(r)
  {
    r = x + 1;
    x = 5;
  }
  check("self with a condition", x == 1 && r == 2);
#pragma acc parallel self copy(r)
  {
    r = x + 2;
    x = 5;
  }
  check("self", x == 1 && r == 3);
#pragma terrace host
#pragma acc parallel copy(r)
  {
    r = x + 3;
    x = 5;
  }
  check("terrace host", x == 1 && r == 4);
}

/* Arrays that overlap. */
static void overlapping(int *a, int *b, int n) {
  int x = 1;
#pragma acc parallel loop copy(a[0:n]) copyin(b[0:n]) private(x)
  for (int i = 0; i < n; i++) {
    x = b[i];
    a[i] = x + 1;
  }
  check("arrays that overlap", x == 1);
}

/* Names that the text around a statement must not get in the way of. */
static void names(void) {
  int x = 3, r[2] = {0};
  if (x)
#pragma acc parallel copy(r)
  {
    int y = x;
    x = 4;
    {
      int x = 10;
      x++;
      y += x;
    }
    r[0] = x;
    r[1] = y;
  }
  else
    check("never", 0);
  check("shadows within", x == 3 && r[0] == 4 && r[1] == 14);
  for (int i = 0; i < 3; i++)
#pragma acc parallel loop private(x) copy(r)
    for (int j = 0; j < 2; j++) {
      x = j;
      if (x == 1) continue;
      r[x] = i;
    }
  check("the body of a loop", x == 3 && r[0] == 2);
}

/* A function for the device has its own, too. */
#pragma acc routine seq
static int squares(int n) {
  int t = 6, sum = 0;
#pragma acc loop seq private(t)
  for (int i = 0; i < n; i++) {
    t = i * i;
    sum += t;
  }
  return sum + 100 * t;
}

static void routines(void) {
  int a[4];
#pragma acc parallel loop copyout(a)
  for (int i = 0; i < 4; i++) a[i] = squares(i);
  check("private of a loop in a routine", a[3] == 605 && squares(3) == 605);
}

int main(void) {
  int some[N];
  for (int i = 0; i < N; i++) some[i] = i;
  scalars();
  places(6);
  counters();
  inner();
  aggregates(12);
  pointers();
  seen_by_functions();
  sums_of_own();
  at_home(0, 1);
  overlapping(some + 1, some, N - 1);
  names();
  routines();
  printf("%d failures\n", failures);
  return failures != 0;
}
