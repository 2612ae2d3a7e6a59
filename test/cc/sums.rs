//! Sums of floats keep their order unless the command line or a directive allows
//! another.

use super::folder::{Folder, text};

const SUMS: &str = r#"#include <stdio.h>
#define N 1000
static double a[N];
static int k[N];
int main(void)
{
  double nrm = 0, max = 0;
  long count = 0;
  for (int i = 0; i < N; i++) {
    a[i] = 1.0 / (i + 1);
    k[i] = i % 7;
  }
#ifdef ACC
#pragma acc kernels
#else
#pragma scop
#endif
  {
    for (int i = 0; i < N; i++)
      nrm += a[i] * a[i];
    for (int i = 0; i < N; i++)
      count += k[i];
    for (int i = 0; i < N; i++)
      max = a[i] > max ? a[i] : max;
  }
#ifndef ACC
#pragma endscop
#endif
  printf("%a %ld %a\n", nrm, count, max);
  return 0;
}
"#;

const ORDERED: &str = "the sum of nrm may not be reordered (floating point); -fassociative-math \
                       or a reduction clause allows it";

fn said(f: &Folder, options: &[&str]) -> String {
    let args = [&["-O1", "-Minfo", "sums.c", "-o", "made"], options].concat();
    let out = f.terrace(&args);
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stderr)
}

#[test]
fn sums_of_floats_keep_their_order_in_a_scop() {
    let f = Folder::new(&[("sums.c", SUMS)]);
    let notes = said(&f, &[]);
    assert!(notes.contains(ORDERED), "{notes}");
    for exact in ["count is the sum of", "max is the maximum of"] {
        assert!(notes.contains(exact), "{exact}: {notes}");
    }
    // To the last bit.
    let gcc = f.gcc(&["-O1", "-Wno-unknown-pragmas", "sums.c", "-o", "expected"]);
    assert!(gcc.status.success());
    let expected = text(&f.program("expected", &[]).stdout);
    for target in ["cpu", "emulator"] {
        let out = f.program("made", &[("TERRACE_TARGET", target)]);
        assert_eq!(text(&out.stdout), expected, "{}", text(&out.stderr));
    }
}

#[test]
fn options_and_openacc_allow_another_order() {
    let f = Folder::new(&[("sums.c", SUMS)]);
    for options in [
        &["-ffast-math"][..],
        &["-Ofast"],
        &["-fassociative-math"],
        &["--reassociate"],
        &["-DACC"],
    ] {
        let notes = said(&f, options);
        assert!(
            !notes.contains("may not be reordered"),
            "{options:?}: {notes}"
        );
        assert!(notes.contains("nrm is the sum of"), "{options:?}: {notes}");
    }
    let notes = said(&f, &["-Ofast", "-O2"]);
    assert!(notes.contains(ORDERED), "{notes}");
}

/// Whether the directive asks for the sum or terrace finds it: parts of it start from -0,
/// which changes nothing, not from 0, which makes 0 of -0.
#[test]
fn a_sum_of_nothing_but_negative_zeros_is_one() {
    let program = r#"#include <stdio.h>
static double x[1000];
int main(void)
{
  for (int i = 0; i < 1000; i++)
    x[i] = -0.0;
  double asked = -0.0, found = -0.0;
  float narrow = -0.0f;
#pragma acc parallel loop reduction(+:asked)
  for (int i = 0; i < 1000; i++)
    asked += x[i];
#pragma acc kernels
  {
    for (int i = 0; i < 1000; i++)
      found += x[i];
    for (int i = 0; i < 1000; i++)
      narrow += (float)x[i];
  }
  printf("%g %g %g\n", asked, found, narrow);
  return 0;
}
"#;
    let f = Folder::new(&[("zero.c", program)]);
    let out = f.terrace(&["-O1", "zero.c", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for target in ["host", "cpu", "emulator"] {
        let out = f.program("made", &[("TERRACE_TARGET", target)]);
        let (said, wrong) = (text(&out.stdout), text(&out.stderr));
        assert_eq!(said, "-0 -0 -0\n", "{target}: {wrong}");
    }
}
