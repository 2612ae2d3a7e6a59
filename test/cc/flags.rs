//! Options that change what C means: each row of the table is followed in regions, changes
//! nothing there, or leaves them to the system's compiler with its name.

use super::folder::{Folder, text};
use terrace::c::driver::flags::{Decision, Row, TABLE};

/// Prints what sizes, signs and constants are, in a region.
const FRONT: &str = include_str!("Inputs/flags.c");

/// A region that may stay C and, with `ACC`, one that may not.
const REGIONS: &str = "#include <stdio.h>
int a[4];
double b[4];
int main(void) {
#pragma scop
  for (int i = 0; i < 4; i++) a[i] = i + 1;
#pragma endscop
#ifdef ACC
#pragma acc parallel loop copy(b)
  for (int i = 0; i < 4; i++) b[i] = i + 1;
#endif
  printf(\"%d %g\\n\", a[3], b[3]);
  return 0;
}
";

/// The option with a value that changes something.
fn word(row: &Row) -> String {
    let value = match row.on {
        "-fpack-struct=" => "4",
        "-fexec-charset=" => "IBM1047",
        "-fwide-exec-charset=" => "UTF-16",
        "-finput-charset=" => "ISO-8859-1",
        "-ftrivial-auto-var-init=" => "zero",
        "-fno-builtin-" => "sqrt",
        "-fexcess-precision=" => "fast",
        "-fpermitted-flt-eval-methods=" => "c11",
        "-mfpmath=" => "sse",
        "-ffp-contract=" => "off",
        "-std=" => "gnu11",
        "-fsanitize=" => "undefined",
        "-fstack-limit-register=" => "rsp",
        "-fstack-limit-symbol=" => "main",
        _ => "",
    };
    format!("{}{value}", row.on)
}

/// What the program prints, built by gcc and by terrace with these options, everywhere.
fn same(source: &str, options: &[&str]) {
    let f = Folder::new(&[("t.c", source)]);
    let gcc = f.gcc(&[options, &["-O1", "-w", "t.c", "-o", "expected"]].concat());
    assert!(gcc.status.success(), "{options:?}: {}", text(&gcc.stderr));
    let expected = text(&f.program("expected", &[]).stdout);
    let more = [
        "-O1",
        "-Wall",
        "-Wno-unknown-pragmas",
        "-Werror",
        "t.c",
        "-o",
        "made",
    ];
    let out = f.terrace(&[options, &more[..]].concat());
    assert!(out.status.success(), "{options:?}: {}", text(&out.stderr));
    for target in ["host", "cpu", "emulator"] {
        let out = f.program("made", &[("TERRACE_TARGET", target)]);
        let said = text(&out.stderr);
        assert_eq!(
            text(&out.stdout),
            expected,
            "{options:?} on {target}: {said}"
        );
    }
}

#[test]
fn what_the_front_end_follows() {
    same(FRONT, &[]);
    for row in TABLE {
        if matches!(row.decision, Decision::Front(_)) {
            same(FRONT, &[&word(row)]);
        }
    }
    // The last word counts.
    same(
        FRONT,
        &[
            "-funsigned-char",
            "-fsigned-char",
            "-fshort-enums",
            "-fno-short-enums",
        ],
    );
    same(
        FRONT,
        &["-fno-signed-char", "-fpack-struct=8", "-fpack-struct=2"],
    );
}

const LEFT: &str = "warning: the region runs on the host, as the system's compiler makes it";

#[test]
fn what_regions_cannot_follow() {
    let f = Folder::new(&[("t.c", REGIONS)]);
    for row in TABLE {
        let Decision::Host(what) = row.decision else {
            continue;
        };
        let word = word(row);
        let out = f.terrace(&["-Wno-unknown-pragmas", &word, "-c", "t.c", "-o", "t.o"]);
        let said = text(&out.stderr);
        let warning =
            format!("t.c:6:3: {LEFT}: `{word}` asks for {what}, which regions do not have");
        assert!(
            said.contains(&warning) && out.status.success(),
            "{word}: {said}"
        );
        let out = f.terrace(&["-DACC", &word, "-c", "t.c"]);
        let said = text(&out.stderr);
        let warning =
            format!("t.c:10:3: {LEFT}: `{word}` asks for {what}, which regions do not have");
        assert!(
            said.contains(&warning) && out.status.success(),
            "{word}: {said}"
        );
        // What takes the option back leaves nothing of it.
        let mut back = row.off.split(' ').filter(|w| !w.is_empty()).peekable();
        if let Some(off) = back.next() {
            let out = f.terrace(&["-DACC", &word, off, "-c", "t.c"]);
            assert!(out.status.success(), "{word} {off}: {}", text(&out.stderr));
        }
    }
}

/// All at once: none changes what regions compute.
#[test]
fn what_no_region_depends_on() {
    let apart = ["-m", "-fsanitize", "-fstack-limit"];
    let words: Vec<String> = (TABLE.iter())
        .filter(|r| matches!(r.decision, Decision::Irrelevant(_) | Decision::Followed))
        .map(word)
        .filter(|w| !apart.iter().any(|a| w.starts_with(a)))
        // C90 has no such loops, and GCC 12 no such words.
        .filter(|w| {
            !["-ansi", "-fapprox-func", "-fno-fp-int-builtin-inexact"].contains(&w.as_str())
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    same(FRONT, &words);
    same(
        FRONT,
        &["-mlong-double-64", "-mfpmath=sse", "-fsanitize=undefined"],
    );
}

#[test]
fn pragmas_and_attributes() {
    let loop_of = |name: &str| {
        format!(
            "void {name}(int n, int *a) {{\n#pragma scop\n  for (int i = 0; i < n; i++) a[i] = \
             i;\n#pragma endscop\n}}\n"
        )
    };
    let pieces = [
        loop_of("before"),
        "#pragma GCC push_options\n#pragma GCC optimize(\"wrapv\")\n".to_string(),
        loop_of("wraps"),
        "#pragma GCC pop_options\n".to_string(),
        loop_of("between"),
        "__attribute__((noinline, optimize(\"O3\", \"trapv\"))) ".to_string(),
        loop_of("traps"),
        "__attribute__((optimize(\"O3\"), unused)) ".to_string(),
        loop_of("tuned"),
        "#pragma STDC FENV_ACCESS ON\n".to_string(),
        loop_of("rounds"),
        "#pragma STDC FENV_ACCESS OFF\n#pragma STDC FP_CONTRACT OFF\n".to_string(),
        loop_of("after"),
        "#pragma GCC optimize(\"no-fast-math\")\n".to_string(),
        loop_of("strict"),
        "#pragma GCC reset_options\n#pragma GCC optimize(\"no-trapv\")\n".to_string(),
        loop_of("untrapped"),
    ];
    let f = Folder::new(&[("t.c", &pieces.concat())]);
    let out = f.terrace(&["-Wno-unknown-pragmas", "-c", "t.c"]);
    let said = text(&out.stderr);
    assert!(out.status.success(), "{said}");
    let all: Vec<&str> = said.lines().filter(|l| l.contains("warning: ")).collect();
    let asks = format!("{LEFT}: ");
    let expected = [
        format!("{asks}`#pragma GCC optimize` asks for signed numbers that wrap"),
        format!("{asks}`__attribute__((optimize))` asks for signed numbers that end"),
        format!(
            "{asks}`#pragma STDC FENV_ACCESS ON` asks for the program's own rounding and exceptions, which regions do not have"
        ),
        format!("{asks}`#pragma GCC optimize` asks for `-fno-fast-math` for a part of the file"),
        format!(
            "{asks}`#pragma GCC optimize` asks for code without `-ftrapv` for a part of the file"
        ),
    ];
    assert_eq!(all.len(), expected.len(), "{said}");
    for (line, expected) in all.iter().zip(&expected) {
        assert!(line.contains(expected.as_str()), "{said}");
    }
}

/// The page has every row, with what is done about it.
/// With `-c` compilers warn of object files and do without them: the regions of the one source
/// are compiled all the same.
#[test]
fn object_files_beside_a_source() {
    let f = Folder::new(&[("t.c", REGIONS), ("other.c", "int other;")]);
    assert!(f.gcc(&["-c", "other.c", "-o", "other.o"]).status.success());
    let out = f.terrace(&["-DACC", "-c", "t.c", "other.o", "-o", "t.o"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = f.terrace(&["t.o", "other.o", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = f.program(
        "made",
        &[("TERRACE_TARGET", "emulator"), ("TERRACE_PROFILE", "1")],
    );
    let said = text(&out.stdout) + &text(&out.stderr);
    assert!(said.contains("_kernel0"), "{said}");
}

#[test]
fn the_page_has_the_table() {
    let page = include_str!("../../docs/c-flags.md");
    for row in TABLE {
        let (decision, why) = match row.decision {
            Decision::Front(_) | Decision::Followed => ("followed", ""),
            Decision::Irrelevant(why) => ("irrelevant", why),
            Decision::Host(what) => ("left to the compiler", what),
            Decision::Machine => ("left to the compiler", "objects for another machine"),
        };
        let word = format!("`{}`", row.on);
        let found = page.lines().any(|l| {
            let cells: Vec<&str> = l.split(" | ").collect();
            cells.len() == 3
                && cells[0]
                    .trim_start_matches("| ")
                    .split(", ")
                    .any(|w| w == word)
                && cells[1] == decision
                && cells[2].contains(why)
        });
        assert!(found, "{word} is {decision}: {why}");
    }
    let rows = page.lines().filter(|l| l.starts_with("| `-")).count();
    assert!(rows > 20);
}
