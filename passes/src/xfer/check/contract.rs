//! Functions that are handed mirrors: what they do to the pairs, found by walking them from
//! each state in which they may be called.
//!
//! What a function says of its pairs is held against that at each return; what a call does
//! is what was found. A function that calls itself is not followed.

use super::is_about_mirrors;
use super::pairs::{Pair, pairs};
use super::parts::Boxes;
use super::pending::Tasks;
use super::report::Incoherence;
use super::state::{Called, Cell, LIVE};
use super::uses::{DEPTH, Summaries};
use super::walk::Walk;
use std::rc::Rc;
use terrace_dialects::xfer::Side;
use terrace_dialects::xfer::handed::Handed;
use terrace_ir::{Context, Op};

/// What is found of a function.
#[derive(Debug, Default)]
pub(super) struct Contract {
    /// What is wrong with it, in the order of the text.
    pub found: Vec<Incoherence>,
    /// By pair that it is handed, in order.
    pairs: Vec<(Handed, Called)>,
}

/// Walks a function: once, or once for each state that pairs may come in.
pub(super) fn of_function(
    ctx: &Context,
    function: Op,
    summaries: &mut Summaries,
    trust_table: bool,
) -> Rc<Contract> {
    if let Some(Some(known)) = summaries.contracts.get(&function) {
        return known.clone();
    }
    summaries.contracts.insert(function, None);
    let pairs = pairs(ctx, function, summaries);
    let contract = Rc::new(walked(ctx, function, &pairs, summaries, trust_table));
    summaries.contracts.insert(function, Some(contract.clone()));
    contract
}

fn walked(
    ctx: &Context,
    function: Op,
    pairs: &[Pair],
    summaries: &mut Summaries,
    trust_table: bool,
) -> Contract {
    let mut contract = Contract {
        found: Vec::new(),
        pairs: pairs
            .iter()
            .filter_map(|p| p.handed)
            .map(|h| {
                let called = Called {
                    needs: h.needs,
                    flags: h.flags,
                    to: [0; LIVE],
                };
                (h, called)
            })
            .collect(),
    };
    let mirrored = !pairs.is_empty() || is_about_mirrors(ctx, function, trust_table);
    // All pairs change together: what becomes of one does not depend on another.
    let starts: Vec<Vec<Cell>> = pairs.iter().map(|p| starts(p.handed)).collect();
    let rounds = starts.iter().map(Vec::len).max().unwrap_or(1);
    for round in 0..rounds {
        let start: Vec<Cell> = starts.iter().map(|s| s[round % s.len()]).collect();
        let tasks = Tasks::of(ctx, function, summaries);
        let boxes = Boxes::of(ctx, function, pairs);
        let mut walk = Walk::new(ctx, pairs, tasks, summaries, boxes, trust_table);
        walk.mirrored = mirrored;
        let (found, ends) = walk.function(function, &start);
        for i in found {
            let known = |k: &Incoherence| (k.op, k.array) == (i.op, i.array);
            if !contract.found.iter().any(known) {
                contract.found.push(i);
            }
        }
        let handed = pairs.iter().zip(&start).zip(&ends);
        let handed = handed.filter(|((p, _), _)| p.handed.is_some());
        for (((_, cell), ends), (_, called)) in handed.zip(&mut contract.pairs) {
            if let Some(to) = called.to.get_mut(cell.index()) {
                *to |= ends;
            }
        }
    }
    contract
}

/// The cells in which a pair may be when the function is entered; never none.
fn starts(handed: Option<Handed>) -> Vec<Cell> {
    let Some(h) = handed else {
        return vec![Cell::Bare];
    };
    let as_said = |c: &Cell| {
        let sides = [Side::Host, Side::Device];
        let valid = sides.into_iter().all(|s| !h.needs(s) || c.valid(s));
        valid && (!h.flags || c.false_flag().is_none())
    };
    (0..LIVE).map(Cell::of).filter(as_said).collect()
}

/// What a call of `callee` does to the pair that `h` tells of.
///
/// # Errors
///
/// Why that is not known, to stand behind "a function that".
pub(super) fn called(
    ctx: &Context,
    callee: Op,
    h: &Handed,
    summaries: &mut Summaries,
    trust_table: bool,
) -> Result<Called, &'static str> {
    if callee.region(ctx, 0).is_empty(ctx) {
        return Err("has no body");
    }
    if let Some(None) = summaries.contracts.get(&callee) {
        return Err("calls itself");
    }
    if summaries.walks >= DEPTH {
        return Err("stands at the end of too long a chain of calls");
    }
    summaries.walks += 1;
    let contract = of_function(ctx, callee, summaries, trust_table);
    summaries.walks -= 1;
    let pair = contract.pairs.iter().find(|p| p.0 == *h);
    pair.map(|p| p.1).ok_or("has no such pair")
}
