//! A launch by the blocks of a grid: each group of as many threads as a block of the launch has
//! takes blocks of the launch in turns, neighbours of them on different multiprocessors.

use super::kernel::{Grid, Kernel, Part};
use crate::loops::build::index::{add, constant, less, mul, split, times};
use terrace_dialects::arith::{DivUIOp, IndexCastOp, RemUIOp};
use terrace_dialects::scf;
use terrace_ir::{Builder, InsertPoint, Value};

/// All threads of a launch that has more than one. Its blocks have no more threads than
/// those of the grid.
pub(super) fn launch(k: &mut Kernel, b: &mut Builder, p: &Part, grid: Grid) {
    let size: i64 = p.sizes.iter().product();
    let groups = k.team.threads / size;
    let outside = b.at;
    if groups * size < k.team.threads {
        let end = constant(b, groups * size);
        let takes_part = less(b, k.team.thread, end);
        let (_, then, _) = scf::IfOp::build(b, takes_part, &[], false);
        b.with_point(InsertPoint::End(then), |b| {
            scf::YieldOp::build(b, &[]);
        });
        b.at = InsertPoint::Start(then);
    }
    let (group, thread) = match groups {
        1 => (constant(b, 0), k.team.thread),
        _ => split(b, k.team.thread, size),
    };
    let thread = along(b, thread, p.sizes);
    let ahead = mul(b, group, grid.blocks);
    let first = add(b, ahead, grid.block);
    let step = times(b, grid.blocks, groups);
    let many: Vec<usize> = (0..3)
        .filter(|d| b.ctx.constant_int(p.grid[*d]) != Some(1))
        .collect();
    let all = many.iter().fold(None, |all, d| match all {
        None => Some(p.grid[*d]),
        Some(all) => Some(mul(b, all, p.grid[*d])),
    });
    let all = match all {
        Some(all) => all,
        None => constant(b, 1),
    };
    let (_, body) = scf::ForOp::build(b, first, all, step, &[]);
    let number = body.arg(b.ctx, 0);
    b.with_point(InsertPoint::End(body), |b| {
        let block = blocks(b, number, p.grid, &many);
        k.body(b, p, block, thread);
        scf::YieldOp::build(b, &[]);
    });
    b.at = outside;
}

/// The place of a thread in a block of these sizes.
fn along(b: &mut Builder, number: Value, sizes: [i64; 3]) -> [Value; 3] {
    let zero = constant(b, 0);
    let mut at = [zero; 3];
    let mut rest = number;
    let last = sizes.iter().rposition(|n| *n > 1).unwrap_or(0);
    for d in 0..3 {
        if d == last {
            at[d] = rest;
        } else if sizes[d] > 1 {
            (rest, at[d]) = split(b, rest, sizes[d]);
        }
    }
    at
}

/// The place of a block in a grid that is larger than one along `many`. A grid has less than
/// 2^31 blocks, and numbers of 32 bits divide faster.
fn blocks(b: &mut Builder, number: Value, grid: [Value; 3], many: &[usize]) -> [Value; 3] {
    let zero = constant(b, 0);
    let mut at = [zero; 3];
    let (i32, index) = (b.ctx.i32(), b.ctx.index());
    let mut rest = number;
    for (i, d) in many.iter().enumerate() {
        if i + 1 == many.len() {
            at[*d] = rest;
            continue;
        }
        let [n, size] = [rest, grid[*d]].map(|v| b.value::<IndexCastOp>(&[v], i32, &[]));
        let inside = b.value::<RemUIOp>(&[n, size], i32, &[]);
        at[*d] = b.value::<IndexCastOp>(&[inside], index, &[]);
        let outside = b.value::<DivUIOp>(&[n, size], i32, &[]);
        rest = b.value::<IndexCastOp>(&[outside], index, &[]);
    }
    at
}
