//! What becomes of what is known where control passes on, and where several ways meet again.

use super::super::pending::{self, Renamed};
use super::super::trail::What;
use super::Walk;
use super::known::State;
use terrace_ir::Op;

impl Walk<'_> {
    /// Where several ways around an op meet again. What comes out of each of them as it
    /// went in keeps its path without them.
    pub(super) fn meet(&self, before: &State, ends: &[State]) -> State {
        let mut all = State::NOWHERE;
        for e in ends {
            all.join(e);
        }
        let (Some(cells), Some(old)) = (&mut all.0, &before.0) else {
            return all;
        };
        for (p, (now, old)) in cells.cells.iter_mut().zip(&old.cells).enumerate() {
            for (c, (now, old)) in now.iter_mut().zip(old).enumerate() {
                let (Some(n), Some(o)) = (now.as_mut(), old) else {
                    continue;
                };
                let mut ways = ends
                    .iter()
                    .filter_map(|e| e.0.as_ref())
                    .map(|e| e.cells[p][c]);
                if ways.all(|t| t.is_some_and(|t| self.trails.same_history(t, *o))) {
                    *n = *o;
                }
            }
        }
        for (state, now) in &mut cells.table.states {
            let Some(old) = old.table.states.get(state) else {
                continue;
            };
            let ways = ends.iter().filter_map(|e| e.0.as_ref());
            let mut trails = ways.map(|e| e.table.states.get(state).map(|s| s.1));
            if trails.all(|t| t.is_some_and(|t| self.trails.same_history(t, old.1))) {
                now.1 = old.1;
            }
        }
        all
    }

    /// Notes a step of control flow on all paths.
    pub(super) fn passed(&mut self, mut state: State, op: Op, what: What) -> State {
        if let Some(k) = &mut state.0 {
            let cells = k.cells.iter_mut().flatten().flatten();
            let table = k.table.states.values_mut().map(|s| &mut s.1);
            for t in cells.chain(k.pending.trails()).chain(table) {
                *t = self.trails.add(*t, op, what);
            }
        }
        state
    }

    pub(super) fn renamed(&self, last: Op, to: Option<usize>) -> Vec<Renamed> {
        match self.tasks.is_empty() {
            true => Vec::new(),
            false => pending::renamed(self.ctx, last, to),
        }
    }

    pub(super) fn entered(&self, op: Op) -> Vec<Renamed> {
        match self.tasks.is_empty() {
            true => Vec::new(),
            false => pending::entered(self.ctx, op),
        }
    }
}
