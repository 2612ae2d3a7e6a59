use super::*;
use crate::cleanup;
use crate::optimize::isolate::isolate;
use crate::optimize::testing::after;

fn derived(body: &str) -> Vec<String> {
    let body = format!(
        "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; cvt.u64.u32 %d2, %r1;
         mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; cvt.u64.u32 %d3, %r2; cvt.u64.u32 %d4, %r3;\n{body}\nret;"
    );
    let lines = after(&body, |_, f| {
        isolate(f);
        cleanup::run(f);
        let changes = derive(f);
        cleanup::run(f);
        changes
    });
    let start = lines
        .iter()
        .rposition(|l| l.contains("ld.param") || l.contains('%') && l.starts_with("mov.u32"));
    let body = &lines[start.map_or(0, |at| at + 1)..lines.len() - 1];
    (body.iter().filter(|l| !l.starts_with("cvt.u64")).cloned()).collect()
}

#[test]
fn a_row_away_is_one_sum_away() {
    let lines = derived(
        "mul.lo.s64 %d5, %d3, %d2; add.s64 %d5, %d5, %d4; shl.b64 %d5, %d5, 2;
         add.s64 %d5, %d1, %d5; ld.global.f32 %f1, [%d5];
         add.s64 %d6, %d3, 1; mul.lo.s64 %d6, %d6, %d2; add.s64 %d6, %d6, %d4;
         shl.b64 %d6, %d6, 2; add.s64 %d6, %d1, %d6; ld.global.f32 %f2, [%d6];
         add.s64 %d7, %d3, -1; mul.lo.s64 %d7, %d7, %d2; add.s64 %d7, %d7, %d4; add.s64 %d7, %d7, 2;
         shl.b64 %d7, %d7, 2; add.s64 %d7, %d1, %d7; ld.global.f32 %f3, [%d7];
         add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f3; st.shared.f32 [tile], %f1;",
    );
    assert_eq!(
        lines[..lines.len() - 3],
        [
            "mul.lo.s64 %rd4, %rd3, %rd2;",
            "shl.b64 %rd5, %rd4, 2;",
            "mad.wide.u32 %rd6, %r3, 4, %rd5;",
            "add.s64 %rd7, %rd6, %rd1;",
            "ld.global.f32 %f1, [%rd7];",
            "mul.wide.u32 %rd8, %r1, 4;",
            "add.s64 %rd9, %rd8, %rd7;",
            "ld.global.f32 %f2, [%rd9];",
            "sub.s64 %rd10, %rd7, %rd8;",
            "ld.global.f32 %f3, [%rd10+8];",
        ]
    );
}

#[test]
fn arrays_share_an_index() {
    let lines = derived(
        "cvta.to.global.u64 %d8, %d1; add.s64 %d9, %d8, 65536000;
         mul.lo.s64 %d5, %d3, 5120; add.s64 %d5, %d8, %d5; shl.b64 %d6, %d4, 2; add.s64 %d5, %d5, %d6;
         ld.global.f32 %f1, [%d5];
         mul.lo.s64 %d5, %d3, 5120; add.s64 %d5, %d9, %d5; add.s64 %d6, %d4, 3; shl.b64 %d6, %d6, 2;
         add.s64 %d5, %d5, %d6; ld.global.f32 %f2, [%d5];
         mov.u64 %d7, tile; mul.lo.s64 %d5, %d3, 5120; add.s64 %d7, %d7, %d5; shl.b64 %d6, %d4, 2;
         add.s64 %d7, %d7, %d6; add.f32 %f1, %f1, %f2; st.shared.f32 [%d7], %f1;",
    );
    let sums = |op: &str| lines.iter().filter(|l| l.starts_with(op)).count();
    // One index, and a sum for each array.
    assert_eq!((sums("mul"), sums("shl")), (1, 1), "{lines:#?}");
    assert_eq!(sums("add.s64"), 4, "{lines:#?}");
}

#[test]
fn what_costs_no_less_stays() {
    let lines = derived(
        "mad.wide.u32 %d5, %r2, 4, %d1; ld.global.f32 %f1, [%d5]; st.shared.f32 [tile], %f1;",
    );
    assert_eq!(lines[0], "mad.wide.u32 %rd2, %r1, 4, %rd1;");
    // The index is needed besides.
    let lines = derived(
        "mul.lo.s64 %d5, %d3, %d2; add.s64 %d5, %d5, %d4; st.shared.u64 [tile+8], %d5;
         shl.b64 %d6, %d5, 2; add.s64 %d6, %d6, %d1; ld.global.f32 %f1, [%d6]; st.shared.f32 [tile], %f1;",
    );
    let sums = lines
        .iter()
        .filter(|l| l.starts_with("mul") || l.starts_with("mad"));
    assert_eq!(sums.count(), 1, "{lines:#?}");
}

#[test]
fn constants_of_neighbours_meet_in_the_offset() {
    let lines = derived(
        "add.s64 %d5, %d4, 1; add.s64 %d6, %d3, 1; mul.lo.s64 %d7, %d6, %d2; add.s64 %d7, %d7, %d5;
         shl.b64 %d7, %d7, 2; add.s64 %d7, %d7, %d1; ld.global.f32 %f1, [%d7];
         mul.lo.s64 %d7, %d3, %d2; add.s64 %d7, %d7, %d5; shl.b64 %d7, %d7, 2; add.s64 %d7, %d7, %d1;
         ld.global.f32 %f2, [%d7]; add.f32 %f1, %f1, %f2; st.shared.f32 [tile], %f1;",
    );
    let last = lines.iter().rposition(|l| l.starts_with("ld.")).unwrap();
    assert!(lines[last - 1].starts_with("sub.s64"), "{lines:#?}");
    assert!(!lines.iter().any(|l| l.ends_with(", -4;")), "{lines:#?}");
}
