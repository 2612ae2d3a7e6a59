//! The launch: a block for each iteration, and the buffers that its threads share.

use super::body::Body;
use super::registers::Layouts;
use super::{Unable, convert, reduce};
use crate::loops::build::index::{add, ceiling, constant, max, mul, sub};
use terrace_dialects::attributes::{GPU_BLOCK, GPU_NEST, GPU_NOTE, NVVM_MAXNREG};
use terrace_dialects::{arith, gpu, scf, tile};
use terrace_ir::clone::IrMapping;
use terrace_ir::{Builder, Context, InsertPoint, Op, OpKind, Type, Value};

/// Registers of a thread.
const MAX_REGISTERS: i64 = 64;

/// Puts a launch in the place of a parallel loop over blocks.
///
/// # Errors
///
/// What in it threads cannot do. Nothing was changed then.
pub(super) fn launch(ctx: &mut Context, p: scf::ParallelOp) -> Result<(), Unable> {
    let root = p.op();
    let block = root.attr(ctx, GPU_BLOCK).and_then(|a| a.as_i64_array(ctx));
    let threads = match block.as_deref() {
        Some([n, 1, 1]) if n % super::place::LANES == 0 && (32..=1024).contains(n) => *n,
        _ => {
            let m = "has no gpu.block with whole warps of up to 1024 threads along x";
            return Err(Unable::new(root, m));
        }
    };
    let (needs, types) = buffers(ctx, root, threads)?;
    let b = &mut Builder::before(ctx, root);
    let bounds = [p.lower_bounds(b.ctx), p.upper_bounds(b.ctx), p.steps(b.ctx)];
    let [lower, upper, steps] = &bounds;
    let counts: Vec<Value> = (0..lower.len())
        .map(|i| {
            let zero = constant(b, 0);
            let n = sub(b, upper[i], lower[i]);
            let n = match b.ctx.constant_int(n) {
                Some(_) => n,
                None => max(b, n, zero),
            };
            match b.ctx.constant_int(steps[i]) {
                Some(1) => n,
                _ => ceiling(b, n, steps[i]),
            }
        })
        .collect();
    let one = constant(b, 1);
    let all = counts.iter().copied();
    let total = all.reduce(|x, y| mul(b, x, y)).unwrap_or(one);
    let size = constant(b, threads);
    let (launch, entry) = gpu::LaunchOp::build(b, [total, one, one], [size, one, one], &types, &[]);
    if let Some(number) = root.attr(b.ctx, GPU_NEST) {
        launch.op().set_attr(b.ctx, GPU_NEST, number);
    }
    // So that half of a multiprocessor's threads fit it: fewer do not keep memory busy.
    let i32 = b.ctx.i32();
    let most = b.ctx.int_attr(i32, MAX_REGISTERS);
    launch.op().set_attr(b.ctx, NVVM_MAXNREG, most);
    let words = format!("on tiles, {threads} threads a block");
    let words = b.ctx.string_attr(&words);
    launch.op().set_attr(b.ctx, GPU_NOTE, words);
    let (number, thread) = (launch.block_ids(b.ctx)[0], launch.thread_ids(b.ctx)[0]);
    let shared = launch.workgroup_attributions(b.ctx);
    let made = b.with_point(InsertPoint::End(entry), |b| {
        let mut map = IrMapping::new();
        let mut rest = number;
        let ivs = p.induction_vars(b.ctx);
        for i in (0..ivs.len()).rev() {
            let own = match i {
                0 => rest,
                _ => {
                    let (more, own) = divided(b, rest, counts[i]);
                    rest = more;
                    own
                }
            };
            let own = match b.ctx.constant_int(steps[i]) {
                Some(1) => own,
                _ => mul(b, own, steps[i]),
            };
            let own = add(b, own, lower[i]);
            map.map(ivs[i], own);
        }
        let buffers = needs.iter().map(|(o, at)| (*o, shared[*at])).collect();
        // Places are computed in front of this op, which goes at the end.
        let mark = constant(b, 0);
        let top = mark.def_op().map_or(b.at, InsertPoint::Before);
        let mut body = Body::new(thread, threads, map, &buffers, top);
        let made = body.block(b, p.body(b.ctx));
        b.op::<gpu::TerminatorOp>(&[], &[], &[]);
        made
    });
    match made {
        Ok(()) => root.erase(b.ctx),
        Err(_) => launch.op().erase(b.ctx),
    }
    made
}

/// Quotient and remainder of the number of a block by one of the grid's sizes: both are numbers of
/// 32 bits, whose division takes a quarter of the instructions that one of 64 bits takes.
fn divided(b: &mut Builder, x: Value, by: Value) -> (Value, Value) {
    let (i32, index) = (b.ctx.i32(), b.ctx.index());
    let x = b.value::<arith::IndexCastUIOp>(&[x], i32, &[]);
    let by = b.value::<arith::IndexCastUIOp>(&[by], i32, &[]);
    let quotient = b.value::<arith::DivUIOp>(&[x, by], i32, &[]);
    let remainder = b.value::<arith::RemUIOp>(&[x, by], i32, &[]);
    let wide = |b: &mut Builder, v| b.value::<arith::IndexCastUIOp>(&[v], index, &[]);
    (wide(b, quotient), wide(b, remainder))
}

/// The ops that need a buffer of the block, and its type.
fn buffers(ctx: &Context, root: Op, threads: i64) -> Result<(Vec<(Op, usize)>, Vec<Type>), Unable> {
    let mut layouts = Layouts::default();
    let (mut ops, mut types): (Vec<_>, Vec<Type>) = (Vec::new(), Vec::new());
    let mut shared: Vec<usize> = Vec::new();
    for op in root.pre_order(ctx) {
        let ty = if op.isa::<tile::ReduceOp>(ctx) {
            let layout = layouts.said(ctx, op)?;
            reduce::buffer(ctx, op, &layout, threads)?
        } else if op.isa::<tile::ConvertOp>(ctx) {
            let from = layouts.behind(ctx, op.operand(ctx, 0), op)?;
            let to = layouts.of(ctx, op)?;
            Some(convert::buffer(ctx, op, &from, &to)?)
        } else {
            None
        };
        let Some(ty) = ty else { continue };
        // Conversions take turns with one buffer, as large as the largest wants it; folds are short
        // and have their own.
        let turns = op.isa::<tile::ConvertOp>(ctx);
        let elem = ty.element(ctx);
        let at = (shared.iter())
            .find(|i| turns && types[**i].element(ctx) == elem)
            .copied();
        let at = match at {
            Some(i) => {
                if types[i].num_elements(ctx) < ty.num_elements(ctx) {
                    types[i] = ty;
                }
                i
            }
            None => {
                types.push(ty);
                types.len() - 1
            }
        };
        if turns {
            shared.push(at);
        }
        ops.push((op, at));
    }
    Ok((ops, types))
}
