//! Which part of each array behind a pointer a region touches, as a function of the
//! region's arguments.
//!
//! `@NAME.extents` takes what `@NAME` takes, looks at no element, and returns two
//! indices for each array whose outermost size is unknown and whose extent can be
//! computed: the least outermost subscript that an access may have, and the greatest
//! plus one. Where the second is not the greater nothing is touched. What accesses do in
//! iterations that do not happen is left out as far as the bounds of loops and simple
//! conditions tell; the extents are never too small. Behind those of all arrays it returns as
//! many indices again: which subscripts an access surely has, or are in the same array because
//! of that (`sure.rs`). Where they hold the extents no byte of these is another array's.
//! Of an array with tables of rows it returns as much for each dimension that has a table, and for
//! the one behind, which is that of the rows.
//! Behind them it returns for some arrays whether the region leaves nothing of what was there
//! (`overwrites.rs`).

use terrace_dialects::arith::{self, AddIOp, CmpIOp, CmpIPredicate, MaxSIOp, MinSIOp, SelectOp};
use terrace_dialects::attributes::ACC_REGION;
use terrace_dialects::builtin;
use terrace_dialects::func::{FuncOp, ReturnOp};
use terrace_dialects::memref::DimOp;
use terrace_dialects::rows;
use terrace_ir::diag::Diagnostic;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

use super::extent_words;
use super::forms::Forms;
use super::notes::Reason;
use super::overwrites::{self, Overwritten};
use super::range::{End, Variables};
use super::sure::{self, Sure};
use crate::analysis::memory::base;
use crate::analysis::poly::Poly;
use crate::analysis::source;

/// What no access reaches: a range that starts behind its end.
const NOTHING: (i64, i64) = (i64::MAX, i64::MIN);

/// One array of unknown outermost size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayExtent {
    /// Which argument of the region function.
    pub argument: usize,
    pub(crate) name: String,
    /// Where its first two results are among the results of the function of the extents, or
    /// why its extent cannot be known. What is sure stands as far behind them as there are
    /// results for all arrays.
    pub results: Result<usize, Reason>,
    /// An access of which it is not known whether it happens, in the names of the source,
    /// where that is so of all.
    pub unsure: Option<String>,
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
    let (mut results, mut sure) = (Vec::new(), Vec::new());
    for i in wanted {
        let tables = rows::distances(ctx, args[i].ty(ctx)).map_or(0, |d| d.len());
        let mut forms = Forms::new(ctx, InsertPoint::End(entry), loc, &args, &to);
        let found: Result<Vec<Bounds>, Reason> = (0..=tables)
            .map(|dim| of_array(&mut forms, function.op(), args[i], dim))
            .collect();
        let outermost = found.as_ref().ok().and_then(|all| all.first());
        out.arrays.push(ArrayExtent {
            argument: i,
            words: outermost.and_then(|f| f.words.clone()),
            unsure: outermost.and_then(|f| f.unsure.clone()),
            name: source::array(ctx, args[i]),
            results: found.map(|all| {
                let at = results.len();
                for f in all {
                    results.extend(f.touched);
                    sure.extend(f.sure);
                }
                at
            }),
        });
    }
    results.extend(sure);
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

/// A range of subscripts: the least, and the greatest.
#[derive(Clone, Copy)]
struct Range(Value, Value);

impl Range {
    fn constant(forms: &mut Forms, (low, high): (i64, i64)) -> Range {
        let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
        let low = arith::constant_index(&mut b, low);
        Range(low, arith::constant_index(&mut b, high))
    }

    /// The least range that holds both.
    fn and(self, forms: &mut Forms, other: Range) -> Range {
        forms.ranges(|r| {
            Range(
                r.further(self.0, other.0, End::Least),
                r.further(self.1, other.1, End::Greatest),
            )
        })
    }

    /// The least subscript, and the greatest plus one.
    fn with_end(self, forms: &mut Forms) -> [Value; 2] {
        let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
        let index = b.ctx.index();
        let one = arith::constant_index(&mut b, 1);
        [self.0, b.value::<AddIOp>(&[self.1, one], index, &[])]
    }
}

/// What is found of an array: least subscripts, and greatest plus one.
struct Bounds {
    touched: [Value; 2],
    sure: [Value; 2],
    unsure: Option<String>,
    words: Option<String>,
}

/// The subscripts into `array` along a dimension.
fn of_array(forms: &mut Forms, root: Op, array: Value, dim: usize) -> Result<Bounds, Reason> {
    let (mut touched, mut plain): (Option<Range>, Option<Range>) = (None, None);
    let mut sure = Range::constant(forms, NOTHING);
    let mut seen: Vec<(Block, Poly)> = Vec::new();
    let (mut unsure, mut any_sure) = (None, false);
    for op in array.users(forms.ctx) {
        if op.isa::<DimOp>(forms.ctx) {
            continue;
        }
        let base = source::indices(forms.ctx, op).map(|(m, _)| base(forms.ctx, m));
        if base != Some(array) {
            let name = source::array(forms.ctx, array);
            let place = forms.ctx.diag_loc(op.loc(forms.ctx));
            let text = format!("{name} goes to '{}' as a whole", op.name(forms.ctx));
            return Err(Reason::new(place, text));
        }
        let found = of_access(forms, root, (op, dim), &mut seen).map_err(|r| {
            let element = source::element(forms.ctx, op);
            let element = element.unwrap_or_else(|| source::array(forms.ctx, array));
            Reason::new(
                r.place,
                format!("which part of it {element} reaches: {}", r.text),
            )
        })?;
        let Some(found) = found else { continue };
        touched = Some(match touched {
            None => found.touched,
            Some(t) => t.and(forms, found.touched),
        });
        plain = Some(match plain {
            None => found.plain,
            Some(t) => t.and(forms, found.plain),
        });
        any_sure |= !found.sure.is_empty();
        unsure = unsure.or_else(|| source::element(forms.ctx, op));
        for s in found.sure {
            let none = Range::constant(forms, NOTHING);
            let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
            let index = b.ctx.index();
            let mut choose =
                |none| b.value::<SelectOp>(&[s.happens, s.subscript, none], index, &[]);
            let one = Range(choose(none.0), choose(none.1));
            sure = sure.and(forms, one);
        }
    }
    let none = Range::constant(forms, NOTHING);
    let touched = touched.unwrap_or(none).with_end(forms);
    let plain = plain.unwrap_or(none).with_end(forms);
    let words = extent_words::count(forms.ctx, plain[0], plain[1]);
    let sure = with_pointer(forms, sure).with_end(forms);
    Ok(Bounds {
        touched,
        sure,
        unsure: unsure.filter(|_| !any_sure),
        words,
    })
}

/// What is in the array besides the elements between those that are touched: by C's rules of
/// pointers, all from where the pointer points to a subscript that is not below 0, and what is
/// between a subscript below 0 and there.
fn with_pointer(forms: &mut Forms, sure: Range) -> Range {
    let mut b = Builder::new(forms.ctx, forms.at, forms.loc);
    let index = b.ctx.index();
    let zero = arith::constant_index(&mut b, 0);
    let before = arith::constant_index(&mut b, -1);
    let low = b.value::<MinSIOp>(&[sure.0, zero], index, &[]);
    let above = CmpIOp::build(&mut b, CmpIPredicate::Sge, sure.1, zero);
    let low = b.value::<SelectOp>(&[above, low, sure.0], index, &[]);
    let high = b.value::<MaxSIOp>(&[sure.1, before], index, &[]);
    let below = CmpIOp::build(&mut b, CmpIPredicate::Slt, sure.0, zero);
    let high = b.value::<SelectOp>(&[below, high, sure.1], index, &[]);
    Range(low, high)
}

/// What is found of an access.
struct OfAccess {
    touched: Range,
    /// The same as far as the loops alone tell, which is easier to say.
    plain: Range,
    sure: Vec<Sure>,
}

/// Of an access; `None` where another one in the same block has the same subscript.
fn of_access(
    forms: &mut Forms,
    root: Op,
    (op, dim): (Op, usize),
    seen: &mut Vec<(Block, Poly)>,
) -> Result<Option<OfAccess>, Reason> {
    let mut around = forms.around(root, op)?;
    let outside = around.nest.len();
    let p = forms.subscript(op, dim, &mut around)?;
    // What is no polynomial got a variable of its own.
    if around.nest.len() == outside
        && let Some(block) = op.block(forms.ctx)
    {
        let this = (block, p.clone());
        if seen.contains(&this) {
            return Ok(None);
        }
        seen.push(this);
    }
    let nest = around.nest.clone();
    forms.tighten(&mut around);
    let found = range(forms, &p, &nest).and_then(|plain| {
        let touched = match around.nest == nest {
            true => plain,
            false => range(forms, &p, &around.nest)?,
        };
        Some((touched, plain))
    });
    let Some((touched, plain)) = found else {
        let place = forms.ctx.diag_loc(op.loc(forms.ctx));
        return Err(Reason::new(
            place,
            "the bounds of a loop around it are not affine",
        ));
    };
    let natural = forms.ctx.constant_int(plain.0).is_some_and(|low| low >= 0);
    // From the pointer to an element that is surely there all is.
    let ends: &[End] = match natural {
        true => &[End::Greatest],
        false => &[End::Greatest, End::Least],
    };
    let sure = ends
        .iter()
        .filter_map(|end| sure::at_end(forms, root, op, &around, (&p, dim), *end))
        .collect();
    Ok(Some(OfAccess {
        touched,
        plain,
        sure,
    }))
}

/// The ends of a subscript over the iterations of a nest.
fn range(forms: &mut Forms, p: &Poly, nest: &Variables) -> Option<Range> {
    forms.ranges(|r| {
        let low = r.bound(p, nest, End::Least)?;
        let high = r.bound(p, nest, End::Greatest)?;
        let low = r.unless_empty(low, NOTHING.0, nest);
        Some(Range(low, r.unless_empty(high, NOTHING.1, nest)))
    })
}

/// `offload-extents`: the functions of the extents of all regions of a module.
pub(crate) static INFO: PassInfo = PassInfo {
    name: "offload-extents",
    title: "OffloadExtents",
    summary: "Build functions that compute which part of each array a region touches",
    description: "For each function with acc.region, @NAME.extents of the same arguments returns the least outermost subscript and the greatest plus one for each array whose outermost size is unknown; as many indices again say which subscripts are surely in the array; and, for arrays that the region may overwrite wholly before it reads them, 1 where it does and else 0. A remark says why where that cannot be known.",
    anchor: Some(builtin::ModuleOp::NAME),
    make: |_| Ok(Box::new(OffloadExtents)),
    ..PassInfo::EMPTY
};

struct OffloadExtents;

impl Pass for OffloadExtents {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        for f in op.find_all::<FuncOp>(ctx) {
            if f.op().attr(ctx, ACC_REGION).is_none() {
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
