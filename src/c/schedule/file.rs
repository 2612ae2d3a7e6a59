//! Schedules in files of their own.

use super::{Applied, ScheduleInput};
use crate::dialects::schedule::SequenceOp;
use crate::ir::diag::{DiagLoc, Diagnostic, Severity};
use crate::ir::text::parser::{Source, parse};
use crate::ir::verify::verify;
use crate::ir::{Context, Op};
use crate::passes::region::notes::Reason;
use crate::passes::schedule::apply::{self as engine, Options};
use std::path::Path;

/// Does the schedules of a file that are for this region.
///
/// # Errors
///
/// What is wrong with the file, with its places, and the first step that cannot be
/// done.
pub fn apply(
    ctx: &mut Context,
    function: Op,
    input: &ScheduleInput,
    name: &str,
    applied: &mut Applied,
) -> Result<(), Vec<Diagnostic>> {
    let path = beside(&input.spot.at, name);
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) => {
            let m = format!("the schedule '{path}' cannot be read: {e}");
            return Err(vec![input.spot.error(m)]);
        }
    };
    let earlier = ctx.take_diagnostics();
    let holder = parse(ctx, &Source::new(&path, &text));
    let mut none = None;
    let mut steps = 0;
    let fine = holder.is_some_and(|h| {
        let fine = verify(ctx, h) && {
            let all = h.find_all::<SequenceOp>(ctx);
            let (mine, others): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|s| is_for(ctx, *s, function));
            if mine.is_empty() {
                none = Some(nothing_for(ctx, function, &path, &others));
            }
            mine.into_iter().all(|s| {
                let done = engine::apply(ctx, s, function, &Options::default());
                steps += done.map_or(0, |d| d.steps);
                done.is_ok()
            })
        };
        h.erase(ctx);
        fine
    });
    let mut said = ctx.take_diagnostics();
    ctx.restore_diagnostics(earlier);
    if let Some(m) = none {
        return Err(vec![input.spot.error(m)]);
    }
    if !fine {
        said.retain(|d| d.severity == Severity::Error);
        for d in &mut said {
            let m = "the schedule is asked for here".to_string();
            d.notes.push((input.spot.at.clone(), m));
        }
        return Err(said);
    }
    let text = format!("{steps} steps of the schedule in '{path}' were done");
    applied
        .steps
        .push(Reason::new(ctx.diag_loc(function.loc(ctx)), text));
    Ok(())
}

/// A file's name as seen from here, where it is given as seen from another file.
fn beside(at: &DiagLoc, name: &str) -> String {
    let folder = match at {
        DiagLoc::Pos { file, .. } => Path::new(&**file).parent(),
        _ => None,
    };
    let path = folder.map_or_else(|| Path::new(name).to_path_buf(), |f| f.join(name));
    path.to_string_lossy().into_owned()
}

/// Whether a schedule is for a region: it names no function, the region's, or the C
/// function that the region is in.
fn is_for(ctx: &Context, s: SequenceOp, function: Op) -> bool {
    let own = function.symbol_name(ctx).unwrap_or_default();
    let around = own.rsplit_once(".region").map_or(own, |(f, _)| f);
    s.target(ctx).is_none_or(|t| t == own || t == around)
}

fn nothing_for(ctx: &Context, function: Op, path: &str, others: &[SequenceOp]) -> String {
    let own = function.symbol_name(ctx).unwrap_or_default();
    let there = match others {
        [] => "holds no schedule (`schedule.sequence`)".to_string(),
        all => {
            let names: Vec<String> = all
                .iter()
                .filter_map(|s| Some(format!("@{}", s.target(ctx)?)))
                .collect();
            format!(
                "holds no schedule for this region, @{own}, but for {}",
                names.join(", ")
            )
        }
    };
    format!("the file '{path}' {there}")
}
