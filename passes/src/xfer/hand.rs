//! Functions that are handed mirrors along with their arrays, so that copies stand, and are
//! placed, in their callers.
//!
//! A function that launches kernels on an array among its arguments, itself or in one that
//! it calls, gets a version with an argument more for each such array: the mirror, with what
//! the function says of the two (`xfer.mirror`, see [`handed`]). Calls whose arrays are known
//! go to that version; all others, from elsewhere or through a value, to the function as it
//! was, which has mirrors of its own.
//!
//! ```text
//! func.func @run(%A) {                     func.func @run(%A) {
//!   scf.for ... {                            %d = xfer.create %A
//!     call @step(%A)                         scf.for ... {
//!   }                                 =>       call @step_mirrored(%A, %d)
//! }                                          }
//! func.func private @step(%A) {            }
//!   gpu.launch ... { uses %A }             func.func private @step_mirrored(%A, %d {xfer.mirror = ...}) {
//! }                                          gpu.launch ... { uses %d }
//!                                          }
//! ```
//!
//! A call has a version where
//!
//! - the function does not call itself, directly or through others;
//! - each such array is an argument, an allocation or a global of the caller, whole and
//!   row-major, and the order of the call among what the host does is known;
//! - what else is handed over is other memory, or the very same memref: `f(A, A)` calls a
//!   version in which both arguments are one;
//! - a global among them is not used by the function by its name.

use super::arrays::{Arrays, handed, handed_by};
use super::flow::is_sequential;
use super::insert::{device_of, host_memrefs, launches};
use super::optimize::{is_asynchronous, is_simple};
use super::summary::Summaries;
use crate::analysis::call_graph::CallGraph;
use crate::analysis::memory::{base, is_root, may_be_same, uncast};
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::func::{CallOp, FuncOp};
use terrace_dialects::memref;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::xfer::handed::{Handed, Leaves, add_arguments, set_handed};
use terrace_dialects::xfer::{device_space, in_space, is_device};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::symbols::{
    SymbolTable, Visibility, nearest_symbol_table, set_visibility, symbol_is_used, symbol_uses,
    visibility,
};
use terrace_ir::{Context, Op, OpKind, Value};

/// The versions of one function, which differ in the arguments that are one; more calls
/// than these have other arguments alike go to the function itself.
const VERSIONS: usize = 4;

/// Which calls hand on which mirrors.
#[derive(Debug, Default)]
pub struct HandedMirrors {
    /// By call of a version: the operands whose mirrors follow, in order. The call has not
    /// got them yet.
    pub calls: FxHashMap<Op, Vec<usize>>,
}

/// Makes the versions of a module's functions and lets calls be of them. Functions that
/// nothing calls any more go.
pub fn plan(ctx: &mut Context, module: Op) -> HandedMirrors {
    let graph = CallGraph::new(ctx, module);
    let groups = graph.components();
    let mut p = Planner {
        module,
        used: FxHashMap::default(),
        versions: FxHashMap::default(),
        summaries: Summaries::default(),
        plan: HandedMirrors::default(),
    };
    for group in &groups {
        if let [f] = group[..]
            && !graph.edges(f).contains(&f)
            && f.isa::<FuncOp>(ctx)
        {
            let used = p.used_by(ctx, f);
            p.used.insert(f, used);
        }
    }
    // Callers before callees: who is copied is as it was written.
    for f in groups.concat().into_iter().rev() {
        if !f.isa::<FuncOp>(ctx) {
            continue;
        }
        let versions = p.versions.get(&f).cloned().unwrap_or_default();
        let unused = visibility(ctx, f) == Visibility::Private && !symbol_is_used(ctx, f, module);
        if unused && !versions.is_empty() {
            f.erase(ctx);
        } else {
            p.calls_in(ctx, f);
        }
        for v in versions {
            p.calls_in(ctx, v.function);
        }
    }
    p.plan
}

/// A version of a function.
#[derive(Debug, Clone)]
struct Version {
    function: Op,
    /// For each argument the first that is the same memref.
    same: Vec<usize>,
    /// The arguments whose mirrors it is handed.
    mirrored: Vec<usize>,
}

struct Planner {
    module: Op,
    /// By function: the arguments that kernels use, where it may have versions.
    used: FxHashMap<Op, Vec<usize>>,
    versions: FxHashMap<Op, Vec<Version>>,
    summaries: Summaries,
    plan: HandedMirrors,
}

impl Planner {
    /// The arguments of a function that kernels use which it launches, or which functions
    /// launch that it calls.
    fn used_by(&self, ctx: &Context, f: Op) -> Vec<usize> {
        let args = f.body(ctx, 0).args(ctx);
        let mut memrefs: Vec<Value> = Vec::new();
        for l in launches(ctx, f) {
            memrefs.extend(host_memrefs(ctx, l));
        }
        for call in f.find_all::<CallOp>(ctx) {
            let callee = call.function(ctx).map(|c| c.op());
            let used = callee.and_then(|c| self.used.get(&c));
            memrefs.extend(
                used.into_iter()
                    .flatten()
                    .map(|i| call.op().operand(ctx, *i)),
            );
        }
        let roots: FxHashSet<Value> = memrefs.into_iter().map(|v| base(ctx, v)).collect();
        let others = on_other_devices(ctx, f);
        let ends = |v: Value| {
            v.users(ctx)
                .iter()
                .any(|u| u.name(ctx) == memref::DeallocOp::NAME)
        };
        (0..args.len())
            .filter(|i| {
                let a = args[*i];
                roots.contains(&a)
                    && !others.contains(&a)
                    && has_identity_layout(ctx, a.ty(ctx))
                    && !ends(a)
            })
            .collect()
    }

    /// Lets the calls in a function be of versions where they can.
    fn calls_in(&mut self, ctx: &mut Context, f: Op) {
        let others = on_other_devices(ctx, f);
        for call in f.find_all::<CallOp>(ctx) {
            let op = call.op();
            let Some(callee) = call.function(ctx).map(|c| c.op()) else {
                continue;
            };
            let Some(used) = self.used.get(&callee).filter(|u| !u.is_empty()).cloned() else {
                continue;
            };
            let elsewhere = |i: &usize| {
                let root = base(ctx, op.operand(ctx, *i));
                others.iter().any(|o| may_be_same(ctx, *o, root))
            };
            if !is_in_order(ctx, f, op) || used.iter().any(elsewhere) {
                continue;
            }
            let Some(same) = self.same_arguments(ctx, op, &used) else {
                continue;
            };
            let mut mirrored: Vec<usize> = used.iter().map(|i| same[*i]).collect();
            mirrored.sort_unstable();
            mirrored.dedup();
            if let Some(v) = self.version(ctx, callee, &same, &mirrored) {
                let name = v.symbol_name(ctx).unwrap_or_default().to_string();
                op.set_attr(ctx, "callee", ctx.symbol_attr(&name));
                self.plan.calls.insert(op, mirrored);
            }
        }
    }

    /// For each operand of a call the first that is the same memref; `None` where the
    /// operands `used` cannot be told from others, or have no mirror.
    fn same_arguments(&mut self, ctx: &Context, call: Op, used: &[usize]) -> Option<Vec<usize>> {
        let operands = call.operands(ctx);
        let is_memref = |v: &Value| v.ty(ctx).is_memref(ctx);
        let same: Vec<usize> = (0..operands.len())
            .map(|i| match is_memref(&operands[i]) {
                true => operands.iter().position(|o| *o == operands[i]).unwrap_or(i),
                false => i,
            })
            .collect();
        for i in used {
            let root = uncast(ctx, operands[*i]);
            let on_host = !is_device(ctx, root.ty(ctx));
            if !is_root(ctx, root) || !on_host || !has_identity_layout(ctx, root.ty(ctx)) {
                return None;
            }
            let global = root
                .def_op()
                .is_some_and(|o| o.name(ctx) == memref::GetGlobalOp::NAME);
            if global
                && self
                    .summaries
                    .of_call(ctx, call)
                    .is_none_or(|s| s.elsewhere)
            {
                return None;
            }
            let other = |j: usize| {
                same[j] == same[*i]
                    || !is_memref(&operands[j])
                    || !may_be_same(ctx, base(ctx, operands[j]), root)
            };
            if !(0..operands.len()).all(other) {
                return None;
            }
        }
        Some(same)
    }

    /// The version of a function for such arguments.
    fn version(
        &mut self,
        ctx: &mut Context,
        callee: Op,
        same: &[usize],
        mirrored: &[usize],
    ) -> Option<Op> {
        let known = self.versions.entry(callee).or_default();
        let like = |v: &&Version| v.same == same && v.mirrored == mirrored;
        if let Some(v) = known.iter().find(like) {
            return Some(v.function);
        }
        if known.len() >= VERSIONS {
            return None;
        }
        let function = clone_op(ctx, callee, &mut IrMapping::default());
        let name = format!("{}_mirrored", callee.symbol_name(ctx).unwrap_or("function"));
        let table = nearest_symbol_table(ctx, callee.parent(ctx)?).unwrap_or(self.module);
        let name = SymbolTable::new(ctx, table).unique_name(&name);
        function.set_attr(ctx, "sym_name", ctx.string_attr(&name));
        set_visibility(ctx, function, Visibility::Private);
        function.insert_after(ctx, callee);
        let entry = function.body(ctx, 0);
        let args = entry.args(ctx);
        for (i, first) in same.iter().enumerate().filter(|(i, f)| i != *f) {
            args[i].replace_all_uses(ctx, args[*first]);
        }
        let space = device_space(ctx, 0);
        let types: Vec<_> = mirrored
            .iter()
            .map(|i| in_space(ctx, args[*i].ty(ctx), Some(space)))
            .collect();
        add_arguments(ctx, function, &types);
        for (k, i) in mirrored.iter().enumerate() {
            let mirror = args.len() + k;
            entry.set_arg_loc(ctx, mirror, entry.arg_loc(ctx, *i));
            let h = Handed {
                array: *i,
                mirror,
                needs: [true, false],
                leaves: [Leaves::Valid, Leaves::Unknown],
                flags: false,
            };
            set_handed(ctx, function, &h);
        }
        let version = Version {
            function,
            same: same.to_vec(),
            mirrored: mirrored.to_vec(),
        };
        self.versions.entry(callee).or_default().push(version);
        Some(function)
    }
}

/// The memrefs whose mirrors are on another device than the first.
fn on_other_devices(ctx: &Context, f: Op) -> Vec<Value> {
    let all = launches(ctx, f).into_iter();
    let others = all.filter(|l| device_of(ctx, *l) != 0);
    let memrefs = others.flat_map(|l| host_memrefs(ctx, l));
    memrefs.map(|v| base(ctx, v)).collect()
}

/// Whether the order of an op among what the host does in `function` is known.
fn is_in_order(ctx: &Context, function: Op, op: Op) -> bool {
    let mut at = op;
    while let Some(parent) = at.parent(ctx) {
        if parent == function {
            return true;
        }
        if !is_sequential(ctx, parent) || !at.region_of(ctx).is_some_and(|r| r.has_one_block(ctx)) {
            return false;
        }
        at = parent;
    }
    false
}

/// The pairs among functions' arguments, by function and mirror, of which all calls are known
/// and come from where the copies of the pair can be placed.
pub(super) fn open_pairs(ctx: &Context, module: Op) -> Vec<(Op, usize)> {
    let graph = CallGraph::new(ctx, module);
    let mut open: Vec<(Op, Handed)> = Vec::new();
    for group in graph.components() {
        if let [f] = group[..]
            && !graph.edges(f).contains(&f)
            && visibility(ctx, f) == Visibility::Private
        {
            let all = handed(ctx, f).unwrap_or_default();
            open.extend(all.into_iter().map(|h| (f, h)));
        }
    }
    loop {
        let before = open.len();
        let now: FxHashSet<(Op, usize)> = open.iter().map(|o| (o.0, o.1.mirror)).collect();
        open.retain(|(f, h)| {
            let uses = symbol_uses(ctx, *f, module);
            uses.iter().all(|u| is_known(ctx, u.op, *f, h, &now))
        });
        if open.len() == before {
            return open.iter().map(|o| (o.0, o.1.mirror)).collect();
        }
    }
}

/// Whether `user` is a call of `callee` with a pair that its function has, and places the
/// copies of.
fn is_known(
    ctx: &Context,
    user: Op,
    callee: Op,
    h: &Handed,
    open: &FxHashSet<(Op, usize)>,
) -> bool {
    let called = user.cast::<CallOp>(ctx).and_then(|c| c.function(ctx));
    let (Some(caller), true) = (
        user.parent_of::<FuncOp>(ctx),
        called.is_some_and(|c| c.op() == callee),
    ) else {
        return false;
    };
    let (array, mirror) = (
        uncast(ctx, user.operand(ctx, h.array)),
        uncast(ctx, user.operand(ctx, h.mirror)),
    );
    let of_this = handed_by(ctx, user);
    let twice = of_this
        .iter()
        .filter(|o| base(ctx, user.operand(ctx, o.mirror)) == mirror)
        .count();
    let arrays = Arrays::of(ctx, caller.op());
    let pair = arrays
        .list
        .iter()
        .find(|a| a.mirror == mirror && a.host == array);
    twice == 1
        && is_in_order(ctx, caller.op(), user)
        && !is_asynchronous(ctx, caller.op())
        && pair.is_some_and(|a| {
            is_simple(ctx, a)
                && a.handed
                    .is_none_or(|p| open.contains(&(caller.op(), p.mirror)))
        })
}
