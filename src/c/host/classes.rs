//! Which memory pointers may lead to: objects of the program in classes, so that two pointers
//! to one object lead to one class (Steensgaard 1996, without fields and contexts).
//!
//! An object is a variable or what one call allocates. All pointers that are stored in one
//! class lead to one class. What code that is not seen may hold is *known outside*: it may
//! lead to any other that is, and the class [`Classes::OUTSIDE`] is what it may have besides.

use std::collections::HashMap;

use terrace_c::hir::{Expr, ExprKind, Function, Init, Span, StmtKind, Storage, Unit};
use terrace_c::types::Type;

use super::library::{self, Does};
use crate::c::visit::{children, expressions};

/// A class, by any of its members.
pub type Class = usize;

#[derive(Debug, Clone, Default)]
struct Node {
    parent: Option<Class>,
    /// Where pointers that are stored there lead.
    content: Option<Class>,
    outside: bool,
    /// Has an array that does not live as long as the function, or memory of `alloca`.
    passing: bool,
}

/// The classes of a unit's objects: first its variables, in their order.
#[derive(Debug)]
pub struct Classes {
    nodes: Vec<Node>,
    outside: Class,
    calls: HashMap<(u32, u32), Class>,
    results: HashMap<String, Class>,
}

/// What is known of the functions of a unit.
pub struct Known<'a> {
    pub unit: &'a Unit,
    /// Functions that are understood, by name.
    pub functions: &'a HashMap<&'a str, &'a Function>,
    /// No other file is part of the program.
    pub whole: bool,
    /// Functions that are not understood may run.
    pub others: bool,
    /// Another file may have a function in the place of one that is not `static`.
    pub replaced: bool,
}

impl Known<'_> {
    /// The function that a call is of, if it is one of this file for sure.
    pub fn called(&self, name: &str) -> Option<&Function> {
        let f = self.unit.function(name)?;
        let own = !library::is_of_header(self.unit, f);
        (own && (f.is_static || !self.replaced)).then_some(f)
    }

    /// What a call does that is of no function of this file, or of one of the library's headers.
    pub fn does(&self, name: &str) -> Option<Does> {
        let here = self.unit.function(name);
        let here = here.is_some_and(|f| !library::is_of_header(self.unit, f));
        library::does(name).filter(|_| !here)
    }

    fn can_be_called_from_outside(&self, f: &Function) -> bool {
        let named = !f.is_static && (!self.whole || self.replaced);
        self.others || named && f.name != "main"
    }
}

impl Classes {
    pub fn of(known: &Known) -> Classes {
        let vars = known.unit.vars.len();
        let mut c = Classes {
            nodes: vec![Node::default(); vars],
            outside: vars,
            calls: HashMap::new(),
            results: HashMap::new(),
        };
        c.nodes.push(Node {
            content: Some(vars),
            outside: true,
            ..Node::default()
        });
        let unit = known.unit;
        for (i, v) in unit.vars.iter().enumerate() {
            let shared = matches!(v.storage, Storage::Global | Storage::Extern);
            if v.storage == Storage::Extern || shared && !known.whole {
                c.expose(i);
            }
            if let Some(init) = &v.init {
                c.initial(known, i, init);
            }
        }
        if known.others {
            // What is not understood may do anything with what it can name.
            for (i, v) in unit.vars.iter().enumerate() {
                if v.is_global() || v.storage == Storage::LocalStatic {
                    c.expose(i);
                }
            }
        }
        for f in &unit.functions {
            let seen = known.functions.contains_key(&*f.name);
            if !seen || known.can_be_called_from_outside(f) {
                c.params_from_outside(f);
            }
            if f.name == "main" {
                // What the system passes is nobody else's.
                for p in &f.params {
                    let to = c.content(p.0 as usize);
                    let inner = c.fresh();
                    c.set_content(to, inner);
                }
            }
            if seen {
                c.function(known, f);
            }
        }
        c
    }

    fn params_from_outside(&mut self, f: &Function) {
        for p in &f.params {
            let to = self.content(p.0 as usize);
            self.join(to, self.outside);
        }
        let result = self.result(&f.name);
        self.join(result, self.outside);
    }

    fn function(&mut self, known: &Known, f: &Function) {
        let mut addressed = Vec::new();
        let mut statements = vec![&f.body];
        while let Some(s) = statements.pop() {
            match &s.kind {
                StmtKind::Return(Some(e)) => {
                    let to = self.result(&f.name);
                    if let Some(v) = self.value(known, e) {
                        self.join(to, v);
                    }
                }
                StmtKind::Decl(vars) => {
                    for (v, init) in vars {
                        if let Some(init) = init {
                            self.initial(known, v.0 as usize, init);
                        }
                    }
                }
                _ => {}
            }
            statements.extend(children(s));
        }
        expressions(&f.body, |e| {
            // Its value is what matters to others; its parts come by themselves.
            self.value(known, e);
            if let ExprKind::Function(name) = &e.kind {
                addressed.push(name.clone());
            }
            if let ExprKind::Compound { var, init } = &e.kind {
                self.initial(known, var.0 as usize, init);
            }
        });
        for name in addressed {
            if let Some(g) = known.unit.function(&name) {
                self.params_from_outside(g);
            }
        }
    }

    fn initial(&mut self, known: &Known, object: Class, init: &Init) {
        match init {
            Init::Expr(e) => {
                if let ExprKind::Function(name) = &e.kind
                    && let Some(g) = known.unit.function(name)
                {
                    self.params_from_outside(g);
                }
                if let Some(v) = self.value(known, e) {
                    let to = self.content(object);
                    self.join(to, v);
                }
            }
            Init::List(list) => {
                for (_, init) in list {
                    self.initial(known, object, init);
                }
            }
        }
    }

    /// The class of an object that an lvalue names.
    pub fn object(&mut self, known: &Known, e: &Expr) -> Class {
        match &e.kind {
            ExprKind::Var(v) => v.0 as usize,
            ExprKind::Compound { var, .. } => var.0 as usize,
            ExprKind::Index { base, .. } => match base.ty {
                Type::Array(_) => self.object(known, base),
                _ => self.pointee(known, base),
            },
            ExprKind::Deref(p) => self.pointee(known, p),
            ExprKind::Member { base, .. } => self.object(known, base),
            ExprKind::Decay(x) | ExprKind::Cast(x) => self.object(known, x),
            ExprKind::Comma(_, x) => self.object(known, x),
            ExprKind::Str(_) => self.once(e),
            // A record that is a value: it lies nowhere, but may hold pointers.
            _ => {
                let at = self.once(e);
                if let Some(v) = self.value(known, e) {
                    let to = self.content(at);
                    self.join(to, v);
                }
                at
            }
        }
    }

    /// Where a pointer leads.
    fn pointee(&mut self, known: &Known, p: &Expr) -> Class {
        match self.value(known, p) {
            Some(c) => c,
            None => self.once(p),
        }
    }

    /// Where the pointers in a value lead, if there may be any in it.
    pub fn value(&mut self, known: &Known, e: &Expr) -> Option<Class> {
        match &e.kind {
            ExprKind::Decay(x) | ExprKind::AddressOf(x) => match x.kind {
                ExprKind::Function(_) => None,
                _ => Some(self.object(known, x)),
            },
            ExprKind::Var(_)
            | ExprKind::Index { .. }
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::Compound { .. } => match e.ty {
                Type::Pointer(_) | Type::Record(_) | Type::Other(_) => {
                    let o = self.object(known, e);
                    Some(self.content(o))
                }
                _ => None,
            },
            ExprKind::Cast(x) => self.cast(known, e, x),
            ExprKind::PointerAdd { pointer, .. } => self.value(known, pointer),
            ExprKind::Conditional {
                then, otherwise, ..
            } => {
                let (a, b) = (self.value(known, then), self.value(known, otherwise));
                self.either(a, b)
            }
            ExprKind::Comma(_, x) => self.value(known, x),
            ExprKind::Assign { target, value } => {
                let v = self.value(known, value);
                self.store(known, target, v);
                v
            }
            ExprKind::CompoundAssign { target, .. } | ExprKind::IncDec { target, .. } => {
                match target.ty.is_pointer() {
                    true => self.value(known, target),
                    false => None,
                }
            }
            ExprKind::Call { function, args } => self.call(known, e.span, function, args),
            ExprKind::Unsupported(_) => Some(self.outside),
            // Operators of what the front end does not compute with.
            _ if matches!(e.ty, Type::Record(_)) => Some(self.outside),
            _ => None,
        }
    }

    fn cast(&mut self, known: &Known, e: &Expr, x: &Expr) -> Option<Class> {
        let v = self.value(known, x);
        match (e.ty.is_pointer(), x.ty.is_pointer()) {
            (true, true) => v,
            (true, false) => match x.kind {
                ExprKind::Int(_) => None,
                _ => Some(self.outside),
            },
            // Who has the number has the pointer.
            (false, true) => {
                if let Some(v) = v.filter(|_| !matches!(e.ty, Type::Void | Type::Bool)) {
                    self.join(v, self.outside);
                }
                None
            }
            (false, false) => v,
        }
    }

    fn store(&mut self, known: &Known, target: &Expr, v: Option<Class>) {
        if let Some(v) = v {
            let o = self.object(known, target);
            let to = self.content(o);
            self.join(to, v);
        }
    }

    fn either(&mut self, a: Option<Class>, b: Option<Class>) -> Option<Class> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.join(a, b)),
            (a, b) => a.or(b),
        }
    }

    fn call(&mut self, known: &Known, span: Span, name: &str, args: &[Expr]) -> Option<Class> {
        let values: Vec<Option<Class>> = args.iter().map(|a| self.value(known, a)).collect();
        if let Some(f) = known.called(name) {
            for (i, v) in values.into_iter().enumerate() {
                let Some(v) = v else { continue };
                let to = match f.params.get(i) {
                    Some(p) => self.content(p.0 as usize),
                    None => self.outside,
                };
                self.join(to, v);
            }
            return Some(self.result(name));
        }
        let mut all = values.iter().copied();
        match known.does(name) {
            Some(Does::Allocates) => Some(self.once_at(span)),
            Some(Does::AllocatesOnStack) => {
                let new = self.once_at(span);
                self.set_passing(new);
                Some(new)
            }
            Some(Does::Reallocates) => all.next().flatten(),
            Some(Does::Copies) => {
                let (to, from) = (all.next().flatten()?, all.next().flatten());
                if let Some(from) = from {
                    let (a, b) = (self.content(to), self.content(from));
                    self.join(a, b);
                }
                Some(to)
            }
            Some(Does::GivesFirst(_)) => all.next().flatten(),
            Some(Does::AllocatesTo) => {
                let to = all.next().flatten()?;
                let (to, new) = (self.content(to), self.once_at(span));
                self.join(to, new);
                None
            }
            Some(Does::Uses(_) | Does::Frees) => Some(self.once_at(span)),
            None => {
                for v in values.into_iter().flatten() {
                    self.join(v, self.outside);
                }
                Some(self.outside)
            }
        }
    }

    /// The class that a call, a string or a value of a place has.
    fn once(&mut self, e: &Expr) -> Class {
        self.once_at(e.span)
    }

    fn once_at(&mut self, span: Span) -> Class {
        match self.calls.get(&(span.start, span.end)) {
            Some(c) => *c,
            None => {
                let new = self.fresh();
                self.calls.insert((span.start, span.end), new);
                new
            }
        }
    }

    fn result(&mut self, name: &str) -> Class {
        match self.results.get(name) {
            Some(c) => *c,
            None => {
                let new = self.fresh();
                self.results.insert(name.to_string(), new);
                new
            }
        }
    }

    fn fresh(&mut self) -> Class {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    /// The member that stands for a class.
    pub fn find(&self, c: Class) -> Class {
        let mut c = c;
        while let Some(p) = self.nodes[c].parent {
            c = p;
        }
        c
    }

    /// Where pointers that are stored in a class lead.
    fn content(&mut self, c: Class) -> Class {
        let c = self.find(c);
        match self.nodes[c].content {
            Some(to) => self.find(to),
            None => {
                let new = self.fresh();
                self.nodes[c].content = Some(new);
                if self.nodes[c].outside {
                    self.join(new, self.outside);
                }
                self.find(new)
            }
        }
    }

    fn set_content(&mut self, c: Class, to: Class) {
        let old = self.content(c);
        self.join(old, to);
    }

    /// Makes two classes one.
    fn join(&mut self, a: Class, b: Class) -> Class {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            let gone = std::mem::take(&mut self.nodes[b]);
            self.nodes[b].parent = Some(a);
            let node = &mut self.nodes[a];
            node.passing |= gone.passing;
            let exposed = node.outside != gone.outside;
            node.outside |= gone.outside;
            match (node.content, gone.content) {
                (Some(x), Some(y)) => work.push((x, y)),
                (None, y) => node.content = y,
                _ => {}
            }
            if exposed && let Some(x) = self.nodes[a].content {
                work.push((x, self.outside));
            }
        }
        self.find(a)
    }

    /// Code that is not seen may have a pointer to it.
    fn expose(&mut self, c: Class) {
        let c = self.find(c);
        self.nodes[c].outside = true;
        if let Some(to) = self.nodes[c].content {
            self.join(to, self.outside);
        }
    }

    /// An object of the class may be gone before its function returns.
    pub fn set_passing(&mut self, c: Class) {
        let c = self.find(c);
        self.nodes[c].passing = true;
    }

    /// Whether one may be.
    pub fn is_passing(&self, c: Class) -> bool {
        self.nodes[self.find(c)].passing
    }

    /// Whether memory of one class may be memory of the other.
    pub fn may_meet(&self, a: Class, b: Class) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let outside = self.find(self.outside);
        a == b || a == outside && self.nodes[b].outside || b == outside && self.nodes[a].outside
    }
}
