//! Structured control flow, lowered as it stands.
//!
//! A loop tests at its bottom and once in front, so that each iteration has one
//! branch. The next index is only computed where it does not pass the upper bound;
//! nothing overflows near the end of the index range.

use super::abi::Scalar;
use super::address::Scope;
use super::arith::{mask, sext};
use super::branch::{self, Target};
use super::lower::{Lower, R};
use super::sign::is_not_negative;
use super::trap::Trap;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, types};
use cranelift_frontend::Switch;
use terrace_dialects::memref;
use terrace_dialects::scf::{ForOp, IfOp, IndexSwitchOp};
use terrace_ir::{Block, Op, OpKind, Value};

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    match name {
        "for" | "while" if super::leaf::is_leaf(l, op) => super::leaf::lower(l, op),
        "for" => for_op(l, op),
        "if" => if_op(l, op),
        "while" => super::while_loop::lower(l, op),
        "index_switch" => index_switch(l, op),
        "execute_region" => execute_region(l, op),
        _ => Err(super::check::advice(op.name(l.ctx))),
    }
}

pub(super) fn args(vs: &[ir::Value]) -> Vec<BlockArg> {
    vs.iter().map(|v| (*v).into()).collect()
}

/// The bounds of a loop, all of one integer type.
#[derive(Clone, Copy)]
pub(super) struct Range {
    pub lower: ir::Value,
    pub upper: ir::Value,
    pub step: ir::Value,
    /// The step where it is known; then it is positive.
    pub step_const: Option<i64>,
    pub signed: bool,
    /// Whether the lower bound is known not to be negative.
    pub from_zero: bool,
}

/// The body of a loop: from the index and the carried values to the next ones.
type Body<'b, 'm, 'f> =
    dyn FnMut(&mut Lower<'m, 'f>, ir::Value, &[ir::Value]) -> R<Vec<ir::Value>> + 'b;

impl<'m, 'f> Lower<'m, 'f> {
    /// A machine block with a parameter for each of `types`.
    pub fn block_with(&mut self, types: &[ir::Type]) -> (ir::Block, Vec<ir::Value>) {
        let b = self.b.create_block();
        let params = types
            .iter()
            .map(|t| self.b.append_block_param(b, *t))
            .collect();
        (b, params)
    }

    fn types_of(&self, vs: &[ir::Value]) -> Vec<ir::Type> {
        vs.iter().map(|v| self.b.func.dfg.value_type(*v)).collect()
    }

    /// A loop over `range` that carries `inits`: `body` gets the index and the carried
    /// values and gives the next ones. The loop gives the last ones.
    pub fn for_loop(
        &mut self,
        range: Range,
        inits: &[ir::Value],
        body: &mut Body<'_, 'm, 'f>,
    ) -> R<Vec<ir::Value>> {
        let less = match range.signed {
            true => IntCC::SignedLessThan,
            false => IntCC::UnsignedLessThan,
        };
        let ty = self.b.func.dfg.value_type(range.lower);
        let types = self.types_of(inits);
        let mut with_index = vec![ty];
        with_index.extend(&types);
        let (head, params) = self.block_with(&with_index);
        let (done, results) = self.block_with(&types);
        let some = self.b.ins().icmp(less, range.lower, range.upper);
        // From no less than zero on, an index and a step more do not leave the unsigned range.
        let plain = range.from_zero && range.step_const.is_some() && ty.bits() <= 64;
        // The last iteration that another one follows is before this.
        let limit = match range.step_const {
            Some(step) if step > 1 && ty.bits() <= 64 && !plain => {
                Some(self.less_step(&range, step))
            }
            _ => None,
        };
        // Steps are taken on the way into an iteration then, so that its index and the next
        // one's are never there together.
        let before = match (limit, range.step_const) {
            (Some(_), Some(step)) => {
                let step = self.iconst(ty, step);
                self.b.ins().isub(range.lower, step)
            }
            _ => range.lower,
        };
        let mut first = args(&[before]);
        first.extend(args(inits));
        let entry = self.b.ins().brif(some, head, &first, done, &args(inits));
        self.scopes.push(Scope::entered_by(entry));
        self.b.switch_to_block(head);
        let step = match range.step_const {
            Some(c) => self.iconst(ty, c),
            None => range.step,
        };
        let iv = match limit {
            Some(_) => self.b.ins().iadd(params[0], step),
            None => params[0],
        };
        let next = body(self, iv, &params[1..])?;
        let (more, after) = match limit {
            Some(limit) => (self.b.ins().icmp(less, iv, limit), iv),
            None => {
                let after = self.b.ins().iadd(iv, step);
                let upper = range.upper;
                let more = match range.step_const {
                    _ if plain => self.b.ins().icmp(IntCC::UnsignedLessThan, after, upper),
                    Some(1) => self.b.ins().icmp(less, after, upper),
                    _ => {
                        let left = self.b.ins().isub(upper, iv);
                        self.b.ins().icmp(IntCC::UnsignedGreaterThan, left, step)
                    }
                };
                (more, after)
            }
        };
        let mut again = args(&[after]);
        again.extend(args(&next));
        self.b.ins().brif(more, head, &again, done, &args(&next));
        self.scopes.pop();
        self.b.switch_to_block(done);
        Ok(results)
    }

    /// The upper bound less the step, or the least number where that would be less: an
    /// iteration follows on each that is before it.
    fn less_step(&mut self, range: &Range, step: i64) -> ir::Value {
        let ty = self.b.func.dfg.value_type(range.upper);
        let (cc, least) = match range.signed {
            true => (IntCC::SignedGreaterThan, i64::MIN >> (64 - ty.bits())),
            false => (IntCC::UnsignedGreaterThan, 0),
        };
        let lowest = self.iconst(ty, least.wrapping_add(step));
        let above = self.b.ins().icmp(cc, range.upper, lowest);
        let step = self.iconst(ty, step);
        let less = self.b.ins().isub(range.upper, step);
        let least = self.iconst(ty, least);
        // A difference alone would be computed again in each iteration.
        self.b.ins().select(above, less, least)
    }

    /// Bounds of index type; fails at `op` where the step is not positive.
    pub fn range(&mut self, op: Op, lower: Value, upper: Value, step: Value) -> R<Range> {
        let step_const = self.ctx.constant_int(step).filter(|c| *c > 0);
        let r = Range {
            lower: self.one(lower)?,
            upper: self.one(upper)?,
            step: self.one(step)?,
            step_const,
            signed: true,
            from_zero: is_not_negative(self.ctx, lower),
        };
        self.check_step(op, &r)?;
        Ok(r)
    }

    fn check_step(&mut self, op: Op, r: &Range) -> R {
        if r.step_const.is_none() {
            let ty = self.b.func.dfg.value_type(r.step);
            let zero = self.iconst(ty, 0);
            let cc = match r.signed {
                true => IntCC::SignedLessThanOrEqual,
                false => IntCC::Equal,
            };
            let bad = self.b.ins().icmp(cc, r.step, zero);
            self.trap_if(bad, Trap::BadStep, op)?;
        }
        Ok(())
    }

    /// Run `f` with memory of dynamic size freed afterwards, where `block` asks for any.
    pub fn with_allocas<T>(&mut self, block: Block, f: impl FnOnce(&mut Self) -> R<T>) -> R<T> {
        if !super::memref::has_dynamic_alloca(self.ctx, block) {
            return f(self);
        }
        let head = self.alloca_head();
        let flags = ir::MemFlagsData::trusted();
        let before = self.b.ins().load(types::I64, flags, head, 0);
        let out = f(self)?;
        let head = self.alloca_head();
        self.helper("terrace_alloca_release", &[head, before], None)?;
        Ok(out)
    }
}

fn for_op(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let f = ForOp::wrap(op);
    let Scalar::Int(bits) = l.scalar_of(f.lower_bound(ctx))? else {
        return Err("needs integer bounds".into());
    };
    let signed = !f.is_unsigned(ctx);
    let mut bound = |v: Value| -> R<ir::Value> {
        let x = l.one(v)?;
        Ok(if signed { sext(l, x, bits) } else { x })
    };
    let (lower, upper) = (bound(f.lower_bound(ctx))?, bound(f.upper_bound(ctx))?);
    let step = bound(f.step(ctx))?;
    let step_const = ctx.constant_int(f.step(ctx)).filter(|c| *c > 0 && bits > 1);
    let range = Range {
        lower,
        upper,
        step,
        step_const,
        signed,
        from_zero: signed && bits >= 32 && is_not_negative(ctx, f.lower_bound(ctx)),
    };
    l.check_step(op, &range)?;
    let inits = l.flat_all(&f.init_args(ctx))?;
    let block = f.body(ctx);
    let (iv, carried) = (f.induction_var(ctx), f.iter_args(ctx));
    let results = l.for_loop(range, &inits, &mut |l, i, vs| {
        let i = mask(l, i, bits);
        l.bind(iv, super::abi::Val::One(i));
        l.bind_flat(&carried, vs)?;
        l.with_allocas(block, |l| {
            let y = l.block_body(block)?;
            l.flat_all(&y.operands(l.ctx))
        })
    })?;
    l.bind_flat(&op.results(ctx), &results)
}

/// Lower a region of one block in a new scope and go to `join` with what it yields.
fn arm(
    l: &mut Lower,
    entry: ir::Inst,
    start: ir::Block,
    block: Option<Block>,
    join: ir::Block,
) -> R {
    l.b.switch_to_block(start);
    l.scopes.push(Scope::entered_by(entry));
    let mut values = Vec::new();
    if let Some(b) = block {
        let y = l.block_body(b)?;
        values = l.flat_all(&y.operands(l.ctx))?;
    }
    l.b.ins().jump(join, &args(&values));
    l.scopes.pop();
    Ok(())
}

fn if_op(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    if branch::put_off(l, op) {
        return Ok(());
    }
    let i = IfOp::wrap(op);
    if let Some(holds) = branch::truth(l, i.condition(ctx)) {
        return known_way(l, i, holds);
    }
    let types = l.flat_types(&op.results(ctx))?;
    let (join, params) = l.block_with(&types);
    let then = l.b.create_block();
    let other = i.else_block(ctx);
    let otherwise = match other {
        Some(_) => l.b.create_block(),
        None => join,
    };
    let ways = [then, otherwise].map(|b| Target::new(b, &[]));
    let entry = branch::branch(l, i.condition(ctx), false, &ways[0], &ways[1])?;
    arm(l, entry, then, Some(i.then_block(ctx)), join)?;
    if other.is_some() {
        arm(l, entry, otherwise, other, join)?;
    }
    l.b.switch_to_block(join);
    l.bind_flat(&op.results(ctx), &params)
}

/// The way of a condition that is known.
fn known_way(l: &mut Lower, i: IfOp, holds: bool) -> R {
    let ctx = l.ctx;
    let block = match holds {
        true => Some(i.then_block(ctx)),
        false => i.else_block(ctx),
    };
    let Some(block) = block else { return Ok(()) };
    let end = l.block_body(block)?;
    let values = l.flat_all(&end.operands(ctx))?;
    l.bind_flat(&i.op().results(ctx), &values)
}

fn index_switch(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let s = IndexSwitchOp::wrap(op);
    let arg = l.one(s.arg(ctx))?;
    let types = l.flat_types(&op.results(ctx))?;
    let (join, params) = l.block_with(&types);
    // One block before the cases, so that the branch into them is a single one.
    let start = l.b.create_block();
    let entry = l.b.ins().jump(start, &[]);
    l.b.switch_to_block(start);
    let mut switch = Switch::new();
    let default = l.b.create_block();
    let mut arms = vec![(default, op.body(ctx, 0))];
    for (i, value) in s.cases(ctx).into_iter().enumerate() {
        let block = l.b.create_block();
        let index = u128::from(value as u64);
        // Of equal cases the first counts.
        if !switch.entries().contains_key(&index) {
            switch.set_entry(index, block);
            arms.push((block, op.body(ctx, i + 1)));
        }
    }
    switch.emit(&mut l.b, arg, default);
    for (start, block) in arms {
        arm(l, entry, start, Some(block), join)?;
    }
    l.b.switch_to_block(join);
    l.bind_flat(&op.results(ctx), &params)
}

/// `scf.execute_region`, `memref.alloca_scope`: a region whose last op gives the
/// results. Heap memory of allocas in it is freed behind it.
pub(super) fn execute_region(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let tys = l.flat_types(&op.results(ctx))?;
    let (join, params) = l.block_with(&tys);
    let region = op.region(ctx, 0);
    let blocks = region.blocks(ctx);
    let scope = op.name(ctx) == memref::AllocaScopeOp::NAME
        && blocks
            .into_iter()
            .any(|b| super::memref::has_dynamic_alloca(ctx, b));
    let before = scope.then(|| {
        let head = l.alloca_head();
        l.b.ins()
            .load(types::I64, ir::MemFlagsData::trusted(), head, 0)
    });
    super::cf::region(l, region, Some(join))?;
    l.new_block();
    l.b.switch_to_block(join);
    if let Some(before) = before {
        let head = l.alloca_head();
        l.helper("terrace_alloca_release", &[head, before], None)?;
    }
    l.bind_flat(&op.results(ctx), &params)
}
