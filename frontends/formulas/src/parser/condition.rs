//! Conditions, and what they choose from.
//!
//! From the loosest: `|` or `or`, `&` or `and`, `~` or `not`, and comparisons of formulas. SymPy and
//! Python print parentheses around each comparison, so how those bind there does not matter.
//! A condition in parentheses is read where a formula may stand, and [`crate::model`] says that it is none.

use super::expr::DEEPEST;
use super::{Parsed, Parser};
use crate::ast::{Compare, Expr, ExprKind, Logic, Name};
use crate::lexer::{Kind, Span};

/// The comparisons that SymPy prints as functions.
pub(super) fn compared(name: &str) -> Option<Compare> {
    match name {
        "Eq" => Some(Compare::Equal),
        "Ne" => Some(Compare::NotEqual),
        _ => None,
    }
}

impl Parser<'_> {
    /// A condition, or a formula where nothing is compared.
    pub(super) fn condition(&mut self) -> Parsed<Expr> {
        self.joined(["|", "or"], Logic::Or, |p| {
            p.joined(["&", "and"], Logic::And, Self::negated)
        })
    }

    fn joined(
        &mut self,
        [sign, word]: [&'static str; 2],
        logic: Logic,
        operand: fn(&mut Self) -> Parsed<Expr>,
    ) -> Parsed<Expr> {
        let mut left = operand(self)?;
        let mut terms = 1;
        while self.eat(sign) || self.word(word) {
            terms += 1;
            if terms > DEEPEST {
                let m = format!("more than {DEEPEST} conditions are joined");
                return self.fail(left.span, m);
            }
            let right = operand(self)?;
            let span = left.span.to(right.span);
            left = Expr {
                kind: ExprKind::Logic(logic, Box::new(left), Box::new(right)),
                span,
            };
        }
        Ok(left)
    }

    fn negated(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        let mut negative = false;
        while self.eat("~") || self.word("not") {
            negative = !negative;
        }
        let value = self.comparison()?;
        if !negative {
            return Ok(value);
        }
        let span = start.to(value.span);
        Ok(Expr {
            kind: ExprKind::Not(Box::new(value)),
            span,
        })
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let start = self.token().span;
        for (word, known) in [("True", true), ("False", false)] {
            if self.word(word) {
                let kind = ExprKind::Known(known);
                return Ok(Expr { kind, span: start });
            }
        }
        let left = self.sum()?;
        let compare = match self.token().kind {
            Kind::Sign("<") => Compare::Less,
            Kind::Sign("<=") => Compare::LessEqual,
            Kind::Sign(">") => Compare::Greater,
            Kind::Sign(">=") => Compare::GreaterEqual,
            Kind::Sign("=" | "==") => Compare::Equal,
            Kind::Sign("!=") => Compare::NotEqual,
            _ => return Ok(left),
        };
        self.next();
        let right = self.sum()?;
        let span = left.span.to(right.span);
        Ok(Expr {
            kind: ExprKind::Compare(compare, Box::new(left), Box::new(right)),
            span,
        })
    }

    /// `Eq(a, b)` or `Ne(a, b)`, from behind the first parenthesis.
    pub(super) fn compares(&mut self, name: &Name, compare: Compare) -> Parsed<Expr> {
        let left = self.sum()?;
        self.sign(",")?;
        let right = self.sum()?;
        let span = name.span.to(self.sign(")")?);
        Ok(Expr {
            kind: ExprKind::Compare(compare, Box::new(left), Box::new(right)),
            span,
        })
    }

    /// `if(a < b, x, y)`, or Maxima's `if a < b then x else y`.
    pub(super) fn choice(&mut self, start: Span) -> Parsed<Expr> {
        // In front of a comma a parenthesis is that of the list, and in front of `then` one of the condition.
        let in_list = self.is("(") && self.has_comma();
        if in_list {
            self.sign("(")?;
        }
        let condition = self.condition()?;
        let (yes, no, end);
        if in_list {
            self.sign(",")?;
            yes = self.sum()?;
            self.sign(",")?;
            no = self.sum()?;
            end = self.sign(")")?;
        } else {
            if !self.word("then") {
                return self.expected("`then`");
            }
            yes = self.sum()?;
            if !self.word("else") {
                return self.expected("`else`");
            }
            no = self.sum()?;
            end = no.span;
        }
        Ok(Expr {
            kind: ExprKind::If(Box::new([condition, yes, no])),
            span: start.to(end),
        })
    }

    /// Whether the parenthesis here has a comma that stands in no other one.
    fn has_comma(&self) -> bool {
        let mut depth = 0_usize;
        for t in &self.tokens[self.at..] {
            match t.kind {
                Kind::Sign("(" | "[") => depth += 1,
                Kind::Sign(")" | "]") => depth = depth.saturating_sub(1),
                Kind::Sign(",") if depth == 1 => return true,
                Kind::End => return false,
                _ => {}
            }
            if depth == 0 {
                return false;
            }
        }
        false
    }

    /// SymPy's `Piecewise((x, a < b), (y, True))`, from behind its first parenthesis.
    pub(super) fn piecewise(&mut self, start: Span) -> Parsed<Expr> {
        let mut cases = Vec::new();
        let (otherwise, end) = loop {
            self.sign("(")?;
            let value = self.sum()?;
            self.sign(",")?;
            let condition = self.condition()?;
            self.sign(")")?;
            if condition.kind == ExprKind::Known(true) {
                self.eat(",");
                break (value, self.sign(")")?);
            }
            cases.push((value, condition));
            if cases.len() > DEEPEST {
                return self.fail(start, format!("`Piecewise` has more than {DEEPEST} cases"));
            }
            if !self.eat(",") {
                return self.expected("`,`: the last case of `Piecewise` has the condition `True`");
            }
        };
        let span = start.to(end);
        Ok(cases
            .into_iter()
            .rev()
            .fold(otherwise, |no, (yes, condition)| Expr {
                kind: ExprKind::If(Box::new([condition, yes, no])),
                span,
            }))
    }
}
