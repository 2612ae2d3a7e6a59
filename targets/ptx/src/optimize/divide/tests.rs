//! What becomes of divisions in small kernels.

use super::expand;
use crate::cleanup;
use crate::module::{Func, Module};
use crate::optimize::known;
use crate::optimize::testing::after;

fn expanded(body: &str) -> Vec<String> {
    let pass = |_: &Module, func: &mut Func| {
        let changes = known::simplify(func);
        cleanup::run(func);
        let changes = changes + expand(func);
        cleanup::run(func);
        changes
    };
    after(body, pass)
}

/// The lines between reading `n` and storing the result.
fn of_n(text: &str) -> Vec<String> {
    let body = format!("ld.param.u32 %r0, [n];\n{text}\nst.shared.u32 [tile], %r9;\nret;");
    let lines = expanded(&body);
    lines[1..lines.len() - 2].to_vec()
}

#[test]
fn signed_and_unsigned() {
    assert_eq!(of_n("div.u32 %r9, %r0, 16;"), ["shr.u32 %r2, %r1, 4;"]);
    assert_eq!(of_n("rem.u32 %r9, %r0, 16;"), ["and.b32 %r2, %r1, 15;"]);
    assert_eq!(
        of_n("div.u32 %r9, %r0, 10;"),
        ["mul.hi.u32 %r2, %r1, 3435973837;", "shr.u32 %r3, %r2, 3;"]
    );
    assert_eq!(
        of_n("div.s32 %r9, %r0, 10;"),
        [
            "mul.hi.s32 %r2, %r1, 1717986919;",
            "shr.s32 %r3, %r2, 2;",
            "shr.u32 %r4, %r1, 31;",
            "add.s32 %r5, %r3, %r4;"
        ]
    );
    assert_eq!(
        of_n("div.s32 %r9, %r0, -4;"),
        [
            "shr.s32 %r2, %r1, 1;",
            "shr.u32 %r3, %r2, 30;",
            "add.s32 %r4, %r1, %r3;",
            "shr.s32 %r5, %r4, 2;",
            "sub.s32 %r6, 0, %r5;"
        ]
    );
    assert_eq!(
        of_n("rem.s32 %r9, %r0, 7;").last().map(String::as_str),
        Some("mad.lo.s32 %r7, %r6, -7, %r1;")
    );
}

#[test]
fn a_dividend_that_is_not_negative() {
    assert_eq!(
        of_n("and.b32 %r1, %r0, 65535;\ndiv.s32 %r9, %r1, 7;"),
        [
            "and.b32 %r2, %r1, 65535;",
            "mul.hi.u32 %r3, %r2, 613566757;"
        ]
    );
    assert_eq!(
        of_n("mov.u32 %r1, %tid.x;\nrem.s32 %r2, %r1, 32;\nadd.s32 %r9, %r2, %r0;"),
        [
            "mov.u32 %r2, %tid.x;",
            "and.b32 %r3, %r2, 31;",
            "add.s32 %r4, %r3, %r1;"
        ]
    );
}

#[test]
fn by_one_by_zero_and_by_a_number() {
    assert_eq!(of_n("div.s32 %r9, %r0, -1;"), ["sub.s32 %r2, 0, %r1;"]);
    assert_eq!(of_n("rem.s32 %r9, %r0, 1;"), ["and.b32 %r2, %r1, 0;"; 0]);
    assert_eq!(of_n("div.s32 %r9, %r0, 0;"), ["div.s32 %r2, %r1, 0;"]);
    let lines = of_n("mov.u32 %r1, %tid.x;\ndiv.s32 %r9, %r0, %r1;");
    assert_eq!(lines[1], "div.s32 %r3, %r1, %r2;");
}

#[test]
fn division_that_rounds_down() {
    // As MLIR expands affine mod and floordiv.
    assert_eq!(
        of_n(
            "rem.s32 %r1, %r0, 8;\nsetp.lt.s32 %p0, %r1, 0;\nadd.s32 %r2, %r1, 8;\n\
              selp.b32 %r9, %r2, %r1, %p0;"
        ),
        ["and.b32 %r2, %r1, 7;"]
    );
    let floor = |d: u32| {
        of_n(&format!(
            "setp.lt.s32 %p0, %r0, 0;\nsub.s32 %r1, -1, %r0;\nselp.b32 %r2, %r1, %r0, %p0;\n\
             div.s32 %r3, %r2, {d};\nsub.s32 %r4, -1, %r3;\nselp.b32 %r9, %r4, %r3, %p0;"
        ))
    };
    assert_eq!(floor(8), ["shr.s32 %r2, %r1, 3;"]);
    // Not by a power of two: the dividend is known not to be negative.
    assert_eq!(
        floor(6),
        [
            "setp.lt.s32 %p1, %r1, 0;",
            "sub.s32 %r2, -1, %r1;",
            "selp.b32 %r3, %r2, %r1, %p1;",
            "mul.hi.u32 %r4, %r3, 715827883;",
            "sub.s32 %r5, -1, %r4;",
            "selp.b32 %r6, %r5, %r4, %p1;"
        ]
    );
}

/// `n mod 8` and `n floordiv 8` with one thing otherwise than it must be: another type of
/// comparison, another register, another number.
#[test]
fn what_only_looks_like_division_that_rounds_down_stays() {
    let modulo = |rem: &str, test: &str, add: &str, select: &str| {
        let lines = of_n(&format!(
            "rem.{rem};\nsetp.{test};\nadd.{add};\nselp.{select};"
        ));
        lines.last().is_some_and(|l| l.starts_with("selp"))
    };
    let (rem, test) = ("s32 %r1, %r0, 8", "lt.s32 %p0, %r1, 0");
    let (add, select) = ("s32 %r2, %r1, 8", "b32 %r9, %r2, %r1, %p0");
    assert!(!modulo(rem, test, add, select));
    for test in [
        "le.s32 %p0, %r1, 0",
        "lt.s32 %p0, %r0, 0",
        "lt.s32 %p0, %r1, 1",
        "lt.s32 %p0, 0, %r1",
    ] {
        assert!(modulo(rem, test, add, select), "{test}");
    }
    assert!(modulo(rem, test, "s32 %r2, %r1, 4", select));
    assert!(modulo(rem, test, "s32 %r2, %r0, 8", select));
    assert!(modulo(rem, test, add, "b32 %r9, %r1, %r2, %p0"));
    // A comparison without signs never holds, but `known` sees that first: the form alone.
    let mut module = crate::optimize::testing::kernel(
        "ld.param.u32 %r0, [n];\nrem.s32 %r1, %r0, 8;\nsetp.lt.u32 %p0, %r1, 0;\n\
         add.s32 %r2, %r1, 8;\nselp.b32 %r9, %r2, %r1, %p0;\nst.shared.u32 [tile], %r9;\nret;",
    );
    for (_, func) in module.funcs.iter_mut() {
        assert_eq!(super::idioms::simplify(func), 0);
    }
    let floor = |first: &str, second: &str, d: i64| {
        let lines = of_n(&format!(
            "setp.{first};\nsub.s32 %r1, -1, %r0;\nselp.b32 %r2, %r1, %r0, %p0;\n\
             div.s32 %r3, %r2, {d};\nsub.s32 %r4, -1, %r3;\nsetp.{second};\n\
             selp.b32 %r9, %r4, %r3, %p1;"
        ));
        lines.last().is_some_and(|l| l.starts_with("selp"))
    };
    let (first, second) = ("lt.s32 %p0, %r0, 0", "lt.s32 %p1, %r0, 0");
    assert!(!floor(first, second, 8));
    assert!(floor("le.s32 %p0, %r0, 0", second, 8));
    assert!(floor(first, "lt.s32 %p1, %r1, 0", 8));
    assert!(floor(first, "lt.s32 %p1, %r0, 3", 8));
    assert!(floor(first, second, 6));
}
