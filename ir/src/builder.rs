//! Making operations.

use crate::attr::Attr;
use crate::block::{Block, Region};
use crate::context::{Context, Str};
use crate::loc::Loc;
use crate::op::Op;
use crate::opdef::{OpDef, OpKind};
use crate::storage::OpTypeInfo;
use crate::types::Type;
use crate::value::Value;
use pliron::operation::Operation;

/// Everything an operation is made from.
#[derive(Debug, Clone)]
pub struct OpState {
    /// The declaration; `None` for an unregistered op.
    pub def: Option<&'static OpDef>,
    /// The full name where `def` is absent.
    pub name: Option<Str>,
    /// Where the op comes from.
    pub loc: Loc,
    /// All groups one after another.
    pub operands: Vec<Value>,
    /// One for each result.
    pub result_types: Vec<Type>,
    /// In any order; names are distinct.
    pub attrs: Vec<(Str, Attr)>,
    /// The `<{...}>` of an unregistered op.
    pub properties: Option<Attr>,
    /// The blocks that a terminator may branch to.
    pub successors: Vec<Block>,
    /// One entry per region: the holder whose single region's blocks it takes, or
    /// `None` for an empty one.
    pub regions: Vec<Option<RegionHolder>>,
}

/// A detached region under construction. An op takes its blocks when it is made.
#[derive(Debug, Clone, Copy)]
pub struct RegionHolder(Op);

impl RegionHolder {
    /// A holder of one region without blocks.
    pub fn new(ctx: &mut Context) -> Self {
        let op = Operation::new(&mut ctx.ir, holder_info(), vec![], vec![], vec![], 1);
        RegionHolder(Op(op))
    }

    /// The region to put blocks into.
    pub fn region(self, ctx: &Context) -> Region {
        self.0.region(ctx, 0)
    }

    /// Erase the holder with what is still in it.
    pub fn erase(self, ctx: &mut Context) {
        self.0.erase(ctx);
    }
}

crate::op_type! {
    /// Holds a region that no op has taken yet; never part of finished IR.
    RegionHolderOp
}
crate::op_type! {
    /// Any op of a dialect or name that is not registered.
    UnregisteredOp
}

fn holder_info() -> OpTypeInfo {
    <RegionHolderOp as pliron::op::Op>::get_concrete_op_info()
}

impl OpState {
    /// The start of a registered op, with nothing in it.
    pub fn new(def: &'static OpDef, loc: Loc) -> Self {
        OpState {
            def: Some(def),
            ..Self::bare(loc)
        }
    }

    /// The start of an op that has only a full name.
    pub fn unregistered(name: Str, loc: Loc) -> Self {
        OpState {
            name: Some(name),
            ..Self::bare(loc)
        }
    }

    fn bare(loc: Loc) -> Self {
        OpState {
            def: None,
            name: None,
            loc,
            operands: Vec::new(),
            result_types: Vec::new(),
            attrs: Vec::new(),
            properties: None,
            successors: Vec::new(),
            regions: Vec::new(),
        }
    }

    /// Append operands.
    pub fn operands(mut self, v: &[Value]) -> Self {
        self.operands.extend_from_slice(v);
        self
    }

    /// Append results of these types.
    pub fn results(mut self, t: &[Type]) -> Self {
        self.result_types.extend_from_slice(t);
        self
    }

    /// Set an attribute.
    pub fn attr(mut self, ctx: &Context, name: &str, a: Attr) -> Self {
        self.set_attr(ctx, name, a);
        self
    }

    /// Set an attribute in place; a value it had before is replaced.
    pub fn set_attr(&mut self, ctx: &Context, name: &str, a: Attr) {
        match self.attrs.iter_mut().find(|e| ctx.str(e.0) == name) {
            Some(e) => e.1 = a,
            None => self.attrs.push((ctx.intern(name), a)),
        }
    }

    /// An attribute set so far.
    pub fn get_attr(&self, ctx: &Context, name: &str) -> Option<Attr> {
        self.attrs
            .iter()
            .find(|e| ctx.str(e.0) == name)
            .map(|e| e.1)
    }

    /// Append successors.
    pub fn successors(mut self, b: &[Block]) -> Self {
        self.successors.extend_from_slice(b);
        self
    }

    /// Add `n` empty regions.
    pub fn regions(mut self, n: usize) -> Self {
        self.regions.resize(self.regions.len() + n, None);
        self
    }

    /// Make the op, in no block.
    pub fn create(self, ctx: &mut Context) -> Op {
        let info = match self.def {
            Some(d) => (d.type_info)(),
            None => <UnregisteredOp as pliron::op::Op>::get_concrete_op_info(),
        };
        let op = Op(Operation::new(
            &mut ctx.ir,
            info,
            self.result_types.into_iter().map(|t| t.0).collect(),
            self.operands.into_iter().map(|v| v.0).collect(),
            self.successors.into_iter().map(|b| b.0).collect(),
            self.regions.len(),
        ));
        op.set_loc(ctx, self.loc);
        if !self.attrs.is_empty() {
            op.set_attrs(ctx, &self.attrs);
        }
        if self.def.is_none() {
            op.payload_mut(ctx, |p| {
                p.name = self.name;
                p.properties = self.properties;
            });
        }
        for (i, holder) in self.regions.into_iter().enumerate() {
            if let Some(h) = holder {
                let to = op.region(ctx, i);
                h.region(ctx).move_blocks_to(ctx, to);
                h.erase(ctx);
            }
        }
        op
    }
}

/// Where new ops go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertPoint {
    /// Right before this op.
    Before(Op),
    /// Right after this op.
    After(Op),
    /// Before the first op of the block.
    Start(Block),
    /// After the last op of the block.
    End(Block),
    /// Ops are made but put into no block.
    Detached,
}

/// Makes ops at an insertion point, in order, all with one location.
pub struct Builder<'c> {
    /// The context of all the ops made.
    pub ctx: &'c mut Context,
    /// Where the next op goes.
    pub at: InsertPoint,
    /// The location of the ops made.
    pub loc: Loc,
}

impl<'c> Builder<'c> {
    /// A builder at `at`.
    pub fn new(ctx: &'c mut Context, at: InsertPoint, loc: Loc) -> Self {
        Builder { ctx, at, loc }
    }

    /// A builder just before `op`, with its location.
    pub fn before(ctx: &'c mut Context, op: Op) -> Self {
        let loc = op.loc(ctx);
        Builder {
            ctx,
            at: InsertPoint::Before(op),
            loc,
        }
    }

    /// A builder just after `op`, with its location.
    pub fn after(ctx: &'c mut Context, op: Op) -> Self {
        let loc = op.loc(ctx);
        Builder {
            ctx,
            at: InsertPoint::After(op),
            loc,
        }
    }

    /// A builder after the last op of `block`.
    pub fn at_end(ctx: &'c mut Context, block: Block, loc: Loc) -> Self {
        Builder {
            ctx,
            at: InsertPoint::End(block),
            loc,
        }
    }

    /// A builder before the first op of `block`.
    pub fn at_start(ctx: &'c mut Context, block: Block, loc: Loc) -> Self {
        Builder {
            ctx,
            at: InsertPoint::Start(block),
            loc,
        }
    }

    /// The block that new ops go into.
    pub fn block(&self) -> Option<Block> {
        match self.at {
            InsertPoint::Before(op) | InsertPoint::After(op) => op.block(self.ctx),
            InsertPoint::Start(b) | InsertPoint::End(b) => Some(b),
            InsertPoint::Detached => None,
        }
    }

    /// Put a detached op at the insertion point. Ops inserted one after another
    /// stand in that order.
    pub fn insert(&mut self, op: Op) -> Op {
        if let Some(created) = &mut self.ctx.created {
            created.push(op);
        }
        match self.at {
            InsertPoint::Before(m) => op.insert_before(self.ctx, m),
            InsertPoint::After(m) => {
                op.insert_after(self.ctx, m);
                self.at = InsertPoint::After(op);
            }
            InsertPoint::Start(b) => {
                b.push_front(self.ctx, op);
                self.at = InsertPoint::After(op);
            }
            InsertPoint::End(b) => b.push_back(self.ctx, op),
            InsertPoint::Detached => {}
        }
        op
    }

    /// The state of a new op of kind `K` at this builder's location.
    pub fn state<K: OpKind>(&self) -> OpState {
        OpState::new(K::DEF, self.loc)
    }

    /// Make an op at the insertion point, after those made before.
    pub fn create(&mut self, state: OpState) -> Op {
        let op = state.create(self.ctx);
        self.insert(op)
    }

    /// Make a regular op: operands, result types, attributes; no regions or successors.
    pub fn op<K: OpKind>(
        &mut self,
        operands: &[Value],
        results: &[Type],
        attrs: &[(&str, Attr)],
    ) -> Op {
        let mut s = self.state::<K>().operands(operands).results(results);
        for (k, a) in attrs {
            s.set_attr(self.ctx, k, *a);
        }
        self.create(s)
    }

    /// As [`Self::op`], returning the only result.
    pub fn value<K: OpKind>(
        &mut self,
        operands: &[Value],
        result: Type,
        attrs: &[(&str, Attr)],
    ) -> Value {
        let op = self.op::<K>(operands, &[result], attrs);
        op.result(self.ctx, 0)
    }

    /// Run `f` with another insertion point, then come back.
    pub fn with_point<R>(&mut self, at: InsertPoint, f: impl FnOnce(&mut Builder) -> R) -> R {
        let saved = std::mem::replace(&mut self.at, at);
        let r = f(self);
        self.at = saved;
        r
    }
}
