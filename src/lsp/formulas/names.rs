//! What the names of a model mean, also where the model is wrong otherwise.

use std::collections::HashMap;
use terrace_formulas::ast::{Array, Compute, Expr, ExprKind, Item, Macro, Name, Tree};
use terrace_formulas::lexer::Span;

/// What a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Model,
    IndexParameter,
    Real,
    Array,
    Macro,
    Extern,
    /// Of an array or a statement.
    Index,
    /// `with t = ...`.
    Temporary,
    /// Of a macro.
    Argument,
}

/// A name and its places.
#[derive(Debug, Clone)]
pub struct Entry {
    pub name: String,
    pub kind: Kind,
    /// The name where it is declared. An index of a statement is declared by standing there.
    pub definition: Vec<Span>,
    /// The declaration, for people.
    pub declared: Span,
    pub uses: Vec<Span>,
    /// Where it is known; everywhere for what is declared at the top.
    pub scope: Option<Span>,
}

impl Entry {
    /// The place of it that a byte touches.
    pub fn touched(&self, offset: u32) -> Option<Span> {
        let mut all = self.definition.iter().chain(&self.uses);
        all.find(|s| s.start <= offset && offset <= s.end).copied()
    }
}

/// All names of a model.
#[derive(Debug, Clone, Default)]
pub struct Names {
    pub all: Vec<Entry>,
}

impl Names {
    /// Those of a tree.
    pub fn of(tree: &Tree) -> Names {
        let mut f = Finder::default();
        if let Some(head) = &tree.head {
            f.declare(&head.name, Kind::Model, head.name.span, None);
            for (name, index) in &head.parameters {
                let kind = if *index {
                    Kind::IndexParameter
                } else {
                    Kind::Real
                };
                let entry = f.declare(name, kind, name.span, None);
                f.global.insert(name.text.clone(), entry);
            }
        }
        // Macros and arrays may be used above their declarations.
        for item in &tree.items {
            let (name, kind, declared) = match item {
                Item::Array(a) => (&a.name, Kind::Array, array_span(a)),
                Item::Macro(m) => (&m.name, Kind::Macro, m.name.span.to(m.value.span)),
                Item::Extern(e) => {
                    let end = e.arguments.last().map_or(e.name.span, |a| a.span);
                    (&e.name, Kind::Extern, e.name.span.to(end))
                }
                Item::Compute(_) => continue,
            };
            let entry = f.declare(name, kind, declared, None);
            f.global.insert(name.text.clone(), entry);
        }
        for item in &tree.items {
            f.local.clear();
            match item {
                Item::Array(a) => f.array(a),
                Item::Macro(m) => f.macro_of(m),
                Item::Extern(_) => {}
                Item::Compute(c) => f.compute(c),
            }
        }
        Names { all: f.all }
    }

    /// The name at a byte.
    pub fn at(&self, offset: u32) -> Option<&Entry> {
        self.all.iter().find(|e| e.touched(offset).is_some())
    }
}

fn array_span(a: &Array) -> Span {
    a.dims
        .last()
        .map_or(a.name.span, |d| a.name.span.to(d.high.span))
}

#[derive(Default)]
struct Finder {
    all: Vec<Entry>,
    global: HashMap<String, usize>,
    local: HashMap<String, usize>,
}

impl Finder {
    fn declare(&mut self, name: &Name, kind: Kind, declared: Span, scope: Option<Span>) -> usize {
        self.all.push(Entry {
            name: name.text.clone(),
            kind,
            definition: vec![name.span],
            declared,
            uses: Vec::new(),
            scope,
        });
        self.all.len() - 1
    }

    fn declare_local(&mut self, name: &Name, kind: Kind, declared: Span, scope: Span) {
        let entry = self.declare(name, kind, declared, Some(scope));
        self.local.insert(name.text.clone(), entry);
    }

    fn uses(&mut self, text: &str, span: Span) {
        let found = self
            .local
            .get(text)
            .or_else(|| self.global.get(text))
            .copied();
        if let Some(entry) = found {
            self.all[entry].uses.push(span);
        }
    }

    fn use_name(&mut self, name: &Name) {
        self.uses(&name.text, name.span);
    }

    fn array(&mut self, a: &Array) {
        let scope = array_span(a);
        for d in &a.dims {
            // Ends are of parameters alone.
            self.expr(&d.low);
            self.expr(&d.high);
        }
        for d in &a.dims {
            self.declare_local(&d.name, Kind::Index, d.name.span.to(d.high.span), scope);
        }
        let bands = a.bands.iter().map(|(name, _)| name);
        for name in a.order.iter().chain(bands).chain(&a.same) {
            self.use_name(name);
        }
    }

    fn macro_of(&mut self, m: &Macro) {
        let scope = m.name.span.to(m.value.span);
        for a in &m.arguments {
            self.declare_local(a, Kind::Argument, a.span, scope);
        }
        self.expr(&m.value);
    }

    fn compute(&mut self, c: &Compute) {
        for target in &c.targets {
            self.use_name(target);
        }
        for along in &c.along {
            match &along.what.kind {
                ExprKind::Name(text) if !self.global.contains_key(text) => {
                    let name = Name {
                        text: text.clone(),
                        span: along.what.span,
                    };
                    self.declare_local(&name, Kind::Index, name.span, c.span);
                }
                _ => self.expr(&along.what),
            }
        }
        for name in c.carried.iter().chain(&c.parallel) {
            self.use_name(name);
        }
        for (name, value) in &c.with {
            self.expr(value);
            self.declare_local(name, Kind::Temporary, name.span.to(value.span), c.span);
        }
        for (target, value) in &c.values {
            self.use_name(target);
            self.expr(value);
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Number(..) | ExprKind::Known(_) => {}
            ExprKind::Name(text) => self.uses(text, e.span),
            ExprKind::Of(name, all) => {
                self.use_name(name);
                all.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Negative(a) | ExprKind::Group(a) | ExprKind::Not(a) => self.expr(a),
            ExprKind::Binary(_, a, b) | ExprKind::Compare(_, a, b) | ExprKind::Logic(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::If(all) => all.iter().for_each(|e| self.expr(e)),
        }
    }
}
