//! Whether a dependence is kept: no iteration that has to come later may come first.

use super::constraints::Constraint;
use super::marks::Mark;
use super::rows;
use super::units::Unit;
use super::violation::Violation;
use super::words::Words;
use terrace_presburger::{Conjunct, Space};

/// Whether all pairs of a constraint are in order at all places where their ops stand
/// now.
///
/// # Errors
///
/// A pair that is not, or of which that cannot be said.
pub(super) fn check(
    words: &Words,
    units: &[Unit],
    c: &Constraint,
    marks: &[Mark],
) -> Result<(), Violation> {
    for s in marks.iter().filter(|m| m.id == c.source) {
        for t in marks.iter().filter(|m| m.id == c.sink) {
            pair(words, units, c, s, t)?;
        }
    }
    Ok(())
}

/// Where the columns of one side stand: old iterations, then new ones.
struct Side {
    old: usize,
    new: usize,
}

fn pair(
    words: &Words,
    units: &[Unit],
    c: &Constraint,
    s: &Mark,
    t: &Mark,
) -> Result<(), Violation> {
    let (source, sink) = (&units[c.source], &units[c.sink]);
    // A loop that still counts what it did, and in whose iterations both still are,
    // keeps what it carries.
    let kept = kept(source, sink, s, t);
    if c.carrier.is_some_and(|k| k < kept) {
        return Ok(());
    }
    let graph = |m: &Mark, u: &Unit| match &m.graph {
        Ok(g) => Ok(g.clone()),
        Err(r) => Err(Violation::new(format!(
            "what the {} is run for afterwards is not known",
            u.what
        ))
        .because(Some(r))),
    };
    let (from_s, from_t) = (graph(s, source)?, graph(t, sink)?);
    let n = words.params();
    let space = Space::map(
        n,
        c.space.inputs + s.loops.len(),
        c.space.outputs + t.loops.len(),
    );
    let x = Side {
        old: n,
        new: n + c.space.inputs,
    };
    let y = Side {
        old: n + space.inputs,
        new: n + space.inputs + c.space.outputs,
    };
    let range = |first: usize, len: usize| first..first + len;
    for piece in &c.pieces {
        let mut base = Conjunct::universe(space);
        // The analysis may have known fewer parameters.
        let columns: Vec<usize> = (0..c.space.params)
            .chain(range(x.old, c.space.inputs))
            .chain(range(y.old, c.space.outputs))
            .collect();
        rows::add(&mut base, piece, &columns);
        for a in &from_s {
            let mut with_s = base.clone();
            join(&mut with_s, a, s, source, &x);
            for b in &from_t {
                let mut both = with_s.clone();
                join(&mut both, b, t, sink, &y);
                if both.is_empty() == Ok(true) {
                    continue;
                }
                for (late, together) in reversed(both, s, t, kept, &x, &y) {
                    decide(words, units, c, &late, &x, &y, together)?;
                }
            }
        }
    }
    Ok(())
}

/// Adds that the new iterations of one side run its old ones.
fn join(to: &mut Conjunct, graph: &Conjunct, m: &Mark, u: &Unit, side: &Side) {
    let columns: Vec<usize> = (0..graph.space().params)
        .chain(side.new..side.new + m.loops.len())
        .chain(side.old..side.old + u.ivs.len())
        .collect();
    rows::add(to, graph, &columns);
}

/// How many of the outermost loops around both marks are those that were around both
/// units, in the same places and in order. What an outer loop does not carry is in one
/// iteration of it.
fn kept(source: &Unit, sink: &Unit, s: &Mark, t: &Mark) -> usize {
    let is_kept = |k: usize| {
        let iv = s.loops[k].iv;
        !s.parallel[k]
            && t.loops[k].iv == iv
            && [source.ivs.get(k), sink.ivs.get(k)] == [Some(&iv), Some(&iv)]
            && [s.iteration.get(k), t.iteration.get(k)] == [Some(&iv), Some(&iv)]
    };
    (0..s.loops.len().min(t.loops.len()))
        .take_while(|k| is_kept(*k))
        .count()
}

/// The pairs of which the second does not come after the first; and whether they may
/// run at once. The `kept` outermost loops are in the same iteration.
fn reversed(
    both: Conjunct,
    s: &Mark,
    t: &Mark,
    kept: usize,
    x: &Side,
    y: &Side,
) -> Vec<(Conjunct, bool)> {
    let common = s
        .loops
        .iter()
        .zip(&t.loops)
        .take_while(|(a, b)| a.iv == b.iv)
        .count();
    let mut out = Vec::new();
    let mut same = both;
    for k in 0..common {
        let (a, b) = (x.new + k, y.new + k);
        if k >= kept {
            let mut before = same.clone();
            rows::less(&mut before, b, a);
            out.push((before, s.parallel[k]));
            if s.parallel[k] {
                let mut after = same.clone();
                rows::less(&mut after, a, b);
                out.push((after, true));
            }
        }
        rows::equal(&mut same, a, b);
    }
    if t.position < s.position {
        out.push((same, false));
    }
    out
}

fn decide(
    words: &Words,
    units: &[Unit],
    c: &Constraint,
    late: &Conjunct,
    x: &Side,
    y: &Side,
    together: bool,
) -> Result<(), Violation> {
    let (source, sink) = (&units[c.source], &units[c.sink]);
    let name = c.name();
    match rows::example(late) {
        Ok(None) => Ok(()),
        Ok(Some(point)) => {
            let iteration = |u: &Unit, at: usize| words.iteration(u, &point, at);
            let what = if together {
                "iterations would run at once that the"
            } else {
                "it would reverse the"
            };
            let would = if together {
                "would run at once with it"
            } else {
                "would come before it"
            };
            let orders = if together { " puts in order" } else { "" };
            let given = words.given(&point);
            Err(Violation::new(format!("{what} {name}{orders}"))
                .note(
                    c.source_loc,
                    format!(
                        "the {} in iteration {}{given}",
                        source.what,
                        iteration(source, x.old)
                    ),
                )
                .note(
                    c.sink_loc,
                    format!(
                        "the {} in iteration {}, which depends on it, {would}",
                        sink.what,
                        iteration(sink, y.old)
                    ),
                )
                .because(c.doubt.as_ref()))
        }
        Err(unknown) => Err(Violation::new(format!(
            "whether the {name} is kept is not known: {unknown}"
        ))
        .note(c.source_loc, "from here")
        .note(c.sink_loc, "to here")),
    }
}
