//! Regions of several blocks, and the branches between them.

use super::lower::{Lower, Res, unsupported};
use super::value::Val;
use crate::ptx::{BlockId, Cmp};
use rustc_hash::FxHashSet;
use terrace_dialects::cf;
use terrace_ir::{Block, Op, Region, Value};

impl Lower<'_> {
    /// Lowers the blocks of a region, the first one right here. Blocks that
    /// cannot be reached are left out.
    pub fn graph(&mut self, region: Region) {
        let order = self.reverse_post_order(region);
        for (i, block) in order.iter().enumerate() {
            if i == 0 {
                continue;
            }
            let mut args = Vec::new();
            for arg in block.args(self.ctx) {
                match self.fresh(arg.ty(self.ctx)) {
                    Ok(v) => {
                        self.values.insert(arg, v.clone());
                        args.push(v);
                    }
                    Err(message) => self.unit.errors.push((arg.loc(self.ctx), message)),
                }
            }
            let id = self.new_block("bb");
            self.blocks.insert(*block, (id, args));
        }
        for (i, block) in order.iter().enumerate() {
            if i > 0 {
                let Some((id, _)) = self.blocks.get(block) else {
                    continue;
                };
                let id = *id;
                self.enter(id);
            }
            if let Some(end) = self.block_body(*block) {
                self.op(end);
            }
        }
    }

    /// Every block comes after those that dominate it.
    fn reverse_post_order(&self, region: Region) -> Vec<Block> {
        let Some(entry) = region.entry(self.ctx) else {
            return Vec::new();
        };
        let mut seen = FxHashSet::from_iter([entry]);
        let mut order = Vec::new();
        let mut stack = vec![(entry, entry.successors(self.ctx))];
        while let Some((block, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) => {
                    if seen.insert(next) {
                        let succs = next.successors(self.ctx);
                        stack.push((next, succs));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    pub fn cf(&mut self, op: Op, name: &str) -> Res<()> {
        match name {
            "br" => {
                let operands = op.operands(self.ctx);
                self.jump(op.successor(self.ctx, 0), &operands)
            }
            "cond_br" => {
                let on_true = op.operand_group(self.ctx, "trueDestOperands");
                let on_false = op.operand_group(self.ctx, "falseDestOperands");
                let condition = self.scalar(op.operand(self.ctx, 0))?;
                let (yes, no) = (op.successor(self.ctx, 0), op.successor(self.ctx, 1));
                let (yes_id, no_id) = (
                    self.edge_target(yes, &on_true)?,
                    self.edge_target(no, &on_false)?,
                );
                self.b.cond_bra(condition, yes_id, no_id);
                self.edge(yes, yes_id, &on_true)?;
                self.edge(no, no_id, &on_false)
            }
            "switch" => self.switch(op),
            "assert" => self.assertion(op),
            _ => Err(unsupported()),
        }
    }

    fn target(&self, block: Block) -> Res<(BlockId, Vec<Val>)> {
        self.blocks
            .get(&block)
            .cloned()
            .ok_or_else(|| "branches out of its region".to_string())
    }

    fn jump(&mut self, to: Block, operands: &[Value]) -> Res<()> {
        let (id, args) = self.target(to)?;
        self.assign(&args, operands)?;
        self.b.bra(id);
        Ok(())
    }

    /// The block a conditional branch goes to: the target itself, or a fresh
    /// block for the copies of the arguments.
    fn edge_target(&mut self, to: Block, operands: &[Value]) -> Res<BlockId> {
        let (id, _) = self.target(to)?;
        Ok(if operands.is_empty() {
            id
        } else {
            self.new_block("edge")
        })
    }

    fn edge(&mut self, to: Block, id: BlockId, operands: &[Value]) -> Res<()> {
        if operands.is_empty() {
            return Ok(());
        }
        self.enter(id);
        self.jump(to, operands)
    }

    fn switch(&mut self, op: Op) -> Res<()> {
        let Some(s) = op.cast::<cf::SwitchOp>(self.ctx) else {
            return Err(unsupported());
        };
        let Some(t) = self.kind(s.flag(self.ctx))?.int().filter(|t| t.w > 1) else {
            return Err("has a flag that is not an integer of 2 to 64 bits".to_string());
        };
        let flag = self.scalar(s.flag(self.ctx))?;
        for case in s.cases(self.ctx) {
            let value = case
                .value
                .to_i64()
                .or(case.value.to_u64().map(|v| v as i64))
                .unwrap_or(0);
            let value = self.int_constant(t, value as u64);
            let [hit, next] = ["case", "nextcase"].map(|n| self.new_block(n));
            let same = self.b.setp(Cmp::Eq, t.unsigned(), flag, value);
            self.b.cond_bra(same, hit, next);
            self.enter(hit);
            self.jump(case.dest, &case.operands)?;
            self.enter(next);
        }
        let operands = s.default_operands(self.ctx);
        self.jump(s.default_dest(self.ctx), &operands)
    }

    /// Stops the kernel where the condition does not hold. The message is
    /// lost: the driver reports the kernel only.
    fn assertion(&mut self, op: Op) -> Res<()> {
        let condition = self.scalar(op.operand(self.ctx, 0))?;
        let [fails, holds] = ["assert_fails", "assert_holds"].map(|n| self.new_block(n));
        self.b.cond_bra(condition, holds, fails);
        self.enter(fails);
        self.b.trap();
        self.enter(holds);
        Ok(())
    }
}
