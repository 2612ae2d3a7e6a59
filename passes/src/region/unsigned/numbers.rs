//! Numbers of 32 bits as polynomials in a function's arguments and the counters of its loops, and their least
//! and greatest values.

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::affine::{ApplyOp, ForOp};
use terrace_dialects::arith::{
    AddIOp, AndIOp, CmpIOp, DivUIOp, ExtUIOp, IndexCastOp, IndexCastUIOp, MulIOp, RemUIOp, ShLIOp,
    ShRUIOp, SubIOp,
};
use terrace_dialects::scf;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::{Context, Op, OpKind, Value};

use super::guards::Guards;
use crate::analysis::dependence::{Presumed, is_unsigned};
use crate::analysis::poly::{self, Monomial};

/// A polynomial in atoms, by number.
pub(super) type Poly = poly::Poly<usize>;

/// The greatest number that is the same read as signed.
const GREATEST: i64 = i32::MAX as i64;

/// How deep expressions are followed.
pub(super) const MAX_DEPTH: u32 = 24;

/// The most steps in which counters are replaced by their bounds.
const MAX_STEPS: usize = 256;

/// What a condition may be made of: products of so many arguments, times such numbers, fit 128 bits.
const MAX_FACTORS: usize = 3;
const MAX_TIMES: i64 = 1 << 20;

/// What is not computed by sums and products.
struct Atom {
    /// The number of the argument that it is.
    argument: Option<usize>,
    /// In atoms with smaller numbers.
    least: Option<Poly>,
    greatest: Option<Poly>,
    /// It is not negative.
    natural: bool,
    /// What it is computed from, and what has to hold so that the above is so.
    of: Reading,
}

/// What a conversion needs.
pub(super) struct Found {
    pub of: Reading,
    /// It differs from iteration to iteration.
    pub varies: bool,
}

/// What is collected while a number is read.
#[derive(Default)]
pub(super) struct Reading {
    /// What must not be negative.
    pub needs: Vec<Poly>,
    /// The numbers of the arguments that it is computed from, and what bounds it.
    pub arguments: FxHashSet<usize>,
}

impl Reading {
    pub fn add(&mut self, other: &Reading) {
        self.needs.extend(other.needs.iter().cloned());
        self.arguments.extend(&other.arguments);
    }
}

/// The numbers of one function.
pub(super) struct Numbers<'c> {
    pub(super) ctx: &'c Context,
    function: Op,
    args: Vec<Value>,
    atoms: Vec<Atom>,
    /// Values that are atoms.
    known: FxHashMap<Value, usize>,
}

impl<'c> Numbers<'c> {
    pub(super) fn new(ctx: &'c Context, function: Op) -> Self {
        let entry = function.region(ctx, 0).entry(ctx);
        Numbers {
            ctx,
            function,
            args: entry.map(|b| b.args(ctx)).unwrap_or_default(),
            atoms: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    /// The number of the argument that a value is.
    pub(super) fn argument(&self, v: Value) -> Option<usize> {
        self.args.iter().position(|a| *a == v)
    }

    /// What has to hold so that what an op converts is from 0 to [`GREATEST`].
    pub(super) fn conversion(&mut self, op: Op) -> Option<Found> {
        let mut r = Reading::default();
        let p = self.number(op.operand(self.ctx, 0), &mut r, MAX_DEPTH)?;
        let varies = self.varies(&p);
        if self.fits(&p, &mut r).is_none() {
            let guards = self.guards(op);
            r.add(&guards.of);
            self.fits_with(&p, &guards, &mut r)?;
        }
        Some(Found { of: r, varies })
    }

    /// The same for the two numbers that are compared.
    pub(super) fn comparison(&mut self, c: CmpIOp) -> Option<Found> {
        let (a, b, of) = self.compared(c)?;
        let varies = self.varies(&a) || self.varies(&b);
        Some(Found { of, varies })
    }

    /// Whether a polynomial has more than arguments.
    fn varies(&self, p: &Poly) -> bool {
        let mut atoms = p.terms.keys().flatten();
        atoms.any(|a| self.atoms[*a].argument.is_none())
    }

    /// The conditions on arguments, without those that others imply; `None` where one is no such condition.
    pub(super) fn presumed(&self, needs: Vec<Poly>) -> Option<Vec<Presumed>> {
        let mut kept: Vec<Poly> = Vec::new();
        for p in needs {
            let implies = |q: &Poly, p: &Poly| p.plus(-1, q).is_some_and(|d| self.is_natural(&d));
            if kept.iter().any(|q| implies(q, &p)) {
                continue;
            }
            kept.retain(|q| !implies(&p, q));
            kept.push(p);
        }
        kept.iter().map(|p| self.condition(p)).collect()
    }

    fn condition(&self, p: &Poly) -> Option<Presumed> {
        let mut found = Presumed {
            terms: Vec::new(),
            constant: p.constant_term(),
        };
        for (m, times) in p.terms.iter().filter(|(m, _)| !m.is_empty()) {
            let product = m.iter().map(|a| self.atoms[*a].argument);
            let mut product: Vec<usize> = product.collect::<Option<_>>()?;
            product.sort_unstable();
            if product.len() > MAX_FACTORS || times.abs() > MAX_TIMES {
                return None;
            }
            found.terms.push((product, *times));
        }
        Some(found)
    }

    /// A number of 32 bits, right up to a multiple of 2^32.
    pub(super) fn number(&mut self, v: Value, r: &mut Reading, depth: u32) -> Option<Poly> {
        let ctx = self.ctx;
        let depth = depth.checked_sub(1)?;
        if let Some(c) = ctx.constant_int(v) {
            return Some(Poly::constant(c));
        }
        if let Some(i) = self.argument(v) {
            return Some(self.of_argument(i, v, r));
        }
        let op = v.def_op()?;
        let constant = |i: usize| ctx.constant_int(op.operand(ctx, i));
        match op.name(ctx) {
            AddIOp::NAME | SubIOp::NAME | MulIOp::NAME => {
                let a = self.number(op.operand(ctx, 0), r, depth)?;
                let b = self.number(op.operand(ctx, 1), r, depth)?;
                combined(ctx, op, &a, &b)
            }
            ShLIOp::NAME => {
                let by = constant(1).filter(|c| (0..31).contains(c))?;
                let a = self.number(op.operand(ctx, 0), r, depth)?;
                a.times(&Poly::constant(1 << by))
            }
            IndexCastOp::NAME => self.index(op.operand(ctx, 0), r, depth),
            DivUIOp::NAME | RemUIOp::NAME | ShRUIOp::NAME => self.division(op, r, depth),
            AndIOp::NAME => {
                let mask = constant(1).or(constant(0)).filter(|c| *c >= 0)?;
                Some(Poly::atom(self.within(
                    v,
                    Poly::constant(mask),
                    Reading::default(),
                )))
            }
            ExtUIOp::NAME => {
                let width = op.operand(ctx, 0).ty(ctx).int_width(ctx)?;
                let most = (1_i64 << width.min(31)) - 1;
                Some(Poly::atom(self.within(
                    v,
                    Poly::constant(most),
                    Reading::default(),
                )))
            }
            _ => None,
        }
    }

    /// An index, as what it is.
    pub(super) fn index(&mut self, v: Value, r: &mut Reading, depth: u32) -> Option<Poly> {
        let ctx = self.ctx;
        let depth = depth.checked_sub(1)?;
        if let Some(c) = ctx.constant_int(v) {
            return Some(Poly::constant(c));
        }
        let Some(op) = v.def_op() else {
            return self.counter(v, r, depth);
        };
        match op.name(ctx) {
            AddIOp::NAME | SubIOp::NAME | MulIOp::NAME => {
                let a = self.index(op.operand(ctx, 0), r, depth)?;
                let b = self.index(op.operand(ctx, 1), r, depth)?;
                combined(ctx, op, &a, &b)
            }
            ApplyOp::NAME => {
                let apply = ApplyOp::wrap(op);
                let map = apply.map(ctx).clone();
                let [e] = map.results() else { return None };
                self.expr(e, map.num_dims(), &op.operands(ctx), r, depth)
            }
            IndexCastOp::NAME | IndexCastUIOp::NAME => {
                let of = op.operand(ctx, 0);
                if of.ty(ctx).int_width(ctx) != Some(32) {
                    return None;
                }
                let p = self.number(of, r, depth)?;
                // A signed number is what it is: C's does not overflow.
                if op.isa::<IndexCastUIOp>(ctx) {
                    self.fits(&p, r)?;
                }
                Some(p)
            }
            _ => None,
        }
    }

    pub(super) fn expr(
        &mut self,
        e: &AffineExpr,
        dims: u32,
        operands: &[Value],
        r: &mut Reading,
        depth: u32,
    ) -> Option<Poly> {
        let depth = depth.checked_sub(1)?;
        let at = match e {
            AffineExpr::Constant(c) => return Some(Poly::constant(*c)),
            AffineExpr::Dim(i) => *i as usize,
            AffineExpr::Symbol(i) => (dims + *i) as usize,
            AffineExpr::Binary(node) => {
                let a = self.expr(node.lhs(), dims, operands, r, depth)?;
                let b = self.expr(node.rhs(), dims, operands, r, depth)?;
                return match node.op() {
                    AffineOp::Add => a.plus(1, &b),
                    AffineOp::Mul => a.times(&b),
                    _ => None,
                };
            }
        };
        self.index(*operands.get(at)?, r, depth)
    }

    fn of_argument(&mut self, i: usize, v: Value, r: &mut Reading) -> Poly {
        let natural = is_unsigned(self.ctx, self.function, i);
        let atom = self.atom(v, |at| {
            let top = Poly::constant(GREATEST).plus(-1, &Poly::atom(at));
            Atom {
                argument: Some(i),
                least: None,
                greatest: None,
                natural,
                of: Reading {
                    needs: top.filter(|_| natural).into_iter().collect(),
                    arguments: FxHashSet::from_iter([i]),
                },
            }
        });
        self.use_of(atom, r)
    }

    /// The counter of a loop, which has the bounds of that.
    fn counter(&mut self, v: Value, r: &mut Reading, depth: u32) -> Option<Poly> {
        if let Some(at) = self.known.get(&v) {
            return Some(self.use_of(*at, r));
        }
        let ctx = self.ctx;
        let owner = v.arg_block()?.parent_op(ctx)?;
        let mut own = Reading::default();
        let (least, end) = if let Some(l) = owner.cast::<ForOp>(ctx).filter(|l| l.iv(ctx) == v) {
            let (lower, upper) = (l.lower_map(ctx).clone(), l.upper_map(ctx).clone());
            let least = self.one_of(&lower, &l.lower_operands(ctx), &mut own, depth)?;
            (
                least,
                self.one_of(&upper, &l.upper_operands(ctx), &mut own, depth)?,
            )
        } else {
            let l = owner
                .cast::<scf::ForOp>(ctx)
                .filter(|l| l.induction_var(ctx) == v && !l.is_unsigned(ctx))?;
            let least = self.index(l.lower_bound(ctx), &mut own, depth)?;
            (least, self.index(l.upper_bound(ctx), &mut own, depth)?)
        };
        let natural = self.is_natural(&least);
        let greatest = end.plus(-1, &Poly::constant(1))?;
        let atom = self.atom(v, |_| Atom {
            argument: None,
            least: Some(least),
            greatest: Some(greatest),
            natural,
            of: own,
        });
        Some(self.use_of(atom, r))
    }

    /// One of several bounds, which bounds alone too.
    fn one_of(
        &mut self,
        map: &AffineMap,
        operands: &[Value],
        r: &mut Reading,
        depth: u32,
    ) -> Option<Poly> {
        map.results().iter().find_map(|e| {
            let mut own = Reading::default();
            let p = self.expr(e, map.num_dims(), operands, &mut own, depth)?;
            r.add(&own);
            Some(p)
        })
    }

    /// A quotient or a remainder of numbers in the range, which is one itself.
    fn division(&mut self, op: Op, r: &mut Reading, depth: u32) -> Option<Poly> {
        let v = op.result(self.ctx, 0);
        if let Some(at) = self.known.get(&v) {
            return Some(self.use_of(*at, r));
        }
        let mut own = Reading::default();
        let of = self.number(op.operand(self.ctx, 0), &mut own, depth)?;
        let by = self.number(op.operand(self.ctx, 1), &mut own, depth)?;
        self.fits(&of, &mut own)?;
        self.fits(&by, &mut own)?;
        let most = match op.isa::<RemUIOp>(self.ctx) {
            true => by.plus(-1, &Poly::constant(1))?,
            false => of,
        };
        let at = self.within(v, most, own);
        Some(self.use_of(at, r))
    }

    /// An atom from 0 to `greatest`.
    fn within(&mut self, v: Value, greatest: Poly, of: Reading) -> usize {
        self.atom(v, |_| Atom {
            argument: None,
            least: Some(Poly::default()),
            greatest: Some(greatest),
            natural: true,
            of,
        })
    }

    fn atom(&mut self, v: Value, make: impl FnOnce(usize) -> Atom) -> usize {
        if let Some(at) = self.known.get(&v) {
            return *at;
        }
        let at = self.atoms.len();
        self.atoms.push(make(at));
        self.known.insert(v, at);
        at
    }

    fn use_of(&self, at: usize, r: &mut Reading) -> Poly {
        r.add(&self.atoms[at].of);
        Poly::atom(at)
    }

    /// Whether a polynomial is surely not negative.
    pub(super) fn is_natural(&self, p: &Poly) -> bool {
        let natural = |m: &Monomial<usize>| m.iter().all(|a| self.atoms[*a].natural);
        p.terms.iter().all(|(m, c)| *c >= 0 && natural(m))
    }

    /// Adds what has to hold so that a number is from 0 to [`GREATEST`].
    pub(super) fn fits(&self, p: &Poly, r: &mut Reading) -> Option<()> {
        self.fits_with(p, &Guards::default(), r)
    }

    /// The same where conditions hold.
    fn fits_with(&self, p: &Poly, guards: &Guards, r: &mut Reading) -> Option<()> {
        let least = self.extreme(p, false, guards)?;
        let greatest = self.extreme(p, true, guards)?;
        let needs = [least, Poly::constant(GREATEST).plus(-1, &greatest)?];
        let needs: Vec<Poly> = needs.into_iter().filter(|n| !self.is_natural(n)).collect();
        // Nothing that is given makes this hold, or only sizes of 0.
        let opposite = |n: &Poly| Poly::default().plus(-1, n);
        let never = |n: &Poly| opposite(n).is_none_or(|o| self.is_natural(&o));
        if needs.iter().any(never) {
            return None;
        }
        r.needs.extend(needs);
        Some(())
    }

    /// The greatest or the least value over the loops, in arguments alone.
    fn extreme(&self, p: &Poly, greatest: bool, guards: &Guards) -> Option<Poly> {
        let mut p = p.clone();
        for _ in 0..MAX_STEPS {
            let inner = |a: &&usize| self.atoms[**a].argument.is_none();
            let Some(at) = p.terms.keys().flatten().filter(inner).max().copied() else {
                return Some(p);
            };
            let power = |m: &Monomial<usize>| m.iter().filter(|a| **a == at).count();
            // Its highest power first: what is left may cancel with a lower one.
            let (m, times) = p.terms.iter().max_by_key(|(m, _)| power(m))?;
            let (m, times) = (m.clone(), *times);
            let mut rest = m.clone();
            rest.remove(m.iter().position(|a| *a == at)?);
            if !rest.iter().all(|a| self.atoms[*a].natural) {
                return None;
            }
            let (atom, above) = (&self.atoms[at], (times > 0) == greatest);
            let bound = match above {
                true => atom.greatest.clone(),
                false => atom.least.clone(),
            };
            let bound = guards.bound(at, above).or(bound)?;
            let product = |m: Monomial<usize>| {
                let mut q = Poly::constant(1);
                for a in m {
                    q = q.times(&Poly::atom(a))?;
                }
                Some(q)
            };
            let instead = bound.times(&product(rest)?)?;
            p = p.plus(-times, &product(m)?)?.plus(times, &instead)?;
        }
        None
    }
}

fn combined(ctx: &Context, op: Op, a: &Poly, b: &Poly) -> Option<Poly> {
    match op.name(ctx) {
        AddIOp::NAME => a.plus(1, b),
        SubIOp::NAME => a.plus(-1, b),
        _ => a.times(b),
    }
}
