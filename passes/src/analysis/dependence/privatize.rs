//! Arrays and scalars of which each iteration of a loop may have a copy of its own.
//!
//! So it is where every element that an iteration reads was written before in the
//! same iteration: then no value goes from one iteration to another, though they use
//! the same memory (P. Tu, D. Padua, "Automatic array privatization", 1993).

use terrace_ir::{Context, Value};
use terrace_presburger::{Relation, Space};

use super::object::{allocated, escapes};
use super::{AccessSite, Carrier, Dependence, Dependences, LoopDim};
use crate::analysis::memory::base;

/// Memory that may be private to each iteration of a loop.
#[derive(Debug, Clone)]
pub(crate) struct Private {
    pub(crate) of: LoopDim,
    pub(crate) memref: Value,
    /// Whether what is written in the loop may be read after it, so that the last
    /// write of each element has to reach the original.
    pub live_out: bool,
}

impl Dependences {
    /// For each loop, the memory that it only carries dependences of because iterations
    /// use it one after another, the outermost loops first.
    pub(crate) fn privatizable(&self, ctx: &Context) -> Vec<Private> {
        let mut candidates: Vec<(LoopDim, Value)> = Vec::new();
        for d in &self.all {
            if let (Some(l), Some(m)) = (d.carrying_loop(), d.memref)
                && !candidates.contains(&(l, m))
            {
                candidates.push((l, m));
            }
        }
        let sites = &self.program.sites;
        let place = |l: &LoopDim| {
            let first = sites.iter().position(|s| s.domain.loops.contains(l));
            let depth = first.and_then(|i| sites[i].domain.loops.iter().position(|x| x == l));
            (first, depth)
        };
        candidates.sort_by_key(|(l, _)| place(l));
        candidates.retain(|(l, m)| self.written_first(*l, *m));
        candidates
            .into_iter()
            .map(|(of, memref)| Private {
                of,
                memref,
                live_out: self.live_out(ctx, of, memref),
            })
            .collect()
    }

    /// Whether each read of `m` in `l` is of an element written before in the same
    /// iteration of `l`.
    fn written_first(&self, l: LoopDim, m: Value) -> bool {
        let p = &self.program;
        let inside = |i: usize| p.sites[i].domain.loops.contains(&l);
        let mut some_write = false;
        for s in p.sites.iter().filter(|s| inside(s.position)) {
            let Some(memref) = s.memref else {
                return false;
            };
            if memref != m {
                if base_same(self, s.position, m) {
                    return false;
                }
                continue;
            }
            some_write |= s.writes;
            let Ok(element) = &s.element else {
                return false;
            };
            if s.writes {
                continue;
            }
            // A vector read may find one element written and another not.
            if !element.is_single() {
                return false;
            }
            let space = Space::set(p.params.len(), s.domain.depth());
            let mut covered = Relation::empty(space);
            for d in self.all.iter().filter(|d| d.sink == s.position) {
                let source = &p.sites[d.source];
                let deeper = match (d.carrier, d.loops.iter().position(|x| *x == l)) {
                    (Carrier::Loop(level), Some(at)) => level > at,
                    (Carrier::Independent, Some(_)) => true,
                    _ => false,
                };
                if deeper && source.writes && d.is_exact() {
                    covered = covered.union(&d.relation().range());
                }
            }
            if s.domain.set(&p.params).is_subset(&covered) != Ok(true) {
                return false;
            }
        }
        some_write
    }

    fn live_out(&self, ctx: &Context, l: LoopDim, m: Value) -> bool {
        let root = base(ctx, m);
        if !allocated(ctx, root) || escapes(ctx, root) {
            return true;
        }
        // Memory that an iteration of a loop around allocates ends with it.
        let reads = self.program.sites.iter().filter(|s| {
            !s.writes && !s.domain.loops.contains(&l) && s.memref.is_none_or(|x| x == m)
        });
        let mut reads = reads;
        reads.any(|r| {
            let from_loop =
                |d: &Dependence| d.sink == r.position && self.source(d).domain.loops.contains(&l);
            self.all.iter().any(from_loop) && !self.written_since(l, r)
        })
    }

    /// Whether every element that `read`, which is not in `l`, finds was written after `l`
    /// last ran: by what stands behind it, or, for what stands in front of it in a loop
    /// around both, in the same iteration of that.
    fn written_since(&self, l: LoopDim, read: &AccessSite) -> bool {
        let sites = &self.program.sites;
        let mut inside = sites.iter().filter(|s| s.domain.loops.contains(&l));
        let Some(last) = inside.next_back().map(|s| s.position) else {
            return true;
        };
        let around = &sites[last].domain.loops;
        let loops = read.domain.loops.iter().zip(around);
        let common = loops.take_while(|(a, b)| a == b).count();
        self.is_written_before(read, |d| {
            let write = &sites[d.source];
            let same_iteration = match d.carrier {
                Carrier::Loop(level) => level >= common,
                Carrier::Independent => true,
                Carrier::Opaque(_) => false,
            };
            same_iteration
                && !write.domain.loops.contains(&l)
                && (read.position < last || write.position > last)
        })
    }
}

/// Whether some dependence says that the access may touch the memory `m` too.
fn base_same(all: &Dependences, site: usize, m: Value) -> bool {
    let sites = &all.program.sites;
    all.all.iter().any(|d| {
        (d.source == site && sites[d.sink].memref == Some(m))
            || (d.sink == site && sites[d.source].memref == Some(m))
    })
}
