//! Functions called in regions that change what a pointer leads to.

use super::folder::as_they_must_be;

/// Each line ends with what it must be.
const POINTERS: &str = r#"#include <stdio.h>
static unsigned long rows[12][20], total = 5;
static unsigned count;
static int n = 3;
static void fourth(unsigned long *p) { p[3]++; }
static void less(unsigned long *p) { p[0] -= 1; }
static void odd(unsigned *p) { for (int i = 0; i < 7; i++) p[0] |= 1; }
static void more(void) { count += 1; }
struct record { double d; int a[8]; } records[5];
static void set(int *p, int v) {
  *p = v;
  p[-1] += 10;
  p++;
  *p = v + 1;
}
static int kept(const int *p, int n) {
  int s = 0;
  while (n-- > 0) s += *p++;
  return s;
}
int main(void) {
  long all = 0;
#pragma scop
  for (int i = 0; i < 1; i++) fourth(&rows[11][1]);
#pragma endscop
  printf("%lu 1\n", rows[11][4]);
#pragma scop
  for (int i = 0; i < 3; i++) less(&total);
  for (int i = 0; i < 2; i++) total += 10;
#pragma endscop
  printf("%lu 22\n", total);
#pragma scop
  for (int i = 8; i > 2; i--) {
    odd(&count);
    more();
  }
#pragma endscop
  printf("%u 12\n", count);
#pragma scop
  {
    int *p = &n;
    for (int i = 0; i < n; i++) {
      all += i;
      if (i < 4) *p = *p + 1;
    }
  }
#pragma endscop
  printf("%ld 21\n", all);
  double v[8], sum = 5;
#pragma acc parallel loop copyout(v) reduction(+ : sum)
  for (int i = 0; i < 8; i++) {
    double *p = &sum;
    *p += i;
    v[i] = i;
  }
  printf("%g 33\n", sum);
  int s = 0;
#pragma acc parallel loop copy(records)
  for (int i = 1; i < 5; i++) {
    set(&records[i].a[4], i);
  }
#pragma acc serial copy(s) copyin(records)
  s = kept(records[3].a, 8);
  printf("%d 17\n", s);
  printf("%d 4\n", records[4].a[4]);
  return 0;
}
"#;

#[test]
fn what_a_called_function_changes_through_a_pointer() {
    as_they_must_be(POINTERS, 7);
}
