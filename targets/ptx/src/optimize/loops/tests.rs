use super::*;
use crate::optimize::isolate::isolate;
use crate::optimize::testing::run;

/// How often the one loop of a body goes round, after it has its form.
fn rounds(body: &str) -> Option<u64> {
    let mut found = None;
    run(body, |_, f| {
        make_preheaders(f);
        isolate(f);
        crate::cleanup::run(f);
        let cfg = Cfg::new(f);
        let defs = Defs::new(f);
        let loops = Loops::new(&cfg);
        assert_eq!(loops.list.len(), 1);
        found = counted(f, &cfg, &defs, &loops.list[0]).map(|c| c.rounds());
        0
    });
    found.expect("a counted loop")
}

fn at_the_header(init: &str, cmp: &str, bound: &str, step: &str) -> String {
    format!(
        "mov.u32 %r1, {init};
loop:
  setp.{cmp} %p1, %r1, {bound};
  @!%p1 bra end;
  st.shared.u32 [tile], %r1;
  add.s32 %r1, %r1, {step};
  bra loop;
end:
  ret;"
    )
}

#[test]
fn rounds_are_counted_exactly() {
    for (init, cmp, bound, step, expected) in [
        ("0", "lt.s32", "10", "1", Some(10)),
        ("0", "lt.s32", "10", "3", Some(4)),
        ("0", "le.s32", "9", "3", Some(4)),
        ("10", "gt.s32", "0", "-4", Some(3)),
        ("10", "ge.s32", "0", "-5", Some(3)),
        ("5", "lt.s32", "5", "1", Some(0)),
        ("0", "ne.s32", "12", "4", Some(3)),
        // Passes the bound without meeting it, and so goes round and round.
        ("0", "ne.s32", "13", "4", None),
        ("0", "lt.u32", "-1", "1", Some(u64::from(u32::MAX))),
        // Wraps before it is large enough.
        ("0", "lt.s32", "2147483647", "2", None),
    ] {
        let body = at_the_header(init, cmp, bound, step);
        assert_eq!(rounds(&body), expected, "{init} {cmp} {bound} {step}");
    }
}

#[test]
fn a_test_at_the_latch_counts_the_rounds_after_the_first() {
    let body = "mov.u32 %r1, 0;
loop:
  st.shared.u32 [tile], %r1;
  add.s32 %r1, %r1, 1;
  setp.lt.s32 %p1, %r1, 10;
  @%p1 bra loop;
  ret;";
    assert_eq!(rounds(body), Some(9));
}

#[test]
fn a_bound_on_the_other_side_is_understood() {
    let body = "mov.u32 %r1, 0;
  ld.param.u32 %r2, [n];
loop:
  setp.le.s32 %p1, %r2, %r1;
  @%p1 bra end;
  st.shared.u32 [tile], %r1;
  add.s32 %r1, %r1, 1;
  bra loop;
end:
  ret;";
    run(body, |_, f| {
        isolate(f);
        let cfg = Cfg::new(f);
        let loops = Loops::new(&cfg);
        let c = counted(f, &cfg, &Defs::new(f), &loops.list[0]).expect("a counted loop");
        assert_eq!((c.cmp, c.of_next, c.rounds()), (Cmp::Lt, false, None));
        0
    });
}

#[test]
fn loops_nest_and_get_preheaders() {
    let body = "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  setp.gt.s32 %p3, %r1, 7;
  @%p3 bra outer;
  mov.u32 %r2, 1;
outer:
  mov.u32 %r3, 0;
inner:
  st.shared.u32 [tile], %r3;
  add.s32 %r3, %r3, 1;
  setp.lt.s32 %p1, %r3, %r1;
  @%p1 bra inner;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p2, %r2, %r1;
  @%p2 bra outer;
  ret;";
    run(body, |_, f| {
        let loops = Loops::new(&Cfg::new(f));
        assert_eq!(loops.list.len(), 2);
        let (outer, inner) = (&loops.list[0], &loops.list[1]);
        assert_eq!((outer.parent, inner.parent), (None, Some(0)));
        assert_eq!((outer.depth, inner.depth), (1, 2));
        assert!(outer.preheader.is_none() && outer.contains(inner.header));
        assert_eq!(make_preheaders(f), 1);
        let loops = Loops::new(&Cfg::new(f));
        assert!(loops.list.iter().all(|l| l.preheader.is_some()));
        assert_eq!(make_preheaders(f), 0);
        1
    });
}

/// Whether the loop of a body has an induction register of 32 bits.
fn inducts(body: &str) -> bool {
    let mut found = false;
    run(body, |_, f| {
        make_preheaders(f);
        let cfg = Cfg::new(f);
        let loops = Loops::new(&cfg);
        let list = inductions(f, &cfg, &Defs::new(f), &loops.list[0]);
        found = !list.is_empty();
        0
    });
    found
}

/// Storage in the form that `isolate` gives: read at the header, written in front of the
/// loop and at its latch. Written anywhere else it does not grow by the same in each round.
#[test]
fn what_is_not_written_in_every_round_is_no_induction() {
    let body = |arm: &str, latch: &str| {
        format!(
            "ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  bra loop;
loop:
  mov.u32 %r3, %r2;
  add.s32 %r4, %r3, 1;
  st.shared.u32 [tile], %r3;
  setp.lt.s32 %p2, %r3, %r1;
  @%p2 bra latch;
arm:
  {arm}
  bra latch;
latch:
  {latch}
  setp.lt.s32 %p1, %r3, 100;
  @%p1 bra loop;
  ret;"
        )
    };
    assert!(inducts(&body("", "mov.u32 %r2, %r4;")));
    assert!(!inducts(&body("mov.u32 %r2, %r4;", "")));
}
