//! Whether iterations depend on each other by nothing but the running value.

use super::find::MatchFailure;
use super::packed::is_packed;
use super::shape::Scan;
use crate::analysis::dependence::{Carrier, Dependence, Kind, Options, dependences};
use crate::analysis::source;
use crate::gpu::match_failure::no_match;
use terrace_dialects::affine;
use terrace_ir::{Context, Op, OpKind};

/// What a dependence stands in the way of.
#[derive(Debug)]
pub enum Obstacle {
    /// The scan itself.
    Scan(MatchFailure),
    /// Rows side by side: a loop over them carries it.
    Rows(MatchFailure),
}

/// # Errors
///
/// A dependence that a kernel would not keep.
pub fn check(ctx: &Context, s: &Scan) -> Result<(), Obstacle> {
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let found = dependences(ctx, s.root().op(), &options);
    for d in found.all.iter().filter(|d| d.kind != Kind::Input) {
        match d.carrier {
            Carrier::Loop(i) if i < s.rows.len() => {
                return refuse(ctx, d).map_err(Obstacle::Rows);
            }
            _ if d.source_op == d.sink_op && is_packed(ctx, s, d.source_op) => {}
            _ if is_own(ctx, s, d) => {}
            Carrier::Independent if is_kept(ctx, s, d) => {}
            _ => return refuse(ctx, d).map_err(Obstacle::Scan),
        }
    }
    Ok(())
}

fn refuse(ctx: &Context, d: &Dependence) -> Result<(), MatchFailure> {
    let words =
        |op: Op| source::element(ctx, op).unwrap_or_else(|| source::array(ctx, op.operand(ctx, 0)));
    let of = words(d.source_op);
    let what = match (d.kind, d.carrier) {
        (Kind::Flow, Carrier::Independent) => {
            format!("reads what the same iteration wrote to {of}")
        }
        (Kind::Flow, _) => format!("reads what another iteration wrote to {of}"),
        (Kind::Output, _) => format!("writes what another iteration wrote to {of}"),
        _ => format!("writes what is read of {of}"),
    };
    no_match(d.sink_op, what)
}

/// Whether the dependence is that of the running value on itself, through memory.
fn is_own(ctx: &Context, s: &Scan, d: &Dependence) -> bool {
    let running = |op: Op| {
        let reads = |v: &terrace_ir::Value| s.before.contains(v) || s.after.contains(v);
        op.name(ctx) == affine::LoadOp::NAME && op.results(ctx).iter().any(reads)
    };
    if let Some(store) = s.kept {
        return [d.source_op, d.sink_op]
            .iter()
            .all(|o| *o == store || running(*o));
    }
    d.kind == Kind::Flow && s.store == Some(d.source_op) && running(d.sink_op)
}

/// Whether a kernel keeps a dependence inside of one row, or of one iteration.
fn is_kept(ctx: &Context, s: &Scan, d: &Dependence) -> bool {
    let body = s.l.body(ctx);
    let in_body = |o: &Op| {
        let own = o.ancestor_in(ctx, body);
        own.is_some_and(|o| {
            let combined = o == s.combiner || s.slice.contains(&o);
            combined || s.rest.contains(&o) || s.kept == Some(o)
        })
    };
    let in_front = s.prologue.contains(&d.source_op);
    match (in_body(&d.source_op), in_body(&d.sink_op)) {
        // What is combined is read in front of all writes.
        (true, true) => !(d.kind == Kind::Flow && s.slice.contains(&d.sink_op)),
        // Only the first running value is computed from what rows overwrite (`check_rows`),
        // and that before they do.
        _ => in_front && !s.prologue.contains(&d.sink_op),
    }
}
