//! Programs with regions: the same output as gcc's, wherever the regions run.

use super::folder::{Folder, alike, text};
use std::process::Command;

/// Loops over static arrays, a reduction, an array behind a pointer, and a scalar that
/// a region changes.
const MAIN: &str = r#"#include <stdio.h>
#include "work.h"
static double a[N][N], b[N][N];
int main(int argc, char **argv)
{
  double sum = 0, x[N];
  int last = -1;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i * 7 % 5 + j;
#pragma acc kernels
  {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        b[i][j] = 2 * a[j][i] + i;
  }
#pragma acc parallel loop reduction(+ : sum)
  for (int i = 0; i < N; i++)
    sum += b[i][i];
#pragma scop
  for (int i = 0; i < N; i++) {
    x[i] = b[i][1];
    last = i;
  }
#pragma endscop
  scale(N, 0.5, x);
  printf("%g %g %g %d\n", sum, b[3][4], x[5], last);
  return argc > 1 && argv[1][0] == 0;
}
"#;

const WORK: &str = r#"#include "work.h"
void scale(int n, double f, double *x)
{
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= f;
}
"#;

const FILES: &[(&str, &str)] = &[
    ("main.c", MAIN),
    ("work.c", WORK),
    (
        "work.h",
        "#define N 40\nvoid scale(int n, double f, double *x);\n",
    ),
    ("none.c", "int none(void) { return 1; }\n"),
];

fn ok(f: &Folder, args: &[&str]) -> String {
    let out = f.terrace(args);
    assert!(
        out.status.success(),
        "terrace cc {args:?}: {}",
        text(&out.stderr)
    );
    assert_eq!(f.left(), [""; 0], "terrace cc {args:?}");
    text(&out.stderr)
}

/// What gcc's program prints.
fn expected(f: &Folder) -> String {
    let gcc = f.gcc(&["-O2", "main.c", "work.c", "-o", "expected", "-lm"]);
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    text(&f.program("expected", &[]).stdout)
}

fn runs_as_gccs(f: &Folder, program: &str) {
    let expected = expected(f);
    for target in ["host", "cpu", "emulator"] {
        let out = f.program(program, &[("TERRACE_TARGET", target)]);
        assert_eq!(
            out.status.code(),
            Some(0),
            "{target}: {}",
            text(&out.stderr)
        );
        assert_eq!(text(&out.stdout), expected, "{program} on {target}");
    }
}

#[test]
fn one_command() {
    for flags in [
        &["-O2"][..],
        &["-O0", "-g"],
        &["-std=gnu99", "-Wall", "-Wextra", "-Werror"],
        &["-O3", "-march=native", "-flto"],
        &["-O1", "-fno-pie", "-no-pie"],
    ] {
        let f = Folder::new(FILES);
        let mut args = flags.to_vec();
        args.extend(["main.c", "work.c", "none.c", "-o", "prog", "-lm"]);
        assert_eq!(ok(&f, &args), "", "{flags:?}");
        runs_as_gccs(&f, "prog");
    }
}

#[test]
fn files_apart_and_linked_later() {
    let f = Folder::new(FILES);
    ok(&f, &["-O2", "-c", "main.c", "-o", "m.o"]);
    ok(&f, &["-O2", "-c", "work.c", "none.c"]);
    ok(&f, &["m.o", "work.o", "none.o", "-o", "prog"]);
    runs_as_gccs(&f, "prog");
    let ar = f.run({
        let mut c = Command::new("ar");
        c.args(["rcs", "libwork.a", "work.o"]);
        c
    });
    assert!(ar.status.success());
    ok(&f, &["m.o", "-L.", "-lwork", "-o", "archived"]);
    runs_as_gccs(&f, "archived");
    ok(
        &f,
        &["-shared", "-fPIC", "-O2", "work.c", "-o", "libshared.so"],
    );
    ok(
        &f,
        &[
            "-O2",
            "main.c",
            "-L.",
            "-lshared",
            "-Wl,-rpath,$ORIGIN",
            "-o",
            "with-shared",
        ],
    );
    runs_as_gccs(&f, "with-shared");
}

#[test]
fn make_with_many_jobs() {
    let f = Folder::new(FILES);
    f.write(
        "Makefile",
        "CFLAGS = -O2 -MMD -MP\nprog: main.o work.o none.o\n\t$(CC) -o $@ $^ -lm\n-include $(wildcard *.d)\n",
    );
    let mut c = Command::new("make");
    c.arg("-j8")
        .arg(format!("CC={} cc", env!("CARGO_BIN_EXE_terrace")));
    let out = f.run(c);
    assert!(out.status.success(), "{}", text(&out.stderr));
    runs_as_gccs(&f, "prog");
    let d = text(&f.files()["main.d"]);
    assert!(d.starts_with("main.o: main.c work.h\n"), "{d}");
    assert!(d.contains("\nwork.h:"), "{d}");
}

#[test]
fn dependencies_are_where_gcc_writes_them() {
    for line in [
        "-MD -c main.c",
        "-MMD -c main.c -o sub/x.o",
        "-MMD -MF d/y -MT all -c main.c",
        "-MMD main.c work.c -o prog",
        "-MMD -MP -S main.c",
        "-Wp,-MMD,w.d -c main.c",
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let found: Vec<_> = [false, true]
            .map(|terrace| {
                let f = Folder::new(FILES);
                f.write("sub/keep", "");
                f.write("d/keep", "");
                let out = if terrace {
                    f.terrace(&words)
                } else {
                    f.gcc(&words)
                };
                assert!(out.status.success(), "{line}: {}", text(&out.stderr));
                let files = f.files();
                let names: Vec<String> = files.keys().cloned().collect();
                let texts: Vec<String> = files
                    .iter()
                    .filter(|(n, _)| n.ends_with(".d") || *n == "d/y")
                    .map(|(_, t)| text(t))
                    .collect();
                (names, texts)
            })
            .into();
        assert_eq!(found[0], found[1], "{line}");
    }
}

#[test]
fn assembly_has_the_calls_and_says_what_it_lacks() {
    let f = Folder::new(FILES);
    let said = ok(&f, &["-O1", "-S", "work.c"]);
    assert_eq!(
        said,
        "work.c: note: 'work.s' calls the code of its regions, which only an object file holds\n"
    );
    assert!(text(&f.files()["work.s"]).contains("terrace_run"));
}

#[test]
fn preprocessing_is_the_compilers() {
    let f = Folder::new(FILES);
    assert_eq!(
        f.terrace(&["-E", "main.c"]).stdout,
        f.gcc(&["-E", "main.c"]).stdout
    );
    assert!(f.terrace(&["-fsyntax-only", "main.c"]).status.success());
}

#[test]
fn what_is_made_on_the_way_is_kept_where_asked() {
    let f = Folder::new(FILES);
    ok(
        &f,
        &["-c", "--target-arch=sm_80", "--terrace-keep=kept", "work.c"],
    );
    let files = f.files();
    let names: Vec<&str> = files
        .keys()
        .map(String::as_str)
        .filter(|n| n.starts_with("kept/"))
        .collect();
    assert!(
        names.contains(&"kept/work.mlir") && names.contains(&"kept/work.i"),
        "{names:?}"
    );
    let ptx = text(&files["kept/work.scale.region0.ptx"]);
    assert!(
        ptx.contains(".target sm_80") && ptx.contains(".entry"),
        "{ptx}"
    );
}

#[test]
fn notes_name_loops_and_lines() {
    let f = Folder::new(FILES);
    let said = ok(&f, &["-c", "-Minfo=accel", "main.c"]);
    assert!(
        said.contains("\n     14, the loop over j is parallel\n"),
        "{said}"
    );
    assert!(
        said.contains("\n     13, the loop over i is parallel\n"),
        "{said}"
    );
}

#[test]
fn an_output_that_is_no_file_is_written_to() {
    let f = Folder::new(FILES);
    ok(&f, &["-c", "main.c", "-o", "/dev/null"]);
    assert!(
        std::fs::metadata("/dev/null").unwrap().file_type()
            != std::fs::metadata(f.0.join("main.c")).unwrap().file_type()
    );
    // A file that was there before is replaced as a whole.
    f.write("main.o", "old");
    ok(&f, &["-c", "main.c"]);
    assert!(f.files()["main.o"].starts_with(b"\x7fELF"));
}

#[test]
fn two_files_may_have_functions_of_one_name() {
    let f = Folder::new(&[
        (
            "main.c",
            "#include <stdio.h>\nint g(void), h(void);\nint main(void) { printf(\"%d %d\\n\", g(), h()); return 0; }\n",
        ),
        (
            "work.c",
            "static int f(void) { int s = 0;\n#pragma acc parallel loop reduction(+:s)\nfor (int i = 0; i < 10; i++) s += i;\nreturn s; }\nint g(void) { return f(); }\n",
        ),
        (
            "other.c",
            "static int f(void) { int s = 0;\n#pragma acc parallel loop reduction(+:s)\nfor (int i = 0; i < 20; i++) s += i;\nreturn s; }\nint h(void) { return f(); }\n",
        ),
    ]);
    ok(&f, &["main.c", "work.c", "other.c", "-o", "prog"]);
    for target in ["host", "cpu", "emulator"] {
        assert_eq!(
            text(&f.program("prog", &[("TERRACE_TARGET", target)]).stdout),
            "45 190\n"
        );
    }
}

#[test]
fn the_interface_can_be_called_without_a_region() {
    let f = Folder::new(&[(
        "t.c",
        "#include <stdio.h>\n#include <openacc.h>\nint main(void) {\n  acc_init(acc_device_default);\n  printf(\"%d\\n\", acc_on_device(acc_device_host));\n  return 0;\n}\n",
    )]);
    ok(&f, &["t.c", "-o", "together"]);
    ok(&f, &["-c", "t.c"]);
    ok(&f, &["t.o", "-o", "apart"]);
    for program in ["together", "apart"] {
        let out = f.program(program, &[("TERRACE_TARGET", "host")]);
        assert_eq!(text(&out.stdout), "1\n", "{}", text(&out.stderr));
    }
}

/// Several nests, of which the last takes a number that comes out of the first: each has the order that
/// is better for it.
const NUMBERS: &str = r#"#include <math.h>
#include <stdio.h>
static unsigned long g2[64];
static unsigned short g5[12][20];
static double g8, q[64];
static void f(unsigned char n, int m, int k, double *q0) {
#pragma acc kernels copyin(q0[0:44])
  {
    unsigned char i1 = 1;
    for (i1 = 0; i1 < m; i1 += 3) g8 = floor(q0[i1]) * (q0[4 * i1] + m);
    for (unsigned i3 = 3; i3 < n; ++i3) {
      g2[i3 + 7] += (short)(k + 4);
      g5[i3][1] += ((i3 - 4u) + (n * i3)) & 255;
    }
    short i4 = 6;
    for (i4 = 5; i4 > 2; i4--) g8 = k != m ? q0[4 * i4] : -8;
  }
}
int main(void) {
  for (int i = 0; i < 64; i++) q[i] = i * 0.37;
  double sum = 0;
  for (int r = 0; r < 3; r++) {
    f(12, 9 - 8 * r, r, q);
    for (int i = 0; i < 64; i++) sum += g2[i] * 3.0 + g5[i % 12][1] * i;
    printf("%.17g %.17g\n", g8, sum);
  }
  return 0;
}
"#;

#[test]
fn nests_take_numbers_from_others() {
    let said = alike(NUMBERS);
    assert!(!said.contains("warning"), "{said}");
}
