use super::*;
use crate::cleanup;
use crate::optimize::testing::after;

fn vectorized(body: &str) -> Vec<String> {
    let body = format!("ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n{body}\nret;");
    let lines = after(&body, |m, f| {
        let changes = vectorize(m, f);
        assert_eq!(vectorize(m, f), 0, "a second run changes nothing");
        cleanup::copies::propagate(f, &mut Default::default());
        cleanup::dead::eliminate(f, &mut Default::default());
        changes
    });
    let body = lines[..lines.len() - 1].iter();
    body.filter(|l| !l.starts_with("ld.param"))
        .cloned()
        .collect()
}

const SUM: &str = "add.f32 %f1, %f1, %f2; st.shared.f32 [tile], %f1;";

#[test]
fn four_neighbours_become_one_access() {
    let lines = vectorized(
        "ld.global.f32 %f3, [%d1+8]; ld.global.f32 %f1, [%d1]; ld.global.f32 %f4, [%d1+12];
         ld.global.f32 %f2, [%d1+4]; add.f32 %f5, %f1, %f2; add.f32 %f6, %f3, %f4;
         st.global.f32 [%d1+24], %f5; st.global.f32 [%d1+28], %f6;",
    );
    assert_eq!(
        lines,
        [
            "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
            "add.f32 %f5, %f1, %f2;",
            "add.f32 %f6, %f3, %f4;",
            "st.global.v2.f32 [%rd1+24], {%f5, %f6};"
        ]
    );
}

#[test]
fn an_index_times_the_vector_is_aligned() {
    let two = |scale: u32, offset: u32| {
        vectorized(&format!(
            "mad.wide.u32 %d2, %r1, {scale}, %d1; ld.global.f32 %f1, [%d2+{offset}];
             ld.global.f32 %f2, [%d2+{}]; {SUM}",
            offset + 4
        ))
        .iter()
        .any(|l| l.contains(".v2."))
    };
    assert!(two(8, 0));
    assert!(two(24, 8));
    assert!(!two(4, 0), "maybe not aligned");
    assert!(!two(8, 4), "surely not aligned");
    // The base of one access is a sum of its own.
    let lines = vectorized(&format!(
        "cvt.u64.u32 %d2, %r1; shl.b64 %d3, %d2, 3; add.s64 %d4, %d1, %d3;
         ld.global.f32 %f1, [%d4]; mul.lo.s64 %d5, %d2, 2; add.s64 %d5, %d5, 1; shl.b64 %d5, %d5, 2;
         add.s64 %d6, %d5, %d1; ld.global.f32 %f2, [%d6]; {SUM}"
    ));
    assert!(lines.contains(&"ld.global.v2.f32 {%f1, %f2}, [%rd4];".to_string()));
}

#[test]
fn loads_in_loops_are_aligned_if_start_and_step_are() {
    let walk = |step: u32| {
        vectorized(&format!(
            "mov.u64 %d2, %d1;
             head: ld.global.f32 %f1, [%d2]; ld.global.f32 %f2, [%d2+4]; {SUM}
             add.s64 %d2, %d2, {step}; add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 9; @%p1 bra head;"
        ))
        .iter()
        .any(|l| l.contains(".v2."))
    };
    assert!(walk(8) && walk(32) && !walk(4));
}

#[test]
fn nothing_passes_what_it_may_touch() {
    let loads = |between: &str| {
        vectorized(&format!(
            "ld.global.f32 %f1, [%d1]; {between} ld.global.f32 %f2, [%d1+4]; {SUM}"
        ))
        .iter()
        .any(|l| l.contains(".v2."))
    };
    assert!(loads("st.global.f32 [%d1+8], %f1;"));
    assert!(loads("st.shared.f32 [tile], %f1;"));
    assert!(!loads("st.global.f32 [%d1+4], %f1;"));
    assert!(!loads(
        "mad.wide.u32 %d2, %r1, 4, %d1; st.global.f32 [%d2], %f1;"
    ));
    assert!(!loads("bar.sync 0;"));
    let stores = |between: &str| {
        vectorized(&format!(
            "mov.f32 %f1, 0f00000000; st.global.f32 [%d1], %f1; {between}
             st.global.f32 [%d1+4], %f1;"
        ))
        .iter()
        .any(|l| l.contains(".v2."))
    };
    assert!(stores("ld.global.f32 %f2, [%d1+8];"));
    assert!(!stores(
        "ld.global.f32 %f2, [%d1]; st.shared.f32 [tile], %f2;"
    ));
    assert!(!stores("st.global.f32 [%d1], 0f3F800000;"));
    assert!(
        !stores("mov.f32 %f1, 0f3F800000;"),
        "the register has changed"
    );
}

#[test]
fn guarded_accesses_merge_under_one_guard() {
    let lines = vectorized(
        "setp.eq.u32 %p1, %r1, 0; mov.f32 %f1, 0f00000000; @%p1 ld.global.f32 %f1, [%d1];
         mov.f32 %f2, 0f00000000; @%p1 ld.global.f32 %f2, [%d1+4];
         @%p1 st.shared.f32 [tile], %f2; @%p1 st.shared.f32 [tile+4], %f1;",
    );
    assert_eq!(
        lines,
        [
            "setp.eq.u32 %p1, %r1, 0;",
            "mov.f32 %f1, 0f00000000;",
            "mov.f32 %f2, 0f00000000;",
            "@%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1];",
            "@%p1 st.shared.v2.f32 [tile], {%f2, %f1};"
        ]
    );
    let other = "setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; mov.f32 %f1, 0f00000000;
        @%p1 st.shared.f32 [tile], %f1; @%p2 st.shared.f32 [tile+4], %f1;";
    assert!(!vectorized(other).iter().any(|l| l.contains(".v2.")));
}

#[test]
fn a_register_loaded_twice_goes_through_others() {
    let lines = vectorized(
        "ld.global.f32 %f1, [%d1]; st.shared.f32 [tile], %f1; ld.global.f32 %f1, [%d1+4];
         st.shared.f32 [tile+4], %f1;",
    );
    assert_eq!(
        lines[0], "ld.global.v2.f32 {%f1, %f2}, [%rd1];",
        "{lines:?}"
    );
}

#[test]
fn small_and_wide_elements() {
    let lines = vectorized(
        "ld.global.u8 %r2, [%d1]; ld.global.u8 %r3, [%d1+1]; ld.global.u8 %r4, [%d1+2];
         ld.global.u8 %r5, [%d1+3]; add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5;
         add.u32 %r2, %r2, %r4; st.shared.u32 [tile], %r2;
         ld.global.u64 %d2, [%d1+16]; ld.global.u64 %d3, [%d1+24]; ld.global.u64 %d4, [%d1+32];
         ld.global.u64 %d5, [%d1+40]; add.u64 %d2, %d2, %d3; add.u64 %d4, %d4, %d5;
         add.u64 %d2, %d2, %d4; st.shared.u64 [tile+8], %d2;",
    );
    let vectors: Vec<&String> = lines.iter().filter(|l| l.starts_with("ld")).collect();
    assert_eq!(
        vectors,
        [
            "ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%rd1];",
            "ld.global.v2.u64 {%rd2, %rd3}, [%rd1+16];",
            "ld.global.v2.u64 {%rd4, %rd5}, [%rd1+32];"
        ]
    );
}
