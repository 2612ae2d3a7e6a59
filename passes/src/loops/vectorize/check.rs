//! Whether a loop nest can run in vectors.

use super::Strategy;
use super::bounds::{ends_with_memref, is_even};
use super::lanes::{Along, growth};
use super::turns::{InTurn, Turns, goes_back};
use crate::analysis::captured::is_inside;
use crate::analysis::in_bounds::is_within;
use crate::analysis::reduction::{self, Reduction};
use crate::loops::Refusal;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::affine::{Access, AccessKind, ApplyOp, ForOp, YieldOp, compose};
use terrace_dialects::arith::{self, IndexCastOp, IndexCastUIOp};
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_dialects::scf::{self, IfOp};
use terrace_ir::affine::{AffineMap, ValueMap};
use terrace_ir::effects::{is_memory_effect_free, is_speculatable};
use terrace_ir::opdef::traits;
use terrace_ir::{Block, Context, Op, OpKind, Type, Value};

/// What a value of the nest is in the vectorised one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A vector.
    Vector,
    /// What it was, the same in all lanes.
    Uniform,
    /// An index of which there is that of the first lane.
    FirstLane,
    /// An index that is computed for each lane where it is wanted.
    EachLane,
}

/// What is needed to vectorise a nest.
#[derive(Default)]
pub struct Checked {
    /// The subscript that each dimension of the vector moves along, of each access.
    pub moves: FxHashMap<Op, Vec<Option<usize>>>,
    /// Accesses that each lane makes on its own.
    pub by_lane: FxHashSet<Op>,
    /// Loads by subscripts that are computed from values, and the ops that compute nothing but those
    /// (see `gathers`).
    pub gathers: FxHashSet<Op>,
    pub each_lane: FxHashSet<Op>,
    /// Loads by such subscripts whose lanes are elements one behind the other.
    pub rows: FxHashSet<Op>,
    /// Accesses whose lanes are elements one behind the other, the last one first.
    pub reversed: FxHashSet<Op>,
    /// Loads whose lanes are every few elements, of which others load the rest.
    pub in_turn: FxHashMap<Op, InTurn>,
    /// Ops that give the same in all lanes, and are done once.
    pub uniform: FxHashSet<Op>,
    /// Casts of indices to numbers, with how much larger the number is in each lane than in
    /// the one before.
    pub counted: FxHashMap<Op, i64>,
    /// Conditions that are the same in all lanes.
    pub shared_conditions: FxHashSet<Op>,
    /// Stores that are masked.
    pub masked_stores: FxHashSet<Op>,
    /// The reductions that the root carries.
    pub reductions: Vec<Reduction>,
    /// Those of them that lanes contribute to one after the other.
    pub in_order: Vec<bool>,
    /// Whether contributions to them are masked.
    pub masked_reductions: bool,
}

pub(super) struct Checker<'a> {
    pub(super) ctx: &'a Context,
    root: ForOp,
    pub(super) strategy: &'a Strategy,
    all_even: bool,
    pub(super) forms: FxHashMap<Value, Form>,
    /// The vectorised loops around the place that is looked at.
    pub(super) around: Vec<ForOp>,
    turns: Turns,
    /// The outermost condition around the place that differs between lanes.
    pub(super) conditional: Option<IfOp>,
    pub(super) found: Checked,
}

/// Look at the nest; with `all_even`, no lane will go past the end of a loop.
pub fn check(
    ctx: &Context,
    root: ForOp,
    strategy: &Strategy,
    all_even: bool,
) -> Result<Checked, Refusal> {
    let mut c = Checker {
        ctx,
        root,
        strategy,
        all_even,
        forms: FxHashMap::default(),
        around: Vec::new(),
        turns: match strategy.for_registers {
            true => Turns::of(ctx, root),
            false => Turns::default(),
        },
        conditional: None,
        found: Checked::default(),
    };
    c.check_loop(root)?;
    Ok(c.found)
}

/// Bits of the longest vector that native code takes.
const MAX_BITS: i64 = 2048;

fn is_number(ctx: &Context, t: Type) -> bool {
    t.is_int_or_index(ctx) || t.is_float(ctx)
}

impl Checker<'_> {
    pub(super) fn refuse<T>(&self, op: Op, why: &str) -> Result<T, Refusal> {
        let message = format!("cannot vectorise: {why}");
        Err(Refusal::new(op.loc(self.ctx), message))
    }

    pub(super) fn form(&self, v: Value) -> Option<Form> {
        if let Some(f) = self.forms.get(&v) {
            return Some(*f);
        }
        (!is_inside(self.ctx, self.root.op(), v)).then_some(Form::Uniform)
    }

    fn is_even(&self, l: ForOp) -> bool {
        self.all_even || is_even(self.ctx, l, self.strategy)
    }

    /// Whether `v` can be had as a vector.
    pub(super) fn is_widenable(&self, v: Value) -> bool {
        match self.form(v) {
            Some(Form::Vector) => true,
            Some(Form::Uniform) => is_number(self.ctx, v.ty(self.ctx)),
            _ => false,
        }
    }

    /// Whether `v` is the same in all lanes.
    pub(super) fn is_shared(&self, v: Value) -> bool {
        self.form(v) == Some(Form::Uniform)
    }

    /// Whether conditions are asked lane by lane, or once for all.
    pub(super) fn takes_conditions(&self) -> bool {
        self.strategy.for_registers && self.all_even && self.around.len() == 1
    }

    fn check_loop(&mut self, l: ForOp) -> Result<(), Refusal> {
        let ctx = self.ctx;
        let op = l.op();
        if self.conditional.is_some() {
            return self.refuse(
                op,
                "lanes would come to this loop under different conditions",
            );
        }
        let bounds = [l.lower_operands(ctx), l.upper_operands(ctx)].concat();
        if !bounds.iter().all(|v| self.form(*v) == Some(Form::Uniform)) {
            return self.refuse(op, "the bounds of this loop differ between lanes");
        }
        if !op.result_types(ctx).iter().all(|t| is_number(ctx, *t)) {
            return self.refuse(op, "the loop carries something other than numbers");
        }
        let dim = self.strategy.dim_of.get(&op).copied();
        let carried = l.iter_args(ctx);
        if let Some(dim) = dim {
            let same = |o: &ForOp| self.strategy.dim_of.get(&o.op()) == Some(&dim);
            if self.around.iter().any(same) {
                return self.refuse(op, "two loops, one in the other, along one dimension");
            }
            if l.step(ctx) != 1 {
                return self.refuse(op, "the step of the loop is not 1");
            }
            if !carried.is_empty() {
                self.check_reductions(l)?;
            }
            self.around.push(l);
        } else if !l.inits(ctx).iter().all(|v| self.is_widenable(*v)) {
            return self.refuse(op, "what the loop starts from differs between lanes");
        }
        let iv = if dim.is_some() {
            Form::FirstLane
        } else {
            Form::Uniform
        };
        self.forms.insert(l.iv(ctx), iv);
        for v in carried {
            self.forms.insert(v, Form::Vector);
        }
        self.check_block(l.body(ctx))?;
        if dim.is_some() {
            self.around.pop();
        } else {
            for v in op.results(ctx) {
                self.forms.insert(v, Form::Vector);
            }
        }
        Ok(())
    }

    fn check_reductions(&mut self, l: ForOp) -> Result<(), Refusal> {
        let ctx = self.ctx;
        if l != self.root || self.strategy.sizes.len() != 1 {
            let m = "a loop that carries values can only be vectorised alone";
            return self.refuse(l.op(), m);
        }
        let neutral = |(r, t): (&Reduction, Type)| r.kind.identity(ctx, t).is_some();
        match reduction::all_of(ctx, l) {
            Some(all) if all.iter().zip(l.op().result_types(ctx)).all(neutral) => {
                let in_order = |r: &Reduction| self.strategy.in_order && r.is_ordered(ctx);
                self.found.in_order = all.iter().map(in_order).collect();
                self.found.reductions = all;
                self.found.masked_reductions = !self.is_even(l);
                Ok(())
            }
            _ => self.refuse(l.op(), "a value that the loop carries is not a reduction"),
        }
    }

    pub(super) fn check_block(&mut self, block: Block) -> Result<(), Refusal> {
        for op in block.ops(self.ctx) {
            self.check_op(op)?;
        }
        Ok(())
    }

    fn check_op(&mut self, op: Op) -> Result<(), Refusal> {
        let ctx = self.ctx;
        if let Some(l) = op.cast::<ForOp>(ctx) {
            return self.check_loop(l);
        }
        if let Some(apply) = op.cast::<ApplyOp>(ctx) {
            return self.check_apply(apply);
        }
        if let Some(a) = Access::of(ctx, op) {
            self.check_access(&a)?;
            return self.check_conditional(op);
        }
        if let Some(i) = op.cast::<IfOp>(ctx) {
            self.check_condition(i)?;
            for v in op.results(ctx) {
                self.forms.insert(v, Form::Vector);
            }
            return Ok(());
        }
        if op.isa::<scf::YieldOp>(ctx) {
            return self.check_given(op);
        }
        if op.name(ctx) == arith::ConstantOp::NAME && is_number(ctx, op.result(ctx, 0).ty(ctx)) {
            self.forms.insert(op.result(ctx, 0), Form::Uniform);
            return Ok(());
        }
        if let Some(step) = self.counts(op) {
            self.found.counted.insert(op, step);
            self.forms.insert(op.result(ctx, 0), Form::Vector);
            return Ok(());
        }
        let is_yield = op.isa::<YieldOp>(ctx);
        if !is_yield && self.is_uniform(op) {
            self.stays_uniform(op);
            return Ok(());
        }
        if self.check_gather(op)? {
            return Ok(());
        }
        if !is_yield {
            let elementwise = op.has_trait(ctx, traits::ELEMENTWISE);
            let numbers = op.result_types(ctx).iter().all(|t| is_number(ctx, *t));
            if !elementwise || !numbers || !is_memory_effect_free(ctx, op) {
                let m = format!("'{}' does not work on vectors", op.name(ctx));
                return self.refuse(op, &m);
            }
            let even = |l: &ForOp| self.is_even(*l);
            if !is_speculatable(ctx, op) && !self.around.iter().all(even) {
                let m = format!(
                    "'{}' must not run for iterations past the end of the loop",
                    op.name(ctx)
                );
                return self.refuse(op, &m);
            }
            self.check_conditional(op)?;
        }
        if !op.operands(ctx).iter().all(|v| self.is_widenable(*v)) {
            return self.refuse(op, "an operand differs between lanes and is no vector");
        }
        for v in op.results(ctx) {
            self.forms.insert(v, Form::Vector);
        }
        Ok(())
    }

    /// Whether an op computes the same in all lanes.
    fn is_uniform(&self, op: Op) -> bool {
        let ctx = self.ctx;
        self.strategy.for_registers
            && op.regions(ctx).is_empty()
            && is_memory_effect_free(ctx, op)
            && op
                .operands(ctx)
                .iter()
                .all(|v| self.form(*v) == Some(Form::Uniform))
    }

    pub(super) fn stays_uniform(&mut self, op: Op) {
        self.found.uniform.insert(op);
        for v in op.results(self.ctx) {
            self.forms.insert(v, Form::Uniform);
        }
    }

    /// How much larger an index is in each lane than in the one before, where `op` makes a
    /// number of it.
    fn counts(&self, op: Op) -> Option<i64> {
        let ctx = self.ctx;
        let casts = op.isa::<IndexCastOp>(ctx) || op.isa::<IndexCastUIOp>(ctx);
        if !casts || !self.strategy.for_registers {
            return None;
        }
        let index = op.operand(ctx, 0);
        let [around] = self.around[..] else {
            return None;
        };
        let known = self.form(index) == Some(Form::FirstLane) && index.ty(ctx).is_index(ctx);
        known.then(|| growth(ctx, index, around))?
    }

    fn check_apply(&mut self, apply: ApplyOp) -> Result<(), Refusal> {
        let ctx = self.ctx;
        let op = apply.op();
        self.check_indices(op, &apply.operands(ctx))?;
        let map = compose::compose(ctx, apply.map(ctx), &apply.operands(ctx));
        let same = self.around.iter().all(|l| {
            self.along(*l, &map)
                .is_none_or(|a| a.step_of(&map.map.results()[0], &map.map) == Some(0))
        });
        let form = if same { Form::Uniform } else { Form::FirstLane };
        self.forms.insert(apply.result(ctx), form);
        Ok(())
    }

    fn check_indices(&self, op: Op, operands: &[Value]) -> Result<(), Refusal> {
        let known = |v: &Value| matches!(self.form(*v), Some(Form::Uniform | Form::FirstLane));
        if operands.iter().all(known) {
            return Ok(());
        }
        self.refuse(op, "a subscript is computed from values, for each lane")
    }

    /// How the lanes along `l` appear in a map; `None` where its variable does not.
    fn along(&self, l: ForOp, map: &ValueMap<Value>) -> Option<Along> {
        let p = map.operands.iter().position(|v| *v == l.iv(self.ctx))?;
        let size = *self
            .strategy
            .sizes
            .get(*self.strategy.dim_of.get(&l.op())?)?;
        Some(Along {
            dim: u32::try_from(p).ok()?,
            size,
            lower: l.constant_lower(self.ctx),
        })
    }

    fn check_access(&mut self, a: &Access) -> Result<(), Refusal> {
        let ctx = self.ctx;
        let ty = a.memref.ty(ctx);
        let plain = ty
            .memref_parts(ctx)
            .is_some_and(|(layout, _)| layout.is_none())
            || self.strategy.for_registers;
        let number = ty.element(ctx).is_some_and(|t| is_number(ctx, t));
        if a.vector.is_some() || a.kind == AccessKind::Prefetch || !plain || !number {
            return self.refuse(a.op, "the access is not of one number of a plain memref");
        }
        self.check_indices(a.op, &a.operands)?;
        if self.form(a.memref) != Some(Form::Uniform) {
            return self.refuse(a.op, "the memref differs between lanes");
        }
        let map = a.composed(ctx);
        let mut moves = vec![None; self.strategy.sizes.len()];
        let mut masked = false;
        for l in self.around.clone() {
            let d = self.strategy.dim_of[&l.op()];
            moves[d] = match self.subscript_along(l, &map, a.op) {
                Ok(along) if !self.is_by_lane(a, along) => along,
                Err(why) if !self.strategy.for_registers => return Err(why),
                _ => Some(self.in_another_order(a, l)),
            };
            masked |= !self.is_even(l) && !moves[d].is_some_and(|i| ends_with_memref(ctx, l, a, i));
        }
        let mut seen = FxHashSet::default();
        if !moves.iter().flatten().all(|i| seen.insert(*i)) {
            return self.refuse(a.op, "one subscript moves along two dimensions");
        }
        let uniform = moves.iter().all(Option::is_none);
        if self.strategy.checked && !uniform && !is_within(ctx, a) {
            return self.refuse(a.op, "the access may be out of bounds, and is checked");
        }
        if let Some(value) = a.stored(ctx) {
            if moves.contains(&None) {
                return self.refuse(a.op, "several lanes store to one element");
            }
            if !self.is_widenable(value) {
                let m = "what is stored differs between lanes and is no vector";
                return self.refuse(a.op, m);
            }
            if masked {
                self.found.masked_stores.insert(a.op);
            }
        } else if self.strategy.for_registers && uniform {
            self.stays_uniform(a.op);
        } else {
            self.forms.insert(a.op.result(ctx, 0), Form::Vector);
        }
        self.found.moves.insert(a.op, moves);
        Ok(())
    }

    /// Notes how lanes make an access that no register makes as it is; the subscript that moves.
    fn in_another_order(&mut self, a: &Access, l: ForOp) -> usize {
        let last = a.map.num_results().saturating_sub(1);
        if goes_back(self.ctx, a, l) {
            self.found.reversed.insert(a.op);
            return last;
        }
        let bits = a.memref.ty(self.ctx).element(self.ctx);
        let bits = bits.and_then(|t| t.bit_width(self.ctx)).unwrap_or(64);
        let fits = |t: &InTurn| self.strategy.sizes[0] * t.step * i64::from(bits) <= MAX_BITS;
        match self.turns.in_turn(a.op).filter(fits) {
            Some(turn) => {
                self.found.in_turn.insert(a.op, turn);
                last
            }
            None => {
                self.found.by_lane.insert(a.op);
                0
            }
        }
    }

    /// Whether lanes are to make an access on their own that moves along this subscript.
    fn is_by_lane(&self, a: &Access, along: Option<usize>) -> bool {
        let last = a.map.num_results().checked_sub(1);
        let side_by_side = || {
            let layout = strides_and_offset(self.ctx, a.memref.ty(self.ctx));
            layout.is_some_and(|l| l.strides.last() == Some(&1))
        };
        self.strategy.for_registers && along.is_some() && (along != last || !side_by_side())
    }

    /// The subscript that moves by one from lane to lane along `l`, if one does.
    fn subscript_along(
        &self,
        l: ForOp,
        subscripts: &ValueMap<Value>,
        op: Op,
    ) -> Result<Option<usize>, Refusal> {
        let Some(along) = self.along(l, subscripts) else {
            return Ok(None);
        };
        let map: &AffineMap = &subscripts.map;
        let mut found = None;
        for (i, e) in map.results().iter().enumerate() {
            match along.step_of(e, map) {
                Some(0) => {}
                Some(1) if found.is_none() => found = Some(i),
                _ => {
                    let m = "the access does not move by one element along one subscript \
                             from lane to lane";
                    return self.refuse(op, m);
                }
            }
        }
        Ok(found)
    }
}
