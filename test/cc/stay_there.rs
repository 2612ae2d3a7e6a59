//! Arrays of regions stay on the device until the program's own code needs them: the bytes that
//! are copied, and that what the program prints is what gcc's prints.

use super::folder::{Folder, text};

/// How often, and how many bytes, a program copied to the device and back.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct Copied {
    to: (u64, u64),
    back: (u64, u64),
}

fn copied(said: &str) -> Copied {
    let mut c = Copied::default();
    for l in said.lines() {
        let way = match l {
            _ if l.ends_with("host to device") => &mut c.to,
            _ if l.ends_with("device to host") => &mut c.back,
            _ => continue,
        };
        let before = l.split(" bytes").next().unwrap_or_default();
        let bytes = before
            .rsplit(' ')
            .next()
            .and_then(|n| n.parse::<u64>().ok());
        way.0 += 1;
        way.1 += bytes.expect("a number of bytes");
    }
    c
}

/// What is copied where the program needs it, and with copies at each region.
fn both(files: &[(&str, &str)], flags: &[&str]) -> (Copied, Copied) {
    let f = Folder::new(files);
    let names: Vec<&str> = files.iter().map(|(n, _)| *n).collect();
    let gcc = [
        &["-O1", "-w"],
        &names[..],
        &["-o", "plain", "-lm", "-pthread"],
    ]
    .concat();
    let made = f.gcc(&gcc);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let expected = f.program("plain", &[]);
    let terrace = [
        flags,
        &["-O2", "-w"],
        &names,
        &["-o", "prog", "-lm", "-pthread"],
    ]
    .concat();
    let made = f.terrace(&terrace);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let run = |target, copies| {
        let ran = f.program(
            "prog",
            &[
                ("TERRACE_TARGET", target),
                ("TERRACE_COPIES", copies),
                ("TERRACE_NOTIFY", "1"),
            ],
        );
        let said = text(&ran.stderr);
        assert_eq!(
            text(&ran.stdout),
            text(&expected.stdout),
            "{target} {copies}: {said}"
        );
        assert_eq!(ran.status, expected.status, "{target} {copies}: {said}");
        copied(&said)
    };
    run("host", "placed");
    run("cpu", "placed");
    (run("emulator", "placed"), run("emulator", "regions"))
}

/// Elements of the array of the LU.
const N: u64 = 24;

const OTHER: &str = r#"
#include <stdio.h>
#pragma terrace host
void init(int n, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i * n + j] = i == j ? 2.0 * n : 1.0 + (i * 7 + j * 3) % 5;
}
#pragma terrace host
void done(int n, double *A) {
  double s = 0;
  for (int i = 0; i < n * n; i++) s += A[i] * (1 + i % 3);
  printf("%.10g\n", s);
}
"#;

const DECLARED: &str = "#include <stdlib.h>\n#include <stdio.h>\n\
                        void init(int n, double *A);\nvoid done(int n, double *A);\n";

/// An LU between two calls of functions that nobody sees, `regions` in its loop over k.
fn lu(functions: &str, regions: &str) -> String {
    format!(
        "{DECLARED}{functions}
int main(int argc, char **argv) {{
  int n = {N} + (argc > 5);
  double *A = malloc((size_t)n * n * sizeof *A);
  init(n, A);
  for (int k = 0; k < n - 1; k++) {{
{regions}
  }}
  done(n, A);
  free(A);
  return 0;
}}
"
    )
}

const SCALE: &str = "for (int i = k + 1; i < n; i++) A[i * n + k] /= A[k * n + k];";
const UPDATE: &str = "for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i * n + j] -= A[i * n + k] * A[k * n + j];";

/// Once in, once out: the first row of the result is the first row of what came in.
fn once(of: (Copied, Copied), name: &str) {
    let (placed, regions) = of;
    let whole = N * N * 8;
    assert_eq!(
        placed.to.1, whole,
        "{name}: {placed:?} instead of {regions:?}"
    );
    assert!(placed.back.1 <= whole, "{name}: {placed:?}");
    assert_eq!(placed.back.0, 1, "{name}: {placed:?}");
}

#[test]
fn an_lu_between_external_calls_copies_its_matrix_once() {
    let acc = format!("#pragma acc parallel loop\n{SCALE}\n#pragma acc parallel loop\n{UPDATE}");
    let scop =
        format!("#pragma scop\n{SCALE}\n#pragma endscop\n#pragma scop\n{UPDATE}\n#pragma endscop");
    let apart = format!(
        "#pragma acc parallel loop\n{SCALE}\nif (k == n) init(n, A);\n#pragma acc parallel loop\n{UPDATE}"
    );
    let bare = format!("{SCALE}\n{UPDATE}");
    let functions = format!(
        "static void scale(int n, int k, double *A) {{\n#pragma acc parallel loop\n{SCALE}\n}}
void update(int n, int k, double *A) {{\n#pragma acc parallel loop\n{UPDATE}\n}}"
    );
    let calls = "scale(n, k, A); update(n, k, A);";
    for (name, source, flags) in [
        ("two regions", lu("", &acc), &[][..]),
        ("two regions, a call that is not made", lu("", &apart), &[]),
        ("functions", lu(&functions, calls), &[]),
        ("scop", lu("", &scop), &[]),
        ("auto", lu("", &bare), &["--auto"]),
    ] {
        once(both(&[("lu.c", &source), ("other.c", OTHER)], flags), name);
    }
}

/// A structure with two arrays that change places, a test of convergence, output.
#[test]
fn swaps_convergence_and_output() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
struct field { int n; double *cur, *next; };
static double residual(const double *a, const double *b, int n) {
  double r = 0;
  for (int i = 0; i < n; i++) r += fabs(a[i] - b[i]);
  return r;
}
static void step(struct field *f) {
  double *u = f->cur, *v = f->next;
#pragma acc parallel loop
  for (int i = 1; i < f->n - 1; i++) v[i] = 0.5 * (u[i - 1] + u[i + 1]);
}
int main(void) {
  struct field f = {64, malloc(64 * sizeof(double)), malloc(64 * sizeof(double))};
  if (!f.cur || !f.next) return 1;
  for (int i = 0; i < 64; i++) f.cur[i] = f.next[i] = i % 7;
  for (int t = 0; t < 40; t++) {
    step(&f);
    double *x = f.cur; f.cur = f.next; f.next = x;
    if (t % 10 == 9) {
      double r = residual(f.cur, f.next, f.n);
      printf("%d %.6f %.3f\n", t, r, f.cur[5]);
      if (r < 1e-3) break;
    }
  }
  free(f.cur); free(f.next);
  return 0;
}
"#;
    // Some compilers set `_FORTIFY_SOURCE` by themselves: `printf` is a function of the header then.
    let fortified: &[&str] = &["-O2", "-D_FORTIFY_SOURCE=2"];
    for flags in [&[], fortified] {
        let (placed, regions) = both(&[("a.c", source)], flags);
        // All of one array, and both ends of the other; both at each of four tests.
        assert_eq!(placed.to.1, 64 * 8 + 2 * 8, "{flags:?}");
        assert_eq!(placed.back, (8, 8 * 62 * 8), "{flags:?}");
        assert_eq!(regions.back.1, 40 * 62 * 8, "{flags:?}");
    }
}

/// Elements that are read between regions come back alone; what is written goes again.
#[test]
fn elements_come_back_alone() {
    let source = r#"
#include <stdio.h>
static int a[100], b[100];
int main(void) {
  for (int t = 0; t < 10; t++) {
#pragma acc parallel loop
    for (int i = 0; i < 100; i++) a[i] = a[i] * 3 % 101 + i;
    if (t % 5 == 0) printf("%d\n", a[t]);
    if (t == 7) b[3] = t;
#pragma acc parallel loop
    for (int i = 0; i < 100; i++) b[i] += a[i];
  }
  printf("%d %d\n", b[3], b[99]);
  return 0;
}
"#;
    let (placed, _) = both(&[("a.c", source)], &[]);
    // a and b, and an element of b again; two elements of a, one of b, two of b at the end. What
    // the device has that is newer comes back as `main` returns, for what runs then.
    assert_eq!(placed.to.1, 804);
    assert_eq!(placed.back.1, 2 * 4 + 4 + 2 * 4 + (400 - 8) + 400);
}

/// Memory that is freed, or was a function's own, is nobody's when it comes back.
#[test]
fn memory_comes_back_as_another_array() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
static void twice(int *p, int n) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++) p[i] = p[i] * 2 + 1;
}
static int own(int k) {
  int a[50];
  for (int i = 0; i < 50; i++) a[i] = i * k;
  twice(a, 50);
  twice(a, 50);
  return a[7];
}
int main(void) {
  for (int k = 0; k < 4; k++) {
    int *p = malloc(50 * sizeof *p);
    for (int i = 0; i < 50; i++) p[i] = k;
    twice(p, 50);
    twice(p, 25);
    int x = own(k);
    printf("%d %d %d\n", p[3], p[40], x);
    free(p);
  }
  return 0;
}
"#;
    let (placed, regions) = both(&[("a.c", source)], &[]);
    // Each array once in; one element of `own`'s, two of main's.
    assert_eq!(placed.to.1, 4 * (200 + 200));
    assert_eq!(placed.back.1, 4 * (4 + 4 + 4));
    assert!(regions.back.1 > 4 * 600);
}

/// What nobody sees finds all memory as it should be: functions of other files, threads, what runs at
/// the end, `volatile` flags.
#[test]
fn others_find_what_they_should() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
int g[40];
static int local[40];
volatile int told;
int peek(int i);
void visit(void (*f)(int), int n);
static int sum(void) { int s = 0; for (int i = 0; i < 40; i++) s += local[i]; return s; }
static void *other(void *p) { int *q = p; for (int i = 0; i < 40; i++) q[i] += 5; return 0; }
static void at_end(void) { printf("end %d %d\n", local[3], g[3]); }
void more(int k) {
#pragma acc parallel loop
  for (int i = 0; i < 40; i++) g[i] += k;
}
static void step(void) {
#pragma acc parallel loop
  for (int i = 0; i < 40; i++) { local[i] += i; g[i] += 1; }
}
int main(void) {
  pthread_t t;
  atexit(at_end);
  for (int k = 0; k < 3; k++) {
    step();
    printf("%d\n", peek(k));
    step();
    if (pthread_create(&t, 0, other, local)) return 1;
    pthread_join(t, 0);
    step();
    told = sum();
    visit(more, 3);
    printf("%d %d\n", told, g[k] + local[k + 1]);
  }
  if (local[2] > 0) exit(3);
  return 0;
}
"#;
    let other = "extern int g[];\nint peek(int i) { return g[i]; }\n\
                 void visit(void (*f)(int), int n) { for (int i = 0; i < n; i++) { f(i); g[i] *= 2; } }\n";
    let (placed, regions) = both(&[("a.c", source), ("b.c", other)], &[]);
    assert!(placed.to.1 + placed.back.1 <= regions.to.1 + regions.back.1);
}

/// Clauses of the author keep their meaning, also where what they say is on the device.
#[test]
fn clauses_keep_their_meaning() {
    let source = r#"
#include <stdio.h>
static int a[30], b[30];
int main(void) {
  for (int t = 0; t < 3; t++) {
#pragma acc parallel loop
    for (int i = 0; i < 30; i++) a[i] += t + i;
#pragma acc data copy(a) create(b)
    {
#pragma acc parallel loop
      for (int i = 0; i < 30; i++) b[i] = a[i] * 2;
#pragma acc parallel loop present(b)
      for (int i = 0; i < 30; i++) a[i] = b[i] % 17;
#pragma acc update host(a[3:4])
      printf("%d\n", a[4]);
    }
#pragma acc parallel loop copyin(a[0:10]) copyout(b[0:10])
    for (int i = 0; i < 10; i++) b[i] = a[i];
#pragma acc parallel loop async(1)
    for (int i = 0; i < 30; i++) a[i] += 1;
#pragma acc wait
    printf("%d %d\n", a[29], b[9]);
  }
  return 0;
}
"#;
    let (placed, regions) = both(&[("a.c", source)], &[]);
    assert!(placed.to.1 <= regions.to.1 && placed.back.1 <= regions.back.1);
}

/// Jumps out of loops and over statements, values that calls give, a region that is
/// left to the host among others.
#[test]
fn jumps_and_values_of_calls() {
    let source = r#"
#include <stdio.h>
#include <string.h>
static int a[60], b[60], c[60];
static int step(int *p, int n) {
#pragma acc parallel loop
  for (int i = 0; i < n; i++) p[i] = (p[i] * 5 + i) % 97;
  if (n > 50) return p[1];
  return p[0];
}
static int fails(int k) {
  if (step(a, 60) + a[5] == k) goto out;
  b[2] = step(b, 60) + b[2];
  for (int t = 0; step(c, 20) != 13 && t < 3; t++) {
    if (c[1] % 2) continue;
    if (k % 3 == 1) goto out;
    memcpy(b, c, sizeof(int) * 10);
  }
  switch (b[4] % 3) {
  case 0: a[0] = 1;
  case 1: step(a, 40); break;
  default: return a[3];
  }
  return step(a, 30) > 40 ? b[9] : c[9];
out:
  return a[6] - b[6];
}
int main(void) {
  int x = 0;
  for (int k = 0; k < 12; k++) {
    x = fails(k * 9);
    printf("%d %d\n", x, a[k] + b[k]);
#pragma acc parallel loop
    for (int i = 0; i < 60; i++) c[i] += a[i] & 7;
#pragma acc serial
    for (int i = 1; i < 9; i++) b[i] = b[i - 1] + 1;
#pragma terrace host
    for (int i = 0; i < 60; i++) a[i] ^= 3;
  }
  printf("%d\n", c[59]);
  return 0;
}
"#;
    let (placed, regions) = both(&[("a.c", source)], &[]);
    assert!(placed.to.1 + placed.back.1 < regions.to.1 + regions.back.1);
}
