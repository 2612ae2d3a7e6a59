//! Regions whose loops run in order, of which cores make rows side by side.

use super::folder::{Folder, text};

const SUBSTITUTION: &str = "
#include <stdio.h>
enum { N = 203 };
static double l[N][N], x[N], b[N];
void solve(void) {
  for (int i = 0; i < N; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) x[i] -= l[i][j] * x[j];
    x[i] = x[i] / l[i][i];
  }
}
int main(void) {
  for (int i = 0; i < N; i++) {
    b[i] = i % 7;
    for (int j = 0; j <= i; j++) l[i][j] = (i + j) % 5 * 0.01 + (i == j);
  }
  solve();
  double sum = 0;
  for (int i = 0; i < N; i++) sum += x[i] * (1 + i % 3);
  printf(\"%.17g\\n\", sum);
  return 0;
}";

/// A forward substitution runs on the cores, with the bits of C. No device takes it.
#[test]
fn rows_of_a_substitution_go_side_by_side_on_cores() {
    let f = Folder::new(&[("solve.c", SUBSTITUTION)]);
    f.prints_what_gcc_prints_with("solve.c", &["-ta=nvidia,multicore", "--auto"]);
    let out = f.terrace(&["-O2", "--auto", "-Minfo", "solve.c", "-o", "made"]);
    let said = text(&out.stderr);
    assert!(out.status.success(), "{said}");
    let cores = "its loops run in order; on cores some of its rows go side by side";
    assert!(said.contains(cores), "{said}");
    let runs_on = |target: &str| {
        let variables = [("TERRACE_TARGET", target), ("TERRACE_PROFILE", "1")];
        let out = f.run_with(f.command("made"), &variables);
        assert!(out.status.success(), "{}", text(&out.stderr));
        text(&out.stderr).contains("solve.region0")
    };
    assert!(runs_on("cpu"));
    assert!(!runs_on("emulator"));
}

/// What stays as it is: an iteration needs all of the one before.
#[test]
fn rows_that_wait_for_each_other_stay_c() {
    let text_of = "
void sweep(int n, double *a) {
  for (int k = 0; k < 9; k++)
    for (int i = 1; i < n; i++) a[i] = 0.5 * (a[i - 1] + a[i]);
}";
    let f = Folder::new(&[("sweep.c", text_of)]);
    let out = f.terrace(&["-O2", "--auto", "-c", "sweep.c", "-Minfo"]);
    let said = text(&out.stderr);
    assert!(
        said.contains("stays on the host: it has no loop whose iterations may run in any order"),
        "{said}"
    );
}
