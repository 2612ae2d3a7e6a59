//! The walk over all paths, as far as it follows one array through the table.

use super::super::pending::Pending;
use super::super::report::array_words;
use super::super::walk::{Known, State as Point, Walk};
use super::effects::{Effect, Focus};
use super::functions::{Called, called};
use super::report::{Finding, Words, happened, is_cause, message};
use super::state::{Act, Buffers, OF_CALLER, State, Wrong};
use super::ways::Table;
use std::rc::Rc;
use terrace_ir::Op;

impl Walk<'_> {
    /// What is wrong with what a function does to an array by the table, where it is entered
    /// with the array in a state, and what it does.
    pub(crate) fn array(mut self, function: Op, focus: Focus, start: State) -> Called {
        self.focus = Some(focus);
        let trail = self.trails.start(function);
        let start = Point(Some(Known::of_table(Table::start(start, OF_CALLER, trail))));
        self.region(function.region(self.ctx, 0), start);
        let ends = self.table_ends.states.iter();
        let ends = ends.map(|(s, (b, _))| (s.clone(), b & OF_CALLER != 0));
        Called {
            to: ends.collect(),
            found: self.table_found,
            touches: self.table_touches,
        }
    }

    /// What an op does to the array that is followed.
    pub(crate) fn of_table(&mut self, op: Op) -> Rc<Vec<Effect>> {
        let Some(focus) = &self.focus else {
            return Rc::default();
        };
        if let Some(known) = self.table_effects.get(&op) {
            return known.clone();
        }
        let made = Rc::new(focus.effects(self.ctx, op, self.summaries));
        self.table_effects.insert(op, made.clone());
        made
    }

    /// On the ways into and past a branch, what was asked about the array is so.
    pub(crate) fn asked(&mut self, op: Op, yes: bool, point: &mut Point) {
        let asked = self.focus.as_ref().and_then(|f| f.asked(self.ctx, op));
        let (Some(span), Some(known)) = (asked, &mut point.0) else {
            return;
        };
        let asks = op.operand(self.ctx, 0).def_op();
        let mut between = asks.and_then(|a| a.next(self.ctx));
        while let Some(o) = between.filter(|o| *o != op) {
            if !self.of_table(o).is_empty() || o.num_regions(self.ctx) > 0 {
                return;
            }
            between = o.next(self.ctx);
        }
        known.table.keep(|s| s.is_present(span) != Some(!yes));
        if known.table.states.is_empty() {
            point.0 = None;
        }
    }

    pub(crate) fn leaves_table(&mut self, point: &Point) {
        if let Some(known) = &point.0 {
            self.table_ends.join(&known.table);
        }
    }

    pub(crate) fn step_table(&mut self, op: Op, point: &mut Point) {
        let effects = self.of_table(op);
        let (Some(known), false) = (&mut point.0, effects.is_empty()) else {
            return;
        };
        for effect in effects.iter() {
            let before = std::mem::take(&mut known.table);
            let mut after = Table {
                full: before.full,
                ..Table::default()
            };
            if before.full {
                known.table = before;
                return;
            }
            for (state, (buffers, trail)) in before.states {
                match effect {
                    Effect::Act { act, at, surely } => {
                        let mut to = state.clone();
                        let mut now = buffers;
                        let outcome = to.step(act, &mut now);
                        self.done_meanwhile(op, act, (&state, &to), known);
                        if let Err(why) = outcome {
                            self.wrong(op, (*at, why), message(act, why), trail, Vec::new());
                        }
                        let many = matches!(&state, State::Known(k) if k.stays_at_many(act));
                        if !surely || many {
                            after.insert(state.clone(), buffers, trail);
                        }
                        let trail = match happened(&state, &to) {
                            Some(what) => self.trails.add(trail, *at, what),
                            None => trail,
                        };
                        after.insert(to, now, trail);
                    }
                    Effect::Call { callee, root, at } => {
                        let (ctx, trust) = (self.ctx, self.trust_table);
                        let found = called(ctx, *callee, *root, &state, self.summaries, trust);
                        let Some(found) = found else {
                            let (act, why) = (Act::Anything, Wrong::WhatItDoes);
                            self.wrong(op, (*at, why), message(&act, why), trail, Vec::new());
                            after.insert(State::Unknown, buffers, trail);
                            continue;
                        };
                        self.called_meanwhile(op, &found.touches, &state, known);
                        if let Some(first) = found.found.first() {
                            let theirs = root.value(ctx, *callee);
                            let said = first.words.with(&array_words(ctx, theirs));
                            let words =
                                Words::new("hands over ", format!(" to a function that {said}"));
                            let mut path = vec![(
                                first.op.loc(ctx),
                                format!("this '{}' of the function", first.op.name(ctx)),
                            )];
                            path.extend(first.path.clone());
                            self.wrong(op, (*at, first.why), words, trail, path);
                        }
                        for (to, kept) in &found.to {
                            let now: Buffers = if *kept { buffers } else { 0 };
                            let trail = match happened(&state, to) {
                                Some(what) => self.trails.add(trail, *at, what),
                                None => trail,
                            };
                            after.insert(to.clone(), now, trail);
                        }
                    }
                }
            }
            if after.full {
                let why = Wrong::TooManyWays;
                if let Some((_, trail)) = after.states.values().next().copied() {
                    self.wrong(
                        op,
                        (op, why),
                        message(&Act::Anything, why),
                        trail,
                        Vec::new(),
                    );
                }
            }
            known.table = after;
        }
        if known.table.states.is_empty() {
            // Nobody returns from a call that was made here.
            point.0 = None;
        }
    }

    fn wrong(
        &mut self,
        op: Op,
        (at, why): (Op, Wrong),
        words: Words,
        trail: super::super::trail::Trail,
        inside: Vec<(terrace_ir::Loc, String)>,
    ) {
        if self.trust_table && why.is_ignorance() {
            return;
        }
        if self.table_found.iter().any(|f| f.op == at || f.op == op) {
            return;
        }
        let mut path = self
            .trails
            .explain(self.ctx, trail, |what| is_cause(why, what));
        path.extend(inside);
        self.table_found.push(Finding {
            op: at,
            why,
            words,
            path,
        });
    }
}

impl Known {
    fn of_table(table: Table) -> Known {
        Known {
            cells: Vec::new(),
            pending: Pending::default(),
            table,
        }
    }
}
