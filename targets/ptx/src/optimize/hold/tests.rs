use super::hold;
use crate::cleanup;
use crate::module::Func;
use crate::optimize::isolate::isolate;
use crate::optimize::rotate::rotate;
use crate::optimize::testing::after;

fn ready(f: &mut Func) -> usize {
    cleanup::run(f) + isolate(f) + cleanup::run(f)
}

/// A loop over `body` after the pass, and how many places it holds. `%d1` is
/// the pointer, which is promised to alias nothing, `%d2` a number that is an
/// address, `%r2` counts.
fn held(body: &str) -> (Vec<String>, usize) {
    let text = format!(
        "
  ld.param.u32 %r1, [n];
  ld.param.u64 %d1, [p];
  cvt.u64.u32 %d2, %r1;
  mov.f32 %f1, 0f3F800000;
  mov.u32 %r2, 0;
loop:
  setp.lt.s32 %p1, %r2, %r1;
  @!%p1 bra end;
{body}
next:
  add.s32 %r2, %r2, 1;
  bra loop;
end:
  ret;"
    );
    let mut count = 0;
    let lines = after(&text, |_, f| {
        f.params[0].noalias = true;
        ready(f);
        rotate(f);
        ready(f);
        count = hold(f);
        let again = hold(f);
        assert_eq!(again, 0, "a second run finds nothing");
        ready(f)
    });
    (lines, count)
}

#[test]
fn a_sum_in_memory_becomes_one_in_a_register() {
    let (lines, count) = held(
        "
  ld.global.f32 %f2, [%d1];
  add.rn.f32 %f3, %f2, %f1;
  st.global.f32 [%d1], %f3;",
    );
    assert_eq!(count, 1);
    assert_eq!(
        lines,
        [
            "ld.param.u32 %r1, [n];",
            "ld.param.u64 %rd1, [p];",
            "setp.lt.s32 %p1, 0, %r1;",
            "mov.b32 %r2, 0;",
            "@!%p1 bra $L4;",
            "ld.global.f32 %f1, [%rd1];",
            "mov.f32 %f2, %f1;",
            "$L2:",
            "mov.f32 %f3, %f2;",
            "mov.b32 %r3, %r2;",
            "add.rn.f32 %f4, %f3, 0f3F800000;",
            "add.s32 %r4, %r3, 1;",
            "setp.lt.s32 %p2, %r4, %r1;",
            "mov.b32 %r2, %r4;",
            "mov.f32 %f2, %f4;",
            "@%p2 bra $L2;",
            "st.global.f32 [%rd1], %f4;",
            "$L4:",
            "ret;"
        ]
    );
}

#[test]
fn several_places_and_one_that_is_written_first() {
    let (lines, count) = held(
        "
  st.global.f32 [%d1], %f1;
  ld.global.f32 %f2, [%d1];
  ld.global.f32 %f3, [%d1+4];
  add.rn.f32 %f4, %f2, %f3;
  st.global.f32 [%d1+4], %f4;",
    );
    assert_eq!(count, 2);
    let of = |what: &str| lines.iter().filter(|l| l.starts_with(what)).count();
    assert_eq!((of("ld.global"), of("st.global")), (1, 2), "{lines:#?}");
}

#[test]
fn what_others_may_touch_or_see_stays_in_memory() {
    let sum = "ld.global.f32 %f2, [%d1]; add.rn.f32 %f3, %f2, %f1; st.global.f32 [%d1], %f3;";
    for (more, expected) in [
        // Through another pointer, and elsewhere through the same.
        ("st.global.f32 [%d2], %f1;", 1),
        ("ld.global.f32 %f4, [%d1+4]; st.global.f32 [%d2], %f4;", 1),
        // An element that may be this one; a part of it; it as something else.
        (
            "mul.wide.u32 %d3, %r2, 4; add.u64 %d4, %d1, %d3; st.global.f32 [%d4], %f1;",
            0,
        ),
        ("st.global.u8 [%d1+1], 3;", 0),
        ("st.global.u64 [%d1], 3;", 0),
        ("red.global.add.f32 [%d1], %f1;", 0),
        ("bar.sync 0;", 0),
        ("membar.gl;", 0),
        (
            "ld.volatile.global.u32 %r4, [%d2]; st.global.u32 [%d2+4], %r4;",
            0,
        ),
    ] {
        let places = held(&format!("{sum}\n{more}")).1;
        // Stores through the number are of a place of their own.
        let own = usize::from(more.contains("[%d2]") && !more.contains("volatile"));
        assert_eq!(places, expected + own * expected, "{more}");
    }
}

#[test]
fn a_place_that_is_not_always_written_stays() {
    for body in [
        "setp.eq.s32 %p2, %r2, 5; @%p2 bra next; st.global.f32 [%d1], %f1;",
        "setp.eq.s32 %p2, %r2, 5; @%p2 st.global.f32 [%d1], %f1;",
        "ld.global.f32 %f2, [%d1]; st.shared.f32 [%r2], %f2;",
        "st.global.u8 [%d1], %r2;",
        // Read before it is written, but only sometimes.
        "setp.eq.s32 %p2, %r2, 5; @%p2 bra over; ld.global.f32 %f2, [%d1]; st.shared.f32 [%r2], %f2;
         over: st.global.f32 [%d1], %f1;",
    ] {
        let places = held(body);
        assert_eq!(places.1, 0, "{body}\n{:#?}", places.0);
    }
}
