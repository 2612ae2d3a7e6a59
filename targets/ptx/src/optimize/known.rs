//! Results that ranges tell.
//!
//! A comparison that has only one outcome becomes a constant, which the
//! cleanup carries into branches and selections; so does any integer that has
//! only one value. A mask, a remainder, a minimum that changes nothing becomes
//! a copy.

use super::ranges::{Cursor, Ranges};
use crate::cfg::Cfg;
use crate::defs::Defs;
use crate::ids::InstId;
use crate::inst::Inst;
use crate::modifiers::{Combine, Mods};
use crate::module::Func;
use crate::op::{Effect, Op};
use crate::operand::Operand;
use crate::types::Ty;

/// Simplifies; returns the number of instructions changed.
pub fn simplify(func: &mut Func) -> usize {
    if func.layout.is_empty() {
        return 0;
    }
    let mut changes: Vec<(InstId, Inst)> = Vec::new();
    {
        let (cfg, defs) = (Cfg::new(func), Defs::new(func));
        let ranges = Ranges::new(func, &cfg, &defs);
        for (b, block) in (0u32..).zip(&cfg.blocks) {
            let Some(body) = func.blocks.get(*block) else {
                continue;
            };
            let mut cursor = ranges.cursor(b);
            for id in &body.insts {
                if let Some(inst) = func.insts.get(*id)
                    && inst.op.effect() == Effect::Pure
                    && inst.dest().is_some()
                    && cursor.is_reached()
                    && let Some(mut new) = known(&cursor, &defs, inst)
                {
                    new.guard = inst.guard;
                    new.loc = inst.loc;
                    changes.push((*id, new));
                }
                cursor.step();
            }
        }
    }
    let n = changes.len();
    for (id, new) in changes {
        if let Some(slot) = func.insts.get_mut(id) {
            *slot = new;
        }
    }
    n
}

fn mov(inst: &Inst, ty: Ty, source: Operand) -> Option<Inst> {
    let dest = inst.operands.first()?.clone();
    Some(Inst::new(Op::Mov, Mods::default(), ty, [dest, source]))
}

fn known(cursor: &Cursor<'_, '_>, defs: &Defs, inst: &Inst) -> Option<Inst> {
    if inst.op == Op::Setp {
        return comparison(cursor, inst);
    }
    let ty = inst.ty();
    if ty.is_float() || ty.bits() < 16 {
        return None;
    }
    let source = |at: usize| match inst.operands.get(at) {
        // A constant is folded elsewhere.
        Some(operand @ (Operand::Reg(_) | Operand::Imm(_))) => Some(operand.clone()),
        _ => None,
    };
    let range = |at: usize| Some(cursor.operand(inst.operands.get(at)?, ty));
    let signed = ty.is_signed();
    let plain = inst.mods == Mods::default();
    // A copy of a register that may change later stays what it was.
    let keep = |at: usize| {
        let fixed = match inst.operands.get(at)? {
            Operand::Reg(r) => defs.is_stable(*r),
            _ => true,
        };
        (fixed && plain)
            .then(|| mov(inst, ty.as_bits(), source(at)?))
            .flatten()
    };
    if !matches!(inst.op, Op::Mov)
        && let Some(value) = cursor.result(inst)
    {
        return mov(inst, value.0, Operand::Imm(value.1));
    }
    match inst.op {
        Op::And => {
            let (a, b) = (range(1)?, range(2)?);
            let (at, mask, other) = match (a.as_constant(), b.as_constant()) {
                (None, Some(mask)) => (1, mask, a),
                (Some(mask), None) => (2, mask, b),
                _ => return None,
            };
            // Ones from the lowest bit up, as many as the value can have.
            let mask = mask as u64 & (u64::MAX >> (64 - ty.bits()));
            let low_ones = mask & mask.wrapping_add(1) == 0;
            (low_ones && other.umax() <= mask)
                .then(|| keep(at))
                .flatten()
        }
        Op::Min | Op::Max => {
            let (a, b) = (range(1)?, range(2)?);
            let below = |x: super::ranges::Range, y: super::ranges::Range| match signed {
                true => x.smax() <= y.smin(),
                false => x.umax() <= y.umin(),
            };
            let first = match (below(a, b), below(b, a)) {
                (true, _) => inst.op == Op::Min,
                (_, true) => inst.op == Op::Max,
                _ => return None,
            };
            keep(if first { 1 } else { 2 })
        }
        Op::Rem => {
            let (a, b) = (range(1)?, range(2)?);
            let unchanged = match signed {
                true => a.is_nonnegative() && a.smax() < b.smin(),
                false => a.umax() < b.umin(),
            };
            unchanged.then(|| keep(1)).flatten()
        }
        Op::Abs => range(1)?.is_nonnegative().then(|| keep(1)).flatten(),
        _ => None,
    }
}

/// A comparison whose outcome is certain.
fn comparison(cursor: &Cursor<'_, '_>, inst: &Inst) -> Option<Inst> {
    let holds = cursor.outcome(inst)?;
    let constant = |v: bool| mov(inst, Ty::Pred, Operand::Imm(i64::from(v)));
    let other = inst.operands.get(3);
    match (inst.mods.combine, holds, other) {
        (Combine::Default, ..) => constant(holds),
        (Combine::And, false, _) => constant(false),
        (Combine::Or, true, _) => constant(true),
        (Combine::And, true, Some(p)) | (Combine::Or | Combine::Xor, false, Some(p)) => match p {
            Operand::Reg(_) => mov(inst, Ty::Pred, p.clone()),
            Operand::Not(q) => {
                let dest = inst.operands.first()?.clone();
                let operands = [dest, Operand::Reg(*q)];
                Some(Inst::new(Op::Not, Mods::default(), Ty::Pred, operands))
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleanup;
    use crate::module::Module;
    use crate::optimize::testing::after;

    fn both(_: &Module, func: &mut Func) -> usize {
        let changes = simplify(func);
        cleanup::run(func);
        changes
    }

    #[test]
    fn comparisons_with_one_outcome() {
        let lines = after(
            "mov.u32 %r0, %tid.x;\nsetp.lt.s32 %p0, %r0, 0;\n@%p0 bra end;\n\
             setp.lt.u32 %p1, %r0, 2000;\nsetp.gt.and.s32 %p2, %r0, 5, %p1;\n\
             selp.b32 %r1, 1, 2, %p2;\nst.shared.u32 [tile], %r1;\nend:\nret;",
            both,
        );
        assert_eq!(
            lines,
            [
                "mov.u32 %r1, %tid.x;",
                "setp.gt.s32 %p1, %r1, 5;",
                "selp.b32 %r2, 1, 2, %p1;",
                "st.shared.u32 [tile], %r2;",
                "ret;"
            ]
        );
    }

    #[test]
    fn masks_remainders_and_extrema_that_do_nothing() {
        let lines = after(
            "mov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 1023;\nrem.s32 %r2, %r1, 1024;\n\
             max.s32 %r3, %r2, 0;\nmin.u32 %r4, %r3, 4096;\nabs.s32 %r5, %r4;\n\
             st.shared.u32 [tile], %r5;\n\
             and.b32 %r6, %r0, 511;\nshr.u32 %r7, %r0, 10;\nadd.s32 %r8, %r6, %r7;\n\
             st.shared.u32 [tile], %r8;\nret;",
            both,
        );
        assert_eq!(
            lines,
            [
                "mov.u32 %r1, %tid.x;",
                "st.shared.u32 [tile], %r1;",
                "and.b32 %r2, %r1, 511;",
                "st.shared.u32 [tile], %r2;",
                "ret;"
            ]
        );
    }

    #[test]
    fn a_register_that_changes_is_not_copied_from() {
        let lines = after(
            "mov.u32 %r0, 5;\nloop:\nand.b32 %r1, %r0, 15;\nsub.s32 %r0, %r0, 1;\n\
             st.shared.u32 [tile], %r1;\nsetp.gt.s32 %p0, %r0, 0;\n@%p0 bra loop;\nret;",
            both,
        );
        assert!(lines[2].starts_with("and.b32"), "{lines:#?}");
    }
}
