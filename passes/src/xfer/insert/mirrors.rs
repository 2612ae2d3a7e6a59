//! The mirrors of arrays: where they are made, what launches and calls see of them, and
//! where they end.

use crate::analysis::memory::{base, is_view};
use crate::xfer::arrays::global_name;
use crate::xfer::arrays::handed;
use rustc_hash::FxHashMap;
use terrace_dialects::memref::MemorySpaceCastOp;
use terrace_dialects::{func, memref, xfer};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Context, Op, Value};

/// Whether two roots are one array, perhaps as two mentions of a global.
pub(super) fn is_same_array(ctx: &Context, a: Value, b: Value) -> bool {
    let name = global_name(ctx, b);
    a == b || name.is_some() && global_name(ctx, a) == name
}

/// The mirrors of a function's arrays.
pub(super) struct Mirrors {
    function: Op,
    /// Root and mirror.
    pub made: Vec<(Value, Value)>,
    /// The same of those that the function is handed.
    pub handed: Vec<(Value, Value)>,
    /// By root: the mirror as kernels see it, in the array's own type.
    seen: FxHashMap<Value, Value>,
    /// By memref of the host: the same part of the mirror.
    views: FxHashMap<Value, Value>,
    /// Where new ones are.
    pub device: u32,
}

impl Mirrors {
    pub fn of(ctx: &Context, function: Op) -> Mirrors {
        let args = function.body(ctx, 0).args(ctx);
        let handed = handed(ctx, function).unwrap_or_default();
        Mirrors {
            function,
            made: Vec::new(),
            handed: handed
                .iter()
                .map(|h| (args[h.array], args[h.mirror]))
                .collect(),
            seen: FxHashMap::default(),
            views: FxHashMap::default(),
            device: 0,
        }
    }

    /// Gives a call the mirrors of some of its operands.
    pub fn hand_on(&mut self, ctx: &mut Context, call: Op, arrays: &[usize]) {
        self.device = 0;
        for i in arrays {
            let v = call.operand(ctx, *i);
            let root = base(ctx, v);
            let (array, mut mirror) = self.mirror(ctx, root);
            if array != root {
                // Another mention of a global than that with the mirror.
                let mut b = Builder::before(ctx, call);
                let ty = v.ty(b.ctx);
                let same = match array.ty(b.ctx) == ty {
                    true => array,
                    false => b.value::<memref::CastOp>(&[array], ty, &[]),
                };
                call.set_operand(ctx, *i, same);
            }
            let space = xfer::device_space(ctx, 0);
            let ty = v.ty(ctx);
            let ty = xfer::in_space(ctx, ty, Some(space));
            if mirror.ty(ctx) != ty {
                let mut b = Builder::before(ctx, call);
                mirror = b.value::<memref::CastOp>(&[mirror], ty, &[]);
            }
            call.push_operand(ctx, mirror);
        }
    }

    /// The part of the mirror that `v`, a view of `root`, is of the array.
    pub fn view(&mut self, ctx: &mut Context, root: Value, v: Value) -> Option<Value> {
        if v == root {
            return Some(self.seen(ctx, root));
        }
        if let Some(known) = self.views.get(&v) {
            return Some(*known);
        }
        let op = v.def_op().filter(|o| is_view(ctx, *o))?;
        let source = self.view(ctx, root, op.operand(ctx, 0))?;
        let mut map = IrMapping::default();
        map.map(op.operand(ctx, 0), source);
        let copy = clone_op(ctx, op, &mut map);
        copy.insert_after(ctx, op);
        let view = copy.result(ctx, v.index(ctx));
        self.views.insert(v, view);
        Some(view)
    }

    /// The mirror of `root` in the type of its array.
    fn seen(&mut self, ctx: &mut Context, root: Value) -> Value {
        let (root, mirror) = self.mirror(ctx, root);
        if let Some(seen) = self.seen.get(&root) {
            return *seen;
        }
        let ty = root.ty(ctx);
        let mut b = match mirror.def_op() {
            // What was in a new array is given up first.
            Some(op) => match op.next(ctx).filter(|o| o.isa::<xfer::DiscardOp>(ctx)) {
                Some(discard) => Builder::after(ctx, discard),
                None => Builder::after(ctx, op),
            },
            None => {
                let (entry, loc) = (self.function.body(ctx, 0), mirror.loc(ctx));
                Builder::at_start(ctx, entry, loc)
            }
        };
        let seen = b.value::<MemorySpaceCastOp>(&[mirror], ty, &[]);
        self.seen.insert(root, seen);
        seen
    }

    /// An array that is `root`, and its mirror.
    fn mirror(&mut self, ctx: &mut Context, root: Value) -> (Value, Value) {
        let mut known = self.handed.iter().chain(&self.made);
        if let Some(same) = known.find(|m| is_same_array(ctx, m.0, root)) {
            return *same;
        }
        let name = global_name(ctx, root);
        let entry = self.function.body(ctx, 0);
        let root = match root.def_op() {
            // The address of a global is taken where the function begins.
            Some(op) if name.is_some() => {
                let copy = clone_op(ctx, op, &mut IrMapping::default());
                entry.push_front(ctx, copy);
                copy.result(ctx, 0)
            }
            _ => root,
        };
        let space = xfer::device_space(ctx, self.device);
        let mut b = match root.def_op() {
            Some(op) => Builder::after(ctx, op),
            None => {
                let loc = root.loc(ctx);
                Builder::at_start(ctx, entry, loc)
            }
        };
        let mirror = xfer::CreateOp::build(&mut b, root, space);
        if name.is_none() && root.def_op().is_some() {
            // Nothing was written there yet.
            xfer::DiscardOp::build(&mut b, root);
        }
        self.made.push((root, mirror));
        (root, mirror)
    }
}

/// A mirror for one launch, of a memref that may be any of several arrays.
pub(super) fn around(ctx: &mut Context, launch: Op, v: Value, device: u32) -> Option<Value> {
    let space = xfer::device_space(ctx, device);
    let ty = v.ty(ctx);
    let mut b = Builder::before(ctx, launch);
    let mirror = xfer::CreateOp::build(&mut b, v, space);
    xfer::CopyOp::build(&mut b, v, mirror);
    let seen = b.value::<MemorySpaceCastOp>(&[mirror], ty, &[]);
    let mut b = Builder::after(ctx, launch);
    xfer::CopyOp::build(&mut b, mirror, v);
    xfer::FreeOp::build(&mut b, mirror);
    Some(seen)
}

/// Frees a mirror where its array ends.
pub(super) fn free(ctx: &mut Context, function: Op, root: Value, mirror: Value) {
    let own = root
        .def_op()
        .filter(|o| o.name(ctx) != memref::GetGlobalOp::NAME);
    let freed: Vec<Op> = root
        .users(ctx)
        .into_iter()
        .filter(|u| u.name(ctx) == memref::DeallocOp::NAME)
        .collect();
    let block = own.and_then(|o| o.block(ctx));
    let nested = block.filter(|b| b.parent_op(ctx) != Some(function));
    let ends: Vec<Op> = match (own, nested) {
        (Some(_), _) if !freed.is_empty() => freed,
        (Some(_), Some(block)) => block.terminator(ctx).into_iter().collect(),
        // An allocation further down that nobody frees leaks, and its mirror with it.
        (Some(_), None) if block.is_some_and(|b| !b.is_entry(ctx)) => Vec::new(),
        // They stand in blocks of the function itself: what is in kernels is not looked at.
        _ => (function.region(ctx, 0).blocks(ctx).into_iter())
            .filter_map(|b| b.terminator(ctx))
            .filter(|t| t.isa::<func::ReturnOp>(ctx))
            .collect(),
    };
    for end in ends {
        let mut b = Builder::before(ctx, end);
        xfer::FreeOp::build(&mut b, mirror);
    }
}
