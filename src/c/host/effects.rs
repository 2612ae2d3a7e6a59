//! What the program's own code uses: of each statement which objects, and which functions it
//! calls.

use std::collections::{HashMap, HashSet};

use terrace_c::hir::{Expr, ExprKind, Init, Span, Stmt, StmtKind, Storage, VarId};
use terrace_c::types::{Extent, Type};

use super::classes::{Class, Classes, Known};
use super::library::{self, Does};
use crate::c::visit::children;

/// A use of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub class: Class,
    pub place: Place,
    pub writes: bool,
}

/// Which part of a class.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// All that pointers to it lead to.
    Class,
    /// A variable, all of it.
    Variable(VarId),
    /// What the text of this lvalue names where the statement begins.
    Exactly(Span),
    /// What the pointer of this text was allocated as, which is freed.
    Freed(Span),
}

/// What a function does, for those who call it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Of each class, and of each variable that other functions may name, whether it is written.
    pub uses: HashMap<(Class, Option<VarId>), bool>,
    /// Calls code that is not seen.
    pub unknown: bool,
    /// Has regions, or calls what has: it says itself what it uses.
    pub follows: bool,
}

/// What statements and expressions use.
#[derive(Debug, Default)]
pub struct Effects {
    items: Vec<Raw>,
    /// Calls of code that is not seen.
    pub unknown: bool,
    /// How many calls of functions that say themselves what they use.
    pub follows: usize,
    /// Variables that get a value.
    written: HashSet<VarId>,
    /// Whether anything but plain variables gets one, or functions of the program are called.
    stores: bool,
}

#[derive(Debug)]
struct Raw {
    item: Item,
    /// The variables that the exact place depends on.
    by: Vec<VarId>,
    /// In the arguments of a call of a function that says what it uses.
    argument: bool,
}

/// A walk over expressions.
pub struct Walk<'a, 'k> {
    pub known: &'a Known<'k>,
    pub classes: &'a mut Classes,
    pub summaries: &'a HashMap<&'a str, Summary>,
    pub found: Effects,
    /// What is walked over may not happen, or not just once.
    maybe: bool,
    in_argument: bool,
}

impl<'a, 'k> Walk<'a, 'k> {
    pub fn new(
        known: &'a Known<'k>,
        classes: &'a mut Classes,
        summaries: &'a HashMap<&'a str, Summary>,
    ) -> Walk<'a, 'k> {
        Walk {
            known,
            classes,
            summaries,
            found: Effects::default(),
            maybe: false,
            in_argument: false,
        }
    }

    /// A statement with all that is in it.
    pub fn statement(&mut self, s: &Stmt) {
        let before = self.maybe;
        match &s.kind {
            StmtKind::Expr(e) => self.whole(e),
            StmtKind::Return(e) => e.iter().for_each(|e| self.value(e)),
            StmtKind::Decl(vars) => {
                for (v, init) in vars {
                    self.declaration(*v, init.as_ref());
                }
            }
            StmtKind::If { cond, .. } => {
                self.value(cond);
                self.maybe = true;
            }
            StmtKind::Switch { value, .. } => {
                self.value(value);
                self.maybe = true;
            }
            StmtKind::For { cond, step, .. } => {
                self.maybe = true;
                cond.iter().chain(step).for_each(|e| self.value(e));
            }
            StmtKind::While { cond, .. } | StmtKind::DoWhile { cond, .. } => {
                self.maybe = true;
                self.value(cond);
            }
            StmtKind::Label(..) => self.maybe = true,
            _ => {}
        }
        children(s).into_iter().for_each(|s| self.statement(s));
        self.maybe = before;
    }

    /// A declared variable: its sizes and its first value.
    pub fn declaration(&mut self, v: VarId, init: Option<&Init>) {
        let mut ty = &self.known.unit.var(v).ty;
        while let Type::Array(a) = ty {
            if let Extent::Expr(e) = &a.len {
                self.value(e);
            }
            ty = &a.of;
        }
        self.found.written.insert(v);
        if let Some(init) = init {
            self.initial(init);
        }
    }

    fn initial(&mut self, init: &Init) {
        match init {
            Init::Expr(e) => self.value(e),
            Init::List(list) => list.iter().for_each(|(_, i)| self.initial(i)),
        }
    }

    /// An expression statement.
    fn whole(&mut self, e: &Expr) {
        if let ExprKind::Call { function, args } = &e.kind
            && self.known.does(function) == Some(Does::Frees)
            && !self.maybe
            && let [pointer] = &args[..]
        {
            let mut by = Vec::new();
            let text = without_casts(pointer);
            if self.is_steady(text, &mut by) {
                self.value(pointer);
                let class = self.pointed(pointer);
                self.push(class, Place::Freed(text.span), true, by);
                return;
            }
        }
        self.value(e);
    }

    /// An expression whose value is used, or thrown away.
    pub fn value(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(_)
            | ExprKind::Index { .. }
            | ExprKind::Deref(_)
            | ExprKind::Member { .. } => {
                self.access(e, false);
            }
            ExprKind::Decay(x) | ExprKind::AddressOf(x) => self.address(x),
            ExprKind::Assign { target, value } => {
                self.value(value);
                self.access(target, true);
            }
            ExprKind::CompoundAssign { target, value, .. } => {
                self.value(value);
                self.access(target, true);
            }
            ExprKind::IncDec { target, .. } => self.access(target, true),
            ExprKind::Logical { lhs, rhs, .. } => {
                self.value(lhs);
                self.perhaps(|w| w.value(rhs));
            }
            ExprKind::Conditional {
                cond,
                then,
                otherwise,
            } => {
                self.value(cond);
                self.perhaps(|w| {
                    w.value(then);
                    w.value(otherwise);
                });
            }
            ExprKind::Call { function, args } => self.call(function, args),
            ExprKind::Compound { init, .. } => self.initial(init),
            ExprKind::Unsupported(_) => self.found.unknown = true,
            _ => crate::c::visit::parts(e)
                .into_iter()
                .for_each(|e| self.value(e)),
        }
    }

    fn perhaps(&mut self, f: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.maybe, true);
        f(self);
        self.maybe = before;
    }

    /// What the address of an lvalue is computed from.
    fn address(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Index { base, index } => {
                match base.ty {
                    Type::Array(_) => self.address(base),
                    _ => self.value(base),
                }
                self.value(index);
            }
            ExprKind::Deref(p) => self.value(p),
            ExprKind::Member { base, .. } => self.address(base),
            ExprKind::Decay(x) => self.address(x),
            ExprKind::Var(_) | ExprKind::Str(_) | ExprKind::Function(_) => {}
            _ => self.value(e),
        }
    }

    /// A read, or a write, of an object.
    fn access(&mut self, e: &Expr, writes: bool) {
        self.address(e);
        // Others may be told by it that they may go on.
        self.found.unknown |= self.is_volatile(e);
        let class = self.classes.object(self.known, e);
        match (&e.kind, writes) {
            (ExprKind::Var(v), true) => {
                self.found.written.insert(*v);
            }
            (_, true) => self.found.stores = true,
            _ => {}
        }
        let mut by = Vec::new();
        let steady = !self.maybe && !self.is_bits(e) && self.is_steady(e, &mut by);
        let exact = steady && is_named(self.known.unit.text(e.span));
        let place = match (exact, self.root(e)) {
            (_, Some(v)) if matches!(e.kind, ExprKind::Var(_)) => Place::Variable(v),
            (true, _) => Place::Exactly(e.span),
            (false, Some(v)) => Place::Variable(v),
            (false, None) => Place::Class,
        };
        let by = match place {
            Place::Exactly(_) => by,
            _ => Vec::new(),
        };
        self.push(class, place, writes, by);
    }

    fn push(&mut self, class: Class, place: Place, writes: bool, by: Vec<VarId>) {
        let item = Item {
            class,
            place,
            writes,
        };
        self.found.items.push(Raw {
            item,
            by,
            argument: self.in_argument,
        });
    }

    /// The variable that an lvalue is part of, by its name.
    fn root(&self, e: &Expr) -> Option<VarId> {
        match &e.kind {
            ExprKind::Var(v) => Some(*v),
            ExprKind::Index { base, .. } if matches!(base.ty, Type::Array(_)) => self.root(base),
            ExprKind::Member { base, .. } | ExprKind::Decay(base) => self.root(base),
            _ => None,
        }
    }

    fn is_volatile(&self, e: &Expr) -> bool {
        let of_pointer = |p: &Expr| matches!(&p.ty, Type::Pointer(t) if t.to_volatile);
        match &e.kind {
            ExprKind::Var(v) => self.known.unit.var(*v).is_volatile,
            ExprKind::Index { base, .. } => match base.ty {
                Type::Array(_) => self.is_volatile(base),
                _ => of_pointer(base),
            },
            ExprKind::Deref(p) => of_pointer(p),
            ExprKind::Member { base, field } => {
                let record = match base.ty {
                    Type::Record(r) => self.known.unit.records.get(r),
                    _ => None,
                };
                let field = record.and_then(|r| r.fields.as_ref()?.get(*field));
                field.is_some_and(|f| f.is_volatile) || self.is_volatile(base)
            }
            ExprKind::Decay(x) => self.is_volatile(x),
            _ => false,
        }
    }

    fn is_bits(&self, e: &Expr) -> bool {
        let ExprKind::Member { base, field } = &e.kind else {
            return false;
        };
        let Type::Record(r) = base.ty else {
            return true;
        };
        let fields = self
            .known
            .unit
            .records
            .get(r)
            .and_then(|r| r.fields.as_ref());
        let field = fields.and_then(|f| f.get(*field));
        field.is_none_or(|f| f.bits.is_some() || f.name.is_empty())
    }

    /// Whether the place that an lvalue, or the value that a pointer has, can be computed
    /// without anything but variables, which it notes.
    fn is_steady(&self, e: &Expr, by: &mut Vec<VarId>) -> bool {
        match &e.kind {
            ExprKind::Var(v) => {
                by.push(*v);
                true
            }
            ExprKind::Int(_) => true,
            ExprKind::Index { base, index } => {
                self.is_steady(base, by) && self.is_number(index, by)
            }
            ExprKind::Deref(p) => self.is_pointer(p, by),
            ExprKind::Member { base, .. } => self.root(base).is_some() && self.is_steady(base, by),
            ExprKind::Decay(x) | ExprKind::Cast(x) => self.is_steady(x, by),
            _ => false,
        }
    }

    fn is_pointer(&self, e: &Expr, by: &mut Vec<VarId>) -> bool {
        match &e.kind {
            ExprKind::PointerAdd {
                pointer, offset, ..
            } => self.is_pointer(pointer, by) && self.is_number(offset, by),
            ExprKind::Var(_) | ExprKind::Decay(_) => self.is_steady(e, by),
            _ => false,
        }
    }

    /// Whether a number is made of variables, by operations that never fail.
    fn is_number(&self, e: &Expr, by: &mut Vec<VarId>) -> bool {
        use terrace_c::hir::BinaryOp::{Add, Mul, Sub};
        match &e.kind {
            ExprKind::Int(_) => true,
            ExprKind::Var(v) => {
                by.push(*v);
                true
            }
            ExprKind::Cast(x) | ExprKind::Neg(x) => self.is_number(x, by),
            ExprKind::Binary {
                op: Add | Sub | Mul,
                lhs,
                rhs,
            } => self.is_number(lhs, by) && self.is_number(rhs, by),
            _ => false,
        }
    }

    fn pointed(&mut self, e: &Expr) -> Class {
        match self.classes.value(self.known, e) {
            Some(c) => c,
            None => self.classes.object(self.known, e),
        }
    }

    fn call(&mut self, name: &str, args: &[Expr]) {
        let here = self.known.called(name);
        let summary = here.and_then(|f| self.summaries.get(&*f.name));
        let follows = summary.is_some_and(|s| s.follows);
        let outer = self.in_argument;
        self.in_argument |= follows;
        args.iter().for_each(|a| self.value(a));
        self.in_argument = outer;
        let library = self.known.does(name);
        if library.is_none() && self.known.unit.function(name).is_some() {
            self.found.stores = true;
            let Some(summary) = summary else {
                self.found.unknown = true;
                return;
            };
            if summary.follows {
                self.found.follows += 1;
                return;
            }
            self.found.unknown |= summary.unknown;
            let uses = summary.uses.clone();
            for ((class, variable), writes) in uses {
                let place = variable.map_or(Place::Class, Place::Variable);
                self.push(class, place, writes, Vec::new());
            }
            return;
        }
        let Some(does) = library else {
            self.found.unknown = true;
            return;
        };
        for (i, a) in args.iter().enumerate() {
            let taken_back = i == 0 && matches!(does, Does::Frees | Does::Reallocates);
            let (reads, writes) = library::uses(does, i);
            let may_point = a.ty.is_pointer();
            if may_point && (reads || writes || taken_back) {
                self.found.stores |= writes;
                let place = self.argument(a);
                let class = self.pointed(a);
                self.push(class, place, writes || taken_back, Vec::new());
            }
        }
    }

    /// The place that a pointer argument leads to: a variable where it is its name.
    fn argument(&self, a: &Expr) -> Place {
        let a = without_casts(a);
        let root = match &a.kind {
            ExprKind::Decay(x) | ExprKind::AddressOf(x) => self.root(x),
            _ => None,
        };
        root.map_or(Place::Class, Place::Variable)
    }
}

fn without_casts(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Cast(x) => without_casts(x),
        _ => e,
    }
}

impl Effects {
    /// The uses of memory of classes that are looked for. `inside` are variables that the statement declares
    /// itself, which have no name where it begins.
    pub fn items(
        &self,
        known: &Known,
        wanted: impl Fn(Class) -> bool,
        inside: &[VarId],
    ) -> Vec<Item> {
        let mut out: Vec<Item> = Vec::new();
        for raw in &self.items {
            if !wanted(raw.item.class) {
                continue;
            }
            let mut item = raw.item.clone();
            let steady = |v: &VarId| {
                let var = known.unit.var(*v);
                let own = matches!(var.storage, Storage::Local | Storage::Param);
                let safe = own && !var.address_taken || matches!(var.ty, Type::Array(_));
                !inside.contains(v) && !self.written.contains(v) && (safe || !self.stores)
            };
            if matches!(item.place, Place::Exactly(_) | Place::Freed(_))
                && !raw.by.iter().all(steady)
            {
                // The first variable is what the lvalue begins with.
                item.place = match raw.by.first() {
                    Some(v) if matches!(known.unit.var(*v).ty, Type::Array(_)) => {
                        Place::Variable(*v)
                    }
                    _ => Place::Class,
                };
            }
            if let Place::Variable(v) = item.place
                && inside.contains(&v)
            {
                item.place = Place::Class;
            }
            match out
                .iter_mut()
                .find(|o| o.place == item.place && o.class == item.class)
            {
                Some(o) => o.writes |= item.writes,
                None => out.push(item),
            }
        }
        out
    }

    /// Whether a call of a function that says what it uses is the last that uses anything: what
    /// else there is belongs to its arguments.
    pub fn may_follow(&self, wanted: impl Fn(Class) -> bool) -> bool {
        let others = self.items.iter().filter(|r| !r.argument);
        let mut others = others.filter(|r| wanted(r.item.class));
        self.follows == 1 && !self.unknown && others.next().is_none()
    }

    /// The same as what a function does.
    pub fn summary(&self, known: &Known, follows: bool) -> Summary {
        let mut uses: HashMap<(Class, Option<VarId>), bool> = HashMap::new();
        for raw in &self.items {
            let named = match raw.item.place {
                Place::Variable(v) => Some(v),
                Place::Exactly(_) => raw
                    .by
                    .first()
                    .copied()
                    .filter(|v| matches!(known.unit.var(*v).ty, Type::Array(_))),
                _ => None,
            };
            if let Some(v) = named
                && matches!(known.unit.var(v).storage, Storage::Local | Storage::Param)
            {
                continue;
            }
            // Elsewhere the name may be another's.
            let named = named.filter(|v| is_named_alone(known, *v));
            *uses.entry((raw.item.class, named)).or_default() |= raw.item.writes;
        }
        Summary {
            uses,
            unknown: self.unknown,
            follows,
        }
    }
}

/// Whether the text of an lvalue is one: not where it is the operand of a cast, whose text it has then.
fn is_named(text: &str) -> bool {
    let first = text.trim_start().chars().next();
    first.is_some_and(|c| c.is_alphabetic() || c == '_' || c == '*')
}

/// Whether a variable of the file is what its name means in all functions.
fn is_named_alone(known: &Known, v: VarId) -> bool {
    let var = known.unit.var(v);
    let same = known.unit.vars.iter().filter(|o| o.name == var.name);
    let functions = known.unit.functions.iter();
    let before_all = functions.clone().all(|f| var.span.start < f.span.start);
    var.is_global() && before_all && same.count() == 1
}
