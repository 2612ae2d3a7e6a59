//! The formulas of one point.

use super::Lowering;
use crate::ast::{Binary, Compare, Logic};
use crate::model::{Condition, Function, Statement, Value as Formula};
use terrace_dialects::affine::ApplyOp;
use terrace_dialects::arith::{
    self, ATTR_FASTMATH, CmpFOp, CmpFPredicate, FASTMATH, SelectOp, fastmath,
};
use terrace_dialects::{func, math};
use terrace_ir::{Builder, OpKind, Value};

/// What may be done to formulas: they are equations of real numbers.
const ALGEBRA: i64 = fastmath::FAST & !fastmath::AFN;

/// The greatest exponent that becomes products.
const POWERS: i32 = 64;

impl Lowering<'_> {
    /// What each target becomes at a point. All of it is read before anything is written.
    pub(super) fn values(&mut self, b: &mut Builder, s: &Statement) -> Vec<Value> {
        self.temporaries.clear();
        for v in &s.with {
            let v = self.value(b, s, v);
            self.temporaries.push(v);
        }
        s.targets
            .iter()
            .map(|t| self.value(b, s, &t.value))
            .collect()
    }

    fn op<K: OpKind>(&self, b: &mut Builder, operands: &[Value]) -> Value {
        match self.grouped {
            true => b.value::<K>(operands, self.number, &[]),
            false => {
                let flags = FASTMATH.attr(b.ctx, ALGEBRA);
                b.value::<K>(operands, self.number, &[(ATTR_FASTMATH, flags)])
            }
        }
    }

    fn value(&mut self, b: &mut Builder, s: &Statement, f: &Formula) -> Value {
        match f {
            Formula::Number(n) => arith::constant_float(b, *n, self.number),
            Formula::Real(p) => self.reals[*p],
            Formula::Temporary(t) => self.temporaries[*t],
            Formula::Load(e) => self.load(b, s, e),
            Formula::Index(form) => {
                let (map, operands) = self.map(vec![self.expr(s, form)]);
                let index = ApplyOp::build(b, map, &operands);
                let wide = b.ctx.int(64);
                let whole = b.value::<arith::IndexCastOp>(&[index], wide, &[]);
                b.value::<arith::SIToFPOp>(&[whole], self.number, &[])
            }
            Formula::Negative(x) => {
                let x = self.value(b, s, x);
                self.op::<arith::NegFOp>(b, &[x])
            }
            Formula::Group(x) => {
                let before = std::mem::replace(&mut self.grouped, true);
                let x = self.value(b, s, x);
                self.grouped = before;
                x
            }
            Formula::Binary(Binary::Power, x, n) => self.power(b, s, x, n),
            Formula::Binary(op, x, y) => {
                let both = [self.value(b, s, x), self.value(b, s, y)];
                match op {
                    Binary::Add => self.op::<arith::AddFOp>(b, &both),
                    Binary::Sub => self.op::<arith::SubFOp>(b, &both),
                    Binary::Mul => self.op::<arith::MulFOp>(b, &both),
                    _ => self.op::<arith::DivFOp>(b, &both),
                }
            }
            Formula::Call(function, of) => {
                let of: Vec<Value> = of.iter().map(|x| self.value(b, s, x)).collect();
                self.call(b, *function, &of)
            }
            Formula::Extern(place, of) => {
                let of: Vec<Value> = of.iter().map(|x| self.value(b, s, x)).collect();
                let callee = b.ctx.symbol_attr(&self.model.externs[*place].0.text);
                b.value::<func::CallOp>(&of, self.number, &[("callee", callee)])
            }
            Formula::If(condition, both) => {
                let [yes, no] = both.as_ref();
                let c = self.condition(b, s, condition);
                // Both are computed: nothing in a formula stops a program.
                let (yes, no) = (self.value(b, s, yes), self.value(b, s, no));
                SelectOp::build(b, c, yes, no)
            }
            Formula::BySign(all) => {
                let [x, below, at, above] = all.as_ref();
                let x = self.value(b, s, x);
                let below = self.value(b, s, below);
                let at = self.value(b, s, at);
                let above = self.value(b, s, above);
                let zero = arith::constant_float(b, 0.0, self.number);
                let negative = CmpFOp::build(b, CmpFPredicate::Olt, x, zero);
                let positive = CmpFOp::build(b, CmpFPredicate::Ogt, x, zero);
                let other = SelectOp::build(b, positive, above, at);
                SelectOp::build(b, negative, below, other)
            }
        }
    }

    fn condition(&mut self, b: &mut Builder, s: &Statement, c: &Condition) -> Value {
        let i1 = b.ctx.i1();
        match c {
            Condition::Compare(compare, x, y) => {
                let (x, y) = (self.value(b, s, x), self.value(b, s, y));
                CmpFOp::build(b, predicate(*compare), x, y)
            }
            Condition::Logic(logic, x, y) => {
                let both = [self.condition(b, s, x), self.condition(b, s, y)];
                match logic {
                    Logic::And => b.value::<arith::AndIOp>(&both, i1, &[]),
                    Logic::Or => b.value::<arith::OrIOp>(&both, i1, &[]),
                }
            }
            Condition::Not(c) => {
                let c = self.condition(b, s, c);
                let holds = arith::constant_bool(b, true);
                b.value::<arith::XOrIOp>(&[c, holds], i1, &[])
            }
            Condition::Known(known) => arith::constant_bool(b, *known),
        }
    }

    /// A power: products where the exponent is a small whole number, a root where it is a half.
    fn power(&mut self, b: &mut Builder, s: &Statement, x: &Formula, n: &Formula) -> Value {
        let exponent = match n {
            Formula::Number(n) => Some(*n),
            Formula::Negative(n) => match n.as_ref() {
                Formula::Number(n) => Some(-*n),
                _ => None,
            },
            Formula::Binary(Binary::Div, a, c) => match (a.as_ref(), c.as_ref()) {
                (Formula::Number(a), Formula::Number(c)) => Some(a / c),
                _ => None,
            },
            _ => None,
        };
        let base = self.value(b, s, x);
        let one = |l: &Self, b: &mut Builder| arith::constant_float(b, 1.0, l.number);
        match exponent {
            Some(n) if n.fract() == 0.0 && n.abs() <= f64::from(POWERS) => {
                let n = n as i32;
                let mut whole: Option<Value> = None;
                for _ in 0..n.abs() {
                    whole = Some(match whole {
                        Some(so_far) => self.op::<arith::MulFOp>(b, &[so_far, base]),
                        None => base,
                    });
                }
                match whole {
                    None => one(self, b),
                    Some(whole) if n < 0 => {
                        let one = one(self, b);
                        self.op::<arith::DivFOp>(b, &[one, whole])
                    }
                    Some(whole) => whole,
                }
            }
            Some(0.5) => self.op::<math::SqrtOp>(b, &[base]),
            Some(-0.5) => {
                let root = self.op::<math::SqrtOp>(b, &[base]);
                let one = one(self, b);
                self.op::<arith::DivFOp>(b, &[one, root])
            }
            _ => {
                let n = self.value(b, s, n);
                self.op::<math::PowFOp>(b, &[base, n])
            }
        }
    }

    fn call(&self, b: &mut Builder, function: Function, of: &[Value]) -> Value {
        match function {
            Function::Sqrt => self.op::<math::SqrtOp>(b, of),
            Function::Exp => self.op::<math::ExpOp>(b, of),
            Function::Log => self.op::<math::LogOp>(b, of),
            Function::Sin => self.op::<math::SinOp>(b, of),
            Function::Cos => self.op::<math::CosOp>(b, of),
            Function::Tan => self.op::<math::TanOp>(b, of),
            Function::Asin => self.op::<math::AsinOp>(b, of),
            Function::Acos => self.op::<math::AcosOp>(b, of),
            Function::Floor => self.op::<math::FloorOp>(b, of),
            Function::Ceil => self.op::<math::CeilOp>(b, of),
            Function::Atan => self.op::<math::AtanOp>(b, of),
            Function::Sinh => self.op::<math::SinhOp>(b, of),
            Function::Cosh => self.op::<math::CoshOp>(b, of),
            Function::Tanh => self.op::<math::TanhOp>(b, of),
            Function::Abs => self.op::<math::AbsFOp>(b, of),
            Function::Min => self.op::<arith::MinNumFOp>(b, of),
            Function::Max => self.op::<arith::MaxNumFOp>(b, of),
            Function::Atan2 => self.op::<math::Atan2Op>(b, of),
        }
    }
}

fn predicate(c: Compare) -> CmpFPredicate {
    match c {
        Compare::Less => CmpFPredicate::Olt,
        Compare::LessEqual => CmpFPredicate::Ole,
        Compare::Greater => CmpFPredicate::Ogt,
        Compare::GreaterEqual => CmpFPredicate::Oge,
        Compare::Equal => CmpFPredicate::Oeq,
        Compare::NotEqual => CmpFPredicate::Une,
    }
}
