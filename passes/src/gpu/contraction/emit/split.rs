//! A product of few blocks and long k as several side by side, each of a part of k, and the
//! sum of these.
//!
//! ```text
//! C[r, c] += sum over k of          W[p, r, c] = sum over the p-th part of k
//!            A[r, k] * B[k, c]  =>  C[r, c] = C[r, c] + W[0, r, c] + W[1, r, c] + ...
//! ```
//!
//! Only where sums may be reordered. The parts are added in their order, so that a program
//! gives the same bits each time on a machine. The program divides k when it runs: such
//! that the blocks of all parts occupy the machine about once, and a part is long enough for
//! what it stores and loads of `W` to take little of its time.

use super::batch::Batch;
use super::describe::Choice;
use super::elements::AtElement;
use super::frame::Frame;
use crate::gpu::branches::{either, when};
use crate::gpu::contraction::shape::Sum;
use crate::gpu::contraction::split_k::SplitK;
use crate::loops::build::index::*;
use terrace_dialects::attributes::GPU_NOTE;
use terrace_dialects::memref::{self, AllocOp, DeallocOp};
use terrace_dialects::{arith, gpu, scf, xfer};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, InsertPoint, OpKind, Value};

/// Threads of a block that adds up the parts.
const THREADS: i64 = 256;

/// The launch of a product, or those of its parts where the program finds that there are
/// several.
pub fn launch(
    b: &mut Builder,
    frame: &Frame,
    parts: Option<SplitK>,
    marks: bool,
    choice: Option<Choice>,
) {
    let (Some(parts), Some([first, end])) = (parts, frame.depth) else {
        // The cost model knows one product as a whole.
        let alone = frame.batch.is_none();
        let note = alone.then(|| frame.describe(b.ctx, choice));
        return frame.launch(b, note);
    };
    let one = constant(b, 1);
    let depth = sub(b, end, first);
    let zero = constant(b, 0);
    let depth = max(b, depth, zero);
    let blocks = frame.blocks(b);
    let blocks = max(b, blocks, one);
    let fill = constant(b, parts.blocks);
    let fill = div(b, fill, blocks);
    let (most, _) = split(b, depth, parts.least);
    let wanted = min(b, fill, most);
    let wanted = max(b, wanted, one);
    // Whole slabs, so that a part begins where vectors do if k does.
    let slabs = add_constant(b, depth, frame.plan.depth - 1);
    let (slabs, _) = split(b, slabs, frame.plan.depth);
    let each = ceiling(b, slabs, wanted);
    let each = max(b, each, one);
    let count = ceiling(b, slabs, each);
    let length = times(b, each, frame.plan.depth);
    let is_whole = arith::CmpIOp::build(b, arith::CmpIPredicate::Sle, count, one);
    either(
        b,
        is_whole,
        |b| frame.launch(b, None),
        |b| {
            let split = Split {
                frame,
                count,
                length,
                marks,
            };
            split.launches(b);
        },
    );
}

/// A product in parts: how many, and how much of k each has.
struct Split<'f, 'x> {
    frame: &'f Frame<'x>,
    count: Value,
    length: Value,
    /// Whether it is said of the workspace that nothing in it is needed.
    marks: bool,
}

impl Split<'_, '_> {
    fn launches(&self, b: &mut Builder) {
        let x = self.frame.x;
        let zero = constant(b, 0);
        let sizes = [self.frame.rows, self.frame.cols].map(|r| {
            let n = sub(b, r[1], r[0]);
            max(b, n, zero)
        });
        let ty = b.ctx.memref(&[DYNAMIC; 3], x.element);
        let batch = Batch::in_parts(b, x, self.count);
        let work = AllocOp::build(b, ty, &[batch.count, sizes[0], sizes[1]]);
        if self.marks {
            xfer::DiscardOp::build(b, work);
        }
        self.parts(b, &batch, work);
        self.sum(b, sizes, work);
        DeallocOp::build(b, work);
    }

    /// The launch of the parts.
    fn parts(&self, b: &mut Builder, batch: &Batch, work: Value) {
        let frame = self.frame;
        let begin = arith::constant_float(b, 0.0, frame.x.element);
        // What stands for the sum in the nest.
        let sum = match frame.x.sum {
            Sum::Carried { result, .. } => result,
            Sum::Memory => frame.x.store.operand(b.ctx, 0),
        };
        let words = format!("{}, a part of k", frame.plan.words(frame.x));
        frame.launch_batch(
            b,
            Some(batch),
            &words,
            |b, block, thread, (number, counters)| {
                let Some((part, counters)) = counters.split_first() else {
                    return;
                };
                let corner = [frame.rows[0], frame.cols[0]];
                let one = frame.x.one_of_batch(counters);
                let one = one.part(work, number, corner, begin, sum);
                let mut own = frame.of_one(b.ctx, &one);
                own.depth = frame.depth.map(|[first, end]| {
                    let before = mul(b, *part, self.length);
                    let first = add(b, first, before);
                    let own_end = add(b, first, self.length);
                    [first, min(b, own_end, end)]
                });
                own.kernel(b, block, thread);
            },
        );
    }

    /// The launch of their sum: a thread for each element.
    fn sum(&self, b: &mut Builder, [rows, cols]: [Value; 2], work: Value) {
        let frame = self.frame;
        let elements = mul(b, rows, cols);
        let blocks = add_constant(b, elements, THREADS - 1);
        let (blocks, _) = split(b, blocks, THREADS);
        let (one, threads) = (constant(b, 1), constant(b, THREADS));
        let [y, z] = frame.batch.as_ref().map_or([one, one], |batch| batch.grid);
        let (launch, entry) =
            gpu::LaunchOp::build(b, [blocks, y, z], [threads, one, one], &[], &[]);
        let words = b.ctx.string_attr("sum of the parts of a matrix product");
        launch.op().set_attr(b.ctx, GPU_NOTE, words);
        let (ids, thread) = (launch.block_ids(b.ctx), launch.thread_ids(b.ctx)[0]);
        b.with_point(InsertPoint::End(entry), |b| {
            let before = times(b, ids[0], THREADS);
            let number = add(b, before, thread);
            let is_one = less(b, number, elements);
            when(b, is_one, |b| {
                let row = div(b, number, cols);
                let before = mul(b, row, cols);
                let at = [row, sub(b, number, before)];
                match &frame.batch {
                    Some(batch) => batch.each(b, [ids[1], ids[2]], |b, product, counters| {
                        self.element(b, work, at, (product, batch.count), counters);
                    }),
                    None => {
                        let (zero, one) = (constant(b, 0), constant(b, 1));
                        self.element(b, work, at, (zero, one), &[]);
                    }
                }
            });
            b.op::<gpu::TerminatorOp>(&[], &[], &[]);
        });
    }

    /// An element of a product of some, from its parts.
    fn element(
        &self,
        b: &mut Builder,
        work: Value,
        [r, c]: [Value; 2],
        (product, products): (Value, Value),
        counters: &[Value],
    ) {
        let frame = self.frame;
        let one = frame.x.one_of_batch(counters);
        let (row, col) = (add(b, r, frame.rows[0]), add(b, c, frame.cols[0]));
        let does = |b: &mut Builder| {
            let rows = [(one.row, row)];
            let begin = AtElement::new(&one, &rows, col).begin(b);
            let (zero, step) = (constant(b, 0), constant(b, 1));
            let range = (zero, self.count, step);
            let sum = scf::ForOp::build_with(b, range, &[begin], |b, part, sum| {
                let before = mul(b, part, products);
                let slice = add(b, before, product);
                let v = memref::LoadOp::build(b, work, &[slice, r, c]);
                let ty = v.ty(b.ctx);
                vec![b.value::<arith::AddFOp>(&[sum[0], v], ty, &[])]
            });
            let sum = sum.op().result(b.ctx, 0);
            AtElement::new(&one, &rows, col).end(b, sum);
        };
        match one.inside.is_empty() {
            true => does(b),
            false => {
                let valid = frame.valid(b, row, col);
                when(b, valid, does);
            }
        }
    }
}
