//! Loops: what they carry, and those that are not counted.

use rustc_hash::FxHashMap;
use terrace_dialects::arith;
use terrace_dialects::scf;
use terrace_ir::{Block, Op, OpKind, Value};

use super::core::Exit;
use super::env::{CellId, PointerId, Target};
use super::place::Object;
use super::targets::Common;
use super::walk::{Changes, expr as walk_expr};
use super::{Lowerer, Refusal, Result};
use crate::hir::{Expr, ExprKind, Leaves, Stmt, StmtKind, VarId};

/// What a loop hands from one iteration to the next.
#[derive(Debug, Default, Clone)]
pub struct Carried {
    pub cells: Vec<CellId>,
    pub pointers: Vec<(PointerId, Common)>,
    /// Pointers that are moved to other objects in the loop: not known at its start.
    pub unknown: Vec<PointerId>,
    /// How many cells and pointers there are before the loop.
    pub known: (usize, usize),
}

/// Pointers that a loop moves to other objects, or to null, than they had before it, with what
/// they have in common; `None` if that is nothing.
pub type Moves = FxHashMap<PointerId, Option<Common>>;

/// Why lowering a loop has to be tried again: these pointers point elsewhere after an
/// iteration.
pub struct Moved(pub Moves);

impl Lowerer<'_> {
    /// A loop of any kind.
    pub fn looped(&mut self, s: &Stmt) -> Result<()> {
        if let StmtKind::For {
            init: Some(init), ..
        } = &s.kind
        {
            self.stmt(init)?;
        }
        let mut moved = Moves::default();
        let directive = self.directive.take().or_else(|| self.forced_directive());
        // What is made at the start of the block, or behind its last op, while the loop is lowered may
        // be used later, too: it comes in front of this.
        let mark = self.mark();
        let done = self.tried(s, directive.as_ref(), &mut moved);
        if let Some(mark) = mark {
            mark.erase(self.ctx);
        }
        done
    }

    /// An op at the end of the block that nothing uses.
    fn mark(&mut self) -> Option<Op> {
        let no = self.ctx.bool_attr(false);
        arith::constant(&mut self.b(), no).def_op()
    }

    /// Lowers a loop as often as pointers turn out to be moved in it in ways not known before.
    fn tried(
        &mut self,
        s: &Stmt,
        directive: Option<&super::clauses::LoopDirective>,
        moved: &mut Moves,
    ) -> Result<()> {
        loop {
            let env = self.env.clone();
            let last = self.block.last_op(self.ctx);
            self.directive = directive.cloned();
            let done = match self.counted(s, moved)? {
                Some(r) => r,
                None => self.uncounted(s, moved)?,
            };
            let Err(Moved(more)) = done else {
                return Ok(());
            };
            if more.iter().all(|(id, c)| moved.get(id) == Some(c)) {
                return Err(Refusal::new(
                    s.span,
                    "a pointer that may point to several arrays",
                ));
            }
            moved.extend(more);
            // Take back what was made.
            let mut ops = self.block.ops(self.ctx);
            if let Some(l) = last {
                let at = ops.iter().position(|o| *o == l).map_or(0, |i| i + 1);
                ops.drain(..at);
            }
            for op in ops.into_iter().rev() {
                op.erase(self.ctx);
            }
            self.env = self.grown(env);
        }
    }

    /// What a loop carries that changes these things.
    pub fn carried(&self, changes: &Changes, moved: &Moves) -> Carried {
        let mut c = Carried {
            known: (self.cells.len(), self.pointers.len()),
            ..Carried::default()
        };
        for (i, cell) in self.cells.iter().enumerate() {
            let through = !changes.stored.is_empty() && self.is_pointed_at(CellId(i));
            if through || changes.changes(cell.root, &cell.path) {
                c.cells.push(CellId(i));
            }
        }
        for (i, p) in self.pointers.iter().enumerate() {
            if !changes.changes(p.root, &p.path) {
                continue;
            }
            self.carry_pointer(&mut c, PointerId(i), moved);
        }
        c
    }

    /// Adds a pointer to what a loop carries.
    fn carry_pointer(&self, c: &mut Carried, id: PointerId, moved: &Moves) {
        let common = match moved.get(&id) {
            Some(found) => found.clone(),
            None => self.at_start(id),
        };
        match common {
            Some(common) => c.pointers.push((id, common)),
            None => c.unknown.push(id),
        }
    }

    /// Whether a pointer leads to a scalar that is a value, so that a store through it changes
    /// that value.
    pub fn is_pointed_at(&self, cell: CellId) -> bool {
        self.env.pointers.iter().any(|t| match t {
            Target::Known { object, .. } => match object {
                Object::Cell(c) => *c == cell,
                Object::Outer(id) => self.outers[*id].cell == Some(cell),
                _ => false,
            },
            _ => false,
        })
    }

    /// Names the arguments of a block that stand for carried variables, from argument
    /// `first` on.
    pub fn name_carried(&mut self, c: &Carried, block: Block, first: usize) {
        for (k, cell) in c.cells.iter().enumerate() {
            let loc = self.loc.named(self.ctx, &self.cells[cell.0].name);
            block.set_arg_loc(self.ctx, first + k, loc);
        }
    }

    /// The values carried, as they are now.
    pub fn carried_values(&mut self, c: &Carried) -> Vec<Value> {
        let mut v: Vec<Value> = c.cells.iter().map(|c| self.read(*c)).collect();
        for (p, common) in &c.pointers {
            let target = self.env.pointers[p.0].clone();
            v.extend(self.target_values(common, &target));
        }
        v
    }

    /// Makes the carried values these; `head` is at the start of an iteration.
    pub fn set_carried(&mut self, c: &Carried, values: &[Value], head: bool) {
        for (cell, v) in c.cells.iter().zip(values) {
            self.env.cells[cell.0] = Some(*v);
        }
        let mut rest = values.iter().skip(c.cells.len()).copied();
        for (p, common) in &c.pointers {
            self.env.pointers[p.0] = common.target(&mut rest);
        }
        for p in &c.unknown {
            if self.env.pointers[p.0] != Target::Unset || !head {
                self.env.pointers[p.0] = Target::Several;
            }
        }
    }

    /// The pointers that after an iteration of a loop are something else than it carries;
    /// what is of the loop's own is gone behind it.
    pub fn moved(&self, c: &Carried, of: Op) -> Moves {
        let mut gone = Moves::default();
        for (p, common) in &c.pointers {
            let now = &self.env.pointers[p.0];
            if !common.holds(now) {
                let both = self.widened(common, now);
                let both = both.filter(|b| self.outlives(b, of, c.known));
                gone.insert(*p, both);
            }
        }
        gone
    }

    /// A loop as `scf.while`.
    fn uncounted(&mut self, s: &Stmt, moved: &Moves) -> Result<std::result::Result<(), Moved>> {
        let (cond, step, body, first) = match &s.kind {
            StmtKind::For {
                cond, step, body, ..
            } => (cond.as_ref(), step.as_ref(), body, false),
            StmtKind::While { cond, body } => (Some(cond), None, body, false),
            StmtKind::DoWhile { body, cond } => (Some(cond), None, body, true),
            _ => return Err(Refusal::fault(s.span, "no loop")),
        };
        let mut directive = self.directive.take();
        if self.gang.is_some() && directive.as_ref().is_some_and(|d| d.gangs) {
            let what = "a loop that several gangs share and whose iterations are not counted";
            return Err(Refusal::wrong(s.span, what));
        }
        let mut changes = Changes::of_stmt(self.unit, body);
        for e in cond.iter().chain(&step) {
            changes.expr(self.unit, e);
            // What decides how the loop goes on belongs to the loop, not an iteration.
            walk_expr(e, &mut |e| {
                if let (Some(d), ExprKind::Var(v)) = (&mut directive, &e.kind) {
                    d.private.retain(|p| p != v);
                }
            });
        }
        let leaves = Leaves::of(body);
        let exit = Exit {
            broken: self.new_cell(None, "break"),
            continued: Some(self.new_cell(None, "continue")),
        };
        self.set_flag(exit.broken, false);
        let mut c = self.carried(&changes, moved);
        if leaves.breaks {
            c.cells.push(exit.broken);
        }
        if leaves.returns {
            c.cells.extend(self.exits.returned);
            c.cells.extend(&self.exits.result_cells);
            if let Some(Object::Pointer(id)) = self.exits.result.as_ref().map(|r| &r.object) {
                self.carry_pointer(&mut c, *id, moved);
            }
        }
        let inits = self.carried_values(&c);
        let types: Vec<_> = inits.iter().map(|v| v.ty(self.ctx)).collect();
        let (op, before, after) = scf::WhileOp::build(&mut self.b(), &inits, &types);
        if let Some(d) = &directive {
            self.mark_loop(op.op(), d);
        }
        let (outside, loc) = (self.block, self.loc);
        self.exits.stack.push(exit);
        let out = Leaves {
            continues: false,
            ..leaves
        };

        self.name_carried(&c, before, 0);
        self.name_carried(&c, after, 0);
        self.block = before;
        let args = before.args(self.ctx);
        self.set_carried(&c, &args, true);
        if first {
            self.iteration(body, exit, directive.as_ref())?;
        }
        let go = self.goes_on(cond, out)?;
        let values = self.carried_values(&c);
        let gone = self.moved(&c, op.op());
        scf::ConditionOp::build(&mut self.b(), go, &values);
        if !gone.is_empty() {
            self.exits.stack.pop();
            self.block = outside;
            return Ok(Err(Moved(gone)));
        }
        let at_condition = self.env.clone();

        self.block = after;
        let args = after.args(self.ctx);
        self.set_carried(&c, &args, true);
        if !first {
            self.iteration(body, exit, directive.as_ref())?;
            if let Some(step) = step {
                let on = self.not_left(out);
                self.branch(on, |l| l.effect(step), None::<fn(&mut Self) -> Result<()>>)?;
            }
        }
        let values = self.carried_values(&c);
        let gone = self.moved(&c, op.op());
        self.op(scf::YieldOp::NAME, &values, &[], &[]);
        self.exits.stack.pop();
        self.block = outside;
        self.loc = loc;
        if !gone.is_empty() {
            return Ok(Err(Moved(gone)));
        }
        self.env = at_condition;
        self.env.cells.resize(self.cells.len(), None);
        self.env.pointers.resize(self.pointers.len(), Target::Unset);
        self.env.forget(c.known);
        let results = op.op().results(self.ctx);
        self.set_carried(&c, &results, false);
        Ok(Ok(()))
    }

    /// The variables that are private to an iteration of the loop with this body. All but
    /// the counters wait for the body of the innermost loop that the directive is about:
    /// between the loops the memory of one would stand in the way of making them one.
    fn private_here(&mut self, d: &super::clauses::LoopDirective, body: &Stmt) -> Vec<VarId> {
        let mut at = body;
        let mut counters = Vec::new();
        for _ in 1..d.collapse {
            match only_loop(at) {
                Some((init, inner)) => {
                    counters.extend(super::gangs::counter(init));
                    at = inner;
                }
                None => return d.private.clone(),
            }
        }
        if at.span == body.span {
            return d.private.clone();
        }
        let is_counter = |v: &VarId| counters.contains(v);
        let (counters, others) = d.private.iter().copied().partition(is_counter);
        self.private_inside.insert(at.span, others);
        counters
    }

    /// The body of a loop, once.
    pub fn iteration(
        &mut self,
        body: &Stmt,
        exit: Exit,
        directive: Option<&super::clauses::LoopDirective>,
    ) -> Result<()> {
        if let Some(c) = exit.continued {
            self.set_flag(c, false);
        }
        let inside = self.private_inside.get(&body.span);
        let mut private = inside.cloned().unwrap_or_default();
        if let Some(d) = directive {
            private.extend(self.private_here(d, body));
        }
        let hidden = self.privatise(&private, body.span)?;
        let inside = self.forced_inside(directive);
        let outside = std::mem::replace(&mut self.forced, inside);
        self.stmt(body)?;
        self.forced = outside;
        self.unhide(hidden);
        Ok(())
    }

    /// Whether a loop goes on: it was not left, and its condition holds.
    fn goes_on(&mut self, cond: Option<&Expr>, leaves: Leaves) -> Result<Value> {
        let on = self.not_left(leaves);
        let Some(cond) = cond else {
            return Ok(on);
        };
        if self.ctx.constant_int(on) == Some(1) {
            return self.condition(cond);
        }
        if self.is_plain(cond) {
            let c = self.condition(cond)?;
            return Ok(self.binary(arith::AndIOp::NAME, on, c));
        }
        let cell = self.new_cell(None, "while");
        self.set_flag(cell, false);
        self.branch(
            on,
            |l| {
                let v = l.condition(cond)?;
                l.env.cells[cell.0] = Some(v);
                Ok(())
            },
            None::<fn(&mut Self) -> Result<()>>,
        )?;
        Ok(self.read(cell))
    }
}

/// The start and the body of the loop that is all there is in a statement.
fn only_loop(s: &Stmt) -> Option<(Option<&Stmt>, &Stmt)> {
    match &s.kind {
        StmtKind::For { init, body, .. } => Some((init.as_deref(), body)),
        StmtKind::Block(list) => {
            let mut real = list.iter().filter(|s| !matches!(s.kind, StmtKind::Empty));
            match (real.next(), real.next()) {
                (Some(one), None) => only_loop(one),
                _ => None,
            }
        }
        _ => None,
    }
}
