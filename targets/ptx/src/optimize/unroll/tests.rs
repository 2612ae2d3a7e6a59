use super::{full, partial};
use crate::cleanup;
use crate::module::Func;
use crate::optimize::coalesce::coalesce;
use crate::optimize::isolate::isolate;
use crate::optimize::rotate::rotate;
use crate::optimize::testing::after;

fn ready(f: &mut Func) -> usize {
    cleanup::run(f) + isolate(f) + cleanup::run(f)
}

fn both(f: &mut Func) -> usize {
    full::unroll(f) + partial::unroll(f)
}

/// A kernel after a pass and what goes around it.
fn unrolled(body: &str, pass: fn(&mut Func) -> usize) -> (Vec<String>, usize) {
    let mut count = 0;
    let lines = after(body, |_, f| {
        ready(f);
        rotate(f);
        ready(f);
        count = pass(f);
        ready(f) + coalesce(f) + cleanup::run(f)
    });
    (lines, count)
}

/// The sum of the doubles at `p`, from 0 to `n`, a register or a number.
fn sum(n: &str) -> String {
    format!(
        "
  .reg .f64 %s<3>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  cvt.s64.s32 %d2, %r1;
  mov.u64 %d3, 0;
  mov.f64 %s1, 0d0000000000000000;
loop:
  setp.lt.s64 %p1, %d3, {n};
  @!%p1 bra end;
  shl.b64 %d4, %d3, 3;
  add.s64 %d5, %d1, %d4;
  ld.global.f64 %s2, [%d5];
  add.rn.f64 %s1, %s1, %s2;
  add.s64 %d3, %d3, 1;
  bra loop;
end:
  st.shared.f64 [tile], %s1;
  ret;"
    )
}

#[test]
fn few_iterations_become_straight_code() {
    let (lines, count) = unrolled(&sum("3"), both);
    assert_eq!(count, 1);
    assert_eq!(
        lines,
        [
            "ld.param.u64 %rd1, [p];",
            "ld.global.f64 %fd1, [%rd1];",
            "add.rn.f64 %fd2, 0d0000000000000000, %fd1;",
            "ld.global.f64 %fd3, [%rd1+8];",
            "add.rn.f64 %fd4, %fd2, %fd3;",
            "ld.global.f64 %fd5, [%rd1+16];",
            "add.rn.f64 %fd6, %fd4, %fd5;",
            "st.shared.f64 [tile], %fd6;",
            "ret;"
        ]
    );
}

#[test]
fn an_unknown_number_goes_by_four() {
    let (lines, count) = unrolled(&sum("%d2"), both);
    assert_eq!(count, 1);
    assert_eq!(
        lines,
        [
            "ld.param.u64 %rd1, [p];",
            "ld.param.u32 %r1, [n];",
            "cvt.s64.s32 %rd2, %r1;",
            "setp.lt.s64 %p1, 0, %rd2;",
            "mov.b64 %rd3, 0;",
            "mov.f64 %fd1, 0d0000000000000000;",
            "@!%p1 bra $L5;",
            "add.s64 %rd4, %rd2, -3;",
            "setp.lt.s64 %p2, %rd4, %rd2;",
            "setp.lt.and.s64 %p3, 0, %rd4, %p2;",
            "@!%p3 bra $L4;",
            "$L2:",
            "shl.b64 %rd5, %rd3, 3;",
            "add.s64 %rd6, %rd1, %rd5;",
            "ld.global.f64 %fd2, [%rd6];",
            "add.rn.f64 %fd3, %fd1, %fd2;",
            "ld.global.f64 %fd4, [%rd6+8];",
            "add.rn.f64 %fd5, %fd3, %fd4;",
            "ld.global.f64 %fd6, [%rd6+16];",
            "add.rn.f64 %fd7, %fd5, %fd6;",
            "ld.global.f64 %fd8, [%rd6+24];",
            "add.rn.f64 %fd1, %fd7, %fd8;",
            "add.s64 %rd3, %rd3, 4;",
            "setp.lt.s64 %p4, %rd3, %rd4;",
            "@%p4 bra $L2;",
            "setp.lt.s64 %p5, %rd3, %rd2;",
            "@!%p5 bra $L5;",
            "$L4:",
            "shl.b64 %rd7, %rd3, 3;",
            "add.s64 %rd8, %rd1, %rd7;",
            "ld.global.f64 %fd9, [%rd8];",
            "add.rn.f64 %fd1, %fd1, %fd9;",
            "add.s64 %rd3, %rd3, 1;",
            "setp.lt.s64 %p6, %rd3, %rd2;",
            "@%p6 bra $L4;",
            "$L5:",
            "st.shared.f64 [tile], %fd1;",
            "ret;"
        ]
    );
}

/// Additions to the sum, and comparisons.
fn figures(lines: &[String]) -> (usize, usize) {
    let of = |what: &str| lines.iter().filter(|l| l.starts_with(what)).count();
    (of("add.rn.f64"), of("setp"))
}

#[test]
fn a_known_number_leaves_nothing_over_if_it_has_a_divisor() {
    let (lines, _) = unrolled(&sum("1000"), both);
    assert_eq!(figures(&lines), (8, 1), "{lines:#?}");
    let (lines, _) = unrolled(&sum("1003"), both);
    // 1003 = 17 * 59: by four, and three behind.
    assert_eq!(figures(&lines), (7, 1), "{lines:#?}");
    assert!(
        lines
            .iter()
            .any(|l| l.starts_with("setp.ne.s64 %p1, %rd2, 1000")),
        "{lines:#?}"
    );
}

#[test]
fn nests_go_from_the_inside_out() {
    let body = "
  mov.u32 %r1, 0;
  mov.u32 %r4, 0;
outer:
  mov.u32 %r2, 0;
inner:
  mad.lo.s32 %r3, %r1, 4, %r2;
  mad.lo.s32 %r4, %r4, 3, %r3;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, 4;
  @%p1 bra inner;
  add.s32 %r1, %r1, 1;
  setp.lt.s32 %p2, %r1, 4;
  @%p2 bra outer;
  st.shared.u32 [tile], %r4;
  ret;";
    let (lines, count) = unrolled(body, both);
    assert_eq!(count, 2);
    // All is known.
    assert_eq!(lines.len(), 3, "{lines:#?}");
}

#[test]
fn branches_in_the_body_and_values_behind_it() {
    let body = "
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
loop:
  ld.global.u32 %r4, [%d1];
  setp.eq.s32 %p2, %r4, 5;
  @%p2 bra skip;
  add.s32 %r3, %r3, %r4;
  red.global.add.u32 [%d1+4], 1;
skip:
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, %r1;
  @%p1 bra loop;
  st.shared.u32 [tile], %r3;
  st.shared.u32 [tile+4], %r4;
  st.shared.u32 [tile+8], %r2;
  ret;";
    let (lines, count) = unrolled(body, both);
    assert_eq!(count, 1);
    assert_eq!(
        lines.iter().filter(|l| l.contains("red.global")).count(),
        5,
        "{lines:#?}"
    );
}

#[test]
fn what_stays_a_loop() {
    let shape = |before: &str, body: &str, step: &str, test: &str| {
        format!(
            "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
{before}
loop:
{body}
  {step}
  {test}
  @%p1 bra loop;
end:
  ret;"
        )
    };
    let (step, test) = ("add.s32 %r2, %r2, 1;", "setp.lt.s32 %p1, %r2, %r1;");
    let store = "st.shared.u32 [tile], %r2;";
    for (what, body) in [
        (
            "a barrier that threads meet differently often",
            shape("mov.u32 %r1, %tid.x;", "bar.warp.sync -1;", step, test),
        ),
        (
            "a vote that threads take differently often",
            shape(
                "mov.u32 %r1, %tid.x;",
                "activemask.b32 %r3; st.shared.u32 [tile], %r3;",
                step,
                test,
            ),
        ),
        (
            "two ways out",
            shape("", "setp.eq.s32 %p2, %r2, 77; @%p2 bra end;", step, test),
        ),
        (
            "a step that changes",
            shape(
                "",
                "ld.shared.u32 %r3, [tile];",
                "add.s32 %r2, %r2, %r3;",
                test,
            ),
        ),
        (
            "strides of the grid",
            shape(
                "mov.u32 %r4, %nctaid.x; mov.u32 %r5, %ntid.x; mul.lo.s32 %r3, %r4, %r5;",
                store,
                "add.s32 %r2, %r2, %r3;",
                test,
            ),
        ),
        (
            "a bound that moves",
            shape("", "ld.shared.u32 %r1, [tile];", step, test),
        ),
        (
            "the wrong way",
            shape("", store, "add.s32 %r2, %r2, -1;", test),
        ),
        (
            "inequality",
            shape("", store, step, "setp.ne.s32 %p1, %r2, %r1;"),
        ),
        (
            "much code",
            shape(
                "",
                &"add.s32 %r3, %r2, 1; st.shared.u32 [tile], %r3;\n".repeat(110),
                step,
                test,
            ),
        ),
    ] {
        assert_eq!(unrolled(&body, both).1, 0, "{what}");
    }
    // A barrier in a loop of known length is met by all threads alike.
    for n in ["3", "1000"] {
        let known = shape("", "bar.sync 0;", step, "setp.lt.s32 %p1, %r2, N;");
        assert_eq!(unrolled(&known.replace('N', n), both).1, 1);
    }
    // So is one whose number of rounds no thread decides for itself.
    assert_eq!(unrolled(&shape("", "bar.sync 0;", step, test), both).1, 1);
}

/// The last tile of a loop has at most as many iterations as the others, which a loop of four
/// at a time would do no faster.
#[test]
fn the_rest_of_a_tile_stays_a_loop() {
    let tile = |size: u32| {
        format!(
            "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  add.s32 %r3, %r2, {size};
  min.s32 %r4, %r3, %r1;
  mov.u32 %r5, %r2;
loop:
  st.shared.u32 [tile], %r5;
  add.s32 %r5, %r5, 1;
  setp.lt.s32 %p1, %r5, %r4;
  @%p1 bra loop;
  ret;"
        )
    };
    assert_eq!(unrolled(&tile(4), both).1, 0);
    assert_eq!(unrolled(&tile(32), both).1, 1);
}

#[test]
fn loops_with_barriers_have_fewer_copies() {
    let body = |lines: usize| {
        format!(
            "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
loop:
{}
  bar.sync 0;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, %r1;
  @%p1 bra loop;
  ret;",
            "st.shared.u32 [tile], %r2;\n".repeat(lines)
        )
    };
    for (lines, bars) in [(10, 4 + 1), (40, 2 + 1), (60, 1)] {
        let (lines, _) = unrolled(&body(lines), both);
        let found = lines.iter().filter(|l| l.starts_with("bar.sync")).count();
        assert_eq!(found, bars, "{lines:#?}");
    }
}

#[test]
fn a_step_that_is_not_known_is_tried_for_its_size() {
    let body = "
  .reg .f64 %s<3>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  cvt.s64.s32 %d2, %r1;
  mov.u32 %r2, %ntid.x;
  cvt.u64.u32 %d6, %r2;
  mov.u64 %d3, 0;
  mov.f64 %s1, 0d0000000000000000;
loop:
  shl.b64 %d4, %d3, 3;
  add.s64 %d5, %d1, %d4;
  ld.global.f64 %s2, [%d5];
  add.rn.f64 %s1, %s1, %s2;
  add.s64 %d3, %d3, %d6;
  setp.lt.s64 %p1, %d3, %d2;
  @%p1 bra loop;
  st.shared.f64 [tile], %s1;
  ret;";
    let (lines, count) = unrolled(body, both);
    assert_eq!(count, 1);
    let at = |line: &str| lines.iter().position(|l| l == line);
    let limit = at("mul.lo.s64 %rd4, %rd3, -3;").unwrap_or_else(|| panic!("{lines:#?}"));
    assert_eq!(
        lines[limit..limit + 5],
        [
            "mul.lo.s64 %rd4, %rd3, -3;",
            "add.s64 %rd5, %rd4, %rd2;",
            "setp.lt.u64 %p1, %rd3, 1152921504606846976;",
            "setp.lt.and.s64 %p2, %rd5, %rd2, %p1;",
            "setp.lt.and.s64 %p3, 0, %rd5, %p2;",
        ],
        "{lines:#?}"
    );
    assert_eq!(figures(&lines), (5, 6), "{lines:#?}");
}
