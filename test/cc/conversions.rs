//! C's conversions: operators on every pair of arithmetic types, on values at which widths
//! and signedness show. What regions compute is compared, in one program, with what the
//! system's compiler computes of the same statements.

#[path = "conversions/model.rs"]
mod model;
#[path = "conversions/write.rs"]
mod write;

use super::folder::{Folder, text};
use model::{Operator, TYPES};
use write::Program;

/// Builds a program, runs it on each target and expects that it finds no difference.
fn agrees(program: Program) {
    let source = program.finish();
    let f = Folder::new(&[("conversions.c", &source)]);
    let out = f.terrace(&["-O1", "-w", "conversions.c", "-o", "conversions"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    assert!(text(&out.stderr).is_empty(), "{}", text(&out.stderr));
    for target in ["host", "cpu", "emulator"] {
        let out = f.program("conversions", &[("TERRACE_TARGET", target)]);
        let said = text(&out.stdout);
        assert!(
            said.ends_with("all compared\n"),
            "{target}: {said}{}",
            text(&out.stderr)
        );
        assert_eq!(said.lines().count(), 1, "{target}: {said}");
    }
}

/// Every operator, plain and as a compound assignment, on every pair of types.
#[test]
fn operators_on_pairs_of_types() {
    let mut p = Program::default();
    for a in TYPES {
        for b in TYPES {
            for class in Operator::CLASSES {
                p.pair(a, b, class);
            }
        }
    }
    agrees(p);
}

/// Operators on casts and on `?:` of other types: what a value was widened from says
/// nothing of the type that it is compared, divided or shifted in.
#[test]
fn operators_on_casts() {
    let mut p = Program::default();
    let integers = || TYPES.iter().filter(|t| !t.is_float());
    for a in integers() {
        for b in integers() {
            p.casts(a, b);
        }
    }
    agrees(p);
}

/// Operators with a constant on one side, and on both.
#[test]
fn operators_on_constants() {
    let mut p = Program::default();
    for a in TYPES {
        p.constants(a);
    }
    agrees(p);
}

/// Increments, unary operators, conditions and switches.
#[test]
fn single_operands() {
    let mut p = Program::default();
    for a in TYPES {
        p.single(a);
    }
    agrees(p);
}

/// Counters of every integer type, up and down, that wrap where C lets them.
#[test]
fn counters_of_every_type() {
    let mut p = Program::default();
    for a in TYPES.iter().filter(|t| !t.is_float() && !t.is_bool()) {
        p.counters(a);
    }
    agrees(p);
}
