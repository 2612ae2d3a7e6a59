//! Arrays outside a region as memrefs.

use terrace_dialects::arith;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{AttrData, TypeData, Value};

use terrace_dialects::{affine, memref};

use super::capture::Step;
use super::form::Form;
use super::place::{Access, LValue, Object};
use super::{Lowerer, Refusal, Result};
use crate::hir::{Expr, Span, Storage, VarId};
use crate::region::{CaptureKind, CapturedArray, RecordField, Size};
use crate::types::{Extent, Pointer, Type};

impl Lowerer<'_> {
    /// The memref of an array outside.
    pub fn captured_array(&mut self, id: usize, span: Span) -> Result<Value> {
        if let Some(i) = self.outers[id].capture {
            return Ok(self.captured[i].value);
        }
        let (ty, array) = self.array_of(id, span)?;
        Ok(self.argument(id, ty, CaptureKind::Array(array)))
    }

    fn array_of(&mut self, id: usize, span: Span) -> Result<(terrace_ir::Type, CapturedArray)> {
        if let Some(Step::Rows { to, is_const }) = self.outers[id].steps.last().cloned() {
            return self.anywhere(to, is_const, span);
        }
        let (mut a, outer_dims, text) = self.described(id, span)?;
        a.pointers = self.follows_pointers && a.element.is_pointer();
        let memref = self.memref_of(&mut a, outer_dims, &text, span)?;
        Ok((memref, a))
    }

    /// An array without its type: how many of its dimensions are those of records, and its name.
    pub(super) fn described(
        &mut self,
        id: usize,
        span: Span,
    ) -> Result<(CapturedArray, usize, String)> {
        let (_, text) = self.lvalue(id);
        let mut a = self.whole_object(id, span)?;
        let mut zeros = if a.is_pointer { "[0]" } else { "" }.to_string();
        self.array_sizes(&text, &mut zeros, &mut a.element, &mut a.sizes);
        let (first, offset) = self.step_into_records(id, &text, &mut a.element, span)?;
        let outer_dims = a.sizes.len();
        let path = self.inner_path(id);
        let inner = format!("({text}){zeros}{path}");
        a.address = format!("&{inner}");
        if let Some(record) = first {
            let outer_zeros = zeros;
            let mut zeros = String::new();
            self.array_sizes(&inner, &mut zeros, &mut a.element, &mut a.sizes);
            a.address.push_str(&zeros);
            a.field = Some(RecordField {
                record,
                first: format!("({text}){outer_zeros}"),
                path,
                offset,
                record_size: self.unit.records[record].size,
            });
        }
        Ok((a, outer_dims, text))
    }

    /// The object that an array is or points to, before its dimensions are gone into: its
    /// elements are all of it.
    fn whole_object(&self, id: usize, span: Span) -> Result<CapturedArray> {
        let lvalue = self.lvalue_type(id);
        let is_pointer = lvalue.is_pointer();
        let (element, sizes, is_const, restrict) = match lvalue {
            Type::Pointer(p) => {
                let size = match &p.declared {
                    Some(Extent::Const(n)) => Size::Declared(n.to_string()),
                    Some(Extent::Expr(e)) => Size::Declared(self.unit.text(e.span).to_string()),
                    _ => Size::Unknown,
                };
                (p.to.clone(), vec![size], p.to_const, p.restrict)
            }
            ty => {
                let outer = &self.outers[id];
                let sizes = match &ty {
                    Type::Array(_) => Vec::new(),
                    _ if outer.in_memory => vec![Size::Const(1)],
                    _ => return Err(Refusal::fault(span, "a scalar that is used as an array")),
                };
                let var = self.unit.var(outer.var);
                let local = matches!(var.storage, Storage::Local);
                let restrict = !var.address_taken && local && outer.steps.is_empty();
                (ty, sizes, var.is_const, restrict)
            }
        };
        Ok(CapturedArray {
            element,
            sizes,
            strides: None,
            address: String::new(),
            is_pointer,
            is_const,
            restrict,
            field: None,
            pointers: false,
            tables: None,
            anywhere: false,
        })
    }

    /// The memref of an array, of which `outer` dimensions are those of records, and its
    /// strides where its elements are a field of these.
    fn memref_of(
        &mut self,
        a: &mut CapturedArray,
        outer: usize,
        text: &str,
        span: Span,
    ) -> Result<terrace_ir::Type> {
        let elem = match a.pointers {
            true => self.ctx.int(64),
            false => self.scalar_type(&a.element, span)?,
        };
        let shape: Vec<i64> = (a.sizes.iter())
            .map(|s| match s {
                Size::Const(n) => i64::try_from(*n).unwrap_or(DYNAMIC),
                _ => DYNAMIC,
            })
            .collect();
        if let Some(f) = &a.field {
            let bytes = u64::from(elem.bit_width(self.ctx).unwrap_or(64)).div_ceil(8);
            if !f.offset.is_multiple_of(bytes.max(1)) {
                let path = &f.path;
                let message = format!("'{text}', whose field '{path}' is not aligned to its size");
                return Err(Refusal::new(span, message));
            }
            a.strides = strides(&shape, outer, f.record_size, bytes);
            if a.strides.is_none() {
                let message = format!(
                    "'{text}', whose records are not at a constant distance of whole '{}'",
                    f.path
                );
                return Err(Refusal::new(span, message));
            }
        }
        let layout = a.strides.as_ref().map(|s| {
            let strides = s.iter().map(|n| *n as i64).collect();
            self.ctx.attr(AttrData::Strided { strides, offset: 0 })
        });
        Ok(self.ctx.ty(TypeData::MemRef {
            shape,
            elem,
            layout,
            space: None,
        }))
    }

    /// The outermost record that is stepped into and the bytes from its start on; `ty` is
    /// what is found there.
    fn step_into_records(
        &self,
        id: usize,
        text: &str,
        ty: &mut Type,
        span: Span,
    ) -> Result<(Option<usize>, u64)> {
        let (mut first, mut offset) = (None, 0);
        for s in &self.outers[id].steps {
            let Step::Inner { record, field } = s else {
                continue;
            };
            let fields = self.unit.records[*record].fields.as_ref();
            let Some(f) = fields.and_then(|all| all.get(*field)) else {
                return Err(Refusal::fault(span, "a field of an incomplete record"));
            };
            if first.is_none() {
                first = Some(*record);
            } else if matches!(ty, Type::Array(_)) {
                let message = format!("'{text}', whose records hold arrays of records");
                return Err(Refusal::new(span, message));
            }
            offset += f.offset;
            *ty = f.ty.clone();
        }
        Ok((first, offset))
    }

    /// All memory as an array of elements of this type.
    fn anywhere(
        &mut self,
        to: Type,
        is_const: bool,
        span: Span,
    ) -> Result<(terrace_ir::Type, CapturedArray)> {
        let (elem, _) = self.word_type(&to, span)?;
        let memref = self.ctx.memref(&[DYNAMIC], elem);
        let array = CapturedArray {
            pointers: to.is_pointer(),
            element: to,
            sizes: vec![Size::Text("1L << 60".to_string())],
            strides: None,
            address: "0".to_string(),
            is_pointer: true,
            is_const,
            restrict: false,
            field: None,
            tables: None,
            anywhere: true,
        };
        Ok((memref, array))
    }

    /// How elements of an arithmetic type or pointers lie in memory, and their bytes.
    fn word_type(&mut self, ty: &Type, span: Span) -> Result<(terrace_ir::Type, u32)> {
        let elem = match ty {
            Type::Pointer(_) => Some(self.ctx.int(64)),
            ty => self.arithmetic_type(ty),
        };
        let Some(elem) = elem else {
            let name = self.type_name(ty);
            return Err(Refusal::new(
                span,
                format!("an array of pointers to elements of type {name}"),
            ));
        };
        let bytes = elem.bit_width(self.ctx).unwrap_or(64).div_ceil(8);
        Ok((elem, bytes))
    }

    /// Where the pointer at subscripts of an array outside points: its value is an
    /// address, and so a subscript of all memory.
    pub fn loaded_pointer(&mut self, id: usize, p: &LValue, span: Span) -> Result<LValue> {
        let Type::Pointer(pointer) = &p.ty else {
            return Err(Refusal::fault(span, "a pointer of another type"));
        };
        let pointer = pointer.clone();
        let m = self.captured_array(id, span)?;
        if m.ty(self.ctx).rank(self.ctx) != Some(p.subscripts.len()) {
            return Err(Refusal::fault(span, "a part of an array of pointers"));
        }
        self.outers[id].read = true;
        let word = match self.access(&p.subscripts) {
            Access::Affine(map, operands) => {
                affine::LoadOp::build(&mut self.b(), m, map, &operands)
            }
            Access::Values(indices) => memref::LoadOp::build(&mut self.b(), m, &indices),
        };
        let base = self.outers[id].clone();
        self.address(word, base.var, base.steps, &pointer, span)
    }

    /// Where a number that is made a pointer points.
    pub fn number_pointer(&mut self, number: &Expr, e: &Expr) -> Result<LValue> {
        let wide = matches!(&number.ty, Type::Int(i) if i.bits == 64);
        let (Type::Pointer(pointer), true, true, false) = (
            &e.ty,
            wide,
            self.follows_pointers,
            self.unit.vars.is_empty(),
        ) else {
            return Err(Refusal::new(e.span, "a pointer made of a number"));
        };
        let word = self.expr(number)?;
        if self.ctx.constant_int(word).is_some() {
            return Err(Refusal::new(e.span, "a pointer made of a number"));
        }
        self.address(word, VarId(0), vec![Step::Numbers], pointer, e.span)
    }

    /// The element at an address, of all memory that is reached in one way.
    fn address(
        &mut self,
        word: Value,
        var: VarId,
        mut steps: Vec<Step>,
        pointer: &Pointer,
        span: Span,
    ) -> Result<LValue> {
        let (to, is_const) = (pointer.to.clone(), pointer.to_const);
        let (_, bytes) = self.word_type(&to, span)?;
        if !bytes.is_power_of_two() {
            return Err(Refusal::fault(span, "an array of pointers to odd elements"));
        }
        let shift = self.int_constant(i128::from(bytes.trailing_zeros()), &Type::LONG, span)?;
        let element = match bytes {
            1 => word,
            _ => self.binary(arith::ShRUIOp::NAME, word, shift),
        };
        let index = self.ctx.index();
        let element = self.value(arith::IndexCastOp::NAME, &[element], index);
        steps.push(Step::Rows {
            to: to.clone(),
            is_const,
        });
        Ok(LValue {
            object: Object::Outer(self.outer(var, steps)),
            subscripts: vec![Form::leaf(element, true, true, true)],
            ty: to,
            null: None,
        })
    }

    /// The sizes of the arrays at the place `text` `zeros`, of type `ty`.
    pub(super) fn array_sizes(
        &self,
        text: &str,
        zeros: &mut String,
        ty: &mut Type,
        sizes: &mut Vec<Size>,
    ) {
        while let Type::Array(a) = ty {
            let size = match &a.len {
                Extent::Const(n) => Size::Const(*n),
                Extent::Expr(e) => match self.constant(e).and_then(|n| u64::try_from(n).ok()) {
                    Some(n) => Size::Const(n),
                    // An inner size may be 0 when the program runs.
                    None => Size::Text(format!(
                        "(sizeof(({text}){zeros})?sizeof(({text}){zeros})/sizeof(({text}){zeros}[0]):0)"
                    )),
                },
                Extent::Unknown => Size::Unknown,
            };
            sizes.push(size);
            zeros.push_str("[0]");
            let of = a.of.clone();
            *ty = of;
        }
    }
}

/// The distances of a field's elements: records of `record_size` bytes in `outer`
/// dimensions, then the field's own.
fn strides(shape: &[i64], outer: usize, record_size: u64, bytes: u64) -> Option<Vec<u64>> {
    if bytes == 0 || !record_size.is_multiple_of(bytes) {
        return None;
    }
    let mut all = vec![0; shape.len()];
    let mut next = 1u64;
    for d in (outer..shape.len()).rev() {
        all[d] = next;
        next = next.checked_mul(u64::try_from(shape[d]).ok()?)?;
    }
    let mut next = record_size / bytes;
    for d in (0..outer).rev() {
        all[d] = next;
        if d > 0 {
            next = next.checked_mul(u64::try_from(shape[d]).ok()?)?;
        }
    }
    Some(all)
}
