//! `memref`.

use super::{Decoder, Task, Yield, attrs, shape_of};
use crate::interp::affine::AffineCode;
use crate::interp::code::{AllocKind, Inst, MemoryInst, Num, OpClass, Slot};
use crate::interp::error::{Fault, Run};
use std::rc::Rc;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Op, TypeData, symbols};

impl Decoder<'_> {
    pub(super) fn memory(&mut self, inst: MemoryInst) {
        self.emit(OpClass::Memory, Inst::Memory(Box::new(inst)));
    }

    pub(super) fn memref(&mut self, op: Op, name: &str) -> Run<()> {
        let ctx = self.ctx;
        match name {
            "load" => {
                let (dst, memref) = (self.result(op, 0)?, self.operand(op, 0)?);
                let indices = self.operands_from(op, 1).into();
                self.emit(
                    OpClass::Load,
                    Inst::Load {
                        dst,
                        memref,
                        indices,
                    },
                );
            }
            "store" => {
                let (value, memref) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let indices = self.operands_from(op, 2).into();
                self.emit(
                    OpClass::Store,
                    Inst::Store {
                        value,
                        memref,
                        indices,
                    },
                );
            }
            "alloc" | "alloca" => {
                let groups = self.segments(op, 2)?;
                let kind = if name == "alloc" {
                    AllocKind::Heap
                } else {
                    AllocKind::Stack
                };
                self.alloc(op, kind, &groups[0], &groups[1])?;
            }
            "realloc" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                let shape = self.shape(op.result(ctx, 0).ty(ctx))?;
                let dynamic = self.operands_from(op, 1);
                let size = self.mixed(&shape.sizes, &dynamic)?[0];
                self.memory(MemoryInst::Realloc { source, size, dst });
            }
            "dealloc" => {
                let memref = self.operand(op, 0)?;
                self.memory(MemoryInst::Free {
                    memref,
                    device: false,
                });
            }
            "alloca_scope" => {
                let results = self.results(op);
                let end = self.label();
                self.emit(OpClass::Control, Inst::ScopeEnter);
                let body = self.region_to(op, 0, &results, Some(end))?;
                let leave = Self::then(|this| {
                    this.emit(OpClass::None, Inst::ScopeLeave);
                    Ok(())
                });
                self.plan(vec![body, Task::Bind(end), leave]);
            }
            "alloca_scope.return" | "atomic_yield" => self.yield_values(op)?,
            "copy" => {
                let (source, target) = (self.operand(op, 0)?, self.operand(op, 1)?);
                self.memory(MemoryInst::Copy {
                    source,
                    target,
                    anywhere: false,
                });
            }
            "dim" => {
                let (source, index, dst) = (
                    self.operand(op, 0)?,
                    self.operand(op, 1)?,
                    self.result(op, 0)?,
                );
                self.memory(MemoryInst::Dim { source, index, dst });
            }
            "rank" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                self.memory(MemoryInst::Rank { source, dst });
            }
            "cast" | "memory_space_cast" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                let ty = op.result(ctx, 0).ty(ctx);
                let shape = if ty.is_memref(ctx) {
                    Some(self.shape(ty)?)
                } else {
                    None
                };
                self.memory(MemoryInst::Cast { source, shape, dst });
            }
            "subview" => self.subview(op)?,
            "reinterpret_cast" => {
                let groups = self.segments(op, 4)?;
                let source = *groups[0].first().ok_or("lacks a source")?;
                let offset = self.mixed(&attrs::i64s(ctx, op, "static_offsets")?, &groups[1])?;
                let sizes = self.mixed(&attrs::i64s(ctx, op, "static_sizes")?, &groups[2])?;
                let strides = self.mixed(&attrs::i64s(ctx, op, "static_strides")?, &groups[3])?;
                let offset = *offset.first().ok_or("lacks an offset")?;
                let dst = self.result(op, 0)?;
                self.memory(MemoryInst::Reinterpret {
                    source,
                    offset,
                    sizes,
                    strides,
                    dst,
                });
            }
            "reshape" => {
                let (source, sizes, dst) = (
                    self.operand(op, 0)?,
                    self.operand(op, 1)?,
                    self.result(op, 0)?,
                );
                self.memory(MemoryInst::Reshape { source, sizes, dst });
            }
            "view" => {
                let (source, shift, dst) = (
                    self.operand(op, 0)?,
                    self.operand(op, 1)?,
                    self.result(op, 0)?,
                );
                let shape = self.shape(op.result(ctx, 0).ty(ctx))?;
                let dynamic = self.operands_from(op, 2);
                let sizes = self.mixed(&shape.sizes, &dynamic)?;
                self.memory(MemoryInst::View {
                    source,
                    shift,
                    sizes,
                    shape,
                    dst,
                });
            }
            "collapse_shape" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                let groups = attrs::reassociation(ctx, op)?;
                self.memory(MemoryInst::Collapse {
                    source,
                    groups,
                    dst,
                });
            }
            "expand_shape" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                let groups = attrs::reassociation(ctx, op)?;
                let statics = attrs::i64s(ctx, op, "static_output_shape")?;
                let dynamic = self.operands_from(op, 1);
                let sizes = self.mixed(&statics, &dynamic)?;
                if groups.iter().flatten().any(|d| *d >= sizes.len()) {
                    return Err("has groups that do not fit the shape".into());
                }
                self.memory(MemoryInst::Expand {
                    source,
                    groups,
                    sizes,
                    dst,
                });
            }
            "transpose" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                let map = self.map_attr(op, "permutation")?;
                let dims = map.results().iter().map(|e| match e {
                    terrace_ir::affine::AffineExpr::Dim(d) => Some(*d as usize),
                    _ => None,
                });
                let permutation = dims
                    .collect::<Option<Box<[usize]>>>()
                    .ok_or("lacks a permutation")?;
                self.memory(MemoryInst::Transpose {
                    source,
                    permutation,
                    dst,
                });
            }
            "extract_strided_metadata" => {
                let source = self.operand(op, 0)?;
                let results = self.results(op);
                let rank = op.operand(ctx, 0).ty(ctx).rank(ctx).unwrap_or(0);
                if results.len() != 2 + 2 * rank {
                    return Err("has a number of results that does not fit the rank".into());
                }
                let (sizes, strides) = (results[2..2 + rank].into(), results[2 + rank..].into());
                self.memory(MemoryInst::Metadata {
                    source,
                    base: results[0],
                    offset: results[1],
                    sizes,
                    strides,
                });
            }
            "extract_aligned_pointer_as_index" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                self.memory(MemoryInst::Pointer { source, dst });
            }
            "get_global" => {
                let symbol = op.attr(ctx, "name").ok_or("lacks a name")?;
                let global = symbols::lookup(ctx, op, symbol);
                let global = global.ok_or_else(|| {
                    Fault::new(format!("there is no global {}", ctx.attr_text(symbol)))
                })?;
                let ty = global
                    .attr(ctx, "type")
                    .and_then(|a| a.as_type(ctx))
                    .ok_or("names what is no global")?;
                let (shape, dst) = (self.shape(ty)?, self.result(op, 0)?);
                self.memory(MemoryInst::Global {
                    op: global,
                    shape,
                    dst,
                });
            }
            "global" => {}
            "atomic_rmw" => {
                let combine = attrs::atomic_kind(op.int_attr(ctx, "kind").ok_or("lacks a kind")?)?;
                let (value, memref, dst) = (
                    self.operand(op, 0)?,
                    self.operand(op, 1)?,
                    self.result(op, 0)?,
                );
                let indices = self.operands_from(op, 2).into();
                self.memory(MemoryInst::AtomicRmw {
                    combine,
                    value,
                    memref,
                    indices,
                    dst,
                });
            }
            "generic_atomic_rmw" => self.generic_atomic(op)?,
            "assume_alignment" => {
                let source = self.operand(op, 0)?;
                let alignment = op
                    .int_attr(ctx, "alignment")
                    .filter(|a| *a > 0)
                    .ok_or("lacks an alignment")?;
                let dst = if op.num_results(ctx) > 0 {
                    Some(self.result(op, 0)?)
                } else {
                    None
                };
                self.memory(MemoryInst::AssumeAlignment {
                    source,
                    alignment,
                    dst,
                });
            }
            "distinct_objects" => {
                let (sources, results) =
                    (self.operands_from(op, 0).into(), self.results(op).into());
                self.memory(MemoryInst::Distinct { sources, results });
            }
            "dma_start" => self.memref_dma(op)?,
            "prefetch" | "dma_wait" => {}
            _ => return Err(self.unknown(op)),
        }
        Ok(())
    }

    /// An allocation of the memref type of the first result.
    pub(super) fn alloc(
        &mut self,
        op: Op,
        kind: AllocKind,
        sizes: &[Slot],
        symbols: &[Slot],
    ) -> Run<()> {
        let shape = self.shape(op.result(self.ctx, 0).ty(self.ctx))?;
        if shape.sizes.iter().filter(|s| **s == DYNAMIC).count() != sizes.len() {
            return Err("the number of sizes is not that of the dynamic dimensions".into());
        }
        let dst = self.result(op, 0)?;
        self.memory(MemoryInst::Alloc {
            kind,
            shape,
            sizes: sizes.into(),
            symbols: symbols.into(),
            dst,
        });
        Ok(())
    }

    fn subview(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let groups = self.segments(op, 4)?;
        let source = *groups[0].first().ok_or("lacks a source")?;
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
        let dst = self.result(op, 0)?;
        self.memory(MemoryInst::Subview {
            source,
            offsets,
            sizes,
            strides,
            dropped,
            shape,
            dst,
        });
        Ok(())
    }

    fn strides_of(&self, ty: terrace_ir::Type) -> Vec<i64> {
        let s = terrace_dialects::memref::layout::strides_and_offset(self.ctx, ty);
        s.map(|s| s.strides).unwrap_or_default()
    }

    fn generic_atomic(&mut self, op: Op) -> Run<()> {
        let memref = self.operand(op, 0)?;
        let indices = self.operands_from(op, 1);
        let current = self.block_args(op, 0)?;
        let current = *current.first().ok_or("lacks the current value")?;
        let load = Inst::Load {
            dst: current,
            memref,
            indices: indices.clone().into(),
        };
        self.emit(OpClass::Load, load);
        let region = op.region(self.ctx, 0);
        let dst = self.result(op, 0)?;
        let body = Task::Region(region, Rc::new(Yield::Atomic { memref, indices }));
        // The result is the value before the update.
        let end = Self::then(move |this| {
            this.moves(&[dst], &[current]);
            Ok(())
        });
        self.plan(vec![body, end]);
        Ok(())
    }

    /// `memref.dma_start`: source, target and tag, each with its indices, around a count.
    fn memref_dma(&mut self, op: Op) -> Run<()> {
        let operands = self.operands_from(op, 0);
        let rank = |at: usize| -> Run<usize> {
            let v = op.operands(self.ctx);
            let v = v.get(at).ok_or("lacks operands")?;
            v.ty(self.ctx)
                .rank(self.ctx)
                .ok_or_else(|| "expects memrefs".into())
        };
        let part = |at: usize, n: usize| -> Run<Box<[AffineCode]>> {
            let s = operands.get(at..at + n).ok_or("lacks operands")?;
            Ok(s.iter().map(|s| AffineCode::Slot(*s)).collect())
        };
        let r0 = rank(0)?;
        let source = (operands[0], part(1, r0)?);
        let r1 = rank(1 + r0)?;
        let target = (operands[1 + r0], part(2 + r0, r1)?);
        let count_at = 2 + r0 + r1;
        let tag_rank = rank(count_at + 1)?;
        let mut rest = vec![*operands.get(count_at).ok_or("lacks a count")?];
        rest.extend(operands.get(count_at + 2 + tag_rank..).unwrap_or(&[]));
        self.dma(op, source, target, &rest)
    }

    /// An index in a slot.
    pub(super) fn nums(slots: &[Slot]) -> Box<[Num]> {
        slots.iter().map(|s| Num::Slot(*s)).collect()
    }
}

/// Which dimensions of size 1 a rank-reducing subview drops: those that leave the sizes
/// of the result, and where that is not clear, its strides too.
fn dropped_dims(
    sizes: &[i64],
    kept: &[i64],
    strides: Vec<i64>,
    result: &crate::interp::memref::Shape,
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

/// Whether a global or buffer of this type is shared by the threads of a block.
pub(in crate::interp) fn is_workgroup(ctx: &terrace_ir::Context, ty: terrace_ir::Type) -> bool {
    let TypeData::MemRef {
        space: Some(space), ..
    } = ty.data(ctx)
    else {
        return false;
    };
    match space.as_i64(ctx) {
        Some(n) => n == 3,
        None => ctx.attr_text(*space).contains("workgroup"),
    }
}
