//! Programs whose kernels run on the emulator of a GPU, which ends them where a kernel
//! reads what nobody copied, reaches past an array, or races.

use super::folder::{Folder, alike, text};

#[test]
fn arrays_that_coincide_stay_on_the_device() {
    let f = Folder::new(&[("coincide.c", include_str!("Inputs/coincide.c"))]);
    assert!(
        f.gcc(&["-O2", "coincide.c", "-o", "expected"])
            .status
            .success()
    );
    let made = f.terrace(&["-O2", "coincide.c", "-o", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    for target in ["host", "cpu", "emulator"] {
        let variables = [("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")];
        let out = f.program("made", &variables);
        let said = text(&out.stderr);
        assert_eq!(text(&out.stdout), expected, "on {target}: {said}");
        if target == "emulator" {
            // Of the arrays, only the result comes back, once.
            assert_eq!(said.matches("terrace: launch").count(), 6, "{said}");
            assert_eq!(said.matches("device to host").count(), 1, "{said}");
        }
    }
}

#[test]
fn what_a_loop_stores_its_next_iteration_reads_where_arrays_coincide() {
    let f = Folder::new(&[("loops.c", include_str!("Inputs/coincide_loops.c"))]);
    let strict = ["-O2", "-ffp-contract=off", "loops.c", "-o"];
    let gcc = f.gcc(&[&strict[..], &["expected"]].concat());
    assert!(gcc.status.success());
    let made = f.terrace(&[&strict[..], &["made", "--auto"]].concat());
    assert!(made.status.success(), "{}", text(&made.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    for target in ["host", "cpu", "emulator"] {
        let out = f.program("made", &[("TERRACE_TARGET", target)]);
        let said = text(&out.stderr);
        assert_eq!(text(&out.stdout), expected, "on {target}: {said}");
    }
}

#[test]
fn arrays_that_overlap_cannot_run_beside_pointers_of_the_device() {
    let f = Folder::new(&[("overlap.c", include_str!("Inputs/overlap.c"))]);
    let made = f.terrace(&["overlap.c", "-o", "made"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(
        f.program("made", &[("TERRACE_TARGET", "cpu")])
            .status
            .success()
    );
    let out = f.program("made", &[("TERRACE_TARGET", "emulator")]);
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(
        text(&out.stderr),
        "terrace: arrays of a region overlap, of which one is written, so that it has to run on \
         the host; there `t` cannot be used, which is in device memory\n"
    );
}

const TABLES: &str = r#"#include <stdio.h>
#define N 1000
static const double w[5] = {0.1, 0.2, 0.4, 0.2, 0.1};
static const int named[2] = {3, 4};
static double a[N], b[N];
static int pick(int i) { static const int w[8] = {3, 1, 4, 1, 5, 9, 2, 6}; return w[i % 8]; }
int main(void) {
  static const float w2[2][3] = {{1, 2, 3}, {4, 5, 6}};
  for (int i = 0; i < N; i++) a[i] = i % 17;
#pragma acc parallel loop copyin(a, named) copyout(b)
  for (int i = 2; i < N - 2; i++) {
    double s = named[1];
    for (int k = 0; k < 5; k++) s += w[k] * a[i + k - 2];
    b[i] = s + pick(i) + w2[1][i % 3];
  }
#pragma acc parallel loop copy(b)
  for (int i = 2; i < N - 2; i++) b[i] *= w[1];
  double t = 0;
  for (int i = 2; i < N - 2; i++) t += b[i] * (i % 5);
  printf("%.10g\n", t);
}
"#;

#[test]
fn tables_of_constants_are_part_of_kernels() {
    let f = Folder::new(&[("tables.c", TABLES)]);
    assert!(
        f.gcc(&["-O2", "tables.c", "-o", "expected"])
            .status
            .success()
    );
    let made = f.terrace(&[
        "-O2",
        "-Minfo",
        "tables.c",
        "-o",
        "made",
        "--terrace-keep=kept",
    ]);
    let info = text(&made.stderr);
    assert!(made.status.success(), "{info}");
    // By the names that the program has for them.
    assert!(info.contains("the read of w[i % 8]"), "{info}");
    assert!(info.contains("the read of w2[1][i % 3]"), "{info}");
    let expected = text(&f.program("expected", &[]).stdout);
    for target in ["host", "cpu", "emulator"] {
        let variables = [("TERRACE_TARGET", target), ("TERRACE_NOTIFY", "1")];
        let out = f.program("made", &variables);
        let said = text(&out.stderr);
        assert_eq!(text(&out.stdout), expected, "on {target}: {said}");
        assert!(!said.contains("`w") && (target != "emulator" || said.contains("`named`")));
    }
    let ptx = std::fs::read_to_string(f.0.join("kept/0-tables.main.region0.ptx")).unwrap();
    for declared in [".const .align 16 .f64 w[5]", ".global .align 16 .f32 w2_"] {
        assert!(ptx.contains(declared), "{ptx}");
    }
}

/// What a GPU would let pass in silence.
#[test]
fn wrong_clauses_are_found() {
    let f = Folder::new(&[]);
    for (clauses, wanted) in [
        // Nothing copies what is read.
        ("create(a) copyout(b)", "uninitialised read: 8 bytes read"),
        // Half of it.
        (
            "copyin(a[0:50]) copyout(b)",
            "out-of-bounds access: 8 bytes read",
        ),
    ] {
        f.write(
            "x.c",
            &format!(
                "double a[100], b[100];\nint main(void)\n{{\n#pragma acc parallel loop {clauses}\n  for (int i = \
                 0; i < 100; i++)\n    b[i] = a[i];\n  return 0;\n}}\n"
            ),
        );
        let made = f.terrace(&["x.c", "-o", "made"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let out = f.program("made", &[("TERRACE_TARGET", "emulator")]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{clauses}: {said}");
        assert!(
            said.contains("x.c:6:") && said.contains(wanted),
            "{clauses}: {said}"
        );
    }
}

/// Memory of the device is given out as it was asked for, and what was freed is gone.
#[test]
fn memory_of_the_emulator_hides_nothing() {
    let f = Folder::new(&[]);
    for (clause, bound, wanted) in [
        ("create(a)", 100, "uninitialised read: 8 bytes read"),
        ("copyin(a)", 101, "out-of-bounds access: 8 bytes written"),
    ] {
        f.write(
            "x.c",
            &format!(
                "double a[101], b[100];\nint main(void)\n{{\n#pragma acc parallel loop copyin(a) copyout(b)\n  \
                 for (int i = 0; i < 100; i++) b[i] = a[i];\n#pragma acc parallel loop {clause} copyout(b)\n  \
                 for (int i = 0; i < {bound}; i++)\n    b[i] = a[i] + 1;\n  return 0;\n}}\n"
            ),
        );
        let made = f.terrace(&["x.c", "-o", "made"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let out = f.program("made", &[("TERRACE_TARGET", "emulator")]);
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{said}");
        assert!(said.contains("x.c:8:") && said.contains(wanted), "{said}");
    }
}

/// What updates a number of 8 bits in one step reads and writes the word around it: bytes
/// before a section that the program did not give, and ones behind the end of an allocation.
#[test]
fn narrow_atomics_touch_the_word_around() {
    let source = r#"#include <stdio.h>
static char g[64];
static unsigned short h[31];
int main(void) {
  char *q = &g[1];
  long k = 11;
#pragma acc kernels loop copy(q[0:62]) copy(h) independent
  for (int i = 0; i < 62; i++) {
    q[i / 2 + ((k == 11) & 1)] -= i;
    h[(i * 7) % 31] += i;
  }
  long s = 0, t = 0;
  for (int i = 0; i < 64; i++) s += g[i] * (i + 1);
  for (int i = 0; i < 31; i++) t += h[i] * (i + 1);
  printf("%ld %ld\n", s, t);
  return 0;
}
"#;
    alike(source);
}

/// A search in breadth: threads read what others write, each in one step, which is no race.
const LEVELS: &str = r#"#include <stdio.h>
#include <stdlib.h>
enum { V = 300, DEG = 4 };
int main(void) {
  int(*adj)[DEG] = malloc(V * sizeof *adj);
  int *level = malloc(V * sizeof *level);
  double *seen = malloc(V * sizeof *seen);
  for (int v = 0; v < V; v++) {
    adj[v][0] = (v + 1) % V;
    adj[v][1] = (v * 7 + 3) % V;
    adj[v][2] = v % 5 == 0 ? v / 5 : -1;
    adj[v][3] = v % 11 == 0 ? (v + V / 2) % V : -1;
    level[v] = -1;
    seen[v] = -1;
  }
  level[0] = 0;
  int depth = 0, changed = 1;
#pragma acc data copyin(adj[0:V][0:DEG]) copy(level[0:V], seen[0:V])
  while (changed) {
    changed = 0;
#pragma acc parallel loop reduction(||:changed)
    for (int v = 0; v < V; v++) {
      int mine;
#pragma acc atomic read
      mine = level[v];
      if (mine == depth) {
        for (int e = 0; e < DEG; e++) {
          int w = adj[v][e];
          float met = 0;
          if (w < 0) continue;
#pragma acc atomic read
          met = (float)seen[w];
          if (met == -1) {
#pragma acc atomic write
            level[w] = depth + 1;
#pragma acc atomic write
            seen[w] = depth + 0.5;
            changed = changed || 1;
          }
        }
      }
    }
    depth++;
  }
  long sum = 0;
  for (int v = 0; v < V; v++) sum += level[v] * (v % 10 + 1);
  printf("%d %ld\n", depth, sum);
  free(adj);
  free(level);
  free(seen);
  return 0;
}
"#;

#[test]
fn atomic_reads_are_no_races() {
    alike(LEVELS);
}
