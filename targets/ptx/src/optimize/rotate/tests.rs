use super::rotate;
use crate::cleanup;
use crate::module::Func;
use crate::optimize::isolate::isolate;
use crate::optimize::testing::{after, run};

fn ready(f: &mut Func) -> usize {
    cleanup::run(f) + isolate(f) + cleanup::run(f)
}

/// Rotated, and how many loops were.
fn rotated(body: &str) -> (Vec<String>, usize) {
    let mut count = 0;
    let lines = after(body, |_, f| {
        ready(f);
        count = rotate(f);
        assert_eq!(rotate(f), 0, "a second run finds nothing");
        ready(f)
    });
    (lines, count)
}

#[test]
fn a_test_at_the_top_moves_to_the_bottom() {
    let (lines, count) = rotated(
        "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
loop:
  setp.lt.s32 %p1, %r2, %r1;
  @!%p1 bra end;
  st.shared.u32 [tile], %r2;
  add.s32 %r2, %r2, 1;
  bra loop;
end:
  ret;",
    );
    assert_eq!(count, 1);
    assert_eq!(
        lines,
        [
            "ld.param.u32 %r1, [n];",
            "setp.lt.s32 %p1, 0, %r1;",
            "mov.b32 %r2, 0;",
            "@!%p1 bra $L2;",
            "$L1:",
            "mov.b32 %r3, %r2;",
            "st.shared.u32 [tile], %r3;",
            "add.s32 %r4, %r3, 1;",
            "setp.lt.s32 %p2, %r4, %r1;",
            "mov.b32 %r2, %r4;",
            "@%p2 bra $L1;",
            "$L2:",
            "ret;"
        ]
    );
}

#[test]
fn a_loop_known_to_run_is_entered_without_a_test() {
    let (lines, _) = rotated(
        "
  mov.u32 %r2, 0;
loop:
  setp.lt.s32 %p1, %r2, 9;
  @!%p1 bra end;
  st.shared.u32 [tile], %r2;
  add.s32 %r2, %r2, 1;
  bra loop;
end:
  ret;",
    );
    let branches = lines.iter().filter(|l| l.contains("bra"));
    assert_eq!(branches.collect::<Vec<_>>(), ["@%p1 bra $L1;"]);
}

#[test]
fn nests_rotate_whole_and_values_live_behind_a_loop_are_kept() {
    let (lines, count) = rotated(
        "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  mov.u32 %r4, 7;
outer:
  setp.lt.s32 %p1, %r2, %r1;
  @!%p1 bra end;
  mov.u32 %r3, %r2;
inner:
  setp.lt.s32 %p2, %r3, %r1;
  @!%p2 bra next;
  mad.lo.s32 %r4, %r4, 3, %r3;
  add.s32 %r3, %r3, 1;
  bra inner;
next:
  add.s32 %r2, %r2, 1;
  bra outer;
end:
  st.shared.u32 [tile], %r4;
  ret;",
    );
    assert_eq!(count, 2);
    let branches = lines.iter().filter(|l| l.contains("bra"));
    // Enter or not, and round or not, for each; nothing unconditional.
    assert!(branches.clone().all(|l| l.starts_with('@')), "{lines:#?}");
    assert_eq!(branches.count(), 4, "{lines:#?}");
}

#[test]
fn what_tests_at_the_bottom_or_waits_at_the_top_stays() {
    let bottom = "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
loop:
  add.s32 %r2, %r2, 1;
  setp.gt.s32 %p1, %r2, 100;
  @%p1 bra end;
  st.shared.u32 [tile], %r2;
  setp.lt.s32 %p2, %r2, %r1;
  @%p2 bra loop;
end:
  ret;";
    let barrier = "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
loop:
  bar.sync 0;
  setp.lt.s32 %p1, %r2, %r1;
  @!%p1 bra end;
  st.shared.u32 [tile], %r2;
  add.s32 %r2, %r2, 1;
  bra loop;
end:
  ret;";
    for body in [bottom, barrier] {
        let changes = run(body, |_, f| {
            ready(f);
            rotate(f)
        });
        assert_eq!(changes.1, 0, "{body}");
    }
}
