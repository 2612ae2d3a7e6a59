//! A small reader of affine expressions, so that tests can state their input
//! as text. It calls the builders in the order in which MLIR's parser does.

use crate::affine::{AffineExpr, AffineOp, Constraint, IntegerSet};

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        while self.text.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        let found = self.text[self.at..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    fn number(&mut self) -> u64 {
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        std::str::from_utf8(&self.text[start..self.at])
            .unwrap()
            .parse()
            .unwrap()
    }

    fn primary(&mut self) -> AffineExpr {
        if self.eat("(") {
            let inner = self.sum();
            assert!(self.eat(")"));
            inner
        } else if self.eat("-") {
            AffineExpr::constant(-1) * self.primary()
        } else if self.eat("d") {
            AffineExpr::dim(self.number() as u32)
        } else if self.eat("s") {
            AffineExpr::symbol(self.number() as u32)
        } else {
            AffineExpr::constant(i64::try_from(self.number()).unwrap())
        }
    }

    fn product(&mut self) -> AffineExpr {
        let mut lhs = self.primary();
        loop {
            let op = if self.eat("*") {
                AffineOp::Mul
            } else if self.eat("floordiv") {
                AffineOp::FloorDiv
            } else if self.eat("ceildiv") {
                AffineOp::CeilDiv
            } else if self.eat("mod") {
                AffineOp::Mod
            } else {
                return lhs;
            };
            let rhs = self.primary();
            lhs = AffineExpr::try_binary(op, lhs, rhs).unwrap();
        }
    }

    fn sum(&mut self) -> AffineExpr {
        let mut lhs = self.product();
        loop {
            if self.eat("+") {
                lhs = lhs + self.product();
            } else if self.eat("-") {
                lhs = lhs - self.product();
            } else {
                return lhs;
            }
        }
    }
}

pub fn expr(text: &str) -> AffineExpr {
    let text = text.trim();
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
    };
    let result = reader.sum();
    assert_eq!(reader.at, text.len(), "unread text in '{text}'");
    result
}

/// A set of constraints such as `d0 >= 0`, separated by commas.
pub fn set(dims: u32, symbols: u32, text: &str) -> IntegerSet {
    let constraints = text.split(',').map(|text| match text.split_once(">=") {
        Some((lhs, _)) => Constraint {
            expr: expr(lhs),
            is_eq: false,
        },
        None => Constraint {
            expr: expr(text.split_once("==").unwrap().0),
            is_eq: true,
        },
    });
    IntegerSet::new(dims, symbols, constraints.collect())
}
