//! Whether two nests may be one: whether no iteration of the one needs what another
//! iteration of the other does.

use super::build::Fused;
use crate::analysis::dependence::{AccessSite, Carrier, Options, dependences_between, words};
use terrace_ir::{Context, Op, OpKind};

/// Accesses of a fused body, at most, of which pairs are looked at.
const MAX_ACCESSES: usize = 128;

/// Judges a fused nest as it stands. Two iterations of the nests that touch the same element
/// must have the same counters: in the fused nest no parallel loop carries what is between
/// the two halves of the body.
///
/// # Errors
///
/// What is in the way, in words.
pub fn check(ctx: &Context, fused: &Fused) -> Result<(), String> {
    let root = fused.fused.op();
    let body = fused.seam.block(ctx);
    let second = |op: Op| {
        let here = body.and_then(|b| op.ancestor_in(ctx, b));
        here.is_some_and(|o| o == fused.seam || fused.seam.is_before(ctx, o))
    };
    let options = Options {
        distances: false,
        ..Options::default()
    };
    let other_half = |s: &AccessSite, t: &AccessSite| second(s.op) != second(t.op);
    let found = dependences_between(ctx, root, &options, MAX_ACCESSES, &other_half)
        .ok_or_else(|| format!("they have more than {MAX_ACCESSES} accesses"))?;
    let carried = found.all.iter().find(|d| match d.carrier {
        Carrier::Loop(i) => i < fused.depth,
        Carrier::Independent => false,
        Carrier::Opaque(_) => true,
    });
    carried.map_or(Ok(()), |d| Err(words::sentence(ctx, &found, d)))
}
