use super::licm;
use crate::cleanup;
use crate::module::Func;
use crate::optimize::isolate::isolate;
use crate::optimize::rotate::rotate;
use crate::optimize::testing::after;

fn ready(f: &mut Func) -> usize {
    cleanup::run(f) + isolate(f) + cleanup::run(f)
}

/// The lines of a loop over `body` before and in the loop, in which `%r2` goes
/// from 0 to `%r1`, `%d1` is the pointer, `%r3` the thread.
fn moved(body: &str) -> (Vec<String>, Vec<String>) {
    moved_with(body, |_| {})
}

fn moved_with(body: &str, promise: impl Fn(&mut Func)) -> (Vec<String>, Vec<String>) {
    let text = format!(
        "
  ld.param.u32 %r1, [n];
  ld.param.u64 %d1, [p];
  mov.u32 %r3, %tid.x;
  mov.u32 %r2, 0;
loop:
  setp.lt.s32 %p1, %r2, %r1;
  @!%p1 bra end;
{body}
  add.s32 %r2, %r2, 1;
  bra loop;
end:
  ret;"
    );
    let lines = after(&text, |_, f| {
        promise(f);
        ready(f);
        rotate(f);
        ready(f);
        let moved = licm(f);
        assert_eq!(licm(f), 0, "a second run finds nothing");
        moved + cleanup::run(f)
    });
    // From the test whether to enter to the loop; from there to its end.
    let entry = lines.iter().position(|l| l.starts_with("@!")).unwrap_or(0);
    let end = lines.iter().rposition(|l| l.starts_with("@%")).unwrap_or(0);
    let target = lines[end].rsplit(' ').next().unwrap_or("");
    let head = target.replace(';', ":");
    let start = lines.iter().position(|l| *l == head).unwrap_or(0);
    (lines[entry + 1..start].to_vec(), lines[start..end].to_vec())
}

/// The operations of lines, without operands.
fn ops(lines: &[String]) -> Vec<&str> {
    lines.iter().filter_map(|l| l.split(' ').next()).collect()
}

fn has(lines: &[String], what: &str) -> bool {
    lines.iter().any(|l| l.contains(what))
}

#[test]
fn what_no_iteration_changes_moves_with_what_it_needs() {
    let (before, inside) = moved(
        "
  mov.u32 %r4, %ntid.x;
  mul.lo.s32 %r5, %r3, %r4;
  div.s32 %r6, %r5, %r1;
  add.s32 %r7, %r6, %r2;
  st.shared.u32 [tile], %r7;",
    );
    assert_eq!(ops(&before), ["mov.u32", "mul.lo.s32", "div.s32"]);
    assert!(has(&inside, "add.s32 %r8, %r6, %r7;"), "{inside:#?}");
}

#[test]
fn clocks_guarded_instructions_constants_and_signs_stay() {
    let (before, inside) = moved(
        "
  mov.u32 %r4, %clock;
  st.shared.u32 [tile], %r4;
  setp.eq.s32 %p2, %r2, 3;
  @%p2 mov.u32 %r5, %r3;
  @%p2 st.shared.u32 [tile+4], %r5;
  mov.u32 %r6, 11;
  st.shared.u32 [tile+8], %r6;
  ld.param.f32 %f1, [n];
  neg.f32 %f2, %f1;
  st.shared.f32 [tile+12], %f2;",
    );
    assert_eq!(ops(&before), ["ld.param.f32"]);
    for text in ["%clock", "mov.u32 %r5", "neg.f32", "11"] {
        assert!(has(&inside, text), "{text}: {inside:#?}");
    }
}

#[test]
fn a_constant_goes_along_with_what_needs_it() {
    let (before, _) = moved(
        "
  mov.u32 %r4, 11;
  cvt.rn.f32.s32 %f1, %r4;
  st.shared.f32 [tile], %f1;",
    );
    assert_eq!(ops(&before), ["mov.u32", "cvt.rn.f32.s32"]);
}

#[test]
fn loads_move_if_nothing_in_the_loop_writes_there() {
    // Global memory is read, shared memory written.
    let (before, _) = moved("ld.global.u32 %r4, [%d1]; st.shared.u32 [tile], %r4;");
    assert_eq!(ops(&before), ["ld.global.u32"]);
    for writes in [
        "st.global.u32 [%d1], %r2;",
        "st.u32 [%d1], %r2;",
        "atom.shared.add.u32 %r7, [tile], 1;",
        "bar.sync 0;",
        "membar.gl;",
    ] {
        let body = format!("ld.global.u32 %r4, [%d1]; st.shared.u32 [tile], %r4; {writes}");
        let (before, inside) = moved(&body);
        assert!(before.is_empty() && has(&inside, "ld.global"), "{writes}");
    }
    let (before, _) = moved("ld.volatile.global.u32 %r4, [%d1]; st.shared.u32 [tile], %r4;");
    assert!(before.is_empty());
    // Of memory that nobody writes, whatever is written.
    let (before, _) = moved("ld.global.nc.u32 %r4, [%d1]; st.global.u32 [%d1+4], %r4; bar.sync 0;");
    assert_eq!(ops(&before), ["ld.global.nc.u32"]);
}

#[test]
fn loads_under_a_branch_stay_and_parameters_move() {
    let (before, inside) = moved(
        "
  setp.eq.s32 %p2, %r2, %r3;
  @!%p2 bra skip;
  ld.global.u32 %r4, [%d1];
  ld.param.u32 %r5, [n];
  add.s32 %r6, %r5, %r3;
  add.s32 %r4, %r4, %r6;
  st.shared.u32 [tile], %r4;
skip:",
    );
    // The parameter is known from before the loop.
    assert_eq!(ops(&before), ["add.s32"]);
    assert!(has(&inside, "ld.global"), "{inside:#?}");
}

#[test]
fn only_some_predicates_move() {
    let test = |i: u32| {
        let (p, r) = (i + 2, i);
        format!(
            "setp.eq.s32 %p{p}, %r3, {r}; selp.u32 %r4, %r2, {i}, %p{p}; st.shared.u32 [tile+{}], %r4;",
            4 * i
        )
    };
    let body: Vec<String> = (0..6).map(test).collect();
    let (before, inside) = moved(&body.join("\n"));
    assert_eq!(before.len(), 3, "{before:#?}");
    assert_eq!(
        inside.iter().filter(|l| l.starts_with("setp.eq")).count(),
        3
    );
}

#[test]
fn from_an_inner_loop_through_the_outer() {
    let (before, inside) = moved(
        "
  mov.u32 %r4, 0;
inner:
  mul.lo.s32 %r5, %r3, %r1;
  mul.lo.s32 %r6, %r2, %r1;
  add.s32 %r7, %r5, %r6;
  st.shared.u32 [tile], %r7;
  add.s32 %r4, %r4, 1;
  setp.lt.s32 %p2, %r4, %r1;
  @%p2 bra inner;",
    );
    assert_eq!(ops(&before), ["mul.lo.s32"]);
    let head = inside.iter().rposition(|l| l.starts_with('$')).unwrap_or(0);
    assert!(
        !inside[head..]
            .iter()
            .any(|l| l.starts_with("mul") || l.starts_with("add.s32 %r6"))
    );
}

#[test]
fn loads_move_over_writes_that_are_elsewhere() {
    let body = "
  ld.global.u32 %r4, [%d1];
  cvt.u64.u32 %d4, %r1;
  st.global.u32 [%d4], %r4;
  red.global.add.u32 [%d4+4], 1;";
    let (before, _) = moved(body);
    assert!(!has(&before, "ld.global"), "the number may be the pointer");
    let noalias = |f: &mut Func| f.params[0].noalias = true;
    let (before, _) = moved_with(body, noalias);
    assert!(has(&before, "ld.global"), "{before:#?}");
    // In shared memory: another element, in each iteration.
    let (before, _) = moved("ld.shared.u32 %r4, [tile]; st.shared.u32 [tile+4], %r4;");
    assert!(has(&before, "ld.shared"), "{before:#?}");
    let store =
        "shl.b32 %r5, %r2, 2; mov.u32 %r6, tile; add.u32 %r5, %r5, %r6; st.shared.u32 [%r5], 1;";
    let (before, _) = moved(&format!(
        "ld.shared.u32 %r4, [tile]; st.global.u32 [%d1], %r4; {store}"
    ));
    assert!(
        !has(&before, "ld.shared"),
        "an element that changes: {before:#?}"
    );
}
