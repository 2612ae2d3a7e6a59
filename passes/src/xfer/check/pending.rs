//! What may still run: asynchronous ops that the host has not waited for.
//!
//! For each asynchronous op it is known, at each point and over all paths that lead
//! there, whether it may still run, and whose completion is also that of all its runs up
//! to there: tokens, by the values that hold them, and queues, by number. Whoever uses
//! what such an op uses, and changes it or finds it changed, must come after it. What an
//! array *is* (see `state`) counts from the start of an op on; this here makes it true.

use super::trail::Trail;
use super::uses::{
    DEVICE_READ, DEVICE_WRITE, FREED, HOST_READ, HOST_WRITE, Summaries, Target, Use, Ways,
    memory_of,
};
use super::{apart, deeds, pairs};
use crate::analysis::memory::base;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use terrace_dialects::xfer::{CopyOp, EnsureOp, PrefetchOp, PresentOp, Side};
use terrace_dialects::{func, gpu};
use terrace_ir::{Context, Op, OpKind, Value};

/// What stands for the completion of ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Handle {
    Token(Value),
    Queue(i64),
}

/// An op that may still run.
#[derive(Debug, Clone)]
struct Running {
    /// Each of these stands for the completion of all its runs so far.
    handles: FxHashSet<Handle>,
    trail: Trail,
}

/// The ops that may still run, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Pending(BTreeMap<usize, Running>);

impl Pending {
    /// Adds what may run on other paths. Whether there was anything new.
    pub fn join(&mut self, other: &Pending) -> bool {
        let mut grew = false;
        for (site, theirs) in &other.0 {
            match self.0.get_mut(site) {
                None => {
                    self.0.insert(*site, theirs.clone());
                    grew = true;
                }
                Some(ours) => {
                    let before = ours.handles.len();
                    ours.handles.retain(|h| theirs.handles.contains(h));
                    grew |= ours.handles.len() < before;
                }
            }
        }
        grew
    }

    /// Whether the same is known, on whatever paths.
    pub fn is_as(&self, other: &Pending) -> bool {
        let known = |p: &Pending| p.0.keys().copied().collect::<Vec<_>>();
        let same = |(site, r): (&usize, &Running)| {
            other.0.get(site).is_some_and(|o| o.handles == r.handles)
        };
        known(self) == known(other) && self.0.iter().all(same)
    }

    /// The ops that may still run, by number, each with a path from its start.
    pub fn running(&self) -> Vec<(usize, Trail)> {
        self.0.iter().map(|(site, r)| (*site, r.trail)).collect()
    }

    /// An op counts as done.
    pub fn end(&mut self, site: usize) {
        self.0.remove(&site);
    }

    pub fn trails(&mut self) -> impl Iterator<Item = &mut Trail> {
        self.0.values_mut().map(|r| &mut r.trail)
    }

    /// The ops whose completion is that of these.
    fn covered(&self, by: &By) -> Vec<usize> {
        let is = |r: &Running| by.all || by.handles.iter().any(|h| r.handles.contains(h));
        let covered = self.0.iter().filter(|(_, r)| is(r));
        covered.map(|(site, _)| *site).collect()
    }

    /// A value is the token of something else from now on.
    fn forget(&mut self, token: Value) {
        for r in self.0.values_mut() {
            r.handles.remove(&Handle::Token(token));
        }
    }

    fn add(&mut self, sites: &[usize], handles: &[Handle]) {
        for s in sites {
            if let Some(r) = self.0.get_mut(s) {
                r.handles.extend(handles);
            }
        }
    }

    /// The host waits.
    pub fn wait(&mut self, by: &By) {
        for s in self.covered(by) {
            self.0.remove(&s);
        }
    }

    /// Tokens get other names, all at once: block arguments and results of ops.
    pub fn rename(&mut self, ctx: &Context, names: &[Renamed]) {
        let token = gpu::async_token(ctx);
        let names = names.iter().filter(|(to, _)| to.ty(ctx) == token);
        let names: Vec<Renamed> = names.copied().collect();
        for r in self.0.values_mut() {
            let kept = |(to, from): &Renamed| {
                let held = from.is_some_and(|f| r.handles.contains(&Handle::Token(f)));
                (Handle::Token(*to), held)
            };
            let new: Vec<(Handle, bool)> = names.iter().map(kept).collect();
            for (h, _) in &new {
                r.handles.remove(h);
            }
            // Where two of the names are one, both hold or neither does.
            r.handles
                .extend(new.iter().filter(|(_, held)| *held).map(|(h, _)| *h));
        }
    }
}

/// A value, and the one that it is from now on; none where that is not known.
pub(super) type Renamed = (Value, Option<Value>);

/// What an op waits for, or comes after.
#[derive(Debug, Clone, Default)]
pub(super) struct By {
    handles: Vec<Handle>,
    all: bool,
    /// Why some of it is not followed.
    pub lost: Option<(Op, &'static str)>,
}

/// What an op does about asynchronous work.
#[derive(Debug, Clone)]
pub(super) enum Role {
    /// It is asynchronous: its number, what it comes after, and its handles.
    Starts(usize, By),
    /// It gives a token for others; its handles.
    Joins(By),
    /// The host waits.
    Waits(By),
    /// Something asynchronous is inside an op that counts as one step.
    Hides(Op),
}

/// A use of memory that an op which may still run uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clash {
    pub site: usize,
    /// The op, or one inside, that uses it.
    pub at: Op,
    pub array: Value,
    /// What is done by the op, and what the other may do.
    pub here: &'static str,
    pub there: &'static str,
}

/// The asynchronous ops of a function, and who clashes with them.
pub(super) struct Tasks {
    sites: Vec<(Op, Vec<Use>)>,
    number: FxHashMap<Op, usize>,
    clashes: FxHashMap<Op, Rc<Vec<Clash>>>,
    /// Whether other functions call this one.
    called: bool,
    function: Op,
    /// Why it may not be known that something was waited for.
    pub lost: Option<(Op, &'static str)>,
}

fn has_token(ctx: &Context, op: Op) -> bool {
    let token = gpu::async_token(ctx);
    op.result_types(ctx).contains(&token)
}

/// Whether an op with a token does something of its own meanwhile.
fn is_task(ctx: &Context, op: Op) -> bool {
    let does = matches!(
        op.name(ctx),
        "xfer.copy"
            | "xfer.prefetch"
            | "gpu.launch"
            | "gpu.launch_func"
            | "gpu.memcpy"
            | "gpu.memset"
            | "gpu.dealloc"
    );
    does && has_token(ctx, op)
}

/// Whether a function has anything to do with asynchronous work.
pub(super) fn is_asynchronous(ctx: &Context, function: Op) -> bool {
    let ops = function.pre_order(ctx);
    ops.iter().any(|o| is_task(ctx, *o))
}

fn is_called(ctx: &Context, function: Op) -> bool {
    let Some(module) = function.parent(ctx) else {
        return false;
    };
    let calls = module.find_all::<func::CallOp>(ctx);
    let mut called = calls.into_iter().filter_map(|c| c.function(ctx));
    called.any(|f| f.op() == function)
}

impl Tasks {
    /// As if nothing were asynchronous.
    pub fn none(function: Op) -> Tasks {
        Tasks {
            sites: Vec::new(),
            number: FxHashMap::default(),
            clashes: FxHashMap::default(),
            called: false,
            function,
            lost: None,
        }
    }

    pub fn of(ctx: &Context, function: Op, summaries: &mut Summaries) -> Tasks {
        let ops = function.pre_order(ctx);
        let lost = ops.iter().find_map(|o| order(ctx, *o).lost);
        let tasks = ops.into_iter().filter(|o| is_task(ctx, *o));
        let sites: Vec<(Op, Vec<Use>)> = tasks.map(|o| (o, accesses(ctx, o, summaries))).collect();
        let number = sites.iter().enumerate().map(|(i, s)| (s.0, i)).collect();
        Tasks {
            sites,
            number,
            clashes: FxHashMap::default(),
            called: is_called(ctx, function),
            function,
            lost,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    pub fn op(&self, site: usize) -> Op {
        self.sites[site].0
    }

    /// What the op of a number uses.
    pub fn uses(&self, site: usize) -> &[Use] {
        &self.sites[site].1
    }

    /// Whether other functions call this one.
    pub fn is_called(&self) -> bool {
        self.called
    }

    /// What the op `op` does about asynchronous work. One that has regions and is not
    /// walked through counts with all that is in it.
    pub fn role(&self, ctx: &Context, op: Op) -> Option<Role> {
        if self.is_empty() {
            return None;
        }
        if let Some(n) = self.number.get(&op) {
            return Some(Role::Starts(*n, order(ctx, op)));
        }
        let inside = |o: &&(Op, Vec<Use>)| op != o.0 && op.is_ancestor_of(ctx, o.0);
        if let Some((hidden, _)) = self.sites.iter().find(inside) {
            return Some(Role::Hides(*hidden));
        }
        match has_token(ctx, op) {
            true => Some(Role::Joins(order(ctx, op))),
            false => {
                let by = order(ctx, op);
                let waits = by.all || !by.handles.is_empty() || by.lost.is_some();
                waits.then_some(Role::Waits(by))
            }
        }
    }

    /// The uses of an op that clash with those of asynchronous ops, itself included.
    pub fn clashes(&mut self, ctx: &Context, op: Op, summaries: &mut Summaries) -> Rc<Vec<Clash>> {
        if let Some(c) = self.clashes.get(&op) {
            return c.clone();
        }
        let mut found: Vec<Clash> = Vec::new();
        if !self.is_empty() {
            let mine = accesses(ctx, op, summaries);
            for (site, (_, theirs)) in self.sites.iter().enumerate() {
                let other = self.op(site);
                let clash = mine.iter().find_map(|m| {
                    let t = theirs.iter().find(|t| {
                        clash(ctx, m, t, self.called, summaries)
                            && !apart::are(ctx, self.function, (op, m), (other, t))
                    })?;
                    Some(Clash {
                        site,
                        at: m.at,
                        array: named(m.target).or(named(t.target))?,
                        here: here(m.ways, t.ways),
                        there: there(t.ways),
                    })
                });
                found.extend(clash);
            }
        }
        let found = Rc::new(found);
        self.clashes.insert(op, found.clone());
        found
    }

    /// The op `site` starts; those of `clashes` that it does not come after.
    pub fn start(
        &self,
        ctx: &Context,
        pending: &mut Pending,
        site: usize,
        by: &By,
        clashes: &[Clash],
        trail: Trail,
    ) -> Vec<(Clash, Trail)> {
        let before = pending.covered(by);
        let unordered = clashes.iter().filter(|c| !before.contains(&c.site));
        let wrong = unordered
            .filter_map(|c| Some((*c, pending.0.get(&c.site)?.trail)))
            .collect();
        let own = self.own(ctx, self.op(site));
        self.redefine(ctx, pending, self.op(site));
        pending.add(&before, &own);
        let mut handles: FxHashSet<Handle> = own.into_iter().collect();
        // Its runs before must have ended too.
        if let Some(old) = pending.0.get(&site) {
            handles.retain(|h| old.handles.contains(h));
        }
        pending.0.insert(site, Running { handles, trail });
        wrong
    }

    /// A token for others.
    pub fn joins(&self, ctx: &Context, pending: &mut Pending, op: Op, by: &By) {
        let before = pending.covered(by);
        self.redefine(ctx, pending, op);
        pending.add(&before, &self.own(ctx, op));
    }

    fn redefine(&self, ctx: &Context, pending: &mut Pending, op: Op) {
        let token = gpu::async_token(ctx);
        for r in op.results(ctx) {
            if r.ty(ctx) == token {
                pending.forget(r);
            }
        }
    }

    /// What stands for the completion of a run of `op`.
    fn own(&self, ctx: &Context, op: Op) -> Vec<Handle> {
        let token = gpu::async_token(ctx);
        let results = op.results(ctx).into_iter();
        let tokens = results.filter(|r| r.ty(ctx) == token).map(Handle::Token);
        let queue = queue_of(ctx, op).and_then(|q| ctx.constant_int(q));
        tokens.chain(queue.map(Handle::Queue)).collect()
    }

    /// What clashes with ops that may still run, of those that an op of the host clashes
    /// with. They count as done from then on: the mistake is reported.
    pub fn host(&self, pending: &mut Pending, clashes: &[Clash]) -> Vec<(Clash, Trail)> {
        let mut wrong = Vec::new();
        for c in clashes {
            if let Some(r) = pending.0.remove(&c.site) {
                wrong.push((*c, r.trail));
            }
        }
        wrong
    }

    /// Ops that may still run where the function returns.
    pub fn left(&self, pending: &mut Pending) -> Vec<(usize, Trail)> {
        let left = std::mem::take(&mut pending.0);
        left.into_iter().map(|(s, r)| (s, r.trail)).collect()
    }

    /// An array that a task uses, to name it.
    pub fn array_of(&self, task: Op) -> Option<Value> {
        let uses = &self.sites[*self.number.get(&task)?].1;
        uses.iter().find_map(|u| named(u.target))
    }
}

/// The queue that an op is put on, or that waits by it.
fn queue_of(ctx: &Context, op: Op) -> Option<Value> {
    match op.name(ctx) {
        "xfer.copy" => CopyOp::wrap(op).order(ctx).queue,
        "xfer.prefetch" => PrefetchOp::wrap(op).order(ctx).queue,
        _ => op.operand_group(ctx, "onQueue").first().copied(),
    }
}

/// What an op comes after.
fn order(ctx: &Context, op: Op) -> By {
    let mut by = By::default();
    if !matches!(op.dialect(ctx), "xfer" | "gpu") {
        return by;
    }
    let token = gpu::async_token(ctx);
    let wait = matches!(op.name(ctx), "xfer.wait" | "gpu.wait");
    for v in op.operands(ctx) {
        if v.ty(ctx) != token {
            continue;
        }
        by.handles.push(Handle::Token(v));
        if !is_followed(ctx, v) {
            by.lost = Some((op, "its token comes from where it is not followed"));
        }
    }
    let queues = match wait {
        true => op.operand_group(ctx, "queues"),
        false => queue_of(ctx, op).into_iter().collect(),
    };
    for q in queues {
        match ctx.constant_int(q) {
            Some(n) => by.handles.push(Handle::Queue(n)),
            None => by.lost = Some((op, "its queue has a number that is not constant")),
        }
    }
    let tokenless = op.num_operands(ctx) == 0 && !has_token(ctx, op);
    by.all = wait && (op.attr(ctx, "all").is_some() || tokenless);
    by
}

/// Whether it is known at each point what a token stands for.
fn is_followed(ctx: &Context, v: Value) -> bool {
    match v.def_op() {
        Some(op) => {
            matches!(op.dialect(ctx), "xfer" | "gpu" | "scf" | "affine")
                || op.name(ctx) == "memref.alloca_scope"
        }
        None => v.arg_block().is_some_and(|b| {
            !b.is_entry(ctx)
                || b.parent_op(ctx)
                    .is_some_and(|p| matches!(p.dialect(ctx), "scf" | "affine"))
        }),
    }
}

/// The accesses of an op to memory: not what it says of arrays.
fn accesses(ctx: &Context, op: Op, summaries: &mut Summaries) -> Vec<Use> {
    let copy = |src: Value, dst: Value| {
        let one = |v: Value, host: Ways, device: Ways| {
            let b = base(ctx, v);
            let ways = match memory_of(ctx, b) {
                Side::Host => host,
                Side::Device => device,
            };
            let target = Target::Memory(b);
            Use {
                target,
                ways,
                at: op,
            }
        };
        vec![
            one(src, HOST_READ, DEVICE_READ),
            one(dst, HOST_WRITE, DEVICE_WRITE),
        ]
    };
    if let Some(p) = op.cast::<PrefetchOp>(ctx) {
        return copy(p.src(ctx), p.dst(ctx));
    }
    if let Some(e) = op.cast::<EnsureOp>(ctx) {
        return match e.sides(ctx) {
            [Side::Host] => copy(e.mirror(ctx), e.array(ctx)),
            _ => copy(e.array(ctx), e.mirror(ctx)),
        };
    }
    match op.name(ctx) {
        "xfer.discard" | "xfer.mark_written" | "xfer.assert_valid" | "xfer.wait" | "gpu.wait"
        | "xfer.create" => return Vec::new(),
        _ => {}
    }
    let mut uses = Vec::new();
    summaries.all_uses(ctx, op, Side::Host, &mut uses);
    uses.retain(|u| match u.target {
        Target::Memory(v) => !(deeds::is_inside(ctx, op, v) && deeds::is_own(ctx, v)),
        _ => true,
    });
    uses
}

const WRITES: Ways = HOST_WRITE | DEVICE_WRITE | FREED;
const READS: Ways = HOST_READ | DEVICE_READ;

/// Whether two uses are of memory that may be the same, and one of them changes it. Where
/// the function is called, two of its arguments may be one array, or a global.
fn clash(ctx: &Context, a: &Use, b: &Use, called: bool, summaries: &mut Summaries) -> bool {
    let uses = |u: &Use| u.ways & (WRITES | READS) != 0;
    if !uses(a) || !uses(b) || (a.ways | b.ways) & WRITES == 0 {
        return false;
    }
    match (a.target, b.target) {
        (Target::Memory(x), Target::Memory(y)) => {
            let alike = |x, y| pairs::may_be_argument(ctx, x) && pairs::may_be_outer(ctx, y);
            let alike_here = called && (alike(x, y) || alike(y, x));
            let arrays = looked_up(ctx, x).zip(looked_up(ctx, y));
            let apart = arrays.is_some_and(|(x, y)| {
                !pairs::may_share(ctx, x, y) && !(called && (alike(x, y) || alike(y, x)))
            });
            memory_of(ctx, x) == memory_of(ctx, y)
                && !apart
                && (alike_here || pairs::may_share(ctx, x, y))
        }
        (Target::Global(x), Target::Global(y)) => x == y,
        (Target::Global(g), Target::Memory(v)) | (Target::Memory(v), Target::Global(g)) => {
            pairs::may_be_named(ctx, v, g) || called && pairs::may_be_argument(ctx, v)
        }
        (Target::Everything, Target::Memory(v)) | (Target::Memory(v), Target::Everything) => {
            pairs::is_reachable(ctx, v, summaries)
        }
        (Target::Everything, _) | (_, Target::Everything) => true,
    }
}

/// The array whose buffer in the table of present arrays a memref is. Buffers of different
/// arrays are different memory.
fn looked_up(ctx: &Context, buffer: Value) -> Option<Value> {
    let present = buffer.def_op()?.cast::<PresentOp>(ctx)?;
    (!present.if_present(ctx)).then(|| base(ctx, present.array(ctx)))
}

fn named(t: Target) -> Option<Value> {
    match t {
        Target::Memory(v) => Some(v),
        _ => None,
    }
}

fn here(ways: Ways, other: Ways) -> &'static str {
    if ways & FREED != 0 {
        "frees"
    } else if ways & WRITES != 0 && (other & WRITES == 0 || ways & READS == 0) {
        "writes"
    } else if ways & WRITES == 0 {
        "reads"
    } else {
        "uses"
    }
}

fn there(ways: Ways) -> &'static str {
    match (ways & WRITES != 0, ways & READS != 0) {
        (true, false) => "write",
        (false, _) => "read",
        (true, true) => "read and write",
    }
}

/// What values are where control passes from `last`, which leaves a region or goes to its
/// successor number `to`.
pub(super) fn renamed(ctx: &Context, last: Op, to: Option<usize>) -> Vec<Renamed> {
    let operands = last.operands(ctx);
    if let Some(k) = to {
        let range = last.def(ctx).and_then(|d| d.successor_operands);
        let range = range.map_or(0..0, |f| f(ctx, last, k));
        let given = operands.get(range).unwrap_or(&[]);
        return are(last.successor(ctx, k).args(ctx), given);
    }
    let Some(block) = last.block(ctx) else {
        return Vec::new();
    };
    let Some(around) = block.parent_op(ctx) else {
        return Vec::new();
    };
    let results = around.results(ctx);
    match around.name(ctx) {
        "scf.while" if around.region(ctx, 0).blocks(ctx).contains(&block) => {
            let given = operands.get(1..).unwrap_or(&[]);
            let args = around.body(ctx, 1).args(ctx);
            [are(results, given), are(args, given)].concat()
        }
        "scf.while" => are(around.body(ctx, 0).args(ctx), &operands),
        "scf.for" | "affine.for" => [
            are(results, &operands),
            are(carried(ctx, around), &operands),
        ]
        .concat(),
        _ => are(results, &operands),
    }
}

/// What values are where a loop is come to.
pub(super) fn entered(ctx: &Context, op: Op) -> Vec<Renamed> {
    let operands = op.operands(ctx);
    match op.name(ctx) {
        "scf.while" => are(op.body(ctx, 0).args(ctx), &operands),
        "scf.for" | "affine.for" => {
            let results = op.results(ctx);
            let first = operands.len().saturating_sub(results.len());
            let inits = operands.get(first..).unwrap_or(&[]);
            [are(results, inits), are(carried(ctx, op), inits)].concat()
        }
        _ => Vec::new(),
    }
}

/// The arguments of a loop's body behind its counter.
fn carried(ctx: &Context, op: Op) -> Vec<Value> {
    op.body(ctx, 0).args(ctx).into_iter().skip(1).collect()
}

fn are(values: Vec<Value>, given: &[Value]) -> Vec<Renamed> {
    let known = values.len() == given.len();
    let value = |(k, v)| (v, given.get(k).copied().filter(|_| known));
    values.into_iter().enumerate().map(value).collect()
}
