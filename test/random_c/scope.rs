//! What a program being made has in scope, and what of it may be read and written where.

use super::expr::{Expr, Kind, Part};
use super::rng::Rng;
use super::types::Ty;
use std::collections::BTreeMap;

/// A variable or parameter: what clauses name, and what aliases.
#[derive(Clone, Debug)]
pub struct Base {
    pub name: String,
    /// As a data clause names it.
    pub clause: String,
    /// Bases of one group may be the same memory.
    pub group: usize,
    pub scalar: bool,
    pub pointer: bool,
    pub class: Class,
    /// Text of its type, where it can be copied by assignment.
    pub ty: String,
}

/// What floats of a base are for where sums may be reordered: what is added up must be exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Only read; small multiples of a quarter.
    Input,
    /// Exact sums.
    Sum,
    /// Assigned from inputs, never read for other floats.
    Result,
    /// A local variable: assigned from inputs.
    Local,
}

/// How to come to a number in a base.
#[derive(Clone, Debug)]
pub enum Step {
    Text(String),
    Dim(i128),
}

/// Numbers of one type within a base.
#[derive(Clone, Debug)]
pub struct Object {
    pub base: usize,
    pub path: Vec<Step>,
    pub ty: Ty,
    pub lo: i128,
    pub hi: i128,
    /// Never written.
    pub fixed: bool,
    pub counter: bool,
}

impl Object {
    /// Numbers of which all values of the type may occur, and that statements may write.
    pub fn of(base: usize, path: Vec<Step>, ty: Ty) -> Object {
        let (lo, hi) = if ty.is_float() { (0, 0) } else { ty.range() };
        Object {
            base,
            path,
            ty,
            lo,
            hi,
            fixed: false,
            counter: false,
        }
    }

    pub fn dims(&self) -> Vec<i128> {
        let dim = |s: &Step| match s {
            Step::Dim(d) => Some(*d),
            Step::Text(_) => None,
        };
        self.path.iter().filter_map(dim).collect()
    }

    pub fn scalar(&self) -> bool {
        self.dims().is_empty()
    }
}

/// What statements may do with a base.
#[derive(Clone, Debug)]
pub enum Role {
    Free,
    Read,
    /// Each iteration of the loops said to be independent has elements of its own.
    Own(Vec<Own>),
    /// Only updated by one operation, and not read.
    Reduce,
    Hidden,
}

/// A subscript of an iteration's own.
#[derive(Clone, Debug)]
pub enum Own {
    Exactly(Expr),
    /// This times the number, plus anything below it.
    Row(Expr, i128),
}

/// A helper function of the file.
#[derive(Clone, Debug)]
pub struct Helper {
    pub name: String,
    pub ret: Ty,
    pub params: Vec<Ty>,
    /// A pointer before the others: to what, and how many elements of it are touched.
    pub pointer: Option<(Ty, i128)>,
    /// Whether it changes globals.
    pub effects: bool,
}

/// A program in the making.
pub struct Gen {
    pub rng: Rng,
    pub bases: Vec<Base>,
    pub objects: Vec<Object>,
    pub helpers: Vec<Helper>,
    pub roles: BTreeMap<usize, Role>,
    /// Bases from this one on are local to the iteration of a loop said to be independent.
    pub local_from: Option<usize>,
    /// Whether sums of floats may be reordered.
    pub reordered: bool,
    /// Whether functions with effects may be called.
    pub effects: bool,
    pub can_break: bool,
    pub can_continue: bool,
    /// How many loops are around.
    pub loops: usize,
    /// An upper bound of iterations so far.
    pub trips: i128,
    pub fresh: usize,
    /// Statements that may still be made.
    pub budget: isize,
    /// Structs of the file: the name, and the ways to its numbers.
    pub structs: Vec<(String, Vec<(Vec<Step>, Ty)>)>,
    /// Whether the statement made is in a region.
    pub in_region: bool,
    /// Scalars that lie on the device by `enter data`: constructs have to name them.
    pub present: Vec<usize>,
}

impl Gen {
    pub fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    pub fn role(&self, base: usize) -> Role {
        match self.roles.get(&base) {
            Some(r) => r.clone(),
            None => match self.local_from {
                Some(first) if base < first => Role::Read,
                _ => Role::Free,
            },
        }
    }

    pub fn base(&mut self, name: &str, ty: &str, scalar: bool, class: Class) -> usize {
        let group = self.bases.len();
        self.bases.push(Base {
            name: name.into(),
            clause: name.into(),
            group,
            scalar,
            pointer: false,
            class,
            ty: ty.into(),
        });
        group
    }

    /// A scalar variable in scope.
    pub fn scalar(&mut self, name: &str, ty: Ty, fixed: bool) -> usize {
        let base = self.base(name, ty.name(), true, Class::Local);
        self.objects.push(Object {
            fixed,
            ..Object::of(base, vec![Step::Text(name.into())], ty)
        });
        self.objects.len() - 1
    }

    pub fn counter(&mut self, name: &str, ty: Ty, lo: i128, hi: i128) -> usize {
        let o = self.scalar(name, ty, true);
        self.objects[o].counter = true;
        self.objects[o].lo = lo;
        self.objects[o].hi = hi.max(lo);
        o
    }

    /// Objects that may be read.
    pub fn readable(&self) -> Vec<usize> {
        let may = |o: &usize| {
            matches!(
                self.role(self.objects[*o].base),
                Role::Free | Role::Read | Role::Own(_)
            )
        };
        (0..self.objects.len()).filter(may).collect()
    }

    /// Objects that may be written as one likes, in elements of one's own.
    pub fn writable(&self) -> Vec<usize> {
        let may = |o: &usize| {
            let object = &self.objects[*o];
            let by_class = !self.reordered
                || !object.ty.is_float()
                || self.bases[object.base].class != Class::Input;
            !object.fixed && by_class && matches!(self.role(object.base), Role::Free | Role::Own(_))
        };
        (0..self.objects.len()).filter(may).collect()
    }

    /// An element of an object.
    pub fn place(&mut self, object: usize) -> Expr {
        let o = self.objects[object].clone();
        let own = match self.role(o.base) {
            Role::Own(own) => own,
            _ => Vec::new(),
        };
        let mut parts = Vec::new();
        let mut dim = 0;
        for s in &o.path {
            parts.push(match s {
                Step::Text(t) => Part::Text(t.clone()),
                Step::Dim(d) => {
                    let sub = match own.get(dim) {
                        Some(Own::Exactly(e)) => e.clone(),
                        Some(Own::Row(e, width)) => {
                            let within = self.subscript(*width);
                            let width = Expr::number(*width);
                            let row = Expr::binary("*", e.clone(), width);
                            row.and_then(|row| Expr::binary("+", row, within))
                                .expect("rows are small")
                        }
                        None => self.subscript(*d),
                    };
                    dim += 1;
                    Part::Subscript(sub)
                }
            });
        }
        Expr::new(Kind::Place(parts), o.ty, o.lo, o.hi)
    }
}
