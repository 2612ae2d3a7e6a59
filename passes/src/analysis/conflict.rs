//! Whether two accesses inside an affine loop may touch the same element, under
//! conditions on the iterations in which they are made.
//!
//! That is a system of linear constraints: equal subscripts, the bounds of the loops
//! around, and the conditions. It is solved over the integers, first by elimination and
//! then, where that finds a point, exactly. A conflict may be seen where there is none (an
//! access under the other branch of a condition; a search that is given up), never the
//! reverse.

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, ForOp, IfOp, ParallelOp, compose::compose, scope};
use terrace_ir::affine::{
    AffineExpr, AffineMap, Constraint, Emptiness, Flattener, FourierMotzkinLimits, IntegerSet,
    LinearRow,
};
use terrace_ir::{Block, Context, OpKind, TypeData, Value};
use terrace_presburger::{Conjunct, Int, Space};

/// The two iterations that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Instance {
    /// Values that are the same in both.
    Both,
    First,
    Second,
}

/// What is in the same iteration both times.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// The loops around this one.
    Around(ForOp),
    /// The loops around this block.
    Within(Block),
}

impl Frame {
    /// Whether a value may be another one in the two iterations.
    fn varies(self, ctx: &Context, v: Value) -> bool {
        let owner = v.arg_block().and_then(|b| b.parent_op(ctx));
        let Some(op) = v.def_op().or(owner) else {
            return false;
        };
        match self {
            Frame::Around(root) => root.op().is_ancestor_of(ctx, op),
            Frame::Within(block) => v
                .block(ctx)
                .filter(|b| *b != block)
                .and_then(|b| b.parent_op(ctx))
                .is_some_and(|p| p.ancestor_in(ctx, block).is_some()),
        }
    }
}

/// Two accesses inside a loop or block, each in an iteration of its own of that loop and
/// of those inside; loops around it are in the same iteration both times.
pub struct Conflict<'c> {
    ctx: &'c Context,
    frame: Frame,
    columns: FxHashMap<(Value, Instance), u32>,
    constraints: Vec<Constraint>,
    next: u32,
}

impl<'c> Conflict<'c> {
    /// Where `first` and `second`, inside `root`, touch the same element. `None` where
    /// their subscripts say nothing about that: they are on memrefs that differ or that
    /// may be another in each iteration, or are not affine.
    pub fn new(ctx: &'c Context, root: ForOp, first: &Access, second: &Access) -> Option<Self> {
        Self::in_frame(ctx, Frame::Around(root), first, second)
    }

    /// As [`Self::new`], for accesses during one execution of `block`.
    pub fn within(ctx: &'c Context, block: Block, first: &Access, second: &Access) -> Option<Self> {
        Self::in_frame(ctx, Frame::Within(block), first, second)
    }

    fn in_frame(ctx: &'c Context, frame: Frame, first: &Access, second: &Access) -> Option<Self> {
        if first.memref != second.memref || frame.varies(ctx, first.memref) {
            return None;
        }
        let mut c = Conflict {
            ctx,
            frame,
            columns: FxHashMap::default(),
            constraints: Vec::new(),
            next: 0,
        };
        let x = c.subscripts(first, Instance::First)?;
        let y = c.subscripts(second, Instance::Second)?;
        c.conditions(first, Instance::First);
        c.conditions(second, Instance::Second);
        if x.len() != y.len() {
            return None;
        }
        let (m, n) = (widths(ctx, first, x.len())?, widths(ctx, second, x.len())?);
        for (i, (x, y)) in x.into_iter().zip(y).enumerate() {
            let (is_eq, gap) = (m[i] == 1 && n[i] == 1, x - y);
            if is_eq {
                c.constraints.push(Constraint { expr: gap, is_eq });
                continue;
            }
            // Vectors overlap where neither starts behind the end of the other.
            for expr in [gap.clone() + (m[i] - 1), gap * -1 + (n[i] - 1)] {
                c.constraints.push(Constraint { expr, is_eq });
            }
        }
        Some(c)
    }

    /// The conditions that an access is made under.
    fn conditions(&mut self, a: &Access, at: Instance) {
        let ctx = self.ctx;
        let mut op = a.op;
        while let Some(p) = op.parent(ctx) {
            if let Some(c) = p.cast::<IfOp>(ctx)
                && op.block(ctx) == Some(c.then_block(ctx))
            {
                let (set, operands) = c.composed(ctx);
                let columns: Option<Vec<AffineExpr>> =
                    operands.iter().map(|v| self.column(*v, at)).collect();
                if let Some(columns) = columns {
                    let (dims, syms) = columns.split_at(set.num_dims() as usize);
                    let holds = set.constraints().iter().map(|c| Constraint {
                        expr: c.expr.replace_dims_and_symbols(dims, syms),
                        is_eq: c.is_eq,
                    });
                    self.constraints.extend(holds);
                }
            }
            op = p;
        }
    }

    /// Demand that the first access is made in an earlier (`false`: later) iteration
    /// of `l`, which is the loop the conflict is in or one inside it.
    pub fn first_is_earlier(&mut self, l: ForOp, earlier: bool) -> Option<()> {
        let (i, j) = self.both(l)?;
        let gap = if earlier { j - i } else { i - j };
        self.constraints.push(Constraint {
            expr: gap - 1,
            is_eq: false,
        });
        Some(())
    }

    /// Demand that both accesses are made in the same iteration of `l`.
    pub fn same_iteration(&mut self, l: ForOp) -> Option<()> {
        let (i, j) = self.both(l)?;
        self.constraints.push(Constraint {
            expr: i - j,
            is_eq: true,
        });
        Some(())
    }

    /// Demand that the induction variable of `l` is at most `span` further on in the
    /// second access.
    pub fn at_most_apart(&mut self, l: ForOp, span: i64) -> Option<()> {
        let (i, j) = self.both(l)?;
        self.constraints.push(Constraint {
            expr: i - j + span,
            is_eq: false,
        });
        Some(())
    }

    /// Demand that the induction variable of `l` is in the second access below what it ends at in
    /// the first, which need not be inside of it.
    pub fn second_is_within_first(&mut self, l: ForOp) -> Option<()> {
        let iv = self.column(l.iv(self.ctx), Instance::Second)?;
        let (map, operands) = (l.upper_map(self.ctx).clone(), l.upper_operands(self.ctx));
        let ends = self.results(&map, &operands, Instance::First)?;
        self.below(&iv, ends);
        Some(())
    }

    fn both(&mut self, l: ForOp) -> Option<(AffineExpr, AffineExpr)> {
        let iv = l.iv(self.ctx);
        Some((
            self.column(iv, Instance::First)?,
            self.column(iv, Instance::Second)?,
        ))
    }

    fn subscripts(&mut self, a: &Access, at: Instance) -> Option<Vec<AffineExpr>> {
        let c = a.composed(self.ctx);
        self.results(&c.map, &c.operands, at)
    }

    /// The results of a map over the columns of its operands.
    fn results(
        &mut self,
        m: &AffineMap,
        operands: &[Value],
        at: Instance,
    ) -> Option<Vec<AffineExpr>> {
        let c = compose(self.ctx, m, operands);
        let mut columns = Vec::new();
        for v in &c.operands {
            columns.push(self.column(*v, at)?);
        }
        let (dims, syms) = columns.split_at(c.map.num_dims() as usize);
        Some(
            c.map
                .results()
                .iter()
                .map(|e| e.replace_dims_and_symbols(dims, syms))
                .collect(),
        )
    }

    /// The column of a value in one of the two iterations; loops constrain theirs by
    /// their bounds.
    fn column(&mut self, v: Value, at: Instance) -> Option<AffineExpr> {
        let ctx = self.ctx;
        // What is in the same iteration both times, and defined outside, is the same.
        let inside = self.frame.varies(ctx, v);
        let at = if inside { at } else { Instance::Both };
        if let Some(c) = self.columns.get(&(v, at)) {
            return Some(AffineExpr::dim(*c));
        }
        let c = self.next;
        self.next += 1;
        self.columns.insert((v, at), c);
        let e = AffineExpr::dim(c);
        if let Some(l) = scope::for_of_iv(ctx, v) {
            let (lm, lo) = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
            let lower = self.results(&lm, &lo, at)?;
            if let ([start], true) = (&lower[..], l.step(ctx) > 1) {
                // iv = start + step * k, k >= 0.
                let k = AffineExpr::dim(self.next);
                self.next += 1;
                let steps = k.clone() * l.step(ctx);
                self.constraints.push(Constraint {
                    expr: e.clone() - start.clone() - steps,
                    is_eq: true,
                });
                self.constraints.push(Constraint {
                    expr: k,
                    is_eq: false,
                });
            }
            self.at_least(&e, lower);
            let (um, uo) = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
            let upper = self.results(&um, &uo, at)?;
            self.below(&e, upper);
        } else if let Some(p) =
            scope::parallel_of_iv(ctx, v).and_then(|o| o.cast::<ParallelOp>(ctx))
        {
            let i = p.ivs(ctx).iter().position(|x| *x == v)?;
            let lower = self.results(&p.lower_map_of(ctx, i), &p.lower_operands(ctx), at)?;
            self.at_least(&e, lower);
            let upper = self.results(&p.upper_map_of(ctx, i), &p.upper_operands(ctx), at)?;
            self.below(&e, upper);
        } else if inside {
            // Some other value that changes from iteration to iteration.
            return None;
        }
        Some(e)
    }

    fn at_least(&mut self, e: &AffineExpr, bounds: Vec<AffineExpr>) {
        for b in bounds {
            self.constraints.push(Constraint {
                expr: e.clone() - b,
                is_eq: false,
            });
        }
    }

    fn below(&mut self, e: &AffineExpr, bounds: Vec<AffineExpr>) {
        for b in bounds {
            self.constraints.push(Constraint {
                expr: b - e.clone() - 1,
                is_eq: false,
            });
        }
    }

    /// Whether it is known that there are no such iterations.
    pub fn is_impossible(&self) -> bool {
        let set = IntegerSet::new(self.next, 0, self.constraints.clone());
        // Elimination of rational points is quick and mostly enough.
        let none = set
            .to_linear_system()
            .is_ok_and(|s| s.emptiness(FourierMotzkinLimits::default()) == Emptiness::Empty);
        none || self.has_no_integer_point() == Some(true)
    }

    /// Whether there is no integer point; `None` where that is not known.
    fn has_no_integer_point(&self) -> Option<bool> {
        let columns = usize::try_from(self.next).ok()?;
        let mut flattener = Flattener::new(self.next, 0);
        let mut rows = Vec::new();
        for c in &self.constraints {
            rows.push((flattener.flatten(&c.expr).ok()?, c.is_eq));
        }
        let mut points = Conjunct::universe(Space::set(0, columns));
        for _ in flattener.locals() {
            points.add_local();
        }
        let width = columns + flattener.locals().len();
        let row = |r: &LinearRow| -> Vec<Int> {
            let mut all: Vec<Int> = r.coefficients.iter().map(|c| Int::from(*c)).collect();
            all.resize(width, Int::ZERO);
            all
        };
        for (r, is_eq) in &rows {
            if *is_eq {
                points.add_equality(&row(r), Int::from(r.constant));
            } else {
                points.add_inequality(&row(r), Int::from(r.constant));
            }
        }
        for (i, local) in flattener.locals().iter().enumerate() {
            // 0 <= dividend - divisor * local < divisor; one without it may be anything.
            let Some(d) = &local.division else { continue };
            let mut low = row(&d.dividend);
            low[columns + i] = &low[columns + i] - &Int::from(d.divisor);
            let high: Vec<Int> = low.iter().map(|c| -c).collect();
            points.add_inequality(&low, Int::from(d.dividend.constant));
            let rest = &Int::from(d.divisor) - &Int::from(d.dividend.constant);
            points.add_inequality(&high, &rest - &Int::ONE);
        }
        points.is_empty().ok()
    }
}

/// How many elements an access of `rank` subscripts touches along each; `None` for
/// vectors that do not fit.
fn widths(ctx: &Context, a: &Access, rank: usize) -> Option<Vec<i64>> {
    if let Some(TypeData::Vector { scalable, .. }) = a.vector.map(|v| v.data(ctx))
        && scalable.contains(&true)
    {
        return None;
    }
    let shape = a.vector.and_then(|v| v.shape(ctx)).unwrap_or(&[]);
    let mut all = vec![1; rank.checked_sub(shape.len())?];
    all.extend(shape);
    Some(all)
}
