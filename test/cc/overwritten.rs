//! Arrays of which a region leaves nothing are not copied to the device; all that a region
//! does not write is afterwards what it was.
//!
//! The emulator ends a program whose kernel reads what nobody copied.

use std::fmt::Write as _;

use super::folder::{Folder, text};
use super::rng::Rng;

const SOURCE: &str = include_str!("Inputs/overwritten.c");

/// What the program says on a target, beside what gcc's says.
fn same(f: &Folder, file: &str, made: &str) -> String {
    let expected = f.gcc(&["-O1", "-w", file, "-o", "expected"]);
    assert!(expected.status.success(), "{}", text(&expected.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    let mut said = String::new();
    for target in ["host", "cpu", "emulator"] {
        // What is copied here is told of each region by itself.
        let variables = [
            ("TERRACE_TARGET", target),
            ("TERRACE_NOTIFY", "1"),
            ("TERRACE_COPIES", "regions"),
        ];
        let out = f.program(made, &variables);
        said = text(&out.stderr);
        let got = text(&out.stdout);
        for (got, expected) in got.lines().zip(expected.lines()) {
            assert_eq!(got, expected, "on {target}");
        }
        assert_eq!(got.len(), expected.len(), "on {target}: {said}");
        assert!(out.status.success(), "on {target}: {said}");
    }
    said
}

/// How often an array is copied in and out by the region at a line.
fn copies(said: &str, line: usize, array: &str) -> (usize, usize) {
    let of = format!("overwritten.c:{line}: `{array}`");
    let count = |way: &str| {
        let is = |l: &&str| l.contains(&of) && l.ends_with(way);
        said.lines().filter(is).count()
    };
    (count("host to device"), count("device to host"))
}

#[test]
fn arrays_are_copied_in_where_something_of_them_is_left() {
    let f = Folder::new(&[("overwritten.c", SOURCE)]);
    let made = f.terrace(&["-O1", "-Minfo", "overwritten.c", "-o", "made"]);
    let told = text(&made.stderr);
    assert!(made.status.success(), "{told}");
    let said = same(&f, "overwritten.c", "made");
    // The line in front of the region, its array, how often it is copied in and out; it
    // runs with nine pairs of sizes, of which some touch nothing.
    let line = |function: &str| {
        let lines = SOURCE.lines();
        let mut lines = lines.skip_while(|l| !l.starts_with(&format!("static void {function}(")));
        let before = SOURCE.lines().count() - lines.clone().count();
        before
            + lines
                .position(|l| l.starts_with("#pragma"))
                .expect("a region")
            + 1
    };
    let found = [
        ("box", "a", 3, 6),
        ("read_later", "a", 3, 6),
        ("read_more", "a", 2, 8),
        ("triangle", "a", 7, 7),
        ("symmetric", "a", 2, 7),
        ("sometimes", "a", 7, 7),
        ("steps", "v", 7, 7),
        ("halves", "v", 0, 8),
        ("known", "whole", 7, 9),
        ("all", "whole", 0, 9),
        ("own", "t", 0, 0),
        ("own", "u", 0, 9),
        ("kept", "t", 27, 27),
        ("rows", "a", 3, 6),
        ("sums", "v", 0, 7),
        ("more", "v", 7, 7),
        ("copy", "p", 0, 15),
        ("until", "whole", 9, 9),
        ("said", "v", 9, 9),
    ];
    let mut wrong = Vec::new();
    for (function, array, to, from) in found {
        let is = copies(&said, line(function), array);
        if is != (to, from) {
            wrong.push(format!(
                "{function}: {array} {is:?}, expected {:?}",
                (to, from)
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}\n{said}\n{told}");
    for sentence in [
        "v (v[0:n], 8*n bytes) is copied back where the program needs it: all of it is written here \
         before it is read",
        "a (a[0:n], 72*n bytes) is copied back where the program needs it: where m >= 9, all of it is written here before \
         it is read; elsewhere it is copied to the device, too",
        "whole (96 bytes) is copied back where the program needs it: where n >= 12, all of it is written here before it \
         is read; elsewhere it is copied to the device, too",
        "t (96 bytes) gets room on the device and is not copied: where n <= 12, all of it is written",
        "before it is read, and nothing else uses it; elsewhere it is copied to the device and back",
        "where all of it is written here before it is read, as the sizes tell when it runs; elsewhere",
        "v (v[0:12], 96 bytes) is copied to the device before and back after: the copy clause of \
         the directive",
    ] {
        assert!(told.contains(sentence), "{sentence}\n{told}");
    }
}

/// A nest of random loops over parts of `a`, `b` and `v`.
fn nest(rng: &mut Rng, out: &mut String) {
    let array = *rng.pick(&["a", "a", "a", "b"]);
    let other = if array == "a" { "b" } else { "a" };
    let mut value = |at: &str| match rng.below(5) {
        0 => "i + 2 * j".to_string(),
        1 => format!("{other}{at} + 1"),
        2 => format!("{array}{at} + 2"),
        3 => "v[i] - j".to_string(),
        _ => format!("{}", rng.between(-5, 5)),
    };
    let first = value("[i][j]");
    let then = value("[i][j]");
    let low = *rng.pick(&["0", "0", "0", "1", "n - 2 > 0 ? n - 2 : 0"]);
    let rows = *rng.pick(&["n", "n", "n", "n - 1", "9"]);
    let columns = *rng.pick(&["m", "m", "9", "9", "8", "i", "i + 1"]);
    let from = if columns.starts_with('i') {
        "0"
    } else {
        *rng.pick(&["0", "0", "0", "1", "i"])
    };
    let step = if rng.chance(20) { "j += 2" } else { "j++" };
    let only = *rng.pick(&[
        "",
        "",
        "",
        "",
        "if (b[i][j] > 3) ",
        "if (i > 1) ",
        "if (n > m) ",
        "if (i != j) ",
    ]);
    let _ = match rng.below(8) {
        0 => write!(
            out,
            "  for (int i = {low}; i < {rows}; i++) {{\n    {array}[i][i] = {};\n    for (int j = i + \
             1; j < {}; j++) {{\n      {array}[i][j] = {first};\n      {array}[j][i] = \
             {array}[i][j];\n    }}\n  }}\n",
            rng.between(0, 9),
            if rows == "9" { "9" } else { "n" },
        ),
        1 => write!(
            out,
            "  for (int i = {low}; i < {rows}; i++) {{\n    {}v[i] = {};\n    for (int j = 0; j < \
             {columns}; j++) v[i] += {other}[i][j];\n  }}\n",
            if only.contains('j') { "" } else { only },
            rng.between(0, 9)
        ),
        2 => write!(
            out,
            "  for (int i = {low}; i < {rows}; i++)\n    for (int j = {from}; j < {columns}; {step}) \
             {{\n      {array}[i][j] = {first};\n      {only}{array}[i][j] = {then};\n    }}\n"
        ),
        _ => write!(
            out,
            "  for (int i = {low}; i < {rows}; i++)\n    for (int j = {from}; j < {columns}; {step})\n      \
             {only}{array}[i][j] = {first};\n"
        ),
    };
}

/// A program with a function for each seed, each called with several sizes.
fn program(seeds: std::ops::Range<u64>) -> String {
    let mut functions = String::new();
    let mut calls = String::new();
    for seed in seeds {
        let mut rng = Rng::new(seed ^ 0x0e6a_17e0);
        let _ = write!(
            functions,
            "static void f{seed}(int n, int m, double a[9][9], double b[9][9], double *v)\n{{\n#pragma \
             scop\n"
        );
        for _ in 0..1 + rng.below(3) {
            nest(&mut rng, &mut functions);
        }
        functions.push_str("#pragma endscop\n}\n\n");
        let _ = writeln!(calls, "  run(\"f{seed}\", f{seed});");
    }
    format!(
        "#include <stdio.h>\nstatic double a[9][9], b[9][9], v[9];\n\n{functions}static void run(const \
         char *name, void (*f)(int, int, double (*)[9], double (*)[9], double *))\n{{\n  for (int k = 0; k \
         < 7; k++) {{\n    int n = \"\\11\\11\\5\\1\\0\\0\\10\"[k], m = \
         \"\\11\\4\\11\\1\\0\\11\\10\"[k];\n    for (int i = 0; i < 81; i++) a[i / 9][i % 9] = 1000 + \
         i, b[i / 9][i % 9] = i * 7 % 11;\n    for (int i = 0; i < 9; i++) v[i] = 3000 + i;\n    f(n, m, \
         a, k == 6 ? a : b, v);\n    printf(\"%s %d %d:\", name, n, m);\n    for (int i = 0; i < 81; i++) \
         printf(\" %g %g\", a[i / 9][i % 9], b[i / 9][i % 9]);\n    for (int i = 0; i < 9; i++) printf(\" \
         %g\", v[i]);\n    printf(\"\\n\");\n  }}\n}}\n\nint main(void)\n{{\n{calls}  return 0;\n}}\n"
    )
}

fn number(name: &str, otherwise: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.and_then(|v| v.parse().ok()).unwrap_or(otherwise)
}

/// `TERRACE_RANDOM_SEED=N TERRACE_RANDOM_COUNT=1` repeats the function `fN`.
#[test]
fn random_regions_keep_what_they_do_not_write() {
    let seed = number("TERRACE_RANDOM_SEED", 0);
    let source = program(seed..seed + number("TERRACE_RANDOM_COUNT", 40));
    let f = Folder::new(&[("random.c", &source)]);
    let made = f.terrace(&["-O1", "-Minfo", "random.c", "-o", "made"]);
    let told = text(&made.stderr);
    assert!(made.status.success(), "{told}");
    let said = same(&f, "random.c", "made");
    // Otherwise it has tried nothing.
    if std::env::var("TERRACE_RANDOM_COUNT").is_err() {
        let out = said.matches("device to host").count();
        assert!(told.contains("needs it: all of it"), "{told}");
        assert!(told.contains("needs it: where "), "{told}");
        assert!(out > 40, "{said}");
    }
}
