//! What was decided, as a schedule: text behind the function, to be read, edited and done
//! again.

use super::arrange::{Kind, Point};
use crate::analysis::loop_names::place_of;
use crate::analysis::loop_names::{iv_names, line};
use terrace_dialects::attributes::SCHEDULE_NOTE;
use terrace_dialects::schedule::{FindLoopOp, SequenceOp, loop_type};
use terrace_ir::symbols::lookup_in;
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// A schedule that is being written for a function.
pub struct Script {
    function: Op,
    sequence: SequenceOp,
}

impl Script {
    /// An empty one behind `function`, about the loops of a stage (`source`, `parallel`),
    /// which is called after the function and `what`.
    pub fn new(ctx: &mut Context, function: Op, stage: &str, what: &str) -> Option<Script> {
        let target = function.symbol_name(ctx)?.to_string();
        let mut name = format!("{target}_{what}");
        let table = function.parent(ctx);
        while table.is_some_and(|t| lookup_in(ctx, t, &name).is_some()) {
            name.push('_');
        }
        // Behind those of the stage that are there: they are done one after another.
        let mut last = function;
        while let Some(next) = last.next(ctx)
            && let Some(s) = next.cast::<SequenceOp>(ctx)
            && s.stage(ctx) == Some(stage)
        {
            last = next;
        }
        let mut b = Builder::after(ctx, last);
        let (sequence, _) = SequenceOp::build(&mut b, &name, Some(&target));
        let stage = ctx.string_attr(stage);
        sequence.op().set_attr(ctx, "stage", stage);
        Some(Script { function, sequence })
    }

    /// Adds a step for a loop of the function, with what there is to say about it; `step`
    /// makes its op of the loop's handle.
    pub fn add(
        &self,
        ctx: &mut Context,
        nest: Op,
        note: &str,
        step: impl FnOnce(&mut Builder, Value),
    ) {
        if let Some(place) = place_of(ctx, self.function, nest) {
            self.add_at(ctx, &[(nest, place)], note, |b, loops| step(b, loops[0]));
        }
    }

    /// Adds a step for loops of the function at these places.
    pub fn add_at(
        &self,
        ctx: &mut Context,
        nests: &[(Op, Vec<i64>)],
        note: &str,
        step: impl FnOnce(&mut Builder, &[Value]),
    ) {
        let Some(end) = self.sequence.op().body(ctx, 0).last_op(ctx) else {
            return;
        };
        let mut b = Builder::before(ctx, end);
        let handles: Vec<Value> = (nests.iter())
            .map(|(nest, place)| find(&mut b, *nest, place))
            .collect();
        step(&mut b, &handles);
        if !note.is_empty()
            && let Some(made) = end.prev(ctx)
        {
            let note = ctx.string_attr(note);
            made.set_attr(ctx, SCHEDULE_NOTE, note);
        }
    }

    /// Does something to the step that was added last.
    pub fn mark_last(&self, ctx: &Context, mark: impl FnOnce(&Context, Op)) {
        let end = self.sequence.op().body(ctx, 0).last_op(ctx);
        if let Some(step) = end.and_then(|e| e.prev(ctx)) {
            mark(ctx, step);
        }
    }

    /// Takes an empty one out again.
    pub fn finish(self, ctx: &mut Context) {
        if self.sequence.steps(ctx).is_empty() {
            self.sequence.op().erase(ctx);
        }
    }
}

/// The handle of a loop at a place.
fn find(b: &mut Builder, nest: Op, place: &[i64]) -> Value {
    let mut attrs = Vec::new();
    if let Some(name) = iv_names(b.ctx, nest).first() {
        attrs.push(("iv", b.ctx.string_attr(name)));
    }
    attrs.extend(line(b.ctx, nest).map(|n| ("line", b.ctx.i64_attr(i64::from(n)))));
    let place = place.iter().map(|n| b.ctx.i64_attr(*n)).collect();
    attrs.push(("nest", b.ctx.array_attr(place)));
    b.loc = nest.loc(b.ctx);
    let ty = loop_type(b.ctx);
    let find = b.op::<FindLoopOp>(&[], &[ty], &attrs);
    find.result(b.ctx, 0)
}

/// A mapping's tile as a step says it: nothing for one iteration each.
pub fn tile_words(point: &Point) -> (&[i64], Option<&'static str>) {
    if point.tile.iter().all(|n| *n == 1) {
        return (&[], None);
    }
    let kind = match point.kind {
        Kind::Blocked => None,
        Kind::Cyclic => Some("cyclic"),
        Kind::Inside => Some("inside"),
    };
    (&point.tile, kind)
}

/// The order as a step says it: nothing for loops as they stand.
pub fn order_words(point: &Point) -> Vec<i64> {
    match point.order.is_sorted() {
        true => Vec::new(),
        false => point.order.iter().map(|k| *k as i64).collect(),
    }
}
