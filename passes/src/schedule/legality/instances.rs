//! Whether each iteration is run as before: all of them, once, and no other.

use super::marks::Mark;
use super::rows;
use super::units::Unit;
use super::violation::Violation;
use super::words::Words;
use terrace_presburger::{Conjunct, Int, Relation, Space, Unknown};

/// Whether the iterations of a unit are those that its marks run now.
///
/// # Errors
///
/// One is run twice, or not at all, or is a new one; or that cannot be said.
pub(super) fn check(words: &Words, unit: &Unit, marks: &[&Mark]) -> Result<(), Violation> {
    if let Some(r) = &unit.doubt {
        let m = format!("which iterations run the {} is not known", unit.what);
        return Err(Violation::new(m).because(Some(r)));
    }
    let kept = marks.iter().map(|m| kept(unit, m)).min().unwrap_or(0);
    for (i, a) in marks.iter().enumerate() {
        for b in &marks[i..] {
            once(words, unit, a, b, kept)?;
        }
    }
    all(words, unit, marks, kept)
}

/// How many of the outermost loops around a mark are those around its unit, unchanged:
/// their variables stand for themselves.
fn kept(unit: &Unit, m: &Mark) -> usize {
    let same = unit.ivs.iter().zip(&m.iteration).zip(&m.loops);
    let same = same.take_while(|((iv, now), l)| iv == now && **iv == l.iv);
    same.count().min(unit.context.shared(&m.context))
}

/// The columns of the loops around a mark, the first `kept` of them being those of the
/// old iteration, from `old` on, and the others from `new` on.
fn columns(known: usize, old: usize, new: usize, m: &Mark, unit: &Unit, kept: usize) -> Vec<usize> {
    let loops = (0..m.loops.len()).map(|k| if k < kept { old + k } else { new + k });
    (0..known)
        .chain(loops)
        .chain(old..old + unit.ivs.len())
        .collect()
}

/// Whether the iterations that the marks run are those that the unit was run in.
fn all(words: &Words, unit: &Unit, marks: &[&Mark], kept: usize) -> Result<(), Violation> {
    let (n, depth) = (words.params(), unit.ivs.len());
    let space = Space::set(n, depth);
    let mut then = Vec::new();
    for piece in &unit.domain {
        let mut c = Conjunct::universe(space);
        let columns: Vec<usize> = (0..piece.space().params).chain(n..n + depth).collect();
        rows::add(&mut c, piece, &columns);
        then.push(c);
    }
    let mut now = Vec::new();
    for m in marks {
        for piece in graph(m, unit)? {
            let mut c = Conjunct::universe(space);
            // The new iterations are quantified over.
            let new = c.row_len() - 1;
            for _ in &m.loops {
                c.add_local();
            }
            let columns = columns(piece.space().params, n, new, m, unit, kept);
            rows::add(&mut c, piece, &columns);
            now.push(c);
        }
    }
    // What the unchanged loops outside run is the same in both. That the rest is the
    // same for whatever they run says more than is needed, and is found out sooner.
    if kept > 0 && then.len() == 1 && now.len() == marks.len() {
        let inner = |list: &[Conjunct]| {
            let pieces = list.iter().map(|c| {
                let mut c = rows::inner(c, n + kept);
                c.simplify();
                c
            });
            Relation::from_pieces(space, pieces.collect())
        };
        if inner(&then).is_equal(&inner(&now)) == Ok(true) {
            return Ok(());
        }
    }
    let (then, now) = (
        Relation::from_pieces(space, then),
        Relation::from_pieces(space, now),
    );
    none_in(words, unit, &then, &now, "would no longer run")?;
    none_in(words, unit, &now, &then, "would run that did not")
}

/// Whether no iteration is in `these` and not in `those`.
fn none_in(
    words: &Words,
    unit: &Unit,
    these: &Relation,
    those: &Relation,
    would: &str,
) -> Result<(), Violation> {
    let rest = these.subtract(those).map_err(|u| unknown(unit, &u))?;
    for piece in rest.pieces() {
        match rows::example(piece) {
            Ok(None) => {}
            Ok(Some(point)) => return Err(at(words, unit, &point, would)),
            Err(u) => return Err(unknown(unit, &u)),
        }
    }
    Ok(())
}

fn graph<'m>(m: &'m Mark, u: &Unit) -> Result<&'m [Conjunct], Violation> {
    match &m.graph {
        Ok(g) => Ok(g),
        Err(r) => Err(Violation::new(format!(
            "what the {} is run for afterwards is not known",
            u.what
        ))
        .because(Some(r))),
    }
}

/// Whether two marks (or one, in two iterations) never run the same old iteration.
fn once(words: &Words, unit: &Unit, a: &Mark, b: &Mark, kept: usize) -> Result<(), Violation> {
    let (n, depth) = (words.params(), unit.ivs.len());
    let (p, q) = (a.loops.len(), b.loops.len());
    // Old iteration and first new one; second new one.
    let space = Space::map(n, depth + p, q);
    let (first, second) = (n + depth, n + depth + p);
    let one = a.position == b.position;
    for x in graph(a, unit)? {
        let mut with = Conjunct::universe(space);
        rows::add(
            &mut with,
            x,
            &columns(x.space().params, n, first, a, unit, kept),
        );
        for y in graph(b, unit)? {
            let mut both = with.clone();
            rows::add(
                &mut both,
                y,
                &columns(y.space().params, n, second, b, unit, kept),
            );
            if !one {
                never(words, unit, &both)?;
                continue;
            }
            for k in kept..p {
                let mut apart = both.clone();
                for i in kept..k {
                    rows::equal(&mut apart, first + i, second + i);
                }
                rows::less(&mut apart, first + k, second + k);
                never(words, unit, &apart)?;
            }
        }
    }
    Ok(())
}

fn never(words: &Words, unit: &Unit, twice: &Conjunct) -> Result<(), Violation> {
    match rows::example(twice) {
        Ok(None) => Ok(()),
        Ok(Some(point)) => Err(at(words, unit, &point, "would run twice")),
        Err(u) => Err(unknown(unit, &u)),
    }
}

/// A violation about one old iteration, whose values are in `point` behind those of
/// the parameters.
fn at(words: &Words, unit: &Unit, point: &[Int], would: &str) -> Violation {
    let n = words.params();
    let m = format!("an iteration of the {} {would}", unit.what);
    let place = format!(
        "iteration {}{}",
        words.iteration(unit, point, n),
        words.given(point)
    );
    Violation::new(m).note(unit.loc, place)
}

fn unknown(unit: &Unit, u: &Unknown) -> Violation {
    let m = format!(
        "whether the {} runs as often as before is not known: {u}",
        unit.what
    );
    Violation::new(m).note(unit.loc, "this")
}
