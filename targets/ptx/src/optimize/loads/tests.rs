use super::*;
use crate::cleanup::dead;
use crate::optimize::testing::after;

fn forwarded(body: &str) -> Vec<String> {
    let body = format!("ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n{body}\nret;");
    let lines = after(&body, |_, f| {
        let changes = forward(f) + dead::eliminate(f, &mut Default::default());
        assert_eq!(forward(f), 0, "a second run changes nothing");
        changes
    });
    let body = lines[..lines.len() - 1].iter();
    body.filter(|l| !l.starts_with("ld.param"))
        .cloned()
        .collect()
}

#[test]
fn what_was_stored_or_loaded_is_not_loaded_again() {
    let lines = forwarded(
        "mov.f32 %f1, 0f3F800000; st.global.f32 [%d1], %f1; ld.global.f32 %f2, [%d1];
         ld.global.b32 %r2, [%d1+4]; ld.global.f32 %f3, [%d1+4]; add.f32 %f2, %f2, %f3;
         st.global.f32 [%d1+8], %f2; st.global.u32 [%d1+12], %r2;",
    );
    assert_eq!(
        lines,
        [
            "mov.f32 %f1, 0f3F800000;",
            "st.global.f32 [%rd1], %f1;",
            "mov.f32 %f2, %f1;",
            "ld.global.b32 %r1, [%rd1+4];",
            "mov.b32 %f3, %r1;",
            "add.f32 %f2, %f2, %f3;",
            "st.global.f32 [%rd1+8], %f2;",
            "st.global.u32 [%rd1+12], %r1;"
        ]
    );
}

/// Whether the last load of a body stays.
fn stays(body: &str) -> bool {
    let count = |lines: &[String]| lines.iter().filter(|l| l.contains("ld.")).count();
    let before = body.matches("ld.").count();
    let lines = forwarded(&format!("{body} st.shared.u32 [tile], %r3;"));
    count(&lines) == before
}

#[test]
fn what_may_have_changed_is_loaded_again() {
    let store = "st.global.u32 [%d1], %r1;";
    let load = "ld.global.u32 %r3, [%d1];";
    assert!(!stays(&format!("{store} {load}")));
    assert!(!stays(&format!("{store} st.global.u32 [%d1+4], 0; {load}")));
    assert!(!stays(&format!(
        "{store} st.shared.u32 [tile], %r1; {load}"
    )));
    for between in [
        "st.global.u16 [%d1+2], 0;",
        "mad.wide.u32 %d2, %r1, 4, %d1; st.global.u32 [%d2], 0;",
        "bar.sync 0;",
        "membar.gl;",
        "red.global.add.u32 [%d1], 1;",
        "atom.global.add.u32 %r4, [%d1+64], 1; st.shared.u32 [tile+4], %r4;",
        "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%d1], 7;",
        // The register has another value by now.
        "add.u32 %r1, %r1, 1;",
    ] {
        assert!(stays(&format!("{store} {between} {load}")), "{between}");
    }
    assert!(stays("st.global.u16 [%d1], 3; ld.global.u32 %r3, [%d1];"));
    assert!(stays("st.global.u8 [%d1], %r1; ld.global.u8 %r3, [%d1];"));
    assert!(stays(
        "st.global.u32 [%d1], %r1; ld.volatile.global.u32 %r3, [%d1];"
    ));
    assert!(stays(
        "setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 0; @%p1 ld.global.u32 %r2, [%d1]; ld.global.u32 %r3, [%d1];
         st.shared.u32 [tile+4], %r2;"
    ));
}

/// Registers may be wider than what is loaded into them, and no copy widens.
#[test]
fn what_is_loaded_into_a_wider_register_is_loaded() {
    for (store, load) in [
        ("st.global.u32 [%d1], %r1;", "ld.global.u32 %d3, [%d1];"),
        ("st.global.u32 [%d1], %d1;", "ld.global.u32 %d3, [%d1];"),
        ("st.global.u16 [%d1], %r1;", "ld.global.u16 %d3, [%d1];"),
        ("st.global.u32 [%d1], 5;", "ld.global.s32 %d3, [%d1];"),
    ] {
        let lines = forwarded(&format!("{store} {load} st.shared.u64 [tile], %d3;"));
        assert!(lines.iter().any(|l| l.starts_with("ld.")), "{lines:?}");
    }
}

/// Where a block is left before its end, what is known there does not hold behind the
/// branch. The passes split such blocks first; a function as it is read has them.
#[test]
fn a_branch_in_the_middle_of_a_block_leaves_before_its_end() {
    let changes = |before: &str, after: &str| {
        let text = format!(
            ".version 7.8\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u32 n)\n{{\n\
             .reg .pred %p<4>;\n.reg .b32 %r<10>;\n.reg .b64 %d<10>;\n\
             .shared .align 16 .b8 tile[1024];\n\
             ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; setp.eq.u32 %p1, %r1, 0;\n\
             {before} @%p1 bra out; {after} add.u32 %r4, %r1, 1; st.shared.u32 [tile+4], %r4;\n\
             out: ld.global.u32 %r3, [%d1]; st.shared.u32 [tile], %r3; ret;\n}}\n"
        );
        let mut module = crate::parse::parse(&text).unwrap().module;
        let func = module.funcs.iter_mut().next().unwrap().1;
        forward(func)
    };
    let store = "st.global.u32 [%d1], %r1;";
    assert_eq!(changes("", store), 0);
    assert_eq!(changes("", &format!("{store} bra out;")), 0);
}

#[test]
fn ways_that_meet_count_all() {
    let diamond = |arm: &str| {
        format!(
            "ld.global.u32 %r2, [%d1]; st.shared.u32 [tile+4], %r2; setp.eq.u32 %p1, %r1, 0;
             @%p1 bra join; {arm}
             join: ld.global.u32 %r3, [%d1];"
        )
    };
    assert!(!stays(&diamond("st.global.u32 [%d1+4], 1;")));
    assert!(stays(&diamond("st.global.u32 [%d1], 1;")));
    let lp = |tail: &str| {
        format!(
            "ld.global.u32 %r2, [%d1]; st.shared.u32 [tile+4], %r2;
             head: ld.global.u32 %r3, [%d1]; st.shared.u32 [tile+8], %r3; add.u32 %r1, %r1, 1;
             {tail} setp.ne.u32 %p1, %r1, 9; @%p1 bra head;"
        )
    };
    assert!(!stays(&lp("")));
    assert!(stays(&lp("st.global.u32 [%d1], %r1;")));
    assert!(stays(&lp("bar.sync 0;")));
}

#[test]
fn elements_of_vectors_are_known_one_by_one() {
    let lines = forwarded(
        "st.global.v2.u32 [%d1], {%r1, %r1}; ld.global.u32 %r2, [%d1+4];
         ld.global.v2.u32 {%r3, %r4}, [%d1+8]; ld.global.u32 %r5, [%d1+8]; add.u32 %r2, %r2, %r5;
         st.shared.v2.u32 [tile], {%r2, %r3};",
    );
    let loads = lines.iter().filter(|l| l.starts_with("ld.")).count();
    assert_eq!(loads, 1, "{lines:?}");
}
