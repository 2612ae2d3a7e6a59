//! Which arrays functions have in the table, and what calls do to them.
//!
//! A function is followed with each array by itself, from each state in which it is called;
//! what becomes of one does not depend on another. A function that nobody of the module
//! calls, or that others may, begins with nothing on the device.

use super::super::origins::origins;
use super::super::pairs::is_reachable;
use super::super::parts::Boxes;
use super::super::pending::{Tasks, is_asynchronous};
use super::super::report::{Incoherence, array_words};
use super::super::uses::{Summaries, memory_of};
use super::super::walk::Walk;
use super::content::Span;
use super::effects::Focus;
use super::place::all_of;
use super::report::Finding;
use super::state::State;
use super::under_way::Touch;
use crate::analysis::memory::{base, is_root};
use crate::xfer::check::effects::is_data_op;
use std::rc::Rc;
use terrace_dialects::func::{CallOp, FuncOp, ReturnOp};
use terrace_dialects::memref::GetGlobalOp;
use terrace_dialects::xfer;
use terrace_dialects::xfer::Side;
use terrace_ir::{Attr, Context, Op, OpKind, Type, Value};

/// An array, as a function knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Root {
    /// An argument or an allocation.
    Value(Value),
    /// A global, by the symbol that names it.
    Global(Attr),
}

impl Root {
    fn of(ctx: &Context, v: Value) -> Option<Root> {
        match v.def_op().filter(|o| o.isa::<GetGlobalOp>(ctx)) {
            Some(get) => get.attr(ctx, "name").map(Root::Global),
            None => is_root(ctx, v).then_some(Root::Value(v)),
        }
    }

    /// Whether a memref is all of the array, by this very name.
    pub fn is(self, ctx: &Context, v: Value) -> bool {
        Root::of(ctx, v) == Some(self)
    }

    /// A value of the function that is the array.
    pub fn value(self, ctx: &Context, function: Op) -> Value {
        let gets = function.find_all::<GetGlobalOp>(ctx).into_iter();
        let mut gets = gets.map(|g| g.op().result(ctx, 0));
        match self {
            Root::Value(v) => v,
            // One that only functions have that are called is called by an argument's name.
            Root::Global(_) => gets
                .find(|v| self.is(ctx, *v))
                .unwrap_or_else(|| mention(ctx, function, self)),
        }
    }

    pub fn ty(self, ctx: &Context, function: Op) -> Type {
        self.value(ctx, function).ty(ctx)
    }
}

/// A mention of a global in any function of the module.
fn mention(ctx: &Context, function: Op, root: Root) -> Value {
    let module = function.parent(ctx).unwrap_or(function);
    let gets = module.find_all::<GetGlobalOp>(ctx).into_iter();
    let mut gets = gets.map(|g| g.op().result(ctx, 0));
    gets.find(|v| root.is(ctx, *v))
        .unwrap_or_else(|| function.body(ctx, 0).arg(ctx, 0))
}

/// The arrays of a function that it, or one that it calls, has in the table; its own
/// allocations too.
pub fn roots(ctx: &Context, function: Op, summaries: &mut Summaries) -> Rc<Roots> {
    if let Some(known) = summaries.tables.roots.get(&function) {
        return known.clone();
    }
    // For calls of itself.
    summaries.tables.roots.insert(function, Rc::default());
    let mut all: Vec<Root> = Vec::new();
    let mut clear = true;
    for op in function.pre_order(ctx) {
        let of = |v: Value| {
            let from = origins(ctx, base(ctx, v)).into_iter();
            from.filter_map(|o| Root::of(ctx, o)).collect::<Vec<_>>()
        };
        if is_data_op(ctx, op) {
            all.extend(op.operands(ctx).into_iter().flat_map(of));
            continue;
        }
        let Some(call) = op.cast::<CallOp>(ctx) else {
            continue;
        };
        let Some(callee) = call.function(ctx).map(|f| f.op()) else {
            continue;
        };
        if callee.num_regions(ctx) == 0 || callee.region(ctx, 0).is_empty(ctx) {
            continue;
        }
        let theirs = roots(ctx, callee, summaries);
        clear &= theirs.clear;
        for r in exported(ctx, callee, &theirs.all) {
            match r {
                Root::Value(param) => {
                    let v = op.operands(ctx).get(param.index(ctx)).copied();
                    all.extend(v.into_iter().flat_map(of));
                }
                Root::Global(_) => all.push(r),
            }
        }
    }
    let mut seen = rustc_hash::FxHashSet::default();
    all.retain(|r| seen.insert(*r));
    let found = Rc::new(Roots { all, clear });
    summaries.tables.roots.insert(function, found.clone());
    found
}

/// The arrays of a function that are in the table.
#[derive(Debug, Default)]
pub struct Roots {
    pub all: Vec<Root>,
    /// Whether that is all of them, which is not so of functions that call themselves.
    pub clear: bool,
}

/// Those that a caller knows.
fn exported(ctx: &Context, function: Op, all: &[Root]) -> Vec<Root> {
    let args = function.body(ctx, 0).args(ctx);
    let seen = |r: &&Root| match r {
        Root::Value(v) => args.contains(v),
        Root::Global(_) => true,
    };
    all.iter().filter(seen).copied().collect()
}

/// What is found of functions and the table.
#[derive(Default)]
pub struct Tables {
    roots: rustc_hash::FxHashMap<Op, Rc<Roots>>,
    /// What a function does to an array from a state; `None` while it is followed.
    called: rustc_hash::FxHashMap<(Op, Root, State), Option<Rc<Called>>>,
    depth: usize,
}

/// What a function does to an array.
#[derive(Debug)]
pub struct Called {
    pub found: Vec<Finding>,
    /// The states in which it may return, and whether the buffers that its caller has are
    /// still those of the table.
    pub to: Vec<(State, bool)>,
    /// What it does to buffers of the array, which asynchronous ops of its caller may use.
    pub touches: Vec<Touch>,
}

/// The deepest chain of calls that is followed.
const DEPTH: usize = 40;

/// What a call of `callee` does to the array that it knows as `root`; `None` where it calls
/// itself, or others too deep.
pub fn called(
    ctx: &Context,
    callee: Op,
    root: Root,
    from: &State,
    summaries: &mut Summaries,
    trust_table: bool,
) -> Option<Rc<Called>> {
    let key = (callee, root, from.clone());
    if let Some(known) = summaries.tables.called.get(&key) {
        return known.clone();
    }
    if summaries.tables.depth >= DEPTH {
        return None;
    }
    summaries.tables.called.insert(key.clone(), None);
    summaries.tables.depth += 1;
    let focus = Focus::new(ctx, callee, root, true, false);
    let made = follow(ctx, callee, focus, from.clone(), summaries, trust_table);
    summaries.tables.depth -= 1;
    let made = Some(Rc::new(made));
    summaries.tables.called.insert(key, made.clone());
    made
}

fn follow(
    ctx: &Context,
    function: Op,
    focus: Focus,
    start: State,
    summaries: &mut Summaries,
    trust_table: bool,
) -> Called {
    let tasks = match is_asynchronous(ctx, function) {
        true => Tasks::of(ctx, function, summaries),
        false => Tasks::none(function),
    };
    let mut walk = Walk::new(ctx, &[], tasks, summaries, Boxes::default(), trust_table);
    walk.mirrored = false;
    walk.array(function, focus, start)
}

/// What is wrong with how a function uses the table: with its own arrays, and, where
/// others than the module's functions may call it, with those that it is given.
pub fn of_function(
    ctx: &Context,
    function: Op,
    summaries: &mut Summaries,
    trust_table: bool,
) -> Vec<Incoherence> {
    let mut all = Vec::new();
    let mine = roots(ctx, function, summaries);
    let args = function.body(ctx, 0).args(ctx);
    let from_outside = is_entry(ctx, function);
    for root in &mine.all {
        let outer = match root {
            Root::Value(v) => args.contains(v),
            Root::Global(_) => true,
        };
        if outer && !from_outside {
            continue;
        }
        let value = root.value(ctx, function);
        if memory_of(ctx, value) != Side::Host {
            continue;
        }
        let shared = outer || is_reachable(ctx, value, summaries);
        let returns = shared || is_returned(ctx, function, *root);
        let focus = Focus::new(ctx, function, *root, shared, returns);
        let whole: Span = all_of(ctx, value.ty(ctx));
        let start = State::absent(whole, outer);
        let done = follow(ctx, function, focus, start, summaries, trust_table);
        let words = array_words(ctx, value);
        all.extend(done.found.into_iter().map(|f| f.incoherence(value, &words)));
    }
    if !trust_table {
        all.extend(unclear(ctx, function));
    }
    let places = function.pre_order(ctx);
    all.sort_by_key(|i| places.iter().position(|o| *o == i.op));
    all
}

fn is_returned(ctx: &Context, function: Op, root: Root) -> bool {
    let all = function.find_all::<ReturnOp>(ctx).into_iter();
    let mut values = all.flat_map(|r| r.op().operands(ctx));
    values.any(|v| v.ty(ctx).is_memref(ctx) && origins(ctx, v).iter().any(|o| root.is(ctx, *o)))
}

/// Whether others than functions of the module may call it, or nobody does.
fn is_entry(ctx: &Context, function: Op) -> bool {
    if function
        .cast::<FuncOp>(ctx)
        .is_some_and(|f| !f.is_private(ctx))
    {
        return true;
    }
    let Some(module) = function.parent(ctx) else {
        return true;
    };
    let calls = module.find_all::<CallOp>(ctx);
    let mut called = calls.into_iter().filter_map(|c| c.function(ctx));
    !called.any(|f| f.op() == function)
}

/// Arrays of the table of which it cannot be told which they are.
fn unclear(ctx: &Context, function: Op) -> Vec<Incoherence> {
    let mut all = Vec::new();
    for op in function.pre_order(ctx) {
        if !is_data_op(ctx, op) || op.name(ctx) == xfer::DataOp::NAME {
            continue;
        }
        let known = |v: &Value| origins(ctx, *v).iter().any(|o| is_root(ctx, *o));
        if let Some(array) = op.operands(ctx).into_iter().find(|v| !known(v)) {
            all.push(Incoherence {
                op,
                array,
                message: format!(
                    "cannot be checked: only the run can tell which array {} is",
                    array_words(ctx, array)
                ),
                path: Vec::new(),
            });
        }
    }
    all
}
