//! Code that runs under a condition, and what it changes.

use terrace_dialects::affine;
use terrace_dialects::scf;
use terrace_ir::affine::{Constraint, IntegerSet};
use terrace_ir::{Block, Op, OpKind, Type as IrType, Value};

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
        let (outside, loc) = (self.block, self.loc);
        let (op, then_block, else_block) = scf::IfOp::build(&mut self.b(), condition, &[], true);
        let Some(else_block) = else_block else {
            return Ok(());
        };
        let before = self.env.clone();
        let known = (before.cells.len(), before.pointers.len());
        self.block = then_block;
        then(self)?;
        let before = self.grown(before);
        let after_then = std::mem::replace(&mut self.env, before);
        let then_end = self.block;
        self.block = else_block;
        if let Some(f) = otherwise {
            f(self)?;
        }
        let after_else = self.env.clone();
        let after_then = self.grown(after_then);
        let ends = [then_end, std::mem::replace(&mut self.block, outside)];
        self.loc = loc;
        self.merge(op.op(), condition, known, ends, [after_then, after_else]);
        Ok(())
    }

    /// Gives a condition what differs behind its two ways as results: `known` cells and
    /// pointers were there before.
    fn merge(
        &mut self,
        op: Op,
        condition: Value,
        known: (usize, usize),
        ends: [Block; 2],
        envs: [Env; 2],
    ) {
        let mut merged = Merged::default();
        self.merge_cells(known.0, &envs, &mut merged);
        let mut env = envs[1].clone();
        env.forget(known);
        for i in 0..known.1 {
            let [p, q] = [0, 1].map(|way| &envs[way].pointers[i]);
            if p == q {
                continue;
            }
            let common = self.common(p, q);
            match common.filter(|c| self.outlives(c, op, known)) {
                Some(common) => self.merge_pointer(PointerId(i), common, ends, [p, q], &mut merged),
                None if *p == Target::Unset || *q == Target::Unset => {
                    env.pointers[i] = Target::Unset;
                }
                None => env.pointers[i] = Target::Several,
            }
        }
        let new = self.with_results(op, condition, ends, &merged);
        let mut results = new.results(self.ctx).into_iter();
        for c in &merged.changed {
            match c {
                Changed::Cell(c) => env.cells[c.0] = results.next(),
                Changed::Pointer(p, common) => {
                    env.pointers[p.0] = common.target(&mut results);
                }
            }
        }
        self.env = env;
    }

    /// Cells that differ; one without a value on one way is 0 there.
    fn merge_cells(&mut self, known: usize, envs: &[Env; 2], merged: &mut Merged) {
        for i in 0..known {
            if envs[0].cells[i] == envs[1].cells[i] {
                continue;
            }
            let c = CellId(i);
            for (env, values) in envs.iter().zip(&mut merged.values) {
                values.push(match env.cells[i] {
                    Some(v) => v,
                    None => {
                        let ty = self.cell_type(c);
                        self.zero(ty)
                    }
                });
            }
            merged.changed.push(Changed::Cell(c));
        }
    }

    /// A pointer with different targets that have something in common.
    fn merge_pointer(
        &mut self,
        pointer: PointerId,
        common: Common,
        ends: [Block; 2],
        targets: [&Target; 2],
        merged: &mut Merged,
    ) {
        let outside = self.block;
        for ((end, target), values) in ends.into_iter().zip(targets).zip(&mut merged.values) {
            self.block = end;
            values.extend(self.target_values(&common, target));
        }
        self.block = outside;
        merged.changed.push(Changed::Pointer(pointer, common));
    }

    /// The op with what is merged as results; an `affine.if` where there is none and the
    /// condition is affine.
    fn with_results(&mut self, op: Op, condition: Value, ends: [Block; 2], merged: &Merged) -> Op {
        let outside = self.block;
        let none = merged.changed.is_empty();
        let types: Vec<IrType> = merged.values[0].iter().map(|v| v.ty(self.ctx)).collect();
        let set = match none {
            true => self.integer_set(condition),
            false => None,
        };
        let empty_else = none && ends[1].is_empty(self.ctx);
        let yield_op = if set.is_some() {
            affine::YieldOp::NAME
        } else {
            scf::YieldOp::NAME
        };
        for (end, values) in ends.into_iter().zip(&merged.values) {
            self.block = end;
            self.op(yield_op, values, &[], &[]);
        }
        self.block = outside;
        let new = match set {
            Some((set, operands)) => {
                let set = self.ctx.set_attr(set);
                let mut s = self.b().state::<affine::IfOp>();
                s = s.operands(&operands).regions(2);
                s.set_attr(self.ctx, "condition", set);
                self.b().create(s)
            }
            None => {
                let s = self.b().state::<scf::IfOp>();
                let s = s.operands(&[condition]).results(&types).regions(2);
                self.b().create(s)
            }
        };
        for i in 0..if empty_else { 1 } else { 2 } {
            let to = new.region(self.ctx, i);
            op.region(self.ctx, i).move_blocks_to(self.ctx, to);
        }
        op.erase(self.ctx);
        new
    }

    /// The condition as a set of affine constraints, where it is one.
    fn integer_set(&mut self, condition: Value) -> Option<(IntegerSet, Vec<Value>)> {
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

/// What differs behind the two ways of a condition.
#[derive(Default)]
struct Merged {
    changed: Vec<Changed>,
    /// The values of these, of each way.
    values: [Vec<Value>; 2],
}

enum Changed {
    Cell(CellId),
    Pointer(PointerId, Common),
}
