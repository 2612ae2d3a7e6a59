//! Dependences without a write to the same element in between: of flow dependences
//! those from the last write before a read (P. Feautrier, "Dataflow analysis of array
//! and scalar references", 1991).
//!
//! A pair of iterations goes where there is an iteration of some write between them:
//! one that depends on the first and that the second depends on. So what goes is a
//! composition of two dependences, by way of each write.

use rustc_hash::FxHashMap;
use terrace_ir::Context;
use terrace_presburger::{Relation, Space};

use super::distance::extent;
use super::{Dependence, Dependences, Extent, Reason};

/// The most pieces that a difference may grow to.
const MAX_PIECES: usize = 16;

impl Dependences {
    /// The dependences through memory, less the pairs of iterations between which
    /// another access surely writes the element. Only accesses that are known exactly
    /// count as such writes.
    pub fn value_based(&self, ctx: &Context) -> Vec<Dependence> {
        let sites = &self.program.sites;
        let mut by_pair: FxHashMap<(usize, usize), Vec<&Dependence>> = FxHashMap::default();
        for d in &self.all {
            by_pair.entry((d.source, d.sink)).or_default().push(d);
        }
        // All that is known exactly between two accesses, whatever carries it.
        let exact = |from: usize, to: usize| -> Option<Relation> {
            let list = by_pair.get(&(from, to))?;
            let first = list.first()?;
            let pieces = list
                .iter()
                .filter(|d| d.is_exact())
                .flat_map(|d| d.pieces().iter().cloned())
                .collect();
            Some(Relation::from_pieces(first.space(), pieces))
        };
        let mut killed: FxHashMap<(usize, usize), Relation> = FxHashMap::default();
        let mut out = Vec::new();
        for d in &self.all {
            let (s, t) = (d.source, d.sink);
            let scalar = |i: usize| sites[i].element.as_ref().is_ok_and(|e| e.is_single());
            // Of two vectors, a write between may cover one common element of several.
            if !scalar(s) && !scalar(t) {
                out.push(d.clone());
                continue;
            }
            let killed = killed.entry((s, t)).or_insert_with(|| {
                let writes = sites.iter().filter(|w| w.writes);
                let through = writes.filter_map(|w| {
                    let before = exact(s, w.position)?;
                    Some(before.compose(&exact(w.position, t)?))
                });
                through.fold(Relation::empty(d.space()), |all, k| all.union(&k))
            });
            out.extend(without(ctx, self, d, killed));
        }
        out
    }
}

/// What is left of a dependence; `None` where that is nothing.
fn without(
    ctx: &Context,
    all: &Dependences,
    d: &Dependence,
    killed: &Relation,
) -> Option<Dependence> {
    if killed.pieces().is_empty() {
        return Some(d.clone());
    }
    let mut rest = d.clone();
    match difference(&d.relation(), killed) {
        Ok(left) if left.pieces().is_empty() => return None,
        Ok(left) => {
            rest.pieces = left.pieces().to_vec();
            let Space { params, inputs, .. } = d.space();
            let of_loop = |i: usize| match d.level() {
                Some(level) if i + 1 < level => Extent::exactly(0),
                _ => extent(&rest.pieces, params + i, params + inputs + i),
            };
            if !d.distance.is_empty() {
                rest.distance = (0..d.loops.len()).map(of_loop).collect();
            }
        }
        Err(unknown) => {
            let loc = all.source(d).op.loc(ctx);
            let reason = || Reason::new(loc, format!("whether a write comes between: {unknown}"));
            rest.doubt.get_or_insert_with(reason);
        }
    }
    Some(rest)
}

/// `from` without `killed`, one piece after the other.
///
/// # Errors
///
/// Where the answer has too many pieces, or an emptiness is not known.
fn difference(from: &Relation, killed: &Relation) -> Result<Relation, String> {
    let mut left = from.clone();
    for k in killed.pieces() {
        left = left
            .subtract(&Relation::from(k.clone()))
            .map_err(|u| u.to_string())?;
        let mut pieces = Vec::new();
        for p in left.pieces() {
            if !p.is_empty().map_err(|u| u.to_string())? {
                pieces.push(p.clone());
            }
        }
        if pieces.len() > MAX_PIECES {
            return Err("the answer has too many pieces".to_string());
        }
        left = Relation::from_pieces(from.space(), pieces);
    }
    Ok(left)
}
