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
