use super::if_convert;
use crate::cleanup;
use crate::module::Func;
use crate::optimize::isolate::isolate;
use crate::optimize::testing::{after, run};

fn ready(f: &mut Func) -> usize {
    cleanup::run(f) + isolate(f) + cleanup::run(f)
}

/// The lines of a loop over `body`, from its head, in which `%r2` counts, `%f1`
/// is carried, `%d1` is the pointer.
fn converted(body: &str) -> Vec<String> {
    let lines = after(&in_loop(body), |_, f| {
        ready(f);
        let changes = if_convert(f);
        changes + ready(f)
    });
    let head = lines.iter().position(|l| l.starts_with('$')).unwrap_or(0);
    lines[head..].to_vec()
}

fn in_loop(body: &str) -> String {
    format!(
        "
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.f32 %f1, 0f00000000;
loop:
  setp.gt.s32 %p2, %r2, 5;
{body}
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, %r1;
  @%p1 bra loop;
  st.shared.f32 [tile], %f1;
  ret;"
    )
}

#[test]
fn a_diamond_of_values_becomes_a_selection() {
    let lines = converted(
        "
  @%p2 bra high;
  add.rn.f32 %f1, %f1, 0f3F800000;
  bra join;
high:
  mul.rn.f32 %f1, %f1, 0f3F000000;
join:",
    );
    assert_eq!(
        lines[3..7],
        [
            "setp.gt.s32 %p1, %r3, 5;",
            "mul.rn.f32 %f3, %f2, 0f3F000000;",
            "add.rn.f32 %f4, %f2, 0f3F800000;",
            "selp.f32 %f5, %f3, %f4, %p1;"
        ]
    );
    assert!(!lines.iter().any(|l| l.starts_with("bra")), "{lines:#?}");
}

#[test]
fn accesses_and_what_needs_them_get_the_guard() {
    let lines = converted(
        "
  @!%p2 bra join;
  add.s32 %r3, %r2, 2;
  ld.global.f32 %f2, [%d1+4];
  add.rn.f32 %f1, %f1, %f2;
  st.global.u32 [%d1], %r3;
join:",
    );
    assert_eq!(
        lines[3..9],
        [
            "setp.gt.s32 %p1, %r3, 5;",
            "add.s32 %r4, %r3, 2;",
            "@%p1 ld.global.f32 %f3, [%rd1+4];",
            "@%p1 add.rn.f32 %f4, %f2, %f3;",
            "@%p1 st.global.u32 [%rd1], %r4;",
            "@%p1 mov.f32 %f1, %f4;",
        ]
    );
}

#[test]
fn the_other_way_round() {
    let lines = converted(
        "
  @%p2 bra join;
  add.rn.f32 %f1, %f1, 0f3F800000;
join:",
    );
    // What was there where the predicate holds.
    assert!(
        lines.contains(&"selp.f32 %f4, %f2, %f3, %p1;".to_string()),
        "{lines:#?}"
    );
}

#[test]
fn inner_branches_go_first() {
    let lines = converted(
        "
  @%p2 bra join;
  add.rn.f32 %f1, %f1, 0f3F800000;
  setp.gt.f32 %p3, %f1, 0f40000000;
  @%p3 bra join;
  add.rn.f32 %f1, %f1, 0f40000000;
join:",
    );
    // The inner side joins where the outer does: two ways lead there, so that
    // only the inner is a triangle at first.
    assert_eq!(
        lines.iter().filter(|l| l.contains("bra")).count(),
        1,
        "{lines:#?}"
    );
}

#[test]
fn what_must_keep_its_branch() {
    let long = "add.rn.f32 %f1, %f1, %f1;\n".repeat(20);
    for side in [
        "bar.sync 0;",
        "atom.global.add.u32 %r3, [%d1], 1;",
        "activemask.b32 %r3; st.shared.u32 [tile], %r3;",
        "div.s32 %r3, %r2, %r1; st.shared.u32 [tile], %r3;",
        "ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%d1]; ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%d1];",
        &long,
    ] {
        let text = in_loop(&format!("@%p2 bra join;\n{side}\njoin:"));
        // A barrier there is a warning of the checker's, not an error: the
        // counter is the same in all threads.
        let (_, changes) = run(&text, |_, f| {
            ready(f);
            if_convert(f)
        });
        assert_eq!(changes, 0, "{side}");
    }
}

#[test]
fn outside_loops_only_values() {
    let (_, changes) = run(
        "
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  setp.gt.s32 %p1, %r1, 5;
  @%p1 bra end;
  st.global.u32 [%d1], %r1;
end:
  ret;",
        |_, f| if_convert(f),
    );
    assert_eq!(changes, 0);
}

/// The lines of a kernel with these sides of a branch, behind which something comes. Another branch
/// leads to the end, and stays.
fn outside(sides: &str) -> Vec<String> {
    let text = format!(
        "
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  setp.gt.s32 %p2, %r1, 5;
{sides}
  st.shared.f32 [tile], %f1;
  @%p2 bra end;
  st.shared.f32 [tile+4], %f1;
end:
  ret;"
    );
    after(&text, |_, f| {
        ready(f);
        let changes = if_convert(f);
        changes + ready(f)
    })
}

#[test]
fn outside_loops_one_access_and_what_stands_for_it_before_it() {
    let lines = outside(
        "
  @!%p2 bra other;
  cvt.u64.u32 %d2, %r1;
  add.s64 %d2, %d1, %d2;
  ld.global.f32 %f1, [%d2];
  bra join;
other:
  mov.f32 %f1, 0f3F800000;
join:",
    );
    let at = |what: &str| lines.iter().position(|l| l.contains(what));
    let (pad, load) = (at("mov.f32"), at("ld.global.f32"));
    assert!(pad.is_some() && pad < load, "{lines:#?}");
    let load = load.map(|i| lines[i].as_str());
    assert!(load.is_some_and(|l| l.starts_with("@%p1 ")), "{lines:#?}");
    let branches = lines.iter().filter(|l| l.contains("bra"));
    assert_eq!(branches.count(), 1, "{lines:#?}");
}

#[test]
fn outside_loops_two_accesses_keep_their_branch() {
    let lines = outside(
        "
  mov.f32 %f1, 0f00000000;
  @!%p2 bra join;
  ld.global.f32 %f1, [%d1];
  st.global.f32 [%d1+4], %f1;
join:",
    );
    let branches = lines.iter().filter(|l| l.contains("bra"));
    assert_eq!(branches.count(), 2, "{lines:#?}");
}

#[test]
fn what_stands_for_a_load_is_computed_in_front_of_it() {
    let lines = outside(
        "
  ld.shared.f32 %f1, [tile];
  ld.shared.f32 %f2, [tile+8];
  @!%p2 bra other;
  ld.global.f32 %f1, [%d1];
  bra join;
other:
  add.rn.f32 %f1, %f1, %f2;
join:",
    );
    let at = |what: &str| lines.iter().position(|l| l.contains(what));
    let (sum, load) = (at("add.rn.f32"), at("ld.global.f32"));
    assert!(sum.is_some() && sum < load, "{lines:#?}");
    let load = load.map(|i| lines[i].as_str());
    assert!(load.is_some_and(|l| l.starts_with("@%p1 ")), "{lines:#?}");
}

#[test]
fn selections_inside_selections() {
    // One of three values: the inner branch becomes a side without branches.
    let lines = converted(
        "
  @%p2 bra high;
  setp.gt.s32 %p3, %r2, 3;
  @%p3 bra middle;
  mov.f32 %f2, 0f3F800000;
  bra join;
middle:
  mov.f32 %f2, 0f40000000;
  bra join;
high:
  mov.f32 %f2, 0f40400000;
join:
  add.rn.f32 %f1, %f1, %f2;",
    );
    let of = |what: &str| lines.iter().filter(|l| l.contains(what)).count();
    assert_eq!((of("selp.f32"), of("bra")), (2, 1), "{lines:#?}");
}

#[test]
fn predicates_and_what_one_side_has_only_under_its_guard() {
    let lines = converted(
        "
  @%p2 bra high;
  setp.gt.f32 %p3, %f1, 0f40000000;
  mov.f32 %f2, 0f3F800000;
  bra join;
high:
  setp.lt.f32 %p3, %f1, 0f3F800000;
  ld.global.f32 %f2, [%d1];
join:
  @!%p3 bra skip;
  add.rn.f32 %f1, %f1, %f2;
skip:",
    );
    // The load has its guard, and so has what stands where it does not run.
    let guarded = lines
        .iter()
        .filter(|l| l.starts_with('@') && l.contains("%f"));
    assert!(guarded.count() >= 2, "{lines:#?}");
    let moves = lines
        .iter()
        .filter(|l| l.starts_with('@') && l.contains("mov.pred"));
    assert_eq!(moves.count(), 2, "{lines:#?}");
}

#[test]
fn a_value_that_nobody_reads_behind_its_side() {
    // Where it is not written, it has no value: a selection would read it.
    let lines = after(
        "
  ld.param.u32 %r1, [n];
  mov.u32 %r3, 0;
loop:
  setp.gt.s32 %p2, %r3, 5;
  @!%p2 bra join;
  mov.u32 %r2, %r1;
  add.s32 %r4, %r2, 1;
  st.shared.u32 [tile], %r4;
join:
  add.s32 %r3, %r3, 1;
  setp.lt.s32 %p1, %r3, %r1;
  @%p1 bra loop;
  mov.u32 %r2, 3;
  st.shared.u32 [tile+4], %r2;
  ret;",
        |_, f| if_convert(f),
    );
    assert!(!lines.iter().any(|l| l.contains("selp")), "{lines:#?}");
}
