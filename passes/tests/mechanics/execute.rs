//! Runs affine loops and lists what happens.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use terrace_dialects::affine::{ApplyOp, ForOp, IfOp, YieldOp};
use terrace_ir::affine::AffineMap;
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Context, Op, Value};

/// An op with the values of its operands: numbers where they are indices, else what
/// identifies how they came about.
pub type Event = (String, Vec<i64>);

struct Machine<'a> {
    ctx: &'a Context,
    values: HashMap<Value, i64>,
    events: Vec<Event>,
}

/// The events of the first function of a module, its index arguments given. Every op
/// that does more than compute is an event.
pub fn run(ctx: &Context, module: Op, parameters: &[i64]) -> Vec<Event> {
    let function = module
        .pre_order(ctx)
        .into_iter()
        .find(|o| o.name(ctx) == "func.func");
    let Some(block) = function.and_then(|f| f.region(ctx, 0).entry(ctx)) else {
        panic!("no function");
    };
    let mut m = Machine {
        ctx,
        values: HashMap::new(),
        events: Vec::new(),
    };
    for (i, v) in block.args(ctx).into_iter().enumerate() {
        m.values.insert(v, parameters.get(i).copied().unwrap_or(0));
    }
    m.block(block);
    m.events
}

impl Machine<'_> {
    fn all(&self, values: &[Value]) -> Vec<i64> {
        let known = |v: &Value| *self.values.get(v).expect("a value before its definition");
        values.iter().map(known).collect()
    }

    fn map(&self, map: &AffineMap, operands: &[Value]) -> Vec<i64> {
        let operands = self.all(operands);
        let (dims, symbols) = operands.split_at(map.num_dims() as usize);
        map.eval(dims, symbols).expect("an affine map")
    }

    /// Runs a block and gives what it yields.
    fn block(&mut self, block: Block) -> Vec<i64> {
        for op in block.ops(self.ctx) {
            if op.isa::<YieldOp>(self.ctx) {
                return self.all(&op.operands(self.ctx));
            }
            self.op(op);
        }
        Vec::new()
    }

    fn op(&mut self, op: Op) {
        let ctx = self.ctx;
        let results = if let Some(l) = op.cast::<ForOp>(ctx) {
            self.run_loop(l)
        } else if let Some(i) = op.cast::<IfOp>(ctx) {
            let operands = self.all(&i.operands(ctx));
            let (dims, symbols) = operands.split_at(i.set(ctx).num_dims() as usize);
            match i.set(ctx).contains(dims, symbols) {
                Some(true) => self.block(i.then_block(ctx)),
                _ => i.else_block(ctx).map(|b| self.block(b)).unwrap_or_default(),
            }
        } else if let Some(a) = op.cast::<ApplyOp>(ctx) {
            self.map(a.map(ctx), &a.operands(ctx))
        } else if let Some(c) = op.results(ctx).first().and_then(|r| ctx.constant_int(*r)) {
            vec![c]
        } else {
            let event = (op.name(ctx).to_string(), self.all(&op.operands(ctx)));
            let mut h = DefaultHasher::new();
            event.hash(&mut h);
            let identity = h.finish() as i64;
            if !is_pure(ctx, op) {
                self.events.push(event);
            }
            (0..op.num_results(ctx))
                .map(|i| identity.wrapping_add(i as i64))
                .collect()
        };
        self.values.extend(op.results(ctx).into_iter().zip(results));
    }

    fn run_loop(&mut self, l: ForOp) -> Vec<i64> {
        let ctx = self.ctx;
        let lower = self.map(l.lower_map(ctx), &l.lower_operands(ctx));
        let upper = self.map(l.upper_map(ctx), &l.upper_operands(ctx));
        let mut i = lower.into_iter().max().expect("a lower bound");
        let end = upper.into_iter().min().expect("an upper bound");
        let mut carried = self.all(&l.inits(ctx));
        while i < end {
            self.values.insert(l.iv(ctx), i);
            self.values
                .extend(l.iter_args(ctx).into_iter().zip(carried));
            carried = self.block(l.body(ctx));
            i += l.step(ctx);
        }
        carried
    }
}
