//! Values as sums of multiples of the trips of loops.

use super::{MAX_DEPTH, Read, Reader, Refusal, Unknown, names, overflow};
use crate::gpu::model::nest::Affine;
use terrace_dialects::affine;
use terrace_dialects::arith;
use terrace_dialects::memref;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::{Op, Value};

impl Reader<'_> {
    pub(super) fn given(&self, names: &[String]) -> Option<i64> {
        let mut all = self.options.sizes.iter().rev();
        all.find(|(n, _)| names.contains(n)).map(|(_, v)| *v)
    }

    pub(super) fn results(&self, op: Op, map: &AffineMap, operands: &[Value]) -> Read<Vec<Affine>> {
        let values: Vec<Affine> = (operands.iter())
            .map(|v| self.value(op, *v, 0))
            .collect::<Read<_>>()?;
        let (dims, symbols) = values.split_at((map.num_dims() as usize).min(values.len()));
        let all = map
            .results()
            .iter()
            .map(|e| self.expression(op, e, dims, symbols));
        all.collect()
    }

    pub(super) fn expression(
        &self,
        op: Op,
        e: &AffineExpr,
        dims: &[Affine],
        symbols: &[Affine],
    ) -> Read<Affine> {
        let not = |message: &str| Refusal {
            op,
            message: message.to_string(),
        };
        if e.depth() > 64 {
            return Err(not("an expression is nested too deeply"));
        }
        let input = |all: &[Affine], i: u32| {
            let found = all.get(i as usize).cloned();
            found.ok_or_else(|| not("an expression has no such input"))
        };
        match e {
            AffineExpr::Dim(i) => return input(dims, *i),
            AffineExpr::Symbol(i) => return input(symbols, *i),
            AffineExpr::Constant(c) => return Ok(Affine::constant(*c)),
            AffineExpr::Binary(_) => {}
        }
        let Some((operator, a, b)) = e.as_binary() else {
            return Err(not("an expression is not affine"));
        };
        let a = self.expression(op, a, dims, symbols)?;
        let b = self.expression(op, b, dims, symbols)?;
        let out = match operator {
            AffineOp::Add => a.plus(&b, 1),
            AffineOp::Mul if b.is_constant() => a.times(b.constant),
            AffineOp::Mul if a.is_constant() => b.times(a.constant),
            AffineOp::Mod | AffineOp::FloorDiv | AffineOp::CeilDiv
                if a.is_constant() && b.is_constant() && b.constant > 0 =>
            {
                let (x, y) = (a.constant, b.constant);
                Some(Affine::constant(match operator {
                    AffineOp::Mod => x.rem_euclid(y),
                    AffineOp::FloorDiv => x.div_euclid(y),
                    _ => x.div_euclid(y) + i64::from(x.rem_euclid(y) > 0),
                }))
            }
            _ => {
                return Err(not(
                    "a subscript or bound divides a counter or multiplies two; the model takes \
                     sums of multiples of counters",
                ));
            }
        };
        out.ok_or_else(|| overflow(op))
    }

    /// A value in trips of loops.
    pub(super) fn value(&self, op: Op, v: Value, depth: usize) -> Read<Affine> {
        if let Some(a) = self.counters.get(&v) {
            return Ok(a.clone());
        }
        let ctx = self.ctx;
        if let Some(c) = ctx.constant_int(v) {
            return Ok(Affine::constant(c));
        }
        let names = names(ctx, v);
        if let Some(n) = self.given(&names) {
            return Ok(Affine::constant(n));
        }
        if let Some(def) = v.def_op().filter(|_| depth < MAX_DEPTH) {
            let of = |i: usize| self.value(op, def.operand(ctx, i), depth + 1);
            let out = match def.name(ctx) {
                affine::ApplyOp::NAME => {
                    if let Some(a) = def.cast::<affine::ApplyOp>(ctx) {
                        let operands = a.operands(ctx);
                        let values: Vec<Affine> = (operands.iter())
                            .map(|v| self.value(op, *v, depth + 1))
                            .collect::<Read<_>>()?;
                        let dims = (a.map(ctx).num_dims() as usize).min(values.len());
                        let (dims, symbols) = values.split_at(dims);
                        if let Some(e) = a.map(ctx).result(0) {
                            return self.expression(op, e, dims, symbols);
                        }
                    }
                    None
                }
                affine::MaxOp::NAME => {
                    let max = def.cast::<affine::MaxOp>(ctx);
                    let results = max.map(|o| self.results(op, o.map(ctx), &def.operands(ctx)));
                    let results = results.transpose()?.unwrap_or_default();
                    let constant = results.iter().all(Affine::is_constant);
                    let most = results.iter().map(|a| a.constant).max();
                    most.filter(|_| constant).map(Affine::constant)
                }
                arith::IndexCastOp::NAME | arith::ExtSIOp::NAME | arith::TruncIOp::NAME => {
                    Some(of(0)?)
                }
                arith::AddIOp::NAME => of(0)?.plus(&of(1)?, 1),
                arith::SubIOp::NAME => of(0)?.plus(&of(1)?, -1),
                arith::MulIOp::NAME => {
                    let (a, b) = (of(0)?, of(1)?);
                    match (a.is_constant(), b.is_constant()) {
                        (_, true) => a.times(b.constant),
                        (true, _) => b.times(a.constant),
                        _ => None,
                    }
                }
                memref::DimOp::NAME => {
                    let of_memref = def.operand(ctx, 0);
                    let d = ctx.constant_int(def.operand(ctx, 1));
                    let d = d.and_then(|d| usize::try_from(d).ok());
                    // What a program asks for is a number of iterations, and no mere bound of subscripts.
                    let sizes = self.sizes_of(op, of_memref, false)?;
                    d.and_then(|d| sizes.get(d).copied()).map(Affine::constant)
                }
                _ => None,
            };
            if let Some(a) = out {
                return Ok(a);
            }
        }
        let name = names.first().cloned().unwrap_or_else(|| "a value".into());
        let unknown = Unknown {
            words: name.clone(),
            key: names.first().cloned().unwrap_or_default(),
        };
        if let Some(n) = self.assumption(v, unknown) {
            return Ok(Affine::constant(n));
        }
        Err(Refusal {
            op,
            message: match v.def_op().is_none() && !names.is_empty() {
                true => {
                    format!("the value of '{name}' is not known; give it with sizes={name}:NUMBER")
                }
                false if names.is_empty() => {
                    "a subscript or bound is no sum of multiples of counters".into()
                }
                false => format!("'{name}' is no sum of multiples of counters"),
            },
        })
    }

    /// What a value that is not known is taken to be, if one may be taken: it is none of the
    /// counters around the nest's accesses, nor computed in the nest.
    pub(super) fn assumption(&self, v: Value, unknown: Unknown) -> Option<i64> {
        let n = self.within_conditions(v, self.options.assume?);
        let place = match v.def_op() {
            Some(op) => Some(op),
            None => v.arg_block().and_then(|b| b.parent_op(self.ctx)),
        };
        let around = place?.parent(self.ctx);
        let inside = |op: Op| op == self.root || self.root.is_ancestor_of(self.ctx, op);
        if place.is_some_and(inside) || around.is_some_and(inside) {
            return None;
        }
        let mut all = self.assumed.borrow_mut();
        if !all.contains(&unknown) {
            all.push(unknown);
        }
        Some(n)
    }
}
