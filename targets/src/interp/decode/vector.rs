//! `vector`.

use super::{Decoder, attrs};
use crate::interp::affine::AffineCode;
use crate::interp::code::{Ew, Inst, OpClass, Slot, Transfer, VectorInst};
use crate::interp::error::{Fault, Run};
use crate::interp::ew::EwOp;
use terrace_ir::affine::AffineExpr;
use terrace_ir::{Op, Type};

impl Decoder<'_> {
    fn emit_vector(&mut self, inst: VectorInst) {
        let class = match &inst {
            VectorInst::TransferRead { .. }
            | VectorInst::Load { .. }
            | VectorInst::MaskedLoad { .. } => OpClass::Load,
            VectorInst::TransferWrite { .. }
            | VectorInst::Store { .. }
            | VectorInst::MaskedStore { .. } => OpClass::Store,
            _ => OpClass::Vector,
        };
        self.emit(class, Inst::Vector(Box::new(inst)));
    }

    pub(super) fn vector(&mut self, op: Op, name: &str) -> Run<()> {
        let ctx = self.ctx;
        let inst = match name {
            "transfer_read" => {
                let groups = self.segments(op, 4)?;
                let ty = op.result(ctx, 0).ty(ctx);
                let transfer = self.transfer(op, ty, &groups[0], &groups[1], groups[3].first())?;
                let padding = *groups[2].first().ok_or("lacks a padding value")?;
                VectorInst::TransferRead {
                    transfer,
                    padding,
                    dst: self.result(op, 0)?,
                }
            }
            "transfer_write" => {
                if op.num_results(ctx) > 0 {
                    return Err(self.unknown(op));
                }
                let groups = self.segments(op, 4)?;
                let value = *groups[0].first().ok_or("lacks a value")?;
                let ty = op.operand(ctx, 0).ty(ctx);
                let transfer = self.transfer(op, ty, &groups[1], &groups[2], groups[3].first())?;
                VectorInst::TransferWrite { transfer, value }
            }
            "load" => {
                let memref = self.operand(op, 0)?;
                let indices = as_codes(&self.operands_from(op, 1));
                let (shape, elem) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                VectorInst::Load {
                    memref,
                    indices,
                    shape,
                    elem,
                    dst: self.result(op, 0)?,
                }
            }
            "store" => {
                let (value, memref) = (self.operand(op, 0)?, self.operand(op, 1)?);
                VectorInst::Store {
                    memref,
                    indices: as_codes(&self.operands_from(op, 2)),
                    value,
                }
            }
            "maskedload" => {
                let v = self.operands_from(op, 0);
                let [memref, indices @ .., mask, otherwise] = &v[..] else {
                    return Err("lacks operands".into());
                };
                let indices = indices.into();
                VectorInst::MaskedLoad {
                    memref: *memref,
                    indices,
                    mask: *mask,
                    otherwise: *otherwise,
                    dst: self.result(op, 0)?,
                }
            }
            "maskedstore" => {
                let v = self.operands_from(op, 0);
                let [memref, indices @ .., mask, value] = &v[..] else {
                    return Err("lacks operands".into());
                };
                VectorInst::MaskedStore {
                    memref: *memref,
                    indices: indices.into(),
                    mask: *mask,
                    value: *value,
                }
            }
            "broadcast" | "splat" => {
                let (shape, elem) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                VectorInst::Broadcast {
                    source: self.operand(op, 0)?,
                    shape,
                    elem,
                    dst: self.result(op, 0)?,
                }
            }
            "extract" => {
                let source = self.operand(op, 0)?;
                let dynamic = self.operands_from(op, 1);
                let position = self.mixed(&attrs::i64s(ctx, op, "static_position")?, &dynamic)?;
                VectorInst::Extract {
                    source,
                    position,
                    dst: self.result(op, 0)?,
                }
            }
            "insert" => {
                let (value, dest) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let dynamic = self.operands_from(op, 2);
                let position = self.mixed(&attrs::i64s(ctx, op, "static_position")?, &dynamic)?;
                VectorInst::Insert {
                    value,
                    dest,
                    position,
                    dst: self.result(op, 0)?,
                }
            }
            "extract_strided_slice" => {
                let (source, dst) = (self.operand(op, 0)?, self.result(op, 0)?);
                let offsets = attrs::i64s(ctx, op, "offsets")?.into();
                let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                VectorInst::ExtractSlice {
                    source,
                    offsets,
                    shape,
                    dst,
                }
            }
            "insert_strided_slice" => VectorInst::InsertSlice {
                value: self.operand(op, 0)?,
                dest: self.operand(op, 1)?,
                offsets: attrs::i64s(ctx, op, "offsets")?.into(),
                dst: self.result(op, 0)?,
            },
            "fma" => {
                let out = self.elem(op.result(ctx, 0).ty(ctx))?;
                let args = [
                    self.operand(op, 0)?,
                    self.operand(op, 1)?,
                    self.operand(op, 2)?,
                ]
                .into();
                let ew = Ew {
                    op: EwOp::Fma,
                    out,
                    args,
                    dst: self.result(op, 0)?,
                    second: None,
                };
                self.emit(OpClass::Vector, Inst::Ew(Box::new(ew)));
                return Ok(());
            }
            "reduction" => {
                let source = self.operand(op, 0)?;
                let elem = self.elem(op.operand(ctx, 0).ty(ctx))?;
                let kind = attrs::keyword(ctx, op, "kind").ok_or("lacks a kind")?;
                let combine = attrs::combining_kind(&kind, elem)?;
                let acc = if op.num_operands(ctx) > 1 {
                    Some(self.operand(op, 1)?)
                } else {
                    None
                };
                VectorInst::Reduction {
                    combine,
                    source,
                    acc,
                    dst: self.result(op, 0)?,
                }
            }
            "shape_cast" => {
                let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                VectorInst::ShapeCast {
                    source: self.operand(op, 0)?,
                    shape,
                    dst: self.result(op, 0)?,
                }
            }
            "transpose" => {
                let permutation = attrs::i64s(ctx, op, "permutation")?
                    .into_iter()
                    .map(|d| d as usize)
                    .collect();
                VectorInst::Transpose {
                    source: self.operand(op, 0)?,
                    permutation,
                    dst: self.result(op, 0)?,
                }
            }
            "from_elements" => {
                let (shape, elem) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                let elements = self.operands_from(op, 0).into();
                VectorInst::FromElements {
                    elements,
                    shape,
                    elem,
                    dst: self.result(op, 0)?,
                }
            }
            "to_elements" => VectorInst::ToElements {
                source: self.operand(op, 0)?,
                dst: self.results(op).into(),
            },
            "create_mask" => {
                let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                let sizes = Self::nums(&self.operands_from(op, 0));
                VectorInst::Mask {
                    sizes,
                    shape,
                    dst: self.result(op, 0)?,
                }
            }
            "constant_mask" => {
                let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                let sizes = self.mixed(&attrs::i64s(ctx, op, "mask_dim_sizes")?, &[])?;
                VectorInst::Mask {
                    sizes,
                    shape,
                    dst: self.result(op, 0)?,
                }
            }
            "shuffle" => {
                let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let lanes = attrs::i64s(ctx, op, "mask")?.into();
                VectorInst::Shuffle {
                    a,
                    b,
                    lanes,
                    dst: self.result(op, 0)?,
                }
            }
            "type_cast" => {
                let elem = op
                    .result(ctx, 0)
                    .ty(ctx)
                    .element(ctx)
                    .ok_or("lacks an element type")?;
                let (lanes, _) = self.vector_type(elem)?;
                VectorInst::TypeCast {
                    source: self.operand(op, 0)?,
                    lanes,
                    dst: self.result(op, 0)?,
                }
            }
            _ => return Err(self.unknown(op)),
        };
        self.emit_vector(inst);
        Ok(())
    }

    fn transfer(
        &mut self,
        op: Op,
        ty: Type,
        base: &[Slot],
        indices: &[Slot],
        mask: Option<&Slot>,
    ) -> Run<Transfer> {
        let ctx = self.ctx;
        let (shape, elem) = self.vector_type(ty)?;
        let map = self.map_attr(op, "permutation_map")?;
        let dims = map.results().iter().map(|e| match e {
            AffineExpr::Dim(d) => Ok(Some(*d as usize)),
            AffineExpr::Constant(0) => Ok(None),
            e => Err(Fault::new(format!("has a permutation map with '{e}'"))),
        });
        let dims = dims.collect::<Run<Box<[Option<usize>]>>>()?;
        if dims.len() != shape.len() || indices.len() != map.num_dims() as usize {
            return Err("has a permutation map that does not fit its operands".into());
        }
        let in_bounds = op
            .attr(ctx, "in_bounds")
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default();
        let in_bounds = (0..dims.len())
            .map(|k| in_bounds.get(k).is_some_and(|b| *b != 0))
            .collect();
        let memref = *base.first().ok_or("lacks a memref")?;
        Ok(Transfer {
            memref,
            indices: indices.into(),
            dims,
            in_bounds,
            mask: mask.copied(),
            shape,
            elem,
        })
    }
}

fn as_codes(slots: &[Slot]) -> Box<[AffineCode]> {
    slots.iter().map(|s| AffineCode::Slot(*s)).collect()
}
