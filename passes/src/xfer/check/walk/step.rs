//! One op as a step: what it does to the cells of each pair, and what is wrong with that.

use super::super::report::{Incoherence, array_words, is_cause, message};
use super::super::state::{Action, CELLS, Cell, Wrong, step};
use super::super::trail::{Trail, What};
use super::Walk;
use super::known::{Cells, State};
use crate::xfer::check::effects::{Effect, Effects};
use std::rc::Rc;
use terrace_dialects::xfer::Side;
use terrace_dialects::xfer::handed::Leaves;
use terrace_ir::Op;

impl Walk<'_> {
    pub(super) fn effects(&mut self, op: Op) -> Rc<Vec<Effect>> {
        if let Some(d) = self.effects.get(&op) {
            return d.clone();
        }
        let mut effects = Effects {
            ctx: self.ctx,
            pairs: self.pairs,
            summaries: self.summaries,
            boxes: &mut self.boxes,
            trust_table: self.trust_table,
        };
        let list = match self.mirrored {
            true => effects.of(op),
            false => Vec::new(),
        };
        let list = Rc::new(list);
        self.effects.insert(op, list.clone());
        list
    }

    pub(super) fn step(&mut self, op: Op, mut state: State) -> State {
        if let Some(known) = &mut state.0 {
            self.asynchronous(op, known);
        }
        self.step_table(op, &mut state);
        let effects = self.effects(op);
        for d in effects.iter() {
            match d {
                Effect::Act { pair, parts, .. } => {
                    let places = self.first[*pair]..self.first[*pair + 1];
                    if let Some(known) = &mut state.0 {
                        for (part, at) in places.enumerate() {
                            if parts >> part & 1 == 1 {
                                known.cells[at] = self.act(op, d, known.cells[at]);
                            }
                        }
                    }
                }
                Effect::Bad { array, message, at } => {
                    if state.0.is_some() && self.reported.insert((op, *array)) {
                        self.found.push(Incoherence {
                            op: *at,
                            array: *array,
                            message: message.clone(),
                            path: Vec::new(),
                        });
                    }
                }
            }
        }
        if let Some(list) = self.changes.at_ops.get(&op) {
            self.mix(list, &mut state);
        }
        state
    }

    /// Boxes, by pair, are others from here on: what was inside may be outside, and the
    /// other way round.
    pub(super) fn mix(&self, list: &[(usize, usize)], state: &mut State) {
        let Some(known) = &mut state.0 else { return };
        let mut pairs: Vec<usize> = list.iter().map(|l| l.0).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for pair in pairs {
            let of_pair = list.iter().filter(|l| l.0 == pair);
            let boxes: Vec<usize> = of_pair.map(|l| l.1).collect();
            let all = &mut known.cells[self.first[pair]..self.first[pair + 1]];
            let before = all.to_vec();
            for (part, cells) in all.iter_mut().enumerate() {
                let alike = self.boxes.alike(pair, part, &boxes);
                for (_, b) in before
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| alike >> k & 1 == 1)
                {
                    cells.iter_mut().zip(b).for_each(|(a, b)| *a = a.or(*b));
                }
            }
        }
    }

    fn act(&mut self, op: Op, effect: &Effect, cells: Cells) -> Cells {
        let Effect::Act {
            pair,
            action,
            at,
            surely,
            ..
        } = *effect
        else {
            return cells;
        };
        let mut after: Cells = [None; CELLS];
        for (i, trail) in cells.iter().enumerate() {
            let Some(trail) = *trail else { continue };
            let from = Cell::of(i);
            if action == Action::Leave {
                self.ends[pair] |= 1 << i;
                if let Some(why) = self.is_not_as_said(pair, from) {
                    self.report(op, at, pair, action, why, trail);
                }
            }
            let outcome = step(from, action);
            if let Some(why) = outcome.wrong
                && (surely || matches!(why, Wrong::Stale(_)))
            {
                self.report(op, at, pair, action, why, trail);
            }
            for to in outcome.to {
                let slot = &mut after[to.index()];
                if slot.is_none() {
                    *slot = Some(match happened(from, action, to) {
                        Some(what) => self.trails.add(trail, at, what),
                        None => trail,
                    });
                }
            }
        }
        after
    }

    /// What a function says of a pair that it is handed, and is not so of a cell in which it
    /// returns.
    fn is_not_as_said(&self, pair: usize, cell: Cell) -> Option<Wrong> {
        let h = self.pairs[pair].handed?;
        if !matches!(cell, Cell::Live { .. }) {
            return Some(Wrong::NoMirror);
        }
        for side in [Side::Host, Side::Device] {
            let must = match h.leaves(side) {
                Leaves::Valid => true,
                Leaves::Kept => self.start[pair].valid(side),
                Leaves::Stale | Leaves::Unknown => false,
            };
            if must && !cell.valid(side) {
                return Some(Wrong::Stale(side));
            }
        }
        cell.false_flag().filter(|_| h.flags).map(Wrong::Flags)
    }

    fn report(&mut self, op: Op, at: Op, pair: usize, action: Action, why: Wrong, trail: Trail) {
        let array = self.pairs[pair].array;
        if !self.reported.insert((op, array)) {
            return;
        }
        self.found.push(Incoherence {
            op: at,
            array,
            message: message(&array_words(self.ctx, array), action, why),
            path: self
                .trails
                .explain(self.ctx, trail, |what| is_cause(why, what)),
        });
    }
}

/// What there is to say of the change of a cell.
fn happened(from: Cell, action: Action, to: Cell) -> Option<What> {
    if let (Action::Ensure(side), Cell::Live { flag, .. }) = (action, from)
        && flag.has(side)
        && !from.valid(side)
    {
        return Some(What::Skipped(side));
    }
    if from == to {
        return None;
    }
    match action {
        Action::Write(side) | Action::Overwrite(side) => Some(What::Wrote(side)),
        Action::Copy(_) | Action::CopyPart(_) | Action::CopyBox(_) | Action::Ensure(_) => {
            Some(What::Copied)
        }
        // The mistake is reported; what follows goes on as after a copy.
        Action::Read(_) | Action::Assert(_) | Action::Return => Some(What::Copied),
        Action::Call(_) => Some(match (to.valid(Side::Host), to.valid(Side::Device)) {
            (false, _) => What::Wrote(Side::Device),
            (_, false) => What::Wrote(Side::Host),
            _ => What::Copied,
        }),
        Action::WriteElsewhere => Some(What::WroteElsewhere),
        Action::Discard | Action::DiscardBox => Some(What::Discarded),
        Action::Mark(side) => Some(What::Marked(side)),
        Action::Create | Action::CreateAgain => Some(What::Made),
        Action::Free => Some(What::FreedMirror),
        Action::FreeArray => Some(What::FreedArray),
        Action::Alloc | Action::AllocAgain => Some(What::Allocated),
        Action::MayDiscard | Action::AnyFlags | Action::Leave => None,
    }
}
