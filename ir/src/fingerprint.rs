//! What an op is, without being that op: equal for two ops of a context of which nothing tells
//! them apart.
//!
//! A pass that is asked the same of a copy can give the same answer again
//! ([`Context::remember`]).

use crate::attr::Attr;
use crate::block::{Block, Region};
use crate::context::{Context, Str};
use crate::loc::Loc;
use crate::op::Op;
use crate::opdef::OpDef;
use crate::symbols::op_symbol_refs;
use crate::types::Type;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// An op with everything in it: names, attributes, types, values by the place where they are
/// defined, blocks and locations.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint(Box<[Word]>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Word {
    /// A registered op, by the address of its declaration, and how many regions it has.
    Op(usize, usize),
    Unregistered(Str, usize),
    Attr(Str, Attr),
    Properties(Attr),
    Result(Type),
    Operand(usize),
    Successor(usize),
    /// With the number of its blocks.
    Region(usize),
    /// With the number of its ops.
    Block(Loc, usize),
    Argument(Type, Loc),
    At(Loc),
}

impl Fingerprint {
    /// What `op` is; `None` where that depends on something outside it: a value that it uses,
    /// or what a symbol stands for.
    pub fn of(ctx: &Context, op: Op) -> Option<Fingerprint> {
        let mut taker = Taker {
            ctx,
            words: Vec::new(),
            values: FxHashMap::default(),
        };
        taker.op(op, &[])?;
        Some(Fingerprint(taker.words.into_boxed_slice()))
    }
}

struct Taker<'c> {
    ctx: &'c Context,
    words: Vec<Word>,
    /// The values by number.
    values: FxHashMap<Value, usize>,
}

impl Taker<'_> {
    fn op(&mut self, op: Op, blocks: &[Block]) -> Option<()> {
        let ctx = self.ctx;
        let mut refers = false;
        op_symbol_refs(ctx, op, &mut |_| refers = true);
        if refers {
            return None;
        }
        self.words.push(match op.def(ctx) {
            Some(d) => Word::Op(std::ptr::from_ref::<OpDef>(d).addr(), op.num_regions(ctx)),
            None => Word::Unregistered(ctx.intern(op.name(ctx)), op.num_regions(ctx)),
        });
        self.words.push(Word::At(op.loc(ctx)));
        if let Some(p) = op.payload(ctx) {
            let attrs = p.attrs.iter();
            self.words
                .extend(attrs.map(|(name, a)| Word::Attr(*name, *a)));
            self.words.extend(p.properties.map(Word::Properties));
        }
        for v in op.operands(ctx) {
            self.words.push(Word::Operand(*self.values.get(&v)?));
        }
        for s in op.successors(ctx) {
            let number = blocks.iter().position(|b| *b == s)?;
            self.words.push(Word::Successor(number));
        }
        for v in op.results(ctx) {
            self.words.push(Word::Result(v.ty(ctx)));
            self.define(v);
        }
        let regions = op.regions(ctx).into_iter();
        regions.map(|r| self.region(r)).collect()
    }

    /// A value that is used before the text defines it makes no fingerprint.
    fn region(&mut self, region: Region) -> Option<()> {
        let ctx = self.ctx;
        let blocks = region.blocks(ctx);
        self.words.push(Word::Region(blocks.len()));
        for b in &blocks {
            let ops = b.ops(ctx);
            self.words.push(Word::Block(b.loc(ctx), ops.len()));
            for (i, v) in b.args(ctx).into_iter().enumerate() {
                let argument = Word::Argument(v.ty(ctx), b.arg_loc(ctx, i));
                self.words.push(argument);
                self.define(v);
            }
            for op in ops {
                self.op(op, &blocks)?;
            }
        }
        Some(())
    }

    fn define(&mut self, v: Value) {
        let number = self.values.len();
        self.values.insert(v, number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clone::{IrMapping, clone_op};
    use crate::testing::{context, module};

    const TEXT: &str = r#""t.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
^bb0(%x: i32):
  %a = "t.add"(%x, %x) : (i32, i32) -> i32
  "t.return"() : () -> ()
}) : () -> ()"#;

    #[test]
    fn copies_are_told_apart_by_what_was_changed() {
        let mut ctx = context();
        let module = module(&mut ctx, TEXT);
        let copy = clone_op(&mut ctx, module, &mut IrMapping::new());
        let (one, other) = (Fingerprint::of(&ctx, module), Fingerprint::of(&ctx, copy));
        assert!(one.is_some());
        assert_eq!(one, other);
        let inner = copy.pre_order(&ctx)[1];
        inner.set_attr(&ctx, "mark", ctx.i64_attr(1));
        assert_ne!(one, Fingerprint::of(&ctx, copy));
    }
}
