//! Accesses as the compiler makes them.
//!
//! Loads whose address a serial loop does not change are made once for all its iterations,
//! where no access to other elements of the array is in the way; stores behind it, where
//! nothing else can be the same memory. An element is loaded once, not again behind another
//! load or a store of it. A loop that may go round not once keeps a condition around what
//! leaves it. Loops of few constant trips are unrolled, other innermost ones by
//! four, and what iterations next to each other load in common is loaded once ([`share`]).

use super::nest::{Affine, Guard, Nest, Reference, Upper};
use std::collections::BTreeSet;

/// Iterations of innermost loops with constant trips that become straight code.
const UNROLLED: i64 = 128;

/// Iterations of other innermost loops that the compiler puts next to each other.
pub(crate) const UNROLLED_BY: i64 = 4;

/// Moves accesses out of loops and leaves out those that are made already.
pub(crate) fn simplify(nest: &mut Nest) {
    hoist(nest);
    deduplicate(nest);
}

fn hoist(nest: &mut Nest) {
    loop {
        let mut moves = Vec::new();
        for (i, r) in nest.references.iter().enumerate() {
            let Some(l) = r.loops.last().copied() else {
                continue;
            };
            let array = &nest.arrays[r.array];
            let runs = nest.loops[l].constant_trips() != Some(0);
            if nest.parallel.contains(&l)
                || !runs
                || r.writes && !array.unaliased
                || r.address.coefficient(l) != 0
                || !r.guards.is_empty()
            {
                continue;
            }
            // Other elements of the same memory, of which one may be this.
            let in_the_way = nest.references.iter().any(|o| {
                nest.arrays[o.array].memory == array.memory
                    && o.loops.contains(&l)
                    && (o.writes || r.writes)
                    && !(o.address == r.address && o.bytes == r.bytes && o.loops == r.loops)
            });
            if !in_the_way {
                moves.push((i, l));
            }
        }
        if moves.is_empty() {
            return;
        }
        // Where a load and a store of an element leave a loop, a register goes from one
        // iteration to the next.
        let kept = |r: &Reference, o: &Reference| {
            !r.writes && o.writes && o.address == r.address && o.loops == r.loops
        };
        let mut chains: Vec<Vec<usize>> = Vec::new();
        for (i, _) in &moves {
            let r = &nest.references[*i];
            if nest.references.iter().any(|o| kept(r, o)) {
                chains.push(r.loops.clone());
            }
        }
        for loops in chains {
            if let Some(w) = nest.work.iter_mut().find(|w| w.loops == loops) {
                w.chain = w.chain.max(1.0);
            }
        }
        for (i, l) in moves {
            let guards = guards(nest, l);
            let r = &mut nest.references[i];
            r.loops.retain(|o| *o != l);
            r.guards.extend(guards);
            let note = format!(
                "'{}' is stored behind its loop, as kernels do that are promised the array alone",
                r.text
            );
            if r.writes && !nest.notes.contains(&note) {
                nest.notes.push(note);
            }
        }
    }
}

/// The conditions under which a loop runs at all, of one for which that is not known.
fn guards(nest: &Nest, l: usize) -> Vec<Guard> {
    let minus_one = Affine::constant(-1);
    let one = |u: &Upper| {
        let value = u.span.plus(&minus_one, 1)?;
        Some(Guard {
            value,
            equal: false,
        })
    };
    match nest.loops[l].constant_trips() {
        Some(_) => Vec::new(),
        None => nest.loops[l].uppers.iter().filter_map(one).collect(),
    }
}

fn deduplicate(nest: &mut Nest) {
    let mut kept: Vec<Reference> = Vec::new();
    let memory = |r: &Reference| nest.arrays[r.array].memory;
    for r in std::mem::take(&mut nest.references) {
        let same = |o: &Reference| {
            o.array == r.array
                && o.address == r.address
                && o.bytes == r.bytes
                && o.loops == r.loops
                && o.guards == r.guards
        };
        let before = kept.iter().rposition(same);
        let known = !r.writes
            && before.is_some_and(|i| {
                let mut since = kept[i + 1..].iter();
                !since.any(|o| o.writes && memory(o) == memory(&r))
            });
        // A store that a later one of the same element follows with no load between is lost.
        let lost = r.writes
            && before.is_some_and(|i| {
                let mut since = kept[i + 1..].iter();
                kept[i].writes && !since.any(|o| memory(o) == memory(&r))
            });
        if lost && let Some(i) = before {
            kept.remove(i);
        }
        if !known {
            kept.push(r);
        }
    }
    nest.references = kept;
}

/// The innermost serial loops around an access that become straight code, and how many
/// iterations they have together.
pub(crate) fn unrolled(nest: &Nest, loops: &[usize], mapped: &[usize]) -> (Vec<usize>, i64) {
    let mut out = Vec::new();
    let mut all = 1;
    for l in loops.iter().rev().filter(|l| !mapped.contains(l)) {
        let trips = nest.loops[*l].constant_trips().unwrap_or(i64::MAX).max(1);
        match trips.checked_mul(all) {
            Some(n) if n <= UNROLLED => all = n,
            _ => break,
        }
        out.push(*l);
    }
    (out, all)
}

/// The loops whose iterations stand next to each other in the code: those that become
/// straight code, and the one around them, of which some iterations do.
pub(crate) fn straight(nest: &Nest, loops: &[usize], mapped: &[usize]) -> Vec<usize> {
    let (mut out, _) = unrolled(nest, loops, mapped);
    let serial = loops.iter().rev().filter(|l| !mapped.contains(l));
    out.extend(serial.copied().nth(out.len()));
    out
}

/// Of the loads that an access stands for, the part that is made: elements that iterations
/// next to each other, and accesses beside it that differ by a number, have in common count once.
pub(crate) fn share(nest: &Nest, r: &Reference, mapped: &[usize]) -> f64 {
    let alike = |o: &&Reference| {
        !o.writes
            && o.array == r.array
            && o.bytes == r.bytes
            && o.loops == r.loops
            && o.address.terms == r.address.terms
            && o.guards == r.guards
    };
    let memory = nest.arrays[r.array].memory;
    let written =
        (nest.references.iter()).any(|o| o.writes && nest.arrays[o.array].memory == memory);
    let loops = next_to_each_other(nest, &r.loops, mapped);
    if !nest.optimised || r.writes || written || loops.is_empty() {
        return 1.0;
    }
    let iterations: i64 = loops.iter().map(|l| l.1).product();
    let mut values: BTreeSet<i64> = BTreeSet::new();
    let mut made = 0.0;
    for o in nest.references.iter().filter(alike) {
        let mut here = vec![o.address.constant];
        for (l, trips) in &loops {
            let c = r.address.coefficient(*l);
            here = (here.iter())
                .flat_map(|v| (0..*trips).map(move |t| v.wrapping_add(t.wrapping_mul(c))))
                .collect();
        }
        made += iterations as f64;
        values.extend(here);
    }
    values.len() as f64 / f64::max(made, 1.0)
}

/// Loops whose iterations share what they load, and how many of theirs do: all of those
/// that become straight code; where there are none, some of the innermost one's.
fn next_to_each_other(nest: &Nest, loops: &[usize], mapped: &[usize]) -> Vec<(usize, i64)> {
    let trips = |l: usize| nest.loops[l].constant_trips();
    let (whole, _) = unrolled(nest, loops, mapped);
    if !whole.is_empty() {
        return (whole.iter())
            .map(|l| (*l, trips(*l).unwrap_or(1)))
            .collect();
    }
    let inner = loops.last().filter(|l| !mapped.contains(l));
    let some = |l: &usize| (*l, trips(*l).unwrap_or(UNROLLED_BY).min(UNROLLED_BY));
    inner.map(some).into_iter().collect()
}
