//! Statements but for loops.

use terrace_dialects::arith;
use terrace_ir::Value;

use super::core::Exit;
use super::env::CellId;
use super::walk::always_leaves;
use super::{Lowerer, Refusal, Result};
use crate::hir::{Arm, BinaryOp, Expr, Leaves, Stmt, StmtKind};
use crate::types::Type;

impl Lowerer<'_> {
    /// One statement, whole.
    pub fn stmt(&mut self, s: &Stmt) -> Result<()> {
        self.stmts(&[s])
    }

    /// Statements in a row. What follows a statement that may leave runs only if it
    /// did not.
    pub fn stmts(&mut self, list: &[&Stmt]) -> Result<()> {
        let mut list: Vec<&Stmt> = list.to_vec();
        let mut next = 0;
        while next < list.len() {
            let s = list[next];
            next += 1;
            // A block's statements stand for it.
            if let StmtKind::Block(inner) = &s.kind
                && s.directives.is_empty()
            {
                let rest = list.split_off(next);
                list.truncate(next - 1);
                next = list.len();
                list.extend(inner);
                list.extend(rest);
                continue;
            }
            let leaves = Leaves::of(s);
            if !leaves.any() {
                self.one(s)?;
                continue;
            }
            if matches!(
                s.kind,
                StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)
            ) {
                return self.one(s);
            }
            let rest = list.split_off(next);
            if let StmtKind::If {
                cond,
                then,
                otherwise,
            } = &s.kind
                && s.directives.is_empty()
                && (always_leaves(then) || otherwise.as_ref().is_some_and(|o| always_leaves(o)))
            {
                return self.leaving_if(cond, then, otherwise.as_deref(), &rest, s);
            }
            self.one(s)?;
            if rest.is_empty() {
                return Ok(());
            }
            let go_on = self.not_left(leaves);
            return self.branch(
                go_on,
                |l| l.stmts(&rest),
                None::<fn(&mut Self) -> Result<()>>,
            );
        }
        Ok(())
    }

    /// `if (c) leave; rest` as `if (c) leave else rest`.
    fn leaving_if(
        &mut self,
        cond: &Expr,
        then: &Stmt,
        otherwise: Option<&Stmt>,
        rest: &[&Stmt],
        s: &Stmt,
    ) -> Result<()> {
        self.enter(s.span)?;
        let loc = self.at(s.span);
        let c = self.condition(cond)?;
        let (mut a, mut b) = (vec![then], Vec::new());
        b.extend(otherwise);
        if always_leaves(then) {
            b.extend(rest);
        } else {
            a.extend(rest);
        }
        self.branch(c, |l| l.stmts(&a), Some(|l: &mut Self| l.stmts(&b)))?;
        self.loc = loc;
        self.leave();
        Ok(())
    }

    /// That none of these ways out was taken.
    pub fn not_left(&mut self, leaves: Leaves) -> Value {
        let mut flags: Vec<CellId> = Vec::new();
        if leaves.breaks {
            flags.extend(self.exits.stack.last().map(|e| e.broken));
        }
        if leaves.continues {
            let continued = self.exits.stack.iter().rev().find_map(|e| e.continued);
            flags.extend(continued);
        }
        if leaves.returns {
            flags.extend(self.exits.returned);
        }
        let mut any: Option<Value> = None;
        for f in flags {
            let v = self.read(f);
            match self.ctx.constant_int(v) {
                Some(0) => {}
                Some(_) => return self.flag_constant(false),
                None => {
                    any = Some(match any {
                        Some(a) => self.binary(arith::OrIOp::NAME, a, v),
                        None => v,
                    });
                }
            }
        }
        match any {
            Some(a) => self.not(a),
            None => self.flag_constant(true),
        }
    }

    fn one(&mut self, s: &Stmt) -> Result<()> {
        self.enter(s.span)?;
        let loc = self.at(s.span);
        let r = self.directed(s);
        self.loc = loc;
        self.leave();
        r
    }

    /// A statement without its directives.
    pub fn undirected(&mut self, s: &Stmt) -> Result<()> {
        match &s.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Expr(e) => self.effect(e),
            StmtKind::Block(list) => {
                let all: Vec<&Stmt> = list.iter().collect();
                self.stmts(&all)
            }
            StmtKind::Decl(list) => {
                for (v, init) in list {
                    self.declare(*v, init.as_ref())?;
                }
                Ok(())
            }
            StmtKind::If {
                cond,
                then,
                otherwise,
            } => {
                if self.logical_if(cond, then, otherwise.as_deref())? {
                    return Ok(());
                }
                let c = self.condition(cond)?;
                let other = otherwise.as_deref().map(|o| move |l: &mut Self| l.stmt(o));
                self.branch(c, |l| l.stmt(then), other)
            }
            StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                self.looped(s)
            }
            StmtKind::Switch { value, arms } => self.switch(value, arms, s),
            StmtKind::Break => match self.exits.stack.last() {
                Some(e) => {
                    let flag = e.broken;
                    self.set_flag(flag, true);
                    Ok(())
                }
                None => Err(Refusal::wrong(s.span, "a break out of the region")),
            },
            StmtKind::Continue => match self.exits.stack.iter().rev().find_map(|e| e.continued) {
                Some(flag) => {
                    self.set_flag(flag, true);
                    Ok(())
                }
                None => Err(Refusal::wrong(s.span, "a continue out of the region")),
            },
            StmtKind::Return(value) => self.returns(value.as_ref(), s),
            StmtKind::Goto(_) => Err(Refusal::new(s.span, "a goto")),
            // Without a goto, which is refused, a label says nothing.
            StmtKind::Label(_, s) => self.stmt(s),
            StmtKind::Directive(d) => self.stand_alone_directive(*d),
            StmtKind::Unsupported(why) => Err(Refusal::new(s.span, why.clone())),
        }
    }

    fn returns(&mut self, value: Option<&Expr>, s: &Stmt) -> Result<()> {
        let Some(flag) = self.exits.returned else {
            return Err(Refusal::wrong(s.span, "a return out of the region"));
        };
        if let Some(e) = value {
            match self.exits.result.clone() {
                Some(to) if matches!(to.ty, Type::Record(_)) => {
                    let from = self.place(e)?;
                    self.copy_record(&to, &from, e.span)?;
                }
                Some(to) if to.ty.is_pointer() => {
                    let p = self.pointer(e)?;
                    if let super::place::Object::Pointer(id) = to.object {
                        self.env.pointers[id.0] = super::env::Target::of(p);
                    }
                }
                Some(to) => {
                    let v = self.expr(e)?;
                    self.store(&to, v, e.span)?;
                }
                None => self.effect(e)?,
            }
        }
        self.set_flag(flag, true);
        Ok(())
    }

    /// A switch: an if for each arm in turn.
    fn switch(&mut self, value: &Expr, arms: &[Arm], s: &Stmt) -> Result<()> {
        let v = self.expr(value)?;
        let broken = self.new_cell(None, "break");
        self.set_flag(broken, false);
        // Whether the switch has entered an arm before and runs on.
        let running = self.new_cell(None, "case");
        self.set_flag(running, false);
        let mut holds = Vec::new();
        let mut default = None;
        let mut any: Option<Value> = None;
        for (i, arm) in arms.iter().enumerate() {
            let mut here: Option<Value> = None;
            for label in &arm.labels {
                let Some(n) = label else {
                    default = Some(i);
                    continue;
                };
                let n = self.int_constant(*n, &value.ty, s.span)?;
                let c = self.compare(BinaryOp::Eq, v, n, &value.ty);
                here = Some(self.either(here, c));
                any = Some(self.either(any, c));
            }
            holds.push(here);
        }
        if let Some(i) = default {
            let other = match any {
                Some(a) => self.not(a),
                None => self.flag_constant(true),
            };
            holds[i] = Some(self.either(holds[i], other));
        }
        self.exits.stack.push(Exit {
            broken,
            continued: None,
        });
        let r = self.arms(arms, &holds, running);
        self.exits.stack.pop();
        r
    }

    fn either(&mut self, a: Option<Value>, b: Value) -> Value {
        match a {
            Some(a) => self.binary(arith::OrIOp::NAME, a, b),
            None => b,
        }
    }

    fn arms(&mut self, arms: &[Arm], holds: &[Option<Value>], running: CellId) -> Result<()> {
        let mut leaves = Leaves::default();
        // Whether control may come into this arm from the one before.
        let mut falls = false;
        for (i, arm) in arms.iter().enumerate() {
            let mut body: Vec<&Stmt> = Vec::new();
            flatten(&arm.body, &mut body);
            // A break at the end is where the arm ends anyway.
            let cut = body
                .iter()
                .position(|s| matches!(s.kind, StmtKind::Break) && s.directives.is_empty());
            let ends = cut.is_some() || body.iter().any(|s| always_leaves(s));
            if let Some(c) = cut {
                body.truncate(c);
            }
            let enter = match (holds[i], falls) {
                (Some(h), true) => {
                    let r = self.read(running);
                    Some(self.binary(arith::OrIOp::NAME, h, r))
                }
                (Some(h), false) => Some(h),
                (None, true) => Some(self.read(running)),
                (None, false) => None,
            };
            let Some(enter) = enter else {
                continue;
            };
            let enter = match leaves.any() {
                true => {
                    let on = self.not_left(leaves);
                    self.binary(arith::AndIOp::NAME, enter, on)
                }
                false => enter,
            };
            let last = i + 1 == arms.len();
            self.branch(
                enter,
                |l| {
                    l.stmts(&body)?;
                    // What left does not run on; flags say so. The end of the arm does.
                    l.set_flag(running, !ends);
                    Ok(())
                },
                None::<fn(&mut Self) -> Result<()>>,
            )?;
            falls = !ends && !last;
            for s in &body {
                let of = Leaves::of(s);
                leaves.breaks |= of.breaks;
                leaves.continues |= of.continues;
                leaves.returns |= of.returns;
            }
        }
        Ok(())
    }
}

/// Statements with those of plain blocks in their place.
fn flatten<'h>(list: &'h [Stmt], out: &mut Vec<&'h Stmt>) {
    for s in list {
        match &s.kind {
            StmtKind::Block(inner) if s.directives.is_empty() => flatten(inner, out),
            _ => out.push(s),
        }
    }
}
