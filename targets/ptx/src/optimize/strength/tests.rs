use super::*;
use crate::cleanup;
use crate::optimize::coalesce::coalesce;
use crate::optimize::isolate::isolate;
use crate::optimize::testing::after;

/// The body after the pass between those that make and leave its form,
/// without the parameters.
fn reduced(body: &str) -> Vec<String> {
    let body = format!(
        "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; cvt.u64.u32 %d2, %r1;\n{body}\nret;"
    );
    let lines = after(&body, |_, f| {
        make_preheaders(f);
        isolate(f);
        cleanup::run(f);
        let changes = reduce(f);
        cleanup::run(f);
        assert_eq!(reduce(f), 0, "a second run changes nothing");
        coalesce(f);
        cleanup::run(f);
        changes
    });
    let body = lines.iter().filter(|l| !l.starts_with("ld.param"));
    body.cloned().collect()
}

/// The lines of the loop.
fn in_the_loop(body: &str) -> Vec<String> {
    let lines = reduced(body);
    let start = lines.iter().position(|l| l.ends_with(':')).unwrap() + 1;
    let end = lines.iter().rposition(|l| l.contains("bra ")).unwrap();
    lines[start..end].to_vec()
}

#[test]
fn a_stride_in_a_register_becomes_a_walking_pointer() {
    let lines = reduced(
        "mov.u64 %d3, 0; mov.f32 %f1, 0f00000000;
         loop: mul.lo.s64 %d4, %d3, %d2; shl.b64 %d4, %d4, 2; add.s64 %d5, %d1, %d4;
         ld.global.f32 %f2, [%d5+8]; add.f32 %f1, %f1, %f2; add.s64 %d6, %d5, 400;
         ld.global.f32 %f2, [%d6]; add.f32 %f1, %f1, %f2;
         add.s64 %d3, %d3, 1; setp.lt.s64 %p1, %d3, %d2; @%p1 bra loop;
         st.shared.f32 [tile], %f1;",
    );
    assert_eq!(
        lines,
        [
            "cvt.u64.u32 %rd2, %r1;",
            "mul.wide.u32 %rd3, %r1, 4;",
            "mov.b64 %rd4, 0;",
            "mov.f32 %f1, 0f00000000;",
            "$L1:",
            "ld.global.f32 %f2, [%rd1+8];",
            "add.f32 %f3, %f1, %f2;",
            "ld.global.f32 %f4, [%rd1+400];",
            "add.f32 %f1, %f3, %f4;",
            "add.s64 %rd4, %rd4, 1;",
            "setp.lt.s64 %p1, %rd4, %rd2;",
            "add.s64 %rd1, %rd1, %rd3;",
            "@%p1 bra $L1;",
            "st.shared.f32 [tile], %f1;",
            "ret;"
        ]
    );
}

#[test]
fn neighbours_of_an_index_share_a_pointer() {
    let lines = in_the_loop(
        "mov.u64 %d3, 5;
         loop: shl.b64 %d4, %d3, 2; add.s64 %d4, %d4, %d1; ld.global.f32 %f1, [%d4];
         add.s64 %d5, %d3, 1; shl.b64 %d6, %d5, 2; add.s64 %d6, %d1, %d6;
         ld.global.f32 %f2, [%d6]; sub.s64 %d7, %d3, 1; shl.b64 %d7, %d7, 2;
         add.s64 %d7, %d7, %d1; ld.global.f32 %f3, [%d7]; add.f32 %f1, %f1, %f2;
         add.f32 %f1, %f1, %f3; st.shared.f32 [tile], %f1;
         add.s64 %d3, %d3, 3; setp.lt.s64 %p1, %d3, %d2; @%p1 bra loop;",
    );
    let loads: Vec<&String> = lines.iter().filter(|l| l.starts_with("ld.")).collect();
    // The fifth element is 20 bytes away: the pointer starts at the first.
    assert_eq!(
        loads,
        [
            "ld.global.f32 %f1, [%rd1+20];",
            "ld.global.f32 %f2, [%rd1+24];",
            "ld.global.f32 %f3, [%rd1+16];"
        ]
    );
    let sums = lines.iter().filter(|l| l.contains(".s64 %rd")).count();
    assert_eq!(sums, 2, "{lines:?}");
}

#[test]
fn addresses_that_grow_unevenly_stay() {
    for (what, address) in [
        ("a square", "mul.lo.s64 %d4, %d3, %d3; shl.b64 %d4, %d4, 2;"),
        (
            "a loaded index",
            "ld.global.u64 %d4, [%d1]; shl.b64 %d4, %d4, 2;",
        ),
        (
            "32 bits that may wrap",
            "cvt.u32.u64 %r2, %d3; mul.lo.u32 %r2, %r2, %r1; mul.wide.u32 %d4, %r2, 4;",
        ),
    ] {
        let lines = in_the_loop(&format!(
            "mov.u64 %d3, 0;
             loop: {address} add.s64 %d4, %d4, %d1; ld.global.f32 %f1, [%d4+8];
             st.shared.f32 [tile], %f1;
             add.s64 %d3, %d3, 1; setp.lt.s64 %p1, %d3, %d2; @%p1 bra loop;"
        ));
        let moved = lines
            .iter()
            .any(|l| l.starts_with("ld.global.f32 %f1, [%rd1"));
        assert!(!moved, "{what}: {lines:?}");
    }
}

/// What is widened falls back where the counter wraps, and a pointer would go on: by 2 at a
/// time it wraps before it is an odd n. It is the only reason here: the multiplication and
/// the sum cost more than a pointer does.
#[test]
fn counters_of_32_bits_that_may_wrap_are_not_followed() {
    for widen in ["u", "s"] {
        let lines = in_the_loop(&format!(
            "mov.u32 %r3, 0;
             loop: mul.wide.{widen}32 %d4, %r3, 4; add.s64 %d4, %d4, %d1;
             ld.global.f32 %f1, [%d4+8]; st.shared.f32 [tile], %f1;
             add.s32 %r3, %r3, 2; setp.ne.s32 %p1, %r3, %r1; @%p1 bra loop;"
        ));
        let product = format!("mul.wide.{widen}32");
        assert!(lines.iter().any(|l| l.starts_with(&product)), "{lines:?}");
    }
}

#[test]
fn one_instruction_is_not_exchanged_for_two() {
    // The widening product is one instruction of the machine, a sum of 64
    // bits two.
    let lines = in_the_loop(
        "mov.u64 %d3, 0;
         loop: add.s64 %d4, %d3, %d1; ld.global.u8 %r2, [%d4]; st.shared.u32 [tile], %r2;
         add.s64 %d3, %d3, 1; setp.lt.s64 %p1, %d3, %d2; @%p1 bra loop;",
    );
    assert!(
        lines.contains(&"add.s64 %rd4, %rd3, %rd1;".to_string()),
        "{lines:?}"
    );
}

#[test]
fn a_step_in_a_register_and_nested_loops() {
    let lines = reduced(
        "mov.u64 %d3, 0;
         outer: mov.u64 %d4, %d3; mov.f32 %f1, 0f00000000;
         inner: mul.lo.s64 %d5, %d3, %d2; add.s64 %d5, %d5, %d4; shl.b64 %d5, %d5, 2;
         add.s64 %d5, %d5, %d1; ld.global.f32 %f2, [%d5]; add.f32 %f1, %f1, %f2;
         add.s64 %d4, %d4, %d2; setp.lt.s64 %p1, %d4, 1000; @%p1 bra inner;
         mad.lo.s64 %d6, %d3, 12, %d1; st.global.f32 [%d6], %f1;
         add.s64 %d3, %d3, 1; setp.lt.s64 %p1, %d3, %d2; @%p1 bra outer;",
    );
    let store = lines
        .iter()
        .position(|l| l.starts_with("st.global"))
        .unwrap();
    let inner = lines.iter().rposition(|l| l.ends_with(':')).unwrap();
    let body = &lines[inner + 1..store];
    assert!(
        !body.iter().any(|l| l.contains("mul") || l.contains("shl")),
        "{lines:#?}"
    );
    assert!(
        !lines[store..]
            .iter()
            .any(|l| l.contains("mad") || l.contains("mul")),
        "{lines:#?}"
    );
}

#[test]
fn loops_along_y_of_the_grid_keep_no_pointers() {
    let walk = |blocks: &str| {
        reduced(&format!(
            "mov.u32 %r2, {blocks}; mul.wide.s32 %d3, %r2, 8; mov.u64 %d4, 0; mov.f32 %f1, 0f00000000;
             loop: mul.lo.s64 %d5, %d4, %d2; add.s64 %d6, %d1, %d5; st.global.f32 [%d6], %f1;
             add.s64 %d4, %d4, %d3; setp.lt.s64 %p1, %d4, %d2; @%p1 bra loop;"
        ))
    };
    let products = |lines: &[String]| {
        let start = lines.iter().position(|l| l.ends_with(':')).unwrap();
        lines[start..]
            .iter()
            .filter(|l| l.contains("mul.lo"))
            .count()
    };
    assert_eq!(products(&walk("%nctaid.x")), 0);
    assert_eq!(products(&walk("%nctaid.y")), 1);
    assert_eq!(products(&walk("%nctaid.z")), 1);
}
