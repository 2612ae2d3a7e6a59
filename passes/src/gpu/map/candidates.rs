//! The mappings that a nest could have, left on its step of a schedule for whoever measures
//! them (`terrace tune`).
//!
//! ```text
//! schedule.map_to_gpu %0 block [256, 1, 1] {schedule.candidates = [
//!   {attributes = {block = array<i64: 256, 1, 1>}, mapping = "i along x, ...", us = 6.5},
//!   {attributes = {block = array<i64: 32, 8, 1>, order = array<i64: 1, 0>}, ...}]}
//! ```
//!
//! The first is what the step asks for.

use super::arrange::Point;
use super::write::{order_words, tile_words};
use terrace_dialects::attributes::SCHEDULE_CANDIDATES;
use terrace_dialects::schedule::MapToGpuOp;
use terrace_ir::{Attr, Context, Op, OpKind};

/// The attributes of a step that say a mapping.
const OWN: [&str; 6] = ["order", "tile", "cyclic", "inside", "block", "fit"];

/// A mapping that a step could ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The step's attributes, as a dictionary.
    attributes: Attr,
    /// Microseconds of one launch by the model; none where it has no time for the nest.
    pub us: Option<f64>,
    /// In words.
    pub mapping: String,
}

impl Candidate {
    /// A mapping as a step has it.
    pub(super) fn new(ctx: &Context, point: &Point, us: Option<f64>, mapping: String) -> Self {
        let mut entries = vec![("block", ctx.i64_array(&point.block))];
        let order = order_words(point);
        if !order.is_empty() {
            entries.push(("order", ctx.i64_array(&order)));
        }
        let (tile, kind) = tile_words(point);
        if !tile.is_empty() {
            entries.push(("tile", ctx.i64_array(tile)));
            entries.extend(kind.map(|k| (k, ctx.unit())));
        }
        if point.fit {
            entries.push(("fit", ctx.unit()));
        }
        Candidate {
            attributes: dictionary(ctx, entries),
            us,
            mapping,
        }
    }
}

fn dictionary(ctx: &Context, entries: Vec<(&str, Attr)>) -> Attr {
    ctx.dict_attr(entries.into_iter().map(|(k, a)| (ctx.intern(k), a)))
}

/// Leaves candidates on a step.
pub(super) fn leave(ctx: &Context, step: Op, all: &[Candidate]) {
    let one = |c: &Candidate| {
        let mut entries = vec![
            ("attributes", c.attributes),
            ("mapping", ctx.string_attr(&c.mapping)),
        ];
        entries.extend(c.us.map(|us| ("us", ctx.float_attr(ctx.f64(), us))));
        dictionary(ctx, entries)
    };
    let all = ctx.array_attr(all.iter().map(one).collect());
    step.set_attr(ctx, SCHEDULE_CANDIDATES, all);
}

/// Takes the candidates off a step.
pub fn take(ctx: &Context, step: MapToGpuOp) -> Vec<Candidate> {
    let Some(left) = step.op().remove_attr(ctx, SCHEDULE_CANDIDATES) else {
        return Vec::new();
    };
    let one = |a: &Attr| {
        let entries = a.as_dict(ctx)?;
        let get = |name: &str| entries.iter().find(|e| ctx.str(e.0) == name).map(|e| e.1);
        Some(Candidate {
            attributes: get("attributes")?,
            us: get("us").and_then(|a| a.as_float(ctx)).map(|f| f.to_f64()),
            mapping: get("mapping")?.as_str(ctx)?.to_string(),
        })
    };
    let all = left.as_array(ctx).unwrap_or_default();
    all.iter().filter_map(one).collect()
}

/// Has a step ask for a mapping.
pub fn choose(ctx: &Context, step: MapToGpuOp, candidate: &Candidate) {
    for name in OWN {
        step.op().remove_attr(ctx, name);
    }
    for (name, a) in candidate.attributes.as_dict(ctx).unwrap_or_default() {
        step.op().set_attr(ctx, ctx.str(*name), *a);
    }
}
