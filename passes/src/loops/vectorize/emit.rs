//! A vectorised nest in the place of one that was checked.

use super::check::Checked;
use super::{Padding, Strategy};
use crate::analysis::bounds::difference;
use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, ApplyOp, ForOp, LoadOp, MinOp, StoreOp, YieldOp};
use terrace_dialects::arith::{self, AddIOp, SelectOp};
use terrace_dialects::attributes::TERRACE_IN_BOUNDS;
use terrace_dialects::scf::IfOp;
use terrace_dialects::ub::PoisonOp;
use terrace_dialects::vector::{
    BroadcastOp, CreateMaskOp, ExtractOp, FromElementsOp, TransferReadOp, TransferWriteOp,
    mask_type,
};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::builder::OpState;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{
    Attr, AttrData, Builder, Context, DenseData, InsertPoint, Op, OpKind, Type, Value,
};

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
    /// The lanes that take the way of a condition; nothing where all do.
    pub(super) lanes_that_run: Option<Value>,
    /// The mask of contributions to reductions, and the neutral elements.
    pub(super) mask: Option<Value>,
    pub(super) neutral: Vec<Value>,
}

/// Where the first lane of an access is, and how the others follow.
struct Place {
    memref: Value,
    indices: Vec<Value>,
    attrs: Vec<(&'static str, Attr)>,
}

impl Place {
    fn num_indices(&self) -> i32 {
        i32::try_from(self.indices.len()).unwrap_or(i32::MAX)
    }

    /// Gives a transfer its attributes.
    fn describe(&self, ctx: &Context, s: &mut OpState, sizes: &[i32]) {
        let sizes = ctx.i32_array(sizes);
        s.set_attr(ctx, "operandSegmentSizes", sizes);
        for (name, value) in &self.attrs {
            s.set_attr(ctx, name, *value);
        }
    }
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

    fn scalar_operands(&self, operands: &[Value]) -> Vec<Value> {
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
                false => self.access(b, &a),
            }
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

    /// An access of each lane on its own, in the order of the lanes.
    fn by_lane(&mut self, b: &mut Builder, a: &Access) {
        let value = a.stored(b.ctx).map(|v| self.widened(b, v));
        b.loc = a.op.loc(b.ctx);
        let memref = self.scalars.value(a.memref);
        let composed = a.composed(b.ctx);
        let operands = self.scalar_operands(&composed.operands);
        let iv = self.around.last().map(|(_, new)| new.iv(b.ctx));
        let (dims, symbols) = (composed.map.num_dims(), composed.map.num_symbols());
        let mut elements = Vec::new();
        for lane in 0..self.strategy.sizes[0] {
            let ahead: Vec<AffineExpr> = (0..dims)
                .map(|d| match Some(operands[d as usize]) == iv {
                    true => AffineExpr::dim(d) + lane,
                    false => AffineExpr::dim(d),
                })
                .collect();
            let own: Vec<AffineExpr> = (0..symbols).map(AffineExpr::symbol).collect();
            let map = composed
                .map
                .replace_dims_and_symbols(&ahead, &own, dims, symbols);
            match value {
                Some(value) => {
                    let x = ExtractOp::build(b, value, &[lane]);
                    StoreOp::build(b, x, memref, map, &operands);
                }
                None => elements.push(LoadOp::build(b, memref, map, &operands)),
            }
        }
        if value.is_none() {
            let result = a.op.result(b.ctx, 0);
            let ty = self.vector_of(b.ctx, result.ty(b.ctx));
            let all = b.value::<FromElementsOp>(&elements, ty, &[]);
            self.vectors.insert(result, all);
        }
    }

    fn access(&mut self, b: &mut Builder, a: &Access) {
        let value = a.stored(b.ctx).map(|v| self.widened(b, v));
        b.loc = a.op.loc(b.ctx);
        let memref = self.scalars.value(a.memref);
        let operands = self.scalar_operands(&a.operands);
        let rank = u32::try_from(a.map.num_results()).unwrap_or(u32::MAX);
        let indices = if a.map == AffineMap::identity(rank) {
            operands
        } else {
            let (dims, symbols) = (a.map.num_dims(), a.map.num_symbols());
            let each = a.map.results().iter();
            each.map(|e| {
                let map = AffineMap::new(dims, symbols, vec![e.clone()]);
                ApplyOp::build(b, map, &operands)
            })
            .collect()
        };
        let moves = &self.checked.moves[&a.op];
        let results = moves.iter().map(|m| match m {
            Some(i) => AffineExpr::dim(u32::try_from(*i).unwrap_or(u32::MAX)),
            None => AffineExpr::constant(0),
        });
        let map = AffineMap::new(rank, 0, results.collect());
        let in_bounds = vec![b.ctx.bool_attr(self.padding == Padding::InBounds); moves.len()];
        let mut attrs = vec![
            ("permutation_map", b.ctx.map_attr(map.clone())),
            ("in_bounds", b.ctx.array_attr(in_bounds)),
        ];
        if self.strategy.checked {
            attrs.push((TERRACE_IN_BOUNDS, b.ctx.unit()));
        }
        let place = Place {
            memref,
            indices,
            attrs,
        };
        let Some(value) = value else {
            let result = a.op.result(b.ctx, 0);
            let element = result.ty(b.ctx);
            let read = self.read(b, &place, element);
            self.vectors.insert(result, read);
            return;
        };
        let value = match self.lanes_that_run {
            Some(lanes) => {
                let element = value.ty(b.ctx).element_or_self(b.ctx);
                let old = self.read(b, &place, element);
                let ty = value.ty(b.ctx);
                b.value::<SelectOp>(&[lanes, value, old], ty, &[])
            }
            None => value,
        };
        let masked = self.checked.masked_stores.contains(&a.op);
        let mask = masked.then(|| self.mask_along(b, &map));
        let mut s = b.state::<TransferWriteOp>().operands(&[value, memref]);
        s.operands.extend(place.indices.iter().copied());
        s.operands.extend(mask);
        let sizes = [1, 1, place.num_indices(), i32::from(masked)];
        place.describe(b.ctx, &mut s, &sizes);
        b.create(s);
    }

    /// A vector of elements from a place on.
    fn read(&self, b: &mut Builder, place: &Place, element: Type) -> Value {
        let padding = self.pad(b, element);
        let ty = self.vector_of(b.ctx, element);
        let mut s = b
            .state::<TransferReadOp>()
            .operands(&[place.memref])
            .results(&[ty]);
        s.operands.extend(place.indices.iter().copied());
        s.operands.push(padding);
        place.describe(b.ctx, &mut s, &[1, place.num_indices(), 1, 0]);
        b.create(s).result(b.ctx, 0)
    }

    fn pad(&self, b: &mut Builder, element: Type) -> Value {
        let zero = b.ctx.zero_attr(element);
        match (self.padding, zero) {
            (Padding::InBounds, Some(zero)) => arith::constant(b, zero),
            _ => b.value::<PoisonOp>(&[], element, &[]),
        }
    }

    /// The mask for a write along `map`: its dimensions are those of the memref, in the
    /// memref's order.
    fn mask_along(&mut self, b: &mut Builder, map: &AffineMap) -> Value {
        let mut loops: Vec<(u32, (ForOp, ForOp))> = Vec::new();
        for (old, new) in &self.around {
            let d = self.strategy.dim_of[&old.op()];
            if let Some(AffineExpr::Dim(i)) = map.result(d) {
                loops.push((*i, (*old, *new)));
            }
        }
        loops.sort_by_key(|(i, _)| *i);
        let loops: Vec<(ForOp, ForOp)> = loops.into_iter().map(|l| l.1).collect();
        self.mask_of(b, &loops)
    }

    /// The lanes that are iterations, along each of these loops.
    fn mask_of(&mut self, b: &mut Builder, loops: &[(ForOp, ForOp)]) -> Value {
        let (mut left, mut sizes) = (Vec::new(), Vec::new());
        for (old, new) in loops {
            sizes.push(self.strategy.sizes[self.strategy.dim_of[&old.op()]]);
            let (map, operands) = (new.upper_map(b.ctx).clone(), new.upper_operands(b.ctx));
            let iv = [new.iv(b.ctx)];
            let one = AffineMap::dim_identity();
            let rest = if map.num_results() == 1 {
                difference(b.ctx, (&map, &operands), (&one, &iv))
            } else {
                let end = MinOp::build(b, map, &operands);
                difference(b.ctx, (&one, &[end]), (&one, &iv))
            };
            left.push(ApplyOp::build(b, rest.map, &rest.operands));
        }
        let rank = u32::try_from(sizes.len()).unwrap_or(u32::MAX);
        let vector = b.ctx.vector(&sizes, b.ctx.i1());
        let ty = mask_type(b.ctx, vector, &AffineMap::identity(rank));
        b.value::<CreateMaskOp>(&left, ty, &[])
    }
}
