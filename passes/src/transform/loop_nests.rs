//! Patterns of affine loops, each somewhere inside the one before.

use terrace_dialects::affine::ForOp;
use terrace_ir::{Context, Op};

/// Loops that match a pattern.
pub struct Match {
    /// The outermost.
    pub root: Op,
    /// Every loop with its place in the pattern.
    pub loops: Vec<(Op, usize)>,
}

/// The loops inside `f` that hold, for each further place of a pattern of `depth`, a loop
/// that fits it; inner ones first. `fits` says so of a loop and its place.
pub fn matches(
    ctx: &Context,
    f: Op,
    depth: usize,
    fits: &dyn Fn(ForOp, usize) -> bool,
) -> Vec<Match> {
    at(ctx, f, 0, depth, fits)
}

fn at(
    ctx: &Context,
    around: Op,
    place: usize,
    depth: usize,
    fits: &dyn Fn(ForOp, usize) -> bool,
) -> Vec<Match> {
    let mut found = Vec::new();
    for op in around.post_order(ctx) {
        let Some(l) = op.cast::<ForOp>(ctx).filter(|_| op != around) else {
            continue;
        };
        if !fits(l, place) {
            continue;
        }
        let mut loops = vec![(op, place)];
        if place + 1 < depth {
            let inside = at(ctx, op, place + 1, depth, fits);
            if inside.is_empty() {
                continue;
            }
            loops.extend(inside.into_iter().flat_map(|m| m.loops));
        }
        found.push(Match { root: op, loops });
    }
    found
}

/// Matches in sets, those of one set one inside another's root: only one of a set can be
/// transformed.
pub fn overlapping(ctx: &Context, all: Vec<Match>) -> Vec<Vec<Match>> {
    let mut sets: Vec<(Op, Vec<Match>)> = Vec::new();
    for m in all {
        let place = sets.iter().position(|(root, _)| {
            root.is_ancestor_of(ctx, m.root) || m.root.is_ancestor_of(ctx, *root)
        });
        match place {
            Some(i) => {
                if m.root.is_ancestor_of(ctx, sets[i].0) {
                    sets[i].0 = m.root;
                }
                sets[i].1.push(m);
            }
            None => sets.push((m.root, vec![m])),
        }
    }
    sets.into_iter().map(|s| s.1).collect()
}
