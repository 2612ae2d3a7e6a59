//! What of an update waits, and what else of a step with it: the policy.

use super::bounds::{ends_in_tile, is_same_end};
use super::find::UpdateNest;
use super::legal::{Judge, Piece, When};
use terrace_ir::Context;

/// What becomes of the nests of a step, and what else there is to say.
pub(super) struct Split {
    pub pieces: Vec<Piece>,
    pub words: String,
}

/// Splits an update, the first of `nests`: what is beyond the tile in all counters runs last. Of
/// two counters, what is in the tile in both stays in its step. What is in the tile in one of them
/// alone waits too, if it may: with the others of the nests, which set what it needs (as in LU the
/// quotients of a column), by a thread for each number that is beyond; or alone, by a thread for
/// all numbers that are in the tile. Else it stays in its step.
///
/// # Errors
///
/// Why nothing may wait.
pub(super) fn split(ctx: &Context, judge: &Judge, nests: &[UpdateNest]) -> Result<Split, String> {
    const UPDATE: usize = 0;
    let update = &nests[UPDATE];
    let moving = update.moving();
    let far = Piece::new(UPDATE, &[], &moving, When::Last);
    let (first, second) = match moving[..] {
        [q] => {
            let pieces = vec![Piece::new(UPDATE, &[q], &[], When::InStep), far];
            judge.check(&pieces)?;
            return Ok(said(pieces, String::new()));
        }
        [p, q] => (p, q),
        _ => return Err("none of its loops begins at the step's number and a constant".into()),
    };
    // What is beyond the tile in the first counter alone, and in the second alone.
    let side = |p: usize, q: usize, when| Piece::new(UPDATE, &[q], &[p], when);
    let sides = [(first, second), (second, first)];
    let near = Piece::new(UPDATE, &[first, second], &[], When::InStep);
    let mut why = String::new();
    // With the others in one of the two ways, and the other side alone.
    for (p, q) in sides {
        if is_named(update, p) {
            continue;
        }
        let others: Vec<usize> = (1..nests.len())
            .filter(|n| goes_with(ctx, nests, *n, p))
            .collect();
        // A sum for one number of the other counter after the other needs fewer stores.
        let ways = [
            (When::ThreadInOrder(p, q), When::ThreadBehind(0)),
            (When::ThreadOf(p), When::ThreadOf(0)),
        ];
        for (own, theirs) in ways {
            if own == When::ThreadInOrder(p, q) && !is_in_order(ctx, judge, update, p, q) {
                continue;
            }
            let mut pieces = vec![near.clone(), side(p, q, own)];
            for n in &others {
                pieces.push(Piece::new(*n, &[0], &[], When::InStep));
                pieces.push(Piece::new(*n, &[], &[0], theirs));
            }
            if !judge.is_empty(&side(q, p, When::InStep).part) {
                if is_named_by_others(update, p) {
                    continue;
                }
                pieces.push(side(q, p, When::InOrderOf(p)));
            }
            pieces.push(far.clone());
            match judge.check(&pieces) {
                Ok(()) => return Ok(said(pieces, String::new())),
                Err(dependence) => why = dependence,
            }
        }
    }
    // One of the sides in its step, the other alone, or in its step as well.
    for (p, q) in sides {
        let stays = Piece::new(UPDATE, &[q], &[], When::InStep);
        let rest = side(q, p, When::InOrderOf(p));
        let mut pieces = vec![stays];
        if !judge.is_empty(&rest.part) {
            if is_named_by_others(update, p) {
                continue;
            }
            pieces.push(rest);
        }
        pieces.push(far.clone());
        if judge.check(&pieces).is_ok() {
            return Ok(said(pieces, stay(&why)));
        }
    }
    let pieces = vec![
        Piece::new(UPDATE, &[second], &[], When::InStep),
        side(second, first, When::InStep),
        far,
    ];
    judge.check(&pieces)?;
    Ok(said(pieces, stay(&why)))
}

fn said(pieces: Vec<Piece>, words: String) -> Split {
    Split { pieces, words }
}

fn stay(why: &str) -> String {
    let colon = if why.is_empty() { "" } else { ": " };
    format!("; some of what is beyond it by one counter alone stays in its step{colon}{why}")
}

/// Whether a thread may go over all numbers of a counter that are in the tile, each of which is a
/// step's own but for the first: those behind the step, up to the tile's end.
fn is_in_order(ctx: &Context, judge: &Judge, update: &UpdateNest, p: usize, q: usize) -> bool {
    let (thread, by) = (&update.counters[p], &update.counters[q]);
    by.behind == Some(1)
        && !thread.upper.operands.contains(&by.iv)
        && ends_in_tile(ctx, judge.steps, by, &[thread], judge.tiles).is_empty()
}

/// Whether a nest has one loop, over the same numbers as a counter of the update.
fn goes_with(ctx: &Context, nests: &[UpdateNest], n: usize, counter: usize) -> bool {
    let c = &nests[0].counters[counter];
    match &nests[n].counters[..] {
        [own] => own.behind == c.behind && is_same_end(ctx, &own.upper, &c.upper),
        _ => false,
    }
}

/// Whether bounds of a counter name others: then its loop stays in theirs.
fn is_named(update: &UpdateNest, p: usize) -> bool {
    let own = &update.counters[p];
    let mut others = update.counters.iter().filter(|c| c.iv != own.iv);
    others.any(|c| {
        [&own.lower, &own.upper]
            .iter()
            .any(|b| b.operands.contains(&c.iv))
    })
}

/// Whether bounds of other counters name this one: then its loop stays around theirs.
fn is_named_by_others(update: &UpdateNest, p: usize) -> bool {
    let iv = update.counters[p].iv;
    let mut others = update.counters.iter().filter(|c| c.iv != iv);
    others.any(|c| {
        [&c.lower, &c.upper]
            .iter()
            .any(|b| b.operands.contains(&iv))
    })
}
