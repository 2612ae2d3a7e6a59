//! MLIR text: read, verified, printed, and read back; then a few passes.

use terrace::opt::{Outcome, Tool};

const ANY_DIALECT: &str = "--allow-unregistered-dialect";

/// Pipelines of passes that take whatever verifies.
const PIPELINES: [&str; 2] = [
    "--pass-pipeline=builtin.module(canonicalize,cse)",
    "--pass-pipeline=builtin.module(lower-affine,canonicalize,loop-invariant-code-motion,cse)",
];

/// # Panics
///
/// Where a text is refused without an error, what is printed is not read back to the same,
/// or a pass leaves what does not verify.
pub fn check(data: &[u8]) {
    if data.len() > super::MAX_BYTES {
        return;
    }
    opt(&[], data);
    let out = opt(&[ANY_DIALECT], data);
    if out.code == 0 {
        check_printed(&out.stdout);
    }
}

/// The same of text that the printer made.
///
/// # Panics
///
/// As [`check`].
pub fn check_printed(text: &str) {
    let printed = again(&[], text);
    let settled = match regrouped(text) {
        true => again(&[], &printed),
        false => text.to_string(),
    };
    assert_eq!(printed, settled, "not a fixed point");
    for form in ["--mlir-print-op-generic", "--mlir-print-debuginfo"] {
        let other = again(&[form], &printed);
        assert_eq!(again(&[form], &other), other, "not a fixed point: {form}");
        if form == "--mlir-print-op-generic" {
            assert_eq!(again(&[], &other), printed, "{form} says something else");
        }
    }
    for pipeline in PIPELINES {
        let out = opt(&[ANY_DIALECT, pipeline], printed.as_bytes());
        if out.code == 0 {
            again(&[], &out.stdout);
        }
    }
}

/// Upstream, and so terrace, writes the sum `a + (-b + c)` as `a + -b + c`, which is read
/// as `(a + -b) + c` and written as `a - b + c`: the same from then on.
fn regrouped(text: &str) -> bool {
    text.contains("+ -") || text.contains("* -")
}

/// What comes of a text that must be read.
fn again(flags: &[&str], text: &str) -> String {
    let flags: Vec<&str> = flags.iter().copied().chain([ANY_DIALECT]).collect();
    let out = opt(&flags, text.as_bytes());
    assert_eq!(out.stderr, "", "{flags:?}: not read back:\n{text}");
    out.stdout
}

fn opt(flags: &[&str], text: &[u8]) -> Outcome {
    let args: Vec<String> = flags.iter().map(|s| (*s).to_string()).collect();
    let out = Tool::new("terrace-opt").run(&args, &mut &text[..]);
    match out.code {
        0 => {}
        1 => assert!(!out.stderr.is_empty(), "refused without an error"),
        c => panic!("exit code {c}"),
    }
    out
}
