//! Memory behind pointers that lie in memory: rows of `double **`, `list[i].data[k]`.
//!
//! The pointers are an array like any other, of integers of 64 bits. Where an element of
//! a row is used its pointer is loaded, and `xfer.at_address` makes a memref of it: on a
//! device the loaded pointers are of the device, as data clauses attach them. No region
//! changes a pointer in memory, so that it does not matter when it is loaded.

use std::rc::Rc;

use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::xfer::AtAddressOp;
use terrace_dialects::{affine, memref};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{AttrData, Type as IrType, TypeData, Value};

use super::place::{Access, Object, Place};
use super::{Lowerer, Refusal, Result};
use crate::hir::Span;
use crate::types::Type;

/// What a pointer in memory points to.
#[derive(Debug, Clone, PartialEq)]
pub struct Indirect {
    pointer: Place,
    /// The member of the records there.
    member: Option<Member>,
}

#[derive(Debug, Clone, PartialEq)]
struct Member {
    /// Bytes from one record to the next, and from a record's start to the member.
    record_size: u64,
    offset: u64,
    ty: Type,
}

impl Indirect {
    pub fn of(pointer: Place) -> Indirect {
        Indirect {
            pointer,
            member: None,
        }
    }
}

impl Lowerer<'_> {
    /// A member of the records that a pointer points to, or of such a member.
    pub fn indirect_member(
        &self,
        of: &Indirect,
        (record, field): (usize, usize),
        span: Span,
    ) -> Result<Object> {
        let info = &self.unit.records[record];
        let Some(f) = info.fields.as_ref().and_then(|f| f.get(field)) else {
            return Err(Refusal::fault(
                span,
                "a member that its record does not have",
            ));
        };
        let (record_size, start) = match &of.member {
            Some(m) if matches!(m.ty, Type::Array(_)) => {
                let text = "records in an array in records behind a pointer in memory";
                return Err(Refusal::new(span, text));
            }
            Some(m) => (m.record_size, m.offset),
            None => (info.size, 0),
        };
        Ok(Object::Indirect(Rc::new(Indirect {
            pointer: of.pointer.clone(),
            member: Some(Member {
                record_size,
                offset: start + f.offset,
                ty: f.ty.clone(),
            }),
        })))
    }

    /// The memref of the elements.
    pub fn indirect_memory(&mut self, of: &Indirect, span: Span) -> Result<Value> {
        let Some(ty) = self.indirect_type(of) else {
            let text = "a pointer in memory to what lies at no constant distances";
            return Err(Refusal::new(span, text));
        };
        let address = self.address_in(&of.pointer, span)?;
        Ok(AtAddressOp::build(&mut self.b(), address, ty))
    }

    /// The pointer at a place in memory.
    fn address_in(&mut self, p: &Place, span: Span) -> Result<Value> {
        let m = self.memory(p, span)?;
        let (i64, ty) = (self.ctx.i64(), m.ty(self.ctx));
        if ty.rank(self.ctx) != Some(p.subscripts.len()) || ty.element(self.ctx) != Some(i64) {
            return Err(Refusal::fault(span, "a pointer in memory of another shape"));
        }
        if let Object::Outer(id) = &p.object {
            self.outers[*id].read = true;
        }
        Ok(match self.access(&p.subscripts) {
            Access::Affine(map, operands) => {
                affine::LoadOp::build(&mut self.b(), m, map, &operands)
            }
            Access::Values(indices) => memref::LoadOp::build(&mut self.b(), m, &indices),
        })
    }

    /// `None` where the elements are no numbers, or lie at no constant distances.
    fn indirect_type(&mut self, of: &Indirect) -> Option<IrType> {
        let Some(member) = &of.member else {
            let ty = self.memref_type(&[], &of.pointer.ty)?;
            let rest_known = ty.shape(self.ctx)?.iter().skip(1).all(|n| *n != DYNAMIC);
            return rest_known.then_some(ty);
        };
        let inner = self.memref_type(&[DYNAMIC], &member.ty)?;
        let (shape, elem) = (inner.shape(self.ctx)?.to_vec(), inner.element(self.ctx)?);
        if shape.iter().skip(1).any(|n| *n == DYNAMIC) {
            return None;
        }
        let bytes = u64::from(elem.bit_width(self.ctx)?).div_ceil(8);
        if !member.record_size.is_multiple_of(bytes) || !member.offset.is_multiple_of(bytes) {
            return None;
        }
        let mut strides = strides_and_offset(self.ctx, inner)?.strides;
        *strides.first_mut()? = i64::try_from(member.record_size / bytes).ok()?;
        let offset = i64::try_from(member.offset / bytes).ok()?;
        let layout = Some(self.ctx.attr(AttrData::Strided { strides, offset }));
        let data = TypeData::MemRef {
            shape,
            elem,
            layout,
            space: None,
        };
        Some(self.ctx.ty(data))
    }
}
