//! What becomes of the nest: a launch, or what the program chooses between.

use super::aside::{split_off, without_aside};
use super::describe::Choice;
use super::frame::Frame;
use super::split;
use crate::gpu::branches::either;
use crate::gpu::contraction::instead::Instead;
use crate::gpu::contraction::plan::{self, Tiling, Wanted};
use crate::gpu::contraction::shape::Contraction;
use crate::gpu::contraction::split_k;
use terrace_dialects::arith;
use terrace_ir::{Builder, Context};

/// What has to be known where k may be divided.
#[derive(Debug, Clone, Copy)]
pub struct Divided {
    pub wanted: Wanted,
    /// Whether it is said of arrays that nothing of them is left.
    pub marks: bool,
}

/// Replaces the nest by a launch, or by one of two, the second where the program finds that
/// it costs less. Loops are left for matrices side by side that the program finds too small.
pub fn emit(
    ctx: &mut Context,
    x: &Contraction,
    divided: Divided,
    plan: &Tiling,
    instead: Option<&Instead>,
) {
    split_off(ctx, x);
    let mut b = Builder::before(ctx, x.root);
    b.loc = x.store.loc(b.ctx);
    let b = &mut b;
    let frame = Frame::on_host(b, x, plan);
    let other = instead.map(|i| (Frame::on_host(b, x, &i.plan), &i.costs));
    let smallest = other.as_ref().map_or(&frame, |o| &o.0);
    let launch = |b: &mut Builder, f: &Frame, choice: Option<Choice>| {
        let parts = split_k::split_k(x, f.plan, divided.wanted);
        split::launch(b, f, parts, divided.marks, choice);
    };
    let launches = |b: &mut Builder| match &other {
        None => launch(b, &frame, None),
        Some((other, [first, second])) => {
            let two = [(plan, first), (other.plan, second)];
            let (first, second) = (frame.costs(b, first), other.costs(b, second));
            let keeps = arith::CmpIOp::build(b, arith::CmpIPredicate::Sle, first, second);
            either(
                b,
                keeps,
                |b| launch(b, &frame, Some((two, 0))),
                |b| launch(b, other, Some((two, 1))),
            );
        }
    };
    if x.batch.is_empty() || plan::sizes(x).is_some() {
        launches(b);
        return x.root.erase(b.ctx);
    }
    let is_filled = smallest.is_filled(b);
    let nest = without_aside(b.ctx, x);
    either(b, is_filled, launches, |b| {
        if let Some(block) = b.block() {
            nest.move_to_end(b.ctx, block);
        }
    });
    if nest != x.root {
        x.root.erase(b.ctx);
    }
}
