//! Operations.

use crate::attr::Attr;
use crate::block::{Block, Region};
use crate::context::{Context, Str};
use crate::diag::Severity;
use crate::loc::Loc;
use crate::opdef::{OpDef, OpKind, Traits, traits};
use crate::storage::{OpPayload, PAYLOAD};
use crate::types::Type;
use crate::value::Value;
use pliron::context::Ptr;
use pliron::linked_list::{ContainsLinkedList, LinkedList};
use pliron::operation::Operation;

/// A handle to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Op(pub(crate) Ptr<Operation>);

impl Op {
    // ---- what it is ----

    /// The declaration of a registered op.
    pub fn def(self, ctx: &Context) -> Option<&'static OpDef> {
        let op = Operation::get_op_dyn(self.0, &ctx.ir);
        let id = op.op_ref().as_any().type_id();
        ctx.op_def_by_type(id)
    }

    /// Whether the op is registered with all traits of the set `t`.
    pub fn has_trait(self, ctx: &Context, t: Traits) -> bool {
        self.def(ctx).is_some_and(|d| d.has(t))
    }

    /// Whether the op is registered as one that ends its block.
    pub fn is_terminator(self, ctx: &Context) -> bool {
        self.has_trait(ctx, traits::TERMINATOR)
    }

    /// The full name, such as `arith.addi`.
    pub fn name(self, ctx: &Context) -> &str {
        match self.def(ctx) {
            Some(d) => d.name,
            None => self
                .payload(ctx)
                .and_then(|p| p.name)
                .map_or("<unknown>", |n| ctx.str(n)),
        }
    }

    /// The part of the name before the first dot.
    pub fn dialect(self, ctx: &Context) -> &str {
        self.name(ctx).split('.').next().unwrap_or("")
    }

    /// Whether this is an op of kind `K`.
    pub fn isa<K: OpKind>(self, ctx: &Context) -> bool {
        Operation::is_op::<K>(self.0, &ctx.ir)
    }

    /// This op as the kind `K`, where it is one.
    pub fn cast<K: OpKind>(self, ctx: &Context) -> Option<K> {
        self.isa::<K>(ctx).then(|| K::wrap(self))
    }

    /// Whether the op has a declaration.
    pub fn is_registered(self, ctx: &Context) -> bool {
        self.def(ctx).is_some()
    }

    // ---- operands and results ----

    /// How many operands there are, of all groups.
    pub fn num_operands(self, ctx: &Context) -> usize {
        self.0.deref(&ctx.ir).get_num_operands()
    }

    /// Operand `i`, which must exist.
    pub fn operand(self, ctx: &Context, i: usize) -> Value {
        Value(self.0.deref(&ctx.ir).get_operand(i))
    }

    /// All operands, in order; a snapshot.
    pub fn operands(self, ctx: &Context) -> Vec<Value> {
        self.0.deref(&ctx.ir).operands().map(Value).collect()
    }

    /// Replace operand `i`.
    pub fn set_operand(self, ctx: &Context, i: usize, v: Value) {
        if self.operand(ctx, i) != v {
            Operation::replace_operand(self.0, &ctx.ir, i, v.0);
        }
    }

    /// Append an operand. Segment sizes are not changed.
    pub fn push_operand(self, ctx: &Context, v: Value) {
        Operation::push_operand(self.0, &ctx.ir, v.0);
    }

    /// Remove operand `i`. Segment sizes are not changed.
    pub fn erase_operand(self, ctx: &Context, i: usize) {
        Operation::remove_operand(self.0, &ctx.ir, i);
    }

    /// Replace all operands. Segment sizes are not changed.
    pub fn set_operands(self, ctx: &Context, vs: &[Value]) {
        while self.num_operands(ctx) > vs.len() {
            Operation::pop_operand(self.0, &ctx.ir);
        }
        for (i, v) in vs.iter().enumerate() {
            if i < self.num_operands(ctx) {
                self.set_operand(ctx, i, *v);
            } else {
                self.push_operand(ctx, *v);
            }
        }
    }

    /// How many results there are, of all groups.
    pub fn num_results(self, ctx: &Context) -> usize {
        self.0.deref(&ctx.ir).get_num_results()
    }

    /// Result `i`, which must exist.
    pub fn result(self, ctx: &Context, i: usize) -> Value {
        Value(self.0.deref(&ctx.ir).get_result(i))
    }

    /// All results, in order.
    pub fn results(self, ctx: &Context) -> Vec<Value> {
        self.0.deref(&ctx.ir).results().map(Value).collect()
    }

    /// The types of the results, in order.
    pub fn result_types(self, ctx: &Context) -> Vec<Type> {
        self.0.deref(&ctx.ir).result_types().map(Type).collect()
    }

    /// The types of the operands, in order.
    pub fn operand_types(self, ctx: &Context) -> Vec<Type> {
        self.operands(ctx).into_iter().map(|v| v.ty(ctx)).collect()
    }

    /// Whether anything uses a result.
    pub fn has_uses(self, ctx: &Context) -> bool {
        self.0.deref(&ctx.ir).has_use()
    }

    /// Operands of the declared group `name` (one, none or many values).
    pub fn operand_group(self, ctx: &Context, name: &str) -> Vec<Value> {
        let Some(range) = self.def(ctx).and_then(|d| {
            let i = d.operands.iter().position(|o| o.name == name)?;
            d.operand_range(ctx, self, i)
        }) else {
            return Vec::new();
        };
        range.map(|i| self.operand(ctx, i)).collect()
    }

    /// Results of the declared group `name`.
    pub fn result_group(self, ctx: &Context, name: &str) -> Vec<Value> {
        let Some(range) = self.def(ctx).and_then(|d| {
            let i = d.results.iter().position(|o| o.name == name)?;
            d.result_range(ctx, self, i)
        }) else {
            return Vec::new();
        };
        range.map(|i| self.result(ctx, i)).collect()
    }

    // ---- attributes ----

    pub(crate) fn payload(self, ctx: &Context) -> Option<std::cell::Ref<'_, OpPayload>> {
        std::cell::Ref::filter_map(self.0.deref(&ctx.ir), |o| {
            o.attributes.get::<OpPayload>(&PAYLOAD)
        })
        .ok()
    }

    pub(crate) fn payload_mut<R>(self, ctx: &Context, f: impl FnOnce(&mut OpPayload) -> R) -> R {
        let mut o = self.0.deref_mut(&ctx.ir);
        if o.attributes.get::<OpPayload>(&PAYLOAD).is_none() {
            o.attributes.0.insert(PAYLOAD, Box::<OpPayload>::default());
        }
        match o.attributes.get_mut::<OpPayload>(&PAYLOAD) {
            Some(p) => f(p),
            None => unreachable!("just inserted"),
        }
    }

    /// The attribute of this name.
    pub fn attr(self, ctx: &Context, name: &str) -> Option<Attr> {
        let p = self.payload(ctx)?;
        p.attrs
            .iter()
            .find(|(k, _)| ctx.str(*k) == name)
            .map(|(_, a)| *a)
    }

    /// All attributes, sorted by name.
    pub fn attrs(self, ctx: &Context) -> Vec<(Str, Attr)> {
        self.payload(ctx)
            .map(|p| p.attrs.to_vec())
            .unwrap_or_default()
    }

    /// Add or replace an attribute.
    pub fn set_attr(self, ctx: &Context, name: &str, value: Attr) {
        let key = ctx.intern(name);
        self.payload_mut(ctx, |p| {
            match p.attrs.binary_search_by(|e| ctx.str(e.0).cmp(name)) {
                Ok(i) => p.attrs[i].1 = value,
                Err(i) => p.attrs.insert(i, (key, value)),
            }
        });
    }

    /// Remove an attribute and return it; `None` if it was not there.
    pub fn remove_attr(self, ctx: &Context, name: &str) -> Option<Attr> {
        self.attr(ctx, name)?;
        self.payload_mut(ctx, |p| {
            let i = p.attrs.iter().position(|e| ctx.str(e.0) == name)?;
            Some(p.attrs.remove(i).1)
        })
    }

    /// Replace all attributes.
    pub fn set_attrs(self, ctx: &Context, attrs: &[(Str, Attr)]) {
        if attrs.is_empty() && self.payload(ctx).is_none() {
            return;
        }
        let mut v: smallvec::SmallVec<[(Str, Attr); 2]> = attrs.into();
        if !v.is_sorted_by(|a, b| ctx.str(a.0) <= ctx.str(b.0)) {
            v.sort_by(|a, b| ctx.str(a.0).cmp(ctx.str(b.0)));
        }
        self.payload_mut(ctx, |p| p.attrs = v);
    }

    /// An integer attribute's value.
    pub fn int_attr(self, ctx: &Context, name: &str) -> Option<i64> {
        self.attr(ctx, name)?.as_i64(ctx)
    }

    /// A UTF-8 string attribute's value.
    pub fn str_attr<'c>(self, ctx: &'c Context, name: &str) -> Option<&'c str> {
        self.attr(ctx, name)?.as_str(ctx)
    }

    /// The name of a symbol-defining op.
    pub fn symbol_name(self, ctx: &Context) -> Option<&str> {
        self.str_attr(ctx, "sym_name")
    }

    // ---- regions, blocks, successors ----

    /// How many regions the op has, empty ones included.
    pub fn num_regions(self, ctx: &Context) -> usize {
        self.0.deref(&ctx.ir).num_regions()
    }

    /// Region `i`, which must exist.
    pub fn region(self, ctx: &Context, i: usize) -> Region {
        Region(self.0.deref(&ctx.ir).get_region(i))
    }

    /// All regions, in order.
    pub fn regions(self, ctx: &Context) -> Vec<Region> {
        self.0.deref(&ctx.ir).regions().map(Region).collect()
    }

    /// The blocks of all regions, in order.
    pub fn blocks(self, ctx: &Context) -> Vec<Block> {
        // Nearly all ops have no regions, and this is asked of each op of a walk.
        let mut out = Vec::new();
        for region in self.0.deref(&ctx.ir).regions() {
            let mut next = region.deref(&ctx.ir).get_head();
            while let Some(block) = next {
                out.push(Block(block));
                next = block.deref(&ctx.ir).get_next();
            }
        }
        out
    }

    /// The entry block of region `i`. Panics where the region is empty.
    pub fn body(self, ctx: &Context, i: usize) -> Block {
        match self.region(ctx, i).entry(ctx) {
            Some(b) => b,
            None => panic!("'{}' has no body in region {i}", self.name(ctx)),
        }
    }

    /// How many blocks the op names as successors.
    pub fn num_successors(self, ctx: &Context) -> usize {
        self.0.deref(&ctx.ir).get_num_successors()
    }

    /// Successor `i`, which must exist.
    pub fn successor(self, ctx: &Context, i: usize) -> Block {
        Block(self.0.deref(&ctx.ir).get_successor(i))
    }

    /// The blocks the op may branch to, in order.
    pub fn successors(self, ctx: &Context) -> Vec<Block> {
        self.0.deref(&ctx.ir).successors().map(Block).collect()
    }

    pub(crate) fn set_successor(self, ctx: &Context, i: usize, to: Block) {
        Operation::replace_successor(self.0, &ctx.ir, i, to.0);
    }

    // ---- where it is ----

    /// The block this op is in; `None` while it is detached.
    pub fn block(self, ctx: &Context) -> Option<Block> {
        self.0.deref(&ctx.ir).get_parent_block().map(Block)
    }

    /// The region whose block holds this op.
    pub fn region_of(self, ctx: &Context) -> Option<Region> {
        self.block(ctx)?.region(ctx)
    }

    /// The op that holds the block of this one; `None` at the top.
    pub fn parent(self, ctx: &Context) -> Option<Op> {
        self.0.deref(&ctx.ir).get_parent_op(&ctx.ir).map(Op)
    }

    /// The closest enclosing op of kind `K`.
    pub fn parent_of<K: OpKind>(self, ctx: &Context) -> Option<K> {
        let mut p = self.parent(ctx);
        while let Some(op) = p {
            if let Some(k) = op.cast::<K>(ctx) {
                return Some(k);
            }
            p = op.parent(ctx);
        }
        None
    }

    /// The next op of the block.
    pub fn next(self, ctx: &Context) -> Option<Op> {
        self.0.deref(&ctx.ir).get_next().map(Op)
    }

    /// The op before this one in the block.
    pub fn prev(self, ctx: &Context) -> Option<Op> {
        self.0.deref(&ctx.ir).get_prev().map(Op)
    }

    /// Whether this op holds `other` at some depth, or is it.
    pub fn is_ancestor_of(self, ctx: &Context, other: Op) -> bool {
        let mut o = Some(other);
        while let Some(x) = o {
            if x == self {
                return true;
            }
            o = x.parent(ctx);
        }
        false
    }

    /// The ancestor of this op (or itself) that lies directly in `block`.
    pub fn ancestor_in(self, ctx: &Context, block: Block) -> Option<Op> {
        let mut o = self;
        loop {
            let b = o.block(ctx)?;
            if b == block {
                return Some(o);
            }
            o = b.parent_op(ctx)?;
        }
    }

    /// Whether this op comes before `other` in their common block. Linear.
    pub fn is_before(self, ctx: &Context, other: Op) -> bool {
        let mut o = self.next(ctx);
        while let Some(x) = o {
            if x == other {
                return true;
            }
            o = x.next(ctx);
        }
        false
    }

    /// Where the op comes from.
    pub fn loc(self, ctx: &Context) -> Loc {
        Loc::from_pliron(self.0.deref(&ctx.ir).loc())
    }

    /// Change where the op comes from.
    pub fn set_loc(self, ctx: &Context, loc: Loc) {
        self.0.deref_mut(&ctx.ir).set_loc(loc.to_pliron());
    }

    // ---- moving and erasing ----

    /// Take the op out of its block, keeping it alive.
    pub fn unlink(self, ctx: &Context) {
        if self.0.is_linked(&ctx.ir) {
            self.0.unlink(&ctx.ir);
        }
    }

    /// Put this detached op before `mark`.
    pub fn insert_before(self, ctx: &Context, mark: Op) {
        self.0.insert_before(&ctx.ir, mark.0);
    }

    /// Put this detached op after `mark`.
    pub fn insert_after(self, ctx: &Context, mark: Op) {
        self.0.insert_after(&ctx.ir, mark.0);
    }

    /// Take the op from where it is to before `mark`.
    pub fn move_before(self, ctx: &Context, mark: Op) {
        if self != mark {
            self.unlink(ctx);
            self.insert_before(ctx, mark);
        }
    }

    /// Take the op from where it is to after `mark`.
    pub fn move_after(self, ctx: &Context, mark: Op) {
        if self != mark {
            self.unlink(ctx);
            self.insert_after(ctx, mark);
        }
    }

    /// Take the op from where it is to the end of `block`.
    pub fn move_to_end(self, ctx: &Context, block: Block) {
        self.unlink(ctx);
        block.push_back(ctx, self);
    }

    /// Forget all operands and successors, here and in nested ops.
    pub fn drop_all_references(self, ctx: &Context) {
        Operation::drop_all_uses(self.0, &ctx.ir);
    }

    /// Erase the op and everything in it, whose uses of one another go first. Its results must
    /// have no uses left.
    pub fn erase(self, ctx: &mut Context) {
        Operation::erase(self.0, &mut ctx.ir);
    }

    /// Replace all uses of the results by `with`, one each, and erase the op.
    pub fn replace(self, ctx: &mut Context, with: &[Value]) {
        debug_assert_eq!(self.num_results(ctx), with.len());
        for (r, w) in self.results(ctx).into_iter().zip(with) {
            r.replace_all_uses(ctx, *w);
        }
        self.erase(ctx);
    }

    // ---- walking ----

    /// Call `f` on this op and every nested one, outer before inner, in order.
    pub fn walk(self, ctx: &Context, f: &mut dyn FnMut(Op)) {
        f(self);
        for b in self.blocks(ctx) {
            let mut next = b.first_op(ctx);
            while let Some(op) = next {
                next = op.next(ctx);
                op.walk(ctx, f);
            }
        }
    }

    /// Every nested op in post-order (inner before outer), this one last.
    pub fn post_order(self, ctx: &Context) -> Vec<Op> {
        fn go(op: Op, ctx: &Context, out: &mut Vec<Op>) {
            for b in op.blocks(ctx) {
                let mut next = b.first_op(ctx);
                while let Some(o) = next {
                    next = o.next(ctx);
                    go(o, ctx, out);
                }
            }
            out.push(op);
        }
        let mut out = Vec::new();
        go(self, ctx, &mut out);
        out
    }

    /// Every nested op and this one, in pre-order.
    pub fn pre_order(self, ctx: &Context) -> Vec<Op> {
        let mut out = Vec::new();
        self.walk(ctx, &mut |o| out.push(o));
        out
    }

    /// All nested ops of kind `K` in pre-order, this one included.
    pub fn find_all<K: OpKind>(self, ctx: &Context) -> Vec<K> {
        let mut out = Vec::new();
        self.walk(ctx, &mut |o| out.extend(o.cast::<K>(ctx)));
        out
    }

    // ---- diagnostics ----

    /// Record an error `'NAME' op MESSAGE` at this op.
    pub fn error(self, ctx: &Context, message: impl AsRef<str>) {
        let m = format!("'{}' op {}", self.name(ctx), message.as_ref());
        ctx.error(self.loc(ctx), m);
    }

    /// Record a remark at this op, the message as given.
    pub fn remark(self, ctx: &Context, message: impl Into<String>) {
        ctx.emit_at(Severity::Remark, self.loc(ctx), message);
    }
}
