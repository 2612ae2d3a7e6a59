/* `reduction` on a construct: a gang's copy begins with what leaves the other operand as
   it is, and what it is in the end is combined with the variable. */
#include <stdio.h>

static int failures;

static void check(const char *name, int holds) {
  printf("%s %s\n", holds ? "ok" : "FAIL", name);
  failures += !holds;
}

#define PRAGMA(text) _Pragma(#text)
#define ONE(T, OP, FIRST, VALUE, WANT)                             \
  {                                                                \
    T r = FIRST;                                                   \
    PRAGMA(acc parallel num_gangs(1) reduction(OP : r))            \
    { r = VALUE; }                                                 \
    check("set: " #OP " of " #T, r == (T)(WANT));                  \
    T s = FIRST;                                                   \
    PRAGMA(acc serial reduction(OP : s))                           \
    { }                                                            \
    check("left alone: " #OP " of " #T, s == (T)(FIRST));          \
  }
#define ARITHMETIC(T)          \
  ONE(T, +, 3, 4, 7)           \
  ONE(T, *, 3, 4, 12)          \
  ONE(T, max, 3, 4, 4)         \
  ONE(T, max, 4, 3, 4)         \
  ONE(T, min, 3, 4, 3)         \
  ONE(T, min, 4, 3, 3)         \
  ONE(T, &&, 1, 0, 0)          \
  ONE(T, ||, 0, 1, 1)
#define BITS(T)                \
  ARITHMETIC(T)                \
  ONE(T, &, 6, 3, 2)           \
  ONE(T, |, 6, 3, 7)           \
  ONE(T, ^, 6, 3, 5)

int main(void) {
  BITS(signed char)
  BITS(unsigned char)
  BITS(short)
  BITS(unsigned short)
  BITS(int)
  BITS(unsigned)
  BITS(long)
  BITS(unsigned long)
  BITS(long long)
  ARITHMETIC(float)
  ARITHMETIC(double)
  int s = 10, t = 5, a[4] = {1, 2, 3, 4};
#pragma acc parallel reduction(+ : s) copyin(a)
  {
#pragma acc loop gang reduction(+ : s)
    for (int i = 0; i < 4; i++) s += a[i];
  }
  check("with a loop", s == 20);
  s = 10;
#pragma acc parallel num_gangs(1) reduction(+ : s) copyin(a)
  {
    s = 1;
#pragma acc loop vector reduction(+ : s)
    for (int i = 0; i < 4; i++) s += a[i];
  }
  check("set, then a loop", s == 21);
#pragma acc serial reduction(+ : s) reduction(max : t)
  {
    s = t > 0 ? 100 : 1;
    t = 3;
  }
  check("two variables", s == 22 && t == 5);
  printf("%d failures\n", failures);
  return failures != 0;
}
