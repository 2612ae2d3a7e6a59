//! Blocks and regions.

use crate::context::Context;
use crate::loc::Loc;
use crate::op::Op;
use crate::storage::{BlockArgLocs, PAYLOAD};
use crate::types::Type;
use crate::value::Value;
use pliron::basic_block::BasicBlock;
use pliron::context::Ptr;
use pliron::linked_list::{ContainsLinkedList, LinkedList};

/// A handle to a basic block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block(pub(crate) Ptr<BasicBlock>);

/// A handle to a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region(pub(crate) Ptr<pliron::region::Region>);

impl Block {
    /// A new block in no region.
    pub fn new(ctx: &mut Context, args: &[Type]) -> Block {
        let args = args.iter().map(|t| t.0).collect();
        Block(BasicBlock::new(&mut ctx.ir, None, args))
    }

    /// The region this block is in; `None` while it is detached.
    pub fn region(self, ctx: &Context) -> Option<Region> {
        self.0.deref(&ctx.ir).get_parent_region().map(Region)
    }

    /// The op that holds the region this block is in.
    pub fn parent_op(self, ctx: &Context) -> Option<Op> {
        self.0.deref(&ctx.ir).get_parent_op(&ctx.ir).map(Op)
    }

    /// All ops, in order; a snapshot, so the block may change while it is walked.
    pub fn ops(self, ctx: &Context) -> Vec<Op> {
        self.0.deref(&ctx.ir).iter(&ctx.ir).map(Op).collect()
    }

    /// The first op; `None` for an empty block.
    pub fn first_op(self, ctx: &Context) -> Option<Op> {
        self.0.deref(&ctx.ir).get_head().map(Op)
    }

    /// The last op, terminator or not; `None` for an empty block.
    pub fn last_op(self, ctx: &Context) -> Option<Op> {
        self.0.deref(&ctx.ir).get_tail().map(Op)
    }

    /// The last op where it is a terminator (or of an unregistered kind).
    pub fn terminator(self, ctx: &Context) -> Option<Op> {
        self.last_op(ctx).filter(|op| match op.def(ctx) {
            Some(d) => d.is_terminator(),
            None => true,
        })
    }

    /// Whether there is no op, not even a terminator.
    pub fn is_empty(self, ctx: &Context) -> bool {
        self.first_op(ctx).is_none()
    }

    /// How many arguments the block has.
    pub fn num_args(self, ctx: &Context) -> usize {
        self.0.deref(&ctx.ir).get_num_arguments()
    }

    /// Argument `i`, which must exist.
    pub fn arg(self, ctx: &Context, i: usize) -> Value {
        Value(self.0.deref(&ctx.ir).get_argument(i))
    }

    /// All arguments, in order.
    pub fn args(self, ctx: &Context) -> Vec<Value> {
        self.0.deref(&ctx.ir).arguments().map(Value).collect()
    }

    /// The types of the arguments, in order.
    pub fn arg_types(self, ctx: &Context) -> Vec<Type> {
        self.args(ctx).into_iter().map(|a| a.ty(ctx)).collect()
    }

    /// Append an argument. Branches to the block are not changed.
    pub fn add_arg(self, ctx: &Context, ty: Type) -> Value {
        let i = BasicBlock::push_argument(self.0, &ctx.ir, ty.0);
        self.arg(ctx, i)
    }

    /// Remove an argument that has no uses.
    pub fn erase_arg(self, ctx: &Context, i: usize) {
        BasicBlock::remove_argument(self.0, &ctx.ir, i);
        if let Some(l) = self
            .0
            .deref_mut(&ctx.ir)
            .attributes
            .get_mut::<BlockArgLocs>(&PAYLOAD)
            && i < l.0.len()
        {
            l.0.remove(i);
        }
    }

    /// The location of argument `i`; that of the block where none was set.
    pub fn arg_loc(self, ctx: &Context, i: usize) -> Loc {
        let b = self.0.deref(&ctx.ir);
        let locs = b.attributes.get::<BlockArgLocs>(&PAYLOAD);
        match locs.and_then(|l| l.0.get(i)) {
            Some(Loc::Unknown) | None => Loc::from_pliron(b.loc()),
            Some(l) => *l,
        }
    }

    /// Give argument `i` a location of its own.
    pub fn set_arg_loc(self, ctx: &Context, i: usize, loc: Loc) {
        let mut b = self.0.deref_mut(&ctx.ir);
        if b.attributes.get::<BlockArgLocs>(&PAYLOAD).is_none() {
            let none = Box::<BlockArgLocs>::default();
            b.attributes.0.insert(PAYLOAD, none);
        }
        if let Some(l) = b.attributes.get_mut::<BlockArgLocs>(&PAYLOAD) {
            if l.0.len() <= i {
                l.0.resize(i + 1, Loc::Unknown);
            }
            l.0[i] = loc;
        }
    }

    /// Where the block comes from.
    pub fn loc(self, ctx: &Context) -> Loc {
        Loc::from_pliron(self.0.deref(&ctx.ir).loc())
    }

    /// Change where the block comes from.
    pub fn set_loc(self, ctx: &Context, loc: Loc) {
        self.0.deref_mut(&ctx.ir).set_loc(loc.to_pliron());
    }

    /// Append a detached op.
    pub fn push_back(self, ctx: &Context, op: Op) {
        op.0.insert_at_back(self.0, &ctx.ir);
    }

    /// Insert a detached op before all others.
    pub fn push_front(self, ctx: &Context, op: Op) {
        op.0.insert_at_front(self.0, &ctx.ir);
    }

    /// The blocks whose terminators branch here, each once.
    pub fn predecessors(self, ctx: &Context) -> Vec<Block> {
        let mut v: Vec<Block> = Vec::new();
        for op in self.branches(ctx) {
            if let Some(b) = op.block(ctx)
                && !v.contains(&b)
            {
                v.push(b);
            }
        }
        v
    }

    /// The ops that name this block as a successor, once per mention.
    pub fn branches(self, ctx: &Context) -> Vec<Op> {
        self.0
            .uses(&ctx.ir)
            .into_iter()
            .map(|u| Op(u.user_op()))
            .collect()
    }

    /// The blocks that the last op may branch to.
    pub fn successors(self, ctx: &Context) -> Vec<Block> {
        self.last_op(ctx)
            .map(|t| t.successors(ctx))
            .unwrap_or_default()
    }

    /// The next block of the region.
    pub fn next(self, ctx: &Context) -> Option<Block> {
        self.0.deref(&ctx.ir).get_next().map(Block)
    }

    /// Whether this is the first block of its region.
    pub fn is_entry(self, ctx: &Context) -> bool {
        self.region(ctx).is_some_and(|r| r.entry(ctx) == Some(self))
    }

    /// Take the block out of its region.
    pub fn unlink(self, ctx: &Context) {
        if self.0.is_linked(&ctx.ir) {
            self.0.unlink(&ctx.ir);
        }
    }

    /// Put a detached block after `mark`.
    pub fn insert_after(self, ctx: &Context, mark: Block) {
        self.0.insert_after(&ctx.ir, mark.0);
    }

    /// Put a detached block before `mark`.
    pub fn insert_before(self, ctx: &Context, mark: Block) {
        self.0.insert_before(&ctx.ir, mark.0);
    }

    /// Erase the block with all its ops. Nothing outside may use their results.
    pub fn erase(self, ctx: &mut Context) {
        for op in self.ops(ctx).into_iter().rev() {
            op.drop_all_references(ctx);
        }
        for op in self.ops(ctx).into_iter().rev() {
            op.erase(ctx);
        }
        BasicBlock::erase(self.0, &mut ctx.ir);
    }

    /// Move all ops from `from` to the end of this block.
    pub fn append_ops_of(self, ctx: &Context, from: Block) {
        for op in from.ops(ctx) {
            op.move_to_end(ctx, self);
        }
    }

    /// Split before `op`: it and all later ops move to a new block placed after
    /// this one.
    pub fn split_before(self, ctx: &mut Context, op: Op) -> Block {
        let rest = Block::new(ctx, &[]);
        rest.set_loc(ctx, self.loc(ctx));
        if self.region(ctx).is_some() {
            rest.insert_after(ctx, self);
        }
        let ops = self.ops(ctx);
        let at = ops.iter().position(|o| *o == op).unwrap_or(ops.len());
        for o in &ops[at..] {
            o.move_to_end(ctx, rest);
        }
        rest
    }
}

impl Region {
    /// The op that holds this region.
    pub fn parent_op(self, ctx: &Context) -> Op {
        Op(self.0.deref(&ctx.ir).get_parent_op())
    }

    /// All blocks, in order; a snapshot.
    pub fn blocks(self, ctx: &Context) -> Vec<Block> {
        self.0.deref(&ctx.ir).iter(&ctx.ir).map(Block).collect()
    }

    /// The first block; `None` for an empty region.
    pub fn entry(self, ctx: &Context) -> Option<Block> {
        self.0.deref(&ctx.ir).get_head().map(Block)
    }

    /// The last block; `None` for an empty region.
    pub fn last_block(self, ctx: &Context) -> Option<Block> {
        self.0.deref(&ctx.ir).get_tail().map(Block)
    }

    /// Whether there are no blocks.
    pub fn is_empty(self, ctx: &Context) -> bool {
        self.entry(ctx).is_none()
    }

    /// Whether there is exactly one block.
    pub fn has_one_block(self, ctx: &Context) -> bool {
        self.entry(ctx).is_some_and(|b| b.next(ctx).is_none())
    }

    /// Append a detached block.
    pub fn push_back(self, ctx: &Context, b: Block) {
        b.0.insert_at_back(self.0, &ctx.ir);
    }

    /// Insert a detached block, which becomes the entry.
    pub fn push_front(self, ctx: &Context, b: Block) {
        b.0.insert_at_front(self.0, &ctx.ir);
    }

    /// Append a new block with these arguments.
    pub fn add_block(self, ctx: &mut Context, args: &[Type]) -> Block {
        let b = Block::new(ctx, args);
        self.push_back(ctx, b);
        b
    }

    /// Move all blocks to the end of `to`.
    pub fn move_blocks_to(self, ctx: &Context, to: Region) {
        for b in self.blocks(ctx) {
            b.unlink(ctx);
            to.push_back(ctx, b);
        }
    }

    /// Whether this region is `inner` or holds it at some depth.
    pub fn contains(self, ctx: &Context, inner: Region) -> bool {
        let mut r = Some(inner);
        while let Some(x) = r {
            if x == self {
                return true;
            }
            r = x.parent_op(ctx).region_of(ctx);
        }
        false
    }
}
