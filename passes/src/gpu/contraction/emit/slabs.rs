//! The factors in workgroup memory: slabs of a tile's rows or columns and of some of k.

use super::ragged;
use crate::gpu::contraction::shape::{Contraction, Factor, Slope};
use crate::gpu::numbers::*;
use terrace_dialects::arith::SelectOp;
use terrace_dialects::nvgpu::{self, DeviceAsyncCopyOp};
use terrace_dialects::{gpu, memref};
use terrace_ir::{Builder, Type, TypeData, Value};

/// Where a factor lies in workgroup memory and how threads bring it there.
pub struct Slab<'x> {
    pub factor: &'x Factor,
    /// Rows or columns of the tile, and of k.
    width: i64,
    depth: i64,
    /// Elements from one line to the next: of k where `k_last`, else along the tile.
    pitch: i64,
    stages: i64,
    /// Whether neighbours along k are neighbours in workgroup memory.
    k_last: bool,
    element: Type,
    element_bytes: i64,
}

/// Elements that a line is longer than its data. Of 8 bytes 4: what half a warp reads of
/// four lines, four of each, then lies in different banks. Of 4 bytes a warp reads eight
/// of each of four lines along the tile, for which 8 do that, or four of each of eight along
/// k, for which 4 do; where single threads multiply, 4 keep 16-byte accesses aligned.
fn padding(element_bytes: i64, fragments: bool, k_last: bool) -> i64 {
    match (element_bytes, fragments && !k_last) {
        (4, true) => 8,
        _ => 4,
    }
}

impl<'x> Slab<'x> {
    /// `fragments`: the matrix units multiply.
    pub fn new(
        ctx: &terrace_ir::Context,
        factor: &'x Factor,
        width: i64,
        depth: i64,
        stages: i64,
        fragments: bool,
    ) -> Slab<'x> {
        let element = factor.loaded.ty(ctx);
        let bits = element.float_kind(ctx).map_or(64, |k| k.width());
        let element_bytes = i64::from(bits) / 8;
        // Fragments take either order, wide loads need neighbours along the tile.
        let k_last = fragments && factor.along_k;
        let line = if k_last { depth } else { width };
        Slab {
            factor,
            width,
            depth,
            pitch: line + padding(element_bytes, fragments, k_last),
            stages,
            k_last,
            element,
            element_bytes,
        }
    }

    fn lines(&self) -> i64 {
        match self.k_last {
            true => self.width,
            false => self.depth,
        }
    }

    pub fn bytes(&self) -> i64 {
        self.stages * self.lines() * self.pitch * self.element_bytes
    }

    /// The slabs of all stages, from that byte of the dynamic workgroup memory on.
    pub fn view(&self, b: &mut Builder, memory: Value, from: i64) -> Value {
        let space = gpu::workgroup_space(b.ctx);
        let ty = b.ctx.ty(TypeData::MemRef {
            shape: vec![self.stages, self.lines(), self.pitch],
            elem: self.element,
            layout: None,
            space: Some(space),
        });
        let from = constant(b, from);
        b.value::<memref::ViewOp>(&[memory, from], ty, &[])
    }

    /// The subscripts of an element: its place in the tile, and of k.
    pub fn at(&self, stage: Value, place: Value, k: Value) -> [Value; 3] {
        match self.k_last {
            true => [stage, place, k],
            false => [stage, k, place],
        }
    }

    /// Neighbours in memory, that neighbouring threads copy.
    fn fast(&self) -> i64 {
        match self.factor.along_k {
            true => self.depth,
            false => self.width,
        }
    }

    /// How many elements of a slab each thread copies.
    fn copies_of_a_thread(&self, threads: i64) -> i64 {
        self.width * self.depth / threads
    }

    /// After how many copies a thread is at the same place of a line again, and how many
    /// lines further on.
    fn period(&self, threads: i64) -> (i64, i64) {
        let mut copies = 1;
        while copies * threads % self.fast() != 0 {
            copies += 1;
        }
        (copies, copies * threads / self.fast())
    }

    /// Line, and place in it, of what a thread copies, one after another. Neighbouring
    /// threads copy neighbours, and go on where all threads together end.
    fn copied(&self, b: &mut Builder, thread: Value, threads: i64) -> Vec<(Value, Value)> {
        let (copies, lines) = self.period(threads);
        let first: Vec<(Value, Value)> = (0..copies)
            .map(|i| {
                let number = add_constant(b, thread, i * threads);
                split(b, number, self.fast())
            })
            .collect();
        (0..self.copies_of_a_thread(threads))
            .map(|i| {
                let (line, place) = first[(i % copies) as usize];
                (add_constant(b, line, i / copies * lines), place)
            })
            .collect()
    }

    /// The places in the tile of what a thread copies, as some numbers and how much further
    /// on than these others are: the copies take turns among the numbers.
    pub fn copied_places(
        &self,
        b: &mut Builder,
        thread: Value,
        threads: i64,
    ) -> Vec<(Value, Vec<i64>)> {
        let (copies, lines) = self.period(threads);
        let all = self.copied(b, thread, threads);
        let turns = |n: i64| (n..all.len() as i64).step_by(copies as usize);
        let first = all.iter().take(copies as usize).enumerate();
        first
            .map(|(n, (line, place))| {
                let further = turns(n as i64).map(|i| i / copies * lines);
                match self.factor.along_k {
                    true => (*line, further.collect()),
                    false => (*place, further.map(|_| 0).collect()),
                }
            })
            .collect()
    }

    /// How far rows are apart that a thread copies one after another.
    pub fn rows_apart(&self, threads: i64) -> i64 {
        match self.factor.along_k {
            true => self.period(threads).1,
            false => 0,
        }
    }

    /// Begins to copy the slab of k from `from` on to a stage: of this thread's part the
    /// `part`-th of `parts`.
    pub fn copy(
        &self,
        b: &mut Builder,
        x: &Contraction,
        c: &Copy,
        (stage, from): (Value, Value),
        (part, parts): (i64, i64),
    ) {
        let copied = self.copied(b, c.thread, c.threads);
        let count = copied.len() as i64;
        for i in count * part / parts..count * (part + 1) / parts {
            let (line, at) = copied[i as usize];
            let (place, k) = match self.factor.along_k {
                true => (line, at),
                false => (at, line),
            };
            let outer = add(b, c.origin, place);
            let deep = add(b, from, k);
            let (in_range, in_depth) = (less(b, outer, c.end), less(b, deep, c.depth_end));
            let mut valid = and(b, in_range, in_depth);
            if let Some(slope) = c.slope {
                let own = ragged::has(b, x, slope, outer, deep);
                valid = and(b, valid, own);
            }
            let (zero, one) = (constant(b, 0), constant(b, 1));
            let read = SelectOp::build(b, valid, one, zero);
            let mut places = vec![(x.k, deep)];
            match c.rows.get(i as usize) {
                Some(counters) => places.extend(counters),
                None => places.push((c.outer, outer)),
            }
            let source: Vec<Value> = (self.factor.element.at.iter())
                .map(|l| linear(b, l, &places))
                .collect();
            let to = self.at(stage, place, k);
            let operands = [
                &[c.view],
                &to[..],
                &[self.factor.element.memref],
                &source,
                &[read],
            ];
            let sizes = [1, to.len(), 1, source.len(), 1].map(|n| n as i32);
            let sizes = b.ctx.i32_array(&sizes);
            let elements = b.ctx.index_attr(1);
            let token = nvgpu::token(b.ctx);
            b.op::<DeviceAsyncCopyOp>(
                &operands.concat(),
                &[token],
                &[("dstElements", elements), ("operandSegmentSizes", sizes)],
            );
        }
    }
}

/// What a thread needs to know to copy its part of a slab.
pub struct Copy<'r> {
    pub view: Value,
    pub thread: Value,
    pub threads: i64,
    /// The counter of the factor's other dimension than k.
    pub outer: Value,
    /// Its first number in the tile, and where the matrix ends.
    pub origin: Value,
    pub end: Value,
    pub depth_end: Value,
    /// The counters of each row that the thread copies, where rows have two.
    pub rows: &'r [Vec<(Value, Value)>],
    /// How the range of k depends on the factor's other dimension, if it does.
    pub slope: Option<Slope>,
}
