//! `nvgpu`, and `gpu.subgroup_mma_*`.

use super::{Decoder, attrs};
use crate::interp::code::{
    CopyInst, Ew, GpuInst, Inst, LaneInst, MatrixElement, MatrixInst, OpClass, Rows, SyncInst,
    VectorInst,
};
use crate::interp::error::{Fault, Run};
use crate::interp::ew::EwOp;
use crate::interp::float::FloatBin;
use crate::interp::int::{Flags, IntBin};
use crate::interp::value::Elem;
use terrace_dialects::gpu::MmaMatrix;
use terrace_dialects::nvgpu::{DeviceAsyncCopyOp, DeviceAsyncWaitOp, LdMatrixOp, MmaSyncOp};
use terrace_ir::num::Rounding;
use terrace_ir::types::Signedness;
use terrace_ir::{Op, Type, TypeData};

impl Decoder<'_> {
    fn emit_matrix(&mut self, inst: MatrixInst) {
        let sync = GpuInst::Sync(SyncInst::Matrix(Box::new(inst)));
        self.emit(OpClass::Gpu, Inst::Gpu(Box::new(sync)));
    }

    fn emit_copy(&mut self, inst: CopyInst) {
        self.emit(OpClass::Gpu, Inst::Gpu(Box::new(GpuInst::Copy(inst))));
    }

    fn place(&mut self, op: Op, first: usize) -> Run<MatrixElement> {
        Ok(MatrixElement {
            memref: self.operand(op, first)?,
            indices: self.operands_from(op, first + 1).into(),
        })
    }

    pub(super) fn nvgpu(&mut self, op: Op, name: &str) -> Run<()> {
        let ctx = self.ctx;
        match name {
            "ldmatrix" => {
                let load = op.cast::<LdMatrixOp>(ctx).ok_or("is not one")?;
                let tiles = usize::try_from(load.num_tiles(ctx)).unwrap_or(0);
                let elem = self.elem(op.result(ctx, 0).ty(ctx))?;
                let bits = elem.bits();
                let inst = MatrixInst::LoadTiles {
                    from: self.place(op, 0)?,
                    tiles,
                    transpose: load.transpose(ctx),
                    elem,
                    dst: self.result(op, 0)?,
                };
                if ![1, 2, 4].contains(&tiles) {
                    return Err(Fault::new(format!("loads {tiles} tiles, not 1, 2 or 4")));
                }
                if !matches!(bits, 8 | 16 | 32) {
                    return Err(Fault::new(format!("loads elements of {bits} bits")));
                }
                self.emit_matrix(inst);
            }
            "mma.sync" => {
                let mma = op.cast::<MmaSyncOp>(ctx).ok_or("is not one")?;
                let [m, n, k] = mma.shape(ctx).ok_or("lacks a shape")?;
                if !matches!(m, 8 | 16) || n != 8 || !(4..=256).contains(&k) {
                    return Err(Fault::new(format!("cannot run on shape {m}x{n}x{k}")));
                }
                let inst = MatrixInst::Mma {
                    factors: [self.operand(op, 0)?, self.operand(op, 1)?],
                    sum: self.operand(op, 2)?,
                    shape: [m as usize, n as usize, k as usize],
                    dst: self.result(op, 0)?,
                };
                self.emit_matrix(inst);
            }
            "device_async_copy" => {
                let copy = op.cast::<DeviceAsyncCopyOp>(ctx).ok_or("is not one")?;
                let groups = self.segments(op, 5)?;
                let place = |memref: usize| -> Run<MatrixElement> {
                    Ok(MatrixElement {
                        memref: *groups[memref].first().ok_or("lacks a memref")?,
                        indices: groups[memref + 1].clone().into(),
                    })
                };
                let (to, from) = (place(0)?, place(2)?);
                let elements = copy.dst_elements(ctx);
                if !(1..=128).contains(&elements) {
                    return Err(Fault::new(format!("copies {elements} elements")));
                }
                let read = groups[4].first().copied();
                self.emit_copy(CopyInst::Begin {
                    from,
                    to,
                    elements,
                    read,
                });
                self.token(op, 0);
            }
            "device_async_create_group" => {
                self.emit_copy(CopyInst::Group);
                self.token(op, 0);
            }
            "device_async_wait" => {
                let wait = op.cast::<DeviceAsyncWaitOp>(ctx).ok_or("is not one")?;
                let groups = usize::try_from(wait.num_groups(ctx).unwrap_or(0));
                let groups = groups.map_err(|_| "waits for a negative number of groups")?;
                self.emit_copy(CopyInst::Wait { groups });
            }
            _ => return Err(self.unknown(op)),
        }
        Ok(())
    }

    fn matrix_type(&self, ty: Type) -> Run<([i64; 2], Elem)> {
        let wrong = || Fault::new(format!("cannot run on type {}", self.ctx.type_text(ty)));
        let m = MmaMatrix::of(self.ctx, ty).ok_or_else(wrong)?;
        let elem = Elem::of(self.ctx, m.elem).ok_or_else(wrong)?;
        let count = m.shape[0].checked_mul(m.shape[1]);
        match count {
            Some(n) if m.shape[0] > 0 && n <= 1 << 20 => Ok((m.shape, elem)),
            _ => Err(wrong()),
        }
    }

    fn rows(&self, op: Op) -> Run<Rows> {
        let lead = op.int_attr(self.ctx, "leadDimension");
        Ok(Rows {
            lead: lead.ok_or("lacks a leadDimension")?,
            transpose: op.attr(self.ctx, "transpose").is_some(),
        })
    }

    pub(super) fn matrix(&mut self, op: Op, name: &str) -> Run<()> {
        let ctx = self.ctx;
        match name {
            "load_matrix" => {
                let (shape, elem) = self.matrix_type(op.result(ctx, 0).ty(ctx))?;
                let inst = MatrixInst::Load {
                    from: self.place(op, 0)?,
                    rows: self.rows(op)?,
                    shape,
                    elem,
                    dst: self.result(op, 0)?,
                };
                self.emit_matrix(inst);
            }
            "store_matrix" => {
                let inst = MatrixInst::Store {
                    value: self.operand(op, 0)?,
                    to: self.place(op, 1)?,
                    rows: self.rows(op)?,
                };
                self.emit_matrix(inst);
            }
            "compute" => {
                let unsigned = [0, 1].map(|i| {
                    let m = MmaMatrix::of(ctx, op.operand(ctx, i).ty(ctx));
                    m.is_some_and(|m| {
                        matches!(
                            m.elem.data(ctx),
                            TypeData::Integer {
                                sign: Signedness::Unsigned,
                                ..
                            }
                        )
                    })
                });
                let inst = MatrixInst::Multiply {
                    factors: [self.operand(op, 0)?, self.operand(op, 1)?],
                    sum: self.operand(op, 2)?,
                    unsigned,
                    dst: self.result(op, 0)?,
                };
                self.emit_matrix(inst);
            }
            "constant_matrix" => {
                let (shape, elem) = self.matrix_type(op.result(ctx, 0).ty(ctx))?;
                let inst = LaneInst::Broadcast {
                    source: self.operand(op, 0)?,
                    shape: shape.as_slice().into(),
                    elem,
                };
                let dst = self.result(op, 0)?;
                let fill = VectorInst::Lanes { inst, dst };
                self.emit(OpClass::Vector, Inst::Vector(Box::new(fill)));
            }
            "elementwise" => self.matrix_elementwise(op)?,
            _ => return Err(self.unknown(op)),
        }
        Ok(())
    }

    fn matrix_elementwise(&mut self, op: Op) -> Run<()> {
        let ctx = self.ctx;
        let int = |op| EwOp::Int(op, Flags::default());
        let keyword = attrs::keyword(ctx, op, "opType").unwrap_or_default();
        let kind = match &keyword[..] {
            "addf" => EwOp::Float(FloatBin::Add),
            "mulf" => EwOp::Float(FloatBin::Mul),
            "subf" => EwOp::Float(FloatBin::Sub),
            "maxf" => EwOp::Float(FloatBin::Maximum),
            "minf" => EwOp::Float(FloatBin::Minimum),
            "divf" => EwOp::Float(FloatBin::Div),
            "addi" => int(IntBin::Add),
            "muli" => int(IntBin::Mul),
            "subi" | "negates" => int(IntBin::Sub),
            "divs" => int(IntBin::DivS),
            "divu" => int(IntBin::DivU),
            "negatef" => EwOp::Neg,
            "extf" => EwOp::ConvertFloat(Rounding::NearestEven),
            _ => return Err(self.unknown(op)),
        };
        let (_, elem) = self.matrix_type(op.result(ctx, 0).ty(ctx))?;
        let mut args = self.operands_from(op, 0);
        let wanted = match &keyword[..] {
            "negatef" | "negates" | "extf" => 1,
            _ => 2,
        };
        if args.len() != wanted {
            return Err(Fault::new(format!("takes {wanted} operands")));
        }
        if keyword == "negates" {
            args.insert(0, self.constant(elem.zero()));
        }
        let dst = self.result(op, 0)?;
        let ew = Ew {
            op: kind,
            out: elem,
            args: args.into(),
            dst,
            second: None,
        };
        self.emit(OpClass::Vector, Inst::Ew(Box::new(ew)));
        Ok(())
    }
}
