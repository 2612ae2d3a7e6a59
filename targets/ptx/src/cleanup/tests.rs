//! What each cleanup makes of small functions, as text.

use super::*;
use crate::check::errors;
use crate::machine::Arch;
use crate::modifiers::{Cmp, Space};
use crate::module::{Param, Var};
use crate::operand::{Special, Sym};
use crate::print::print_func;
use crate::types::{RegTy, Ty};
use crate::{FuncBuilder, Reg};

fn alone(pass: fn(&mut Func, &mut Shared) -> usize) -> impl Fn(&mut Func) -> usize {
    move |func| pass(func, &mut Shared::default())
}

fn dead(func: &mut Func) -> usize {
    let mut shared = Shared::default();
    dead::unreachable_blocks(func, &mut shared) + dead::eliminate(func, &mut shared)
}

/// Builds a kernel with a pointer `p`, a number `n` and a shared array `tile`,
/// applies a cleanup, and returns the lines of its body without declarations.
fn after(
    cleanup: impl Fn(&mut Func) -> usize,
    build: impl FnOnce(&mut FuncBuilder<'_>),
) -> Vec<String> {
    let mut module = Module::new(Arch::sm(90));
    let id = module.add_kernel("k");
    let f = &mut module.funcs[id];
    f.add_param(Param::global_pointer("p", 16));
    f.add_param(Param::scalar("n", Ty::U32));
    f.add_var(Var::array("tile", Space::Shared, Ty::F32, 64));
    build(&mut FuncBuilder::new(f));
    assert_eq!(errors(&module), None, "before");
    cleanup(&mut module.funcs[id]);
    assert_eq!(errors(&module), None, "after");
    assert_eq!(
        cleanup(&mut module.funcs[id]),
        0,
        "a second run changes nothing"
    );
    let text = print_func(&module, &module.funcs[id]);
    text.lines()
        .skip_while(|l| *l != "{")
        .skip(1)
        .map(|l| l.trim().to_string())
        .filter(|l| !l.starts_with(".reg") && !l.starts_with(".shared") && l != "}")
        .collect()
}

const P: Sym = Sym::Param(0);
const N: Sym = Sym::Param(1);
const TILE: Sym = Sym::Local(0);

fn keep(b: &mut FuncBuilder<'_>, value: Reg) {
    b.st_shared(Ty::U32, TILE, value);
}

#[test]
fn dead_code_goes_and_effects_stay() {
    let lines = after(dead, |b| {
        let p = b.ld_param(Ty::U64, P);
        let x = b.special(Special::TidX);
        let y = b.add(Ty::S32, x, 1);
        b.mul(Ty::S32, y, y);
        b.ld_global(Ty::U32, p);
        b.atom(Space::Global, crate::modifiers::AtomOp::Add, Ty::U32, p, 1);
        b.activemask();
        // Two registers that only feed each other.
        let i = b.reg(RegTy::B32);
        b.mov_to(i, Ty::U32, 0);
        b.add_to(i, Ty::U32, i, 1);
        let lost = b.new_block("lost");
        b.ret();
        b.switch_to(lost);
        b.ret();
    });
    assert_eq!(
        lines,
        [
            "ld.param.u64 %rd1, [p];",
            "atom.global.add.u32 %r1, [%rd1], 1;",
            "activemask.b32 %r2;",
            "ret;"
        ]
    );
}

#[test]
fn copies_and_constants_reach_their_uses() {
    let cleanup = |f: &mut Func| alone(copies::propagate)(f) + dead(f);
    let lines = after(cleanup, |b| {
        let x = b.special(Special::TidX);
        let y = b.mov(Ty::B32, x);
        let z = b.mov(Ty::B32, y);
        let ones = b.mov(Ty::B32, 0xffff_ffffu32);
        let sum = b.add(Ty::S32, z, ones);
        keep(b, sum);
        let half = b.mov(Ty::F32, 0.5f32);
        let f = b.cvt(Ty::F32, Ty::U32, y);
        let f = b.mul(Ty::F32, f, half);
        b.st_shared(Ty::F32, TILE, f);
        b.ret();
    });
    assert_eq!(
        lines,
        [
            "mov.u32 %r1, %tid.x;",
            "add.s32 %r2, %r1, -1;",
            "st.shared.u32 [tile], %r2;",
            "cvt.rn.f32.u32 %f1, %r1;",
            "mul.rn.f32 %f2, %f1, 0f3F000000;",
            "st.shared.f32 [tile], %f2;",
            "ret;"
        ]
    );
}

#[test]
fn copies_of_registers_that_change_stay() {
    let lines = after(alone(copies::propagate), |b| {
        let i = b.named_reg(RegTy::B32, "i");
        b.mov_to(i, Ty::U32, 3);
        let old = b.mov(Ty::U32, i);
        b.add_to(i, Ty::U32, i, 1);
        let sum = b.add(Ty::U32, old, i);
        keep(b, sum);
        b.ret();
    });
    assert_eq!(lines[1], "mov.u32 %r1, %i_1;");
    assert_eq!(lines[3], "add.u32 %r2, %r1, %i_1;");
}

#[test]
fn common_subexpressions_of_dominating_blocks() {
    let cleanup = |f: &mut Func| alone(cse::eliminate)(f) + alone(copies::propagate)(f) + dead(f);
    let lines = after(cleanup, |b| {
        let x = b.special(Special::TidX);
        let n = b.ld_param(Ty::U32, N);
        let sum = b.add(Ty::S32, x, n);
        let p = b.setp(Cmp::Lt, Ty::S32, sum, 4);
        let [left, right] = ["left", "right"].map(|name| b.new_block(name));
        b.cond_bra(p, left, right);
        for block in [left, right] {
            b.switch_to(block);
            // The same sum with its operands exchanged and another sign.
            let n = b.ld_param(Ty::U32, N);
            let x = b.special(Special::TidX);
            let again = b.add(Ty::U32, n, x);
            // Not the same in the two blocks' dominators: stays in each.
            let product = b.mul(Ty::U32, again, 5);
            keep(b, product);
            b.ret();
        }
    });
    assert_eq!(
        lines,
        [
            "mov.u32 %r1, %tid.x;",
            "ld.param.u32 %r2, [n];",
            "add.s32 %r3, %r1, %r2;",
            "setp.lt.s32 %p1, %r3, 4;",
            "@%p1 bra $left_1;",
            "bra $right_2;",
            "$left_1:",
            "mul.lo.u32 %r4, %r3, 5;",
            "st.shared.u32 [tile], %r4;",
            "ret;",
            "$right_2:",
            "mul.lo.u32 %r5, %r3, 5;",
            "st.shared.u32 [tile], %r5;",
            "ret;"
        ]
    );
}

#[test]
fn memory_clocks_and_shuffles_are_not_shared() {
    let lines = after(alone(cse::eliminate), |b| {
        let p = b.ld_param(Ty::U64, P);
        for _ in 0..2 {
            let v = b.ld_global(Ty::U32, p);
            let c = b.special(Special::Clock);
            let s = b.shfl_bfly(v, 1);
            keep(b, c);
            keep(b, s);
        }
        b.ret();
    });
    for text in ["ld.global", "%clock", "shfl.sync"] {
        assert_eq!(
            lines.iter().filter(|l| l.contains(text)).count(),
            2,
            "{text}"
        );
    }
}

#[test]
fn stencil_points_share_one_address_register() {
    let lines = after(run, |b| {
        let p = b.ld_param(Ty::U64, P);
        let i = b.special(Special::TidX);
        let i = b.cvt(Ty::S64, Ty::U32, i);
        let mut sum = b.mov(Ty::F64, 0.0f64);
        for d in [-1i64, 0, 1] {
            let at = b.add(Ty::S64, i, d);
            let offset = b.shl(Ty::B64, at, 3);
            let address = b.add(Ty::S64, p, offset);
            let v = b.ld_global(Ty::F64, address);
            sum = b.add(Ty::F64, sum, v);
        }
        let offset = b.mul(Ty::S64, i, 8);
        let address = b.add(Ty::S64, offset, p);
        b.st_global(Ty::F64, (address, 4096), sum);
        b.ret();
    });
    assert_eq!(
        lines,
        [
            "ld.param.u64 %rd1, [p];",
            "mov.u32 %r1, %tid.x;",
            "cvt.s64.u32 %rd2, %r1;",
            "add.s64 %rd3, %rd2, -1;",
            "shl.b64 %rd4, %rd3, 3;",
            "add.s64 %rd5, %rd1, %rd4;",
            "ld.global.f64 %fd1, [%rd5];",
            "add.rn.f64 %fd2, 0d0000000000000000, %fd1;",
            "ld.global.f64 %fd3, [%rd5+8];",
            "add.rn.f64 %fd4, %fd2, %fd3;",
            "ld.global.f64 %fd5, [%rd5+16];",
            "add.rn.f64 %fd6, %fd4, %fd5;",
            "st.global.f64 [%rd5+4104], %fd6;",
            "ret;"
        ]
    );
}

#[test]
fn constants_fold_into_offsets_of_registers_and_symbols() {
    let cleanup = |f: &mut Func| alone(address::fold_offsets)(f) + dead(f);
    let lines = after(cleanup, |b| {
        let p = b.ld_param(Ty::U64, P);
        let q = b.add(Ty::S64, p, 16);
        let r = b.sub(Ty::S64, q, 4);
        let v = b.ld_global(Ty::U32, (r, 8));
        let far = b.add(Ty::S64, p, 1i64 << 40);
        b.st_global(Ty::U32, far, v);
        let tile = b.mov(Ty::U32, TILE);
        let slot = b.add(Ty::U32, tile, 12);
        b.st_shared(Ty::U32, slot, v);
        let i = b.special(Special::TidX);
        let left = b.mad(Ty::U32, i, 4, tile);
        let right = b.add(Ty::U32, left, 4);
        b.st_shared(Ty::U32, left, v);
        b.st_shared(Ty::U32, right, v);
        b.ret();
    });
    assert_eq!(
        lines,
        [
            "ld.param.u64 %rd1, [p];",
            "ld.global.u32 %r1, [%rd1+20];",
            "add.s64 %rd2, %rd1, 1099511627776;",
            "st.global.u32 [%rd2], %r1;",
            "mov.u32 %r2, tile;",
            "st.shared.u32 [tile+12], %r1;",
            "mov.u32 %r3, %tid.x;",
            "mad.lo.u32 %r4, %r3, 4, %r2;",
            "st.shared.u32 [%r4], %r1;",
            "st.shared.u32 [%r4+4], %r1;",
            "ret;"
        ]
    );
}

#[test]
fn an_address_is_not_shared_with_a_block_that_may_not_have_run() {
    let cleanup = |f: &mut Func| alone(address::fold_offsets)(f);
    let lines = after(cleanup, |b| {
        let p = b.ld_param(Ty::U64, P);
        let i = b.special(Special::TidX);
        let offset = b.mul_wide(Ty::U32, i, 8);
        let c = b.setp(Cmp::Lt, Ty::U32, i, 4);
        let [left, right] = ["left", "right"].map(|name| b.new_block(name));
        b.cond_bra(c, left, right);
        for (block, d) in [(left, 8), (right, 16)] {
            b.switch_to(block);
            let at = b.add(Ty::S64, offset, d);
            let at = b.add(Ty::S64, p, at);
            b.st_global(Ty::U32, at, i);
            b.ret();
        }
    });
    assert!(
        lines.contains(&"st.global.u32 [%rd4], %r1;".to_string()),
        "{lines:#?}"
    );
    assert!(
        lines.contains(&"st.global.u32 [%rd6], %r1;".to_string()),
        "{lines:#?}"
    );
}

/// The immediate that the cleanups make of a computation.
fn folded(build: impl FnOnce(&mut FuncBuilder<'_>) -> (Ty, Reg)) -> String {
    let lines = after(run, |b| {
        let (ty, value) = build(b);
        b.st(Space::Shared, ty, TILE, value);
        b.ret();
    });
    let [mov, _, _] = &lines[..] else {
        panic!("not folded: {lines:#?}");
    };
    mov.rsplit(' ')
        .next()
        .unwrap_or("")
        .trim_end_matches(';')
        .to_string()
}

#[test]
fn integers_fold_with_the_width_and_sign_of_their_type() {
    macro_rules! folds {
        ($ty:ident, $op:ident, $a:expr, $b:expr => $want:expr) => {
            let got = folded(|b| {
                let (x, y) = (b.mov(Ty::$ty, $a as i64), b.mov(Ty::$ty, $b as i64));
                (Ty::$ty.as_bits(), b.$op(Ty::$ty, x, y))
            });
            assert_eq!(got, $want.to_string(), "{} {:?}", stringify!($op), Ty::$ty);
        };
    }
    folds!(S32, add, i32::MAX, 1 => i32::MIN);
    folds!(U32, add, u32::MAX, 1 => 0);
    folds!(S16, sub, i16::MIN, 1 => i16::MAX);
    folds!(U64, sub, 0, 1 => u64::MAX);
    folds!(S32, mul, 100_000, 100_000 => 100_000i32.wrapping_mul(100_000));
    folds!(S32, div, -7, 2 => -3);
    folds!(U32, div, 0xffff_fff9u32, 2 => 0x7fff_fffc);
    folds!(S64, rem, -7, 2 => -1);
    folds!(U64, div, -1, 3 => u64::MAX / 3);
    folds!(S32, min, -1, 1 => -1);
    folds!(U32, min, 0xffff_ffffu32, 1 => 1);
    folds!(U64, max, -1, 1 => u64::MAX);
    folds!(B32, and, 12, 10 => 8);
    folds!(B64, xor, -1, 1 => u64::MAX - 1);
    folds!(B32, shl, 1, 31 => 0x8000_0000u32);
    folds!(B32, shl, 1, 32 => 0);
    folds!(S32, shr, -8, 1 => -4);
    folds!(S32, shr, -8, 40 => -1);
    folds!(U32, shr, 0x8000_0000u32, 31 => 1);
    let wide = folded(|b| {
        let x = b.mov(Ty::S32, -3);
        (Ty::B64, b.mul_wide(Ty::S32, x, 1 << 30))
    });
    assert_eq!(wide, (-3i64 << 30).to_string());
    let clz = folded(|b| {
        let x = b.mov(Ty::B32, 1);
        (Ty::U32, b.clz(Ty::B32, x))
    });
    assert_eq!(clz, "31");
}

#[test]
fn floats_fold_to_the_bit_and_nan_stays() {
    let sum = folded(|b| {
        let x = b.mov(Ty::F32, 0.1f32);
        (Ty::F32, b.add(Ty::F32, x, 0.2f32))
    });
    assert_eq!(sum, format!("0f{:08X}", (0.1f32 + 0.2f32).to_bits()));
    let fma = folded(|b| {
        let x = b.mov(Ty::F64, 0.1f64);
        (Ty::F64, b.fma(Ty::F64, x, 10.0f64, -1.0f64))
    });
    assert_eq!(
        fma,
        format!("0d{:016X}", 0.1f64.mul_add(10.0, -1.0).to_bits())
    );
    let lines = after(run, |b| {
        let x = b.mov(Ty::F32, f32::INFINITY);
        let y = b.sub(Ty::F32, x, x);
        b.st_shared(Ty::F32, TILE, y);
        b.ret();
    });
    assert!(lines[0].starts_with("sub.rn.f32"), "{lines:#?}");
}

#[test]
fn comparisons_of_known_floats() {
    for (a, b, cmp, holds) in [
        (0.0f32, 4.0f32, Cmp::Le, true),
        (0.0, -0.0, Cmp::Eq, true),
        (1.0, 2.0, Cmp::Gtu, false),
        (f32::NAN, 1.0, Cmp::Ne, false),
        (f32::NAN, 1.0, Cmp::Neu, true),
        (f32::NAN, 1.0, Cmp::Ltu, true),
        (f32::NAN, 1.0, Cmp::Nan, true),
    ] {
        let picked = folded(|b_| {
            let x = b_.mov(Ty::F32, a);
            let p = b_.setp(cmp, Ty::F32, x, b);
            (Ty::U32, b_.selp(Ty::U32, 11, 22, p))
        });
        assert_eq!(picked, if holds { "11" } else { "22" }, "{a} {cmp:?} {b}");
    }
}

#[test]
fn identities_and_powers_of_two() {
    let lines = after(run, |b| {
        let x = b.special(Special::TidX);
        let a = b.add(Ty::S32, x, 0);
        let a = b.mul(Ty::S32, a, 1);
        let a = b.mul(Ty::S32, a, 8);
        let a = b.add(Ty::S32, a, 5);
        let a = b.sub(Ty::S32, a, 7);
        let a = b.mad(Ty::S32, a, 1, x);
        keep(b, a);
        let zero = b.mul(Ty::S32, x, 0);
        keep(b, zero);
        b.ret();
    });
    assert_eq!(
        lines,
        [
            "mov.u32 %r1, %tid.x;",
            "shl.b32 %r2, %r1, 3;",
            "add.s32 %r3, %r2, -2;",
            "add.s32 %r4, %r3, %r1;",
            "st.shared.u32 [tile], %r4;",
            "mov.s32 %r5, 0;",
            "st.shared.u32 [tile], %r5;",
            "ret;"
        ]
    );
}

#[test]
fn known_branches_and_guards_go() {
    let lines = after(run, |b| {
        let x = b.mov(Ty::S32, 3);
        let p = b.setp(Cmp::Lt, Ty::S32, x, 4);
        let tid = b.special(Special::TidX);
        b.guarded(p, true, |b| keep(b, tid));
        let [yes, no] = ["yes", "no"].map(|name| b.new_block(name));
        b.cond_bra(p, yes, no);
        b.switch_to(yes);
        b.guarded(p, false, |b| keep(b, tid));
        b.ret();
        b.switch_to(no);
        b.trap();
    });
    assert_eq!(
        lines,
        ["mov.u32 %r1, %tid.x;", "st.shared.u32 [tile], %r1;", "ret;"]
    );
}

#[test]
fn branches_are_threaded_joined_and_turned_round() {
    let lines = after(alone(branches::clean), |b| {
        let n = b.ld_param(Ty::U32, N);
        let p = b.setp(Cmp::Eq, Ty::U32, n, 0);
        let [empty, body, tail, end] =
            ["empty", "body", "tail", "end"].map(|name| b.new_block(name));
        b.cond_bra(p, body, empty);
        b.switch_to(empty);
        b.bra(end);
        b.switch_to(body);
        keep(b, n);
        b.bra(tail);
        b.switch_to(tail);
        keep(b, n);
        b.bra(end);
        b.switch_to(end);
        b.ret();
    });
    // The empty block has no predecessor left; dead-code elimination takes it.
    assert_eq!(
        lines[..6],
        [
            "ld.param.u32 %r1, [n];",
            "setp.eq.u32 %p1, %r1, 0;",
            "@!%p1 bra $end_2;",
            "st.shared.u32 [tile], %r1;",
            "st.shared.u32 [tile], %r1;",
            "$end_2:"
        ]
    );
}

#[test]
fn blocks_that_jump_in_a_circle_do_not_hang() {
    let mut func = Func::new("f", crate::FuncKind::Kernel);
    let mut b = FuncBuilder::new(&mut func);
    let [x, y, z] = ["x", "y", "z"].map(|name| b.new_block(name));
    b.bra(x);
    for (from, to) in [(x, y), (y, z), (z, x)] {
        b.switch_to(from);
        b.bra(to);
    }
    run(&mut func);
    assert!(!func.layout.is_empty());
}

#[test]
fn broken_code_does_not_panic() {
    use crate::ids::{BlockId, InstId};
    use crate::{Inst, Mods, Op, Operand};
    let mut func = Func::new("f", crate::FuncKind::Kernel);
    assert_eq!(run(&mut func), 0);
    let block = func.new_block("b");
    let strange = Reg::from_index(77);
    for op in Op::ALL {
        let operands = [Operand::Reg(strange), Operand::Imm(0), Operand::Imm(0)];
        func.push(block, Inst::new(*op, Mods::default(), Ty::S32, operands));
        func.push(block, Inst::new(*op, Mods::default(), Ty::None, []));
    }
    func.push(
        block,
        Inst::new(
            Op::Bra,
            Mods::default(),
            Ty::None,
            [Operand::Label(BlockId::from_index(9))],
        ),
    );
    func.blocks[block].insts.push(InstId::from_index(9999));
    func.layout.push(BlockId::from_index(55));
    let mut module = Module::new(Arch::sm(90));
    let id = module.funcs.alloc(func);
    assert!(errors(&module).is_some());
    assert!(!crate::print(&module).is_empty());
    run(&mut module.funcs[id]);
}
