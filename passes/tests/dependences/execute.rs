//! Runs the loops of a program and writes down every access: which op, in which
//! iteration, to which element of which object. Nothing is computed but indices.

use std::collections::HashMap;

use terrace_dialects::affine::{Access, AccessKind, ApplyOp, ForOp, IfOp, ParallelOp};
use terrace_dialects::memref::SubViewOp;
use terrace_dialects::offsets::Mixed;
use terrace_ir::affine::AffineMap;
use terrace_ir::{Block, Context, Op, OpKind, Value};

/// One access by one op in one iteration.
#[derive(Clone, Debug)]
pub struct Event {
    pub op: Op,
    pub writes: bool,
    pub iteration: Vec<i64>,
    /// The elements, as many as a vector has: object and subscripts.
    pub elements: Vec<(usize, Vec<i64>)>,
}

/// A memref: an object, and for a view where its elements are.
#[derive(Clone)]
struct Memory {
    object: usize,
    offset: i64,
    stride: i64,
}

pub struct Executor<'c> {
    ctx: &'c Context,
    pub values: HashMap<Value, i64>,
    memory: HashMap<Value, Memory>,
    objects: usize,
    /// The variables of the loops around.
    ivs: Vec<Value>,
    pub trace: Vec<Event>,
    /// Every iteration in which each op ran.
    pub ran: HashMap<Op, Vec<Vec<i64>>>,
}

impl<'c> Executor<'c> {
    pub fn new(ctx: &'c Context) -> Self {
        Executor {
            ctx,
            values: HashMap::new(),
            memory: HashMap::new(),
            objects: 0,
            ivs: Vec::new(),
            trace: Vec::new(),
            ran: HashMap::new(),
        }
    }

    pub fn new_object(&mut self, v: Value) {
        let object = self.objects;
        self.objects += 1;
        let memory = Memory {
            object,
            offset: 0,
            stride: 1,
        };
        self.memory.insert(v, memory);
    }

    fn value(&self, v: Value) -> i64 {
        match self.ctx.constant_int(v) {
            Some(c) => c,
            None => self.values[&v],
        }
    }

    fn results(&self, map: &AffineMap, operands: &[Value]) -> Vec<i64> {
        let inputs: Vec<i64> = operands.iter().map(|v| self.value(*v)).collect();
        let (d, s) = inputs.split_at(map.num_dims() as usize);
        map.eval(d, s).expect("small numbers")
    }

    pub fn block(&mut self, block: Block) {
        for op in block.ops(self.ctx) {
            self.op(op);
        }
    }

    fn op(&mut self, op: Op) {
        let ctx = self.ctx;
        let iteration: Vec<i64> = self.ivs.iter().map(|v| self.values[v]).collect();
        self.ran.entry(op).or_default().push(iteration.clone());
        if let Some(a) = Access::of(ctx, op) {
            let at = self.results(&a.map, &a.operands);
            let lanes = if a.vector.is_some() { 2 } else { 1 };
            self.access(op, a.kind == AccessKind::Write, a.memref, &at, lanes);
            return;
        }
        match op.name(ctx) {
            "affine.for" => self.for_loop(ForOp::wrap(op)),
            "affine.parallel" => self.parallel(ParallelOp::wrap(op), 0),
            "affine.if" => {
                let i = IfOp::wrap(op);
                let set = i.set(ctx);
                let inputs: Vec<i64> = i.operands(ctx).iter().map(|v| self.value(*v)).collect();
                let (d, s) = inputs.split_at(set.num_dims() as usize);
                if set.contains(d, s).expect("small numbers") {
                    self.block(i.then_block(ctx));
                } else if let Some(b) = i.else_block(ctx) {
                    self.block(b);
                }
            }
            "affine.apply" => {
                let a = ApplyOp::wrap(op);
                let v = self.results(a.map(ctx), &a.operands(ctx))[0];
                self.values.insert(op.result(ctx, 0), v);
            }
            "arith.muli" | "arith.subi" => {
                let (a, b) = (
                    self.value(op.operand(ctx, 0)),
                    self.value(op.operand(ctx, 1)),
                );
                let v = if op.name(ctx) == "arith.muli" {
                    a * b
                } else {
                    a - b
                };
                self.values.insert(op.result(ctx, 0), v);
            }
            "memref.load" => {
                let o = op.operands(ctx);
                let at: Vec<i64> = o[1..].iter().map(|v| self.value(*v)).collect();
                self.access(op, false, o[0], &at, 1);
            }
            "memref.store" => {
                let o = op.operands(ctx);
                let at: Vec<i64> = o[2..].iter().map(|v| self.value(*v)).collect();
                self.access(op, true, o[1], &at, 1);
            }
            "memref.alloc" => self.new_object(op.result(ctx, 0)),
            "memref.subview" => {
                let slice = SubViewOp::wrap(op).slice(ctx).expect("a slice");
                let number = |m: Mixed| m.constant(ctx).expect("a constant");
                let of = self.memory[&op.operand(ctx, 0)].clone();
                let memory = Memory {
                    object: of.object,
                    offset: of.offset + of.stride * number(slice.offsets[0]),
                    stride: of.stride * number(slice.strides[0]),
                };
                self.memory.insert(op.result(ctx, 0), memory);
            }
            "arith.constant" | "affine.yield" | "func.return" => {}
            other => panic!("cannot run {other}"),
        }
    }

    fn access(&mut self, op: Op, writes: bool, memref: Value, at: &[i64], lanes: i64) {
        let m = self.memory[&memref].clone();
        let element = |lane: i64| {
            let mut at = at.to_vec();
            if let Some(last) = at.last_mut() {
                *last += lane;
            }
            if let [one] = at.as_mut_slice() {
                *one = m.offset + m.stride * *one;
            }
            (m.object, at)
        };
        self.trace.push(Event {
            op,
            writes,
            iteration: self.ivs.iter().map(|v| self.values[v]).collect(),
            elements: (0..lanes).map(element).collect(),
        });
    }

    fn for_loop(&mut self, l: ForOp) {
        let ctx = self.ctx;
        let lower = self.results(l.lower_map(ctx), &l.lower_operands(ctx));
        let upper = self.results(l.upper_map(ctx), &l.upper_operands(ctx));
        let mut i = lower.into_iter().max().expect("a bound");
        let end = upper.into_iter().min().expect("a bound");
        self.ivs.push(l.iv(ctx));
        while i < end {
            self.values.insert(l.iv(ctx), i);
            self.block(l.body(ctx));
            i += l.step(ctx);
        }
        self.ivs.pop();
    }

    fn parallel(&mut self, p: ParallelOp, from: usize) {
        let ctx = self.ctx;
        if from == p.num_loops(ctx) {
            self.block(p.body(ctx));
            return;
        }
        let lower = self.results(&p.lower_map_of(ctx, from), &p.lower_operands(ctx));
        let upper = self.results(&p.upper_map_of(ctx, from), &p.upper_operands(ctx));
        let mut i = lower.into_iter().max().expect("a bound");
        let end = upper.into_iter().min().expect("a bound");
        let iv = p.ivs(ctx)[from];
        self.ivs.push(iv);
        while i < end {
            self.values.insert(iv, i);
            self.parallel(p, from + 1);
            i += p.steps(ctx)[from];
        }
        self.ivs.pop();
    }
}
