//! `memref`.

use super::{Decoder, Task, Yield, attrs};
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
        match name {
            "load" => self.memref_load(op)?,
            "store" => self.memref_store(op)?,
            "alloc" | "alloca" => {
                let groups = self.segments(op, 2)?;
                let kind = if name == "alloc" {
                    AllocKind::Heap
                } else {
                    AllocKind::Stack
                };
                self.alloc(op, kind, &groups[0], &groups[1])?;
            }
            "realloc" => self.realloc(op)?,
            "dealloc" => {
                let memref = self.operand(op, 0)?;
                self.memory(MemoryInst::Free {
                    memref,
                    device: false,
                });
            }
            "alloca_scope" => self.alloca_scope(op)?,
            "alloca_scope.return" | "atomic_yield" => self.yield_values(op)?,
            "copy" => {
                let (source, target) = (self.operand(op, 0)?, self.operand(op, 1)?);
                self.memory(MemoryInst::Copy {
                    source,
                    target,
                    anywhere: false,
                });
            }
            "dim"
            | "rank"
            | "cast"
            | "memory_space_cast"
            | "subview"
            | "reinterpret_cast"
            | "reshape"
            | "view"
            | "collapse_shape"
            | "expand_shape"
            | "transpose"
            | "extract_aligned_pointer_as_index" => {
                let inst = self.descriptor(op, name)?;
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                self.memory(MemoryInst::Descriptor { source, inst, dst });
            }
            "extract_strided_metadata" => self.metadata(op)?,
            "get_global" => self.get_global(op)?,
            "global" => {}
            "atomic_rmw" => self.atomic_rmw(op)?,
            "generic_atomic_rmw" => self.generic_atomic(op)?,
            "assume_alignment" => self.assume_alignment(op)?,
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

    pub(super) fn memref_load(&mut self, op: Op) -> Run<()> {
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
        Ok(())
    }

    pub(super) fn memref_store(&mut self, op: Op) -> Run<()> {
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
        Ok(())
    }

    fn realloc(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
        let shape = self.shape(op.result(ctx, 0).ty(ctx))?;
        let dynamic = self.operands_from(op, 1);
        let size = self.mixed(&shape.sizes, &dynamic)?[0];
        self.memory(MemoryInst::Realloc { source, size, dst });
        Ok(())
    }

    fn alloca_scope(&mut self, op: Op) -> Run<()> {
        let results = self.results(op);
        let end = self.label();
        self.emit(OpClass::Control, Inst::ScopeEnter);
        let body = self.region_to(op, 0, &results, Some(end))?;
        let leave = Self::then(|this| {
            this.emit(OpClass::None, Inst::ScopeLeave);
            Ok(())
        });
        self.plan(vec![body, Task::Bind(end), leave]);
        Ok(())
    }

    fn metadata(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
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
        Ok(())
    }

    fn get_global(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let symbol = op.attr(ctx, "name").ok_or("lacks a name")?;
        let global = symbols::lookup(ctx, op, symbol);
        let global = global
            .ok_or_else(|| Fault::new(format!("there is no global {}", ctx.attr_text(symbol))))?;
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
        Ok(())
    }

    fn atomic_rmw(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
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
        Ok(())
    }

    fn assume_alignment(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
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
