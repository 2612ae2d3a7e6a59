//! What is checked when the program runs: sizes of arrays, and indices that may not be there.

use super::Lowering;
use crate::affine::{Form, Var};
use crate::index::{elements, unsure};
use crate::model::{Element, Statement};
use terrace_dialects::affine::ApplyOp;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::attributes::TERRACE_RANGE;
use terrace_dialects::{cf, memref};
use terrace_ir::affine::{AffineExpr, AffineMap, simplify_affine_expr};
use terrace_ir::{Builder, Op, Value};

impl Lowering<'_> {
    /// The value of an expression over parameters.
    fn constant(&self, b: &mut Builder, e: &AffineExpr) -> Value {
        let params = self.indices.len() as u32;
        let e = simplify_affine_expr(e, 0, params);
        ApplyOp::build(b, AffineMap::new(0, params, vec![e]), self.indices)
    }

    /// An expression over parameters in their names.
    fn named(&self, e: &AffineExpr) -> String {
        let params = self.indices.len() as u32;
        let text = simplify_affine_expr(e, 0, params).to_string();
        let parts: Vec<&str> = text
            .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
            .collect();
        let renamed = parts.into_iter().map(|part| {
            let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let symbol = word.strip_prefix('s').and_then(|k| k.parse::<usize>().ok());
            match symbol.and_then(|k| self.model.indices.get(k)) {
                Some(name) => format!("{name}{}", &part[word.len()..]),
                None => part.to_string(),
            }
        });
        renamed.collect()
    }

    fn assert(&self, b: &mut Builder, ok: Value, message: &str) -> Op {
        let message = b.ctx.string_attr(message);
        b.op::<cf::AssertOp>(&[ok], &[], &[("msg", message)])
    }

    /// Parameters are not negative, and arrays as large as the model says.
    pub(super) fn sizes(&self, b: &mut Builder) {
        let zero = arith::constant_index(b, 0);
        for (name, v) in self.model.indices.iter().zip(self.indices) {
            let ok = CmpIOp::build(b, CmpIPredicate::Sge, *v, zero);
            self.assert(b, ok, &format!("the parameter {name} is negative"));
        }
        for (a, v) in self.model.arrays.iter().zip(self.arrays) {
            b.loc = self.place(b.ctx, a.name.span.start);
            for (k, size) in a.shape().iter().enumerate() {
                let at = arith::constant_index(b, k as i64);
                let there = memref::DimOp::build(b, *v, at);
                let wanted = self.constant(b, size);
                let ok = CmpIOp::build(b, CmpIPredicate::Eq, there, wanted);
                let m = format!(
                    "dimension {k} of the array {} has another size than the model says, {}",
                    a.name.text,
                    self.named(size)
                );
                self.assert(b, ok, &m);
            }
        }
    }

    /// Indices of a statement that may not be there. A statement without points has none.
    pub(super) fn indices(&self, b: &mut Builder, s: &Statement) {
        let mut seen: Vec<&Element> = Vec::new();
        for e in elements(s) {
            if seen
                .iter()
                .any(|f| f.array == e.array && f.subscripts == e.subscripts)
            {
                continue;
            }
            seen.push(e);
            let a = &self.model.arrays[e.array];
            for u in unsure(self.model, s, e) {
                let (d, x) = (&a.dims[u.dim], &e.subscripts[u.dim]);
                let none = |_| AffineExpr::constant(0);
                let (low, high) = (d.low.expr(&none), d.high.expr(&none));
                let mut good = Vec::new();
                if u.low {
                    good.push(self.extreme(s, x, false) - low.clone());
                }
                if u.high {
                    good.push(high - self.extreme(s, x, true));
                }
                let mut ok = self.empty(b, s);
                let mut all: Option<Value> = None;
                let i1 = b.ctx.i1();
                let zero = arith::constant_index(b, 0);
                let mut and = |b: &mut Builder, c: Value| {
                    all = Some(match all {
                        Some(a) => b.value::<arith::AndIOp>(&[a, c], i1, &[]),
                        None => c,
                    });
                };
                for e in good {
                    let v = self.constant(b, &e);
                    let c = CmpIOp::build(b, CmpIPredicate::Sge, v, zero);
                    and(b, c);
                }
                if u.between {
                    let first = self.extreme(s, x, false) - low;
                    let v = self.constant(b, &first.modulo(AffineExpr::constant(d.by)));
                    let c = CmpIOp::build(b, CmpIPredicate::Eq, v, zero);
                    and(b, c);
                }
                if let Some(all) = all {
                    ok = match ok {
                        Some(empty) => Some(b.value::<arith::OrIOp>(&[empty, all], i1, &[])),
                        None => Some(all),
                    };
                }
                if let Some(ok) = ok {
                    let before = b.loc;
                    b.loc = self.place(b.ctx, e.span.start);
                    let m = format!(
                        "an index {} of the array {} is not there",
                        d.name.text, a.name.text
                    );
                    let op = self.assert(b, ok, &m);
                    let params = self.indices.len() as u32;
                    let (first, last) = (self.extreme(s, x, false), self.extreme(s, x, true));
                    let by = AffineExpr::constant(d.by);
                    let all = [first, last, d.low.expr(&none), d.high.expr(&none), by];
                    let all = all.map(|e| simplify_affine_expr(&e, 0, params));
                    let range = b.ctx.map_attr(AffineMap::new(0, params, all.to_vec()));
                    op.set_attr(b.ctx, TERRACE_RANGE, range);
                    b.loc = before;
                }
            }
        }
    }

    /// Whether a statement has no points; `None` where it has one.
    fn empty(&self, b: &mut Builder, s: &Statement) -> Option<Value> {
        let zero = arith::constant_index(b, 0);
        let i1 = b.ctx.i1();
        let mut any: Option<Value> = None;
        for axis in &s.axes {
            let count = self.constant(b, &axis.count());
            let none = CmpIOp::build(b, CmpIPredicate::Sle, count, zero);
            any = Some(match any {
                Some(so_far) => b.value::<arith::OrIOp>(&[so_far, none], i1, &[]),
                None => none,
            });
        }
        any
    }

    /// The least or greatest value of a form over all points: each axis is at one of its ends.
    fn extreme(&self, s: &Statement, form: &Form, greatest: bool) -> AffineExpr {
        form.expr(&|axis| {
            let a = &s.axes[axis];
            let rising = form.factor(Var::Axis(axis)) > 0;
            let last = if rising == greatest {
                a.count() - 1
            } else {
                AffineExpr::constant(0)
            };
            let none = |_| AffineExpr::constant(0);
            a.first.expr(&none) + last * a.step
        })
    }
}
