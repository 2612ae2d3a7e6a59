//! Regions for which there is no code of terrace's: they run on the host, as the system's
//! compiler makes them, and terrace says so. They find there what the device has.

use super::folder::{Folder, alike, text};

/// Recursion, vectors, static variables, output, and lists.
const LEFT: &str = r#"#include <stdio.h>
#include <stdlib.h>
struct node { double v; struct node *next; };
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
#pragma acc routine(fact) seq
typedef int v4 __attribute__((vector_size(16)));
int main(void) {
  int r[10], none = 0;
#pragma acc parallel loop copyout(r)
  for (int i = 0; i < 10; i++) r[i] = fact(i);
  v4 v = {0};
#pragma acc parallel copy(v)
  { v[1] = 3; }
#pragma acc parallel copy(r)
  { static int k = 0; r[0] = ++k; }
#pragma acc parallel
  { printf("%d %d %d\n", r[0], r[9], v[1]); }
  struct node *h = 0;
#pragma acc serial copy(none) copyin(h[0:1]) if(h != 0)
  for (struct node *p = h; p; p = p->next) none++;
  struct node n[3] = {{1, n + 1}, {2, n + 2}, {3, 0}};
  double sum = 0;
#pragma acc parallel loop copy(n)
  for (int i = 0; i < 3; i++) n[i].v *= 10;
#pragma acc serial copy(sum) copyin(n)
  for (struct node *p = n; p; p = p->next) sum += p->v;
  printf("%d %g\n", none, sum);
  double w[10];
#pragma acc data copy(w)
  {
#pragma acc parallel loop
    for (int i = 0; i < 10; i++) w[i] = i;
#pragma acc parallel loop
    for (int i = 0; i < 10; i++) { double t[i + 1]; for (int k = 0; k <= i; k++) t[k] = w[i] + k; w[i] = t[i]; }
  }
  printf("%g\n", w[9]);
#pragma acc parallel async(1)
  { printf("here\n"); }
#pragma acc wait
  return 0;
}
"#;

const SAYS: &str = "warning: the region runs on the host, as the system's compiler makes it: ";

#[test]
fn regions_without_code_run_on_the_host_and_say_so() {
    let said = alike(LEFT);
    let found: Vec<&str> = said.lines().filter(|l| l.contains("t.c:")).collect();
    let expected = [
        format!(
            "t.c:4:49: {SAYS}a call of 'fact', which calls itself, so that nothing says how often"
        ),
        "t.c:10:3: note: in the region that begins here".to_string(),
        format!("t.c:13:5: {SAYS}an element of a vector"),
        format!("t.c:15:16: {SAYS}the static variable 'k', which is declared in it"),
        format!("t.c:17:5: {SAYS}a call of 'printf', which has no device form"),
        format!("t.c:20:35: {SAYS}an array of pointers to elements of type struct node"),
        format!("t.c:26:35: {SAYS}an array of pointers to elements of type struct node"),
        format!("t.c:38:5: {SAYS}a call of 'printf', which has no device form"),
        "t.c:34:43: warning: this has no form for the GPU, so that the region runs on the host: \
         'memref.alloca' op is an array of its own for each iteration of a parallel loop, and its \
         size is not a constant; the GPU has such arrays only with constant sizes"
            .to_string(),
        "t.c:34:5: note: in the region that begins here".to_string(),
    ];
    assert_eq!(found, expected, "{said}");
}

/// Data of directives around: what earlier regions made of it is found, and what the region
/// makes of it is the next one's.
const AROUND: &str = r#"#include <stdio.h>
#include <stdlib.h>
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
static int seen;
static void tell(double *a, int n) {
  for (int i = 0; i < n; i++) a[i] += fact(4);
  seen++;
#pragma acc parallel loop
  for (int i = 0; i < n; i++) a[i] += 1000;
  printf("told %d\n", n);
}
struct box { int n; double *p; };
int main(void) {
  double a[10], b[10], total = 0; int n = 10, flag = 1;
  int *at = malloc(n * sizeof *at); double *d = malloc(n * sizeof *d);
  for (int i = 0; i < 10; i++) { a[i] = b[i] = d[i] = i; at[i] = (i * 7) % 10; }
#pragma acc data copy(a) copy(b) copy(total) copy(d[0:n]) copyin(at[0:n])
  {
#pragma acc parallel loop
    for (int i = 0; i < 10; i++) { a[i] *= 2; b[i] = -1; d[i] += a[i]; }
#pragma acc serial
    { tell(a, 10); total += a[9] + b[3]; b[4] = 100; }
#pragma acc parallel loop
    for (int i = 0; i < 10; i++) a[i] += b[i];
#pragma scop
    for (int i = 0; i < 10; i++) { if (i == 3) printf("%d\n", i); a[i] += 1; }
#pragma endscop
    /* terrace's own choice. */
#pragma scop
    for (int i = 0; i < n; i++) d[at[i]] += b[i];
#pragma endscop
#pragma acc parallel loop
    for (int i = 0; i < 10; i++) { a[i] += 0.5; d[i] *= 2; }
  }
  for (int i = 0; i < 10; i++) printf("%g %g %g\n", a[i], b[i], d[i]);
  struct box s = {10, a};
#pragma acc data copy(s, s.p[0:10])
  {
#pragma acc parallel loop present(s)
    for (int i = 0; i < s.n; i++) s.p[i] = i;
#pragma acc serial present(s)
    { printf("%g\n", s.p[4]); s.p[5] = 50; s.n = 7; }
#pragma acc parallel loop present(s)
    for (int i = 0; i < 10; i++) s.p[i] += 1;
  }
  printf("%g %g %d %g %d\n", a[4], a[5], s.n, total, seen);
  return 0;
}
"#;

#[test]
fn data_of_the_device_is_found_and_changed() {
    let said = alike(AROUND);
    assert_eq!(said.matches(SAYS).count(), 3, "{said}");
}

/// Arrays that overlap: the statement runs, and finds scalars of the device that no clause of
/// the construct names, too.
const OVERLAP: &str = r#"#include <stdio.h>
#include <stdlib.h>
struct s { double scale; int n; } cfg = {1, 3};
static double factor = 1;
static void add(int n, double *x, double *y) {
#pragma acc kernels present(x[0:n])
  for (int i = 0; i < n; i++) { y[i] = x[i] * cfg.scale + factor; }
}
int main(void) {
  int n = 20; double *a = malloc(n * 8);
  for (int i = 0; i < n; i++) a[i] = i;
#pragma acc data copy(a[0:n], cfg, factor)
  {
#pragma acc serial present(cfg, factor)
    { cfg.scale = 3; factor = 0.5; }
    add(10, a, a + 5);
    add(10, a, a + 3);
  }
  for (int i = 0; i < n; i++) printf("%g ", a[i]);
  printf("\n");
  return 0; }
"#;

#[test]
fn a_region_whose_arrays_overlap_finds_the_devices_scalars() {
    assert_eq!(alike(OVERLAP), "");
    let f = Folder::new(&[("t.c", OVERLAP)]);
    assert!(f.terrace(&["t.c", "-o", "t"]).status.success());
    let all = [("TERRACE_TARGET", "emulator"), ("TERRACE_NOTIFY", "1")];
    let said = text(&f.program("t", &all).stderr);
    let line = "terrace: a region runs on the host: arrays of it overlap, of which one is written";
    assert_eq!(said.matches(line).count(), 2, "{said}");
    // Behind it the program's memory is what it was.
    let apart = OVERLAP
        .replace("copy(a[0:n], cfg, factor)", "copyin(a[0:n], cfg, factor)")
        .replace(
            "add(10, a, a + 3);",
            "add(10, a, a + 3); printf(\"%g \", a[6] + factor);",
        );
    let f = Folder::new(&[("t.c", &apart)]);
    assert!(f.terrace(&["t.c", "-o", "t"]).status.success());
    let out = text(&f.program("t", &[("TERRACE_TARGET", "emulator")]).stdout);
    assert!(out.starts_with("7 0 1 2 3 4 5 6 7 "), "{out}");
}

/// The program's memory is its own where the clauses say that the device's does not come back,
/// and a region that its clauses keep on the host finds the host's.
const APART: &str = r#"#include <stdio.h>
int main(void) {
  int a[4] = {1, 2, 3, 4}, yes = 1;
#pragma acc data copyin(a)
  {
#pragma acc parallel loop
    for (int i = 0; i < 4; i++) a[i] = 10 * i;
#pragma acc serial
    { printf("%d\n", a[3]); a[3]++; }
#pragma acc serial if(!yes)
    { printf("%d\n", a[3]); }
#pragma acc serial self(yes)
    { printf("%d\n", a[3]); }
#pragma acc serial
    { printf("%d\n", a[3]); }
  }
  printf("%d\n", a[3]);
  return 0;
}
"#;

#[test]
fn the_programs_memory_is_its_own_behind_the_region() {
    let f = Folder::new(&[("t.c", APART)]);
    let out = f.terrace(&["-w", "t.c", "-o", "t"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let run = |target: &str| {
        let all = [("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")];
        let out = f.program("t", &all);
        assert!(out.status.success(), "{}", text(&out.stderr));
        (text(&out.stdout), text(&out.stderr))
    };
    let (out, said) = run("emulator");
    assert_eq!(out, "30\n4\n4\n31\n4\n");
    let line = "terrace: t.c:8: #pragma acc serial runs on the host: there is no code of it for a \
                device";
    assert!(said.contains(line), "{said}");
    assert_eq!(said.matches("there is no code of it").count(), 2, "{said}");
    // One memory.
    assert_eq!(run("cpu").0, "30\n31\n31\n31\n31\n");
    assert_eq!(run("host").0, "30\n31\n31\n31\n31\n");
}

/// No code for a GPU at all, and a program that is told to use one all the same.
#[test]
fn a_program_without_code_for_a_gpu_finds_its_data_there() {
    let f = Folder::new(&[("t.c", WITHOUT)]);
    for options in [&["-ta=multicore"][..], &[]] {
        let out = f.terrace(&[options, &["t.c", "-o", "t"]].concat());
        assert!(out.status.success(), "{}", text(&out.stderr));
        for target in ["host", "cpu", "emulator"] {
            let out = f.program("t", &[("TERRACE_TARGET", target)]);
            assert_eq!(text(&out.stdout), "30 9\n", "{options:?} {target}");
        }
    }
}

const WITHOUT: &str = r#"#include <stdio.h>
int main(void) {
  int a[4] = {0}, s = 0;
#pragma acc data copy(a)
  {
#pragma acc parallel loop
    for (int i = 0; i < 4; i++) a[i] = i;
#pragma terrace target(cpu)
#pragma acc parallel loop
    for (int i = 0; i < 4; i++) s += 0;
#pragma acc update self(a)
    for (int i = 0; i < 4; i++) a[i] *= 3;
#pragma acc update device(a)
#pragma acc kernels loop
    for (int i = 0; i < 4; i++) a[i] += 3;
  }
  for (int i = 0; i < 4; i++) s += a[i];
  printf("%d %d\n", s, a[2]);
  return 0;
}
"#;

/// What the host could not do either, or not as the directive asks.
#[test]
fn what_cannot_be_left_is_an_error() {
    let asks = "error: this cannot be offloaded, as its directive asks: ";
    let device = "note: the region cannot run on the host either, which cannot follow the \
                  device's addresses that";
    let cases: &[(&str, &[String])] = &[
        (
            "#pragma acc parallel loop deviceptr(a)\n  for (int i = 0; i < n; i++) printf(\"%d\", a[i]);",
            &[
                format!("t.c:4:31: {asks}a call of 'printf', which has no device form"),
                format!("t.c:3:1: {device} `deviceptr` names"),
            ],
        ),
        (
            "#pragma acc parallel loop deviceptr(a)\n  for (int i = 0; i < n; i++) { int t[n]; t[i] = i; a[i] = t[n - 1 - i]; }",
            &["t.c:4:37: error: this has no form for the GPU: 'memref.alloca' op".to_string()],
        ),
        (
            "#pragma acc host_data use_device(a)\n{\n#pragma acc serial\n  { printf(\"%d\", a[0]); }\n}",
            &[format!("t.c:3:1: {device} `host_data` names")],
        ),
        (
            "#pragma acc serial\n  { printf(\"%d\", n); if (n) return; }",
            &[format!("t.c:4:29: {asks}a return out of the region")],
        ),
        (
            "#pragma acc serial\n  { printf(\"%d\", n); if (n) goto out; }\nout: ;",
            &[format!("t.c:4:29: {asks}a goto out out of the region")],
        ),
        (
            "#pragma acc serial\n  { printf(\"%d\", n); for (;;) switch (n) { for (;;) { case 1: return; } } }",
            &[format!(
                "t.c:4:31: {asks}a case label inside another statement, which may lead out of the region"
            )],
        ),
        (
            "switch (n) { for (;;) { case 3:\n#pragma acc parallel loop copy(a[0:9])\n  for (int i = 0; i < 9; i++) a[i] = i;\n} }",
            &[
                "t.c:4:1: error: this directive stands in a part of the program that is not \
               understood, so it cannot be followed"
                    .to_string(),
            ],
        ),
        (
            "#pragma terrace target(gpu)\n#pragma acc serial\n  { printf(\"%d\", n); }",
            &[format!(
                "t.c:5:5: {asks}a call of 'printf', which has no device form"
            )],
        ),
        (
            "#pragma acc serial\n  {\n    printf(\"%d\", n);\n#pragma acc update self(n)\n  }",
            &["t.c:6:1: error: this directive cannot stand in a compute region".to_string()],
        ),
    ];
    for (body, expected) in cases {
        let c = format!("#include <stdio.h>\nvoid f(int n, int *a) {{\n{body}\n}}\n");
        let f = Folder::new(&[("t.c", &c)]);
        let out = f.terrace(&["-c", "t.c"]);
        let said = text(&out.stderr);
        assert!(!out.status.success(), "{c}{said}");
        for line in *expected {
            assert!(said.contains(line), "{c}{said}\n{line}");
        }
    }
}
