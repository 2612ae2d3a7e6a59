//! Tokens to a syntax tree.

use crate::int::Int;

use super::Fault;
use super::lexer::{Placed, Token};

/// How deep parentheses, negations and quantifiers may be nested.
const MAX_DEPTH: usize = 100;

#[derive(Debug)]
pub(super) struct Text {
    pub(super) params: Vec<String>,
    pub(super) pieces: Vec<Piece>,
}

#[derive(Debug)]
pub(super) struct Piece {
    /// Where it begins.
    pub(super) offset: usize,
    pub(super) inputs: Option<Tuple>,
    pub(super) outputs: Tuple,
    pub(super) condition: Formula,
}

#[derive(Debug, Default)]
pub(super) struct Tuple {
    pub(super) name: Option<String>,
    pub(super) elements: Vec<Element>,
}

/// `i = e` or `e`; an `e` that is a new name declares it.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) offset: usize,
    pub(super) name: Option<String>,
    pub(super) value: Expr,
}

#[derive(Debug)]
pub(super) enum Formula {
    True,
    False,
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    Exists(usize, Vec<String>, Box<Formula>),
    Compare(Vec<Expr>, Comparison, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(Int),
    Name(usize, String),
    Negative(Box<Expr>),
    Sum(Vec<Expr>),
    Product(usize, Box<Expr>, Box<Expr>),
    FloorDiv(usize, Box<Expr>, Box<Expr>),
    CeilDiv(usize, Box<Expr>, Box<Expr>),
    Mod(usize, Box<Expr>, Box<Expr>),
}

const WORDS: [&str; 11] = [
    "and", "or", "not", "exists", "true", "false", "mod", "floor", "ceil", "floord", "ceild",
];

pub(super) fn parse(tokens: &[Placed], end: usize) -> Result<Text, Fault> {
    let mut parser = Parser {
        tokens,
        at: 0,
        end,
        depth: 0,
    };
    parser.text()
}

struct Parser<'a> {
    tokens: &'a [Placed],
    at: usize,
    /// The length of the text.
    end: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|placed| &placed.token)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |p| p.offset)
    }

    fn found(&self) -> String {
        match self.peek() {
            None => "the end of the text".to_owned(),
            Some(Token::Number(n)) => format!("'{n}'"),
            Some(Token::Name(n)) => format!("'{n}'"),
            Some(Token::Sign(s)) => format!("'{s}'"),
        }
    }

    fn expected(&self, what: &str) -> Fault {
        Fault::new(
            self.offset(),
            format!("expected {what}, found {}", self.found()),
        )
    }

    fn at_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(s)) if *s == sign)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = self.at_sign(sign);
        self.at += usize::from(found);
        found
    }

    fn need_sign(&mut self, sign: &str) -> Result<(), Fault> {
        if self.take_sign(sign) {
            return Ok(());
        }
        Err(self.expected(&format!("'{sign}'")))
    }

    fn at_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(n)) if n == word)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        self.at += usize::from(found);
        found
    }

    /// A name that is none of the words of the notation.
    fn take_name(&mut self) -> Option<String> {
        match self.peek() {
            Some(Token::Name(n)) if !WORDS.contains(&n.as_str()) => {
                let name = n.clone();
                self.at += 1;
                Some(name)
            }
            _ => None,
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(Fault::new(
                self.offset(),
                format!("nested deeper than {MAX_DEPTH}"),
            ));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn text(&mut self) -> Result<Text, Fault> {
        let mut params = Vec::new();
        if self.take_sign("[") {
            while !self.at_sign("]") {
                let offset = self.offset();
                let name = self
                    .take_name()
                    .ok_or_else(|| self.expected("the name of a parameter or ']'"))?;
                if params.contains(&name) {
                    return Err(Fault::new(offset, format!("two parameters '{name}'")));
                }
                params.push(name);
                if !self.take_sign(",") {
                    break;
                }
            }
            self.need_sign("]")?;
            self.need_sign("->")?;
        }
        self.need_sign("{")?;
        let mut pieces = Vec::new();
        while !self.at_sign("}") {
            pieces.push(self.piece()?);
            if !self.take_sign(";") {
                break;
            }
        }
        self.need_sign("}")?;
        if self.peek().is_some() {
            return Err(self.expected("the end of the text"));
        }
        Ok(Text { params, pieces })
    }

    fn piece(&mut self) -> Result<Piece, Fault> {
        let offset = self.offset();
        let mut inputs = None;
        let mut outputs = Tuple::default();
        if !self.at_sign(":") {
            outputs = self.tuple()?;
            if self.take_sign("->") {
                inputs = Some(outputs);
                outputs = self.tuple()?;
            }
        }
        let condition = if self.take_sign(":") && !self.at_sign("}") && !self.at_sign(";") {
            self.formula()?
        } else {
            Formula::True
        };
        Ok(Piece {
            offset,
            inputs,
            outputs,
            condition,
        })
    }

    fn tuple(&mut self) -> Result<Tuple, Fault> {
        let name = self.take_name();
        self.need_sign("[")?;
        let mut elements = Vec::new();
        while !self.at_sign("]") {
            elements.push(self.element()?);
            if !self.take_sign(",") {
                break;
            }
        }
        self.need_sign("]")?;
        Ok(Tuple { name, elements })
    }

    fn element(&mut self) -> Result<Element, Fault> {
        let offset = self.offset();
        let value = self.expr()?;
        if self.take_sign("=") {
            let Expr::Name(_, name) = value else {
                return Err(Fault::new(offset, "expected a name before '='"));
            };
            return Ok(Element {
                offset,
                name: Some(name),
                value: self.expr()?,
            });
        }
        Ok(Element {
            offset,
            name: None,
            value,
        })
    }

    fn formula(&mut self) -> Result<Formula, Fault> {
        self.deeper(|p| {
            let mut parts = vec![p.conjunction()?];
            while p.take_word("or") || p.take_sign("||") {
                parts.push(p.conjunction()?);
            }
            Ok(one_or(parts, Formula::Or))
        })
    }

    fn conjunction(&mut self) -> Result<Formula, Fault> {
        let mut parts = vec![self.negation()?];
        while self.take_word("and") || self.take_sign("&&") {
            parts.push(self.negation()?);
        }
        Ok(one_or(parts, Formula::And))
    }

    fn negation(&mut self) -> Result<Formula, Fault> {
        if self.take_word("not") || self.take_sign("!") {
            let inner = self.deeper(Self::negation)?;
            return Ok(Formula::Not(Box::new(inner)));
        }
        if self.take_word("true") {
            return Ok(Formula::True);
        }
        if self.take_word("false") {
            return Ok(Formula::False);
        }
        if self.take_word("exists") {
            return self.exists();
        }
        if self.at_sign("(") {
            // What is in the parentheses may be an expression or a formula.
            let start = self.at;
            let as_comparison = match self.comparison() {
                Ok(comparison) => return Ok(comparison),
                Err(fault) => fault,
            };
            let reached = self.at;
            self.at = start + 1;
            let as_formula = match self.formula() {
                Ok(formula) if self.take_sign(")") => return Ok(formula),
                Ok(_) => self.expected("')'"),
                Err(fault) => fault,
            };
            // The reading that got further says what is wrong.
            return Err(if reached >= self.at {
                as_comparison
            } else {
                as_formula
            });
        }
        self.comparison()
    }

    fn exists(&mut self) -> Result<Formula, Fault> {
        let start = self.offset();
        let parenthesised = self.take_sign("(");
        let mut names = Vec::new();
        let mut parts = Vec::new();
        loop {
            let offset = self.offset();
            let name = self
                .take_name()
                .ok_or_else(|| self.expected("the name of a quantified variable"))?;
            if self.take_sign("=") {
                let value = self.expr()?;
                parts.push(Formula::Compare(
                    vec![Expr::Name(offset, name.clone())],
                    Comparison::Equal,
                    vec![value],
                ));
            }
            names.push(name);
            if !self.take_sign(",") {
                break;
            }
        }
        self.need_sign(":")?;
        if !(parenthesised && self.at_sign(")")) {
            parts.push(self.formula()?);
        }
        if parenthesised {
            self.need_sign(")")?;
        }
        Ok(Formula::Exists(
            start,
            names,
            Box::new(one_or(parts, Formula::And)),
        ))
    }

    fn comparison(&mut self) -> Result<Formula, Fault> {
        let mut left = self.exprs()?;
        let mut parts = Vec::new();
        while let Some(comparison) = self.take_comparison() {
            let right = self.exprs()?;
            parts.push(Formula::Compare(left, comparison, right.clone()));
            left = right;
        }
        if parts.is_empty() {
            return Err(self.expected("a comparison"));
        }
        Ok(one_or(parts, Formula::And))
    }

    fn take_comparison(&mut self) -> Option<Comparison> {
        let comparison = match self.peek() {
            Some(Token::Sign("=" | "==")) => Comparison::Equal,
            Some(Token::Sign("!=")) => Comparison::NotEqual,
            Some(Token::Sign("<")) => Comparison::Less,
            Some(Token::Sign("<=")) => Comparison::LessEqual,
            Some(Token::Sign(">")) => Comparison::Greater,
            Some(Token::Sign(">=")) => Comparison::GreaterEqual,
            _ => return None,
        };
        self.at += 1;
        Some(comparison)
    }

    fn exprs(&mut self) -> Result<Vec<Expr>, Fault> {
        let mut list = vec![self.expr()?];
        while self.take_sign(",") {
            list.push(self.expr()?);
        }
        Ok(list)
    }

    fn expr(&mut self) -> Result<Expr, Fault> {
        self.deeper(|p| {
            let mut terms = vec![p.term()?];
            loop {
                if p.take_sign("+") {
                    terms.push(p.term()?);
                } else if p.take_sign("-") {
                    terms.push(Expr::Negative(Box::new(p.term()?)));
                } else {
                    return Ok(match terms.pop() {
                        Some(only) if terms.is_empty() => only,
                        last => {
                            terms.extend(last);
                            Expr::Sum(terms)
                        }
                    });
                }
            }
        })
    }

    fn term(&mut self) -> Result<Expr, Fault> {
        if self.take_sign("-") {
            let inner = self.deeper(Self::term)?;
            return Ok(Expr::Negative(Box::new(inner)));
        }
        let mut product = self.factor()?;
        for _ in 0..MAX_DEPTH {
            let offset = self.offset();
            let left = Box::new(product);
            product = if self.take_sign("*") {
                let right = if self.take_sign("-") {
                    Expr::Negative(Box::new(self.factor()?))
                } else {
                    self.factor()?
                };
                Expr::Product(offset, left, Box::new(right))
            } else if self.take_word("mod") || self.take_sign("%") {
                Expr::Mod(offset, left, Box::new(self.factor()?))
            } else if self.take_sign("//") {
                Expr::FloorDiv(offset, left, Box::new(self.factor()?))
            } else if matches!(*left, Expr::Number(_)) && self.begins_factor() {
                // `2i`, `2 floor(i/2)`, `2 (i + 1)`
                Expr::Product(offset, left, Box::new(self.factor()?))
            } else {
                return Ok(*left);
            };
        }
        Err(self.expected("fewer factors in one product"))
    }

    /// May what comes be multiplied by a number written before it?
    fn begins_factor(&self) -> bool {
        match self.peek() {
            Some(Token::Name(n)) => {
                !WORDS.contains(&n.as_str())
                    || matches!(n.as_str(), "floor" | "ceil" | "floord" | "ceild")
            }
            Some(Token::Sign(s)) => *s == "(",
            _ => false,
        }
    }

    fn factor(&mut self) -> Result<Expr, Fault> {
        let offset = self.offset();
        if let Some(Token::Number(n)) = self.peek() {
            let number = Expr::Number(n.clone());
            self.at += 1;
            return Ok(number);
        }
        for (word, ceil) in [("floor", false), ("ceil", true)] {
            if self.take_word(word) {
                self.need_sign("(")?;
                let quotient = self.quotient(offset, ceil)?;
                self.need_sign(")")?;
                return Ok(quotient);
            }
        }
        for (word, ceil) in [("floord", false), ("ceild", true)] {
            if self.take_word(word) {
                self.need_sign("(")?;
                let numerator = Box::new(self.expr()?);
                self.need_sign(",")?;
                let divisor = Box::new(self.expr()?);
                self.need_sign(")")?;
                return Ok(division(offset, ceil, numerator, divisor));
            }
        }
        if self.take_sign("(") {
            let inner = self.expr()?;
            self.need_sign(")")?;
            return Ok(inner);
        }
        if self.take_sign("[") {
            let quotient = self.quotient(offset, false)?;
            self.need_sign("]")?;
            return Ok(quotient);
        }
        match self.take_name() {
            Some(name) => Ok(Expr::Name(offset, name)),
            None => Err(self.expected("an expression")),
        }
    }

    /// `e / d`, or `e` alone.
    fn quotient(&mut self, offset: usize, ceil: bool) -> Result<Expr, Fault> {
        let numerator = self.expr()?;
        if !self.take_sign("/") {
            return Ok(numerator);
        }
        let divisor = Box::new(self.factor()?);
        Ok(division(offset, ceil, Box::new(numerator), divisor))
    }
}

fn division(offset: usize, ceil: bool, numerator: Box<Expr>, divisor: Box<Expr>) -> Expr {
    if ceil {
        Expr::CeilDiv(offset, numerator, divisor)
    } else {
        Expr::FloorDiv(offset, numerator, divisor)
    }
}

fn one_or(mut parts: Vec<Formula>, join: impl FnOnce(Vec<Formula>) -> Formula) -> Formula {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        Some(last) => {
            parts.push(last);
            join(parts)
        }
        None => join(parts),
    }
}
