//! The order of instructions behind Cranelift's optimiser: loads beside their uses.
//!
//! ```text
//! v1 = load a                          v1 = load a
//! v2 = load b                          v3 = fmul v1, v1
//! v3 = fmul v1, v1            =>       v2 = load b
//! v4 = fmul v2, v2                     v4 = fmul v2, v2
//! v5 = fadd v3, v4                     v5 = fadd v3, v4
//! ```
//!
//! The optimiser computes a pure value where it is first used, and leaves loads where they stood. In a
//! sum of many elements that is used once, by a store or a branch, all loads come first: each has a
//! register until its turn, or is stored on the stack when there are no more. Beside its use a
//! load needs its register only there, and often becomes an operand of the instruction that uses it.
//!
//! A load moves down within its block, before the first use of what it loads, and past nothing that may
//! write memory or end the function. Pure values of which only the address is made move with it.

use cranelift_codegen::Context;
use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Value};
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::{CodegenResult, control::ControlPlane};
use rustc_hash::FxHashMap;

/// What Cranelift does to a function before it chooses instructions, at its level for speed, and loads
/// beside their uses. `isa` has the level at which a compilation does not do it again.
pub(super) fn optimize(cc: &mut Context, isa: &dyn TargetIsa) -> CodegenResult<()> {
    cc.compute_cfg();
    cc.compute_domtree();
    cc.eliminate_unreachable_code(isa)?;
    cc.remove_constant_phis(isa)?;
    cc.func.dfg.resolve_all_aliases();
    cc.egraph_pass(isa, &mut ControlPlane::default())?;
    let blocks: Vec<Block> = cc.func.layout.blocks().collect();
    for block in blocks {
        loads_beside_uses(&mut cc.func, block);
    }
    Ok(())
}

fn loads_beside_uses(f: &mut Function, block: Block) {
    let mut order = Order::default();
    let mut next = f.layout.last_inst(block);
    while let Some(inst) = next {
        next = f.layout.prev_inst(inst);
        order.visit(f, inst);
    }
}

/// What is known of the instructions behind the one that is looked at, from the last one on.
#[derive(Default)]
struct Order {
    /// The first that uses a value, and whether it has moved.
    uses: FxHashMap<Value, (Inst, bool)>,
    /// The first that no load may pass.
    barrier: Option<Inst>,
    /// The first of those that were put in front of one. What is put there next comes before them,
    /// so that they keep their order.
    fronts: FxHashMap<Inst, Inst>,
}

impl Order {
    fn visit(&mut self, f: &mut Function, inst: Inst) {
        let mut moved = false;
        match f.dfg.inst_results(inst) {
            [result] if is_load(f, inst) => {
                if let Some((user, _)) = self.uses.get(result).copied() {
                    let before = match self.barrier {
                        Some(b) if comes_before(f, b, user) => b,
                        _ => user,
                    };
                    moved = self.place(f, inst, before);
                }
            }
            [result] if is_pure(f, inst) => {
                if let Some((user, true)) = self.uses.get(result).copied() {
                    moved = self.place(f, inst, user);
                }
            }
            _ if !is_pure(f, inst) => self.barrier = Some(inst),
            _ => {}
        }
        for value in f.dfg.inst_values(inst) {
            // Where this one moved, another use may stand between its old place and its new one.
            let earlier = self.uses.get(&value).copied();
            if earlier.is_none_or(|(user, _)| !moved || comes_before(f, inst, user)) {
                self.uses.insert(value, (inst, moved));
            }
        }
    }

    /// Puts an instruction in front of a later one of its block; whether it was not there already.
    fn place(&mut self, f: &mut Function, inst: Inst, before: Inst) -> bool {
        let front = self.fronts.insert(before, inst).unwrap_or(before);
        if f.layout.next_inst(inst) == Some(front) {
            return false;
        }
        f.layout.remove_inst(inst);
        f.layout.insert_inst(inst, front);
        true
    }
}

/// Whether one instruction stands before another of the same block.
fn comes_before(f: &Function, a: Inst, b: Inst) -> bool {
    f.layout.pp_cmp(a, b).is_lt()
}

fn is_load(f: &Function, inst: Inst) -> bool {
    // Atomic loads have another form.
    matches!(f.dfg.insts[inst], InstructionData::Load { .. })
}

/// Whether an instruction does nothing but compute its results.
fn is_pure(f: &Function, inst: Inst) -> bool {
    let op = f.dfg.insts[inst].opcode();
    !(op.can_load()
        || op.can_store()
        || op.can_trap()
        || op.is_call()
        || op.is_branch()
        || op.is_terminator()
        || op.other_side_effects())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_codegen::ir::{
        AbiParam, InstBuilder, MemFlagsData, Signature, UserFuncName, types,
    };
    use cranelift_codegen::settings;
    use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

    /// The instructions of a function of two addresses, after their order was changed.
    fn ordered(body: impl FnOnce(&mut FunctionBuilder, Value, Value)) -> Vec<String> {
        let flags = settings::Flags::new(settings::builder());
        let isa = cranelift_native::builder().unwrap().finish(flags).unwrap();
        let config = isa.frontend_config();
        let mut sig = Signature::new(config.default_call_conv);
        sig.params = vec![AbiParam::new(types::I64); 2];
        sig.returns = vec![AbiParam::new(types::F64)];
        let mut f = Function::with_name_signature(UserFuncName::default(), sig);
        let mut context = FunctionBuilderContext::new();
        let mut b = FunctionBuilder::new(&mut f, &mut context);
        let block = b.create_block();
        b.append_block_params_for_function_params(block);
        b.switch_to_block(block);
        let [p, q] = [0, 1].map(|i| b.block_params(block)[i]);
        body(&mut b, p, q);
        b.seal_all_blocks();
        b.finalize(config);
        loads_beside_uses(&mut f, block);
        let insts: Vec<Inst> = f.layout.block_insts(block).collect();
        insts
            .iter()
            .map(|i| f.dfg.display_inst(*i).to_string())
            .collect()
    }

    fn load(b: &mut FunctionBuilder, p: Value, offset: i32) -> Value {
        b.ins().load(types::F64, MemFlagsData::trusted(), p, offset)
    }

    #[test]
    fn loads_stand_before_their_uses_in_their_order() {
        let order = ordered(|b, p, q| {
            let [x, y, z] = [0, 8, 16].map(|o| load(b, p, o));
            let w = load(b, q, 0);
            let s = b.ins().fmul(x, y);
            let t = b.ins().fmul(z, w);
            let r = b.ins().fadd(s, t);
            b.ins().return_(&[r]);
        });
        assert_eq!(
            order,
            [
                "v2 = load.f64 notrap aligned v0",
                "v3 = load.f64 notrap aligned v0+8",
                "v6 = fmul.f64 v2, v3",
                "v4 = load.f64 notrap aligned v0+16",
                "v5 = load.f64 notrap aligned v1",
                "v7 = fmul.f64 v4, v5",
                "v8 = fadd.f64 v6, v7",
                "return v8",
            ]
        );
    }

    #[test]
    fn no_load_passes_a_store() {
        let order = ordered(|b, p, q| {
            let x = load(b, p, 0);
            let y = load(b, q, 0);
            b.ins().store(MemFlagsData::trusted(), y, p, 0);
            let z = load(b, q, 8);
            let r = b.ins().fadd(x, y);
            let r = b.ins().fadd(r, z);
            b.ins().return_(&[r]);
        });
        assert_eq!(
            order,
            [
                "v2 = load.f64 notrap aligned v0",
                "v3 = load.f64 notrap aligned v1",
                "store.f64 notrap aligned v3, v0",
                "v5 = fadd.f64 v2, v3",
                "v4 = load.f64 notrap aligned v1+8",
                "v6 = fadd.f64 v5, v4",
                "return v6",
            ]
        );
    }

    #[test]
    fn addresses_move_along_unless_they_are_used_before() {
        let order = ordered(|b, p, q| {
            let at = b.ins().iadd(p, q);
            let x = load(b, at, 0);
            let y = load(b, p, 0);
            let twice = b.ins().fadd(y, y);
            let r = b.ins().fadd(twice, x);
            b.ins().return_(&[r]);
        });
        assert_eq!(
            order,
            [
                "v4 = load.f64 notrap aligned v0",
                "v5 = fadd.f64 v4, v4",
                "v2 = iadd.i64 v0, v1",
                "v3 = load.f64 notrap aligned v2",
                "v6 = fadd.f64 v5, v3",
                "return v6",
            ]
        );
        let order = ordered(|b, p, q| {
            let at = b.ins().iadd(p, q);
            let x = load(b, at, 0);
            let y = load(b, p, 0);
            let z = load(b, at, 8);
            let s = b.ins().fadd(y, z);
            let r = b.ins().fadd(s, x);
            b.ins().return_(&[r]);
        });
        assert_eq!(order[0], "v2 = iadd.i64 v0, v1");
        assert_eq!(order[4], "v3 = load.f64 notrap aligned v2");
    }
}
