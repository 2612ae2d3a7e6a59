//! Of which arrays a region leaves nothing of what was in the part that is copied: every
//! element of it is surely written, and none is read before.
//!
//! Such an array need not be copied to the device. Often that depends on numbers that
//! only the program knows: of `double E[NI][NJ]` the loops write the columns below `nj`.
//! So what is left is computed as a set over the parameters
//! ([`Dependences::survives`]), and the function of the extents gets a result that says
//! whether their values are outside of it.
//!
//! What is in the part that is copied is asked of the extents themselves, which may be
//! larger than what is touched: their two values are parameters of the set.

use terrace_dialects::arith::{
    self, AddIOp, AndIOp, CmpIOp, CmpIPredicate, MulIOp, OrIOp, SelectOp, SubIOp,
};
use terrace_dialects::func::FuncOp;
use terrace_dialects::memref::DimOp;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::{affine, memref, rows};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, Value};
use terrace_presburger::{Conjunct, Int, Relation};

use super::forms::Forms;
use crate::analysis::dependence::{Dependences, Options, Param, dependences};
use crate::analysis::memory::base;
use crate::analysis::source;

/// The most alternatives, and the most conditions of all of them, that are computed.
const MAX_PIECES: usize = 16;
const MAX_ROWS: usize = 96;

/// The longest text that is still easy to read, in bytes.
const MAX_BYTES: usize = 60;

/// One array of which a region may leave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overwritten {
    /// Which argument of the region function.
    pub argument: usize,
    /// Where the function of the extents says whether it does, 1 or 0; `None` where it
    /// always does.
    pub result: Option<usize>,
    /// What that depends on, in the names of the source; empty where it always does as
    /// far as accesses tell, `None` where it takes too many words.
    pub words: Option<String>,
}

/// The arrays among the arguments `args` of a region function of which that is worth a
/// question: the first access is a write.
pub(super) fn candidates(ctx: &Context, function: FuncOp, args: &[Value]) -> Vec<usize> {
    let mut seen: Vec<Value> = Vec::new();
    let mut out = Vec::new();
    for op in function.op().pre_order(ctx) {
        if op.isa::<DimOp>(ctx) {
            continue;
        }
        let touched = source::indices(ctx, op).map(|(m, _)| base(ctx, m));
        let touched: Vec<Value> = match touched {
            Some(m) => vec![m],
            None => op.operands(ctx),
        };
        for m in touched {
            if !m.ty(ctx).is_memref(ctx) || seen.contains(&m) {
                continue;
            }
            seen.push(m);
            let writes = matches!(op.name(ctx), affine::StoreOp::NAME | memref::StoreOp::NAME);
            let argument = args.iter().position(|a| *a == m);
            if let (true, Some(i)) = (writes, argument)
                && has_identity_layout(ctx, m.ty(ctx))
                && rows::distances(ctx, m.ty(ctx)).is_none()
                && m.ty(ctx).rank(ctx).is_some_and(|r| r > 0)
            {
                out.push(i);
            }
        }
    }
    out.sort_unstable();
    out
}

/// What the questions are asked of.
pub(super) fn accesses(ctx: &Context, function: Op) -> Dependences {
    let options = Options {
        scf_loops: true,
        distances: false,
        ..Options::default()
    };
    dependences(ctx, function, &options)
}

/// What is found about an array.
pub(super) struct OverwriteTest {
    /// Whether nothing is left, as an index of 1 or 0; `None` where that is always so.
    pub test: Option<Value>,
    pub words: Option<String>,
}

/// Whether the region leaves nothing of `array`: `hull` are the least outermost subscript
/// and the greatest plus one that are copied; all of it is where there are none. `to` are
/// the arguments of the function that is built. `None` where it leaves something, or that
/// is not known.
pub(super) fn of_array(
    forms: &mut Forms,
    all: &Dependences,
    array: Value,
    hull: Option<(Value, Value)>,
    args: &[Value],
    to: &[Value],
) -> Option<OverwriteTest> {
    let shape = array.ty(forms.ctx).shape(forms.ctx)?.to_vec();
    let params = &all.program.params;
    let n = params.len();
    let known = |size: &i64| Some(*size).filter(|size| *size != DYNAMIC);
    let inner: Vec<Option<i64>> = shape.iter().skip(1).map(known).collect();
    let more = inner.iter().filter(|size| size.is_none()).count();
    let left = plain(&all.survives(array, &inner)?).coalesce();
    let rows = all.rows(array, shape.len())?;
    let some = rows.project_out(n..n + 1).add_params(more);
    // What accesses alone say: with the extents as they are where nothing is too large.
    let usual = match hull {
        Some(_) => {
            let first = rows
                .lexmin()
                .ok()?
                .dims_to_params(&[n])
                .add_params(1 + more);
            let last = rows.lexmax().ok()?.add_params(1);
            let last = last.dims_to_params(&[n + 1]).add_params(more);
            left.intersect(&first).intersect(&last)
        }
        None => left.fix(n, &Int::ZERO).fix(n + 1, &Int::from(shape[0] - 1)),
    };
    let usual = usual.project_out(n..n + 2);
    let never = match hull {
        Some(_) => some.is_subset(&usual) != Ok(false),
        None => Relation::universe(usual.space()).is_subset(&usual) != Ok(false),
    };
    if never {
        return None;
    }
    let always = usual.is_empty() == Ok(true);
    if always && hull.is_none() {
        return Some(OverwriteTest {
            test: None,
            words: Some(String::new()),
        });
    }
    let names = |forms: &Forms, i: usize| name(forms.ctx, params.list().get(i)?);
    let words = match always {
        true => Some(String::new()),
        false => words(&usual.gist(&some).ok()?.coalesce(), |i| names(forms, i)),
    };
    let mut values: Vec<Option<Value>> = Vec::new();
    for p in params.list() {
        values.push(parameter(forms, p, &values, args, to));
    }
    let (first, last) = ends(forms, hull, shape[0]);
    values.extend([Some(first), Some(last)]);
    for k in (1..shape.len()).filter(|k| shape[*k] == DYNAMIC) {
        values.push(size(forms, array, k, args, to));
    }
    Some(OverwriteTest {
        test: Some(outside(forms, &left, &values)?),
        words,
    })
}

/// A set that holds this one, without quantified variables: a program could not look for
/// their values.
fn plain(set: &Relation) -> Relation {
    let space = set.space();
    let mut pieces = Vec::new();
    for old in set.pieces() {
        let mut new = Conjunct::universe(space);
        let free = |row: &&Vec<Int>| row[space.columns()..row.len() - 1].iter().all(Int::is_zero);
        let parts = |row: &Vec<Int>| (row[..space.columns()].to_vec(), row[row.len() - 1].clone());
        for row in old.equalities().iter().filter(free) {
            let (factors, constant) = parts(row);
            new.add_equality(&factors, constant);
        }
        for row in old.inequalities().iter().filter(free) {
            let (factors, constant) = parts(row);
            new.add_inequality(&factors, constant);
        }
        pieces.push(new);
    }
    Relation::from_pieces(space, pieces)
}

/// The first and the last outermost subscript that is copied.
fn ends(forms: &mut Forms, hull: Option<(Value, Value)>, size: i64) -> (Value, Value) {
    let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
    let Some((low, end)) = hull else {
        let first = arith::constant_index(&mut b, 0);
        return (first, arith::constant_index(&mut b, size - 1));
    };
    let one = arith::constant_index(&mut b, 1);
    let index = b.ctx.index();
    (low, b.value::<SubIOp>(&[end, one], index, &[]))
}

/// A parameter's value in the function that is built.
fn parameter(
    forms: &mut Forms,
    param: &Param,
    before: &[Option<Value>],
    args: &[Value],
    to: &[Value],
) -> Option<Value> {
    match param {
        Param::Value(v) => forms.parameter(*v),
        // The outermost size of an array is not known before the array is on the device.
        Param::Size(_, 0) | Param::Quotient(..) => None,
        Param::Size(m, k) => size(forms, *m, *k as usize, args, to),
        Param::Product(factors) => {
            let factors = factors.iter().map(|v| before.get(*v as usize).copied()?);
            let factors: Vec<Value> = factors.collect::<Option<_>>()?;
            let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
            let index = b.ctx.index();
            let product = |a, f| b.value::<MulIOp>(&[a, f], index, &[]);
            factors.into_iter().reduce(product)
        }
    }
}

/// The size of an inner dimension of an argument.
fn size(forms: &mut Forms, m: Value, k: usize, args: &[Value], to: &[Value]) -> Option<Value> {
    let of = to[args.iter().position(|a| *a == m)?];
    let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
    let k = arith::constant_index(&mut b, i64::try_from(k).ok()?);
    Some(DimOp::build(&mut b, of, k))
}

/// The index 1 where the parameters are in no piece of the set, else 0. Conditions on
/// what has no value here are left out, which makes the set larger.
fn outside(forms: &mut Forms, set: &Relation, values: &[Option<Value>]) -> Option<Value> {
    let rows = |c: &Conjunct| c.equalities().len() + c.inequalities().len();
    let pieces = set.pieces();
    if pieces.len() > MAX_PIECES || pieces.iter().map(rows).sum::<usize>() > MAX_ROWS {
        return None;
    }
    let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
    let index = b.ctx.index();
    let bit = b.ctx.int(1);
    let zero = arith::constant_index(&mut b, 0);
    let one = arith::constant_index(&mut b, 1);
    let mut inside = CmpIOp::build(&mut b, CmpIPredicate::Ne, zero, zero);
    for piece in pieces {
        let mut holds = CmpIOp::build(&mut b, CmpIPredicate::Eq, zero, zero);
        let equal = piece.equalities().iter().map(|r| (CmpIPredicate::Eq, r));
        let above = piece.inequalities().iter().map(|r| (CmpIPredicate::Sge, r));
        for (predicate, row) in equal.chain(above) {
            let Some(form) = form(&mut b, row, values) else {
                continue;
            };
            let is = CmpIOp::build(&mut b, predicate, form, zero);
            holds = b.value::<AndIOp>(&[holds, is], bit, &[]);
        }
        inside = b.value::<OrIOp>(&[inside, holds], bit, &[]);
    }
    Some(b.value::<SelectOp>(&[inside, zero, one], index, &[]))
}

/// A linear form, without multiplications where none is needed.
fn form(b: &mut Builder, row: &[Int], values: &[Option<Value>]) -> Option<Value> {
    let (constant, factors) = row.split_last()?;
    let index = b.ctx.index();
    let mut sum = arith::constant_index(b, constant.to_i64()?);
    for (i, factor) in factors.iter().enumerate() {
        if factor.is_zero() {
            continue;
        }
        let v = values.get(i).copied().flatten()?;
        let c = arith::constant_index(b, factor.to_i64()?);
        let term = b.value::<MulIOp>(&[v, c], index, &[]);
        sum = b.value::<AddIOp>(&[sum, term], index, &[]);
    }
    Some(sum)
}

fn name(ctx: &Context, param: &Param) -> Option<String> {
    match param {
        Param::Value(v) => Some(source::value(ctx, *v)).filter(|t| t != "..."),
        _ => None,
    }
}

/// Where a set does not hold, in words: of each alternative the one condition that keeps
/// from it.
fn words(set: &Relation, name: impl Fn(usize) -> Option<String>) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for piece in set.pieces() {
        let ([], [row], 0) = (piece.equalities(), piece.inequalities(), piece.locals()) else {
            return None;
        };
        let (constant, factors) = row.split_last()?;
        // Not (sum + constant >= 0): -sum >= constant + 1.
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (i, factor) in factors.iter().enumerate().filter(|(_, f)| !f.is_zero()) {
            let term = match factor.abs().to_i64()? {
                1 => name(i)?,
                c => format!("{c} * {}", name(i)?),
            };
            match factor.is_negative() {
                true => left.push(term),
                false => right.push(term),
            }
        }
        let least = constant.to_i64()?.checked_add(1)?;
        let side = |terms: &[String]| terms.join(" + ");
        let text = match (left.is_empty(), right.is_empty()) {
            (true, true) => return None,
            (false, true) => format!("{} >= {least}", side(&left)),
            (true, false) => format!("{} <= {}", side(&right), least.checked_neg()?),
            (false, false) => match least {
                0 => format!("{} >= {}", side(&left), side(&right)),
                1.. => format!("{} >= {} + {least}", side(&left), side(&right)),
                _ => format!(
                    "{} + {} >= {}",
                    side(&left),
                    least.checked_neg()?,
                    side(&right)
                ),
            },
        };
        if !all.contains(&text) {
            all.push(text);
        }
    }
    let text = all.join(" and ");
    (!text.is_empty() && text.len() <= MAX_BYTES).then_some(text)
}
