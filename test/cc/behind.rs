//! What a region leaves behind it, where constructs have variables of their own and where
//! it has to run on the host after all.

use super::folder::as_they_must_be;

/// Each line ends with what it must be.
const BEHIND: &str = r#"#include <stdio.h>
static double g[64];
static unsigned char shift = 2;
static struct { long n; struct { double c; unsigned short v; } p; int w[3][2]; } s;
static long q[64];
static void sixth(long *p) { p[2] = 6; }

/* The serial construct sets an `r` of its own: the one before is still read. */
static void own(int n) {
  double r = -3;
#pragma acc data copy(g) copy(r)
#pragma acc kernels
  {
    long i = n;
    r = (double)i + g[57];
  }
#pragma acc serial private(r)
  r = 0;
  printf("%g 8\n", r);
  int last = 1;
#pragma acc kernels copy(g)
  for (int i = 0; i < 64; i++) {
    g[i] = i;
    last = i;
  }
#pragma acc parallel
  last = 7;
  printf("%d 63\n", last);
}

/* Members of `s` lie in what is copied as a whole, and a pointer is written through. */
static void overlaps(long *p) {
  unsigned short r = 500;
  s.w[0][0] = s.w[1][0] = s.w[2][0] = 1 << 20;
#pragma acc data copy(s) copy(p[0:64]) copy(r)
#pragma acc serial copy(shift) copy(p[0:64])
  for (int i = 0; i < 4; ++i) {
    sixth(&p[10]);
    for (unsigned long j = 0; j < i; j++) {
      r = r >> ((shift + 128L) & 31);
      s.p.v = (short)-3;
      s.w[j][i >> 5] >>= 4;
    }
  }
  printf("%d 0\n", r);
  printf("%d 65533\n", s.p.v);
  printf("%d 256\n", s.w[0][0]);
  printf("%d 4096\n", s.w[1][0]);
  printf("%ld 6\n", p[12]);
}

int main(void) {
  own(8);
  overlaps(q);
  return 0;
}
"#;

#[test]
fn what_is_behind_a_region_is_the_programs() {
    as_they_must_be(BEHIND, 7);
}

/// Constructs whose statements have no braces: what they open is closed in order, also where the program
/// says what its own code uses.
const UNBRACED: &str = r#"#include <stdio.h>
#include <stdlib.h>
static void add(unsigned *data, int n, int round) {
#pragma acc parallel loop present(data[0:n])
  for (int i = 0; i < n; i++) data[i] += round;
}
static unsigned sum(const unsigned *data, int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) s += data[i];
  return s;
}
int main(void) {
  unsigned *data = calloc(300, sizeof *data);
#pragma acc data copy(data[0:300])
  for (int r = 0; r < 3; r++) add(data, 300, r);
  printf("%u 900\n", sum(data, 300));
#pragma acc data copy(data[0:300])
  for (int r = 0; r < 4; r++)
    if (r % 2)
      add(data, 300, r);
    else
      add(data, 300, 1);
  printf("%u 2700\n", sum(data, 300));
  int r = 3;
#pragma acc data copy(data[0:300]) if (r > 1)
  while (r > 0)
    add(data, 300, r--);
  printf("%u 4500\n", sum(data, 300));
  free(data);
  return 0;
}
"#;

#[test]
fn constructs_without_braces_end_where_their_statements_do() {
    as_they_must_be(UNBRACED, 3);
}
