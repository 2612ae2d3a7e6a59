//! Regions that use parts of one object beside all of it: they run on the device.

use super::folder::{Folder, text};

/// Each line ends with what it must be.
const PARTS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#define N 64
struct in { int n; double d, b[N]; };
struct out { int n; double *a, b[N], d; struct in in; };
static double whole(struct in s) { return s.d + s.n; }

/* A member by value and an array in the record that a clause names. */
static void beside(struct out *s, double *x) {
#pragma acc parallel loop copy(x[0:N]) copy(s[0:1])
  for (int i = 0; i < N; i++) {
    x[i] = s->n + i;
    s->b[i] = 2 * x[i];
  }
  printf("%g %g\n", s->b[N - 1] + s->n, 318.0);
}
/* Clauses for the record, a member of it, and what a pointer in it points to. */
static void clauses(struct out *s) {
#pragma acc parallel loop copyin(s[0:1]) copy(s->b[0:N], s->a[0:N])
  for (int i = 0; i < N; i++) {
    s->a[i] += s->n;
    s->b[i] = s->a[i] + 1;
  }
  printf("%g %g\n", s->a[N - 1] + s->b[N - 1], 255.0);
}
/* The part before the whole. */
static void first(struct out *s, double *x) {
#pragma acc parallel loop copy(s->b[0:N]) copyout(x[0:N]) copy(s[0:1])
  for (int i = 0; i < N; i++) {
    struct in l = s->in;
    x[i] = s->b[i] + whole(l) + l.b[i];
    s->b[i] = i;
  }
  printf("%g %g\n", x[N - 1] + s->b[N - 1] + s->n, 128.0 + 63 + 3 + 64);
}
/* A member that the region changes. */
static void changed(struct out *s) {
#pragma acc parallel copy(s[0:1])
  {
    s->n = 5;
#pragma acc loop
    for (int i = 0; i < N; i++) s->b[i] = s->d + i;
  }
  printf("%g %g\n", s->b[N - 1] + s->n, 68.0);
}
/* A variable, and its parts. */
static void variable(void) {
  struct out s = {N};
  s.a = calloc(N, sizeof *s.a);
#pragma acc parallel loop copy(s.b[0:N]) copy(s) copy(s.a[0:N])
  for (int i = 0; i < N; i++) {
    s.a[i] = s.n;
    s.b[i] = s.a[i] + i;
  }
  printf("%g %g\n", s.a[3] + s.b[N - 1], 191.0);
}
int main(void) {
  struct out *s = calloc(1, sizeof *s);
  double x[N] = {0};
  s->n = N;
  s->a = calloc(N, sizeof *s->a);
  for (int i = 0; i < N; i++) s->a[i] = i;
  beside(s, x);
  clauses(s);
  s->in.d = 1;
  s->in.n = 2;
  first(s, x);
  changed(s);
  variable();
}
"#;

/// The same names where another leads into the object: `x` to its second half, which each
/// iteration reads after others have written it.
const INSIDE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#define N 64
struct out { int n; double b[2 * N]; };
static void reached(struct out *s, double *x) {
#pragma acc parallel loop copy(s[0:1], s->b[0:2 * N]) copy(x[0:N])
  for (int i = 0; i < N; i++) {
    x[i] = s->n;
    s->b[i] = s->b[N + i] + 1;
  }
}
int main(void) {
  struct out *s = calloc(1, sizeof *s);
  s->n = 7;
  reached(s, s->b + N);
  printf("%g %g\n", s->b[0], s->b[N - 1]);
}
"#;

#[test]
fn parts_of_an_object_beside_it() {
    let f = Folder::new(&[("parts.c", PARTS), ("inside.c", INSIDE)]);
    for name in ["parts", "inside"] {
        let out = f.terrace(&["-O1", "-w", &format!("{name}.c"), "-o", name]);
        assert!(out.status.success(), "{}", text(&out.stderr));
    }
    for target in ["host", "cpu", "emulator"] {
        let all = [("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")];
        let out = f.program("parts", &all);
        let (said, told) = (text(&out.stdout), text(&out.stderr));
        let wrong = |l: &str| l.split_once(' ').is_none_or(|(is, must)| is != must);
        assert!(
            !said.lines().any(wrong) && said.lines().count() == 5,
            "{target}: {said}{told}"
        );
        let launches = told.lines().filter(|l| l.starts_with("terrace: launch"));
        let at_home = told.contains("overlap");
        if target == "emulator" {
            assert!(launches.count() >= 5 && !at_home, "{told}");
        }
        let out = f.program("inside", &all);
        let (said, told) = (text(&out.stdout), text(&out.stderr));
        assert_eq!(said, "8 8\n", "{target}: {told}");
        assert_eq!(told.contains("overlap"), target == "emulator", "{told}");
    }
}
