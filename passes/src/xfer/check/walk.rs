//! All paths through a function.
//!
//! Structured control flow is walked as it is nested, each loop until nothing new comes
//! around; blocks that branch to each other by a work list. What is known of a pair at a
//! point is the set of its cells over all paths that lead there; paths that meet add up.

use super::deeds::{Deed, Deeds};
use super::pairs::Pair;
use super::parts::{Boxes, Changes};
use super::pending::{self, Clash, Pending, Renamed, Role, Tasks};
use super::report::{Incoherence, array_words, is_cause, message};
use super::state::{Action, CELLS, Cell, Wrong, step};
use super::table::deeds::{Deed as TableDeed, Focus};
use super::table::report::Found;
use super::table::under_way::{Touch, Used};
use super::table::ways::Table;
use super::trail::{Trail, Trails, What};
use super::trips;
use super::uses::Summaries;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use terrace_dialects::gpu;
use terrace_dialects::xfer::Side;
use terrace_dialects::xfer::handed::Leaves;
use terrace_ir::{Block, Context, Loc, Op, Region, Value};

/// The cells of one pair, each with a path that leads to it.
pub(super) type Cells = [Option<Trail>; CELLS];

/// What is known at a point.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// Of each pair.
    pub(super) cells: Vec<Cells>,
    /// Asynchronous ops that may still run.
    pub(super) pending: Pending,
    /// The table of present arrays, as far as the array goes that is followed.
    pub(super) table: Table,
}

/// What is known; `None` at points that no path leads to.
#[derive(Debug, Clone)]
pub(super) struct State(pub(super) Option<Known>);

impl State {
    const NOWHERE: State = State(None);

    /// Whether as much is known as in `other`, on whatever paths.
    fn is_as(&self, other: &State) -> bool {
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
    fn join(&mut self, other: &State) -> bool {
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
    fn rename(&mut self, ctx: &Context, names: &[Renamed]) {
        if let Some(k) = &mut self.0
            && !names.is_empty()
        {
            k.pending.rename(ctx, names);
        }
    }
}

pub(super) struct Walk<'a> {
    pub(super) ctx: &'a Context,
    pairs: &'a [Pair],
    tasks: Tasks,
    pub(super) summaries: &'a mut Summaries,
    pub(super) trust_table: bool,
    /// Whether there are mirrors at all; else only the order of asynchronous ops counts.
    pub mirrored: bool,
    pub(super) trails: Trails,
    deeds: FxHashMap<Op, Rc<Vec<Deed>>>,
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
    pub(super) table_deeds: FxHashMap<Op, Rc<Vec<TableDeed>>>,
    pub(super) table_found: Vec<Found>,
    pub(super) table_ends: Table,
    /// What it does to buffers of the array; what tasks, by number, use of them.
    pub(super) table_touches: Vec<Touch>,
    pub(super) table_used: FxHashMap<usize, Rc<Vec<Used>>>,
}

/// How control runs through the regions of an op.
enum Flow {
    /// Through one of the regions; or past all of them.
    Branches {
        or_none: bool,
    },
    /// Through the only region, once.
    Sequence,
    /// Through the only region, again and again.
    Loop,
    While,
    /// The op counts as one step.
    Step,
}

fn flow(ctx: &Context, op: Op) -> Flow {
    match op.name(ctx) {
        "scf.if" | "affine.if" => Flow::Branches {
            or_none: op.num_regions(ctx) < 2 || op.region(ctx, 1).is_empty(ctx),
        },
        "scf.index_switch" => Flow::Branches { or_none: false },
        "scf.execute_region" | "memref.alloca_scope" => Flow::Sequence,
        "scf.for" | "affine.for" => Flow::Loop,
        "scf.while" => Flow::While,
        _ => Flow::Step,
    }
}

impl<'a> Walk<'a> {
    pub fn new(
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
            deeds: FxHashMap::default(),
            matters: FxHashMap::default(),
            walked: FxHashMap::default(),
            found: Vec::new(),
            reported: FxHashSet::default(),
            clashed: FxHashSet::default(),
            start: vec![Cell::Bare; pairs.len()],
            ends: vec![0; pairs.len()],
            focus: None,
            table_deeds: FxHashMap::default(),
            table_found: Vec::new(),
            table_ends: Table::default(),
            table_touches: Vec::new(),
            table_used: FxHashMap::default(),
        }
    }

    /// What is wrong with the function, in the order of the text, where it is entered with
    /// the pairs in the cells `start`; and the cells in which it leaves them, as bits.
    pub fn function(mut self, function: Op, start: &[Cell]) -> (Vec<Incoherence>, Vec<u16>) {
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

    // ---- control flow ----

    /// The state where a region is left by a terminator without successors.
    pub(super) fn region(&mut self, region: Region, start: State) -> State {
        let blocks = region.blocks(self.ctx);
        if let [only] = blocks[..] {
            let mut end = self.block(only, start);
            if let Some(last) = only.last_op(self.ctx) {
                end.rename(self.ctx, &self.renamed(last, None));
            }
            return end;
        }
        let number: FxHashMap<Block, usize> =
            blocks.iter().enumerate().map(|(i, b)| (*b, i)).collect();
        let mut before: Vec<State> = vec![State::NOWHERE; blocks.len()];
        let mut end = State::NOWHERE;
        let mut work = BTreeSet::new();
        if let Some(first) = before.first_mut() {
            *first = start;
            work.insert(0);
        }
        while let Some(i) = work.pop_first() {
            let after = self.block(blocks[i], before[i].clone());
            let Some(last) = blocks[i].last_op(self.ctx) else {
                continue;
            };
            let successors = last.successors(self.ctx);
            if successors.is_empty() {
                let mut after = after.clone();
                after.rename(self.ctx, &self.renamed(last, None));
                end.join(&after);
            }
            for (k, to) in successors.iter().enumerate() {
                let mut taken = match successors.len() {
                    1 => after.clone(),
                    _ => self.passed(after.clone(), last, What::Branch(k)),
                };
                taken.rename(self.ctx, &self.renamed(last, Some(k)));
                if let Some(n) = number.get(to)
                    && before[*n].join(&taken)
                {
                    work.insert(*n);
                }
            }
        }
        end
    }

    fn block(&mut self, block: Block, start: State) -> State {
        let mut state = start;
        if let Some(list) = self.changes.at_blocks.get(&block) {
            self.mix(list, &mut state);
        }
        let mut next = block.first_op(self.ctx);
        while let Some(op) = next {
            state = self.op(op, state);
            next = op.next(self.ctx);
        }
        state
    }

    fn op(&mut self, op: Op, state: State) -> State {
        if op.name(self.ctx) == "func.return" {
            let state = self.step(op, state);
            self.leaves_table(&state);
            self.returns(op, state);
            return State::NOWHERE;
        }
        if state.0.is_none() || !self.matters(op) {
            return state;
        }
        let flow = flow(self.ctx, op);
        if let Flow::Step = flow {
            return self.step(op, state);
        }
        if let Some((before, after)) = self.walked.get(&op)
            && before.is_as(&state)
        {
            return after.clone();
        }
        let before = state.clone();
        let mut after = match flow {
            Flow::Branches { or_none } => self.branches(op, or_none, state),
            Flow::Loop => self.repeat(op, state),
            Flow::While => self.repeat_while(op, state),
            Flow::Sequence | Flow::Step => self.region(op.region(self.ctx, 0), state),
        };
        if let Some(list) = self.changes.at_ops.get(&op) {
            self.mix(list, &mut after);
        }
        self.walked.insert(op, (before, after.clone()));
        after
    }

    fn branches(&mut self, op: Op, or_none: bool, before: State) -> State {
        let mut ends = Vec::new();
        for (k, r) in op.regions(self.ctx).into_iter().enumerate() {
            if !r.is_empty(self.ctx) {
                let mut start = self.passed(before.clone(), op, What::Into(k));
                self.asked(op, k == 0, &mut start);
                ends.push(self.region(r, start));
            }
        }
        if or_none {
            let mut past = self.passed(before.clone(), op, What::Past);
            self.asked(op, false, &mut past);
            ends.push(past);
        }
        self.meet(&before, &ends)
    }

    fn repeat(&mut self, op: Op, before: State) -> State {
        let body = op.region(self.ctx, 0);
        let mut start = before.clone();
        start.rename(self.ctx, &self.entered(op));
        let end = loop {
            let end = self.region(body, start.clone());
            let again = self.passed(end.clone(), op, What::Again);
            if !start.join(&again) {
                break end;
            }
        };
        if trips::runs(self.ctx, op) {
            return self.meet(&before, &[end]);
        }
        let mut none = self.passed(before.clone(), op, What::NoIterations);
        none.rename(self.ctx, &self.entered(op));
        self.meet(&before, &[none, end])
    }

    fn repeat_while(&mut self, op: Op, before: State) -> State {
        let (condition, body) = (op.region(self.ctx, 0), op.region(self.ctx, 1));
        let mut start = before.clone();
        start.rename(self.ctx, &self.entered(op));
        loop {
            let decided = self.region(condition, start.clone());
            let end = self.region(body, decided.clone());
            let again = self.passed(end, op, What::Again);
            if !start.join(&again) {
                return self.meet(&before, &[decided]);
            }
        }
    }

    /// Where several ways around an op meet again. What comes out of each of them as it
    /// went in keeps its path without them.
    fn meet(&self, before: &State, ends: &[State]) -> State {
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
    fn passed(&mut self, mut state: State, op: Op, what: What) -> State {
        if let Some(k) = &mut state.0 {
            let cells = k.cells.iter_mut().flatten().flatten();
            let table = k.table.states.values_mut().map(|s| &mut s.1);
            for t in cells.chain(k.pending.trails()).chain(table) {
                *t = self.trails.add(*t, op, what);
            }
        }
        state
    }

    fn renamed(&self, last: Op, to: Option<usize>) -> Vec<Renamed> {
        match self.tasks.is_empty() {
            true => Vec::new(),
            false => pending::renamed(self.ctx, last, to),
        }
    }

    fn entered(&self, op: Op) -> Vec<Renamed> {
        match self.tasks.is_empty() {
            true => Vec::new(),
            false => pending::entered(self.ctx, op),
        }
    }

    // ---- ops ----

    fn deeds(&mut self, op: Op) -> Rc<Vec<Deed>> {
        if let Some(d) = self.deeds.get(&op) {
            return d.clone();
        }
        let mut deeds = Deeds {
            ctx: self.ctx,
            pairs: self.pairs,
            summaries: self.summaries,
            boxes: &mut self.boxes,
            trust_table: self.trust_table,
        };
        let list = match self.mirrored {
            true => deeds.of(op),
            false => Vec::new(),
        };
        let list = Rc::new(list);
        self.deeds.insert(op, list.clone());
        list
    }

    fn matters(&mut self, op: Op) -> bool {
        if let Some(m) = self.matters.get(&op) {
            return *m;
        }
        let m = match flow(self.ctx, op) {
            _ if self.changes.at_ops.contains_key(&op) => true,
            Flow::Step => {
                !self.deeds(op).is_empty()
                    || !self.of_table(op).is_empty()
                    || self.tasks.role(self.ctx, op).is_some()
                    || !self.clashes(op).is_empty()
            }
            _ => {
                let regions = op.regions(self.ctx);
                let blocks = regions.iter().flat_map(|r| r.blocks(self.ctx));
                let mut ops = blocks.flat_map(|b| b.ops(self.ctx));
                let token = gpu::async_token(self.ctx);
                op.result_types(self.ctx).contains(&token) || ops.any(|o| self.matters(o))
            }
        };
        self.matters.insert(op, m);
        m
    }

    fn clashes(&mut self, op: Op) -> Rc<Vec<Clash>> {
        self.tasks.clashes(self.ctx, op, self.summaries)
    }

    /// What an op does about asynchronous work, and whom it clashes with.
    fn asynchronous(&mut self, op: Op, known: &mut Known) {
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
    fn returns(&mut self, op: Op, mut state: State) {
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

    pub(super) fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Why it may not be known that something was waited for, for a note.
    pub(super) fn why_lost(&self) -> Option<(Loc, String)> {
        let (at, why) = self.tasks.lost?;
        let why = format!(
            "'{}' may be meant to order the two, but {why}",
            at.name(self.ctx)
        );
        Some((at.loc(self.ctx), why))
    }

    fn push_clash(&mut self, op: Op, array: Value, message: String, trail: Trail) {
        let is_start = |what| what == What::Started;
        let mut path = self.trails.explain(self.ctx, trail, is_start);
        path.extend(self.why_lost());
        self.found.push(Incoherence {
            op,
            array,
            message,
            path,
        });
    }

    fn step(&mut self, op: Op, mut state: State) -> State {
        if let Some(known) = &mut state.0 {
            self.asynchronous(op, known);
        }
        self.step_table(op, &mut state);
        let deeds = self.deeds(op);
        for d in deeds.iter() {
            match d {
                Deed::Act { pair, parts, .. } => {
                    let places = self.first[*pair]..self.first[*pair + 1];
                    if let Some(known) = &mut state.0 {
                        for (part, at) in places.enumerate() {
                            if parts >> part & 1 == 1 {
                                known.cells[at] = self.act(op, d, known.cells[at]);
                            }
                        }
                    }
                }
                Deed::Bad { array, message, at } => {
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
    fn mix(&self, list: &[(usize, usize)], state: &mut State) {
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

    fn act(&mut self, op: Op, deed: &Deed, cells: Cells) -> Cells {
        let Deed::Act {
            pair,
            action,
            at,
            surely,
            ..
        } = *deed
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
