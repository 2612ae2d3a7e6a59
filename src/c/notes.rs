//! What a reader is told of a file's regions.

use super::compile::{Estimated, would_take};
use super::plan::{Compiled, RegionPlan};
use crate::explain::line_of;
use crate::passes::region::notes::{ArrayNote, Reason, RegionNotes};
use terrace_c::directive::Target;
use terrace_c::hir::Unit;

/// The notes of all regions; `arrays` and `declined` are of those with a plan, in order.
pub fn of(
    unit: &Unit,
    compiled: &[Compiled],
    plans: &[RegionPlan],
    arrays: Vec<Vec<ArrayNote>>,
    declined: Vec<Option<Reason>>,
) -> Vec<RegionNotes> {
    let mut notes: Vec<RegionNotes> = compiled.iter().map(|c| of_region(unit, *c)).collect();
    let planned = notes
        .iter_mut()
        .filter(|n| plans.iter().any(|p| p.region.name == n.name));
    for ((n, arrays), declined) in planned.zip(arrays).zip(declined) {
        if n.target.is_none() || !n.kernels.is_empty() {
            n.arrays = arrays;
        }
        if n.declined.is_none() {
            n.declined = declined;
        }
    }
    notes
}

fn of_region(unit: &Unit, compiled: Compiled) -> RegionNotes {
    let Compiled {
        region,
        made,
        request,
    } = compiled;
    let mut n = made.notes.clone();
    if let Some((target, id)) = &request.target {
        let at = unit.source.loc(unit.directive(*id).span.start as usize);
        let asks = format!("the directive at line {} asks for it", line_of(&at));
        match target {
            Target::Host => n.declined = Some(Reason::new(at, asks)),
            Target::Cpu => {
                n.target = Some(format!(
                    "it runs on the host's cores, as terrace compiles it: {asks}"
                ));
            }
            Target::Gpu => n.target = Some(format!("it runs on a GPU if there is one: {asks}")),
            Target::Arch(arch) => {
                n.target = Some(format!(
                    "it runs on a GPU of architecture {arch} or newer if there is one: {asks}"
                ));
            }
        }
    }
    // Arrays that are objects, or behind restrict, are different without a look.
    let loose = |name: &String| {
        let named = region.captures.iter().filter(|c| c.text == *name);
        let mut arrays = named.filter_map(|c| c.array());
        arrays.any(|a| a.is_pointer && !a.restrict)
    };
    n.assumed_distinct.retain(|(a, b)| loose(a) || loose(b));
    n.name = made.function.clone();
    if let Some(why) = made.no_gpu.first().filter(|_| !made.gpu) {
        n.declined = Some(Reason::new(why.loc.clone(), why.message.clone()));
    }
    if let (Some(e), true, Some(_)) = (&made.estimate, made.gpu, region.directive) {
        let one_thread = n.kernels.iter().all(|k| k.block == [1; 3]);
        n.stays = e.stays(one_thread);
    }
    if let (Some(e), true, None) = (&made.estimate, made.gpu, region.directive)
        && e.known() == 0
    {
        let text = match e {
            Estimated::Known(w) => would_take(w),
            _ => "a fault of terrace's own: what it costs has no code".to_string(),
        };
        n.declined = Some(Reason::new(n.place.clone(), text));
    }
    n
}
