//! From tokens to a tree. What is wrong is said once, and reading goes on at the next declaration.

mod condition;
mod expr;

use crate::ast::{
    Along, Array, Compute, Dim, Expr, ExprKind, Extern, Head, Item, Macro, Name, Tree,
};
use crate::lexer::{Kind, Span, Token, tokens};
use terrace_ir::diag::{Diagnostic, SourceFile};

/// Words that begin a declaration or statement.
const STARTS: [&str; 6] = ["model", "array", "macro", "extern", "compute", "edge"];

/// Words that are no names.
const WORDS: [&str; 27] = [
    "model",
    "array",
    "macro",
    "extern",
    "compute",
    "edge",
    "precision",
    "strict",
    "bands",
    "order",
    "same",
    "positive",
    "nonnegative",
    "by",
    "skip",
    "step",
    "up",
    "down",
    "carried",
    "parallel",
    "with",
    "if",
    "and",
    "or",
    "not",
    "True",
    "False",
];

/// Arguments of a function of C.
const MOST_ARGUMENTS: usize = 8;

/// Errors that are said of one file.
const MOST: usize = 20;

/// That something was wrong has been said.
pub(crate) struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Reads a file. What is wrong with it is said in the order of the text.
pub fn parse(file: &SourceFile) -> (Tree, Vec<Diagnostic>) {
    let mut p = Parser {
        file,
        tokens: tokens(file.text()),
        at: 0,
        said: Vec::new(),
        depth: 0,
    };
    let tree = p.tree();
    (tree, p.said)
}

pub(crate) struct Parser<'f> {
    file: &'f SourceFile,
    tokens: Vec<Token>,
    at: usize,
    said: Vec<Diagnostic>,
    /// Formulas around the one that is read.
    depth: usize,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let t = self.token().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        t
    }

    fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        if self.said.len() < MOST {
            self.said.push(error(self.file, span, message));
        }
        Err(Failed)
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let t = self.token().clone();
        self.fail(t.span, format!("found {}, expected {what}", t.shown()))
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.token().kind, Kind::Sign(s) if s == sign)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let yes = self.is(sign);
        if yes {
            self.next();
        }
        yes
    }

    fn sign(&mut self, sign: &str) -> Parsed<Span> {
        match self.is(sign) {
            true => Ok(self.next().span),
            false => self.expected(&format!("`{sign}`")),
        }
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(&self.token().kind, Kind::Name(n) if n == word)
    }

    fn word(&mut self, word: &str) -> bool {
        let yes = self.is_word(word);
        if yes {
            self.next();
        }
        yes
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        match self.token().kind.clone() {
            Kind::Name(text) if !WORDS.contains(&text.as_str()) => Ok(Name {
                text,
                span: self.next().span,
            }),
            Kind::Name(text) => {
                let span = self.token().span;
                self.fail(
                    span,
                    format!("`{text}` is a word of the language; expected {what}"),
                )
            }
            _ => self.expected(what),
        }
    }

    /// A whole number of at least `least`.
    fn count(&mut self, what: &str, least: i64) -> Parsed<i64> {
        match self.token().kind {
            Kind::Number(n, true) if n >= least as f64 && n <= 1e9 => {
                self.next();
                Ok(n as i64)
            }
            _ => self.expected(&format!("{what}, a whole number from {least}")),
        }
    }

    fn tree(&mut self) -> Tree {
        let mut tree = Tree::default();
        loop {
            let t = self.token().clone();
            let start = match &t.kind {
                Kind::End => break,
                Kind::Name(n) => STARTS.iter().find(|s| **s == n.as_str()),
                _ => None,
            };
            let Some(start) = start else {
                let starts = "`model`, `array`, `macro`, `extern`, `compute` or `edge`";
                let _ = match tree.items.is_empty() {
                    true => self.expected::<()>(starts),
                    false => self.expected(&format!("an operator, or {starts}")),
                };
                self.recover();
                continue;
            };
            self.next();
            self.depth = 0;
            let read = match *start {
                "model" => self.head(t.span, &mut tree),
                "array" => self.array().map(|a| tree.items.push(Item::Array(a))),
                "macro" => self.alias().map(|m| tree.items.push(Item::Macro(m))),
                "extern" => self.foreign().map(|f| tree.items.push(Item::Extern(f))),
                _ => (self.compute(t.span)).map(|c| tree.items.push(Item::Compute(c))),
            };
            if read.is_err() {
                self.recover();
            }
        }
        if tree.head.is_none() && self.said.is_empty() {
            let first = self.tokens[0].span;
            let m = "the model has no head; expected `model NAME(parameters) precision f32`";
            let _ = self.fail::<()>(first, m);
        }
        tree
    }

    /// Goes on at the next declaration, which is not the word that was just read.
    fn recover(&mut self) {
        loop {
            match &self.token().kind {
                Kind::End => return,
                Kind::Name(n) if STARTS.contains(&n.as_str()) => return,
                _ => self.next(),
            };
        }
    }

    fn head(&mut self, start: Span, tree: &mut Tree) -> Parsed<()> {
        if tree.head.is_some() || !tree.items.is_empty() {
            let m = "the head of the model stands once, in front of all else";
            return self.fail(start, m);
        }
        let name = self.name("the name of the model")?;
        let mut parameters = Vec::new();
        if self.eat("(") && !self.eat(")") {
            loop {
                let mut group = vec![self.name("a parameter")?];
                while self.eat(",") {
                    group.push(self.name("a parameter")?);
                }
                self.sign(":")?;
                let index = match self.token().kind.clone() {
                    Kind::Name(n) if n == "index" => true,
                    Kind::Name(n) if n == "real" => false,
                    _ => return self.expected("`index` or `real`"),
                };
                self.next();
                parameters.extend(group.into_iter().map(|n| (n, index)));
                if !self.eat(";") {
                    break;
                }
            }
            if !self.eat(")") {
                return self.expected("`;` and more parameters, or `)`");
            }
        }
        let (mut double, mut strict) = (false, false);
        loop {
            if self.word("strict") {
                strict = true;
            } else if self.word("precision") {
                double = match self.token().kind.clone() {
                    Kind::Name(n) if n == "f32" => false,
                    Kind::Name(n) if n == "f64" => true,
                    _ => return self.expected("`f32` or `f64`"),
                };
                self.next();
            } else {
                break;
            }
        }
        tree.head = Some(Head {
            name,
            parameters,
            double,
            strict,
        });
        Ok(())
    }

    fn array(&mut self) -> Parsed<Array> {
        let name = self.name("the name of the array")?;
        self.sign("(")?;
        let mut dims = Vec::new();
        loop {
            let name = self.name("an index")?;
            self.sign(":")?;
            let low = self.formula()?;
            self.sign("..")?;
            let high = self.formula()?;
            let by = match self.word("by") {
                true => self.count("the step of the index", 1)?,
                false => 1,
            };
            dims.push(Dim {
                name,
                low,
                high,
                by,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.sign(")")?;
        let mut a = Array {
            name,
            dims,
            order: Vec::new(),
            bands: Vec::new(),
            same: Vec::new(),
            positive: false,
            nonnegative: false,
        };
        loop {
            let comma = self.eat(",");
            if self.word("positive") {
                a.positive = true;
            } else if self.word("nonnegative") {
                a.nonnegative = true;
            } else if self.word("bands") {
                let name = self.name("an index of the array")?;
                a.bands
                    .push((name, self.count("how many bands there are", 1)?));
            } else if self.word("order") {
                a.order = self.names("an index of the array", &[])?;
            } else if self.word("same") {
                a.same.extend(self.names("an index of the array", &[])?);
            } else if comma {
                return self.expected("`order`, `bands`, `same`, `positive` or `nonnegative`");
            } else {
                return Ok(a);
            }
        }
    }

    /// Names until something else comes. One in front of `=` is what a formula is for, if it is not
    /// among the `indices` that there are: `carried k C = ...`, and `carried i k = ...`.
    fn names(&mut self, what: &str, indices: &[Along]) -> Parsed<Vec<Name>> {
        let is_index =
            |n: &String| (indices.iter()).any(|a| a.what.kind == ExprKind::Name(n.clone()));
        let mut all = vec![self.name(what)?];
        while let Kind::Name(n) = &self.token().kind
            && !WORDS.contains(&n.as_str())
            && (is_index(n)
                || !matches!(
                    self.tokens.get(self.at + 1).map(|t| &t.kind),
                    Some(Kind::Sign("=" | ":="))
                ))
        {
            all.push(self.name(what)?);
        }
        Ok(all)
    }

    fn foreign(&mut self) -> Parsed<Extern> {
        let name = self.name("the name of a function of C")?;
        self.sign("(")?;
        let mut arguments = Vec::new();
        if !self.eat(")") {
            arguments.push(self.name("an argument")?);
            while self.eat(",") {
                arguments.push(self.name("an argument")?);
            }
            self.sign(")")?;
        }
        if arguments.len() > MOST_ARGUMENTS {
            let m = format!(
                "`{}` has {} arguments; functions of C have at most {MOST_ARGUMENTS}",
                name.text,
                arguments.len()
            );
            return self.fail(name.span, m);
        }
        Ok(Extern { name, arguments })
    }

    fn alias(&mut self) -> Parsed<Macro> {
        let name = self.name("the name of the macro")?;
        self.sign("(")?;
        let mut arguments = vec![self.name("an index")?];
        while self.eat(",") {
            arguments.push(self.name("an index")?);
        }
        self.sign(")")?;
        self.equals()?;
        let value = self.formula()?;
        Ok(Macro {
            name,
            arguments,
            value,
        })
    }

    fn equals(&mut self) -> Parsed<()> {
        match self.eat("=") || self.eat(":=") {
            true => Ok(()),
            false => self.expected("`=`"),
        }
    }

    fn compute(&mut self, start: Span) -> Parsed<Compute> {
        let mut targets = vec![self.name("an array to compute")?];
        while self.eat(",") {
            targets.push(self.name("an array to compute")?);
        }
        self.sign("(")?;
        let mut along = vec![self.along()?];
        while self.eat(",") {
            along.push(self.along()?);
        }
        if self.is("=") || self.is(":") || self.is("..") {
            let m = "`,` or `)`: a statement goes over the whole range of its array, of which `i skip 1 0` leaves elements out";
            return self.expected(m);
        }
        self.sign(")")?;
        let (mut carried, mut parallel) = (Vec::new(), Vec::new());
        loop {
            if self.word("carried") {
                carried.extend(self.names("an index of the statement", &along)?);
            } else if self.word("parallel") {
                parallel.extend(self.names("an index of the statement", &along)?);
            } else {
                break;
            }
        }
        let mut with = Vec::new();
        if self.word("with") {
            loop {
                let name = self.name("the name of a temporary")?;
                self.equals()?;
                with.push((name, self.formula()?));
                let more = self.eat(";");
                if !more || self.is("=") || self.is(":=") {
                    break;
                }
            }
        }
        let mut values = Vec::new();
        let end;
        if self.is("=") || self.is(":=") {
            self.equals()?;
            let value = self.formula()?;
            end = value.span;
            if targets.len() > 1 {
                let m = "several arrays are computed; expected `ARRAY = formula` for each of them";
                return self.fail(value.span, m);
            }
            values.push((targets[0].clone(), value));
        } else {
            end = loop {
                let name = self.name("`=`, or one of the arrays that are computed")?;
                self.equals()?;
                let value = self.formula()?;
                let span = value.span;
                values.push((name, value));
                self.eat(";");
                let more =
                    matches!(&self.token().kind, Kind::Name(n) if !WORDS.contains(&n.as_str()));
                if !more {
                    break span;
                }
            };
        }
        Ok(Compute {
            targets,
            along,
            carried,
            parallel,
            with,
            values,
            span: start.to(end),
        })
    }

    fn along(&mut self) -> Parsed<Along> {
        let mut a = Along {
            what: self.formula()?,
            skip: (0, 0),
            step: 1,
            down: false,
        };
        let mut turned = None;
        loop {
            if self.word("skip") {
                let first = self.count("how many elements are left out in front", 0)?;
                let last = self.count("how many elements are left out behind", 0)?;
                a.skip = (first, last);
            } else if self.word("step") {
                a.step = self.count("the step in elements", 1)?;
            } else if self.is_word("up") || self.is_word("down") {
                let (down, t) = (self.is_word("down"), self.next());
                if turned.is_some_and(|before| before != down) {
                    return self.fail(t.span, "an index goes either `up` or `down`");
                }
                (a.down, turned) = (down, Some(down));
            } else {
                break;
            }
        }
        let plain = a.skip == (0, 0) && a.step == 1 && !a.down;
        if !plain && !matches!(a.what.kind, ExprKind::Name(_)) {
            let m = "a place has nothing to skip and no step; expected an index in front of them";
            return self.fail(a.what.span, m);
        }
        Ok(a)
    }

    /// A formula; see [`expr`].
    fn formula(&mut self) -> Parsed<Expr> {
        self.sum()
    }
}

/// An error about a place of a file.
pub(crate) fn error(file: &SourceFile, span: Span, message: impl Into<String>) -> Diagnostic {
    let mut d = Diagnostic::error(file.location(span.start), message);
    let text = file
        .text()
        .get(span.start as usize..span.end as usize)
        .unwrap_or("");
    d.underline = text.lines().next().map_or(0, |l| l.len() as u32);
    d
}
