//! Arrays whose rows lie where pointers in memory say (`double **a`), as memrefs with tables.
//!
//! That the rows lie apart, and that nothing changes the pointers, is for the call of the region
//! to find out ([`CapturedArray::tables`]). Only regions that the analysis chooses have such
//! arrays: where a directive asks for a region its pointers are followed one by one.

use terrace_dialects::rows;
use terrace_ir::TypeData;
use terrace_ir::types::DYNAMIC;

use super::capture::Step;
use super::form::Form;
use super::place::{LValue, Object};
use super::{Lowerer, Refusal, Result};
use crate::hir::Span;
use crate::region::{CaptureKind, CapturedArray, Size};
use crate::types::{Pointer, Type};

/// Bytes of a pointer.
const POINTER: u64 = 8;

impl Lowerer<'_> {
    /// The start of the row that the pointer at `p` leads to, an element of the array outside
    /// of this number.
    pub fn row_of_table(&mut self, id: usize, p: &LValue, span: Span) -> Result<LValue> {
        let Type::Pointer(pointer) = &p.ty else {
            return Err(Refusal::fault(span, "a pointer of another type"));
        };
        let pointer = pointer.clone();
        let mut steps = self.outers[id].steps.clone();
        steps.push(Step::Tables {
            is_const: pointer.to_const,
        });
        let array = self.outer(self.outers[id].var, steps);
        if self.outers[array].capture.is_none() {
            let (ty, a) = self.with_tables(id, p, &pointer, span)?;
            self.argument(array, ty, CaptureKind::Array(a));
        }
        let mut subscripts = p.subscripts.clone();
        subscripts.push(Form::constant(0));
        Ok(LValue {
            object: Object::Outer(array),
            subscripts,
            ty: pointer.to.clone(),
            null: None,
        })
    }

    /// The array of the rows that the pointers of the array `id`, as the one at `p`, lead to.
    fn with_tables(
        &mut self,
        id: usize,
        p: &LValue,
        pointer: &Pointer,
        span: Span,
    ) -> Result<(terrace_ir::Type, CapturedArray)> {
        let (table, _, text) = self.described(id, span)?;
        let refused = |why: &str| Err(Refusal::new(span, format!("'{text}', {why}")));
        if table.sizes.len() != 1 || p.subscripts.len() != 1 {
            return refused("whose pointers stand in several dimensions");
        }
        let distance = match &table.field {
            None => 1,
            Some(f)
                if f.offset.is_multiple_of(POINTER) && f.record_size.is_multiple_of(POINTER) =>
            {
                f.record_size / POINTER
            }
            Some(_) => return refused("whose pointers are not at whole distances"),
        };
        let mut element = pointer.to.clone();
        let mut sizes = vec![Size::Unknown, Size::Unknown];
        self.array_sizes(&text, &mut String::new(), &mut element, &mut sizes);
        if sizes[2..].iter().any(|s| !matches!(s, Size::Const(_))) {
            return refused("whose rows have rows of unknown size");
        }
        let elem = match &element {
            Type::Pointer(_) => return refused("which leads to pointers to pointers"),
            Type::Record(_) => return refused("which leads to rows of records"),
            other => self.scalar_type(other, span)?,
        };
        let shape = (sizes.iter())
            .map(|s| match s {
                Size::Const(n) => i64::try_from(*n).unwrap_or(DYNAMIC),
                _ => DYNAMIC,
            })
            .collect();
        let ty = self.ctx.ty(TypeData::MemRef {
            shape,
            elem,
            layout: None,
            space: Some(rows::space(self.ctx, &[distance as i64])),
        });
        let array = CapturedArray {
            element,
            sizes,
            is_pointer: true,
            is_const: pointer.to_const,
            // Nothing is promised of what rows are reached through.
            restrict: false,
            tables: Some(distance),
            ..table
        };
        Ok((ty, array))
    }
}
