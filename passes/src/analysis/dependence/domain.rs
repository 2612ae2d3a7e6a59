//! Which iterations run an op.

use std::rc::Rc;

use terrace_dialects::affine::{ForOp, IfOp, ParallelOp};
use terrace_dialects::scf;
use terrace_ir::affine::AffineMap;
use terrace_ir::{Context, Op, OpKind, Value};
use terrace_presburger::{Conjunct, Relation, Set, Space};

use super::conditions::{Place, implied};
use super::linear::{Linear, System, Var, set_of};
use super::params::Params;
use super::values::{Reason, View};

/// The most conjunctions that a domain is made of; past it, conditions are left out.
const MAX_PIECES: usize = 32;

/// One loop variable around an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopDim {
    /// An `affine.for`, an `affine.parallel`, or an `scf.for` where those count.
    pub op: Op,
    pub iv: Value,
    pub(crate) step: i64,
}

/// The iterations in which an op runs.
#[derive(Debug, Clone)]
pub struct Domain {
    /// The loops around the op within the root, the outermost first; a parallel band
    /// counts once for each of its variables.
    pub loops: Vec<LoopDim>,
    /// Conjunctions of which one holds. They are over the parameters and the loops.
    pub(super) pieces: Vec<System>,
    /// Why the op may run in fewer iterations than these.
    pub inexact: Option<Reason>,
    /// Ops around, within the root, whose iterations are not counted here.
    pub opaque: Vec<Op>,
}

impl Domain {
    pub(super) fn everywhere() -> Domain {
        Domain {
            loops: Vec::new(),
            pieces: vec![System::default()],
            inexact: None,
            opaque: Vec::new(),
        }
    }

    pub fn depth(&self) -> usize {
        self.loops.len()
    }

    pub(crate) fn ivs(&self) -> Vec<Value> {
        self.loops.iter().map(|l| l.iv).collect()
    }

    /// The iterations as conjunctions, one dimension a loop.
    pub fn conjuncts(&self, params: &Params) -> Vec<Conjunct> {
        let facts = |c: Conjunct| {
            let mut c = c;
            super::linear::add_system(&mut c, params.facts(), params.len());
            c
        };
        self.pieces
            .iter()
            .map(|p| facts(set_of(p, params.len(), self.depth())))
            .collect()
    }

    /// The iterations as a set, one dimension a loop.
    pub(crate) fn set(&self, params: &Params) -> Set {
        let space = Space::set(params.len(), self.depth());
        Relation::from_pieces(space, self.conjuncts(params))
    }

    /// The domain inside the body of an `affine.for`.
    pub(super) fn in_for(&self, ctx: &Context, params: &mut Params, root: Op, l: ForOp) -> Domain {
        let dim = LoopDim {
            op: l.op(),
            iv: l.iv(ctx),
            step: l.step(ctx),
        };
        let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
        let upper = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
        let mut d = self.clone();
        d.add_loop(ctx, params, root, dim, &lower, &upper);
        d
    }

    /// The domain inside the body of an `scf.for`. What is not known of its bounds and
    /// its step makes it inexact.
    pub(super) fn in_scf_for(
        &self,
        ctx: &Context,
        params: &mut Params,
        root: Op,
        l: scf::ForOp,
    ) -> Domain {
        let op = l.op();
        let step = ctx.constant_int(l.step(ctx)).filter(|s| *s > 0);
        let dim = LoopDim {
            op,
            iv: l.induction_var(ctx),
            step: step.unwrap_or(1),
        };
        let mut d = self.clone();
        if step.is_none() {
            let message = "the step of the loop is not a constant";
            d.inexact
                .get_or_insert_with(|| Reason::new(op.loc(ctx), message));
        }
        let iv = Var::Dim(self.loops.len() as u32);
        let ivs = self.ivs();
        let view = View {
            ctx,
            root,
            ivs: &ivs,
        };
        let mut pieces = Vec::new();
        for mut piece in std::mem::take(&mut d.pieces) {
            let mut bound = |d: &mut Domain, v: Value| {
                let form = view
                    .index(params, &mut piece, v, op)
                    .and_then(|p| super::values::linear(ctx, params, &p, op));
                form.map_err(|r| {
                    let message = format!("a bound of the loop is not affine: {}", r.message);
                    d.inexact.get_or_insert(Reason::new(r.loc, message));
                })
                .ok()
            };
            let below = bound(&mut d, l.lower_bound(ctx));
            let above = bound(&mut d, l.upper_bound(ctx));
            if let Some(b) = above {
                piece.add_inequality(b.minus(&Linear::var(iv)).plus_constant(-1));
            }
            let below: Vec<Linear> = below.into_iter().collect();
            pieces.extend(start(piece, iv, &below, dim.step));
        }
        d.pieces = pieces;
        d.loops.push(dim);
        d
    }

    /// The domain inside the body of an `affine.parallel`.
    pub(super) fn in_parallel(
        &self,
        ctx: &Context,
        params: &mut Params,
        root: Op,
        p: ParallelOp,
    ) -> Domain {
        let mut d = self.clone();
        let (steps, ivs) = (p.steps(ctx), p.ivs(ctx));
        for (i, iv) in ivs.into_iter().enumerate() {
            let dim = LoopDim {
                op: p.op(),
                iv,
                step: steps.get(i).copied().unwrap_or(1),
            };
            let lower = (p.lower_map_of(ctx, i), p.lower_operands(ctx));
            let upper = (p.upper_map_of(ctx, i), p.upper_operands(ctx));
            d.add_loop(ctx, params, root, dim, &lower, &upper);
        }
        d
    }

    /// One more loop around.
    fn add_loop(
        &mut self,
        ctx: &Context,
        params: &mut Params,
        root: Op,
        dim: LoopDim,
        lower: &(AffineMap, Vec<Value>),
        upper: &(AffineMap, Vec<Value>),
    ) {
        let iv = Var::Dim(self.loops.len() as u32);
        let ivs = self.ivs();
        let view = View {
            ctx,
            root,
            ivs: &ivs,
        };
        let mut pieces = Vec::new();
        for piece in std::mem::take(&mut self.pieces) {
            let mut piece = piece;
            let below = self.bounds(view, params, &mut piece, lower, dim.op);
            let above = self.bounds(view, params, &mut piece, upper, dim.op);
            for b in &above {
                piece.add_inequality(b.minus(&Linear::var(iv)).plus_constant(-1));
            }
            pieces.extend(start(piece, iv, &below, dim.step));
        }
        if pieces.len() > MAX_PIECES {
            self.inexact
                .get_or_insert_with(|| Reason::new(dim.op.loc(ctx), "the bounds are too many"));
            pieces = vec![System::default()];
        }
        self.pieces = pieces;
        self.loops.push(dim);
    }

    /// The results of a bound that are linear; the others make the domain inexact.
    fn bounds(
        &mut self,
        view: View,
        params: &mut Params,
        piece: &mut System,
        bound: &(AffineMap, Vec<Value>),
        at: Op,
    ) -> Vec<Linear> {
        let mut forms = Vec::new();
        for i in 0..bound.0.num_results() {
            let one = bound.0.sub_map(&[i]);
            let form = view
                .results(params, piece, &one, &bound.1, at)
                .and_then(|p| match p.first() {
                    Some(p) => super::values::linear(view.ctx, params, p, at),
                    None => Err(Reason::new(at.loc(view.ctx), "the bound has no result")),
                });
            match form {
                Ok(f) => forms.push(f),
                Err(r) => {
                    let message = format!("a bound of the loop is not affine: {}", r.message);
                    self.inexact.get_or_insert(Reason::new(r.loc, message));
                }
            }
        }
        forms
    }

    /// The domain in a branch of an `affine.if`.
    pub(super) fn in_if(
        &self,
        ctx: &Context,
        params: &mut Params,
        root: Op,
        op: IfOp,
        holds: bool,
    ) -> Domain {
        let mut d = self.clone();
        let ivs = self.ivs();
        let view = View {
            ctx,
            root,
            ivs: &ivs,
        };
        let set = op.set(ctx);
        let operands = op.operands(ctx);
        let mut pieces = Vec::new();
        for piece in std::mem::take(&mut d.pieces) {
            let mut piece = piece;
            let mut forms = Vec::new();
            let mut missing = None;
            for c in set.constraints() {
                let map = AffineMap::new(set.num_dims(), set.num_symbols(), vec![c.expr.clone()]);
                let form = view
                    .results(params, &mut piece, &map, &operands, op.op())
                    .and_then(|p| match p.first() {
                        Some(p) => super::values::linear(ctx, params, p, op.op()),
                        None => Err(Reason::new(op.op().loc(ctx), "no condition")),
                    });
                match form {
                    Ok(f) => forms.push((f, c.is_eq)),
                    Err(r) => missing = Some(r),
                }
            }
            if let Some(r) = &missing {
                let message = format!("a condition is not affine: {}", r.message);
                d.inexact.get_or_insert(Reason::new(r.loc, message));
            }
            if holds {
                for (f, is_eq) in forms {
                    demand(&mut piece, f, is_eq);
                }
                pieces.push(piece);
            } else if missing.is_some() {
                // Which of the conditions fails is not known.
                pieces.push(piece);
            } else {
                pieces.extend(otherwise(piece, &forms));
            }
        }
        if pieces.len() > MAX_PIECES {
            d.inexact.get_or_insert_with(|| {
                Reason::new(op.op().loc(ctx), "the conditions are too many")
            });
            d.pieces = self.pieces.clone();
        } else {
            d.pieces = pieces;
        }
        d
    }

    /// The domain inside an op that may not run what is in it.
    pub(super) fn in_maybe(&self, ctx: &Context, op: Op) -> Domain {
        let mut d = self.clone();
        let message = format!("'{}' decides whether it runs", op.name(ctx));
        d.inexact.get_or_insert(Reason::new(op.loc(ctx), message));
        d
    }

    /// The domain in a way of an `scf.if`, as far as its condition is understood. Nobody is told
    /// that it is exact: what is in the way stays under a condition of the program.
    pub(super) fn in_scf_if(
        &self,
        ctx: &Context,
        params: &mut Params,
        root: Op,
        op: scf::IfOp,
        holds: bool,
    ) -> Domain {
        let mut d = self.in_maybe(ctx, op.op());
        let ivs = self.ivs();
        let mut place = Place {
            view: View {
                ctx,
                root,
                ivs: &ivs,
            },
            params,
            depth: self.depth(),
            at: op.op(),
        };
        for (compare, is_true) in implied(ctx, op.condition(ctx), holds) {
            let pieces = d.pieces.iter().cloned();
            let pieces: Vec<System> = pieces
                .flat_map(|piece| place.narrowed(piece, compare, is_true))
                .collect();
            if pieces.len() <= MAX_PIECES {
                d.pieces = pieces;
            }
        }
        d
    }

    /// The domain inside an op whose iterations are not counted.
    pub(super) fn in_opaque(&self, ctx: &Context, op: Op) -> Domain {
        let mut d = self.clone();
        let message = format!("how often '{}' runs it is not affine", op.name(ctx));
        d.inexact.get_or_insert(Reason::new(op.loc(ctx), message));
        d.opaque.push(op);
        d
    }

    pub(super) fn shared(self) -> Rc<Domain> {
        Rc::new(self)
    }
}

fn demand(piece: &mut System, form: Linear, is_eq: bool) {
    if is_eq {
        piece.add_equality(form);
    } else {
        piece.add_inequality(form);
    }
}

/// The disjoint pieces in which some condition fails: all before it hold.
fn otherwise(piece: System, forms: &[(Linear, bool)]) -> Vec<System> {
    let mut held = piece;
    let mut pieces = Vec::new();
    for (f, is_eq) in forms {
        let mut below = held.clone();
        below.add_inequality(f.negated().plus_constant(-1));
        pieces.push(below);
        if *is_eq {
            let mut above = held.clone();
            above.add_inequality(f.plus_constant(-1));
            pieces.push(above);
        }
        demand(&mut held, f.clone(), *is_eq);
    }
    pieces
}

/// The values of a loop variable from its lower bounds on, in steps: one piece for
/// each lower bound that may be the greatest.
fn start(piece: System, iv: Var, below: &[Linear], step: i64) -> Vec<System> {
    if step <= 1 {
        let mut piece = piece;
        for b in below {
            piece.add_inequality(Linear::var(iv).minus(b));
        }
        return vec![piece];
    }
    let mut pieces = Vec::new();
    for (i, b) in below.iter().enumerate() {
        let mut piece = piece.clone();
        for (j, other) in below.iter().enumerate() {
            // Of equal bounds the first counts.
            let gap = if j < i { -1 } else { 0 };
            if j != i {
                piece.add_inequality(b.minus(other).plus_constant(gap));
            }
        }
        // iv = b + step * k, k >= 0
        let k = piece.add_local();
        let mut steps = Linear::var(k);
        piece.add_inequality(steps.clone());
        steps.terms[0].1 = step.into();
        piece.add_equality(Linear::var(iv).minus(b).minus(&steps));
        pieces.push(piece);
    }
    if below.is_empty() {
        pieces.push(piece);
    }
    pieces
}
