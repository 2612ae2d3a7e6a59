//! What is copied between host and device is never another's memory, whatever the accesses
//! of a region may reach as far as the compiler knows.

use super::folder::{Folder, alike, text};
use terrace_lit::feature::{MEMORY_ERROR, valgrind};

const REACH: &str = include_str!("Inputs/reach.c");
const PRESENT: &str = include_str!("Inputs/reach_present.c");

const TARGETS: [&str; 3] = ["host", "cpu", "emulator"];

/// Makes a program with these flags, and compares what it says on each target with what
/// gcc's does; gives what the runtime tells on the emulator.
fn same_everywhere(f: &Folder, file: &str, flags: &[&str]) -> String {
    let expected = f.gcc(&["-O1", "-w", file, "-o", "expected", "-lm"]);
    assert!(expected.status.success(), "{}", text(&expected.stderr));
    let expected = f.program("expected", &[]);
    assert!(expected.status.success(), "{}", text(&expected.stderr));
    let args = [flags, &[file, "-w", "-o", "made", "-lm"]].concat();
    let made = f.terrace(&args);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let mut told = String::new();
    for target in TARGETS {
        let variables = [("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")];
        let out = f.program("made", &variables);
        told = text(&out.stderr);
        assert!(out.status.success(), "{flags:?} on {target}: {told}");
        let got = text(&out.stdout);
        assert_eq!(got, text(&expected.stdout), "{flags:?} on {target}");
    }
    told
}

/// Arrays at the edges of memory that cannot be written, or not even be read.
#[test]
fn arrays_end_where_they_end() {
    let f = Folder::new(&[("reach.c", REACH)]);
    let told = same_everywhere(&f, "reach.c", &["-O1"]);
    // Where it is known what is in the array nothing else is looked at.
    let place = |function: &str| {
        let head = format!("static void {function}(");
        let mut lines = REACH.lines().skip_while(|l| !l.starts_with(&head));
        let before = REACH.lines().count() - lines.clone().count();
        let pragma = |l: &str| l.contains("BEGIN") || l.starts_with("#pragma");
        before + 1 + lines.position(pragma).expect("a region")
    };
    let lines = |function: &str, what: &str| {
        let at = format!("reach.c:{}:", place(function));
        told.lines()
            .filter(|l| l.contains(&at) && l.contains(what))
            .count()
    };
    for known in ["triangle", "ring_below", "proved"] {
        assert_eq!(lines(known, "`q` may reach beyond"), 0, "{known}: {told}");
        assert!(lines(known, "host to device") > 0, "{known}: {told}");
    }
    let whole = "`x` may reach beyond its array: of 192 bytes 192 can be read";
    assert!(lines("guarded_read", whole) > 0, "{told}");
    for unknown in [
        "guarded_read",
        "guarded_write",
        "rows",
        "masked_value",
        "byte",
        "choice",
    ] {
        assert!(
            lines(unknown, "`q` may reach beyond") > 0,
            "{unknown}: {told}"
        );
        assert!(lines(unknown, "host to device") > 0, "{unknown}: {told}");
    }
}

#[test]
fn arrays_end_where_they_end_in_regions_that_are_found() {
    let plain = REACH
        .replace("_Pragma(\"scop\")", "")
        .replace("_Pragma(\"endscop\")", "");
    let f = Folder::new(&[("reach.c", &plain)]);
    same_everywhere(&f, "reach.c", &["-O1", "--auto"]);
    same_everywhere(&f, "reach.c", &["-O0", "--auto"]);
}

/// Of which it is not even known that it stays out of another array, or that it is not most
/// of the memory there is.
const FAR: &str = r#"#include <openacc.h>
#include <stdio.h>
#include <stdlib.h>
static void far(int n, const int *use, long *x, const long *q) {
#pragma acc kernels
  for (int i = 0; i < n; i++)
    if (use[i]) x[i] += q[100000000L * i];
}
static void nowhere(int n, const int *use, long *x, const long *q) {
#pragma acc parallel loop deviceptr(x) copyin(use[0:n])
  for (int i = 0; i < n; i++)
    if (use[i]) x[i] += q[100000000L * i];
}
int main(int argc, char **argv) {
  int use[50] = {1};
  long x[50] = {0}, *q = malloc(10 * sizeof *q);
  q[0] = 7;
  far(50, use, x, q);
  printf("%ld\n", x[0]);
  if (argc > 1) nowhere(50, use, acc_malloc(sizeof x), q);
  return 0;
}
"#;

#[test]
fn a_section_that_may_be_too_large_keeps_its_region_on_the_host() {
    let f = Folder::new(&[("far.c", FAR)]);
    let made = f.terrace(&["-O1", "far.c", "-o", "far"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let variables = [("TERRACE_TARGET", "emulator"), ("TERRACE_NOTIFY", "1")];
    let out = f.program("far", &variables);
    let told = text(&out.stderr);
    assert_eq!(text(&out.stdout), "7\n", "{told}");
    let why = "terrace: a region runs on the host: `q` may reach ";
    assert!(told.contains(why), "{told}");
    // Where the host cannot run it there is no way left.
    let mut there = f.command("far");
    there.arg("nowhere");
    let out = f.run_with(there, &variables);
    let told = text(&out.stderr);
    assert!(!out.status.success(), "{told}");
    let wanted = "so that a region has to run on the host; there `x` cannot be used, which is in \
                  device memory; a clause that says how large the array is helps";
    assert!(told.contains(wanted), "{told}");
}

/// What is on the device already serves, and what is another array's does not.
/// Sizes that are 0 when the program runs: C says nothing of them, and compilers do nothing.
#[test]
fn arrays_without_elements() {
    let program = r#"#include <stdio.h>
void half(int n, int m, float a[restrict n][n][m], const float b[restrict n][n][m]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int l = 0; l < n; l++)
      for (int j = 0; j < m; j++) a[i][l][j] = b[i][l][j] * 0.5f;
#pragma endscop
}
void more(int n, int m, float a[restrict n][n][m]) {
#pragma acc parallel loop copy(a[0:n][0:n][0:m])
  for (int i = 0; i < n; i++)
    for (int l = 0; l < n; l++)
      for (int j = 0; j < m; j++) a[i][l][j] += 1;
}
int main(int argc, char **argv) {
  static float a[64], b[64];
  half(4, argc - 1, (void *)a, (void *)b);
  more(4, argc - 1, (void *)a);
  half(argc - 1, 4, (void *)a, (void *)b);
  for (int i = 0; i < 64; i++) b[i] = i;
  half(4, 4 * argc, (void *)a, (void *)b);
  more(4, 4 * argc, (void *)a);
  printf("%g %g\n", a[0], a[63]);
  return 0;
}
"#;
    alike(program);
}

#[test]
fn what_is_present_is_found() {
    let f = Folder::new(&[("present.c", PRESENT)]);
    same_everywhere(&f, "present.c", &["-O1"]);
}

/// Each of these ended with a fault, an abort, or wrong numbers.
#[test]
fn programs_that_went_wrong() {
    let inputs = [
        ("guard.c", include_str!("Inputs/reach_guard.c"), "--auto"),
        ("ring.c", include_str!("Inputs/reach_ring.c"), "-O1"),
        ("window.c", include_str!("Inputs/reach_window.c"), "-O1"),
        ("aligned.c", include_str!("Inputs/reach_aligned.c"), "-O0"),
    ];
    for (name, source, flag) in inputs {
        let f = Folder::new(&[(name, source)]);
        same_everywhere(&f, name, &[flag]);
    }
}

/// Makes a program, and runs it under valgrind on a target, which says whether it leaves its
/// memory. What nobody has written may be copied, as a whole array often is; so nothing is
/// said of that.
fn looked_at(f: &Folder, flags: &[&str], target: &str) -> Option<(Option<i32>, String)> {
    let mut command = valgrind("what programs of terrace cc access")?;
    if !f.0.join("checked").exists() {
        let made = f.terrace(&[flags, &["-O1", "-g", "-w", "-o", "checked", "-lm"]].concat());
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    command.arg("--undef-value-errors=no").arg("./checked");
    let out = f.run_with(command, &[("TERRACE_TARGET", target)]);
    Some((out.status.code(), text(&out.stderr)))
}

/// Neither the code for the cores nor what moves arrays touches what is beside them.
#[test]
fn valgrind_finds_nothing() {
    let programs: &[(&str, &str, &[&str])] = &[
        ("reach.c", REACH, &["-DON_HEAP=1"]),
        ("arguments.c", include_str!("Inputs/arguments.c"), &[]),
        ("rows.c", include_str!("Inputs/rows.c"), &[]),
    ];
    for (name, program, flags) in programs {
        let f = Folder::new(&[(*name, *program)]);
        for target in ["cpu", "emulator"] {
            let Some((code, said)) = looked_at(&f, &[*flags, &[*name]].concat(), target) else {
                return;
            };
            assert_eq!(code, Some(0), "{name} on {target}: {said}");
        }
    }
}

/// It would find it: a loop that is one too long, and an array that is said to be.
#[test]
fn valgrind_finds_what_programs_do_beyond_their_arrays() {
    let wrong = [
        (
            "cpu",
            "present_or_copy(x[0:n])\n  for (int i = 0; i <= n; i++)",
        ),
        (
            "emulator",
            "copy(x[0:n + 1])\n  for (int i = 0; i < n; i++)",
        ),
    ];
    for (target, region) in wrong {
        let program = format!(
            "#include <stdlib.h>\nint main(int argc, char **argv) {{\n  int n = 63 + argc; \
             int *x = calloc(n, sizeof *x);\n#pragma acc parallel loop {region}\n    x[i] += 1;\n  \
             return x[n - 1] - 1;\n}}\n"
        );
        let f = Folder::new(&[("t.c", &program)]);
        let Some((code, said)) = looked_at(&f, &["t.c"], target) else {
            return;
        };
        assert_eq!(code, Some(MEMORY_ERROR), "{target}: {said}");
        let message = "is 0 bytes after a block of size 256 alloc'd";
        assert!(said.contains(message), "{target}: {said}");
    }
}

/// Remainders, quotients, masks and choices, in arrays that end where their memory does.
#[test]
fn subscripts_that_are_not_affine() {
    let f = Folder::new(&[("reached.c", include_str!("Inputs/reached.c"))]);
    let said = f.prints_what_gcc_prints("reached.c");
    assert!(!said.contains("stays on the host"), "{said}");
}
