//! `--auto`: which loops are found, what is said of the others, and that programs print
//! what gcc's print.

use super::folder::{Folder, text};

/// One program with what is found, what is not, and why.
const FOUND: &str = r#"#include <stdio.h>
#include <stdlib.h>
#define N 60
static double a[N][N], b[N][N], c[N][N], line[N], big[1200][1200], prod[1200][1200];

static void product(int n, double *x, double *y, double *z)
{
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double s = 0;
      for (k = 0; k < n; k++)
        s += x[i * n + k] * y[k * n + j];
      z[i * n + j] = s;
    }
}

static void shift(int n, double *to, double *from)
{
  for (int i = 0; i < n; i++)
    to[i] = from[i] + 1;
}

static void indirect(int n, const int *where, double *x)
{
  for (int i = 0; i < n; i++)
    x[where[i]] = i;
}

static void sequence(void)
{
  for (int i = 1; i < N; i++)
    line[i] = line[i - 1] * 0.5 + i;
}

static int early(int n)
{
  for (int i = 0; i < n; i++)
    if (line[i] > 50)
      return i;
  return -1;
}

static void large(void)
{
  for (int i = 0; i < 1200; i++)
    for (int j = 0; j < 1200; j++) {
      double s = 0;
      for (int k = 0; k < 1200; k++)
        s += big[i][k] * big[k][j];
      prod[i][j] = s;
    }
}

int main(int argc, char **argv)
{
  int where[N], last = 0, t, i, j;
  double sum = 0;
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      a[i][j] = i * j % 7;
      b[i][j] = i - j;
    }
  last = i * 100 + j;
  for (t = 0; t < 5; t++) {
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        c[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++)
        a[i][j] = c[i][j];
  }
  product(N, &a[0][0], &b[0][0], &c[0][0]);
  /* The same memory, one element on: the order of the iterations counts. */
  shift(N - 1, line + 1, line);
  for (i = 0; i < N; i++)
    where[i] = i * 7 % N;
  indirect(N, where, line);
  sequence();
  if (argc > 5)
    large();
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      sum += c[i][j] * (i + 2 * j);
  for (i = 0; i < N; i++)
    printf("%a%c", line[i], i % 8 == 7 ? '\n' : ' ');
  printf("%a %d %d %d %d %d\n", sum, early(N), last, t, i, (int)argv[0][0] * 0);
  return 0;
}
"#;

const FLAGS: &[&str] = &["-O1", "-std=c99", "found.c"];

fn made(f: &Folder, options: &[&str]) -> String {
    let out = f.terrace(&[FLAGS, &["--auto", "-o", "made"], options].concat());
    assert!(out.status.success(), "{}", text(&out.stderr));
    text(&out.stderr)
}

#[test]
fn found_regions_print_what_gcc_prints() {
    let f = Folder::new(&[("found.c", FOUND)]);
    let gcc = f.gcc(&[FLAGS, &["-o", "expected"]].concat());
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    made(&f, &[]);
    for target in ["host", "cpu", "x86-64", "emulator", ""] {
        let out = match target {
            "" => f.program("made", &[]),
            // Of the two codes for the cores the one for every machine.
            "x86-64" => f.program(
                "made",
                &[("TERRACE_TARGET", "cpu"), ("TERRACE_CPU", target)],
            ),
            t => f.program("made", &[("TERRACE_TARGET", t)]),
        };
        assert!(out.status.success(), "{target}: {}", text(&out.stderr));
        assert_eq!(text(&out.stdout), expected, "{target}");
    }
}

#[test]
fn found_regions_run_where_a_target_is_named() {
    let f = Folder::new(&[("found.c", FOUND)]);
    made(&f, &[]);
    let profile = |target: &str| {
        let variables = [("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")];
        text(&f.program("made", &variables).stderr)
    };
    let cpu = profile("cpu");
    // Setting up, the time loop, the product; the shift's memory overlaps.
    assert!(cpu.contains("product.region0"), "{cpu}");
    assert!(cpu.contains("main.region0"), "{cpu}");
    assert!(!cpu.contains("shift.region0"), "{cpu}");
    assert_eq!(profile("host"), "");
}

#[test]
fn notes_say_what_was_taken_and_why_not() {
    let f = Folder::new(&[("found.c", FOUND)]);
    let notes = made(&f, &["-Minfo"]);
    for said in [
        // Its sizes are constants, and it is small.
        "this region stays on the host: it would take about",
        "on the GPU with its copies",
        "this region stays on the host: it has no loop whose iterations may run in any order",
        "the sum of sum may not be reordered (floating point)",
    ] {
        assert!(notes.contains(said), "{said}: {notes}");
    }
    let of = |name: &str| {
        let from = notes
            .find(&format!("found.c: {name}:"))
            .unwrap_or(notes.len());
        let rest = &notes[from..];
        let end = rest[1..].find("found.c: ").map_or(rest.len(), |i| i + 1);
        rest[..end].to_string()
    };
    let large = of("large");
    assert!(large.contains("a region begins here (auto)"), "{notes}");
    let product = of("product");
    assert!(product.contains("a region begins here (auto)"), "{notes}");
    assert!(!of("indirect").contains("a region begins here"), "{notes}");
}

#[test]
fn functions_with_data_directives_and_pragmas_of_others_are_left_alone() {
    let text_of = |before: &str| {
        format!(
            "static double a[2000][2000];\nvoid f(void)\n{{\n{before}\n  for (int i = 0; i < 2000; \
             i++)\n    for (int j = 0; j < 2000; j++)\n      a[i][j] += 1;\n}}\n\
             int main(void) {{ f(); return 0; }}\n"
        )
    };
    let f = Folder::new(&[]);
    // GCC does not see OpenMP's pragmas either where it is not told to.
    for (before, openmp, found) in [
        ("", "-fopenmp", true),
        ("#pragma omp parallel for", "-fopenmp", false),
        ("#pragma omp parallel for", "-fno-openmp", true),
        ("#pragma acc update host(a)", "-fopenmp", false),
        ("#pragma GCC ivdep", "-fopenmp", false),
    ] {
        f.write("x.c", &text_of(before));
        let out = f.terrace(&["--auto", openmp, "-Minfo", "-c", "x.c"]);
        let said = text(&out.stderr);
        assert!(out.status.success(), "{said}");
        assert_eq!(
            said.contains("the loop over i is parallel"),
            found,
            "{before}: {said}"
        );
    }
}
