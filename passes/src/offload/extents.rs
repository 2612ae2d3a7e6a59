//! Which part of each array behind a pointer a region touches, as a function of the
//! region's arguments.
//!
//! `@NAME.extents` takes what `@NAME` takes, looks at no element, and returns two
//! indices for each array whose outermost size is unknown and whose extent can be
//! computed: the least outermost subscript that an access may have, and the greatest
//! plus one. Where the second is not the greater nothing is touched. What accesses do in
//! iterations that do not happen is left out as far as the bounds of loops and simple
//! conditions tell; the extents are never too small. Behind them it returns for some
//! arrays whether the region leaves nothing of what was there (`overwrites.rs`).

use terrace_dialects::arith::{self, AddIOp};
use terrace_dialects::func::{FuncOp, ReturnOp};
use terrace_dialects::memref::DimOp;
use terrace_ir::diag::Diagnostic;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Value};

use super::extent_words;
use super::forms::Forms;
use super::notes::Reason;
use super::overwrites::{self, Overwritten};
use super::range::End;
use super::source;
use crate::analysis::memory::base;

/// What no access reaches: a range that starts behind its end.
const NOTHING: (i64, i64) = (i64::MAX, i64::MIN);

/// One array of unknown outermost size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayExtent {
    /// Which argument of the region function.
    pub argument: usize,
    pub name: String,
    /// Where its two results are among the results of the function of the extents, or
    /// why its extent cannot be known.
    pub results: Result<usize, Reason>,
    /// How many of the outermost subscripts, from 0 on, are touched where the loops have
    /// iterations, in the names of the source; `None` where it takes too many words.
    pub words: Option<String>,
}

/// The extents of a region's arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extents {
    /// `@NAME.extents`; `None` where no array has an extent to compute.
    pub function: Option<Op>,
    /// In the order of the arguments.
    pub arrays: Vec<ArrayExtent>,
    /// Arrays of which the region may leave nothing, in the order of the arguments. What
    /// it takes to tell is among the results behind those of the extents.
    pub overwritten: Vec<Overwritten>,
}

/// Builds `@NAME.extents` after the region function `function`.
pub fn extents(ctx: &mut Context, function: FuncOp) -> Extents {
    let mut out = Extents {
        function: None,
        arrays: Vec::new(),
        overwritten: Vec::new(),
    };
    if function.is_declaration(ctx) {
        return out;
    }
    let args = function.entry(ctx).args(ctx);
    let unknown = |ctx: &Context, v: Value| {
        let shape = v.ty(ctx).shape(ctx);
        v.ty(ctx).is_memref(ctx) && shape.is_some_and(|s| s.first() == Some(&DYNAMIC))
    };
    let wanted: Vec<usize> = (0..args.len()).filter(|i| unknown(ctx, args[*i])).collect();
    let asked = overwrites::candidates(ctx, function, &args);
    if wanted.is_empty() && asked.is_empty() {
        return out;
    }
    let accesses = (!asked.is_empty()).then(|| overwrites::accesses(ctx, function.op()));
    let name = format!("{}.extents", function.name(ctx));
    let inputs = function.inputs(ctx).to_vec();
    let mut b = Builder::after(ctx, function.op());
    let (new, entry) = FuncOp::build(&mut b, &name, &inputs, &[]);
    keep_argument_attributes(ctx, function.op(), new.op());
    let to = entry.args(ctx);
    let loc = function.op().loc(ctx);
    let mut results = Vec::new();
    for i in wanted {
        let mut forms = Forms::new(ctx, InsertPoint::End(entry), loc, &args, &to);
        let found = of_array(&mut forms, function.op(), args[i]);
        let words = found
            .as_ref()
            .ok()
            .and_then(|f| extent_words::count(forms.ctx, f.0, f.1));
        out.arrays.push(ArrayExtent {
            argument: i,
            words,
            name: source::array(ctx, args[i]),
            results: found.map(|(low, end)| {
                results.extend([low, end]);
                results.len() - 2
            }),
        });
    }
    for i in asked {
        let hull = out.arrays.iter().find(|a| a.argument == i);
        let hull = match hull.map(|a| &a.results) {
            None => None,
            Some(Ok(at)) => Some((results[*at], results[*at + 1])),
            Some(Err(_)) => continue,
        };
        let mut forms = Forms::new(ctx, InsertPoint::End(entry), loc, &args, &to);
        let all = accesses.as_ref();
        let found =
            all.and_then(|a| overwrites::of_array(&mut forms, a, args[i], hull, &args, &to));
        let Some(found) = found else { continue };
        results.extend(found.test);
        out.overwritten.push(Overwritten {
            argument: i,
            result: found.test.map(|_| results.len() - 1),
            words: found.words,
        });
    }
    if results.is_empty() {
        new.op().erase(ctx);
        return out;
    }
    let mut b = Builder::at_end(ctx, entry, loc);
    ReturnOp::build(&mut b, &results);
    let types = vec![ctx.index(); results.len()];
    let ty = ctx.function_type(&inputs, &types);
    let ty = ctx.type_attr(ty);
    new.op().set_attr(ctx, "function_type", ty);
    out.function = Some(new.op());
    out
}

/// What a function beside a region calls its arguments.
pub(super) fn keep_argument_attributes(ctx: &Context, from: Op, to: Op) {
    if let Some(list) = from.attr(ctx, "arg_attrs") {
        to.set_attr(ctx, "arg_attrs", list);
    }
}

/// The least and the greatest plus one of the outermost subscripts into `array`.
fn of_array(forms: &mut Forms, root: Op, array: Value) -> Result<(Value, Value), Reason> {
    let mut sum: Option<(Value, Value)> = None;
    for op in array.users(forms.ctx) {
        if op.isa::<DimOp>(forms.ctx) {
            continue;
        }
        let touched = source::indices(forms.ctx, op).map(|(m, _)| base(forms.ctx, m));
        if touched != Some(array) {
            let name = source::array(forms.ctx, array);
            let place = forms.ctx.diag_loc(op.loc(forms.ctx));
            let text = format!("{name} goes to '{}' as a whole", op.name(forms.ctx));
            return Err(Reason::new(place, text));
        }
        let (low, high) = of_access(forms, root, op).map_err(|r| {
            let element = source::element(forms.ctx, op);
            let element = element.unwrap_or_else(|| source::array(forms.ctx, array));
            Reason::new(
                r.place,
                format!("which part of it {element} reaches: {}", r.text),
            )
        })?;
        sum = Some(match sum {
            None => (low, high),
            Some((l, h)) => forms.ranges(|r| {
                (
                    r.further(l, low, End::Least),
                    r.further(h, high, End::Greatest),
                )
            }),
        });
    }
    let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
    let (low, high) = match sum {
        Some(s) => s,
        None => (
            arith::constant_index(&mut b, NOTHING.0),
            arith::constant_index(&mut b, NOTHING.1),
        ),
    };
    let index = b.ctx.index();
    let one = arith::constant_index(&mut b, 1);
    let end = b.value::<AddIOp>(&[high, one], index, &[]);
    Ok((low, end))
}

fn of_access(forms: &mut Forms, root: Op, op: Op) -> Result<(Value, Value), Reason> {
    let mut around = forms.around(root, op)?;
    let p = forms.first_subscript(op, &mut around)?;
    let nest = around.nest;
    let found = forms.ranges(|r| {
        let low = r.bound(&p, &nest, End::Least)?;
        let high = r.bound(&p, &nest, End::Greatest)?;
        let low = r.unless_empty(low, NOTHING.0, &nest);
        Some((low, r.unless_empty(high, NOTHING.1, &nest)))
    });
    found.ok_or_else(|| {
        let place = forms.ctx.diag_loc(op.loc(forms.ctx));
        Reason::new(place, "the bounds of a loop around it are not affine")
    })
}

/// `offload-extents`: the functions of the extents of all regions of a module.
pub static INFO: PassInfo = PassInfo {
    name: "offload-extents",
    title: "OffloadExtents",
    summary: "Build functions that compute which part of each array a region touches",
    description: "For each function with acc.region, @NAME.extents of the same arguments returns the least outermost subscript and the greatest plus one for each array whose outermost size is unknown, and, for arrays that the region may overwrite wholly before it reads them, 1 where it does and else 0. A remark says why where that cannot be known.",
    anchor: Some("builtin.module"),
    make: |_| Ok(Box::new(OffloadExtents)),
    ..PassInfo::EMPTY
};

struct OffloadExtents;

impl Pass for OffloadExtents {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        for f in op.find_all::<FuncOp>(ctx) {
            if f.op().attr(ctx, "acc.region").is_none() {
                continue;
            }
            for a in extents(ctx.ctx, f).arrays {
                if let Err(r) = a.results {
                    let text = format!("the extent of {} is not known: {}", a.name, r.text);
                    ctx.emit(Diagnostic::remark(r.place, text));
                }
            }
        }
        Ok(())
    }
}
