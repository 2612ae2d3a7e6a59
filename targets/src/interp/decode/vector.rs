//! `vector`.

use super::{Decoder, attrs};
use crate::interp::affine::AffineCode;
use crate::interp::code::{Ew, Inst, LaneInst, OpClass, Slot, Transfer, VectorInst};
use crate::interp::error::{Fault, Run};
use crate::interp::ew::EwOp;
use crate::interp::value::{Value, VectorValue};
use std::rc::Rc;
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
            "transfer_read" | "transfer_write" | "load" | "store" | "maskedload"
            | "maskedstore" => self.vector_access(op, name)?,
            "fma" => return self.vector_fma(op),
            "step" => return self.vector_step(op),
            "to_elements" => VectorInst::ToElements {
                source: self.operand(op, 0)?,
                dst: self.results(op).into(),
            },
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
            _ => VectorInst::Lanes {
                inst: self.lanes(op, name)?,
                dst: self.result(op, 0)?,
            },
        };
        self.emit_vector(inst);
        Ok(())
    }

    /// Vectors from and to memory.
    fn vector_access(&mut self, op: Op, name: &str) -> Run<VectorInst> {
        let ctx = self.ctx;
        Ok(match name {
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
            _ => return Err(self.unknown(op)),
        })
    }

    /// Vectors and elements made of others.
    fn lanes(&mut self, op: Op, name: &str) -> Run<LaneInst> {
        let ctx = self.ctx;
        Ok(match name {
            "broadcast" | "splat" => {
                let (shape, elem) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                LaneInst::Broadcast {
                    source: self.operand(op, 0)?,
                    shape,
                    elem,
                }
            }
            "extract" => {
                let source = self.operand(op, 0)?;
                let dynamic = self.operands_from(op, 1);
                let position = self.mixed(&attrs::i64s(ctx, op, "static_position")?, &dynamic)?;
                LaneInst::Extract { source, position }
            }
            "insert" => {
                let (value, dest) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let dynamic = self.operands_from(op, 2);
                let position = self.mixed(&attrs::i64s(ctx, op, "static_position")?, &dynamic)?;
                LaneInst::Insert {
                    value,
                    dest,
                    position,
                }
            }
            "extract_strided_slice" => {
                let source = self.operand(op, 0)?;
                let offsets = attrs::i64s(ctx, op, "offsets")?.into();
                let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                LaneInst::ExtractSlice {
                    source,
                    offsets,
                    shape,
                }
            }
            "insert_strided_slice" => LaneInst::InsertSlice {
                value: self.operand(op, 0)?,
                dest: self.operand(op, 1)?,
                offsets: attrs::i64s(ctx, op, "offsets")?.into(),
            },
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
                LaneInst::Reduction {
                    combine,
                    source,
                    acc,
                }
            }
            "shape_cast" => {
                let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                LaneInst::ShapeCast {
                    source: self.operand(op, 0)?,
                    shape,
                }
            }
            "transpose" => {
                let permutation = attrs::i64s(ctx, op, "permutation")?
                    .into_iter()
                    .map(|d| d as usize)
                    .collect();
                LaneInst::Transpose {
                    source: self.operand(op, 0)?,
                    permutation,
                }
            }
            "from_elements" => {
                let (shape, elem) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                let elements = self.operands_from(op, 0).into();
                LaneInst::FromElements {
                    elements,
                    shape,
                    elem,
                }
            }
            "create_mask" => {
                let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                let sizes = Self::nums(&self.operands_from(op, 0));
                LaneInst::Mask { sizes, shape }
            }
            "constant_mask" => {
                let (shape, _) = self.vector_type(op.result(ctx, 0).ty(ctx))?;
                let sizes = self.mixed(&attrs::i64s(ctx, op, "mask_dim_sizes")?, &[])?;
                LaneInst::Mask { sizes, shape }
            }
            "shuffle" => {
                let (a, b) = (self.operand(op, 0)?, self.operand(op, 1)?);
                let lanes = attrs::i64s(ctx, op, "mask")?.into();
                LaneInst::Shuffle { a, b, lanes }
            }
            _ => return Err(self.unknown(op)),
        })
    }

    /// 0, 1, 2 and so on.
    fn vector_step(&mut self, op: Op) -> Run<()> {
        let (shape, elem) = self.vector_type(op.result(self.ctx, 0).ty(self.ctx))?;
        let count: i64 = shape.iter().product();
        let value = Value::Vector(Rc::new(VectorValue {
            shape: shape.to_vec(),
            elem,
            lanes: (0..count).map(Value::Index).collect(),
        }));
        let dst = self.result(op, 0)?;
        self.emit(OpClass::Constant, Inst::Const { dst, value });
        Ok(())
    }

    fn vector_fma(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
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
