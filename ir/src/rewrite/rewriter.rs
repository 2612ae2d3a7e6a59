//! The builder that patterns change IR with.

use crate::attr::Attr;
use crate::block::{Block, Region};
use crate::builder::{Builder, InsertPoint};
use crate::clone::{IrMapping, clone_op};
use crate::context::Context;
use crate::loc::Loc;
use crate::op::Op;
use crate::types::Type;
use crate::value::Value;
use std::ops::{Deref, DerefMut};

/// A [`Builder`] that also replaces and erases, and remembers what it touched so
/// that the driver looks at it again.
///
/// Everything made through the builder is noticed. Changes made to ops directly are
/// fine too, but call [`Self::modified`] for them; the driver would otherwise find
/// out only in its next round.
pub struct Rewriter<'c> {
    builder: Builder<'c>,
    /// Ops to look at again, in the order they were touched.
    touched: Vec<Op>,
}

impl<'c> Deref for Rewriter<'c> {
    type Target = Builder<'c>;
    fn deref(&self) -> &Builder<'c> {
        &self.builder
    }
}

impl DerefMut for Rewriter<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.builder
    }
}

impl<'c> Rewriter<'c> {
    /// A rewriter that inserts nowhere yet.
    pub(crate) fn new(ctx: &'c mut Context) -> Self {
        ctx.created = Some(Vec::new());
        Rewriter {
            builder: Builder::new(ctx, InsertPoint::Detached, Loc::Unknown),
            touched: Vec::new(),
        }
    }

    /// A rewriter that inserts before `op`, with its location.
    pub fn before(ctx: &'c mut Context, op: Op) -> Self {
        let mut rw = Rewriter::new(ctx);
        rw.set_before(op);
        rw
    }

    /// Insert before `op` from now on, with its location.
    pub fn set_before(&mut self, op: Op) {
        self.builder.at = InsertPoint::Before(op);
        self.builder.loc = op.loc(self.builder.ctx);
    }

    /// Insert after `op` from now on, with its location.
    pub fn set_after(&mut self, op: Op) {
        self.builder.at = InsertPoint::After(op);
        self.builder.loc = op.loc(self.builder.ctx);
    }

    /// The ops made and touched since the last call, oldest first.
    pub(super) fn take_touched(&mut self, created: &mut Vec<Op>, touched: &mut Vec<Op>) {
        if let Some(c) = &mut self.builder.ctx.created {
            created.append(c);
        }
        touched.append(&mut self.touched);
    }

    /// Say that `op` changed in place.
    pub fn modified(&mut self, op: Op) {
        self.touched.push(op);
    }

    /// Replace operand `i` of `op`.
    pub fn set_operand(&mut self, op: Op, i: usize, v: Value) {
        // The old operand's definition may be dead now.
        self.touch_definitions(op);
        op.set_operand(self.ctx, i, v);
        self.modified(op);
    }

    /// Replace all operands of `op`.
    pub fn set_operands(&mut self, op: Op, vs: &[Value]) {
        self.touch_definitions(op);
        op.set_operands(self.ctx, vs);
        self.modified(op);
    }

    /// Add or replace an attribute of `op`.
    pub fn set_attr(&mut self, op: Op, name: &str, a: Attr) {
        op.set_attr(self.ctx, name, a);
        self.modified(op);
    }

    /// Remove an attribute of `op`, if it is there.
    pub fn remove_attr(&mut self, op: Op, name: &str) {
        if op.remove_attr(self.ctx, name).is_some() {
            self.modified(op);
        }
    }

    /// Replace all uses of `old`.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        if old == new {
            return;
        }
        // Perhaps the same user several times: the driver sorts that out.
        for u in old.0.uses(&self.builder.ctx.ir) {
            self.touched.push(Op(u.user_op()));
        }
        old.replace_all_uses(self.ctx, new);
    }

    /// Replace the results of `op`, one value each, and erase it.
    pub fn replace_op(&mut self, op: Op, with: &[Value]) {
        debug_assert_eq!(op.num_results(self.ctx), with.len());
        for (i, w) in with.iter().enumerate() {
            let r = op.result(self.ctx, i);
            self.replace_all_uses(r, *w);
        }
        self.erase(op);
    }

    /// Replace `op` by the results of `new`.
    pub fn replace_op_with(&mut self, op: Op, new: Op) {
        let with = new.results(self.ctx);
        self.replace_op(op, &with);
    }

    /// Erase `op`, whose results must have no uses left.
    pub fn erase(&mut self, op: Op) {
        self.touch_definitions(op);
        if matches!(self.at, InsertPoint::Before(o) if o == op) {
            self.builder.at = match (op.next(self.ctx), op.block(self.ctx)) {
                (Some(next), _) => InsertPoint::Before(next),
                (None, Some(block)) => InsertPoint::End(block),
                (None, None) => InsertPoint::Detached,
            };
        } else if matches!(self.at, InsertPoint::After(o) if o == op) {
            self.builder.at = match (op.prev(self.ctx), op.block(self.ctx)) {
                (Some(prev), _) => InsertPoint::After(prev),
                (None, Some(block)) => InsertPoint::Start(block),
                (None, None) => InsertPoint::Detached,
            };
        }
        op.erase(self.builder.ctx);
    }

    /// The definitions of `op`'s operands may be dead, or used once only, when it
    /// is gone. Those with many other users are no different for it.
    fn touch_definitions(&mut self, op: Op) {
        let ctx = &*self.builder.ctx;
        for i in 0..op.num_operands(ctx) {
            let v = op.operand(ctx, i);
            let Some(def) = v.def_op() else { continue };
            if v.num_uses(ctx) <= 4 {
                let mut others = v.users(ctx);
                others.retain(|u| *u != op);
                if others.len() <= 1 {
                    self.touched.push(def);
                }
            }
        }
        for b in op.blocks(ctx) {
            let mut next = b.first_op(ctx);
            while let Some(o) = next {
                next = o.next(ctx);
                for v in o.operands(ctx) {
                    if let Some(def) = v.def_op().filter(|d| !op.is_ancestor_of(ctx, *d)) {
                        self.touched.push(def);
                    }
                }
            }
        }
    }

    /// An op with the constant `value` of type `ty` at the insertion point, made by
    /// the dialect of `like`, or by another one where that makes no such constant.
    pub fn constant(&mut self, like: Op, value: Attr, ty: Type) -> Option<Op> {
        let own = self
            .ctx
            .dialect(like.dialect(self.ctx))
            .and_then(|d| d.materialize);
        if let Some(op) = own.and_then(|f| f(&mut self.builder, value, ty)) {
            return Some(op);
        }
        None
    }

    // ---- blocks and regions ----

    /// Move all ops of `block` before `mark`, its arguments replaced by `args`, and
    /// erase it. Nothing may branch to it.
    pub fn inline_block_before(&mut self, block: Block, mark: Op, args: &[Value]) {
        self.replace_args(block, args);
        for op in block.ops(self.ctx) {
            op.move_before(self.ctx, mark);
            self.moved(op);
        }
        block.unlink(self.ctx);
        block.erase(self.builder.ctx);
    }

    /// Move all ops of `block` to the end of `to`, its arguments replaced by
    /// `args`, and erase it. Nothing may branch to it.
    pub fn merge_block(&mut self, block: Block, to: Block, args: &[Value]) {
        self.replace_args(block, args);
        for op in block.ops(self.ctx) {
            op.move_to_end(self.ctx, to);
            self.moved(op);
        }
        block.unlink(self.ctx);
        block.erase(self.builder.ctx);
    }

    /// An op in a new place is as good as a new one.
    fn moved(&mut self, op: Op) {
        if let Some(created) = &mut self.builder.ctx.created {
            created.push(op);
        }
    }

    fn replace_args(&mut self, block: Block, args: &[Value]) {
        debug_assert_eq!(block.num_args(self.ctx), args.len());
        for (a, v) in block.args(self.ctx).into_iter().zip(args) {
            self.replace_all_uses(a, *v);
        }
    }

    /// Move all blocks of `from` to the end of `to`.
    pub fn move_region(&mut self, from: Region, to: Region) {
        from.move_blocks_to(self.ctx, to);
        let op = to.parent_op(self.ctx);
        self.touched.push(op);
    }

    /// Erase `block` with all its ops, whose results nothing outside may use.
    pub fn erase_block(&mut self, block: Block) {
        for op in block.ops(self.ctx).into_iter().rev() {
            self.touch_definitions(op);
        }
        block.erase(self.builder.ctx);
    }

    /// A copy of `op` at the insertion point; see [`clone_op`].
    pub fn clone_op(&mut self, op: Op, map: &mut IrMapping) -> Op {
        let copy = clone_op(self.builder.ctx, op, map);
        self.insert(copy)
    }
}

impl Drop for Rewriter<'_> {
    fn drop(&mut self) {
        self.builder.ctx.created = None;
    }
}
