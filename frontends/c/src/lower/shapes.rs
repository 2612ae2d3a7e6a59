//! Shapes of expressions that counted loops and atomic statements are recognised by.

use super::expr::is_signed;
use super::walk::expr as walk_expr;
use crate::hir::{BinaryOp, Expr, ExprKind, Init, Stmt, StmtKind, VarId};
use crate::types::Type;

/// The operands of `a, b, c`.
pub fn commas<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Comma(a, b) => {
            commas(a, out);
            commas(b, out);
        }
        _ => out.push(e),
    }
}

/// The operands of `a && b && c`.
pub fn ands<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Logical {
            and: true,
            lhs,
            rhs,
        } => {
            ands(lhs, out);
            ands(rhs, out);
        }
        _ => out.push(e),
    }
}

/// Without conversions.
pub fn uncast(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Cast(a) if a.ty.is_integer() => uncast(a),
        _ => e,
    }
}

/// Without conversions to integers at least as wide.
pub fn widened(e: &Expr) -> &Expr {
    match (&e.kind, &e.ty) {
        (ExprKind::Cast(a), Type::Int(to)) => match &a.ty {
            Type::Int(from) if from.bits <= to.bits => widened(a),
            _ => e,
        },
        _ => e,
    }
}

/// What the init statement of a loop sets the counter to.
pub fn initial(s: &Stmt, var: VarId) -> Option<&Expr> {
    match &s.kind {
        StmtKind::Decl(list) => list.iter().rev().find_map(|(v, i)| match i {
            Some(Init::Expr(e)) if *v == var => Some(e),
            _ => None,
        }),
        StmtKind::Expr(e) => {
            let mut all = Vec::new();
            commas(e, &mut all);
            all.into_iter().rev().find_map(|e| match &e.kind {
                ExprKind::Assign { target, value }
                    if matches!(target.kind, ExprKind::Var(v) if v == var) =>
                {
                    Some(&**value)
                }
                _ => None,
            })
        }
        _ => None,
    }
}

/// `a < b ? a : b` and its like: the operands of a minimum or of a maximum.
pub fn minmax(e: &Expr, max: bool) -> Option<(&Expr, &Expr)> {
    let ExprKind::Conditional {
        cond,
        then,
        otherwise,
    } = &uncast(e).kind
    else {
        return None;
    };
    let ExprKind::Binary { lhs, .. } = &uncast(cond).kind else {
        return None;
    };
    if !lhs.ty.is_integer() || is_signed(&lhs.ty) != is_signed(&then.ty) {
        return None;
    }
    let is_max = selects_greater(uncast(cond), then, otherwise)?;
    (is_max == max).then_some((&**then, &**otherwise))
}

/// Whether `cond ? then : otherwise` is the greater of two values, or the smaller.
pub fn selects_greater(cond: &Expr, then: &Expr, otherwise: &Expr) -> Option<bool> {
    let ExprKind::Binary { op, lhs, rhs } = &cond.kind else {
        return None;
    };
    let less = match op {
        BinaryOp::Lt | BinaryOp::Le => true,
        BinaryOp::Gt | BinaryOp::Ge => false,
        _ => return None,
    };
    match same(lhs, then) && same(rhs, otherwise) {
        true => Some(!less),
        false => (same(lhs, otherwise) && same(rhs, then)).then_some(less),
    }
}

/// Without a conversion to another arithmetic type.
pub fn stripped(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Cast(a) if a.ty.is_arithmetic() => stripped(a),
        _ => e,
    }
}

/// Whether two expressions are written alike.
pub fn same(a: &Expr, b: &Expr) -> bool {
    use ExprKind as K;
    let (a, b) = (uncast(a), uncast(b));
    match (&a.kind, &b.kind) {
        (K::Int(x), K::Int(y)) => x == y,
        (K::Var(x), K::Var(y)) => x == y,
        (
            K::Binary { op, lhs, rhs },
            K::Binary {
                op: o,
                lhs: l,
                rhs: r,
            },
        ) => op == o && same(lhs, l) && same(rhs, r),
        (K::Float(x), K::Float(y)) => x.to_bits() == y.to_bits() && a.ty == b.ty,
        (K::Neg(x), K::Neg(y)) | (K::BitNot(x), K::BitNot(y)) | (K::Not(x), K::Not(y)) => {
            same(x, y)
        }
        (K::Cast(x), K::Cast(y)) => a.ty == b.ty && same(x, y),
        (
            K::Logical { and, lhs, rhs },
            K::Logical {
                and: o,
                lhs: l,
                rhs: r,
            },
        ) => and == o && same(lhs, l) && same(rhs, r),
        (
            K::PointerAdd {
                pointer,
                offset,
                subtract,
            },
            K::PointerAdd {
                pointer: p,
                offset: o,
                subtract: s,
            },
        ) => subtract == s && same(pointer, p) && same(offset, o),
        (
            K::Conditional {
                cond,
                then,
                otherwise,
            },
            K::Conditional {
                cond: c,
                then: t,
                otherwise: o,
            },
        ) => same(cond, c) && same(then, t) && same(otherwise, o),
        (K::Member { base, field }, K::Member { base: b, field: f }) => field == f && same(base, b),
        (K::Index { base, index }, K::Index { base: b, index: i }) => {
            same(base, b) && same(index, i)
        }
        (K::Deref(x), K::Deref(y)) | (K::Decay(x), K::Decay(y)) => same(x, y),
        _ => false,
    }
}

pub fn mentions(e: &Expr, var: VarId) -> bool {
    let mut found = false;
    walk_expr(e, &mut |e| {
        found |= matches!(e.kind, ExprKind::Var(v) if v == var)
    });
    found
}
