//! Block structure, definitions, divergent barriers.

use super::*;

#[test]
fn a_use_before_the_definition_on_one_path() {
    let f = findings_on(|b| {
        let x = b.named_reg(RegTy::B32, "x");
        let n = b.special(Special::NtidX);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 1);
        let [set, join] = ["set", "join"].map(|name| b.new_block(name));
        b.cond_bra(p, set, join);
        b.switch_to(set);
        b.mov_to(x, Ty::U32, 1);
        b.bra(join);
        b.switch_to(join);
        b.add(Ty::U32, x, 1);
        b.add(Ty::U32, x, 2);
        b.ret();
    });
    only(
        &f,
        "error[undefined] in k, block 2, instruction 0 `add.u32 %r2, %x_1, 1`: found a use of \
         register 0 (x), which is not written on every path to here; expected a write before the \
         use on every path",
    );
}

#[test]
fn definitions_under_complementary_or_the_same_guard_count() {
    let f = findings_on(|b| {
        let [x, y] = [RegTy::B32; 2].map(|ty| b.reg(ty));
        let n = b.special(Special::NtidX);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 1);
        b.guarded(p, false, |b| b.mov_to(x, Ty::U32, 1));
        b.guarded(p, true, |b| b.mov_to(x, Ty::U32, 2));
        b.add(Ty::U32, x, 1);
        b.guarded(p, false, |b| b.mov_to(y, Ty::U32, 1));
        b.guarded(p, false, |b| b.add(Ty::U32, y, 1));
        b.ret();
    });
    assert!(f.is_empty(), "{f:#?}");
    let f = findings_on(|b| {
        let y = b.reg(RegTy::B32);
        let n = b.special(Special::NtidX);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 1);
        b.guarded(p, false, |b| b.mov_to(y, Ty::U32, 1));
        // The predicate changes in between, so the write proves nothing.
        b.value_to(p, Op::Setp, cmp(Cmp::Ne), &[Ty::U32], [n.into(), 3.into()]);
        b.guarded(p, false, |b| b.add(Ty::U32, y, 1));
        b.ret();
    });
    assert_eq!(f.len(), 1, "{f:#?}");
    assert!(f[0].starts_with("error[undefined]"), "{}", f[0]);
}

fn cmp(cmp: Cmp) -> Mods {
    Mods {
        cmp,
        ..Mods::default()
    }
}

#[test]
fn a_loop_variable_is_defined_around_the_loop() {
    let f = findings_on(|b| {
        let i = b.reg(RegTy::B32);
        b.mov_to(i, Ty::S32, 0);
        let [head, end] = ["head", "end"].map(|name| b.new_block(name));
        b.bra(head);
        b.switch_to(head);
        b.add_to(i, Ty::S32, i, 1);
        let p = b.setp(Cmp::Lt, Ty::S32, i, 10);
        b.cond_bra(p, head, end);
        b.switch_to(end);
        b.add(Ty::S32, i, 1);
        b.ret();
    });
    assert!(f.is_empty(), "{f:#?}");
}

#[test]
fn a_result_that_is_not_written() {
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_device_function("f");
    let f = &mut module.funcs[id];
    f.result = Some(f.new_reg(RegTy::B32));
    FuncBuilder::new(f).ret();
    only(
        &texts(&module),
        "error[undefined] in f: found a return without the result register written; expected a \
         write of the result on every path to ret",
    );
}

#[test]
fn blocks_that_do_not_end_as_they_must() {
    let f = findings_on(|b| {
        b.mov(Ty::B32, 1);
    });
    only(
        &f,
        "error[block-end] in k, block 0, instruction 0 `mov.b32 %r1, 1`: found no terminator at \
         the end of block 0; expected an unguarded bra, ret or exit",
    );
    let f = findings_on(|b| {
        b.ret();
        b.mov(Ty::B32, 1);
    });
    only(
        &f,
        "error[block-end] in k, block 0, instruction 1 `mov.b32 %r1, 1`: found an instruction \
         after the end of its block; expected no more instructions",
    );
    let f = findings_on(|b| {
        let n = b.special(Special::NtidX);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 1);
        let end = b.new_block("end");
        b.guarded(p, false, |b| b.bra(end));
        b.mov(Ty::B32, 1);
        b.bra(end);
        b.switch_to(end);
        b.ret();
    });
    assert_eq!(f.len(), 1, "{f:#?}");
    assert!(
        f[0].contains("found an instruction after a conditional branch"),
        "{}",
        f[0]
    );
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_kernel("k");
    assert!(texts(&module)[0].contains("found no blocks"));
    let mut b = FuncBuilder::new(&mut module.funcs[id]);
    b.ret();
    let block = b.block();
    module.funcs[id].layout.push(block);
    assert!(texts(&module)[0].contains("found block 0 laid out twice"));
}

/// A barrier in a block that runs where `value < 16`.
fn barrier_where(value: impl FnOnce(&mut FuncBuilder<'_>) -> Reg) -> Vec<String> {
    findings_on(|b| {
        let v = value(b);
        let p = b.setp(Cmp::Lt, Ty::U32, v, 16);
        let [inner, end] = ["inner", "end"].map(|name| b.new_block(name));
        b.cond_bra(p, inner, end);
        b.switch_to(inner);
        b.bar_sync(0);
        b.bra(end);
        b.switch_to(end);
        // Here all threads are together again.
        b.bar_sync(0);
        b.ret();
    })
}

#[test]
fn a_barrier_under_a_branch_on_the_thread() {
    let f = barrier_where(|b| b.special(Special::TidX));
    only(
        &f,
        "error[divergent-barrier] in k, block 1, instruction 0 `bar.sync 0`: found a barrier \
         under a branch whose predicate depends on the thread; expected a barrier that all \
         threads of the block reach",
    );
    let f = barrier_where(|b| {
        let p = b.ld_param(Ty::U64, P);
        b.ld_global(Ty::U32, p)
    });
    assert_eq!(f.len(), 1, "{f:#?}");
    assert!(
        f[0].starts_with("warning[divergent-barrier] in k, block 1"),
        "{}",
        f[0]
    );
    let f = barrier_where(|b| b.special(Special::CtaidX));
    assert!(f.is_empty(), "{f:#?}");
    let f = barrier_where(|b| {
        let p = b.ld_param(Ty::U64, P);
        b.atom(Space::Global, AtomOp::Add, Ty::U32, p, 1)
    });
    assert!(f[0].starts_with("error[divergent-barrier]"), "{}", f[0]);
}

#[test]
fn a_barrier_under_a_guard_or_in_a_loop_that_threads_leave_at_different_times() {
    let f = findings_on(|b| {
        let tid = b.special(Special::TidX);
        let p = b.setp(Cmp::Lt, Ty::U32, tid, 16);
        b.guarded(p, false, |b| b.bar_sync(0));
        b.ret();
    });
    assert!(f[0].starts_with("error[divergent-barrier]"), "{}", f[0]);
    let loop_to = |limit: Special| {
        findings_on(|b| {
            let n = b.special(limit);
            let i = b.reg(RegTy::B32);
            b.mov_to(i, Ty::U32, 0);
            let [head, end] = ["head", "end"].map(|name| b.new_block(name));
            b.bra(head);
            b.switch_to(head);
            b.bar_sync(0);
            b.add_to(i, Ty::U32, i, 1);
            let p = b.setp(Cmp::Lt, Ty::U32, i, n);
            b.cond_bra(p, head, end);
            b.switch_to(end);
            b.ret();
        })
    };
    assert_eq!(loop_to(Special::TidX).len(), 1);
    assert!(loop_to(Special::NtidX).is_empty());
}

/// Where all threads run the outer loop, and one thread an inner loop whose counter goes on
/// from the outer one's, in the same register, all reach the barrier in the outer loop.
#[test]
fn a_register_of_two_loops_has_a_value_in_each() {
    let kernel = |kept: bool| {
        findings_on(|b| {
            let [i, next] = [RegTy::B32; 2].map(|ty| b.reg(ty));
            let n = b.special(Special::NtidX);
            let thread = b.special(Special::TidX);
            b.mov_to(i, Ty::S32, 0);
            let names = ["outer", "inner", "latch", "end"];
            let [outer, inner, latch, end] = names.map(|name| b.new_block(name));
            b.bra(outer);
            b.switch_to(outer);
            b.add_to(next, Ty::S32, i, 4);
            b.bar_sync(0);
            let first = b.setp(Cmp::Eq, Ty::U32, thread, 0);
            b.cond_bra(first, inner, latch);
            b.switch_to(inner);
            b.add_to(i, Ty::S32, i, 1);
            let more = b.setp(Cmp::Lt, Ty::S32, i, n);
            b.cond_bra(more, inner, latch);
            b.switch_to(latch);
            if !kept {
                b.mov_to(i, Ty::S32, next);
            }
            let more = b.setp(Cmp::Lt, Ty::S32, i, n);
            b.cond_bra(more, outer, end);
            b.switch_to(end);
            b.ret();
        })
    };
    assert!(kernel(false).is_empty(), "{:#?}", kernel(false));
    // Without a value of its own in the outer loop, threads leave that at different times.
    let f = kernel(true);
    assert!(
        f.iter().any(|f| f.starts_with("error[divergent-barrier]")),
        "{f:#?}"
    );
}

#[test]
fn a_register_written_on_divergent_ways_is_divergent() {
    // x is 1 or 2 depending on the thread, though each write is a constant.
    let f = barrier_where(|b| {
        let tid = b.special(Special::TidX);
        let p = b.setp(Cmp::Lt, Ty::U32, tid, 16);
        let x = b.reg(RegTy::B32);
        let [left, right, join] = ["left", "right", "join"].map(|name| b.new_block(name));
        b.cond_bra(p, left, right);
        b.switch_to(left);
        b.mov_to(x, Ty::U32, 1);
        b.bra(join);
        b.switch_to(right);
        b.mov_to(x, Ty::U32, 2);
        b.bra(join);
        b.switch_to(join);
        x
    });
    assert_eq!(f.len(), 1, "{f:#?}");
}
