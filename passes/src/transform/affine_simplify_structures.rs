//! `affine-simplify-structures`: simplify the affine maps and sets of all ops, and fold
//! and canonicalise `affine.apply`, `affine.for` and `affine.if`.
//!
//! Always legal: maps and sets keep their values. Other ops are not touched.
//!
//! ```text
//! affine.if (d0) : (d0 >= 0, -d0 - 1 >= 0)(%i) {
//!   never()                                         =>    (nothing)
//! }
//! ```

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{ApplyOp, ForOp, IfOp};
use terrace_dialects::func;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::rewrite::{GreedyOptions, PatternSet, apply_to_ops};
use terrace_ir::{Attr, AttrData, Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "affine-simplify-structures",
    title: "SimplifyAffineStructures",
    summary: "Simplify affine expressions in maps/sets and normalize memrefs",
    description: "Simplifies the maps and sets of ops; conditions and loops that are known to be trivial go.",
    anchor: Some(func::FuncOp::NAME),
    make: |_| Ok(Box::new(Simplify)),
    ..PassInfo::EMPTY
};

struct Simplify;

impl Pass for Simplify {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut simplified: FxHashMap<Attr, Attr> = FxHashMap::default();
        let mut affine = Vec::new();
        for o in op.post_order(ctx) {
            for (name, old) in o.attrs(ctx) {
                let new = *simplified.entry(old).or_insert_with(|| simplify(ctx, old));
                if new != old {
                    let name = ctx.str(name).to_string();
                    o.set_attr(ctx, &name, new);
                }
            }
            if o.isa::<ForOp>(ctx) || o.isa::<IfOp>(ctx) || o.isa::<ApplyOp>(ctx) {
                affine.push(o);
            }
        }
        let mut patterns = PatternSet::new();
        for def in [ApplyOp::DEF, ForOp::DEF, IfOp::DEF] {
            if let Some(add) = def.canonicalize {
                add(&mut patterns);
            }
        }
        apply_to_ops(ctx, op, &affine, &patterns, &GreedyOptions::default());
        Ok(())
    }
}

/// A map or set simplified; other attributes as they are.
fn simplify(ctx: &Context, a: Attr) -> Attr {
    match a.data(ctx) {
        AttrData::AffineMap(m) => ctx.map_attr(m.simplify()),
        AttrData::IntegerSet(s) => ctx.set_attr(s.simplify()),
        _ => a,
    }
}
