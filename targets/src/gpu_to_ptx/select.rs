//! `arith.select`, and every op that works on each element by itself.

use super::kinds::Kind;
use super::lower::{Lower, Res};
use super::value::{Idx, MemRef, Val};
use crate::ptx::{Reg, RegTy, Space, Ty};
use std::rc::Rc;
use terrace_dialects::arith::{CmpFOp, CmpIOp, fastmath_of, rounding_of};
use terrace_ir::Op;

impl Lower<'_> {
    /// One of two registers of the same type.
    pub fn select(&mut self, condition: Reg, a: Reg, b: Reg) -> Reg {
        match self.b.func().reg_ty(a).unwrap_or(RegTy::B64) {
            RegTy::Pred => {
                let yes = self.b.and(Ty::Pred, condition, a);
                let no = self.b.not(Ty::Pred, condition);
                let no = self.b.and(Ty::Pred, no, b);
                self.b.or(Ty::Pred, yes, no)
            }
            ty => self.b.selp(ty.ty(), a, b, condition),
        }
    }

    pub fn select_op(&mut self, op: Op) -> Res<()> {
        let v = op.operands(self.ctx);
        let [condition, a, b] = v[..] else {
            return Err("has not three operands".to_string());
        };
        let conditions = self.lanes(condition)?;
        let merged = match (self.val(a)?, self.val(b)?) {
            (Val::MemRef(a), Val::MemRef(b)) => {
                let [c] = conditions[..] else {
                    return Err("selects memrefs by a vector".to_string());
                };
                Val::MemRef(Rc::new(self.select_memref(c, &a, &b)?))
            }
            (a, b) => {
                let (xs, ys) = (self.registers(&a), self.registers(&b));
                let mut rs = Vec::with_capacity(xs.len());
                for (i, (x, y)) in xs.iter().zip(&ys).enumerate() {
                    let c = conditions.get(i).or(conditions.first()).copied();
                    rs.push(self.select(c.ok_or("has no condition")?, *x, *y));
                }
                Self::lanes_val(rs, matches!(a, Val::Vector(_)))
            }
        };
        self.define(op, merged)
    }

    fn select_memref(&mut self, c: Reg, a: &MemRef, b: &MemRef) -> Res<MemRef> {
        let space = if a.space == b.space {
            a.space
        } else {
            Space::Generic
        };
        let (x, y) = (self.base_in(a, space)?, self.base_in(b, space)?);
        let base = self.select(c, x, y);
        let mut pick = |x: &Idx, y: &Idx| {
            if x == y {
                return *x;
            }
            Idx::Reg(self.b.selp(Ty::S64, x.operand(), y.operand(), c))
        };
        Ok(MemRef {
            base,
            space,
            elem: a.elem,
            lanes: a.lanes,
            align: a.align.min(b.align),
            constant: a.constant && b.constant,
            offset: pick(&a.offset, &b.offset),
            sizes: a
                .sizes
                .iter()
                .zip(&b.sizes)
                .map(|(x, y)| pick(x, y))
                .collect(),
            strides: a
                .strides
                .iter()
                .zip(&b.strides)
                .map(|(x, y)| pick(x, y))
                .collect(),
        })
    }

    /// An op that works lane by lane.
    pub fn elementwise(&mut self, op: Op, name: &str) -> Res<()> {
        let ctx = self.ctx;
        let operands = op.operands(ctx);
        let (Some(first), true) = (operands.first(), op.num_results(ctx) > 0) else {
            return Err(Self::no_such_function(name));
        };
        let kind = self.kind(*first)?;
        let to = self.kind(op.result(ctx, 0))?;
        let mut lanes = Vec::with_capacity(operands.len());
        for v in &operands {
            lanes.push(self.lanes(*v)?);
        }
        let n = lanes[0].len();
        if lanes.iter().any(|l| l.len() != n) {
            return Err("has operands of different shapes".to_string());
        }
        let mut results: Vec<Vec<Reg>> = vec![Vec::new(); op.num_results(ctx)];
        for i in 0..n {
            let args: Vec<Reg> = lanes.iter().map(|l| l[i]).collect();
            self.flags = fastmath_of(ctx, op);
            let rs = self.one_lane(op, name, kind, to, &args);
            self.flags = 0;
            let rs = rs?;
            if rs.len() != results.len() {
                return Err(Self::no_such_function(name));
            }
            for (all, r) in results.iter_mut().zip(rs) {
                all.push(r);
            }
        }
        for (i, rs) in results.into_iter().enumerate() {
            self.define_lanes(op, i, rs);
        }
        Ok(())
    }

    fn one_lane(
        &mut self,
        op: Op,
        name: &str,
        kind: Kind,
        to: Kind,
        args: &[Reg],
    ) -> Res<Vec<Reg>> {
        if let (Some(c), &[a, b]) = (op.cast::<CmpIOp>(self.ctx), args) {
            let p = c.predicate(self.ctx).ok_or("has no predicate")?;
            return Ok(vec![self.compare_ints(p, kind, a, b)?]);
        }
        if let (Some(c), &[a, b]) = (op.cast::<CmpFOp>(self.ctx), args) {
            let p = c.predicate(self.ctx).ok_or("has no predicate")?;
            return Ok(vec![self.compare_floats(p, kind, a, b)?]);
        }
        if let &[a] = args
            && let Some(r) = self.cast(name, kind, to, a)
        {
            self.check_rounding(op)?;
            return Ok(vec![r?]);
        }
        if let Some(rs) = self.int_op(name, kind, args) {
            return Ok(rs);
        }
        if let Some(r) = self.float_op(name, kind, args) {
            return Ok(vec![r]);
        }
        match self.math_op(op, name, kind, args) {
            Some(r) => Ok(vec![r?]),
            None => Err(Self::no_such_function(name)),
        }
    }

    fn check_rounding(&self, op: Op) -> Res<()> {
        use terrace_ir::num::Rounding;
        if op.attr(self.ctx, "roundingmode").is_none() {
            return Ok(());
        }
        match rounding_of(self.ctx, op) {
            Some(Rounding::NearestEven) => Ok(()),
            _ => Err("asks for a rounding mode; to_nearest_even is supported".to_string()),
        }
    }
}
