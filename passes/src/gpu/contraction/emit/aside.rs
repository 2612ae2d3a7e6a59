//! Statements of the nest that have nothing to do with the product: they keep their loops,
//! in front of it.

use crate::gpu::contraction::keep::with_stores;
use crate::gpu::contraction::shape::Contraction;
use terrace_ir::Context;

/// Puts a copy of the nest with the statements aside alone in front of it.
pub fn split_off(ctx: &mut Context, x: &Contraction) {
    if !x.aside.is_empty() {
        with_stores(ctx, x.root, &x.aside);
    }
}
