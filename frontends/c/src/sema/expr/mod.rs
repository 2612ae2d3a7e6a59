//! Expressions: each with its type and every conversion written (C11 6.5).

mod arithmetic;
mod assign;
mod builtins;
mod call;
mod convert;
mod library;
mod literals;
mod primary;
mod size;
mod unary;

use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;

use super::Sema;
use super::report::{error_type, is_error, unsupported};
use super::types::Quals;
use crate::hir::{Expr, ExprKind, Span};
use crate::types::Type;

/// An expression before it is known whether its value or its object is wanted.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    pub expr: Expr,
    /// Qualifiers of the object.
    pub quals: Quals,
    /// It designates an object.
    pub lvalue: bool,
}

impl Operand {
    fn value(expr: Expr) -> Operand {
        Operand {
            expr,
            quals: Quals::default(),
            lvalue: false,
        }
    }

    fn object(expr: Expr, quals: Quals) -> Operand {
        Operand {
            expr,
            quals,
            lvalue: true,
        }
    }
}

/// How many operators may follow each other on one level: `a + b + c ...`. The tree of
/// such a chain is as deep as the chain is long.
const MAX_CHAIN: usize = 1000;

/// An expression of this kind.
fn make(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

impl Sema<'_> {
    /// The value of an expression: arrays and functions have become pointers.
    pub(super) fn value(&mut self, e: &Node<Expression>) -> Expr {
        let operand = self.expr(e);
        self.rvalue(operand)
    }

    /// An expression, an object if it designates one.
    pub(super) fn expr(&mut self, e: &Node<Expression>) -> Operand {
        self.deeper(|s| s.expr_here(e)).unwrap_or_else(|| {
            Operand::value(unsupported(
                "an expression nested too deep",
                error_type(),
                self.span(e.span),
            ))
        })
    }

    fn expr_here(&mut self, e: &Node<Expression>) -> Operand {
        let at = self.span(e.span);
        match &e.node {
            Expression::Identifier(name) => self.identifier(&name.node.name, at),
            Expression::Constant(c) => Operand::value(self.literal(&c.node, at)),
            Expression::StringLiteral(s) => self.string(&s.node, at),
            Expression::GenericSelection(g) => self.generic_selection(&g.node, at),
            Expression::Member(m) => self.member(&m.node, at),
            Expression::Call(c) => Operand::value(self.call(&c.node, at)),
            Expression::CompoundLiteral(c) => self.compound_literal(&c.node, at),
            Expression::SizeOfTy(s) => {
                let ty = self.type_name(&s.node.0);
                Operand::value(self.size_expr(&ty.ty, at))
            }
            Expression::SizeOfVal(s) => {
                let operand = self.unevaluated(|this| this.expr(&s.node.0));
                Operand::value(self.size_of_operand(&operand, at))
            }
            Expression::AlignOf(a) => {
                let ty = self.type_name(&a.node.0);
                let align = self.align_of(&ty.ty);
                Operand::value(make(ExprKind::Int(align.into()), Type::ULONG, at))
            }
            Expression::UnaryOperator(u) => self.unary(&u.node, at),
            Expression::Cast(c) => Operand::value(self.cast_expression(&c.node, at)),
            Expression::BinaryOperator(_) => self.chain(e),
            Expression::Conditional(c) => Operand::value(self.conditional(&c.node, at)),
            Expression::Comma(list) => self.comma(list, at),
            Expression::OffsetOf(o) => Operand::value(self.offset_of(&o.node, at)),
            Expression::VaArg(v) => {
                self.value(&v.node.va_list);
                let ty = self.type_name(&v.node.type_name);
                Operand::value(unsupported("a variable argument list", ty.ty, at))
            }
            Expression::Statement(s) => {
                let ty = self.statement_expression(s);
                Operand::value(unsupported("a statement expression", ty, at))
            }
        }
    }

    /// Binary operators, without recursion along their left operands.
    fn chain(&mut self, e: &Node<Expression>) -> Operand {
        let mut spine = Vec::new();
        let mut at = e;
        while let Expression::BinaryOperator(b) = &at.node {
            if spine.len() >= MAX_CHAIN {
                return Operand::value(unsupported(
                    "an expression of more than 1000 operators in a row",
                    error_type(),
                    self.span(e.span),
                ));
            }
            spine.push((self.span(at.span), b));
            at = &b.node.lhs;
        }
        let mut left = self.expr(at);
        for (at, b) in spine.into_iter().rev() {
            let op = &b.node.operator.node;
            left = match op {
                BinaryOperator::Index => self.index(left, &b.node.rhs, at),
                op if assign::compound(op).is_some() || *op == BinaryOperator::Assign => {
                    Operand::value(self.assignment(op, left, &b.node.rhs, at))
                }
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => {
                    let and = *op == BinaryOperator::LogicalAnd;
                    let lhs = self.rvalue(left);
                    let rhs = self.value(&b.node.rhs);
                    Operand::value(self.logical(and, lhs, rhs, at))
                }
                op => {
                    let lhs = self.rvalue(left);
                    let rhs = self.value(&b.node.rhs);
                    match arithmetic::operator(op) {
                        Some(op) => Operand::value(self.binary(op, lhs, rhs, at)),
                        None => Operand::value(Self::poison(at)),
                    }
                }
            };
        }
        left
    }

    fn comma(&mut self, list: &[Node<Expression>], at: Span) -> Operand {
        let mut result: Option<Expr> = None;
        for e in list.iter().take(MAX_CHAIN) {
            let next = self.value(e);
            result = Some(match result {
                None => next,
                Some(before) => {
                    let ty = next.ty.clone();
                    make(ExprKind::Comma(Box::new(before), Box::new(next)), ty, at)
                }
            });
        }
        if list.len() > MAX_CHAIN {
            return Operand::value(unsupported(
                "an expression of more than 1000 operators in a row",
                error_type(),
                at,
            ));
        }
        Operand::value(result.unwrap_or_else(|| Self::poison(at)))
    }

    /// A condition: the value of an arithmetic or pointer type.
    pub(super) fn condition(&mut self, e: &Node<Expression>) -> Expr {
        let value = self.value(e);
        self.scalar(value, "a condition")
    }

    /// Checks that a value is a scalar; `what` says what it is for.
    fn scalar(&mut self, value: Expr, what: &str) -> Expr {
        if value.ty.is_scalar() || is_error(&value.ty) {
            return value;
        }
        if let Some(reason) = untranslated(&value.ty) {
            return unsupported(reason, Type::INT, value.span);
        }
        let found = self.spell(&value.ty);
        self.error(
            value.span,
            format!("{what} has to be a number or a pointer, and this is `{found}`"),
        );
        Self::poison(value.span)
    }
}

/// Why values of a type are not computed with, if they are not.
pub(super) fn untranslated(ty: &Type) -> Option<String> {
    match ty {
        Type::Other(name) if &**name == super::report::ERROR => Some(name.to_string()),
        Type::Other(name) if &**name == "va_list" => Some("a variable argument list".into()),
        Type::Other(name) => Some(format!("{name} arithmetic")),
        _ => None,
    }
}
