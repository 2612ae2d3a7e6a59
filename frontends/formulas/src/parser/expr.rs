//! Formulas, as Maxima and SymPy print them.
//!
//! From the loosest: `+ -`, `* /`, a sign, and `^` or `**`, which binds to the right. What may stand
//! around a formula to make a condition is looser still, see [`super::condition`].

use super::condition::compared;
use super::{Parsed, Parser};
use crate::ast::{Binary, Expr, ExprKind, Name};
use crate::lexer::Kind;

/// Formulas inside of each other, at most.
pub(super) const DEEPEST: usize = 200;

/// Operands of one sum or product, at most: the tree of a sum is as deep as it has terms.
const LONGEST: usize = 4000;

impl Parser<'_> {
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let span = self.token().span;
            return self.fail(
                span,
                format!("formulas are nested more than {DEEPEST} deep"),
            );
        }
        let made = self.chain(&[("+", Binary::Add), ("-", Binary::Sub)], Self::product);
        self.depth = self.depth.saturating_sub(1);
        made
    }

    fn product(&mut self) -> Parsed<Expr> {
        self.chain(&[("*", Binary::Mul), ("/", Binary::Div)], Self::signed)
    }

    fn chain(
        &mut self,
        signs: &[(&'static str, Binary)],
        operand: fn(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let mut left = operand(self)?;
        let mut terms = 1;
        loop {
            let Some((_, op)) = signs.iter().find(|(s, _)| self.is(s)) else {
                return Ok(left);
            };
            self.next();
            terms += 1;
            if terms > LONGEST {
                let span = self.token().span;
                return self.fail(
                    span,
                    format!("a sum or product has more than {LONGEST} terms"),
                );
            }
            let right = operand(self)?;
            let span = left.span.to(right.span);
            left = Expr {
                kind: ExprKind::Binary(*op, Box::new(left), Box::new(right)),
                span,
            };
        }
    }

    fn signed(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        let mut negative = false;
        loop {
            if self.eat("-") {
                negative = !negative;
            } else if !self.eat("+") {
                break;
            }
        }
        let value = self.power()?;
        if !negative {
            return Ok(value);
        }
        let span = start.to(value.span);
        Ok(Expr {
            kind: ExprKind::Negative(Box::new(value)),
            span,
        })
    }

    fn power(&mut self) -> Parsed<Expr> {
        let base = self.atom()?;
        if !(self.eat("^") || self.eat("**")) {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(
                base.span,
                format!("formulas are nested more than {DEEPEST} deep"),
            );
        }
        let exponent = self.signed()?;
        self.depth -= 1;
        let span = base.span.to(exponent.span);
        Ok(Expr {
            kind: ExprKind::Binary(Binary::Power, Box::new(base), Box::new(exponent)),
            span,
        })
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let t = self.token().clone();
        match t.kind {
            Kind::Number(n, whole) => {
                self.next();
                Ok(Expr {
                    kind: ExprKind::Number(n, whole),
                    span: t.span,
                })
            }
            Kind::Sign("(") => {
                self.next();
                let mut inner = self.condition()?;
                inner.span = t.span.to(self.sign(")")?);
                Ok(inner)
            }
            Kind::Name(ref n) if n == "if" => {
                self.next();
                self.choice(t.span)
            }
            Kind::Name(_) => {
                let name = self.name("a formula")?;
                self.named(name)
            }
            _ => self.expected("a formula"),
        }
    }

    fn named(&mut self, name: Name) -> Parsed<Expr> {
        let close = match &self.token().kind {
            Kind::Sign("(") => ")",
            Kind::Sign("[") => "]",
            _ => {
                return Ok(Expr {
                    span: name.span,
                    kind: ExprKind::Name(name.text),
                });
            }
        };
        if name.text == "Piecewise" && close == ")" {
            self.next();
            return self.piecewise(name.span);
        }
        self.next();
        if let Some(compare) = compared(&name.text).filter(|_| close == ")") {
            return self.compares(&name, compare);
        }
        let mut arguments = Vec::new();
        if !(close == ")" && self.is(")")) {
            arguments.push(self.sum()?);
        }
        while self.eat(",") {
            arguments.push(self.sum()?);
        }
        let span = name.span.to(self.sign(close)?);
        let kind = match (name.text.as_str(), arguments.len()) {
            ("_grp", 1) => ExprKind::Group(Box::new(arguments.remove(0))),
            _ => ExprKind::Of(name, arguments),
        };
        Ok(Expr { kind, span })
    }
}
