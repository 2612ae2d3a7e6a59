//! The control flow of a function's host code, as a graph of the places where a copy
//! could stand.
//!
//! A node is an op that touches an array, or only a place: in front of a loop, at the
//! start and the end of a body, behind a loop, in either branch of an `scf.if`, at the
//! start of a block. Launches, loops of `scf.parallel` and whatever else has regions
//! that are not sequential code of the host are single ops. A loop that is sure to run
//! ([`surely_runs`]) has no way around it, so that what it needs is needed in front of
//! it too.

use super::arrays::{Arrays, Touches, handed_by};
use super::guard::surely_runs;
use rustc_hash::FxHashMap;
use terrace_dialects::{affine, func, gpu, scf};
use terrace_ir::{Block, Builder, Context, InsertPoint, Loc, Op, Region};

/// Where a copy at the entry of a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyPoint {
    Before(Op),
    After(Op),
    Start(Block),
    /// In front of the terminator.
    End(Block),
    /// In the second region of an op that has none yet.
    Else(Op),
}

impl CopyPoint {
    /// A builder at the place, with the location of what stands there.
    pub fn builder(self, ctx: &mut Context) -> Builder<'_> {
        match self {
            CopyPoint::Before(op) => Builder::before(ctx, op),
            CopyPoint::After(op) => Builder::after(ctx, op),
            CopyPoint::Start(block) => {
                let loc = loc_in(ctx, block);
                Builder::at_start(ctx, block, loc)
            }
            CopyPoint::End(block) => match block.terminator(ctx) {
                Some(t) => Builder::before(ctx, t),
                None => {
                    let loc = loc_in(ctx, block);
                    Builder::at_end(ctx, block, loc)
                }
            },
            CopyPoint::Else(op) => {
                let region = op.region(ctx, 1);
                let block = match region.entry(ctx) {
                    Some(block) => block,
                    None => {
                        let block = region.add_block(ctx, &[]);
                        let loc = op.loc(ctx);
                        let mut b = Builder::at_end(ctx, block, loc);
                        scf::YieldOp::build(&mut b, &[]);
                        block
                    }
                };
                let loc = op.loc(ctx);
                let at = block
                    .terminator(ctx)
                    .map_or(InsertPoint::End(block), InsertPoint::Before);
                Builder::new(ctx, at, loc)
            }
        }
    }
}

fn loc_in(ctx: &Context, block: Block) -> Loc {
    match (block.first_op(ctx), block.parent_op(ctx)) {
        (Some(op), _) | (None, Some(op)) => op.loc(ctx),
        (None, None) => block.loc(ctx),
    }
}

#[derive(Debug, Clone)]
pub struct Node {
    pub place: CopyPoint,
    /// The op, where the node is not only a place.
    pub op: Option<Op>,
    pub touches: Touches,
    pub succ: Vec<usize>,
    pub pred: Vec<usize>,
}

/// The graph. Node 0 is the entry of the function.
#[derive(Debug)]
pub struct Flow {
    pub nodes: Vec<Node>,
}

/// Why there is no graph: an op, and what about it.
pub type Refusal = (Op, String);

impl Flow {
    /// The graph of a function's body.
    ///
    /// # Errors
    ///
    /// Where a kernel is launched inside an op whose order of execution is not known.
    pub fn of(ctx: &Context, function: Op, arrays: &mut Arrays) -> Result<Flow, Refusal> {
        let mut b = Build {
            ctx,
            arrays,
            nodes: Vec::new(),
        };
        let region = function.region(ctx, 0);
        let mut starts: FxHashMap<Block, usize> = FxHashMap::default();
        let blocks = region.blocks(ctx);
        for block in &blocks {
            let at = b.node(CopyPoint::Start(*block), None);
            starts.insert(*block, at);
        }
        for block in blocks {
            let Some(end) = b.block(block, starts[&block])? else {
                continue;
            };
            for to in block.successors(ctx) {
                b.edge(end, starts[&to]);
            }
        }
        let mut nodes = b.nodes;
        for n in 0..nodes.len() {
            for s in nodes[n].succ.clone() {
                nodes[s].pred.push(n);
            }
        }
        Ok(Flow { nodes })
    }

    /// For each array and node, whether the mirror was made on all paths to the node and the
    /// array is not freed: code that may mean any array also stands where some are not.
    pub fn there(&self, arrays: &Arrays) -> Vec<Vec<bool>> {
        let mut there = vec![vec![true; self.nodes.len()]; arrays.list.len()];
        for (k, there) in there.iter_mut().enumerate() {
            let handed = arrays.list[k].handed.is_some();
            let after = |there: &[bool], n: usize| {
                let t = self.nodes[n].touches.iter().find(|t| t.0 == k);
                match t {
                    Some((_, t)) if t.create => true,
                    Some((_, t)) if t.end => false,
                    _ => there[n],
                }
            };
            loop {
                let mut changed = false;
                for n in 0..self.nodes.len() {
                    let preds = &self.nodes[n].pred;
                    let new = (n != 0 || handed) && preds.iter().all(|p| after(there, *p));
                    changed |= std::mem::replace(&mut there[n], new) != new;
                }
                if !changed {
                    break;
                }
            }
        }
        there
    }

    /// The nodes that can come after `from` ran.
    pub fn reachable(&self, from: usize) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        let mut work = self.nodes[from].succ.clone();
        while let Some(n) = work.pop() {
            if !std::mem::replace(&mut seen[n], true) {
                work.extend(&self.nodes[n].succ);
            }
        }
        seen
    }
}

struct Build<'a> {
    ctx: &'a Context,
    arrays: &'a mut Arrays,
    nodes: Vec<Node>,
}

impl Build<'_> {
    fn node(&mut self, place: CopyPoint, op: Option<Op>) -> usize {
        self.nodes.push(Node {
            place,
            op,
            touches: Touches::new(),
            succ: Vec::new(),
            pred: Vec::new(),
        });
        self.nodes.len() - 1
    }

    fn edge(&mut self, from: usize, to: usize) {
        self.nodes[from].succ.push(to);
    }

    /// A place that is reached from `from`.
    fn place(&mut self, from: usize, place: CopyPoint) -> usize {
        let n = self.node(place, None);
        self.edge(from, n);
        n
    }

    /// The ops of a block one after another; the last node, or `None` where the block
    /// ends the function.
    fn block(&mut self, block: Block, from: usize) -> Result<Option<usize>, Refusal> {
        let mut at = from;
        for op in block.ops(self.ctx) {
            at = self.op(op, at)?;
            if op.isa::<func::ReturnOp>(self.ctx) {
                return Ok(None);
            }
        }
        Ok(Some(at))
    }

    /// A body of one block, between a place at its start and one at its end.
    fn body(&mut self, region: Region, from: usize) -> Result<usize, Refusal> {
        let Some(block) = region.entry(self.ctx) else {
            return Ok(from);
        };
        let start = self.place(from, CopyPoint::Start(block));
        let last = self.block(block, start)?.unwrap_or(start);
        Ok(self.place(last, CopyPoint::End(block)))
    }

    /// Whether a kernel is in `op`, or something in it touches an array.
    fn touches(&mut self, op: Op) -> bool {
        let ctx = self.ctx;
        is_kernel(ctx, op)
            || self.arrays.is_touched_by(ctx, op)
            || (op.blocks(ctx).into_iter())
                .flat_map(|b| b.ops(ctx))
                .any(|o| self.touches(o))
    }

    fn op(&mut self, op: Op, from: usize) -> Result<usize, Refusal> {
        let ctx = self.ctx;
        let sequential = |r: Region| r.is_empty(ctx) || r.has_one_block(ctx);
        let regions = op.regions(ctx);
        if regions.is_empty() || !is_sequential(ctx, op) || !regions.iter().all(|r| sequential(*r))
        {
            return self.leaf(op, from);
        }
        if !self.touches(op) {
            return Ok(from);
        }
        let before = self.place(from, CopyPoint::Before(op));
        if op.isa::<scf::ForOp>(ctx) || op.isa::<affine::ForOp>(ctx) {
            let after = self.node(CopyPoint::After(op), None);
            if surely_runs(ctx, op) {
                let end = self.body(regions[0], before)?;
                // The place at the start of the body is the first node after `before`.
                self.edge(end, before + 2);
                self.edge(end, after);
            } else {
                let test = self.place(before, CopyPoint::Before(op));
                let end = self.body(regions[0], test)?;
                self.edge(end, test);
                self.edge(test, after);
            }
            return Ok(after);
        }
        if op.isa::<scf::WhileOp>(ctx) {
            let after = self.node(CopyPoint::After(op), None);
            let head = self.node(CopyPoint::Start(op.body(ctx, 0)), None);
            self.edge(before, head);
            let test = self.block(op.body(ctx, 0), head)?.unwrap_or(head);
            let end = self.body(regions[1], test)?;
            self.edge(end, head);
            self.edge(test, after);
            return Ok(after);
        }
        if op.isa::<scf::ExecuteRegionOp>(ctx) {
            let end = self.body(regions[0], before)?;
            return Ok(self.place(end, CopyPoint::After(op)));
        }
        // One of the regions runs.
        let mut ends = Vec::new();
        for (i, r) in regions.iter().enumerate() {
            ends.push(match r.is_empty(ctx) {
                false => self.body(*r, before)?,
                true if i == 1 && op.isa::<scf::IfOp>(ctx) => {
                    self.place(before, CopyPoint::Else(op))
                }
                true => before,
            });
        }
        let after = self.node(CopyPoint::After(op), None);
        for end in ends {
            self.edge(end, after);
        }
        Ok(after)
    }

    fn leaf(&mut self, op: Op, from: usize) -> Result<usize, Refusal> {
        let ctx = self.ctx;
        if !is_kernel(ctx, op) && op.num_regions(ctx) > 0 {
            let inside = op
                .pre_order(ctx)
                .into_iter()
                .find(|o| is_kernel(ctx, *o) || !handed_by(ctx, *o).is_empty());
            if let Some(launch) = inside {
                let name = op.name(ctx).to_string();
                return Err((
                    launch,
                    format!(
                        "is inside of '{name}', where the order in which things happen is not known"
                    ),
                ));
            }
        }
        let touches = self.arrays.touched_by(ctx, op);
        if touches.is_empty() {
            return Ok(from);
        }
        let n = self.place(from, CopyPoint::Before(op));
        self.nodes[n].op = Some(op);
        self.nodes[n].touches = touches;
        Ok(n)
    }
}

fn is_kernel(ctx: &Context, op: Op) -> bool {
    op.isa::<gpu::LaunchOp>(ctx) || op.isa::<gpu::LaunchFuncOp>(ctx)
}

/// Whether the regions of an op are sequential code of the host whose order is known.
pub fn is_sequential(ctx: &Context, op: Op) -> bool {
    op.isa::<scf::ForOp>(ctx)
        || op.isa::<scf::IfOp>(ctx)
        || op.isa::<scf::WhileOp>(ctx)
        || op.isa::<scf::IndexSwitchOp>(ctx)
        || op.isa::<scf::ExecuteRegionOp>(ctx)
        || op.isa::<affine::ForOp>(ctx)
}
