//! Which iterations must stay in order: the dependences of a program.

use super::rows;
use super::units::{Unit, array, unit_of};
use crate::analysis::dependence::{Carrier, Dependences, Kind, Program, Reason};
use rustc_hash::FxHashMap;
use terrace_ir::{Context, Loc, Op};
use terrace_presburger::{Conjunct, Space};

/// Iterations of one unit that must come before iterations of another.
pub(super) struct Constraint {
    /// Numbers of units.
    pub(super) source: usize,
    pub(super) sink: usize,
    /// `None` where a loop carries a value.
    pub(super) kind: Option<Kind>,
    /// What it is about, for messages: `'A'`.
    pub(super) array: String,
    /// The ops that touch the memory, in the units.
    pub(super) source_loc: Loc,
    pub(super) sink_loc: Loc,
    /// Parameters, loops around the source, loops around the sink, of which the first
    /// ones are those of the units.
    pub(super) space: Space,
    pub(super) pieces: Vec<Conjunct>,
    /// The loop in a later iteration of which the sink is, all loops around it being in
    /// the same, by its place from the outside in; `None` where no loop is.
    pub(super) carrier: Option<usize>,
    pub(super) doubt: Option<Reason>,
}

impl Constraint {
    /// Whether it is about a value that a loop carries.
    pub(super) fn is_carried(&self) -> bool {
        self.kind.is_none()
    }

    /// What is between source and sink, for messages.
    pub(super) fn name(&self) -> String {
        match self.kind {
            Some(k) => format!("{} dependence on {}", k.name(), self.array),
            None => "value that the loop carries".to_string(),
        }
    }
}

/// All constraints.
pub(super) fn of(
    ctx: &Context,
    found: &Dependences,
    program: &mut Program,
    units: &[Unit],
) -> Vec<Constraint> {
    let numbers: FxHashMap<Op, usize> = units.iter().enumerate().map(|(i, u)| (u.op, i)).collect();
    let mut all = Vec::new();
    for d in &found.all {
        if d.kind == Kind::Input {
            continue;
        }
        let number = |op| numbers.get(&unit_of(ctx, op, program.root)).copied();
        let (Some(source), Some(sink)) = (number(d.source_op), number(d.sink_op)) else {
            continue;
        };
        all.push(Constraint {
            source,
            sink,
            kind: Some(d.kind),
            array: d.memref.map_or("memory".to_string(), |m| array(ctx, m)),
            source_loc: d.source_op.loc(ctx),
            sink_loc: d.sink_op.loc(ctx),
            space: d.space(),
            pieces: d.pieces().to_vec(),
            carrier: match d.carrier {
                Carrier::Loop(i) => Some(i),
                _ => None,
            },
            doubt: d.doubt.clone(),
        });
    }
    for (i, u) in units.iter().enumerate() {
        let n = u.ivs.len();
        all.extend((n.saturating_sub(u.ends)..n).map(|k| carried(program.params.len(), u, i, k)));
    }
    // What is said first is what is clearest: certain, and a value that is used.
    all.sort_by_key(|c| (c.doubt.is_some(), c.kind.map_or(0, rank)));
    all
}

/// How clear it is to people what a kind forbids: the least is clearest.
pub(super) fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Flow => 0,
        Kind::Anti => 1,
        Kind::Output => 2,
        Kind::Input => 3,
    }
}

/// Loop `k` around a unit carries a value: of two iterations of it, with all loops
/// around in the same, the earlier one comes first.
fn carried(params: usize, unit: &Unit, number: usize, k: usize) -> Constraint {
    let n = unit.ivs.len();
    let space = Space::map(params, n, n);
    let (x, y) = (params, params + n);
    let columns = |c: &Conjunct, first: usize| -> Vec<usize> {
        (0..c.space().params).chain(first..first + n).collect()
    };
    let mut pieces = Vec::new();
    for a in &unit.domain {
        for b in &unit.domain {
            let mut c = Conjunct::universe(space);
            rows::add(&mut c, a, &columns(a, x));
            rows::add(&mut c, b, &columns(b, y));
            for i in 0..k {
                rows::equal(&mut c, x + i, y + i);
            }
            rows::less(&mut c, x + k, y + k);
            pieces.push(c);
        }
    }
    Constraint {
        source: number,
        sink: number,
        kind: None,
        array: String::new(),
        source_loc: unit.loc,
        sink_loc: unit.loc,
        space,
        pieces,
        carrier: Some(k),
        doubt: unit.doubt.clone(),
    }
}
