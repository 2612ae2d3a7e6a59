//! Arrays whose rows lie where pointers in memory say.

use super::folder::{Folder, text};

const TABLES: &str = include_str!("Inputs/tables.c");

#[test]
fn rows_that_meet_are_those_of_c() {
    let f = Folder::new(&[("tables.c", TABLES)]);
    f.prints_what_gcc_prints_with("tables.c", &["-ta=nvidia,multicore", "--auto"]);
}

/// The call has room for all that the function of the extents writes, also of arrays whose old
/// elements it does not ask for because pointers in memory may lead to them.
#[test]
fn a_call_has_room_for_all_that_is_asked() {
    let source = |directive: &str, end: &str| {
        format!(
            "#include <stdio.h>\nstatic short row[4][8], *table[4] = {{row[1], row[3], row[0], row[2]}};\nstatic double v[64];\nvoid f(unsigned char n, int m, double *q) {{\n  int s = 0;\n{directive}  for (int i = 1; i <= m; i++) {{\n    s += table[n & 3][1];\n    q[15] = 1;\n  }}\n{end}  printf(\"%d\\n\", s);\n}}\nint main(void) {{\n  row[2][1] = 5;\n  f(7, 3, v);\n  return 0;\n}}\n"
        )
    };
    let scop = ("#pragma scop\n", "#pragma endscop\n");
    for (directive, end) in [scop, ("#pragma terrace offload\n", "")] {
        let f = Folder::new(&[("room.c", &source(directive, end))]);
        let flags = ["-O1", "-w", "-fstack-protector-all", "room.c", "-o", "made"];
        let out = f.terrace(&flags);
        assert!(out.status.success(), "{}", text(&out.stderr));
        let ran = f.program("made", &[("TERRACE_TARGET", "cpu")]);
        assert_eq!(text(&ran.stdout), "15\n", "{}", text(&ran.stderr));
    }
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
