use super::isolate;
use crate::cleanup;
use crate::optimize::coalesce::coalesce;
use crate::optimize::testing::{after, run};

const COUNT: &str = "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
loop:
  setp.lt.s32 %p1, %r2, %r1;
  @!%p1 bra end;
  mul.lo.s32 %r3, %r2, %r2;
  st.shared.u32 [%r3], %r2;
  add.s32 %r2, %r2, 1;
  bra loop;
end:
  ret;";

#[test]
fn a_counter_becomes_the_storage_of_a_phi() {
    let lines = after(COUNT, |_, f| {
        let changes = isolate(f);
        assert_eq!(isolate(f), 0, "the form is kept");
        cleanup::run(f);
        changes
    });
    assert_eq!(
        lines,
        [
            "ld.param.u32 %r1, [n];",
            "mov.b32 %r2, 0;",
            "$L1:",
            "mov.b32 %r3, %r2;",
            "setp.lt.s32 %p1, %r3, %r1;",
            "@!%p1 bra $L3;",
            "mul.lo.s32 %r4, %r3, %r3;",
            "st.shared.u32 [%r4], %r3;",
            "add.s32 %r5, %r3, 1;",
            "mov.b32 %r2, %r5;",
            "bra $L1;",
            "$L3:",
            "ret;",
        ]
    );
}

#[test]
fn coalescing_takes_it_back() {
    let before = after(COUNT, |_, f| cleanup::run(f));
    let lines = after(COUNT, |_, f| {
        isolate(f);
        cleanup::run(f);
        coalesce(f)
    });
    let bits = |lines: Vec<String>| lines.join("\n").replace("mov.u32", "mov.b32");
    assert_eq!(bits(lines), bits(before));
}

#[test]
fn values_of_branches_meet_in_one_register() {
    let body = "
  ld.param.u32 %r1, [n];
  setp.gt.s32 %p1, %r1, 5;
  @%p1 bra yes;
  add.s32 %r2, %r1, 1;
  mul.lo.s32 %r2, %r2, 3;
  bra both;
yes:
  sub.s32 %r2, %r1, 1;
both:
  st.shared.u32 [tile], %r2;
  add.s32 %r2, %r2, 9;
  st.shared.u32 [tile+4], %r2;
  ret;";
    let (module, changes) = run(body, |_, f| isolate(f));
    assert_eq!(changes, 1);
    let (_, func) = module.funcs.iter().next().expect("a kernel");
    let defs = crate::defs::Defs::new(func);
    let shared: Vec<_> = (func.insts_in_layout())
        .filter(|i| i.op != crate::Op::Mov)
        .flat_map(|i| i.dest())
        .filter(|r| defs.single(*r).is_none())
        .collect();
    assert!(shared.is_empty(), "only copies write what is written twice");
}

#[test]
fn guarded_writes_are_left_alone() {
    let body = "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  setp.gt.s32 %p1, %r1, 5;
  @%p1 add.s32 %r2, %r1, 1;
  st.shared.u32 [tile], %r2;
  ret;";
    let (_, changes) = run(body, |_, f| isolate(f));
    assert_eq!(changes, 0);
}

#[test]
fn values_that_meet_nowhere_are_not_stored() {
    // The jump is as unrolling leaves it: the first value of `%r2` is read in the
    // next block and overwritten there.
    let body = "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
loop:
  add.s32 %r2, %r2, %r1;
  bra next;
next:
  st.shared.u32 [tile], %r2;
  add.s32 %r2, %r2, 1;
  setp.lt.s32 %p1, %r2, 50;
  @%p1 bra loop;
  ret;";
    let lines = after(body, |_, f| isolate(f));
    let stores = lines.iter().filter(|l| l.starts_with("mov.b32 %r3,"));
    assert_eq!(stores.count(), 2, "{lines:#?}");
}
