//! `xfer-pad-rows`: rows of device buffers begin at multiples of what memory is moved by.
//!
//! ```text
//!                                      %pitch = %n, or the next multiple of 128 bytes
//! %d = xfer.alloc(%m, %n)              %p = xfer.alloc(%m, %pitch)
//! xfer.copy %A to %d            =>     %d = memref.subview %p[0, 0] [%m, %n] [1, 1]
//! launch { load %d[%i, %j] }           xfer.copy %A to %d
//!                                      launch { load %d[%i, %j] }
//! ```
//!
//! A row that begins within a sector of 32 bytes costs each warp that goes along it a sector
//! more, and none of its vectors is aligned, so that kernels which ask for that
//! (`gpu.rows_aligned`) go element by element. That is why leading dimensions are padded (CUDA C++
//! Programming Guide, "Two-Dimensional Arrays": `cudaMallocPitch`). The array of the host stays
//! as it is; its copies go row by row.
//!
//! Rows are moved apart where their length is no multiple of a sector, and they are long enough
//! that what is added is little and a copy of a row is worth its begin. Sizes are often known only
//! at run time; then the host chooses there.
//!
//! It is done where it pays: of buffers whose alignment a kernel wants or that the host never copies,
//! and of those that kernels in a loop use over and over, if rows are longer. Of others a copy of
//! rows takes longer than kernels gain.
//!
//! Legal as elements are found by subscripts alone: each op that uses the buffer, or a view of it,
//! is one that takes subscripts, copies whole views, or asks for sizes. A buffer that anything else
//! uses (a call, a view with other strides, an address as a number) stays as it is.
//!
//! For buffers, behind `xfer-lower-mirrors`, and while kernels are in place.

use crate::analysis::loop_like::is_in_loop;
use crate::analysis::memref_region::element_bytes;
use crate::loops::build::index::{and, ceiling, constant, less, rem, times};
use terrace_dialects::memref::layout::{
    has_identity_layout, memory_space, rank_reduced_subview, subview_type, with_shape_and_layout,
};
use terrace_dialects::memref::{MemorySpaceCastOp, SubViewOp};
use terrace_dialects::offsets::{Mixed, Slice};
use terrace_dialects::{arith, gpu, xfer};
use terrace_dialects::{func, memref, nvgpu, vector};
use terrace_ir::pass::{
    OptionInfo, OptionKind, Pass, PassContext, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, TypeData, Value};

pub static INFO: PassInfo = PassInfo {
    name: "xfer-pad-rows",
    title: "XferPadRows",
    summary: "Begin rows of device buffers at multiples of lines of memory",
    description: "Gives buffers of two dimensions and more whose rows are no multiple of a sector a longer last dimension, of which the program sees the part that it had.",
    anchor: Some(func::FuncOp::NAME),
    options: &[
        OptionInfo::new(
            "least",
            OptionKind::UInt,
            "2048",
            "Bytes of the shortest rows that are moved apart where a kernel wants it, or the host does not copy them",
        ),
        OptionInfo::new(
            "least-in-loops",
            OptionKind::UInt,
            "32768",
            "The same where kernels in a loop use them",
        ),
        OptionInfo::flag(
            "notes",
            "Say of each buffer of rows what was made of it or why it was left, as remarks",
        ),
    ],
    statistics: &[StatisticInfo::new(
        "num-padded",
        "Number of buffers whose rows are moved apart, or may be when the program runs",
    )],
    make: |o| {
        Ok(Box::new(PadRows {
            least: o.uint("least") as i64,
            least_in_loops: o.uint("least-in-loops") as i64,
            notes: o.bool("notes"),
        }))
    },
};

const PADDED: &str =
    "its rows begin at multiples of 128 bytes, if they are long and no multiples of 32";
/// Bytes that memory is moved by (a sector of a line).
const SECTOR: i64 = 32;
/// Bytes of a line, at multiples of which padded rows begin.
const LINE: i64 = 128;

struct PadRows {
    least: i64,
    least_in_loops: i64,
    notes: bool,
}

impl Pass for PadRows {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        for alloc in function.find_all::<xfer::AllocOp>(ctx) {
            let buffer = alloc.buffer(ctx);
            let ty = buffer.ty(ctx);
            if !xfer::is_device(ctx, ty) || ty.rank(ctx).is_none_or(|r| r < 2) {
                continue;
            }
            let (op, said) = match self.pad(ctx, alloc) {
                Ok(padded) => {
                    ctx.count("num-padded", 1);
                    (padded, PADDED.to_string())
                }
                Err(why) => (alloc.op(), format!("its rows stay as they are: {why}")),
            };
            if self.notes {
                op.remark(ctx, said);
            }
        }
        Ok(())
    }
}

impl PadRows {
    /// Moves the rows of a buffer apart; what allocates it now.
    ///
    /// # Errors
    ///
    /// Why they stay as they are.
    fn pad(&self, ctx: &mut Context, alloc: xfer::AllocOp) -> Result<Op, String> {
        let buffer = alloc.buffer(ctx);
        let ty = buffer.ty(ctx);
        let TypeData::MemRef { shape, elem, .. } = ty.data(ctx) else {
            return Err("it has no shape".into());
        };
        let (mut shape, elem) = (shape.clone(), *elem);
        let bytes = element_bytes(ctx, elem).filter(|n| SECTOR % n == 0);
        let bytes = bytes.ok_or("no number of its elements fills a sector of 32 bytes")?;
        if !has_identity_layout(ctx, ty) {
            return Err("its elements are not row-major".into());
        }
        let last = shape.len() - 1;
        let mut uses = Uses::default();
        uses.of(ctx, buffer, true)?;
        if !uses.launched {
            return Err("no kernel uses it".into());
        }
        let least = match (uses.wanted || !uses.copied, uses.again) {
            (true, _) => self.least,
            (false, true) => self.least_in_loops,
            _ => return Err("kernels use it once, who gain less than copies of rows lose".into()),
        };
        let row = shape[last];
        if row != DYNAMIC && !pays(row, bytes, least) {
            return Err("they are short, or multiples of 32 bytes".into());
        }

        let mut sizes = alloc.dynamic_sizes(ctx);
        let mut mixed = Vec::with_capacity(shape.len());
        let mut open = sizes.iter();
        for n in &shape {
            mixed.push(match n {
                &DYNAMIC => Mixed::Value(*open.next().ok_or("a size is missing")?),
                n => Mixed::Static(*n),
            });
        }
        let mut b = Builder::before(ctx, alloc.op());
        b.loc = alloc.op().loc(b.ctx);
        match (mixed[last], sizes.last_mut()) {
            (Mixed::Value(n), Some(size)) => *size = pitch(&mut b, n, bytes, least),
            _ => shape[last] = rounded(row, bytes),
        }
        let padded = with_shape_and_layout(b.ctx, ty, shape, None);
        let slice = Slice {
            offsets: vec![Mixed::Static(0); mixed.len()],
            strides: vec![Mixed::Static(1); mixed.len()],
            sizes: mixed,
        };
        let view = subview_type(b.ctx, padded, &slice);
        let view = view.ok_or("it has no strides")?;
        let made = b.op::<xfer::AllocOp>(&sizes, &[padded], &[]);
        let whole = made.result(b.ctx, 0);
        let view = SubViewOp::build(&mut b, whole, &slice, view);
        buffer.replace_all_uses(b.ctx, view);
        alloc.op().erase(b.ctx);
        for free in uses.frees {
            free.set_operand(b.ctx, 0, whole);
        }
        retype(b.ctx, view);
        Ok(made)
    }
}

/// Whether rows of so many elements are moved apart, if those of `least` bytes may be.
fn pays(row: i64, bytes: i64, least: i64) -> bool {
    (row.checked_mul(bytes)).is_some_and(|n| n % SECTOR != 0 && n >= least)
}

/// Elements from row to row, of rows with `n`.
fn pitch(b: &mut Builder, n: Value, bytes: i64, least: i64) -> Value {
    if let Some(n) = b.ctx.constant_int(n) {
        let pitch = if pays(n, bytes, least) {
            rounded(n, bytes)
        } else {
            n
        };
        return constant(b, pitch);
    }
    let sector = constant(b, SECTOR / bytes);
    let over = rem(b, n, sector);
    let zero = constant(b, 0);
    let odd = less(b, zero, over);
    let short = constant(b, (least - 1) / bytes);
    let long = less(b, short, n);
    let both = and(b, odd, long);
    let line = constant(b, LINE / bytes);
    let lines = ceiling(b, n, line);
    let up = times(b, lines, LINE / bytes);
    arith::SelectOp::build(b, both, up, n)
}

/// The next number of elements that fills lines.
fn rounded(row: i64, bytes: i64) -> i64 {
    (row as u64).next_multiple_of((LINE / bytes) as u64) as i64
}

/// What uses a buffer and its views.
#[derive(Default)]
struct Uses {
    /// By a kernel.
    launched: bool,
    /// By a kernel in a loop.
    again: bool,
    /// A kernel wants its rows to be aligned.
    wanted: bool,
    /// Copied from or to another memory.
    copied: bool,
    frees: Vec<Op>,
}

impl Uses {
    /// Looks at all uses.
    ///
    /// # Errors
    ///
    /// What asks for more than elements, by their subscripts.
    fn of(&mut self, ctx: &Context, v: Value, whole: bool) -> Result<(), String> {
        for op in v.users(ctx) {
            let name = op.name(ctx);
            match name {
                xfer::FreeOp::NAME if whole => self.frees.push(op),
                MemorySpaceCastOp::NAME | SubViewOp::NAME => {
                    self.of(ctx, op.result(ctx, 0), false)?;
                }
                xfer::CopyOp::NAME => {
                    let on_device = |v: &Value| xfer::is_device(ctx, v.ty(ctx));
                    self.copied |= !op.operands(ctx)[..2].iter().all(on_device);
                }
                _ if TAKES_SUBSCRIPTS.contains(&name) => {}
                _ => return Err(format!("'{name}' uses it")),
            }
            let asks = op.cast::<gpu::RowsAlignedOp>(ctx);
            self.wanted |= asks.is_some_and(|a| a.is_wanted(ctx));
            if let Some(launch) = op.parent_of::<gpu::LaunchOp>(ctx) {
                self.launched = true;
                self.again |= is_in_loop(ctx, launch.op());
            }
        }
        Ok(())
    }
}

/// Ops that find elements by subscripts, or ask for sizes and alignment.
const TAKES_SUBSCRIPTS: &[&str] = &[
    memref::AtomicRmwOp::NAME,
    memref::DimOp::NAME,
    memref::GenericAtomicRmwOp::NAME,
    memref::LoadOp::NAME,
    memref::PrefetchOp::NAME,
    memref::StoreOp::NAME,
    nvgpu::DeviceAsyncCopyOp::NAME,
    vector::LoadOp::NAME,
    vector::MaskedLoadOp::NAME,
    vector::MaskedStoreOp::NAME,
    vector::StoreOp::NAME,
    vector::TransferReadOp::NAME,
    vector::TransferWriteOp::NAME,
    gpu::RowsAlignedOp::NAME,
];

/// Gives the views of a memref the types that follow from its own.
fn retype(ctx: &Context, v: Value) {
    for op in v.users(ctx) {
        let ty = if op.isa::<MemorySpaceCastOp>(ctx) {
            let space = memory_space(ctx, op.result(ctx, 0).ty(ctx));
            Some(xfer::in_space(ctx, v.ty(ctx), space))
        } else if let Some(view) = op.cast::<SubViewOp>(ctx) {
            let shape = op.result(ctx, 0).ty(ctx).shape(ctx).unwrap_or(&[]).to_vec();
            (view.slice(ctx)).and_then(|s| rank_reduced_subview(ctx, v.ty(ctx), &s, &shape))
        } else {
            continue;
        };
        if let Some(ty) = ty {
            op.result(ctx, 0).set_type(ctx, ty);
            retype(ctx, op.result(ctx, 0));
        }
    }
}
