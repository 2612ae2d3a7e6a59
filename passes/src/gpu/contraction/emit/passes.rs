//! One product's way through the slabs: one is multiplied while others are under way.

use super::copies::Copy;
use super::frame::Frame;
use super::number::Number;
use super::ragged::Ragged;
use super::slabs::Slab;
use super::units::Threads;
use crate::loops::build::index::*;
use terrace_dialects::arith::SelectOp;
use terrace_dialects::attributes::GPU_EITHER;
use terrace_dialects::nvgpu::{self, DeviceAsyncCreateGroupOp, DeviceAsyncWaitOp};
use terrace_dialects::{gpu, scf};
use terrace_ir::{Builder, InsertPoint, OpKind, Type, Value};

pub fn wait(b: &mut Builder, group: Value, left: i64) {
    let i32 = b.ctx.i32();
    let left = b.ctx.int_attr(i32, left);
    b.op::<DeviceAsyncWaitOp>(&[group], &[], &[("numGroups", left)]);
}

/// Counters, by what they are here.
pub type Places = Vec<(Value, Value)>;

/// Which k a tile needs: all of its elements all from `first` to `end`, or from `whole` on
/// or up to `whole` where the one or the other is another for each row or column.
#[derive(Clone, Copy)]
pub struct Reach {
    pub first: Value,
    pub end: Value,
    pub whole: Option<Value>,
}

/// One product's way through the slabs.
pub struct Pass<'p, 'x> {
    pub frame: &'p Frame<'x>,
    pub reach: Reach,
    /// The counters of the rows that the thread copies, where these have two.
    pub rows: Vec<Places>,
    pub pair: &'p [Slab<'x>; 2],
    pub views: [Value; 2],
    pub thread: Value,
    /// First row and column of the tile.
    pub corner: [Value; 2],
    pub number: Option<Number>,
    /// Whether vectors of the factors are aligned, where there are some.
    pub aligned: Option<Value>,
}

impl Pass<'_, '_> {
    /// Whether the vectors of all factors that have some are aligned; nothing where none has, or
    /// where those of one never are.
    pub fn are_aligned(&self, b: &mut Builder) -> Option<Value> {
        let x = self.frame.x;
        let mut all: Option<Value> = None;
        for (i, slab) in self.pair.iter().enumerate() {
            let Some(vector) = slab.vector else { continue };
            let first = match slab.factor.along_k {
                true => (x.k, self.reach.first),
                false => ([x.row, x.col][i], self.corner[i]),
            };
            let one = slab.aligned(b, vector, &[first])?;
            all = Some(match all {
                Some(a) => and(b, a, one),
                None => one,
            });
        }
        all
    }

    /// Begins to copy a part of the slabs from that k on to a stage, vectors of it where
    /// these are aligned.
    fn copy(&self, b: &mut Builder, stage: Value, from: Value, part: (i64, i64), wide: bool) {
        let f = self.frame;
        let outer = [f.x.row, f.x.col];
        let ends = [f.rows[1], f.cols[1]];
        for (i, slab) in self.pair.iter().enumerate() {
            let c = Copy {
                view: self.views[i],
                thread: self.thread,
                threads: f.plan.threads(),
                outer: outer[i],
                origin: self.corner[i],
                end: ends[i],
                depth_end: self.reach.end,
                rows: if i == 0 { &self.rows } else { &[] },
                slope: f.x.slope().filter(|s| s.by_col == (i == 1)),
                wide,
            };
            slab.copy(b, f.x, &c, (stage, from), part);
        }
    }

    /// Does something with vectors or without, as the program finds when it runs.
    fn either(
        &self,
        b: &mut Builder,
        types: &[Type],
        does: &mut dyn FnMut(&mut Builder, bool) -> Vec<Value>,
    ) -> Vec<Value> {
        let Some(aligned) = self.aligned else {
            return does(b, false);
        };
        let (op, then, other) = scf::IfOp::build(b, aligned, types, true);
        let mark = b.ctx.unit();
        op.op().set_attr(b.ctx, GPU_EITHER, mark);
        for (block, wide) in [(Some(then), true), (other, false)] {
            let Some(block) = block else { continue };
            b.with_point(InsertPoint::End(block), |b| {
                let values = does(b, wide);
                scf::YieldOp::build(b, &values);
            });
        }
        op.op().results(b.ctx)
    }

    /// Begins to copy all of the slabs from that k on.
    fn copy_all(&self, b: &mut Builder, stage: Value, from: Value) {
        self.either(b, &[], &mut |b, wide| {
            self.copy(b, stage, from, (0, 1), wide);
            Vec::new()
        });
    }

    /// Puts the copies begun since the last group into one.
    fn group(b: &mut Builder) -> Value {
        let token = nvgpu::token(b.ctx);
        b.value::<DeviceAsyncCreateGroupOp>(&[], token, &[])
    }

    /// Begins to fill all stages but the last; the last group.
    pub fn fill(&self, b: &mut Builder) -> Option<Value> {
        let f = self.frame;
        let mut group = None;
        for s in 0..f.plan.stages - 1 {
            let stage = constant(b, s);
            let from = add_constant(b, self.reach.first, s * f.plan.depth);
            self.copy_all(b, stage, from);
            group = Some(Self::group(b));
        }
        group
    }

    /// Parts of k, and whether some elements lack some of the part.
    fn sections(&self, b: &mut Builder) -> Vec<(Value, Value, bool)> {
        let Reach { first, end, whole } = self.reach;
        let depth = self.frame.plan.depth;
        let Some(whole) = whole else {
            return vec![(first, end, false)];
        };
        let at_end = self.frame.x.slope().is_some_and(|s| s.at_end);
        let zero = constant(b, 0);
        let length = sub(b, whole, first);
        let length = max(b, length, zero);
        let length = add_constant(b, length, if at_end { 0 } else { depth - 1 });
        let slabs = constant(b, depth);
        let slabs = div(b, length, slabs);
        let length = times(b, slabs, depth);
        let middle = add(b, first, length);
        let middle = min(b, middle, end);
        vec![(first, middle, !at_end), (middle, end, at_end)]
    }

    /// The loops over the slabs: what becomes of the sums.
    pub fn multiply(
        &self,
        b: &mut Builder,
        t: &Threads,
        group: Option<Value>,
        begin: &[Value],
    ) -> Vec<Value> {
        let (zero, last) = (constant(b, 0), constant(b, self.frame.plan.stages - 1));
        let mut carried = [&[zero, last], begin].concat();
        for section in self.sections(b) {
            // Where elements are added one by one, copies may as well ask each time.
            carried = match section.2 {
                true => self.multiply_section(b, t, group, &carried, section, false),
                false => {
                    let types: Vec<Type> = carried.iter().map(|v| v.ty(b.ctx)).collect();
                    self.either(b, &types, &mut |b, wide| {
                        self.multiply_section(b, t, group, &carried, section, wide)
                    })
                }
            };
        }
        carried.split_off(2)
    }

    /// The slabs of a part of k. Carried are the stage to read and that to fill, and the sums.
    fn multiply_section(
        &self,
        b: &mut Builder,
        t: &Threads,
        group: Option<Value>,
        inits: &[Value],
        (first, end, ragged): (Value, Value, bool),
        wide: bool,
    ) -> Vec<Value> {
        let (x, plan) = (self.frame.x, self.frame.plan);
        let step = constant(b, plan.depth);
        let slabs = scf::ForOp::build_with(b, (first, end, step), inits, |b, k, carried| {
            let (read, write) = (carried[0], carried[1]);
            if let Some(group) = group {
                wait(b, group, plan.stages - 2);
            }
            gpu::BarrierOp::build(b);
            let ahead = add_constant(b, k, plan.depth * (plan.stages - 1));
            let mut sums = carried[2..].to_vec();
            let [a, c] = self.pair;
            let factors = [(a, self.views[0]), (c, self.views[1])];
            match x.slope().filter(|_| ragged) {
                Some(slope) => {
                    // Behind other slabs.
                    let own = self.number.filter(|_| slope.at_end);
                    let own = own.map(|n| n.threads(b, plan));
                    let t = own.as_ref().unwrap_or(t);
                    self.copy_all(b, write, ahead);
                    let slab = Ragged {
                        x,
                        slope,
                        corner: self.corner,
                        first: k,
                        depth: plan.depth,
                    };
                    sums = slab.multiply(b, t, factors, read, &sums);
                }
                // Between the products, so that these need not wait for the copies to begin.
                None => t.multiply(b, x, plan, factors, read, &mut sums, &mut |b, part| {
                    self.copy(b, write, ahead, part, wide);
                }),
            }
            Self::group(b);
            let next = |b: &mut Builder, stage: Value| {
                let more = add_constant(b, stage, 1);
                let last = constant(b, plan.stages - 1);
                let inside = less(b, stage, last);
                let zero = constant(b, 0);
                SelectOp::build(b, inside, more, zero)
            };
            let mut out = vec![next(b, read), next(b, write)];
            out.extend(sums);
            out
        });
        slabs.op().results(b.ctx)
    }
}
