//! What is known at a point: the cells of each pair, and what of it is new where paths meet.

use super::super::pending::{Pending, Renamed};
use super::super::state::CELLS;
use super::super::table::ways::Table;
use super::super::trail::Trail;
use terrace_ir::Context;

/// The cells of one pair, each with a path that leads to it.
pub(super) type Cells = [Option<Trail>; CELLS];

/// What is known at a point.
#[derive(Debug, Clone)]
pub(in crate::xfer::check) struct Known {
    /// Of each pair.
    pub(in crate::xfer::check) cells: Vec<Cells>,
    /// Asynchronous ops that may still run.
    pub(in crate::xfer::check) pending: Pending,
    /// The table of present arrays, as far as the array goes that is followed.
    pub(in crate::xfer::check) table: Table,
}

/// What is known; `None` at points that no path leads to.
#[derive(Debug, Clone)]
pub(in crate::xfer::check) struct State(pub(in crate::xfer::check) Option<Known>);

impl State {
    pub(super) const NOWHERE: State = State(None);

    /// Whether as much is known as in `other`, on whatever paths.
    pub(super) fn is_as(&self, other: &State) -> bool {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return self.0.is_some() == other.0.is_some();
        };
        let cells = |k: &Known| {
            let all = k.cells.iter().flatten();
            all.map(|t| t.is_some()).collect::<Vec<bool>>()
        };
        cells(a) == cells(b) && a.pending.is_as(&b.pending) && a.table.is_as(&b.table)
    }

    /// Adds the paths of another state. Whether there was anything new among them.
    pub(super) fn join(&mut self, other: &State) -> bool {
        let Some(from) = &other.0 else { return false };
        let Some(to) = &mut self.0 else {
            self.0 = Some(from.clone());
            return true;
        };
        let mut grew = to.pending.join(&from.pending);
        grew |= to.table.join(&from.table);
        let cells = to.cells.iter_mut().flatten();
        for (t, f) in cells.zip(from.cells.iter().flatten()) {
            if t.is_none() && f.is_some() {
                *t = *f;
                grew = true;
            }
        }
        grew
    }

    /// Tokens get other names.
    pub(super) fn rename(&mut self, ctx: &Context, names: &[Renamed]) {
        if let Some(k) = &mut self.0
            && !names.is_empty()
        {
            k.pending.rename(ctx, names);
        }
    }
}
