//! Statements of the nest that have nothing to do with the product: they keep their loops,
//! in front of it.

use crate::gpu::contraction::keep::with_stores;
use crate::gpu::contraction::shape::Contraction;
use terrace_dialects::affine;
use terrace_ir::{Context, Op};

/// Puts a copy of the nest with the statements aside alone in front of it.
pub fn split_off(ctx: &mut Context, x: &Contraction) {
    if !x.aside.is_empty() {
        with_stores(ctx, x.root, &x.aside);
    }
}

/// The nest, or a copy of it in front of it, without the statements aside.
pub fn without_aside(ctx: &mut Context, x: &Contraction) -> Op {
    if x.aside.is_empty() {
        return x.root;
    }
    let mut kept = Vec::new();
    x.root.walk(ctx, &mut |o| {
        if o.name(ctx) == affine::StoreOp::NAME && !x.aside.contains(&o) {
            kept.push(o);
        }
    });
    with_stores(ctx, x.root, &kept)
}
