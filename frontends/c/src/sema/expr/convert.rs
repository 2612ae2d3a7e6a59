//! Conversions (C11 6.3): each becomes a cast, unless it changes nothing.

use lang_c::ast::CastExpression;

use super::{Operand, make, untranslated};
use crate::hir::{Expr, ExprKind, Span};
use crate::sema::Sema;
use crate::sema::constant::Value;
use crate::sema::constant::fold;
use crate::sema::report::{is_error, unsupported};
use crate::sema::types::{QType, Quals, compatible, same};
use crate::types::{Float, Int, Rank, Type};

impl Sema<'_> {
    /// The value of an operand: arrays decay, functions become pointers (C11 6.3.2.1).
    pub(in crate::sema) fn rvalue(&mut self, operand: Operand) -> Expr {
        let Operand { expr, quals, .. } = operand;
        let span = expr.span;
        match &expr.ty {
            Type::Array(a) => {
                self.mark_address(&expr);
                let ty = QType {
                    ty: a.of.clone(),
                    quals,
                }
                .pointer();
                if let ExprKind::Unsupported(reason) = expr.kind {
                    return unsupported(reason, ty, span);
                }
                make(ExprKind::Decay(Box::new(expr)), ty, span)
            }
            Type::Function(_) => {
                let ty = Type::pointer_to(expr.ty.clone());
                make(ExprKind::AddressOf(Box::new(expr)), ty, span)
            }
            // Whether a plain variable is volatile is written at the variable.
            _ if quals.volatile && !matches!(expr.kind, ExprKind::Var(_)) => {
                unsupported("an access to a volatile object", expr.ty, span)
            }
            _ => expr,
        }
    }

    /// The variable whose object this is part of.
    pub(in crate::sema) fn mark_address(&mut self, object: &Expr) {
        if self.unevaluated > 0 {
            return;
        }
        let mut at = object;
        loop {
            match &at.kind {
                ExprKind::Var(id) => {
                    self.vars[id.0 as usize].address_taken = true;
                    return;
                }
                ExprKind::Member { base, .. } => at = base,
                ExprKind::Index { base, .. } if matches!(base.ty, Type::Array(_)) => at = base,
                _ => return,
            }
        }
    }

    /// A cast, unless the type is that already.
    pub(in crate::sema) fn cast(&self, e: Expr, to: &Type) -> Expr {
        if same(&e.ty, to) || is_error(&e.ty) {
            return e;
        }
        let span = e.span;
        if is_error(to) {
            return Self::poison(span);
        }
        if let Some(reason) = untranslated(&e.ty).or_else(|| untranslated(to)) {
            return unsupported(reason, to.clone(), span);
        }
        make(ExprKind::Cast(Box::new(e)), to.clone(), span)
    }

    /// The integer promotions (C11 6.3.1.1p2).
    pub(super) fn promoted(&self, e: Expr) -> Expr {
        let ty = match &e.ty {
            Type::Bool => Type::INT,
            Type::Int(i) => match self.bit_field_width(&e) {
                Some(width) if width < 32 => Type::INT,
                Some(32) if i.rank <= Rank::Int => Type::int(32, i.signed, Rank::Int),
                _ if i.rank < Rank::Int => Type::INT,
                _ => return e,
            },
            _ => return e,
        };
        self.cast(e, &ty)
    }

    /// The value of a switch.
    pub(in crate::sema) fn promoted_value(&self, e: Expr) -> Expr {
        self.promoted(e)
    }

    fn bit_field_width(&self, e: &Expr) -> Option<u32> {
        let ExprKind::Member { base, field } = &e.kind else {
            return None;
        };
        let Type::Record(record) = &base.ty else {
            return None;
        };
        let fields = self.records.get(*record)?.fields.as_ref()?;
        fields.get(*field)?.bits
    }

    /// Whether an object is a bit-field, which has no address.
    pub(super) fn is_bit_field(&self, e: &Expr) -> bool {
        self.bit_field_width(e).is_some()
    }

    /// What an argument without a parameter's type becomes (C11 6.5.2.2p6).
    pub(super) fn promoted_argument(&self, e: Expr) -> Expr {
        match &e.ty {
            Type::Float(Float::F32) => self.cast(e, &Type::DOUBLE),
            _ => self.promoted(e),
        }
    }

    /// Converts a value to what it is stored in, passed to or returned as, after
    /// checking that it may (C11 6.5.16.1). `what` begins the message.
    pub(in crate::sema) fn assigned(&mut self, e: Expr, to: &Type, what: &str) -> Expr {
        let from = &e.ty;
        if is_error(from) || is_error(to) || same(from, to) {
            return self.cast(e, to);
        }
        let fine = match (to, from) {
            (Type::Bool, Type::Pointer(_)) => true,
            (to, from) if to.is_arithmetic() && from.is_arithmetic() => true,
            (Type::Other(_), from) => from.is_arithmetic() || matches!(from, Type::Other(_)),
            // `va_list` is an array where it is a parameter.
            (to, Type::Other(_)) => to.is_arithmetic() || to.element() == Some(from),
            // Pointers of other types and integers for pointers are accepted with a
            // warning, which the system compiler gives.
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (Type::Pointer(_), from) => from.is_integer(),
            (Type::Int(_), Type::Pointer(_)) => true,
            _ => false,
        };
        if fine {
            return self.cast(e, to);
        }
        let (span, from, to) = (e.span, self.spell(from), self.spell(to));
        self.error(span, format!("{what} needs `{to}`, and this is `{from}`"));
        Self::poison(span)
    }

    /// `(type) e`.
    pub(super) fn cast_expression(&mut self, c: &CastExpression, at: Span) -> Expr {
        let to = self.type_name(&c.type_name).ty;
        let mut e = self.value(&c.expression);
        e.span = at;
        if matches!(to, Type::Void) {
            return make(ExprKind::Cast(Box::new(e)), Type::Void, at);
        }
        if same(&e.ty, &to) && e.ty == to {
            // A cast is a value, whatever it is applied to.
            return make(ExprKind::Cast(Box::new(e)), to, at);
        }
        let from = &e.ty;
        let bad = match (&to, from) {
            _ if is_error(from) || is_error(&to) => false,
            (Type::Other(_), _) | (_, Type::Other(_)) => false,
            (Type::Record(_), _) => !same(&to, from),
            (Type::Array(_) | Type::Function(_), _) => true,
            (_, Type::Record(_) | Type::Void) => true,
            (Type::Pointer(_), Type::Float(_)) | (Type::Float(_), Type::Pointer(_)) => true,
            _ => false,
        };
        if bad {
            let (from, to) = (self.spell(from), self.spell(&to));
            self.error(at, format!("`{from}` cannot be cast to `{to}`"));
            return Self::poison(at);
        }
        if same(from, &to) {
            // Only qualifiers change.
            return make(ExprKind::Cast(Box::new(e)), to, at);
        }
        self.cast(e, &to)
    }

    /// Both sides with their common type (C11 6.3.1.8).
    pub(super) fn usual(&self, lhs: Expr, rhs: Expr) -> (Expr, Expr, Type) {
        let lhs = self.promoted(lhs);
        let rhs = self.promoted(rhs);
        let ty = common_type(&lhs.ty, &rhs.ty);
        (self.cast(lhs, &ty), self.cast(rhs, &ty), ty)
    }

    /// The type of a conditional expression, or of two pointers compared.
    pub(super) fn composite_pointer(a: &Type, b: &Type) -> Option<Type> {
        let (Type::Pointer(p), Type::Pointer(q)) = (a, b) else {
            return None;
        };
        if !compatible(&p.to, &q.to) {
            return None;
        }
        let base = if matches!(p.to, Type::Void) || !matches!(q.to, Type::Void) {
            p
        } else {
            q
        };
        let to = QType {
            ty: base.to.clone(),
            quals: Quals {
                constant: p.to_const || q.to_const,
                volatile: p.to_volatile || q.to_volatile,
                restrict: false,
            },
        };
        Some(to.pointer())
    }
}

/// The common type of two promoted arithmetic types.
fn common_type(a: &Type, b: &Type) -> Type {
    match (a, b) {
        // What is not computed with stays what it is.
        (Type::Other(_), _) => a.clone(),
        (_, Type::Other(_)) => b.clone(),
        (Type::Float(x), Type::Float(y)) => Type::Float(*x.max(y)),
        (Type::Float(_), _) => a.clone(),
        (_, Type::Float(_)) => b.clone(),
        (Type::Int(x), Type::Int(y)) => Type::Int(common_int(*x, *y)),
        _ => a.clone(),
    }
}

fn common_int(a: Int, b: Int) -> Int {
    if a.signed == b.signed {
        return if a.rank >= b.rank { a } else { b };
    }
    let (signed, unsigned) = if a.signed { (a, b) } else { (b, a) };
    if unsigned.rank >= signed.rank {
        unsigned
    } else if signed.bits > unsigned.bits {
        signed
    } else {
        Int {
            signed: false,
            ..signed
        }
    }
}

/// A constant 0, also as `(void *)0` (C11 6.3.2.3p3).
pub(super) fn is_null(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(v) => *v == 0,
        ExprKind::Cast(inner) => {
            let void = matches!(&e.ty, Type::Pointer(p) if matches!(p.to, Type::Void));
            (void || e.ty.is_integer())
                && inner.ty.is_integer()
                && fold(inner) == Some(Value::Int(0))
        }
        _ => false,
    }
}
