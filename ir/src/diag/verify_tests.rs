//! Tests of the verifier; the reports are those of mlir-opt 22 for the same
//! file and diagnostics.

use super::*;

fn at(line: u32, column: u32) -> DiagLoc {
    DiagLoc::Pos {
        file: "v.mlir".into(),
        line,
        column,
    }
}

fn verify_at(level: VerifyLevel, text: &str, diagnostics: &[Diagnostic]) -> String {
    let file = SourceFile::new("v.mlir", text).unwrap();
    let mut verifier = Verifier::new(&file, &file, level);
    for diagnostic in diagnostics {
        verifier.process(diagnostic);
    }
    Renderer::new(&file).render_all(&verifier.finish())
}

fn verify(text: &str, diagnostics: &[Diagnostic]) -> String {
    verify_at(VerifyLevel::All, text, diagnostics)
}

const UNDECLARED: &str = "use of undeclared SSA value name";

#[test]
fn reports_are_those_of_mlir_opt() {
    let text = "// expected-error@+2 {{use of}}
func.func @d() { 
   return %q : i32 }
// expected-error@above {{a b {{c}}
// expected-error-re@above {{a b {{c}}
// expected-error-re@above {{a b {{c(}} d}}
// expected-warning@below {{undeclared}}
// expected-error@unknown {{foo}}
func.func @e() { 
   return %q : i32 }
// expected-note@-20 {{und}}
// expected-error@below {{dangling}}
";
    let expected = "v.mlir:5:4: error: found start of regex with no end '}}'
// expected-error-re@above {{a b {{c}}
   ^~~~~~~
v.mlir:6:4: error: invalid regex: parentheses not balanced
// expected-error-re@above {{a b {{c(}} d}}
   ^~~~~~~~~~~~
v.mlir:4:4: error: expected error \"a b {{c\" was not produced
// expected-error@above {{a b {{c}}
   ^~~~~~~
v.mlir:7:4: error: expected warning \"undeclared\" was not produced
// expected-warning@below {{undeclared}}
   ^~~~~~~~~~
v.mlir:11:4: error: expected note \"und\" was not produced
// expected-note@-20 {{und}}
   ^~~
v.mlir:12:4: error: expected error \"dangling\" was not produced
// expected-error@below {{dangling}}
   ^~~~~~~~
<unknown>:0: error: expected error \"foo\" was not produced
";
    let diagnostics = [Diagnostic::error(at(3, 11), UNDECLARED)];
    assert_eq!(verify(text, &diagnostics), expected);
    assert_eq!(
        verify_at(VerifyLevel::OnlyExpected, text, &diagnostics),
        expected
    );
}

#[test]
fn another_kind_is_a_near_miss() {
    let text = "// expected-warning@+2 {{undeclared}}\nfunc.func @e() { \n   return %q : i32 }\n";
    let diagnostics = [Diagnostic::error(at(3, 11), UNDECLARED)];
    let unmet = "v.mlir:1:4: error: expected warning \"undeclared\" was not produced
// expected-warning@+2 {{undeclared}}
   ^~~~~~~~~~
";
    assert_eq!(
        verify(text, &diagnostics),
        format!(
            "v.mlir:1:4: error: 'error' diagnostic emitted when expecting a 'warning'
// expected-warning@+2 {{{{undeclared}}}}
   ^
{unmet}"
        )
    );
    assert_eq!(
        verify_at(VerifyLevel::OnlyExpected, text, &diagnostics),
        unmet
    );
}

#[test]
fn what_nobody_expected() {
    // Text behind the braces makes a comment of it.
    let text =
        "// expected-error@below {{undeclared}} trailing\nfunc.func @e() { return %q : i32 }\n";
    let diagnostics = [Diagnostic::error(at(2, 25), UNDECLARED).with_note(at(1, 1), "see here")];
    assert_eq!(
        verify(text, &diagnostics),
        "v.mlir:2:25: error: unexpected error: use of undeclared SSA value name
func.func @e() { return %q : i32 }
                        ^
v.mlir:1:1: error: unexpected note: see here
// expected-error@below {{undeclared}} trailing
^
"
    );
    assert_eq!(verify_at(VerifyLevel::OnlyExpected, text, &diagnostics), "");
    let diagnostics = [
        Diagnostic::error(DiagLoc::Unknown, "m"),
        Diagnostic::remark(DiagLoc::Other("loc(\"name\")".into()), "m"),
    ];
    assert_eq!(
        verify("", &diagnostics),
        "<unknown>:0: error: unexpected error: m
<unknown>:0: error: loc(\"name\"): unexpected remark: m
"
    );
}

#[test]
fn the_braces_hold_all_up_to_the_end_of_the_line() {
    let text = "func.func @e() { return %q : i32 } // expected-error {{SSA}} {{x}}\n";
    assert_eq!(
        verify(text, &[]),
        format!(
            "v.mlir:1:39: error: expected error \"SSA}}}} {{{{x\" was not produced
{text}                                      ^~~~~~~~~
"
        )
    );
    let message = "SSA}} {{x";
    assert_eq!(verify(text, &[Diagnostic::error(at(1, 1), message)]), "");
}

#[test]
fn everything_that_is_met() {
    let text = "x // expected-error-re {{u{{[se]+}} of {{un[a-z]*}} SSA}}   \r
// expected-warning    @-1   {{w}}
// expected-note @above {{n}}
// expected-note@below {{b}}
// expected-remark @+1{{r}}
y
// expected-remark@unknown {{u}}
";
    let diagnostics = [
        Diagnostic::error(at(1, 1), UNDECLARED).with_note(at(1, 9), "nnn"),
        Diagnostic::warning(at(1, 1), "w"),
        // One expectation serves as often as it is met.
        Diagnostic::warning(at(1, 5), "ww").with_note(at(6, 1), "b"),
        Diagnostic::remark(at(6, 1), "r"),
        Diagnostic::remark(DiagLoc::Other("loc(\"name\")".into()), "u"),
    ];
    assert_eq!(verify(text, &diagnostics), "");
}

#[test]
fn distances_beyond_all_bounds() {
    let text = "// expected-error@+99999999999999999999 {{a}}\n// expected-error@-99999999999999999999 {{b}}\n";
    let reports = verify(text, &[Diagnostic::error(at(0, 0), "c")]);
    assert!(reports.contains("unexpected error: c"), "{reports}");
    assert!(reports.contains("expected error \"a\" was not produced"));
    assert!(reports.contains("expected error \"b\" was not produced"));
}

#[test]
fn expectations_in_other_files() {
    let mut sources = SourceMap::new();
    let main = sources.add(SourceFile::new("main", "").unwrap());
    sources.add(SourceFile::new("other", "// expected-error@below {{a}}\n\n").unwrap());
    let in_file = |file: &str, line| DiagLoc::Pos {
        file: file.into(),
        line,
        column: 1,
    };
    let main = sources.file(main).unwrap();
    let mut verifier = Verifier::new(main, &sources, VerifyLevel::All);
    verifier.process(&Diagnostic::error(in_file("other", 2), "a"));
    assert_eq!(verifier.finish(), []);
    let mut verifier = Verifier::new(main, &sources, VerifyLevel::All);
    verifier.process(&Diagnostic::error(in_file("other", 1), "a"));
    verifier.process(&Diagnostic::error(in_file("nowhere", 1), "a"));
    assert_eq!(verifier.finish().len(), 3);
}

#[test]
fn levels_by_name() {
    assert_eq!("all".parse(), Ok(VerifyLevel::All));
    assert_eq!("".parse(), Ok(VerifyLevel::All));
    assert_eq!("only-expected".parse(), Ok(VerifyLevel::OnlyExpected));
    assert!("some".parse::<VerifyLevel>().is_err());
}

#[test]
fn random_expectations_do_not_panic() {
    let pieces = [
        "expected-",
        "error",
        "note",
        "-re",
        "@",
        "+",
        "-",
        "1",
        "above",
        "below",
        "unknown",
        " ",
        "{{",
        "}}",
        "(",
        "[",
        "*",
        "\\",
        "\n",
        "é",
        "\r",
        "a",
    ];
    let mut state = 7u32;
    for _ in 0..3000 {
        let text: String = (0..40)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                pieces[(state >> 16) as usize % pieces.len()]
            })
            .collect();
        let text = format!("// expected-error{text}}}}}");
        let diagnostics = [Diagnostic::error(at(state % 4, 1), "a")];
        let _ = verify(&text, &diagnostics);
    }
}
