//! What the condition of an `scf.if` says about the iterations that run what is in it.
//!
//! C computes conditions in 32 bits: `i < n - 1` is a fact about loop variables only if nothing
//! in it wraps around. That is proved from the bounds of the loops around, comparison by
//! comparison; what cannot be proved says nothing.

use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate, overflow, overflow_of};
use terrace_dialects::scf;
use terrace_ir::{Context, Op, OpKind, Value};
use terrace_presburger::{Conjunct, Int, Space};

use super::Program;
use super::linear::{Linear, System, Var, add_system};
use super::params::{Param, Params};
use super::values::{View, linear};

/// How deep truth values are followed to the comparisons that they are made of, and numbers to
/// what computes them.
const MAX_DEPTH: u32 = 16;

/// Comparisons, and whether each holds, wherever a truth value is `holds`.
pub(crate) fn implied(ctx: &Context, truth: Value, holds: bool) -> Vec<(CmpIOp, bool)> {
    let mut found = Vec::new();
    collect(ctx, truth, holds, MAX_DEPTH, &mut found);
    found
}

fn collect(ctx: &Context, truth: Value, holds: bool, depth: u32, found: &mut Vec<(CmpIOp, bool)>) {
    let Some(op) = truth.def_op().filter(|_| depth > 0) else {
        return;
    };
    let mut follow = |v, holds| collect(ctx, v, holds, depth - 1, found);
    // Of a choice between a truth value and a constant that is the other one.
    let mut choose = |condition, yes, no| {
        let never = |v| ctx.constant_int(v).is_some_and(|c| (c != 0) != holds);
        if never(no) {
            follow(condition, true);
            follow(yes, holds);
        } else if never(yes) {
            follow(condition, false);
            follow(no, holds);
        }
    };
    match op.name(ctx) {
        CmpIOp::NAME => found.push((CmpIOp::wrap(op), holds)),
        arith::AndIOp::NAME if holds => op.operands(ctx).into_iter().for_each(|v| follow(v, true)),
        arith::OrIOp::NAME if !holds => op.operands(ctx).into_iter().for_each(|v| follow(v, false)),
        arith::XOrIOp::NAME => {
            let (a, b) = (op.operand(ctx, 0), op.operand(ctx, 1));
            if let Some(c) = ctx.constant_int(b) {
                follow(a, holds != (c != 0));
            }
        }
        arith::SelectOp::NAME => {
            choose(op.operand(ctx, 0), op.operand(ctx, 1), op.operand(ctx, 2));
        }
        scf::IfOp::NAME => {
            let whole = scf::IfOp::wrap(op);
            let at = op.results(ctx).iter().position(|r| *r == truth);
            let ways = [Some(whole.then_block(ctx)), whole.else_block(ctx)];
            let [yes, no] = ways.map(|b| Some(b?.terminator(ctx)?.operand(ctx, at?)));
            if let (Some(yes), Some(no)) = (yes, no) {
                choose(whole.condition(ctx), yes, no);
            }
        }
        _ => {}
    }
}

/// A comparison of integers that are linear in the loops around.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// How `form` compares with 0 where it holds; never an unsigned one.
    pub predicate: CmpIPredicate,
    /// Over values of the program.
    pub form: crate::analysis::linear::Linear,
    /// What it is in every iteration, if that is the same.
    pub always: Option<bool>,
}

impl Program {
    /// A comparison as the loops and conditions around it see it, where nothing in it wraps
    /// around.
    pub(crate) fn comparison(&mut self, ctx: &Context, compare: CmpIOp) -> Option<Comparison> {
        let [a, b] = [0, 1].map(|i| compare.op().operand(ctx, i));
        self.compared(ctx, compare.op(), (compare.predicate(ctx)?, a, (1, b)))
    }

    /// The comparison of one value with a multiple of another, as it would be at `at`.
    pub(crate) fn compared(&mut self, ctx: &Context, at: Op, what: Compared) -> Option<Comparison> {
        let domain = self.domain_of(ctx, at);
        let ivs = domain.ivs();
        let mut place = self.place(ctx, at, &ivs);
        let pieces = domain.pieces.iter();
        let form = the_same(pieces.map(|p| place.difference(p, what)))?;
        let (predicate, form) = &form;
        let always = place.always(&domain.pieces, *predicate, form);
        let form = self.named(&domain, form)?;
        Some(Comparison {
            predicate: *predicate,
            form,
            always,
        })
    }

    /// Whether a form in values around `at` compares with 0 so in every iteration, if it is the same
    /// in all of them.
    pub(crate) fn always(
        &mut self,
        ctx: &Context,
        at: Op,
        predicate: CmpIPredicate,
        form: &crate::analysis::linear::Linear,
    ) -> Option<bool> {
        let domain = self.domain_of(ctx, at);
        let ivs = domain.ivs();
        let mut place = self.place(ctx, at, &ivs);
        let sum = the_same(domain.pieces.iter().map(|piece| {
            let mut sum = Linear::constant(form.constant);
            for (v, factor) in &form.terms {
                sum = sum.plus(*factor, &place.number(piece, *v, MAX_DEPTH)?);
            }
            Some(sum)
        }))?;
        place.always(&domain.pieces, predicate, &sum)
    }

    /// An integer as a linear form in the loops around `at`, where it is that in all iterations
    /// and does not wrap around.
    pub(crate) fn number_at(
        &mut self,
        ctx: &Context,
        at: Op,
        v: Value,
    ) -> Option<crate::analysis::linear::Linear> {
        let domain = self.domain_of(ctx, at);
        let ivs = domain.ivs();
        let mut place = self.place(ctx, at, &ivs);
        let pieces = domain.pieces.iter();
        let form = the_same(pieces.map(|p| place.number(p, v, MAX_DEPTH)))?;
        self.named(&domain, &form)
    }

    fn place<'v, 'p>(&'p mut self, ctx: &'v Context, at: Op, ivs: &'v [Value]) -> Place<'v, 'p> {
        let (root, depth) = (self.root, ivs.len());
        Place {
            view: View { ctx, root, ivs },
            params: &mut self.params,
            depth,
            at,
        }
    }
}

/// What all of them are, if that is one thing.
fn the_same<T: PartialEq>(all: impl Iterator<Item = Option<T>>) -> Option<T> {
    let all: Option<Vec<T>> = all.collect();
    let mut all = all?.into_iter();
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// A value, and a multiple of another one that it is compared with.
pub(crate) type Compared = (CmpIPredicate, Value, (i64, Value));

/// A place in the program: what is seen from it, and how many loops are around.
pub(super) struct Place<'v, 'p> {
    pub view: View<'v>,
    pub params: &'p mut Params,
    pub depth: usize,
    /// The op whose condition it is.
    pub at: Op,
}

impl Place<'_, '_> {
    /// Whether a form compares with 0 so in all iterations of the pieces, if it is the same in all
    /// of them.
    fn always(&self, pieces: &[System], predicate: CmpIPredicate, form: &Linear) -> Option<bool> {
        let never = |predicate| {
            pieces.iter().all(|piece| {
                let rest = restricted(piece.clone(), predicate, form);
                rest.iter().all(|piece| self.is_empty(piece))
            })
        };
        match (never(predicate), never(predicate.inverted())) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// The iterations of a piece in which a comparison holds, or fails; at least those.
    pub fn narrowed(&mut self, piece: System, compare: CmpIOp, holds: bool) -> Vec<System> {
        let ctx = self.view.ctx;
        let [a, b] = [0, 1].map(|i| compare.op().operand(ctx, i));
        let predicate = compare.predicate(ctx);
        let predicate = predicate.map(|p| if holds { p } else { p.inverted() });
        match predicate.and_then(|p| self.difference(&piece, (p, a, (1, b)))) {
            Some((predicate, difference)) => restricted(piece, predicate, &difference),
            None => vec![piece],
        }
    }

    /// The predicate that holds, as a signed one, and the left side less the right one.
    fn difference(
        &mut self,
        piece: &System,
        (predicate, a, (times, b)): Compared,
    ) -> Option<(CmpIPredicate, Linear)> {
        use CmpIPredicate::*;
        let a = self.number(piece, a, MAX_DEPTH)?;
        let b = Linear::default().plus(times, &self.number(piece, b, MAX_DEPTH)?);
        let predicate = match predicate {
            Eq | Ne | Slt | Sle | Sgt | Sge => predicate,
            _ if ![&a, &b]
                .iter()
                .all(|f| self.is_within(piece, f, Some(0), None)) =>
            {
                return None;
            }
            Ult => Slt,
            Ule => Sle,
            Ugt => Sgt,
            Uge => Sge,
        };
        Some((predicate, a.minus(&b)))
    }

    /// The number that a signed integer stands for, where it is a linear form in every iteration
    /// of the piece.
    fn number(&mut self, piece: &System, v: Value, depth: u32) -> Option<Linear> {
        let ctx = self.view.ctx;
        if let Some(c) = ctx.constant_int(v) {
            return Some(Linear::constant(c));
        }
        let ty = v.ty(ctx);
        let op = v.def_op();
        let width = match ty.int_width(ctx) {
            // A truth value is no number.
            Some(1) => return None,
            Some(width) if width < 64 => width,
            Some(_) => return self.wide(piece, v, depth),
            None if ty.is_index(ctx) => return self.wide(piece, v, depth),
            None => return None,
        };
        let form = match op {
            Some(op) if depth > 0 => self.computed(piece, op, depth - 1),
            _ => None,
        };
        let Some(form) = form else {
            return self.parameter(v);
        };
        // Where it would wrap around, nobody uses it.
        if op.is_some_and(|op| overflow_of(ctx, op) & overflow::NSW != 0) {
            return Some(form);
        }
        let half = 1_i64 << (width - 1);
        let fits = self.is_within(piece, &form, Some(-half), Some(half - 1));
        fits.then_some(form)
    }

    /// An index, or an integer of 64 bits, which is taken for one that does not wrap around.
    fn wide(&mut self, piece: &System, v: Value, depth: u32) -> Option<Linear> {
        let ctx = self.view.ctx;
        // Quotients would be of another system.
        let mut system = System::default();
        let view = self.view;
        let form = view.index(self.params, &mut system, v, self.at);
        let form = form.and_then(|p| linear(ctx, self.params, &p, self.at));
        if let Ok(form) = form {
            return (system.locals == 0).then_some(form);
        }
        let Some(op) = v.def_op() else {
            return self.parameter(v);
        };
        let depth = depth.checked_sub(1)?;
        match op.name(ctx) {
            arith::ExtSIOp::NAME | arith::IndexCastOp::NAME => {
                self.number(piece, op.operand(ctx, 0), depth)
            }
            // Sizes and counters are far from what wraps around; hashes and seeds are not.
            arith::AddIOp::NAME | arith::SubIOp::NAME | arith::MulIOp::NAME => {
                let form = self.computed(piece, op, depth)?;
                let is_below = |n: &Int, most| n.to_i64().is_some_and(|n| n.unsigned_abs() < most);
                let small = is_below(&form.constant, 1 << 31)
                    && form.terms.iter().all(|t| is_below(&t.1, 1 << 20));
                small.then_some(form)
            }
            _ => self.parameter(v),
        }
    }

    /// What an op computes from narrow integers, if it does not wrap around.
    fn computed(&mut self, piece: &System, op: Op, depth: u32) -> Option<Linear> {
        let ctx = self.view.ctx;
        let mut operand = |i| self.number(piece, op.operand(ctx, i), depth);
        match op.name(ctx) {
            arith::IndexCastOp::NAME | arith::TruncIOp::NAME | arith::ExtSIOp::NAME => operand(0),
            arith::AddIOp::NAME => Some(operand(0)?.plus(1, &operand(1)?)),
            arith::SubIOp::NAME => Some(operand(0)?.minus(&operand(1)?)),
            arith::MulIOp::NAME => {
                let (a, b) = (operand(0)?, operand(1)?);
                let (form, by) = if b.terms.is_empty() { (a, b) } else { (b, a) };
                let by = by.constant.to_i64().filter(|_| by.terms.is_empty())?;
                Some(Linear::default().plus(by, &form))
            }
            _ => None,
        }
    }

    /// A narrow integer that never changes, of which loops or subscripts have the index.
    fn parameter(&self, v: Value) -> Option<Linear> {
        let ctx = self.view.ctx;
        let casts = v.users(ctx).into_iter();
        let casts = casts.filter(|u| u.isa::<arith::IndexCastOp>(ctx));
        let mut params = casts.filter_map(|u| self.params.find(&Param::Value(u.result(ctx, 0))));
        Some(Linear::var(Var::Param(params.next()? as u32)))
    }

    /// Whether a form is from `least` to `most` in every iteration of the piece.
    fn is_within(
        &self,
        piece: &System,
        form: &Linear,
        least: Option<i64>,
        most: Option<i64>,
    ) -> bool {
        let below = least.map(|n| form.negated().plus_constant(n).plus_constant(-1));
        let above = most.map(|n| form.plus_constant(-n).plus_constant(-1));
        let mut outside = below.into_iter().chain(above);
        outside.all(|form| {
            let mut piece = piece.clone();
            piece.add_inequality(form);
            self.is_empty(&piece)
        })
    }

    /// Whether no iteration is in the piece, as far as is known.
    fn is_empty(&self, piece: &System) -> bool {
        let params = self.params.len();
        let mut c = Conjunct::universe(Space::set(params, self.depth));
        add_system(&mut c, self.params.facts(), params);
        add_system(&mut c, &self.ranges(), params);
        add_system(&mut c, piece, params);
        c.is_empty() == Ok(true)
    }

    /// What the types of integers say about the parameters that are made of them.
    fn ranges(&self) -> System {
        let ctx = self.view.ctx;
        let mut system = System::default();
        for (p, param) in (0..).zip(self.params.list()) {
            let Param::Value(v) = param else { continue };
            let cast = v.def_op().filter(|op| op.isa::<arith::IndexCastOp>(ctx));
            let from = cast.map_or(*v, |op| op.operand(ctx, 0));
            if let Some(width) = from.ty(ctx).int_width(ctx).filter(|w| *w < 64) {
                let half = Int::from(1_i64 << (width - 1));
                let mut least = Linear::var(Var::Param(p));
                let mut most = least.negated().plus_constant(-1);
                least.constant += &half;
                most.constant += &half;
                system.add_inequality(least);
                system.add_inequality(most);
            }
        }
        system
    }
}

/// The part of a piece where a form compares with 0 so.
fn restricted(mut piece: System, predicate: CmpIPredicate, form: &Linear) -> Vec<System> {
    use CmpIPredicate::*;
    let bound = match predicate {
        Slt => form.negated().plus_constant(-1),
        Sle => form.negated(),
        Sgt => form.plus_constant(-1),
        Sge => form.clone(),
        Eq => {
            piece.add_equality(form.clone());
            return vec![piece];
        }
        Ne => {
            let below = restricted(piece.clone(), Slt, form);
            return below
                .into_iter()
                .chain(restricted(piece, Sgt, form))
                .collect();
        }
        _ => return vec![piece],
    };
    piece.add_inequality(bound);
    vec![piece]
}
