//! A program is made of a graph: nodes in the order of their operands, each value once.

use super::{Access, Binding, Layout, MOST_VALUES, Op, Program, Slot, Value};
use crate::element::ElementType;
use crate::error::{ExprError, Problem};
use crate::node::{Kind, Node, View, row_major};
use crate::op::{Edge, Kept, Part};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// A program in the making.
#[derive(Default)]
pub(super) struct Builder {
    pub program: Program,
    pub binding: Binding,
    /// The values of nodes that were seen.
    seen: FxHashMap<*const Node, u32>,
    /// The loops by their numbers in the graph, in the order in which they were met.
    loops: Vec<u64>,
    /// The numbers of values, so that what is written twice is computed once.
    known: FxHashMap<Value, u32>,
}

impl Builder {
    /// The number of a node's value; its operands come before it.
    pub fn value(&mut self, node: &Arc<Node>) -> Result<u32, ExprError> {
        let mut open: Vec<&Arc<Node>> = vec![node];
        let mut last = 0;
        while let Some(n) = open.last().copied() {
            let at = Arc::as_ptr(n);
            if let Some(v) = self.seen.get(&at) {
                last = *v;
                open.pop();
                continue;
            }
            let before = open.len();
            let unseen = |o: &&Arc<Node>| !self.seen.contains_key(&Arc::as_ptr(o));
            open.extend(n.operands.iter().rev().filter(unseen));
            if open.len() > before {
                continue;
            }
            open.pop();
            last = self.number(n)?;
            self.seen.insert(at, last);
        }
        Ok(last)
    }

    /// The numbers of the values of a node's parts.
    pub fn parts(&mut self, node: &Arc<Node>) -> Result<SmallVec<[(Part, u32); 2]>, ExprError> {
        let parts = node.parts().into_iter();
        parts.map(|(p, n)| Ok((p, self.value(n)?))).collect()
    }

    /// The number of the value of a node whose operands have theirs.
    fn number(&mut self, n: &Node) -> Result<u32, ExprError> {
        let mut operands: SmallVec<[u32; 3]> = n
            .operands
            .iter()
            .map(|o| self.seen[&Arc::as_ptr(o)])
            .collect();
        let op = match &n.kind {
            Kind::Array(view, part) => {
                let slot = self.slot(view, part.element(n.ty), false);
                Op::Load(self.access(slot, *part, None))
            }
            Kind::Neighbour(view, offsets, edge, part) => {
                let slot = self.slot(view, part.element(n.ty), false);
                let edge = match edge {
                    Edge::Constant(bits) => Edge::Constant(n.ty.computed_bits(*bits)),
                    other => *other,
                };
                Op::Load(self.access(slot, *part, Some((offsets.clone(), edge))))
            }
            Kind::Gather(view, within, part) => {
                let slot = self.slot(view, part.element(n.ty), false);
                Op::Gather(slot, *part, *within)
            }
            // Its parts are asked for.
            Kind::Complex => {
                let problem = Problem::Complex;
                return Err(ExprError { at: n.at, problem });
            }
            Kind::Parameter(bits) => {
                self.binding.parameters.push(n.ty.computed_bits(*bits));
                self.program.parameters.push(n.ty.computed());
                Op::Parameter(self.program.parameters.len() as u32 - 1)
            }
            Kind::Constant(bits) => Op::Constant(n.ty.computed_bits(*bits)),
            Kind::Index(axis) => Op::Index(*axis as u32),
            Kind::Carried(id, k) => Op::Carried(self.looped(*id), *k as u32),
            Kind::Counter(id) => Op::Counter(self.looped(*id)),
            Kind::Loop(id) => Op::Loop(self.looped(*id)),
            Kind::Result(k) => Op::Result(*k as u32),
            Kind::Unary(op) => Op::Unary(*op),
            Kind::Binary(op) => {
                if op.commutes() {
                    operands.sort_unstable();
                }
                Op::Binary(*op)
            }
            Kind::Compare(op) => Op::Compare(*op),
            Kind::Select => Op::Select,
            Kind::MulAdd => Op::MulAdd,
            Kind::Cast if n.ty.is_half() => Op::Narrow(n.ty),
            Kind::Cast => Op::Cast,
            Kind::Reinterpret => Op::Reinterpret,
        };
        let value = Value {
            op,
            ty: n.ty.computed(),
            operands,
        };
        if let Some(v) = self.known.get(&value) {
            return Ok(*v);
        }
        let v = self.program.values.len();
        if v >= MOST_VALUES {
            let problem = Problem::Large(MOST_VALUES);
            return Err(ExprError { at: n.at, problem });
        }
        self.program.values.push(value.clone());
        self.binding.places.push(n.at);
        self.known.insert(value, v as u32);
        Ok(v as u32)
    }

    /// The number of a loop in the program.
    fn looped(&mut self, id: u64) -> u32 {
        let found = self.loops.iter().position(|l| *l == id);
        found.unwrap_or_else(|| {
            self.loops.push(id);
            self.loops.len() - 1
        }) as u32
    }

    /// Turns the axes of what is read so far: loop `k` goes along axis `order[k]`.
    pub fn permute(&mut self, order: &[usize]) {
        for (s, v) in self.program.slots.iter_mut().zip(&mut self.binding.views) {
            if v.sizes.len() == order.len() && order.len() > 1 {
                v.sizes = order.iter().map(|k| v.sizes[*k]).collect();
                v.strides = order.iter().map(|k| v.strides[*k]).collect();
                s.layout = Layout::of(v);
            }
        }
        for a in &mut self.program.accesses {
            if let Some((offsets, _)) = &mut a.neighbour {
                *offsets = order.iter().map(|k| offsets[*k]).collect();
            }
        }
        for v in &mut self.program.values {
            if let Op::Index(axis) = &mut v.op
                && let Some(k) = order.iter().position(|o| *o == *axis as usize)
            {
                *axis = k as u32;
            }
        }
    }

    pub fn slot(&mut self, view: &View, ty: ElementType, written: bool) -> u32 {
        let found = self.binding.views.iter().position(|v| v.is_same(view));
        let slot = found.unwrap_or_else(|| {
            self.binding.views.push(view.clone());
            self.program.slots.push(Slot {
                ty,
                rank: view.sizes.len(),
                layout: Layout::of(view),
                written: false,
            });
            self.binding.views.len() - 1
        });
        self.program.slots[slot].written |= written;
        slot as u32
    }

    fn access(
        &mut self,
        slot: u32,
        part: Part,
        neighbour: Option<(SmallVec<[i64; 4]>, Edge)>,
    ) -> u32 {
        let access = Access {
            slot,
            part,
            neighbour,
        };
        let all = &mut self.program.accesses;
        let found = all.iter().position(|a| *a == access);
        found.unwrap_or_else(|| {
            all.push(access);
            all.len() - 1
        }) as u32
    }

    /// The whole, with one loop where all arrays lie in one piece and no place is asked for.
    pub fn finish(mut self) -> Result<(Program, Binding), ExprError> {
        let (p, b) = (&mut self.program, &mut self.binding);
        for (v, at) in p.values.iter().zip(&b.places) {
            if let Op::Index(axis) = v.op
                && axis as usize >= p.rank
            {
                let (axis, sizes) = (axis as usize, b.sizes.clone());
                let problem = Problem::Axis { axis, sizes };
                return Err(ExprError { at, problem });
            }
        }
        let inside = p.loops_around();
        let results = (p.stores.iter())
            .flat_map(|s| {
                let place = s.place.iter().flat_map(|p| [Some(p.value), p.when]);
                place.flatten().chain([s.value])
            })
            .chain(
                p.folds
                    .iter()
                    .flat_map(|f| [Some(f.value), f.anew])
                    .flatten(),
            );
        for value in results.map(|v| v as usize) {
            if !inside[value].is_empty() {
                let (at, problem) = (b.places[value], Problem::Carried);
                return Err(ExprError { at, problem });
            }
        }
        let whole = p.folds.is_empty() || p.kept == 0;
        let scans = p.folds.iter().any(|f| f.keeps != Kept::Last);
        let flat = p.rank != 1 && whole && !scans && !p.knows_places();
        if flat && p.slots.iter().all(|s| s.layout == Layout::Contiguous) {
            let count = b.sizes.iter().product();
            b.sizes = SmallVec::from_elem(count, 1);
            p.rank = 1;
            p.kept = usize::from(p.folds.is_empty());
            let placed = p.stores.iter().filter(|s| s.place.is_some());
            let results: Vec<u32> = (p.folds.iter().map(|f| f.slot))
                .chain(placed.map(|s| s.slot))
                .chain(p.fault)
                .collect();
            for (k, (s, view)) in p.slots.iter_mut().zip(&mut b.views).enumerate() {
                // A single element stands for itself at each place, and so does an array that is
                // read anywhere.
                let gathered = |op| matches!(op, Op::Gather(slot, ..) if slot as usize == k);
                let single = s.rank == 0 && !s.written;
                let single = single || p.values.iter().any(|v| gathered(v.op));
                if !single && !results.contains(&(k as u32)) {
                    s.rank = 1;
                    view.sizes = SmallVec::from_elem(count, 1);
                    view.strides = row_major(&view.sizes);
                }
            }
        }
        Ok((self.program, self.binding))
    }
}
