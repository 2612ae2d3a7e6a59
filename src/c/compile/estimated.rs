//! What a region that was found costs, and whether such a region can be taken at all.

use super::extents::{self, Extent};
use crate::dialects::attributes::ACC_LOOP;
use crate::dialects::func::FuncOp;
use crate::dialects::{func, gpu};
use crate::ir::{Context, Op, OpKind};
use crate::order::extract;
use crate::passes::pipeline;
use crate::passes::region::construct_of;
use crate::passes::region::estimate::{
    GpuModel, Work, common_core, declines, estimate, pays, times,
};
use crate::passes::region::notes::{Construct, Reason, RegionNotes};
use crate::passes::region::parallelize::{Options, parallelize};
use crate::passes::transform::jam_chains;
use crate::shown::Passes;

/// What is known of the work of a region. The function of its estimate tells it while
/// the program runs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Estimated {
    /// There is no such function.
    #[default]
    Never,
    /// Always this much work.
    Known(Work),
    /// It depends on the arguments; this much where they are 1000.
    Computed(Work),
}

impl Estimated {
    /// What `terrace_pays` is told of a region that was found: 0 where it does not pay, 2
    /// where it has to ask.
    pub fn known(&self) -> u32 {
        match self {
            Estimated::Never => 0,
            Estimated::Known(w) if !pays(w, &GpuModel::default(), &common_core(), true) => 0,
            Estimated::Known(_) | Estimated::Computed(_) => 2,
        }
    }

    /// When a region that a directive asks for stays on the host all the same, and why;
    /// `None` where it does not.
    pub fn stays(&self, one_thread: bool) -> Option<String> {
        let (Estimated::Known(w) | Estimated::Computed(w)) = self else {
            return None;
        };
        let (gpu, cpu) = (GpuModel::default(), common_core());
        if !declines(w, &gpu, &cpu) {
            return None;
        }
        let t = times(w, &gpu, &cpu);
        let sizes = match self {
            Estimated::Computed(_) => " with sizes of 1000",
            _ => "",
        };
        let why = match one_thread {
            true => "one thread would do all of the work, ",
            false => "",
        };
        Some(format!(
            "{why}estimated {} against {}{sizes}",
            time(t.gpu),
            time(t.cpu)
        ))
    }
}

/// "it would take about 3 us on the CPU and 45 us on the GPU with its copies".
pub fn would_take(w: &Work) -> String {
    let t = times(w, &GpuModel::default(), &common_core());
    format!(
        "it would take about {} on the CPU and {} on the GPU with its copies",
        time(t.cpu),
        time(t.gpu)
    )
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.1} us", s * 1e6),
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s => format!("{s:.0} s"),
    }
}

/// Whether a region that a directive asks for may stay on the host where the device is
/// much slower: the choice is left to the compiler, and nothing is said of its loops.
pub(super) fn may_stay(ctx: &Context, function: Op) -> bool {
    if !matches!(
        construct_of(ctx, function),
        Construct::Auto | Construct::Kernels
    ) {
        return false;
    }
    let mut directed = false;
    function.walk(ctx, &mut |op| directed |= op.attr(ctx, ACC_LOOP).is_some());
    !directed
}

/// The work of the region `name` in `part`, whose loops are parallel, and a module with
/// the function of the estimate where there is one. `written` is the region as the host
/// runs it.
pub(super) fn of(
    ctx: &mut Context,
    part: Op,
    name: &str,
    written: Op,
    passes: &Passes,
) -> (Estimated, Option<(Op, String)>) {
    // Of a copy, as for the extents.
    let Some((copy, function)) = extract::alone(ctx, part, name) else {
        return (Estimated::Never, None);
    };
    let Some(e) = estimate(ctx, FuncOp::wrap(function), FuncOp::wrap(written)) else {
        return (Estimated::Never, None);
    };
    let estimated = match e.known {
        Some(w) => Estimated::Known(w),
        None => Estimated::Computed(e.typical),
    };
    let name = e.function.symbol_name(ctx).unwrap_or_default().to_string();
    let Some((module, _)) = extract::alone(ctx, copy, &name) else {
        return (Estimated::Never, None);
    };
    match passes.run(ctx, module, &pipeline::region_question()) {
        Ok(()) => (estimated, Some((module, name))),
        Err(_) => (Estimated::Never, None),
    }
}

/// Whether the function `name` in `module` can be a region that nobody asked for: some
/// loop is parallel, nothing is called, and it is known which part of each array is
/// touched. Only arrays that are not `whole`, by argument, are looked at.
///
/// # Errors
///
/// What is known about its loops, and why it cannot.
pub fn fits(
    ctx: &mut Context,
    module: Op,
    name: &str,
    whole: &[bool],
    reassociate: bool,
) -> Result<(), Box<RegionNotes>> {
    let declined = |notes: RegionNotes, why: Reason| {
        let declined = Some(why);
        Err(Box::new(RegionNotes { declined, ..notes }))
    };
    let nothing = |text: &str| {
        let reason = Reason {
            text: text.to_string(),
            ..Reason::default()
        };
        declined(RegionNotes::default(), reason)
    };
    let Some((part, function)) = extract::alone(ctx, module, name) else {
        return nothing("a fault of terrace's own: there is no function of it");
    };
    // A trial: if it fits, the same passes run again and are shown.
    let passes = Passes::default();
    if function.next(ctx).is_some() && passes.run(ctx, part, &pipeline::inline()).is_err() {
        ctx.take_diagnostics();
        return nothing("a fault of terrace's own: its calls cannot be inlined");
    }
    let mut calls = false;
    function.walk(ctx, &mut |op| calls |= op.name(ctx) == func::CallOp::NAME);
    if calls {
        return nothing("a fault of terrace's own: a call is left in it");
    }
    if passes.run(ctx, part, &pipeline::region_numbers()).is_err() {
        ctx.take_diagnostics();
        return nothing("a fault of terrace's own: its numbers cannot be read");
    }
    let all = extents::of(ctx, part, name, &passes).extents;
    for pipeline in [
        pipeline::region_subscripts(),
        pipeline::region_accumulators(reassociate),
    ] {
        if passes.run(ctx, part, &pipeline).is_err() {
            ctx.take_diagnostics();
            return nothing("a fault of terrace's own: its loops cannot be brought into form");
        }
    }
    let rules = Options {
        reassociate,
        ..Options::default()
    };
    let (notes, said) = parallelize(ctx, function, &rules);
    if let Some(d) = said.first() {
        let reason = Reason::new(d.loc.clone(), d.message.clone());
        return declined(notes, reason);
    }
    let scans = |ctx: &mut Context| has_scans(ctx, part, function, &passes, reassociate);
    if is_in_order(&notes) && jam_chains(ctx, function) == 0 && !scans(ctx) {
        let place = notes.place.clone();
        let text = "it has no loop whose iterations may run in any order";
        return declined(notes, Reason::new(place, text));
    }
    for (i, e) in all.iter().enumerate() {
        if let (Extent::Unknown(why), false) = (e, whole.get(i).copied().unwrap_or(false)) {
            let why = why.clone();
            return declined(notes, why);
        }
    }
    Ok(())
}

/// Whether no loop of a region may run in another order.
pub(super) fn is_in_order(notes: &RegionNotes) -> bool {
    notes.num_parallel() == 0 && notes.schedule.is_none()
}

/// Whether some loop of a trial is a scan, which blocks can make together.
pub(super) fn has_scans(
    ctx: &mut Context,
    part: Op,
    function: Op,
    passes: &Passes,
    reassociate: bool,
) -> bool {
    if passes
        .run(ctx, part, &pipeline::region_scans(reassociate))
        .is_err()
    {
        ctx.take_diagnostics();
        return false;
    }
    !function.find_all::<gpu::LaunchOp>(ctx).is_empty()
}
