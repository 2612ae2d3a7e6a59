//! Ops of `memref` on descriptors: views, sizes and addresses.

use super::{Decoder, attrs, shape_of};
use crate::interp::code::{DescriptorInst, Slot};
use crate::interp::error::Run;
use crate::interp::memref::Shape;
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::Op;
use terrace_ir::affine::AffineExpr;
use terrace_ir::types::DYNAMIC;

impl Decoder<'_> {
    /// What the op makes of its first operand.
    pub(super) fn descriptor(&mut self, op: Op, name: &str) -> Run<DescriptorInst> {
        let ctx = self.ctx;
        let ty = op.result(ctx, 0).ty(ctx);
        Ok(match name {
            "dim" => DescriptorInst::Dim {
                index: self.operand(op, 1)?,
            },
            "rank" => DescriptorInst::Rank,
            "extract_aligned_pointer_as_index" => DescriptorInst::Pointer,
            "cast" | "memory_space_cast" => DescriptorInst::Cast {
                shape: match ty.is_memref(ctx) {
                    true => Some(self.shape(ty)?),
                    false => None,
                },
            },
            "subview" => {
                let groups = self.segments(op, 4)?;
                self.subview(op, &groups)?
            }
            "reinterpret_cast" => {
                let groups = self.segments(op, 4)?;
                let offset = self.mixed(&attrs::i64s(ctx, op, "static_offsets")?, &groups[1])?;
                DescriptorInst::Reinterpret {
                    offset: *offset.first().ok_or("lacks an offset")?,
                    sizes: self.mixed(&attrs::i64s(ctx, op, "static_sizes")?, &groups[2])?,
                    strides: self.mixed(&attrs::i64s(ctx, op, "static_strides")?, &groups[3])?,
                }
            }
            "reshape" => DescriptorInst::Reshape {
                sizes: self.operand(op, 1)?,
            },
            "view" => {
                let shift = self.operand(op, 1)?;
                let (shape, dynamic) = (self.shape(ty)?, self.operands_from(op, 2));
                DescriptorInst::View {
                    shift,
                    sizes: self.mixed(&shape.sizes, &dynamic)?,
                    shape,
                }
            }
            "collapse_shape" => DescriptorInst::Collapse {
                groups: attrs::reassociation(ctx, op)?,
            },
            "expand_shape" => {
                let groups = attrs::reassociation(ctx, op)?;
                let dynamic = self.operands_from(op, 1);
                let sizes = self.mixed(&attrs::i64s(ctx, op, "static_output_shape")?, &dynamic)?;
                if groups.iter().flatten().any(|d| *d >= sizes.len()) {
                    return Err("has groups that do not fit the shape".into());
                }
                DescriptorInst::Expand { groups, sizes }
            }
            "transpose" => {
                let map = self.map_attr(op, "permutation")?;
                let dims = map.results().iter().map(|e| match e {
                    AffineExpr::Dim(d) => Some(*d as usize),
                    _ => None,
                });
                let permutation = dims.collect::<Option<_>>();
                DescriptorInst::Transpose {
                    permutation: permutation.ok_or("lacks a permutation")?,
                }
            }
            _ => return Err(self.unknown(op)),
        })
    }

    fn subview(&self, op: Op, groups: &[Vec<Slot>]) -> Run<DescriptorInst> {
        let ctx = self.ctx;
        let statics = attrs::i64s(ctx, op, "static_sizes")?;
        let offsets = self.mixed(&attrs::i64s(ctx, op, "static_offsets")?, &groups[1])?;
        let sizes = self.mixed(&statics, &groups[2])?;
        let strides = self.mixed(&attrs::i64s(ctx, op, "static_strides")?, &groups[3])?;
        let from = op.operand(ctx, 0).ty(ctx);
        let shape = shape_of(ctx, op.result(ctx, 0).ty(ctx))?;
        let dropped = dropped_dims(&statics, &shape.sizes, self.strides_of(from), &shape)
            .ok_or("has a result type that is no part of the source")?;
        if offsets.len() != sizes.len()
            || strides.len() != sizes.len()
            || from.rank(ctx) != Some(sizes.len())
        {
            return Err("the numbers of offsets, sizes and strides differ".into());
        }
        Ok(DescriptorInst::Subview {
            offsets,
            sizes,
            strides,
            dropped,
            shape,
        })
    }

    fn strides_of(&self, ty: terrace_ir::Type) -> Vec<i64> {
        let s = strides_and_offset(self.ctx, ty);
        s.map(|s| s.strides).unwrap_or_default()
    }
}

/// Which dimensions of size 1 a rank-reducing subview drops: those that leave the sizes
/// of the result, and where that is not clear, its strides too.
fn dropped_dims(
    sizes: &[i64],
    kept: &[i64],
    strides: Vec<i64>,
    result: &Shape,
) -> Option<Box<[bool]>> {
    let wanted = result.layout.as_ref().map(|l| &l.strides[..]);
    // A dimension of size 1 is kept where the next result dimension has size 1, and its
    // stride is that of the source or unknown.
    let fits = |strict: bool| -> Option<Box<[bool]>> {
        let mut next = 0;
        let mut dropped = Vec::new();
        for (k, size) in sizes.iter().enumerate() {
            let same_size = kept.get(next) == Some(size);
            let stride = wanted.and_then(|w| w.get(next)).zip(strides.get(k));
            let same_stride = stride.is_none_or(|(w, s)| {
                *w == DYNAMIC || *s == DYNAMIC || w % s.max(&1) == 0 && w >= s
            });
            let spare = sizes.len() - k > kept.len() - next;
            let keep = same_size && (*size != 1 || !spare || !strict || same_stride);
            if keep {
                next += 1;
            } else if *size != 1 {
                return None;
            }
            dropped.push(!keep);
        }
        (next == kept.len()).then(|| dropped.into())
    };
    fits(true).or_else(|| fits(false))
}
