//! Code that runs under a condition, and what it changes.

use terrace_dialects::affine;
use terrace_dialects::scf;
use terrace_ir::{Block, Op, Type as IrType, Value};

use super::env::{CellId, Env, PointerId, Target};
use super::targets::Common;
use super::{Lowerer, Result};

impl Lowerer<'_> {
    /// Runs `then` where the condition holds and `otherwise` where not; cells that
    /// change become results.
    pub fn branch(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> Result<()>,
        otherwise: Option<impl FnOnce(&mut Self) -> Result<()>>,
    ) -> Result<()> {
        if let Some(c) = self.ctx.constant_int(condition) {
            return match (c != 0, otherwise) {
                (true, _) => then(self),
                (false, Some(f)) => f(self),
                (false, None) => Ok(()),
            };
        }
        let has_else = otherwise.is_some();
        let (outside, loc) = (self.block, self.loc);
        let (op, then_block, else_block) = scf::IfOp::build(&mut self.b(), condition, &[], true);
        let op = terrace_ir::OpKind::op(op);
        let before = self.env.clone();
        let known = (before.cells.len(), before.pointers.len());
        self.block = then_block;
        then(self)?;
        let before = self.grown(before);
        let after_then = std::mem::replace(&mut self.env, before);
        let then_end = self.block;
        if let (Some(f), Some(b)) = (otherwise, else_block) {
            self.block = b;
            f(self)?;
        }
        let else_end = if has_else {
            Some(self.block)
        } else {
            else_block
        };
        let after_else = self.env.clone();
        let after_then = self.grown(after_then);
        self.block = outside;
        self.loc = loc;
        self.merge(
            op,
            condition,
            known,
            (then_end, after_then),
            (else_end, after_else),
        )
    }

    /// Ends the two blocks of a condition and gives it its results: `known` cells and
    /// pointers were there before.
    fn merge(
        &mut self,
        op: Op,
        condition: Value,
        known: (usize, usize),
        (then_block, then): (Block, Env),
        (else_block, other): (Option<Block>, Env),
    ) -> Result<()> {
        let outside = self.block;
        let Some(else_block) = else_block else {
            return Ok(());
        };
        // Cells and pointers that differ.
        let mut changed = Vec::new();
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for i in 0..known.0 {
            if then.cells[i] != other.cells[i] {
                let c = CellId(i);
                for (env, list) in [(&then, &mut a), (&other, &mut b)] {
                    list.push(match env.cells[i] {
                        Some(v) => v,
                        None => {
                            let ty = self.cell_type(c);
                            self.zero(ty)
                        }
                    });
                }
                changed.push(Changed::Cell(c));
            }
        }
        let mut env = other.clone();
        env.forget(known);
        for i in 0..known.1 {
            let (p, q) = (&then.pointers[i], &other.pointers[i]);
            if p == q {
                continue;
            }
            let common = self.common(p, q);
            let common = common.filter(|c| self.outlives(c, op, known));
            let Some(common) = common else {
                let unset = *p == Target::Unset || *q == Target::Unset;
                env.pointers[i] = if unset {
                    Target::Unset
                } else {
                    Target::Several
                };
                continue;
            };
            for (block, target, list) in [(then_block, p, &mut a), (else_block, q, &mut b)] {
                self.block = block;
                list.extend(self.target_values(&common, target));
            }
            self.block = outside;
            changed.push(Changed::Pointer(PointerId(i), common));
        }
        let types: Vec<IrType> = a.iter().map(|v| v.ty(self.ctx)).collect();
        let set = match changed.is_empty() {
            true => self.integer_set(condition),
            false => None,
        };
        let empty_else = changed.is_empty() && else_block.is_empty(self.ctx);
        let yield_op = if set.is_some() {
            affine::YieldOp::NAME
        } else {
            scf::YieldOp::NAME
        };
        for (block, values) in [(then_block, &a), (else_block, &b)] {
            self.block = block;
            self.op(yield_op, values, &[], &[]);
        }
        self.block = outside;
        let new = match &set {
            Some((set, operands)) => {
                let set = self.ctx.set_attr(set.clone());
                let mut s = self.b().state::<terrace_dialects::affine::IfOp>();
                s = s.operands(operands).regions(2);
                s.set_attr(self.ctx, "condition", set);
                self.b().create(s)
            }
            None => {
                let s = self.b().state::<scf::IfOp>();
                let s = s.operands(&[condition]).results(&types).regions(2);
                self.b().create(s)
            }
        };
        for i in 0..2 {
            if i == 1 && empty_else {
                continue;
            }
            let to = new.region(self.ctx, i);
            op.region(self.ctx, i).move_blocks_to(self.ctx, to);
        }
        op.erase(self.ctx);
        let results = new.results(self.ctx);
        let mut results = results.into_iter();
        for c in &changed {
            match c {
                Changed::Cell(c) => env.cells[c.0] = results.next(),
                Changed::Pointer(p, common) => {
                    env.pointers[p.0] = common.target(&mut results);
                }
            }
        }
        self.env = env;
        Ok(())
    }

    /// The condition as a set of affine constraints, where it is one.
    fn integer_set(
        &mut self,
        condition: Value,
    ) -> Option<(terrace_ir::affine::IntegerSet, Vec<Value>)> {
        use terrace_ir::affine::{Constraint, IntegerSet};
        let all = self.conditions.get(&condition)?.clone();
        let mut operands = super::form::Operands::default();
        let mut constraints = Vec::new();
        for (f, is_eq) in &all {
            let expr = self.affine(f, &mut operands)?;
            if !expr.within_limits() {
                return None;
            }
            constraints.push(Constraint {
                expr,
                is_eq: *is_eq,
            });
        }
        let (dims, symbols) = (operands.dims.len() as u32, operands.symbols.len() as u32);
        // A condition on nothing but parameters is as well a plain one.
        (dims > 0).then(|| (IntegerSet::new(dims, symbols, constraints), operands.all()))
    }
}

enum Changed {
    Cell(CellId),
    Pointer(PointerId, Common),
}
