//! Dependences as notes, in words that need no knowledge of dependence analysis.

use terrace_ir::diag::{DiagLoc, Diagnostic};
use terrace_ir::{Context, Op};

use super::notes::{DependenceKind, DependenceNote, Reason};
use crate::analysis::accumulate::Accumulation;
use crate::analysis::dependence::{Dependence, Dependences, Extent, Kind};
use crate::analysis::loop_like::Loop;
use crate::analysis::source;

/// A dependence that a loop carries.
pub(crate) fn dependence(ctx: &Context, all: &Dependences, d: &Dependence) -> DependenceNote {
    let (s, t) = (all.source(d), all.sink(d));
    let array = d.memref.map(|m| source::array(ctx, m)).unwrap_or_default();
    let carrier = d.carrying_loop();
    let extent = carrier
        .and_then(|l| d.loops.iter().position(|x| *x == l))
        .and_then(|i| d.distance.get(i));
    let step = carrier.map_or(1, |l| l.step);
    let distance = extent.map_or_else(String::new, |e| iterations(e, step));
    let next = distance == "1 iteration";
    let certain = all.is_proven(d);
    let kind = match d.kind {
        Kind::Flow => DependenceKind::Flow,
        Kind::Anti => DependenceKind::Anti,
        Kind::Output | Kind::Input => DependenceKind::Output,
    };
    let from = source::access(ctx, s.op, s.writes);
    let to = source::access(ctx, t.op, t.writes);
    let text = |op: Op| source::element(ctx, op).unwrap_or_else(|| array.clone());
    let (a, b) = (text(s.op), text(t.op));
    let mut meaning = match (d.reduction.is_some(), kind) {
        (true, _) => format!("every iteration updates {b} from what the one before left there"),
        (_, DependenceKind::Flow) if next => {
            format!("each iteration reads {b}, which the one before writes as {a}")
        }
        (_, DependenceKind::Flow) => {
            format!("an iteration reads {b}, which an earlier one writes as {a}")
        }
        (_, DependenceKind::Anti) => {
            format!("an iteration writes {b}, which an earlier one still reads as {a}")
        }
        _ if a == b => format!("several iterations write {a}, and the last one has to win"),
        _ => format!("iterations write the same element as {a} and as {b}, in this order"),
    };
    if !certain {
        meaning.push_str(" for some values of the variables in it");
    }
    DependenceNote {
        kind,
        array,
        from,
        to,
        distance,
        meaning,
    }
}

/// How many iterations lie between two values of a counter that goes in steps; empty
/// where that is not known.
fn iterations(e: &Extent, step: i64) -> String {
    let of = |v: &terrace_presburger::Int| v.to_i64()?.checked_div(step.max(1));
    let (min, max) = (e.min.as_ref().and_then(of), e.max.as_ref().and_then(of));
    let s = |n: i64| if n == 1 { "" } else { "s" };
    match (min, max) {
        (Some(a), Some(b)) if a == b => format!("{a} iteration{}", s(a)),
        (Some(a), Some(b)) => format!("{a} to {b} iterations"),
        (Some(a), None) => format!("{a} or more iterations"),
        (None, Some(b)) => format!("up to {b} iteration{}", s(b)),
        (None, None) => String::new(),
    }
}

/// Why it is not known whether a loop carries a dependence.
pub(crate) fn doubt(ctx: &Context, all: &Dependences, d: &Dependence) -> Reason {
    let (s, t) = (all.source(d), all.sink(d));
    for site in [s, t] {
        if site.element.is_err()
            && let Some(r) = source::subscript_doubt(ctx, site.op)
        {
            return r;
        }
    }
    let place = |r: &crate::analysis::dependence::Reason| ctx.diag_loc(r.loc);
    match (&d.doubt, d.memref) {
        (Some(r), Some(m)) => {
            let name = source::array(ctx, m);
            Reason::new(place(r), format!("accesses to {name}: {}", r.message))
        }
        (Some(r), None) => Reason::new(place(r), r.message.clone()),
        (None, _) => Reason::new(ctx.diag_loc(s.op.loc(ctx)), "it is not known"),
    }
}

/// A value that every iteration takes from the one before.
pub(crate) fn carried(ctx: &Context, l: Loop, i: usize) -> DependenceNote {
    let name = source::carried(ctx, l, i);
    let place = |op: Op| ctx.diag_loc(op.loc(ctx));
    let at_loop = place(l.op());
    let body = l.body(ctx);
    let made = l.yielded(ctx).get(i).and_then(|v| v.def_op());
    let from = Reason::new(
        made.map_or(at_loop.clone(), place),
        format!("where {name} gets its new value"),
    );
    let users = l.iter_args(ctx).get(i).map(|v| v.users(ctx));
    let mut users = users.unwrap_or_default();
    users.retain(|u| body.last_op(ctx) != Some(*u));
    let distance = match users.is_empty() {
        true => String::new(),
        false => "1 iteration".to_string(),
    };
    let (to, meaning) = match users.first() {
        Some(u) => (
            Reason::new(place(*u), format!("where {name} is used")),
            format!("each iteration needs the value of {name} from the one before"),
        ),
        None => (
            Reason::new(at_loop, format!("{name} is used after the loop")),
            format!("{name} keeps the value of the last iteration after the loop"),
        ),
    };
    DependenceNote {
        kind: DependenceKind::Scalar,
        array: name,
        from,
        to,
        distance,
        meaning,
    }
}

/// A sum of floats that has to keep its order.
pub(crate) fn rounding(ctx: &Context, l: Loop, name: &str, operation: &str) -> DependenceNote {
    let why = " (floating point); -fassociative-math or a reduction clause allows it";
    kept_in_order(ctx, l, name, operation, why)
}

/// A greatest or least float, found by comparisons, of a loop that cannot be run a second time.
pub(crate) fn ties(
    ctx: &Context,
    l: Loop,
    name: &str,
    operation: &str,
    a: Accumulation,
) -> DependenceNote {
    let what = match a.choice.is_some_and(|c| c.nan_replaces) {
        true => "a NaN takes its place and is replaced by what comes next",
        false => "of -0.0 and 0.0 it keeps one by the order of the iterations",
    };
    let why = format!(
        ": {what}, and a loop cannot be run again to find out that changes what it reads; fmax or \
         fmin, -ffast-math or a reduction clause allows it"
    );
    kept_in_order(ctx, l, name, operation, &why)
}

/// A value that the iterations combine in their order, with the reason behind "may not be
/// reordered".
fn kept_in_order(ctx: &Context, l: Loop, name: &str, operation: &str, why: &str) -> DependenceNote {
    let place = ctx.diag_loc(l.op().loc(ctx));
    let of = Reason::new(place, format!("the {operation} in {name}"));
    DependenceNote {
        kind: DependenceKind::Scalar,
        array: name.to_string(),
        from: of.clone(),
        to: of,
        distance: "1 iteration".to_string(),
        meaning: format!("the {operation} of {name} may not be reordered{why}"),
    }
}

/// The two accesses of a dependence as notes of a diagnostic.
pub(crate) fn with_accesses(d: Diagnostic, note: &DependenceNote) -> Diagnostic {
    d.with_note(note.from.place.clone(), note.from.text.clone())
        .with_note(note.to.place.clone(), super::sentences::later(note))
}

/// The warning at a store to an element that the same iteration reads, in a loop that a
/// directive takes for independent, where nothing tells whether elements coincide.
pub(crate) fn lost(ctx: &Context, place: &DiagLoc, store: Op) -> Diagnostic {
    let element = source::element(ctx, store).unwrap_or_else(|| "the element".to_string());
    let message = format!(
        "{element} is read and written in iterations that a directive says are independent; \
         where two of them have the same element, one change is lost: it is not known that \
         they do not, and this is no update that one atomic operation does"
    );
    Diagnostic::warning(ctx.diag_loc(store.loc(ctx)), message)
        .with_note(place.clone(), "the loop with the directive")
}

/// The warning at a loop that a directive takes for independent, though it is not: one
/// for the loop, with the dependence that is worst.
pub(crate) fn obeyed(place: &DiagLoc, proven: &[&DependenceNote]) -> Option<Diagnostic> {
    let worst = proven.iter().min_by_key(|n| n.kind as u8)?;
    let message = format!(
        "the directive says that the iterations are independent, but they are not: {}",
        worst.meaning
    );
    let d = with_accesses(Diagnostic::warning(place.clone(), message), worst);
    Some(match proven.len() - 1 {
        0 => d,
        rest => {
            let s = if rest == 1 { "" } else { "s" };
            let text = format!("and {rest} more dependence{s}; `terrace explain` names all");
            d.with_note(place.clone(), text)
        }
    })
}
