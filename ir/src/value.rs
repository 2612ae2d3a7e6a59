//! SSA values and their uses.

use crate::block::Block;
use crate::context::Context;
use crate::loc::Loc;
use crate::op::Op;
use crate::types::Type;
use pliron::r#type::Typed;
use pliron::value::DefiningEntity;

/// A handle to an op result or a block argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value(pub(crate) pliron::value::Value);

/// One use of a value: operand number `index` of `op`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Use {
    /// The op that uses the value.
    pub op: Op,
    /// Which operand of it.
    pub index: usize,
}

impl Value {
    /// The type of the value.
    pub fn ty(self, ctx: &Context) -> Type {
        Type(self.0.get_type(&ctx.ir))
    }

    /// Change the type. Users are not told.
    pub fn set_type(self, ctx: &Context, ty: Type) {
        self.0.set_type(&ctx.ir, ty.0);
    }

    /// The op whose result this is; `None` for a block argument.
    pub fn def_op(self) -> Option<Op> {
        self.0.defining_op().map(Op)
    }

    /// The block whose argument this is; `None` for an op result.
    pub fn arg_block(self) -> Option<Block> {
        self.0.defining_block().map(Block)
    }

    /// Which result or argument of its owner this is.
    pub fn index(self, ctx: &Context) -> usize {
        self.0.find_index(&ctx.ir)
    }

    /// The block in which the value is defined, if its owner is in one.
    pub fn block(self, ctx: &Context) -> Option<Block> {
        match self.0.defining_entity() {
            DefiningEntity::Op(op) => Op(op).block(ctx),
            DefiningEntity::Block(b) => Some(Block(b)),
        }
    }

    /// Where the op comes from that defines it, or the block argument.
    pub fn loc(self, ctx: &Context) -> Loc {
        match self.0.defining_entity() {
            DefiningEntity::Op(op) => Op(op).loc(ctx),
            DefiningEntity::Block(b) => Block(b).arg_loc(ctx, self.index(ctx)),
        }
    }

    /// Every use, in no particular but a deterministic order.
    pub fn uses(self, ctx: &Context) -> Vec<Use> {
        let uses = self.0.uses(&ctx.ir);
        uses.into_iter()
            .map(|u| Use {
                op: Op(u.user_op()),
                index: u.find_index(&ctx.ir),
            })
            .collect()
    }

    /// The ops that use the value, each once.
    pub fn users(self, ctx: &Context) -> Vec<Op> {
        let mut seen = rustc_hash::FxHashSet::default();
        let uses = self.0.uses(&ctx.ir).into_iter().map(|u| Op(u.user_op()));
        uses.filter(|op| seen.insert(*op)).collect()
    }

    /// Whether any operand is this value.
    pub fn has_uses(self, ctx: &Context) -> bool {
        self.0.is_used(&ctx.ir)
    }

    /// How many operands are this value.
    pub fn num_uses(self, ctx: &Context) -> usize {
        self.0.num_uses(&ctx.ir)
    }

    /// Whether exactly one operand is this value.
    pub fn has_one_use(self, ctx: &Context) -> bool {
        self.num_uses(ctx) == 1
    }

    /// Make every operand that is this value `with`.
    pub fn replace_all_uses(self, ctx: &Context, with: Value) {
        if self != with {
            self.0.replace_all_uses_with(&ctx.ir, &with.0);
        }
    }

    /// Replace the uses for which `keep` says yes.
    pub fn replace_uses_if(self, ctx: &Context, with: Value, keep: impl Fn(Use) -> bool) {
        if self == with {
            return;
        }
        for u in self.uses(ctx) {
            if keep(u) {
                u.op.set_operand(ctx, u.index, with);
            }
        }
    }
}
