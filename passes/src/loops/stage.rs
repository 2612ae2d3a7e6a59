//! Staging: the part of a memref that a range of ops touches is copied into a buffer
//! before, the range works on the buffer, and what it wrote is copied back after.
//!
//! Shape: the memref has a rank of at least 1 and no layout, and the part has a box of
//! constant size around it whose corner is known before the range. Legal where nothing
//! else in the range touches the memory of the memref, which
//! [`footprints`](crate::analysis::staging::footprints) has seen to.
//!
//! ```text
//!                                     %b = memref.alloc() : memref<32xf32>
//! affine.for %j = %i to %i + 32 {     affine.for %j = %i to %i + 32 {
//!   %x = affine.load %A[%j]             %x = affine.load %A[%j]
//!   ...                           =>    affine.store %x, %b[%j - %i]
//! }                                   }
//!                                     affine.for %j = %i to %i + 32 {
//!                                       %x = affine.load %b[%j - %i]
//!                                       ...
//!                                     }
//!                                     memref.dealloc %b
//! ```

mod copy;
mod dma;

use super::Refusal;
use super::redirect::redirect;
use crate::analysis::memref_region::{BoundingBox, element_bytes};
use crate::analysis::staging::{Footprint, OpRange, hoisting_loop, known_before};
use copy::CopyPlan;
use terrace_dialects::affine::ForOp;
use terrace_dialects::memref::{AllocOp, DeallocOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::opdef::traits::ISOLATED;
use terrace_ir::{Block, Builder, Context, InsertPoint, Loc, Op, OpKind, Type, Value};

/// How to stage.
#[derive(Debug, Clone, Copy, Default)]
pub struct StageOptions {
    /// The memory space of the buffer.
    pub space: u64,
    /// Copy by DMA, with tags in this memory space, rather than element by element.
    pub dma: Option<u64>,
    /// Copy outside the loops around that do not change what is touched.
    pub hoist: bool,
}

/// What staging made.
#[derive(Debug, Clone, Default)]
pub struct Staged {
    /// The size of the buffer, where the size of an element is known.
    pub bytes: u64,
    /// The outermost loops of copies element by element.
    pub copies: Vec<Op>,
}

/// One memref being staged: the copy in has been made, the copy out may follow.
pub struct Stage {
    plan: Option<Buffer>,
    staged: Staged,
}

struct Buffer {
    memref: Value,
    buffer: Value,
    copy: CopyPlan,
    hoist: Option<ForOp>,
    /// What the copy in stands before.
    first: Op,
    loc: Loc,
}

/// Stage one memref: [`begin`] and [`Stage::finish`] in one go.
///
/// # Errors
///
/// A [`Refusal`] where the footprint has not the shape; nothing is changed then.
pub fn stage(
    ctx: &mut Context,
    range: &OpRange,
    end: &mut Op,
    f: &Footprint,
    options: StageOptions,
) -> Result<Staged, Refusal> {
    let stage = begin(ctx, range, end, f, options)?;
    Ok(stage.finish(ctx, end, f, options))
}

/// Make the buffer and the copy in, and let the range use the buffer. `end` is the op
/// that follows the range; it becomes the first of what is put between the two. What the
/// range writes is lost unless [`Stage::finish`] follows.
///
/// # Errors
///
/// A [`Refusal`] where the footprint has not the shape; nothing is changed then.
pub fn begin(
    ctx: &mut Context,
    range: &OpRange,
    end: &mut Op,
    f: &Footprint,
    options: StageOptions,
) -> Result<Stage, Refusal> {
    let loc = f.region.loc;
    let memref = f.memref();
    let refuse = |message: &str| Err(Refusal::new(loc, message));
    let ty = memref.ty(ctx);
    let Some((None, _)) = ty.memref_parts(ctx) else {
        return refuse("cannot stage a memref with a layout");
    };
    if f.region.rank() == 0 {
        return refuse("cannot stage a memref of rank 0");
    }
    if options.dma.is_none() && !f.defined {
        return refuse("cannot copy element by element what may never have been written");
    }
    let Some(bounds) = f.region.bounding_box(ctx) else {
        return refuse("cannot stage what has no box of constant size around it");
    };
    if bounds.elements == 0 {
        // The range touches nothing.
        return Ok(Stage {
            plan: None,
            staged: Staged::default(),
        });
    }
    let symbols = f.region.symbols();
    if symbols.iter().any(|v| !known_before(ctx, range, *v)) {
        return refuse("cannot stage what depends on values of the range itself");
    }
    let copy = match options.dma {
        None => CopyPlan::by_element(&f.region, &bounds),
        Some(_) => CopyPlan::by_dma(ctx, f, &bounds),
    };
    let copy = match copy {
        Ok(c) => c,
        Err(message) => return refuse(message),
    };
    let Some(first) = range.first() else {
        return refuse("nothing to stage for");
    };

    let hoist = options
        .hoist
        .then(|| hoisting_loop(ctx, range, f))
        .flatten();
    let (before, after) = match hoist {
        Some(l) => (l.op(), l.op().next(ctx).unwrap_or(l.op())),
        None => (first, *end),
    };
    let mut b = Builder::before(ctx, before);
    b.loc = loc;
    let corner = copy.corner(&mut b, f.needs_old());
    let buffer_type = buffer_type(b.ctx, ty, &bounds, options.space);
    let buffer = AllocOp::build(&mut b, buffer_type, &[]);
    let bytes = bytes_of(b.ctx, buffer_type);
    let mut staged = Staged {
        bytes,
        copies: Vec::new(),
    };
    let mut tag = None;
    if f.needs_old() {
        match options.dma {
            None => {
                let nest = copy.elements(&mut b, memref, buffer, false);
                staged.copies.extend(nest);
            }
            Some(space) => {
                let t = copy.tag(&mut b, space);
                copy.dma(&mut b, memref, buffer, &corner, t, false);
                tag = Some(t);
            }
        }
    }
    let mut b = Builder::before(ctx, after);
    b.loc = loc;
    let mut first_after = None;
    if let Some(tag) = tag {
        first_after = Some(DeallocOp::build(&mut b, tag));
    }
    let freed = DeallocOp::build(&mut b, buffer);
    if hoist.is_none() {
        *end = first_after.unwrap_or(freed);
    }
    use_buffer(ctx, range, memref, buffer, &copy);
    let plan = f.writes.then_some(Buffer {
        memref,
        buffer,
        copy,
        hoist,
        first: before,
        loc,
    });
    Ok(Stage { plan, staged })
}

impl Stage {
    /// Make the copy out. `end` is as for [`begin`], as the last call left it.
    pub fn finish(
        self,
        ctx: &mut Context,
        end: &mut Op,
        f: &Footprint,
        options: StageOptions,
    ) -> Staged {
        let Stage { plan, mut staged } = self;
        let Some(plan) = plan.filter(|_| f.writes) else {
            return staged;
        };
        let before = match plan.hoist {
            Some(l) => l.op().next(ctx).unwrap_or(l.op()),
            None => *end,
        };
        let mut b = Builder::before(ctx, before);
        b.loc = plan.loc;
        match options.dma {
            None => {
                let nest = plan.copy.elements(&mut b, plan.memref, plan.buffer, true);
                if let (Some(nest), None) = (nest, plan.hoist) {
                    *end = nest;
                }
                staged.copies.extend(nest);
            }
            Some(space) => {
                let at = InsertPoint::Before(plan.first);
                let tag = b.with_point(at, |b| plan.copy.tag(b, space));
                let corner = plan.copy.corner(&mut b, true);
                let start = plan
                    .copy
                    .dma(&mut b, plan.memref, plan.buffer, &corner, tag, true);
                DeallocOp::build(&mut b, tag);
                if plan.hoist.is_none() {
                    *end = start;
                }
            }
        }
        staged
    }

    /// What has been made so far.
    pub fn staged(&self) -> &Staged {
        &self.staged
    }
}

fn buffer_type(ctx: &Context, ty: Type, bounds: &BoundingBox, space: u64) -> Type {
    let elem = ty.element_or_self(ctx);
    ctx.memref_in(&bounds.shape(), elem, space_attr(ctx, space))
}

/// The attribute of a memory space by number; the default one has none.
pub(crate) fn space_attr(ctx: &Context, space: u64) -> Option<terrace_ir::Attr> {
    let space = i64::try_from(space).ok().filter(|s| *s != 0)?;
    Some(ctx.i64_attr(space))
}

fn bytes_of(ctx: &Context, ty: Type) -> u64 {
    let bytes = || {
        let each = element_bytes(ctx, ty.element(ctx)?)?;
        u64::try_from(ty.num_elements(ctx)?.checked_mul(each)?).ok()
    };
    bytes().unwrap_or(0)
}

/// Let the accesses of `memref` in a range go to the buffer.
fn use_buffer(ctx: &Context, range: &OpRange, memref: Value, buffer: Value, copy: &CopyPlan) {
    let n = copy.symbols.len();
    let results = copy.offsets.iter().enumerate().map(|(d, offset)| {
        AffineExpr::dim(u32::try_from(n + d).unwrap_or(u32::MAX)) - offset.clone()
    });
    let dims = u32::try_from(n + copy.offsets.len()).unwrap_or(u32::MAX);
    let remap = AffineMap::new(dims, 0, results.collect());
    for user in memref.users(ctx) {
        if range.holds(ctx, user) {
            redirect(ctx, user, buffer, &remap, &copy.symbols);
        }
    }
}

/// The start of the function around an op, where constants go.
fn function_start(ctx: &Context, block: Block) -> InsertPoint {
    let mut at = block;
    while let Some(op) = at.parent_op(ctx) {
        let is_function = op.has_trait(ctx, ISOLATED);
        if is_function {
            let entry = at.region(ctx).and_then(|r| r.entry(ctx));
            return InsertPoint::Start(entry.unwrap_or(at));
        }
        match op.block(ctx) {
            Some(b) => at = b,
            None => break,
        }
    }
    InsertPoint::Start(at)
}
