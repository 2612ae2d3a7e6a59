//! Affine expressions over slots.

use super::code::Slot;
use super::error::{Fault, Run};
use super::value::Value;
use smallvec::SmallVec;
use terrace_ir::affine::{AffineExpr, AffineOp};

/// An expression, in the form that is evaluated fastest.
#[derive(Debug, Clone)]
pub(super) enum AffineCode {
    Slot(Slot),
    Constant(i64),
    /// `slot + constant`, the usual subscript of a stencil.
    Offset(Slot, i64),
    /// A sum of multiples.
    Linear(Box<[(Slot, i64)]>, i64),
    /// Anything else, with the slots of its dimensions and symbols.
    General(Box<General>),
}

/// An expression as it is, with what its inputs are.
#[derive(Debug, Clone)]
pub(super) struct General {
    expr: AffineExpr,
    dims: Box<[Slot]>,
    symbols: Box<[Slot]>,
}

impl AffineCode {
    pub fn new(e: &AffineExpr, dims: &[Slot], symbols: &[Slot]) -> AffineCode {
        let mut terms: Vec<(Slot, i64)> = Vec::new();
        let mut constant = 0i64;
        let simple =
            e.depth() <= 64 && linear(e, 1, dims, symbols, &mut terms, &mut constant).is_some();
        match (simple, &terms[..], constant) {
            (true, [], c) => AffineCode::Constant(c),
            (true, [(s, 1)], 0) => AffineCode::Slot(*s),
            (true, [(s, 1)], c) => AffineCode::Offset(*s, c),
            (true, ..) => AffineCode::Linear(terms.into(), constant),
            (false, ..) => AffineCode::General(Box::new(General {
                expr: e.clone(),
                dims: dims.into(),
                symbols: symbols.into(),
            })),
        }
    }

    #[inline]
    pub fn eval(&self, slots: &[Value]) -> Run<i64> {
        let index = |s: &Slot| match &slots[*s as usize] {
            Value::Index(i) => Ok(*i),
            v => v.i64(),
        };
        match self {
            AffineCode::Slot(s) => index(s),
            AffineCode::Constant(c) => Ok(*c),
            AffineCode::Offset(s, c) => index(s)?.checked_add(*c).ok_or_else(overflow),
            AffineCode::Linear(terms, c) => {
                let mut sum = *c;
                for (s, factor) in terms {
                    let term = index(s)?.checked_mul(*factor);
                    sum = term.and_then(|t| sum.checked_add(t)).ok_or_else(overflow)?;
                }
                Ok(sum)
            }
            AffineCode::General(g) => {
                let General {
                    expr: e,
                    dims,
                    symbols,
                } = &**g;
                let read = |v: &[Slot]| v.iter().map(index).collect::<Run<SmallVec<[i64; 8]>>>();
                e.eval(&read(dims)?, &read(symbols)?).ok_or_else(|| {
                    Fault::new(format!(
                        "'{e}' has no value here: it overflows, divides by zero, or takes a remainder by what is not positive"
                    ))
                })
            }
        }
    }
}

fn overflow() -> Fault {
    Fault::new("an affine expression overflows 64 bits")
}

/// Adds `e * factor` to the terms; `None` where `e` is not linear or does not fit.
fn linear(
    e: &AffineExpr,
    factor: i64,
    dims: &[Slot],
    symbols: &[Slot],
    terms: &mut Vec<(Slot, i64)>,
    constant: &mut i64,
) -> Option<()> {
    let mut term = |s: Option<&Slot>| {
        terms.push((*s?, factor));
        Some(())
    };
    match e {
        AffineExpr::Dim(d) => term(dims.get(*d as usize)),
        AffineExpr::Symbol(s) => term(symbols.get(*s as usize)),
        AffineExpr::Constant(c) => {
            *constant = c
                .checked_mul(factor)
                .and_then(|c| constant.checked_add(c))?;
            Some(())
        }
        AffineExpr::Binary(b) => match b.op() {
            AffineOp::Add => {
                linear(b.lhs(), factor, dims, symbols, terms, constant)?;
                linear(b.rhs(), factor, dims, symbols, terms, constant)
            }
            AffineOp::Mul => {
                let (e, c) = match (b.lhs().as_constant(), b.rhs().as_constant()) {
                    (_, Some(c)) => (b.lhs(), c),
                    (Some(c), _) => (b.rhs(), c),
                    _ => return None,
                };
                linear(e, factor.checked_mul(c)?, dims, symbols, terms, constant)
            }
            _ => None,
        },
    }
}
