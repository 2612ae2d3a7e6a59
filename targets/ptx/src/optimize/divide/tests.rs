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
