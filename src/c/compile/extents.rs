//! The function that tells which part of its arrays a region touches.

use crate::dialects::func::FuncOp;
use crate::ir::{Context, Op, OpKind};
use crate::order::extract;
use crate::passes::pipeline;
use crate::passes::region::Overwritten;
use crate::passes::region::extents::extents;
use crate::passes::region::notes::Reason;
use crate::shown::Passes;

/// What is known about an argument's extent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Extent {
    /// It is a number, or an array whose type has all sizes that matter.
    #[default]
    Known,
    /// The region's function of the extents gives it.
    Computed,
    /// It cannot be known.
    Unknown(Reason),
}

/// What [`of`] finds.
#[derive(Default)]
pub(super) struct RegionExtents {
    pub extents: Vec<Extent>,
    /// How many elements, of the outermost dimension, in words.
    pub words: Vec<Option<String>>,
    /// An access of which nothing tells whether it happens, where that is so of all.
    pub unsure: Vec<Option<String>>,
    /// Of which arrays the region may leave nothing.
    pub overwritten: Vec<Overwritten>,
    /// A module, and the name of the function in it.
    pub form: Option<(Op, String)>,
}

/// The extents of the arguments of `function` in `part`, and a module with the function
/// `NAME.extents` in a form that native code is made of, if there is anything to compute.
pub(super) fn of(ctx: &mut Context, part: Op, name: &str, passes: &Passes) -> RegionExtents {
    // Of a copy: the pipelines of the region's forms are for the region alone.
    let Some((copy, function)) = extract::alone(ctx, part, name) else {
        return RegionExtents::default();
    };
    let function = FuncOp::wrap(function);
    let mut all = vec![Extent::Known; function.inputs(ctx).len()];
    let mut words = vec![None; all.len()];
    let mut unsure = vec![None; all.len()];
    let found = extents(ctx, function);
    for a in &found.arrays {
        words[a.argument] = a.words.clone();
        unsure[a.argument] = a.unsure.clone();
        all[a.argument] = match &a.results {
            Ok(_) => Extent::Computed,
            Err(why) => Extent::Unknown(why.clone()),
        };
    }
    let of_extents = found
        .function
        .and_then(|f| f.symbol_name(ctx).map(str::to_string))
        .and_then(|n| extract::alone(ctx, copy, &n).map(|(m, _)| (m, n)));
    let Some((module, name)) = of_extents else {
        return RegionExtents {
            extents: all,
            words,
            unsure,
            overwritten: found.overwritten,
            form: None,
        };
    };
    let mut overwritten = found.overwritten;
    let (extents, form) = match passes.run(ctx, module, &pipeline::region_question()) {
        Ok(()) => (all, Some((module, name))),
        Err(why) => {
            let text = why.first().map_or("", |d| d.message.as_str()).to_string();
            overwritten.retain(|o| o.result.is_none());
            (without(all, &text), None)
        }
    };
    RegionExtents {
        extents,
        words,
        unsure,
        overwritten,
        form,
    }
}

/// Extents after the function that would compute them turned out not to be possible.
pub(super) fn without(mut all: Vec<Extent>, why: &str) -> Vec<Extent> {
    for e in &mut all {
        if *e == Extent::Computed {
            *e = Extent::Unknown(Reason {
                text: format!("its extent has no code: {why}"),
                ..Reason::default()
            });
        }
    }
    all
}
