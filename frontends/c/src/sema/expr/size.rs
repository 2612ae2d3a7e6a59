//! `sizeof` and `offsetof`.

use lang_c::ast::{OffsetMember, OffsetOfExpression};

use super::{Operand, make};
use crate::hir::{BinaryOp, Expr, ExprKind, Span};
use crate::sema::Sema;
use crate::sema::report::{is_error, unsupported};
use crate::sema::types::is_variable_length;
use crate::types::{Extent, Type};

impl Sema<'_> {
    pub(super) fn size_of_operand(&mut self, operand: &Operand, at: Span) -> Expr {
        if self.is_bit_field(&operand.expr) {
            self.error(at, "a bit-field has no size");
            return Self::poison(at);
        }
        let ty = operand.expr.ty.clone();
        self.size_expr(&ty, at)
    }

    /// The size of a type: a constant, or a product for variable-length arrays.
    pub(super) fn size_expr(&mut self, ty: &Type, at: Span) -> Expr {
        if let Some(size) = self.size_of(ty) {
            return make(ExprKind::Int(size.into()), Type::ULONG, at);
        }
        if is_error(ty) {
            return Self::poison(at);
        }
        match ty {
            Type::Array(a) if is_variable_length(ty) && a.len != Extent::Unknown => {
                let of = self.size_expr(&a.of.clone(), at);
                let len = match &a.len {
                    Extent::Expr(e) => self.cast((**e).clone(), &Type::ULONG),
                    Extent::Const(n) => make(ExprKind::Int((*n).into()), Type::ULONG, at),
                    Extent::Unknown => Self::poison(at),
                };
                let kind = ExprKind::Binary {
                    op: BinaryOp::Mul,
                    lhs: Box::new(len),
                    rhs: Box::new(of),
                };
                make(kind, Type::ULONG, at)
            }
            Type::Other(name) => unsupported(format!("the size of `{name}`"), Type::ULONG, at),
            _ => {
                let found = self.spell(ty);
                self.error(at, format!("the size of `{found}` is not known here"));
                Self::poison(at)
            }
        }
    }

    pub(super) fn offset_of(&mut self, o: &OffsetOfExpression, at: Span) -> Expr {
        let mut ty = self.type_name(&o.type_name).ty;
        let mut offset: i128 = 0;
        let d = &o.designator.node;
        let base = OffsetMember::Member(d.base.clone());
        for member in std::iter::once(&base).chain(d.members.iter().map(|m| &m.node)) {
            if is_error(&ty) {
                return Self::poison(at);
            }
            match member {
                OffsetMember::Member(name) | OffsetMember::IndirectMember(name) => {
                    let Type::Record(record) = ty else {
                        let found = self.spell(&ty);
                        self.error(at, format!("`{found}` has no members"));
                        return Self::poison(at);
                    };
                    let Some(path) = self.find_member(record, &name.node.name) else {
                        return self.no_member(&ty, &name.node.name, at);
                    };
                    for step in path {
                        let Type::Record(record) = ty else { break };
                        let field = self
                            .records
                            .get(record)
                            .and_then(|r| r.fields.as_ref()?.get(step));
                        let Some(field) = field else { break };
                        offset = offset.saturating_add(field.offset.into());
                        ty = field.ty.clone();
                    }
                }
                OffsetMember::Index(index) => {
                    let index = self.value(index);
                    let Type::Array(a) = &ty else {
                        let found = self.spell(&ty);
                        self.error(at, format!("`{found}` is no array"));
                        return Self::poison(at);
                    };
                    let (Some(i), Some(size)) = (self.fold_integer(&index), self.size_of(&a.of))
                    else {
                        return unsupported("an offset that is not constant", Type::ULONG, at);
                    };
                    offset = offset.saturating_add(i.saturating_mul(size.into()));
                    ty = a.of.clone();
                }
            }
        }
        make(ExprKind::Int(offset), Type::ULONG, at)
    }
}
