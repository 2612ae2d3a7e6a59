//! Asynchronous ops on the way: which start, which are waited for, and who does not come
//! after one that it clashes with.

use super::super::pending::{Clash, Role, Tasks};
use super::super::report::{Incoherence, array_words};
use super::super::trail::{Trail, What};
use super::Walk;
use super::known::{Known, State};
use std::rc::Rc;
use terrace_ir::{Loc, Op, Value};

impl Walk<'_> {
    pub(super) fn clashes(&mut self, op: Op) -> Rc<Vec<Clash>> {
        self.tasks.clashes(self.ctx, op, self.summaries)
    }

    /// What an op does about asynchronous work, and whom it clashes with.
    pub(super) fn asynchronous(&mut self, op: Op, known: &mut Known) {
        if self.tasks.is_empty() {
            return;
        }
        let (ctx, pending) = (self.ctx, &mut known.pending);
        let clashes = self.tasks.clashes(ctx, op, self.summaries);
        match self.tasks.role(ctx, op) {
            Some(Role::Starts(site, by)) => {
                let trail = self.trails.start(op);
                let trail = self.trails.add(trail, op, What::Started);
                let wrong = self.tasks.start(ctx, pending, site, &by, &clashes, trail);
                for (c, trail) in wrong {
                    self.report_clash(op, c, trail, true);
                }
                return;
            }
            Some(Role::Joins(by)) => return self.tasks.joins(ctx, pending, op, &by),
            Some(Role::Waits(by)) => pending.wait(&by),
            Some(Role::Hides(hidden)) => {
                let array = self.tasks.array_of(hidden);
                let message = format!(
                    "is asynchronous inside a '{}', where its place in the order is not known",
                    op.name(ctx)
                );
                if let Some(array) = array {
                    self.found.push(Incoherence {
                        op: hidden,
                        array,
                        message,
                        path: Vec::new(),
                    });
                }
            }
            None => {}
        }
        for (c, trail) in self.tasks.host(pending, &clashes) {
            self.report_clash(op, c, trail, false);
        }
    }

    /// Whatever may still run has to be waited for before a function ends.
    pub(super) fn returns(&mut self, op: Op, mut state: State) {
        let Some(known) = &mut state.0 else { return };
        for (site, trail) in self.tasks.left(&mut known.pending) {
            let task = self.tasks.op(site);
            let Some(array) = self.tasks.array_of(task) else {
                continue;
            };
            if self.clashed.insert((op, site)) {
                let message = format!(
                    "returns while an '{}' may still run; wait for its token or its queue before",
                    task.name(self.ctx)
                );
                self.push_clash(op, array, message, trail);
            }
        }
    }

    fn report_clash(&mut self, op: Op, c: Clash, trail: Trail, asynchronous: bool) {
        if !self.clashed.insert((op, c.site)) {
            return;
        }
        let task = self.tasks.op(c.site);
        let advice = match asynchronous {
            true => "make it come after that, by a token or a queue",
            false => "wait for its token or its queue before",
        };
        let message = format!(
            "{} {}, which an '{}' may still {}; {advice}",
            c.here,
            array_words(self.ctx, c.array),
            task.name(self.ctx),
            c.there
        );
        self.push_clash(c.at, c.array, message, trail);
    }

    pub(in crate::xfer::check) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// The path from where an op that may still run was started; and why it may not be known
    /// that it was waited for.
    pub(in crate::xfer::check) fn path_from_start(&self, trail: Trail) -> Vec<(Loc, String)> {
        let is_start = |what| what == What::Started;
        let mut path = self.trails.explain(self.ctx, trail, is_start);
        if let Some((at, why)) = self.tasks.lost {
            let why = format!(
                "'{}' may be meant to order the two, but {why}",
                at.name(self.ctx)
            );
            path.push((at.loc(self.ctx), why));
        }
        path
    }

    fn push_clash(&mut self, op: Op, array: Value, message: String, trail: Trail) {
        self.found.push(Incoherence {
            op,
            array,
            message,
            path: self.path_from_start(trail),
        });
    }
}
