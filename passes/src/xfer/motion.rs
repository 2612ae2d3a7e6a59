//! Where copies go: lazy code motion.
//!
//! Making an array valid on a side is like computing an expression: a use on that side
//! wants it, a write on the other side makes an earlier computation worthless. So the
//! places are those of Knoop, Rüthing and Steffen, "Lazy code motion" (PLDI 1992), in
//! the form of Aho, Lam, Sethi and Ullman, "Compilers", 2nd edition, section 9.5: as few
//! copies on every path as can be without a copy that the path does not need, and each
//! as late as that allows. That takes copies out of loops upwards, and, for the opposite
//! direction, past the end of loops: what Allazov, Guda and Morylev (2017) reach by
//! sinking copies statement by statement.

use super::flow::Flow;

/// One array, one side.
pub struct Problem {
    /// By node: the array has to be valid on the side.
    pub uses: Vec<bool>,
    /// The side is stale after the node.
    pub kills: Vec<bool>,
    /// The array counts as valid after the node, and what was in it before does not
    /// matter.
    pub renews: Vec<bool>,
    /// Whether the array is valid on the side where the function begins.
    pub at_entry: bool,
}

/// For each node, whether the array is wanted on the side on all paths from there, before
/// what is there would be worthless.
pub fn wanted(flow: &Flow, p: &Problem) -> Vec<bool> {
    let nodes = &flow.nodes;
    let n = nodes.len();
    let mut wanted_in = vec![true; n];
    until_stable(|| {
        let mut changed = false;
        for k in (0..n).rev() {
            let out = !nodes[k].succ.is_empty() && nodes[k].succ.iter().all(|s| wanted_in[*s]);
            let new = p.uses[k] || !p.kills[k] && !p.renews[k] && out;
            changed |= std::mem::replace(&mut wanted_in[k], new) != new;
        }
        changed
    });
    wanted_in
}

/// The nodes at whose entry the array is to be made valid on the side.
pub fn places(flow: &Flow, p: &Problem) -> Vec<bool> {
    let nodes = &flow.nodes;
    let n = nodes.len();
    let wanted_in = wanted(flow, p);
    // Valid on all paths to here, if it were made so wherever it is wanted.
    let on_all_ways = |k: usize, of: &[bool], at_entry: bool| {
        let preds = nodes[k].pred.iter().all(|q| of[*q]);
        preds && (k != 0 || at_entry)
    };
    let mut valid_out = vec![true; n];
    let mut valid_in = vec![true; n];
    until_stable(|| {
        let mut changed = false;
        for k in 0..n {
            valid_in[k] = on_all_ways(k, &valid_out, p.at_entry);
            let new = !p.kills[k] && (p.renews[k] || p.uses[k] || wanted_in[k] || valid_in[k]);
            changed |= std::mem::replace(&mut valid_out[k], new) != new;
        }
        changed
    });
    let earliest: Vec<bool> = (0..n).map(|k| wanted_in[k] && !valid_in[k]).collect();
    // It can wait until here on all paths.
    let mut waits_in = vec![true; n];
    let mut waits_out = vec![true; n];
    until_stable(|| {
        let mut changed = false;
        for k in 0..n {
            waits_in[k] =
                on_all_ways(k, &waits_out, false) && (k == 0 || !nodes[k].pred.is_empty());
            let new = (earliest[k] || waits_in[k]) && !p.uses[k];
            changed |= std::mem::replace(&mut waits_out[k], new) != new;
        }
        changed
    });
    let could: Vec<bool> = (0..n).map(|k| earliest[k] || waits_in[k]).collect();
    (0..n)
        .map(|k| could[k] && (p.uses[k] || !nodes[k].succ.iter().all(|s| could[*s])))
        .collect()
}

fn until_stable(mut pass: impl FnMut() -> bool) {
    while pass() {}
}
