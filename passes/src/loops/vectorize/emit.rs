//! A vectorised nest in the place of one that was checked.

use super::check::Checked;
use super::{Padding, Strategy};
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, ApplyOp, ForOp, YieldOp};
use terrace_dialects::arith::{self, AddIOp, SelectOp};
use terrace_dialects::scf::IfOp;
use terrace_dialects::vector::BroadcastOp;
use terrace_ir::builder::OpState;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{AttrData, Builder, Context, DenseData, InsertPoint, Op, OpKind, Type, Value};

pub(super) struct Emit<'a> {
    pub(super) strategy: &'a Strategy,
    pub(super) checked: &'a Checked,
    pub(super) padding: Padding,
    /// The vectors that stand for values.
    pub(super) vectors: FxHashMap<Value, Value>,
    /// Vectors of constants, each in one vectorised loop.
    pub(super) constants: FxHashMap<(Value, Op), Value>,
    /// What stands for values that stay what they were.
    pub(super) scalars: IrMapping,
    /// The vectorised loops around, old and new.
    pub(super) around: Vec<(ForOp, ForOp)>,
    /// Vectors of all elements that several loads take in turn, by the first of them.
    pub(super) whole: FxHashMap<Op, Value>,
    /// The lanes that take the way of a condition; nothing where all do.
    pub(super) lanes_that_run: Option<Value>,
    /// The mask of contributions to reductions, and the neutral elements.
    pub(super) mask: Option<Value>,
    pub(super) neutral: Vec<Value>,
}

/// Replace `root`, which [`super::check::check`] has accepted.
pub fn emit(
    ctx: &mut Context,
    root: ForOp,
    strategy: &Strategy,
    checked: &Checked,
    padding: Padding,
) -> ForOp {
    let mut e = Emit {
        strategy,
        checked,
        padding,
        vectors: FxHashMap::default(),
        constants: FxHashMap::default(),
        scalars: IrMapping::new(),
        around: Vec::new(),
        whole: FxHashMap::default(),
        lanes_that_run: None,
        mask: None,
        neutral: Vec::new(),
    };
    let mut b = Builder::after(ctx, root.op());
    let new = e.nest(&mut b, root);
    let ctx = b.ctx;
    let results: Vec<Value> = root.op().results(ctx);
    let results: Vec<Value> = results.into_iter().map(|v| e.scalars.value(v)).collect();
    root.op().replace(ctx, &results);
    new
}

impl Emit<'_> {
    pub(super) fn vector_of(&self, ctx: &Context, t: Type) -> Type {
        ctx.vector(&self.strategy.sizes, t)
    }

    pub(super) fn scalar_operands(&self, operands: &[Value]) -> Vec<Value> {
        operands.iter().map(|v| self.scalars.value(*v)).collect()
    }

    fn nest(&mut self, b: &mut Builder, l: ForOp) -> ForOp {
        let op = l.op();
        let dim = self.strategy.dim_of.get(&op).copied();
        let inits = match dim {
            None => {
                let inits = l.inits(b.ctx);
                inits.into_iter().map(|v| self.widened(b, v)).collect()
            }
            Some(_) => self.neutral_vectors(b, l),
        };
        b.loc = op.loc(b.ctx);
        let (lower, upper) = (l.lower_map(b.ctx).clone(), l.upper_map(b.ctx).clone());
        let lower_operands = self.scalar_operands(&l.lower_operands(b.ctx));
        let upper_operands = self.scalar_operands(&l.upper_operands(b.ctx));
        let size = dim.map_or(1, |d| self.strategy.sizes[d]);
        // Vectorised loops have a step of 1.
        let step = l.step(b.ctx).saturating_mul(size);
        let new = ForOp::build_open(
            b,
            (lower, &lower_operands),
            (upper, &upper_operands),
            step,
            &inits,
        );
        let body = new.body(b.ctx);
        let (iv, new_iv) = (l.iv(b.ctx), new.iv(b.ctx));
        body.set_arg_loc(b.ctx, 0, l.body(b.ctx).arg_loc(b.ctx, 0));
        self.scalars.map(iv, new_iv);
        let args = l.iter_args(b.ctx).into_iter().zip(new.iter_args(b.ctx));
        for (i, (old, new)) in args.enumerate() {
            match dim.is_some() && self.is_in_order(i) {
                true => self.scalars.map(old, new),
                false => {
                    self.vectors.insert(old, new);
                }
            }
        }
        if dim.is_some() {
            self.around.push((l, new));
        }
        b.with_point(InsertPoint::End(body), |b| {
            if dim.is_some() && self.checked.masked_reductions && !inits.is_empty() {
                self.mask = Some(self.mask_of(b, &[(l, new)]));
            }
            for o in l.body(b.ctx).ops(b.ctx) {
                self.op(b, o);
            }
        });
        b.loc = op.loc(b.ctx);
        let results = op.results(b.ctx).into_iter().zip(new.op().results(b.ctx));
        if dim.is_some() {
            self.around.pop();
            for (i, (old, vector)) in results.enumerate() {
                let whole = match self.is_in_order(i) {
                    true => vector,
                    false => self.reduced(b, l, i, vector),
                };
                self.scalars.map(old, whole);
            }
        } else {
            self.vectors.extend(results);
        }
        new
    }

    pub(super) fn op(&mut self, b: &mut Builder, op: Op) {
        b.loc = op.loc(b.ctx);
        if let Some(r) = self.ordered_by(op) {
            self.in_order(b, &r);
        } else if self.checked.uniform.contains(&op) {
            let copy = clone_op(b.ctx, op, &mut self.scalars);
            b.insert(copy);
        } else if let Some(l) = op.cast::<ForOp>(b.ctx) {
            self.nest(b, l);
        } else if let Some(apply) = op.cast::<ApplyOp>(b.ctx) {
            let map = apply.map(b.ctx).clone();
            let operands = self.scalar_operands(&apply.operands(b.ctx));
            let new = ApplyOp::build(b, map, &operands);
            self.scalars.map(apply.result(b.ctx), new);
        } else if let Some(a) = Access::of(b.ctx, op) {
            match self.checked.by_lane.contains(&op) {
                true => self.by_lane(b, &a),
                false if self.checked.in_turn.contains_key(&op) => self.in_turn(b, &a),
                false => self.access(b, &a),
            }
        } else if self.checked.gathers.contains(&op) {
            self.gather(b, op);
        } else if self.checked.rows.contains(&op) {
            self.row(b, op);
        } else if self.checked.each_lane.contains(&op) {
            // Made where a load wants it.
        } else if let Some(i) = op.cast::<IfOp>(b.ctx) {
            self.condition(b, i);
        } else if let Some(step) = self.checked.counted.get(&op) {
            self.count(b, op, *step);
        } else if op.name(b.ctx) == arith::ConstantOp::NAME {
            self.constant(b, op);
        } else {
            self.widen(b, op);
        }
    }

    /// Constants stay where something that is no vector uses them.
    fn constant(&mut self, b: &mut Builder, op: Op) {
        let v = op.result(b.ctx, 0);
        let users = v.users(b.ctx);
        let as_index = |o: &Op| {
            o.isa::<ForOp>(b.ctx)
                || o.isa::<ApplyOp>(b.ctx)
                || self.checked.uniform.contains(o)
                || self.checked.gathers.contains(o)
                || self.checked.rows.contains(o)
                || self.checked.each_lane.contains(o)
                || Access::of(b.ctx, *o).is_some_and(|a| a.operands.contains(&v))
        };
        if users.iter().any(as_index) {
            let copy = clone_op(b.ctx, op, &mut self.scalars);
            b.insert(copy);
        }
    }

    /// An op as it was, on vectors.
    fn widen(&mut self, b: &mut Builder, op: Op) {
        let mut operands: Vec<Value> = op.operands(b.ctx);
        for (i, v) in operands.iter_mut().enumerate() {
            let chooses = i == 0 && self.strategy.for_registers && op.isa::<SelectOp>(b.ctx);
            let of_root =
                self.around.len() == 1 && op.block(b.ctx) == Some(self.around[0].0.body(b.ctx));
            let carried = op.isa::<YieldOp>(b.ctx) && of_root && self.is_in_order(i);
            let shared = chooses || carried;
            *v = match shared && !self.vectors.contains_key(v) {
                true => self.scalars.value(*v),
                false => self.widened(b, *v),
            };
        }
        b.loc = op.loc(b.ctx);
        if let Some(mask) = self.mask {
            let reductions = self.checked.reductions.iter();
            for (r, neutral) in reductions.zip(self.neutral.clone()) {
                if r.combiner == op {
                    let at = usize::from(op.operand(b.ctx, 0) != r.contribution);
                    let ty = operands[at].ty(b.ctx);
                    let all = [mask, operands[at], neutral];
                    operands[at] = b.value::<SelectOp>(&all, ty, &[]);
                }
            }
        }
        let mut s = OpState::like(b.ctx, op);
        s.operands = operands;
        let types = op.result_types(b.ctx).into_iter();
        s.result_types = types.map(|t| self.vector_of(b.ctx, t)).collect();
        let new = b.create(s);
        let results = op.results(b.ctx).into_iter().zip(new.results(b.ctx));
        self.vectors.extend(results);
    }

    /// The vector of a value: its own, that of a constant, or a broadcast.
    pub(super) fn widened(&mut self, b: &mut Builder, v: Value) -> Value {
        if let Some(vector) = self.vectors.get(&v) {
            return *vector;
        }
        if let Some(op) = v
            .def_op()
            .filter(|op| op.name(b.ctx) == arith::ConstantOp::NAME)
        {
            return self.widened_constant(b, v, op);
        }
        let scalar = self.scalars.value(v);
        let ty = self.vector_of(b.ctx, v.ty(b.ctx));
        let at = match (scalar.def_op(), scalar.arg_block()) {
            (Some(op), _) => InsertPoint::After(op),
            (None, Some(block)) => InsertPoint::Start(block),
            (None, None) => b.at,
        };
        b.loc = scalar.loc(b.ctx);
        let vector = b.with_point(at, |b| BroadcastOp::build(b, scalar, ty));
        self.vectors.insert(v, vector);
        vector
    }

    /// Vectors of constants stand at the start of the innermost vectorised loop.
    fn widened_constant(&mut self, b: &mut Builder, v: Value, op: Op) -> Value {
        for (_, l) in self.around.iter().rev() {
            if let Some(vector) = self.constants.get(&(v, l.op())) {
                return *vector;
            }
        }
        let ty = self.vector_of(b.ctx, v.ty(b.ctx));
        let value = op.attr(b.ctx, "value");
        let splat = value.and_then(|a| {
            if let Some(i) = a.as_int(b.ctx) {
                return Some(arith::splat_int(b.ctx, ty, i));
            }
            Some(arith::splat_float(b.ctx, ty, a.as_float(b.ctx)?))
        });
        let at = match self.around.last() {
            Some((_, l)) => InsertPoint::Start(l.body(b.ctx)),
            None => b.at,
        };
        b.loc = op.loc(b.ctx);
        let vector = b.with_point(at, |b| match splat {
            Some(a) => arith::constant(b, a),
            None => BroadcastOp::build(b, v, ty),
        });
        if let Some((_, l)) = self.around.last() {
            self.constants.insert((v, l.op()), vector);
        }
        vector
    }

    /// An index as a number: that of the first lane in all lanes, and what they are ahead.
    fn count(&mut self, b: &mut Builder, op: Op, step: i64) {
        let cast = clone_op(b.ctx, op, &mut self.scalars);
        b.insert(cast);
        let first = cast.result(b.ctx, 0);
        let ty = self.vector_of(b.ctx, first.ty(b.ctx));
        let same = BroadcastOp::build(b, first, ty);
        let bits = first.ty(b.ctx).bit_width(b.ctx).unwrap_or(64) as usize;
        let ahead = (0..self.strategy.sizes[0]).flat_map(|lane| {
            let ahead = lane.wrapping_mul(step).to_le_bytes();
            ahead.into_iter().take(bits / 8)
        });
        let bytes = ahead.collect::<Vec<u8>>().into();
        let data = DenseData::Raw {
            splat: false,
            bytes,
        };
        let ahead = b.ctx.attr(AttrData::Dense { ty, data });
        let ahead = arith::constant(b, ahead);
        let all = b.value::<AddIOp>(&[same, ahead], ty, &[]);
        self.vectors.insert(op.result(b.ctx, 0), all);
    }
}
