//! All paths through a function.
//!
//! What is known of a pair at a point is the set of its cells over all paths that lead
//! there; paths that meet add up.
//!
//! | file | what |
//! | --- | --- |
//! | `known` | what is known at a point |
//! | `flow` | how control runs through regions, loops and blocks |
//! | `meet` | what becomes of what is known where control passes on and where ways meet |
//! | `step` | what one op does to the cells, and what is wrong with that |
//! | `asynchronous` | what may still run meanwhile, and who clashes with it |

mod asynchronous;
mod flow;
mod known;
mod meet;
mod step;

use self::known::Cells;
use super::effects::Effect;
use super::pairs::Pair;
use super::parts::{Boxes, Changes};
use super::pending::{Pending, Tasks};
use super::report::Incoherence;
use super::state::{CELLS, Cell};
use super::table::effects::{Effect as TableEffect, Focus};
use super::table::report::Finding;
use super::table::under_way::{Touch, Used};
use super::table::ways::Table;
use super::trail::Trails;
use super::uses::Summaries;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use terrace_ir::{Context, Op, Value};

pub(super) use self::known::{Known, State};

pub(super) struct Walk<'a> {
    pub(super) ctx: &'a Context,
    pairs: &'a [Pair],
    tasks: Tasks,
    pub(super) summaries: &'a mut Summaries,
    pub(super) trust_table: bool,
    /// Whether there are mirrors at all; else only the order of asynchronous ops counts.
    pub mirrored: bool,
    pub(super) trails: Trails,
    effects: FxHashMap<Op, Rc<Vec<Effect>>>,
    boxes: Boxes,
    changes: Changes,
    /// Where the cells of each pair begin in a state: one for each of its parts.
    first: Vec<usize>,
    /// Whether an op, or one in it, does anything to a pair.
    matters: FxHashMap<Op, bool>,
    /// The states around an op with regions when it was walked last. Loops around it come
    /// by again, mostly with nothing new; without this, walking a nest of loops would take
    /// a time exponential in its depth.
    walked: FxHashMap<Op, (State, State)>,
    found: Vec<Incoherence>,
    reported: FxHashSet<(Op, Value)>,
    /// Ops that clash, and the number of that which may still run.
    clashed: FxHashSet<(Op, usize)>,
    /// By pair: the cells of pairs that are handed over, where the function is entered, and
    /// those that it may leave them in.
    start: Vec<Cell>,
    ends: Vec<u16>,
    /// The array that is followed through the table of present arrays, and what it does.
    pub(super) focus: Option<Focus>,
    pub(super) table_effects: FxHashMap<Op, Rc<Vec<TableEffect>>>,
    pub(super) table_found: Vec<Finding>,
    pub(super) table_ends: Table,
    /// What it does to buffers of the array; what tasks, by number, use of them.
    pub(super) table_touches: Vec<Touch>,
    pub(super) table_used: FxHashMap<usize, Rc<Vec<Used>>>,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(
        ctx: &'a Context,
        pairs: &'a [Pair],
        tasks: Tasks,
        summaries: &'a mut Summaries,
        boxes: Boxes,
        trust_table: bool,
    ) -> Self {
        let mut first = vec![0];
        for i in 0..pairs.len() {
            first.push(first[i] + boxes.count(i));
        }
        Walk {
            changes: boxes.depend_on(ctx),
            boxes,
            first,
            ctx,
            pairs,
            tasks,
            summaries,
            trust_table,
            mirrored: true,
            trails: Trails::default(),
            effects: FxHashMap::default(),
            matters: FxHashMap::default(),
            walked: FxHashMap::default(),
            found: Vec::new(),
            reported: FxHashSet::default(),
            clashed: FxHashSet::default(),
            start: vec![Cell::Bare; pairs.len()],
            ends: vec![0; pairs.len()],
            focus: None,
            table_effects: FxHashMap::default(),
            table_found: Vec::new(),
            table_ends: Table::default(),
            table_touches: Vec::new(),
            table_used: FxHashMap::default(),
        }
    }

    /// What is wrong with the function, in the order of the text, where it is entered with
    /// the pairs in the cells `start`; and the cells in which it leaves them, as bits.
    pub(crate) fn function(mut self, function: Op, start: &[Cell]) -> (Vec<Incoherence>, Vec<u16>) {
        self.start = start.to_vec();
        let begin = self.trails.start(function);
        let count = self.first.last().copied().unwrap_or(0);
        let mut all: Vec<Cells> = vec![[None; CELLS]; count];
        for (pair, cell) in start.iter().enumerate() {
            for part in 0..self.boxes.count(pair) {
                all[self.first[pair] + part][cell.index()] = Some(begin);
            }
        }
        let start = State(Some(Known {
            cells: all,
            pending: Pending::default(),
            table: Table::default(),
        }));
        self.region(function.region(self.ctx, 0), start);
        let places = function.pre_order(self.ctx);
        let place: FxHashMap<Op, usize> = places.iter().enumerate().map(|(i, o)| (*o, i)).collect();
        let mut found = self.found;
        found.sort_by_key(|f| place.get(&f.op).copied());
        (found, self.ends)
    }
}
