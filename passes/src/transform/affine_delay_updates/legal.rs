//! Whether parts of an update may wait, judged from dependences.
//!
//! The steps `k0 <= k < k0 + size` are a tile, for any `k0`. In a tile what stays in the loop
//! runs first, then one delayed part after the other. Two iterations of one tile that depend
//! on each other must not change places, and in a delayed part, whose counters but one are
//! those of parallel loops, they must be of one thread and in the order they had. Tiles follow
//! one another as the steps did.

use super::find::{Steps, Update};
use crate::analysis::dependence::{
    AccessSite, Dependence, Dependences, Options, dependences_between, words,
};
use terrace_ir::{Context, Op, OpKind, Value};
use terrace_presburger::{Conjunct, Int};

/// Accesses of a step, at most, of which pairs are looked at.
const MOST_ACCESSES: usize = 128;

/// Iterations of an update: of some counters that move with the step those in the tile, of
/// some those beyond it. A counter is beyond the tile where its loop goes in all steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Part {
    pub inside: Vec<usize>,
    pub beyond: Vec<usize>,
}

/// When a part runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// In its step.
    InStep,
    /// Behind the tile, by a thread for all numbers of this counter, which are in the tile, one
    /// after the other; for each all steps.
    InOrderOf(usize),
    /// Behind that, by a thread for each element: all steps.
    Last,
}

impl When {
    fn place(self) -> usize {
        match self {
            When::InStep => 0,
            When::InOrderOf(_) => 1,
            When::Last => 2,
        }
    }
}

/// The dependences of the accesses of an update with all others of a step.
pub(super) struct Judge<'c> {
    ctx: &'c Context,
    steps: &'c Steps,
    update: &'c Update,
    size: i64,
    found: Dependences,
}

/// One of the two accesses of a dependence.
#[derive(Clone, Copy)]
struct End<'a> {
    site: &'a AccessSite,
    /// The column of the outermost of its loops.
    first: usize,
}

impl End<'_> {
    fn column(self, iv: Value) -> Option<usize> {
        let at = self.site.domain.loops.iter().position(|l| l.iv == iv)?;
        Some(self.first + at)
    }
}

impl<'c> Judge<'c> {
    /// # Errors
    ///
    /// Why nothing can be said.
    pub fn new(
        ctx: &'c Context,
        steps: &'c Steps,
        update: &'c Update,
        size: i64,
    ) -> Result<Judge<'c>, String> {
        let options = Options {
            distances: false,
            ..Options::default()
        };
        let own = |op: Op| update.nest.is_ancestor_of(ctx, op);
        let wanted = |s: &AccessSite, t: &AccessSite| own(s.op) || own(t.op);
        let root = steps.of.op();
        let found = dependences_between(ctx, root, &options, MOST_ACCESSES, &wanted)
            .ok_or_else(|| format!("a step has more than {MOST_ACCESSES} accesses"))?;
        Ok(Judge {
            ctx,
            steps,
            update,
            size,
            found,
        })
    }

    /// Whether the parts of the update may run then.
    ///
    /// # Errors
    ///
    /// The dependence that is in the way, in words.
    pub fn check(&self, parts: &[(Part, When)]) -> Result<(), String> {
        let stays = [(Part::default(), When::InStep)];
        let parts_of = |op: Op| match self.update.nest.is_ancestor_of(self.ctx, op) {
            true => parts,
            false => &stays[..],
        };
        for d in &self.found.all {
            for (from, first) in parts_of(d.source_op) {
                for (to, second) in parts_of(d.sink_op) {
                    if !self.is_kept(d, (from, *first), (to, *second)) {
                        return Err(words::sentence(self.ctx, &self.found, d));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a part has no iterations.
    pub fn is_empty(&self, part: &Part) -> bool {
        let params = &self.found.program.params;
        let store = self.update.store;
        let Some(site) = self.found.program.sites.iter().find(|s| s.op == store) else {
            return false;
        };
        let end = End {
            site,
            first: params.len(),
        };
        let domain = site.domain.conjuncts(params);
        domain.into_iter().all(|mut c| {
            let k0 = c.add_local();
            self.in_tile(&mut c, k0, end) && self.of_part(&mut c, k0, end, part) && is_empty(&c)
        })
    }

    /// Whether iterations of a dependence that are of these parts and of one tile stay in
    /// their order.
    fn is_kept(&self, d: &Dependence, from: (&Part, When), to: (&Part, When)) -> bool {
        let (early, late) = (from.1.place(), to.1.place());
        if early < late || (from.1 == When::InStep && to.1 == When::InStep) {
            return true;
        }
        let params = self.found.program.params.len();
        let source = End {
            site: self.found.source(d),
            first: params,
        };
        let sink = End {
            site: self.found.sink(d),
            first: params + source.site.domain.depth(),
        };
        d.pieces().iter().all(|piece| {
            let mut c = piece.clone();
            let k0 = c.add_local();
            let known = self.in_tile(&mut c, k0, source)
                && self.in_tile(&mut c, k0, sink)
                && self.of_part(&mut c, k0, source, from.0)
                && self.of_part(&mut c, k0, sink, to.0);
            known
                && match early > late {
                    true => is_empty(&c),
                    false => self.is_of_one_thread(&c, source, sink, from.1),
                }
        })
    }

    /// Whether all pairs of a delayed part are of one thread, and in it in the order that
    /// they have.
    fn is_of_one_thread(&self, c: &Conjunct, source: End, sink: End, when: When) -> bool {
        let counters = self.update.counters.iter().enumerate();
        counters.into_iter().all(|(at, counter)| {
            let (Some(s), Some(t)) = (source.column(counter.iv), sink.column(counter.iv)) else {
                return false;
            };
            let ordered = when == When::InOrderOf(at);
            let mut falls = c.clone();
            at_least(&mut falls, &[(s, 1), (t, -1)], -1);
            let mut grows = c.clone();
            at_least(&mut grows, &[(t, 1), (s, -1)], -1);
            is_empty(&falls) && (ordered || is_empty(&grows))
        })
    }

    /// Demands that the step of an access is one of the tile of `k0`.
    fn in_tile(&self, c: &mut Conjunct, k0: usize, end: End) -> bool {
        let Some(k) = end.column(self.steps.counter(self.ctx)) else {
            return false;
        };
        at_least(c, &[(k, 1), (k0, -1)], 0);
        at_least(c, &[(k0, 1), (k, -1)], self.size - 1);
        true
    }

    /// Demands that an iteration of the update is of a part.
    fn of_part(&self, c: &mut Conjunct, k0: usize, end: End, part: &Part) -> bool {
        let sides = [(&part.inside, false), (&part.beyond, true)];
        for (counters, beyond) in sides {
            for at in counters {
                let counter = &self.update.counters[*at];
                let (Some(column), Some(behind)) = (end.column(counter.iv), counter.behind) else {
                    return false;
                };
                let Some(split) = behind.checked_add(self.size - 1) else {
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
