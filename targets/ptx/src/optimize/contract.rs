//! Contraction: a product and a sum that may be rounded once become `fma`.
//!
//! In PTX `mul.f32` and `add.f32` may be fused, `mul.rn.f32` and `add.rn.f32`
//! may not; that is how an instruction carries the permission here too. A
//! product is fused into every sum that uses it, as nvcc does it. What is left
//! gets its `.rn`, so that the text says what is computed, and the assembler
//! changes nothing.
//!
//! ```text
//! mul.f32 %p, %a, %b;
//! add.f32 %s, %p, %c;        fma.rn.f32 %s, %a, %b, %c;
//! ```

use crate::defs::Defs;
use crate::ids::{InstId, Reg};
use crate::inst::Inst;
use crate::modifiers::{Mods, Rnd};
use crate::module::Func;
use crate::op::Op;
use crate::operand::Operand;
use crate::types::Ty;

/// Fuses; returns the number of instructions changed.
pub fn contract(func: &mut Func) -> usize {
    if !func.insts_in_layout().any(is_loose) {
        return 0;
    }
    let defs = Defs::new(func);
    let mut uses = vec![0u32; func.regs.len()];
    for inst in func.insts_in_layout() {
        inst.for_each_use(|r| {
            if let Some(n) = uses.get_mut(r.index()) {
                *n += 1;
            }
        });
    }
    let mut changes = 0;
    for block in func.layout.clone() {
        let Some(body) = func.blocks.get(block) else {
            continue;
        };
        let mut insts: Vec<InstId> = Vec::with_capacity(body.insts.len());
        for id in body.insts.clone() {
            if let Some(sum) = func.insts.get(id).filter(|i| is_loose(i))
                && let Some((negation, fused)) = fused(func, &defs, &uses, sum)
            {
                let negation = negation.map(|(from, ty)| negated(func, from, ty, &fused));
                let mut fused = fused;
                if let Some((inst, reg, at)) = negation {
                    fused.operands[at] = Operand::Reg(reg);
                    insts.push(func.insts.alloc(inst));
                }
                func.insts[id] = fused;
                changes += 1;
            }
            insts.push(id);
        }
        if let Some(body) = func.blocks.get_mut(block) {
            body.insts = insts;
        }
    }
    changes + fix_rounding(func)
}

/// Whether an instruction leaves open whether it is rounded.
fn is_loose(inst: &Inst) -> bool {
    let plain = Mods {
        ftz: inst.mods.ftz,
        ..Mods::default()
    };
    matches!(inst.op, Op::Add | Op::Sub | Op::Mul)
        && matches!(inst.ty(), Ty::F32 | Ty::F64)
        && inst.mods == plain
}

/// The instruction in a sum's place; with it, what must be negated in front,
/// as a position among its operands.
fn fused(
    func: &Func,
    defs: &Defs,
    uses: &[u32],
    sum: &Inst,
) -> Option<(Option<(usize, Ty)>, Inst)> {
    if sum.op == Op::Mul || sum.operands.len() != 3 {
        return None;
    }
    let product = |at: usize| {
        let reg = sum.operands.get(at)?.as_reg()?;
        let mul = defs.inst(func, reg)?;
        let mut fixed = true;
        mul.for_each_use(|r| fixed &= defs.is_stable(r));
        let fits = mul.op == Op::Mul
            && is_loose(mul)
            && mul.ty() == sum.ty()
            && mul.mods.ftz == sum.mods.ftz
            && mul.operands.len() == 3
            && fixed;
        let single = uses.get(reg.index()) == Some(&1);
        fits.then_some((at, single, mul))
    };
    // Of two products one that nothing else needs.
    let (at, _, mul) = match (product(1), product(2)) {
        (Some(a), Some(b)) if !a.1 && b.1 => b,
        (Some(a), _) => a,
        (None, b) => b?,
    };
    let (a, b) = (mul.operands[1].clone(), mul.operands[2].clone());
    let c = sum.operands[3 - at].clone();
    let negate = match (sum.op, at) {
        (Op::Sub, 1) => Some(3),
        (Op::Sub, _) => Some(1),
        _ => None,
    };
    let mods = Mods {
        rnd: Rnd::Rn,
        ..sum.mods
    };
    let mut inst = Inst::new(Op::Fma, mods, sum.ty(), [sum.operands[0].clone(), a, b, c]);
    inst.guard = sum.guard;
    inst.loc = sum.loc;
    // The sign of a constant needs no instruction.
    let negation = match negate {
        Some(at) => match inst.operands[at] {
            Operand::F32(bits) => {
                inst.operands[at] = Operand::F32(bits ^ 1 << 31);
                None
            }
            Operand::F64(bits) => {
                inst.operands[at] = Operand::F64(bits ^ 1 << 63);
                None
            }
            _ => Some((at, sum.ty())),
        },
        None => None,
    };
    Some((negation, inst))
}

/// The negation of an operand, as an instruction, its register, and where it
/// goes.
fn negated(func: &mut Func, at: usize, ty: Ty, fused: &Inst) -> (Inst, Reg, usize) {
    let reg = func.new_reg(ty.reg());
    let operands = [Operand::Reg(reg), fused.operands[at].clone()];
    let mut inst = Inst::new(Op::Neg, Mods::default(), ty, operands);
    inst.loc = fused.loc;
    (inst, reg, at)
}

/// What was not fused is rounded.
fn fix_rounding(func: &mut Func) -> usize {
    let mut changes = 0;
    for block in func.layout.clone() {
        let ids = func.blocks.get(block).map(|b| b.insts.clone());
        for id in ids.unwrap_or_default() {
            if let Some(inst) = func.insts.get_mut(id).filter(|i| is_loose(i)) {
                inst.mods.rnd = Rnd::Rn;
                changes += 1;
            }
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleanup;
    use crate::module::Module;
    use crate::optimize::testing::after;

    fn both(_: &Module, func: &mut Func) -> usize {
        let changes = contract(func);
        cleanup::run(func);
        changes
    }

    /// The lines between three loads and the store.
    fn of(text: &str) -> Vec<String> {
        let body = format!(
            "ld.shared.f32 %f0, [tile];\nld.shared.f32 %f1, [tile+4];\n\
             ld.shared.f32 %f2, [tile+8];\n{text}\nst.shared.f32 [tile], %f9;\nret;"
        );
        let lines = after(&body, both);
        let kept = |l: &&String| !l.starts_with("ld.") && !l.starts_with("st.") && *l != "ret;";
        lines.iter().filter(kept).cloned().collect()
    }

    #[test]
    fn sums_and_differences() {
        assert_eq!(
            of("mul.f32 %f3, %f0, %f1;\nadd.f32 %f9, %f2, %f3;"),
            ["fma.rn.f32 %f4, %f1, %f2, %f3;"]
        );
        assert_eq!(
            of("mul.f32 %f3, %f0, %f1;\nsub.f32 %f9, %f3, 0f3F800000;"),
            ["fma.rn.f32 %f3, %f1, %f2, 0fBF800000;"]
        );
        assert_eq!(
            of("mul.f32 %f3, %f0, %f1;\nsub.f32 %f9, %f2, %f3;"),
            ["neg.f32 %f4, %f1;", "fma.rn.f32 %f5, %f4, %f2, %f3;"]
        );
    }

    #[test]
    fn what_says_how_it_is_rounded_stays() {
        for text in [
            "mul.rn.f32 %f3, %f0, %f1;\nadd.f32 %f9, %f2, %f3;",
            "mul.f32 %f3, %f0, %f1;\nadd.rn.f32 %f9, %f2, %f3;",
            "mul.ftz.f32 %f3, %f0, %f1;\nadd.f32 %f9, %f2, %f3;",
        ] {
            let lines = of(text);
            assert_eq!(lines.len(), 2, "{lines:?}");
            assert!(lines.iter().all(|l| l.contains(".rn")), "{lines:?}");
        }
    }

    #[test]
    fn a_product_of_many_uses_is_fused_into_each_sum() {
        let lines = of("mul.f32 %f3, %f0, %f1;\nadd.f32 %f4, %f3, %f2;\n\
             add.f32 %f5, %f3, %f0;\nadd.f32 %f9, %f4, %f5;");
        assert_eq!(
            lines,
            [
                "fma.rn.f32 %f4, %f1, %f2, %f3;",
                "fma.rn.f32 %f5, %f1, %f2, %f1;",
                "add.rn.f32 %f6, %f4, %f5;"
            ]
        );
        // Of two products the one that nothing else needs.
        let lines = of("mul.f32 %f3, %f0, %f1;\nmul.f32 %f4, %f1, %f2;\n\
             add.f32 %f5, %f3, %f4;\nmul.f32 %f9, %f3, %f5;");
        assert_eq!(lines[0], "mul.rn.f32 %f4, %f1, %f2;");
        assert_eq!(lines[1], "fma.rn.f32 %f5, %f2, %f3, %f4;");
    }

    #[test]
    fn an_operand_that_changes_in_between() {
        let lines = of(
            "mov.f32 %f4, %f0;\nmul.f32 %f3, %f4, %f1;\nmov.f32 %f4, %f2;\n\
             add.f32 %f5, %f3, %f2;\nadd.f32 %f9, %f5, %f4;",
        );
        assert!(lines.iter().all(|l| !l.starts_with("fma")), "{lines:?}");
    }
}
