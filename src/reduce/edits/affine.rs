//! Affine maps and integer sets.

use super::numbers::smaller;
use super::{Pick, backwards, operands};
use crate::dialects::affine;
use crate::ir::affine::{AffineExpr, AffineMap, AffineOp, Constraint, IntegerSet};
use crate::ir::{AttrData, Context, Op};

/// A map or a set, as expressions over inputs.
#[derive(Clone)]
struct Form {
    dims: u32,
    symbols: u32,
    exprs: Vec<AffineExpr>,
    /// Of a set: which of them are equations.
    equations: Option<Vec<bool>>,
}

impl Form {
    fn of(data: &AttrData) -> Option<Form> {
        match data {
            AttrData::AffineMap(m) => Some(Form {
                dims: m.num_dims(),
                symbols: m.num_symbols(),
                exprs: m.results().to_vec(),
                equations: None,
            }),
            AttrData::IntegerSet(s) => Some(Form {
                dims: s.num_dims(),
                symbols: s.num_symbols(),
                exprs: s.constraints().iter().map(|c| c.expr.clone()).collect(),
                equations: Some(s.constraints().iter().map(|c| c.is_eq).collect()),
            }),
            _ => None,
        }
    }

    fn data(self) -> AttrData {
        match self.equations {
            None => AttrData::AffineMap(AffineMap::new(self.dims, self.symbols, self.exprs)),
            Some(equations) => {
                let all = self.exprs.into_iter().zip(equations);
                let all = all.map(|(expr, is_eq)| Constraint { expr, is_eq });
                AttrData::IntegerSet(IntegerSet::new(self.dims, self.symbols, all.collect()))
            }
        }
    }

    fn remove(&mut self, i: usize) {
        self.exprs.remove(i);
        if let Some(e) = &mut self.equations {
            e.remove(i);
        }
    }

    /// The first input, dimensions before symbols, that nothing mentions.
    fn unused(&self) -> Option<u32> {
        let unused_dim = |d: &u32| !self.exprs.iter().any(|e| e.is_function_of_dim(*d));
        let unused_symbol = |s: &u32| !self.exprs.iter().any(|e| e.is_function_of_symbol(*s));
        (0..self.dims)
            .find(unused_dim)
            .or_else(|| Some(self.dims + (0..self.symbols).find(unused_symbol)?))
    }

    fn remove_input(&mut self, input: u32) {
        let shifted = |count: u32, gone: Option<u32>, make: fn(u32) -> AffineExpr| {
            let at = move |i: u32| {
                if gone.is_some_and(|g| i > g) {
                    i - 1
                } else {
                    i
                }
            };
            (0..count).map(move |i| make(at(i))).collect::<Vec<_>>()
        };
        let dim = Some(input).filter(|i| *i < self.dims);
        let symbol = input.checked_sub(self.dims);
        let dims = shifted(self.dims, dim, AffineExpr::dim);
        let symbols = shifted(self.symbols, symbol, AffineExpr::symbol);
        for e in &mut self.exprs {
            *e = e.replace_dims_and_symbols(&dims, &symbols);
        }
        match dim {
            Some(_) => self.dims -= 1,
            None => self.symbols -= 1,
        }
    }
}

/// Results of maps and constraints of sets: without them, or simpler.
pub fn simplify(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for_each(ctx, module, |ctx, op, name, mut form| {
        let mut changed = false;
        for i in (0..form.exprs.len()).rev() {
            let may_go = form.equations.is_some() || form.exprs.len() > 1;
            if may_go && pick.wants() {
                form.remove(i);
                changed = true;
                continue;
            }
            for simpler in simpler(&form.exprs[i]) {
                if pick.wants() {
                    form.exprs[i] = simpler;
                    changed = true;
                    break;
                }
            }
        }
        if changed {
            set(ctx, op, name, form);
        }
    });
}

/// Inputs that nothing mentions, with their operands.
pub fn remove_inputs(ctx: &mut Context, module: Op, pick: &mut Pick) {
    for_each(ctx, module, |ctx, op, name, form| {
        if form.unused().is_some() && pick.wants() {
            set(ctx, op, name, form);
        }
    });
}

fn for_each(ctx: &mut Context, module: Op, mut f: impl FnMut(&mut Context, Op, &str, Form)) {
    for op in backwards(ctx, module) {
        for (name, attr) in op.attrs(ctx) {
            if let Some(form) = Form::of(attr.data(ctx)) {
                let name = ctx.str(name).to_string();
                f(ctx, op, &name, form);
            }
        }
    }
}

/// Puts a map or set in place of another, without the inputs that it does not mention
/// where it is known which operands these are.
fn set(ctx: &mut Context, op: Op, name: &str, mut form: Form) {
    if let Some(first) = first_operand(ctx, op, name) {
        while let Some(input) = form.unused() {
            form.remove_input(input);
            operands::erase(ctx, op, first + input as usize);
        }
    }
    let attr = ctx.attr(form.data());
    op.set_attr(ctx, name, attr);
}

/// Where the operands begin that are the inputs of the map or set with this name.
fn first_operand(ctx: &Context, op: Op, name: &str) -> Option<usize> {
    let def = op.def(ctx)?;
    if def.name == affine::ParallelOp::NAME && name == "upperBoundsMap" {
        let lower = op.attr(ctx, "lowerBoundsMap")?;
        return Some(lower.as_map(ctx)?.num_inputs());
    }
    let group = match (def.name, name) {
        (affine::ParallelOp::NAME, "lowerBoundsMap") | (affine::ApplyOp::NAME, "map") => {
            "mapOperands"
        }
        (affine::MinOp::NAME | affine::MaxOp::NAME, "map") | (affine::IfOp::NAME, "condition") => {
            "operands"
        }
        (affine::ForOp::NAME, "lowerBoundMap") => "lowerBoundOperands",
        (affine::ForOp::NAME, "upperBoundMap") => "upperBoundOperands",
        (
            affine::LoadOp::NAME
            | affine::StoreOp::NAME
            | affine::VectorLoadOp::NAME
            | affine::VectorStoreOp::NAME
            | affine::PrefetchOp::NAME,
            "map",
        ) => "indices",
        _ => return None,
    };
    let i = def.operands.iter().position(|o| o.name == group)?;
    Some(def.operand_range(ctx, op, i)?.start)
}

/// Expressions that are simpler than `e`, the simplest first.
fn simpler(e: &AffineExpr) -> Vec<AffineExpr> {
    match e {
        AffineExpr::Constant(c) => smaller(*c).map(AffineExpr::Constant).collect(),
        AffineExpr::Dim(_) | AffineExpr::Symbol(_) => vec![AffineExpr::Constant(0)],
        AffineExpr::Binary(b) => {
            let mut all = vec![AffineExpr::Constant(0), b.lhs().clone(), b.rhs().clone()];
            let divides = !matches!(b.op(), AffineOp::Add | AffineOp::Mul);
            for (inner, is_left) in [(b.lhs(), true), (b.rhs(), false)] {
                for s in simpler(inner) {
                    // What divides must be positive.
                    if divides && !is_left && matches!(s, AffineExpr::Constant(c) if c < 1) {
                        continue;
                    }
                    let (l, r) = match is_left {
                        true => (s, b.rhs().clone()),
                        false => (b.lhs().clone(), s),
                    };
                    all.extend(AffineExpr::try_binary(b.op(), l, r).ok());
                }
            }
            all.retain(|s| s != e);
            all
        }
    }
}
