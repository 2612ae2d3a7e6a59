//! Whether parts of nests may wait, judged from dependences.
//!
//! The steps `k0 <= k < k0 + size` are a tile, for any `k0`. In a tile what stays in the loop
//! runs first, then one delayed part after the other. Two iterations of one tile that depend
//! on each other must not change places, and in a delayed part they must be of one thread and
//! in the order they had. Tiles follow one another as the steps did.

use super::bounds::Tiles;
use super::find::{Steps, UpdateNest};
use crate::analysis::dependence::{
    AccessSite, Dependence, Dependences, Options, dependences_between, words,
};
use terrace_ir::{Context, Op, OpKind, Value};
use terrace_presburger::{Conjunct, Int};

/// Accesses of a step, at most, of which pairs are looked at.
const MAX_ACCESSES: usize = 128;

/// Iterations of a nest: of some counters that move with the step those in the tile, of
/// some those beyond it. A counter is beyond the tile where its loop goes in all steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub inside: Vec<usize>,
    pub beyond: Vec<usize>,
}

/// When a part runs, the earlier first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// In its step.
    InStep,
    /// Behind the tile, by a thread for each number of this counter: all steps, one after the
    /// other.
    ThreadOf(usize),
    /// The same, but for one number of the second counter, which is in the tile, after the other
    /// all steps.
    ThreadInOrder(usize, usize),
    /// Beside that, by a thread for each number of this counter: a step behind what is done for
    /// the number that is the step's own.
    ThreadBehind(usize),
    /// Behind that, by a thread for all numbers of this counter, which are in the tile, one
    /// after the other; for each all steps.
    InOrderOf(usize),
    /// Behind that, by a thread for each element: all steps.
    Last,
}

impl When {
    /// The counter of whose numbers each has a thread, which does all else.
    pub fn thread(self) -> Option<usize> {
        match self {
            When::ThreadOf(c) | When::ThreadInOrder(c, _) | When::ThreadBehind(c) => Some(c),
            _ => None,
        }
    }

    fn place(self) -> usize {
        match self {
            When::InStep => 0,
            When::ThreadOf(_) | When::ThreadInOrder(..) | When::ThreadBehind(_) => 1,
            When::InOrderOf(_) => 2,
            When::Last => 3,
        }
    }
}

/// A part of a nest, by its number, and when it runs.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub of: usize,
    pub part: Part,
    pub when: When,
}

impl Piece {
    pub fn new(of: usize, inside: &[usize], beyond: &[usize], when: When) -> Piece {
        let part = Part {
            inside: inside.to_vec(),
            beyond: beyond.to_vec(),
        };
        Piece { of, part, when }
    }
}

/// The dependences of the accesses of nests with all others of a step.
pub(super) struct Judge<'c> {
    ctx: &'c Context,
    pub steps: &'c Steps,
    nests: &'c [UpdateNest],
    pub tiles: Tiles,
    found: Dependences,
}

/// One of the two accesses of a dependence.
#[derive(Clone, Copy)]
struct End<'a> {
    site: &'a AccessSite,
    /// The column of the outermost of its loops.
    first: usize,
    /// The nest it is of.
    nest: Option<&'a UpdateNest>,
}

impl End<'_> {
    fn column(self, iv: Value) -> Option<usize> {
        let at = self.site.domain.loops.iter().position(|l| l.iv == iv)?;
        Some(self.first + at)
    }

    fn column_of(self, counter: usize) -> Option<usize> {
        self.column(self.nest?.counters.get(counter)?.iv)
    }
}

impl<'c> Judge<'c> {
    /// # Errors
    ///
    /// Why nothing can be said.
    pub fn new(
        ctx: &'c Context,
        steps: &'c Steps,
        nests: &'c [UpdateNest],
        tiles: Tiles,
    ) -> Result<Judge<'c>, String> {
        let options = Options {
            distances: false,
            ..Options::default()
        };
        let own = |op: Op| nests.iter().any(|n| n.root.is_ancestor_of(ctx, op));
        let wanted = |s: &AccessSite, t: &AccessSite| own(s.op) || own(t.op);
        let root = steps.of.op();
        let found = dependences_between(ctx, root, &options, MAX_ACCESSES, &wanted)
            .ok_or_else(|| format!("a step has more than {MAX_ACCESSES} accesses"))?;
        Ok(Judge {
            ctx,
            steps,
            nests,
            tiles,
            found,
        })
    }

    /// Whether the nests may run in these pieces. A nest without one stays in its step.
    ///
    /// # Errors
    ///
    /// The dependence that is in the way, in words.
    pub fn check(&self, pieces: &[Piece]) -> Result<(), String> {
        let stays = [Piece::new(usize::MAX, &[], &[], When::InStep)];
        let pieces_of = |op: Op| -> Vec<&Piece> {
            let nest = self.number(op);
            let own: Vec<&Piece> = pieces.iter().filter(|p| Some(p.of) == nest).collect();
            match own.is_empty() {
                true => stays.iter().collect(),
                false => own,
            }
        };
        for d in &self.found.all {
            for from in pieces_of(d.source_op) {
                for to in pieces_of(d.sink_op) {
                    if !self.is_kept(d, from, to) {
                        return Err(words::sentence(self.ctx, &self.found, d));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a part of the first nest has no iterations.
    pub fn is_empty(&self, part: &Part) -> bool {
        let params = &self.found.program.params;
        let Some(nest) = self.nests.first() else {
            return false;
        };
        let mut sites = self.found.program.sites.iter();
        let Some(site) = sites.find(|s| s.op == nest.store) else {
            return false;
        };
        let end = End {
            site,
            first: params.len(),
            nest: Some(nest),
        };
        let domain = site.domain.conjuncts(params);
        domain.into_iter().all(|mut c| {
            let k0 = c.add_local();
            self.in_tile(&mut c, k0, end) && self.of_part(&mut c, k0, end, part) && is_empty(&c)
        })
    }

    fn number(&self, op: Op) -> Option<usize> {
        let mut nests = self.nests.iter();
        nests.position(|n| n.root.is_ancestor_of(self.ctx, op))
    }

    /// Whether iterations of a dependence that are of these pieces and of one tile stay in
    /// their order.
    fn is_kept(&self, d: &Dependence, from: &Piece, to: &Piece) -> bool {
        let (early, late) = (from.when.place(), to.when.place());
        if early < late || (early == late && from.when == When::InStep) {
            return true;
        }
        let params = self.found.program.params.len();
        let end = |site: &'_ AccessSite| self.number(site.op).map(|n| &self.nests[n]);
        let source = End {
            site: self.found.source(d),
            first: params,
            nest: end(self.found.source(d)),
        };
        let sink = End {
            site: self.found.sink(d),
            first: params + source.site.domain.depth(),
            nest: end(self.found.sink(d)),
        };
        d.pieces().iter().all(|piece| {
            let mut c = piece.clone();
            let k0 = c.add_local();
            let known = self.in_tile(&mut c, k0, source)
                && self.in_tile(&mut c, k0, sink)
                && self.of_part(&mut c, k0, source, &from.part)
                && self.of_part(&mut c, k0, sink, &to.part);
            known
                && match early > late {
                    true => is_empty(&c),
                    false => self.is_of_one_thread(&c, (source, from.when), (sink, to.when)),
                }
        })
    }

    /// Demands that the step of an access is one of the tile of `k0`.
    fn in_tile(&self, c: &mut Conjunct, k0: usize, end: End) -> bool {
        let Some(k) = end.column(self.steps.counter(self.ctx)) else {
            return false;
        };
        at_least(c, &[(k, 1), (k0, -1)], 0);
        at_least(c, &[(k0, 1), (k, -1)], self.tiles.size - 1);
        true
    }

    /// Demands that an iteration of a nest is of a part.
    fn of_part(&self, c: &mut Conjunct, k0: usize, end: End, part: &Part) -> bool {
        let sides = [(&part.inside, false), (&part.beyond, true)];
        for (counters, beyond) in sides {
            for at in counters {
                let behind = end.nest.and_then(|n| n.counters.get(*at)?.behind);
                let split = behind.and_then(|n| n.checked_add(self.tiles.size - 1));
                let (Some(column), Some(split)) = (end.column_of(*at), split) else {
                    return false;
                };
                match beyond {
                    true => at_least(c, &[(column, 1), (k0, -1)], -split),
                    false => at_least(c, &[(k0, 1), (column, -1)], split - 1),
                }
            }
        }
        true
    }

    /// Whether all pairs of a delayed part are of one thread, and in it in the order that
    /// they have.
    fn is_of_one_thread(&self, c: &Conjunct, source: (End, When), sink: (End, When)) -> bool {
        let ((source, early), (sink, late)) = (source, sink);
        // Whether the first is never by so much more than the second.
        let never = |s: Option<usize>, t: Option<usize>, more: i64| {
            let (Some(s), Some(t)) = (s, t) else {
                return false;
            };
            let mut c = c.clone();
            at_least(&mut c, &[(s, 1), (t, -1)], -more);
            is_empty(&c)
        };
        let same = |s: Option<usize>, t: Option<usize>| never(s, t, 1) && never(t, s, 1);
        let Some((s, t)) = early.thread().zip(late.thread()) else {
            // Both are of the update: its loops but one, and the steps, in their order.
            let counters = source.nest.map_or(0, |n| n.counters.len());
            return (0..counters).all(|at| {
                let (s, t) = (source.column_of(at), sink.column_of(at));
                match early == When::InOrderOf(at) {
                    true => never(s, t, 1),
                    false => same(s, t),
                }
            });
        };
        if !same(source.column_of(s), sink.column_of(t)) {
            return false;
        }
        // What brings one iteration of a thread behind another: a number, and whether it is
        // behind others of the same number. What is equal in both is in the order of steps.
        let k = self.steps.counter(self.ctx);
        let order = |end: End, when: When| match when {
            When::ThreadInOrder(_, by) => Some((end.column_of(by), 0)),
            When::ThreadBehind(_) => Some((end.column(k), 1)),
            _ => None,
        };
        match (order(source, early), order(sink, late)) {
            (Some((s, before)), Some((t, behind))) => {
                never(s, t, if before > behind { 0 } else { 1 })
            }
            // The steps of a thread are those of the loop, from the first op to the last.
            (None, None) => true,
            _ => false,
        }
    }
}

/// Demands that the sum of multiples of columns and a constant is not negative.
fn at_least(c: &mut Conjunct, terms: &[(usize, i64)], constant: i64) {
    let mut row = vec![Int::ZERO; c.row_len() - 1];
    for (column, factor) in terms {
        if let Some(entry) = row.get_mut(*column) {
            *entry += &Int::from(*factor);
        }
    }
    c.add_inequality(&row, Int::from(constant));
}

/// Whether there is surely no point.
fn is_empty(c: &Conjunct) -> bool {
    c.is_empty() == Ok(true)
}
