//! What becomes of small kernels, with the cleanup that follows.

use super::narrow;
use crate::cleanup;
use crate::module::{Func, Module};
use crate::optimize::testing::{after, lines, run};

fn narrowed(body: &str) -> Vec<String> {
    after(body, both)
}

fn both(_: &Module, func: &mut Func) -> usize {
    let changes = narrow(func);
    cleanup::run(func);
    changes
}

#[test]
fn a_global_index_under_a_guard() {
    let body = "ld.param.u64 %d0, [p];\nmov.u32 %r0, %ctaid.y;\nmov.u32 %r1, %tid.x;\n\
         cvt.u64.u32 %d1, %r1;\nmad.wide.u32 %d2, %r0, 256, %d1;\n\
         setp.ge.s64 %p0, %d2, 1000;\n@%p0 bra end;\n\
         shl.b64 %d3, %d2, 3;\nadd.s64 %d4, %d0, %d3;\n\
         ld.global.f32 %f0, [%d4];\nst.global.f32 [%d4+4], %f0;\nend:\nret;";
    assert_eq!(
        narrowed(body),
        [
            "ld.param.u64 %rd1, [p];",
            "mov.u32 %r1, %ctaid.y;",
            "mov.u32 %r2, %tid.x;",
            "mad.lo.u32 %r3, %r1, 256, %r2;",
            "setp.ge.s32 %p1, %r3, 1000;",
            "@%p1 bra $L2;",
            "mul.wide.s32 %rd2, %r3, 8;",
            "add.s64 %rd3, %rd1, %rd2;",
            "ld.global.f32 %f1, [%rd3];",
            "st.global.f32 [%rd3+4], %f1;",
            "$L2:",
            "ret;"
        ]
    );
}

#[test]
fn a_loop_with_its_counter() {
    let body = "ld.param.u64 %d0, [p];\nmov.u64 %d1, 0;\nloop:\n\
         setp.lt.s64 %p0, %d1, 512;\n@!%p0 bra end;\n\
         mul.lo.s64 %d2, %d1, 2052;\nadd.s64 %d3, %d0, %d2;\n\
         st.global.u32 [%d3], 1;\nadd.s64 %d1, %d1, 1;\nbra loop;\nend:\nret;";
    assert_eq!(
        narrowed(body),
        [
            "ld.param.u64 %rd1, [p];",
            "mov.u32 %r1, 0;",
            "$L1:",
            "setp.lt.s32 %p1, %r1, 512;",
            "@!%p1 bra $L3;",
            "mul.wide.s32 %rd2, %r1, 2052;",
            "add.s64 %rd3, %rd1, %rd2;",
            "st.global.u32 [%rd3], 1;",
            "add.s32 %r1, %r1, 1;",
            "bra $L1;",
            "$L3:",
            "ret;"
        ]
    );
}

#[test]
fn divisions_of_extended_numbers() {
    let body = "ld.param.u64 %d0, [p];\nmov.u32 %r1, %tid.x;\ncvt.u64.u32 %d1, %r1;\n\
         ld.param.u32 %r2, [n];\nmax.u32 %r2, %r2, 1;\ncvt.u64.u32 %d2, %r2;\n\
         div.s64 %d3, %d1, %d2;\nrem.s64 %d4, %d1, %d2;\n\
         st.global.u64 [%d0], %d3;\nst.global.u64 [%d0+8], %d4;\nret;";
    let lines = narrowed(body);
    assert!(
        lines.contains(&"div.u32 %r4, %r1, %r3;".to_string()),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"cvt.u64.u32 %rd2, %r4;".to_string()),
        "{lines:#?}"
    );
}

#[test]
fn what_may_not_fit_stays() {
    for body in [
        // An unknown bound, an unknown number, a sum over 32 bits.
        "ld.param.u64 %d0, [p];\nld.global.u64 %d1, [%d0];\nadd.s64 %d2, %d1, 1;\n\
         setp.lt.s64 %p0, %d2, 5;\n@%p0 bra end;\nst.global.u64 [%d0], %d2;\nend:\nret;",
        "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\ncvt.u64.u32 %d1, %r0;\n\
         add.s64 %d2, %d1, %d1;\nst.global.u64 [%d0], %d2;\nret;",
        "ld.param.u64 %d0, [p];\nmov.u64 %d1, 0;\nloop:\nst.global.u64 [%d0], %d1;\n\
         add.s64 %d1, %d1, 1;\nbra loop;",
    ] {
        let (_, changes) = run(body, both);
        assert_eq!(changes, 0, "{body}");
    }
}

#[test]
fn nothing_is_narrowed_only_to_be_extended() {
    let body = "ld.param.u64 %d0, [p];\nmov.u32 %r0, %tid.x;\ncvt.u64.u32 %d1, %r0;\n\
         add.s64 %d2, %d1, 1;\nst.global.u64 [%d0], %d2;\nret;";
    let (module, changes) = run(body, both);
    assert_eq!(changes, 0, "{:#?}", lines(&module));
}

#[test]
fn signs_are_kept_apart() {
    // A negative number, compared unsigned, divided, shifted.
    let body = "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\ncvt.s64.s32 %d1, %r0;\n\
         shr.s64 %d2, %d1, 3;\nshr.u64 %d3, %d1, 3;\nsetp.lt.u64 %p0, %d1, -5;\n\
         selp.b64 %d4, %d2, %d3, %p0;\nst.global.u64 [%d0], %d4;\n\
         cvt.rn.f32.s64 %f0, %d2;\nst.global.f32 [%d0+8], %f0;\nret;";
    let lines = narrowed(body);
    for expected in [
        "shr.s64 %rd3, %rd2, 3;",
        "shr.u64 %rd4, %rd2, 3;",
        "setp.lt.u32 %p1, %r1, 4294967291;",
        "cvt.rn.f32.s32 %f1, %r2;",
    ] {
        assert!(
            lines.contains(&expected.to_string()),
            "{expected}: {lines:#?}"
        );
    }
}

#[test]
fn a_loop_up_to_a_bound_that_only_its_entry_keeps_in_range() {
    let lines = narrowed(
        "ld.shared.u32 %r0, [tile];\nld.shared.u32 %r1, [tile+4];\n\
         cvt.s64.s32 %d0, %r0;\ncvt.s64.s32 %d1, %r1;\nmov.u64 %d2, %d0;\n\
         setp.lt.s64 %p0, %d0, %d1;\n@!%p0 bra end;\nadd.s64 %d3, %d1, -3;\n\
         setp.lt.s64 %p1, %d3, %d1;\nsetp.lt.and.s64 %p2, %d0, %d3, %p1;\n@!%p2 bra end;\n\
         loop:\nst.shared.u32 [tile], %r0;\nadd.s64 %d4, %d2, 4;\n\
         setp.lt.s64 %p3, %d4, %d3;\nmov.u64 %d2, %d4;\n@%p3 bra loop;\nend:\nret;",
    );
    let from = lines.iter().position(|l| l.starts_with("st.shared"));
    let test = (lines[from.expect("the loop")..].iter()).find(|l| l.starts_with("setp"));
    assert!(
        test.is_some_and(|l| l.starts_with("setp.lt.s32")),
        "{lines:#?}"
    );
}

/// What is read under a guard may have been written under that guard alone: taking its low
/// half, or extending it, is done under the guard too. `errors` in `run` would find a use of
/// a register that is not written on every path.
#[test]
fn what_a_guarded_instruction_needs_is_made_under_its_guard() {
    // `%d1` is a load under a guard, extended, and one of two values of `%d2`.
    let body = "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\nsetp.ge.s32 %p0, %r0, 1;\n\
         @%p0 ld.global.u32 %r1, [%d0+4];\n@%p0 cvt.s64.s32 %d1, %r1;\n\
         @%p0 st.global.u64 [%d0+16], %d1;\n@%p0 st.global.u64 [%d0+24], %d1;\n\
         @%p0 mov.b64 %d2, %d1;\n@!%p0 mov.b64 %d2, 1;\n\
         cvt.rn.f32.s64 %f0, %d2;\nst.global.f32 [%d0], %f0;\nret;";
    let lines = narrowed(body);
    let cut = lines.iter().find(|l| l.contains("cvt.u32.u64"));
    assert!(cut.is_some_and(|l| l.starts_with("@%p1 ")), "{lines:#?}");
    // `%d2` is narrow, and wide again for a store under a guard, twice under two guards.
    let body = "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\nsetp.ge.s32 %p0, %r0, 1;\n\
         setp.ge.s32 %p1, %r0, 7;\nmov.b64 %d2, 0;\nloop:\n\
         @%p0 st.global.u64 [%d0], %d2;\n@%p1 st.global.u64 [%d0+8], %d2;\n\
         mad.lo.s64 %d3, %d2, 5, 1;\nrem.s64 %d2, %d3, 101;\nsetp.lt.s64 %p2, %d2, 100;\n@%p2 bra loop;\nret;";
    let lines = narrowed(body);
    let extensions = |guard: &str| {
        let of = |l: &&String| l.starts_with(&format!("{guard} cvt."));
        lines.iter().filter(of).count()
    };
    let plain = lines
        .iter()
        .filter(|l| l.starts_with("cvt.s64") || l.starts_with("cvt.u64"));
    let plain = plain.count();
    assert_eq!(
        (extensions("@%p1"), extensions("@%p2"), plain),
        (1, 1, 0),
        "{lines:#?}"
    );
}

/// A register may be wider than what a conversion makes: the low bits alone are kept.
#[test]
fn a_conversion_to_fewer_bits_than_its_register_stays_one() {
    for ty in ["u16", "u8"] {
        let body = format!(
            "ld.param.u64 %d0, [p];\nld.param.u32 %r0, [n];\ncvt.{ty}.u32 %d1, %r0;\n\
             shl.b64 %d3, %d1, 3;\nadd.s64 %d4, %d0, %d3;\nst.global.u32 [%d4], %r0;\nret;"
        );
        let lines = narrowed(&body);
        let kept = format!("cvt.{ty}.u32");
        assert!(lines.iter().any(|l| l.starts_with(&kept)), "{lines:?}");
    }
}
