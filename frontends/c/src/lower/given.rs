//! Integers outside of a region that are computed from others once: `int w = nx + 2;`.
//!
//! A region takes the scalars that it uses as arguments, of which nothing is known but their types.
//! With `w` an argument of its own, nobody would see that `i * w + j` stays within a row for `j` up to
//! `nx`. So such a variable is computed in the region from what it was computed from outside.
//!
//! Legal where neither it nor anything in that expression ever gets another value.

use rustc_hash::{FxHashMap, FxHashSet};

use super::env::Cell;
use super::place::Object;
use super::{Lowerer, Result, walk};
use crate::hir::{BinaryOp, Expr, ExprKind, Init, Span, Stmt, StmtKind, Storage, Unit, VarId};
use crate::types::Type;

/// The most steps from a variable to those that it is computed from.
const MAX_STEPS: usize = 8;

/// What the variables of a function are computed from, where they get one value.
struct Given<'h> {
    unit: &'h Unit,
    values: FxHashMap<VarId, &'h Expr>,
    /// Those that get another value than the first, or whose address is taken.
    changed: FxHashSet<VarId>,
}

impl<'h> Given<'h> {
    fn of(unit: &'h Unit, body: &'h Stmt, region: &Stmt) -> Given<'h> {
        let mut given = Given {
            unit,
            values: FxHashMap::default(),
            changed: FxHashSet::default(),
        };
        walk::stmts(body, &mut |s| {
            if let StmtKind::Decl(list) = &s.kind {
                for (v, init) in list {
                    if let Some(Init::Expr(e)) = init {
                        given.set(*v, e);
                    }
                }
            }
        });
        // Assignments that surely have run: statements of the function itself in front.
        let mut surely: Vec<*const Expr> = Vec::new();
        if let StmtKind::Block(all) = &body.kind {
            let before = all.iter().filter(|s| s.span.end <= region.span.start);
            for s in before {
                if let StmtKind::Expr(e) = &s.kind {
                    surely.push(e);
                }
            }
        }
        walk::exprs(body, &mut |e| match &e.kind {
            ExprKind::Assign { target, value } => {
                if let ExprKind::Var(v) = target.kind {
                    match surely.contains(&std::ptr::from_ref(e)) {
                        true => given.set(v, value),
                        false => {
                            given.changed.insert(v);
                        }
                    }
                }
            }
            ExprKind::CompoundAssign { target: t, .. }
            | ExprKind::IncDec { target: t, .. }
            | ExprKind::AddressOf(t) => {
                if let ExprKind::Var(v) = t.kind {
                    given.changed.insert(v);
                }
            }
            _ => {}
        });
        given
    }

    fn set(&mut self, v: VarId, e: &'h Expr) {
        if self.values.insert(v, e).is_some() {
            self.changed.insert(v);
        }
    }

    /// Whether a variable has one value for all of the time.
    fn is_fixed(&self, v: VarId) -> bool {
        let var = self.unit.var(v);
        let set = match var.storage {
            Storage::Param => !self.values.contains_key(&v),
            Storage::Local => self.values.contains_key(&v),
            _ => false,
        };
        set && !var.is_volatile && !var.address_taken && !self.changed.contains(&v)
    }

    /// What a variable is computed from, if that is a sum or product of fixed ones without
    /// overflow.
    fn value(&self, v: VarId) -> Option<&'h Expr> {
        let value = *self.values.get(&v)?;
        let computed = matches!(self.unit.var(v).storage, Storage::Local) && self.is_fixed(v);
        let plain = signed_bits(&self.unit.var(v).ty).is_some();
        (computed && plain && self.is_plain(value, MAX_STEPS)).then_some(value)
    }

    fn is_plain(&self, e: &Expr, steps: usize) -> bool {
        let (Some(bits), Some(steps)) = (signed_bits(&e.ty), steps.checked_sub(1)) else {
            return false;
        };
        match &e.kind {
            ExprKind::Int(_) => true,
            ExprKind::Var(v) => self.is_fixed(*v),
            ExprKind::Neg(x) => self.is_plain(x, steps),
            // One that may lose bits is none.
            ExprKind::Cast(x) => {
                signed_bits(&x.ty).is_some_and(|b| b <= bits) && self.is_plain(x, steps)
            }
            ExprKind::Binary { op, lhs, rhs } => {
                matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul)
                    && self.is_plain(lhs, steps)
                    && self.is_plain(rhs, steps)
            }
            _ => false,
        }
    }
}

fn signed_bits(ty: &Type) -> Option<u8> {
    match ty {
        Type::Int(i) if i.signed => Some(i.bits),
        _ => None,
    }
}

fn mentioned(e: &Expr) -> Vec<VarId> {
    let mut found = Vec::new();
    walk::expr(e, &mut |e| {
        if let ExprKind::Var(v) = e.kind {
            found.push(v);
        }
    });
    found
}

impl Lowerer<'_> {
    /// Computes such variables that the region uses, in front of all else.
    pub(super) fn given_scalars(&mut self, s: &Stmt) -> Result<()> {
        let unit = self.unit;
        let body = &unit.functions[self.function].body;
        let given = Given::of(unit, body, s);
        let mut used = Vec::new();
        walk::exprs(s, &mut |e| {
            if let ExprKind::Var(v) = e.kind {
                used.push(v);
            }
        });
        for v in used {
            self.given_scalar(&given, v, s, MAX_STEPS)?;
        }
        Ok(())
    }

    fn given_scalar(&mut self, given: &Given, v: VarId, s: &Stmt, steps: usize) -> Result<()> {
        let var = self.unit.var(v);
        let within = s.span.start <= var.span.start && var.span.end <= s.span.end;
        let known = self.objects.contains_key(&v) || self.constants.contains_key(&v);
        let Some(value) = given.value(v).filter(|_| !within && !known && steps > 0) else {
            return Ok(());
        };
        let all = mentioned(value);
        // Another variable of that name may stand between.
        if !all.iter().all(|v| self.is_only_of_its_name(*v)) {
            return Ok(());
        }
        for v in all {
            self.given_scalar(given, v, s, steps - 1)?;
        }
        let computed = self.expr(value)?;
        let cell = self.cell(Cell {
            root: Some(v),
            path: Vec::new(),
            ty: Some(var.ty.clone()),
            name: var.name.clone(),
        });
        self.env.cells[cell.0] = Some(computed);
        self.objects.insert(v, Object::Cell(cell));
        Ok(())
    }

    fn is_only_of_its_name(&self, v: VarId) -> bool {
        let name = &self.unit.var(v).name;
        let function = self.unit.functions[self.function].span;
        let inside = |s: Span| function.start <= s.start && s.end <= function.end;
        let vars = self.unit.vars.iter();
        vars.filter(|o| o.name == *name && inside(o.span)).count() == 1
    }
}
