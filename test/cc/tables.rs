//! Arrays whose rows lie where pointers in memory say.

use super::folder::{Folder, text};

const TABLES: &str = include_str!("Inputs/tables.c");

#[test]
fn rows_that_meet_are_those_of_c() {
    let f = Folder::new(&[("tables.c", TABLES)]);
    f.prints_what_gcc_prints_with("tables.c", &["-ta=nvidia,multicore", "--auto"]);
}

const SCALE: &str = "
#include <stdio.h>
static void scale(double **a, int n, int m) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = a[i][j] * 2 + 1;
}
static double room[64][500];
int main(int argc, char **argv) {
  double *a[64];
  for (int i = 0; i < 64; i++) a[i] = room[(i * 29) % 64];
  if (argc > 1) a[5] = a[9] + 1;
  scale(a, 64, 499);
  printf(\"%g\\n\", room[3][4]);
  return 0;
}";

/// The code for cores runs where rows lie apart, in whatever order; else the C statement.
#[test]
fn whether_rows_lie_apart_is_found_out() {
    let f = Folder::new(&[("scale.c", SCALE)]);
    let out = f.terrace(&["-O2", "--auto", "scale.c", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let ran = |arguments: &[&str]| {
        let mut c = f.command("made");
        c.args(arguments);
        let variables = [
            ("TERRACE_TARGET", "cpu"),
            ("TERRACE_PROFILE", "1"),
            ("TERRACE_RUN_SHORT", "1"),
        ];
        let out = f.run_with(c, &variables);
        assert_eq!(text(&out.stdout), "1\n", "{}", text(&out.stderr));
        text(&out.stderr).contains("scale.region0")
    };
    assert!(ran(&[]));
    assert!(!ran(&["meet"]));
}
