//! An expression as a list of values, which says all that a kernel depends on.
//!
//! ```text
//! y.set(2.0 * &x - x.sin())     rank 1
//!                               slots        0: f64, contiguous   1: f64, contiguous, written
//!                               parameters   0: f64
//!                               values       0: parameter 0       1: load 0       2: mul 0 1
//!                                            3: sin 1             4: sub 2 3
//!                               stores       4 to slot 1
//! ```
//!
//! A [`Program`] is the key of its kernel: two kernels are one where their programs are equal,
//! field by field. What differs from call to call is in the [`Binding`]: sizes, arrays, numbers,
//! and the lines of the user's program. The lowering gets the program alone, so nothing that a
//! kernel depends on can be missing in the key.

use crate::element::ElementType;
use crate::error::{ExprError, Problem, Sizes};
use crate::node::{Graph, Kind, Node, View, row_major};
use crate::op::{Binary, Compare, Edge, Fold, Kept, Unary};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::panic::Location;
use std::sync::Arc;

/// The most values that a program may have.
const MOST_VALUES: usize = 1 << 16;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// The element of an array that the access of this number names.
    Load(u32),
    /// The element of the array of this slot at the place that the value is, or at the nearest
    /// place that there is.
    Gather(u32),
    /// The number that is passed in this place.
    Parameter(u32),
    /// The number with these bits.
    Constant(u64),
    /// The position along an axis.
    Index(u32),
    /// A value that the loop of this number hands on, and which.
    Carried(u32, u32),
    /// The loop of this number: of the number of iterations, what the values are at first, and
    /// what they become.
    Loop(u32),
    /// A value behind the loop that is the operand.
    Result(u32),
    /// A function of one value.
    Unary(Unary),
    /// A function of two values.
    Binary(Binary),
    /// A comparison of two values.
    Compare(Compare),
    /// The second value where the first is true, else the third.
    Select,
    /// The first value times the second, plus the third.
    MulAdd,
    /// The value as another type.
    Cast,
}

/// A value that is computed for each element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Value {
    /// What it is.
    pub op: Op,
    /// Its type.
    pub ty: ElementType,
    /// The values it is made of, by their numbers.
    pub operands: SmallVec<[u32; 3]>,
}

/// How the elements of an array lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// One after the other in row-major order.
    Contiguous,
    /// Side by side along the last axis, and anyhow along the others.
    Rows,
    /// Anyhow.
    Strided,
}

impl Layout {
    /// That of a view.
    pub fn of(view: &View) -> Layout {
        match view.strides.last() {
            _ if view.is_contiguous() => Layout::Contiguous,
            Some(1) => Layout::Rows,
            _ => Layout::Strided,
        }
    }

    /// How many strides of an array of this rank are passed, from the first.
    pub fn open_strides(self, rank: usize) -> usize {
        match self {
            Layout::Strided => rank,
            Layout::Contiguous | Layout::Rows => rank.saturating_sub(1),
        }
    }
}

/// An array that a kernel is given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The type of its elements.
    pub ty: ElementType,
    /// The number of its axes.
    pub rank: usize,
    /// How its elements lie.
    pub layout: Layout,
    /// The kernel writes it.
    pub written: bool,
}

/// Where an element is loaded from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Access {
    /// The array.
    pub slot: u32,
    /// How far off along each axis, and what there is beside the array; none of the element at
    /// the place that is computed.
    pub neighbour: Option<(SmallVec<[i64; 4]>, Edge)>,
}

/// A value that is stored for each element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Store {
    /// The array.
    pub slot: u32,
    /// The value.
    pub value: u32,
}

/// A value of which all elements become one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Folded {
    /// How they become one.
    pub fold: Fold,
    /// The value.
    pub value: u32,
    /// The array of results.
    pub slot: u32,
    /// What is kept.
    pub keeps: Kept,
    /// One after the other, in row-major order.
    pub in_order: bool,
}

/// All that a kernel depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Program {
    /// The number of loops.
    pub rank: usize,
    /// How many of them, from the outermost, are not folded.
    pub kept: usize,
    /// The outermost loop is a part of a longer one, and positions along it count from a number
    /// that is passed.
    pub part: bool,
    /// The arrays.
    pub slots: Vec<Slot>,
    /// The types of the numbers that are passed.
    pub parameters: Vec<ElementType>,
    /// What is loaded.
    pub accesses: Vec<Access>,
    /// The values, each behind its operands.
    pub values: Vec<Value>,
    /// What is stored.
    pub stores: Vec<Store>,
    /// What is folded.
    pub folds: Vec<Folded>,
}

/// What a call passes to the kernel of a program.
#[derive(Debug, Clone, Default)]
pub struct Binding {
    /// The number of iterations of each loop.
    pub sizes: Sizes,
    /// The arrays, one for each slot.
    pub views: Vec<View>,
    /// The bits of the numbers.
    pub parameters: Vec<u64>,
    /// The line that each value was written in.
    pub places: Vec<&'static Location<'static>>,
}

/// An expression and the array that it is assigned to.
#[derive(Debug, Clone)]
pub struct Assigned {
    /// The array.
    pub target: View,
    /// The type of its elements.
    pub ty: ElementType,
    /// The expression.
    pub graph: Graph,
    /// Where that was written.
    pub at: &'static Location<'static>,
}

/// An expression that is folded, and the array of the results.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// How.
    pub fold: Fold,
    /// The expression.
    pub graph: Graph,
    /// One element for each place along the axes that are kept, or one alone; of a scan the array
    /// for all places.
    pub target: View,
    /// What is kept of the fold: all of them the same.
    pub keeps: Kept,
    /// One after the other, in row-major order.
    pub in_order: bool,
    /// Where that was written.
    pub at: &'static Location<'static>,
}

impl Program {
    /// The program that assigns expressions to arrays of one shape, in one kernel. All of them
    /// are computed from what the arrays held before.
    ///
    /// # Errors
    ///
    /// What is wrong with an expression, or that shapes differ.
    pub fn assign(all: &[Assigned]) -> Result<(Program, Binding), ExprError> {
        let mut b = Builder::default();
        let Some(first) = all.first() else {
            return Ok((b.program, b.binding));
        };
        b.binding.sizes = first.target.sizes.clone();
        for a in all {
            let node = a.graph.node()?;
            let fits = node.sizes.as_ref().is_none_or(|s| *s == a.target.sizes);
            if !fits || a.target.sizes != first.target.sizes {
                let expression = match fits {
                    false => node.sizes.clone().unwrap_or_default(),
                    true => first.target.sizes.clone(),
                };
                let array = a.target.sizes.clone();
                let problem = Problem::Destination { array, expression };
                return Err(ExprError { at: a.at, problem });
            }
            a.target.check_writable(a.at)?;
            let value = b.value(node)?;
            let slot = b.slot(&a.target, a.ty, true);
            b.program.stores.push(Store { slot, value });
        }
        let rank = b.binding.sizes.len();
        (b.program.rank, b.program.kept) = (rank, rank);
        b.finish()
    }

    /// The program that folds expressions of one shape along some of its axes, or all, in one
    /// kernel.
    ///
    /// # Errors
    ///
    /// What is wrong with an expression, that shapes differ, that there is no array in one, or
    /// no such axis.
    pub fn reduce(
        all: &[Reduced],
        axes: Option<&[usize]>,
    ) -> Result<(Program, Binding), ExprError> {
        let mut b = Builder::default();
        let mut shape: Option<Sizes> = None;
        for r in all {
            let (node, operation) = (r.graph.node()?, r.fold.name());
            let fail = |problem| Err(ExprError { at: r.at, problem });
            match (&shape, &node.sizes) {
                (_, None) => return fail(Problem::NoArray { operation }),
                (Some(left), Some(right)) if left != right => {
                    let (left, right) = (left.clone(), right.clone());
                    return fail(Problem::Shapes {
                        operation,
                        left,
                        right,
                    });
                }
                (_, Some(s)) => shape = Some(s.clone()),
            }
            b.value(node)?;
        }
        let (Some(first), Some(sizes)) = (all.first(), shape) else {
            return Ok((b.program, b.binding));
        };
        let axes = match axes {
            Some(axes) => axes.to_vec(),
            None => (0..sizes.len()).collect(),
        };
        for axis in &axes {
            if *axis >= sizes.len() {
                let (axis, sizes) = (*axis, sizes.clone());
                let problem = Problem::Axis { axis, sizes };
                return Err(ExprError {
                    at: first.at,
                    problem,
                });
            }
        }
        let kept: Vec<usize> = (0..sizes.len()).filter(|k| !axes.contains(k)).collect();
        let folded = (0..sizes.len()).filter(|k| axes.contains(k));
        let order: Vec<usize> = kept.iter().copied().chain(folded).collect();
        b.permute(&order);
        b.program.rank = sizes.len();
        b.program.kept = kept.len();
        b.binding.sizes = order.iter().map(|k| sizes[*k]).collect();
        let result: Sizes = match kept.is_empty() {
            true => SmallVec::from_elem(1, 1),
            false => kept.iter().map(|k| sizes[*k]).collect(),
        };
        for r in all {
            let node = r.graph.node()?;
            let mut target = r.target.clone();
            let expected = match r.keeps {
                Kept::Last => &result,
                _ => &sizes,
            };
            if target.sizes != *expected {
                let (array, expression) = (target.sizes, expected.clone());
                let problem = Problem::Destination { array, expression };
                return Err(ExprError { at: r.at, problem });
            }
            target.check_writable(r.at)?;
            if r.keeps != Kept::Last {
                target.sizes = order.iter().map(|k| target.sizes[*k]).collect();
                target.strides = order.iter().map(|k| target.strides[*k]).collect();
            }
            let value = b.value(node)?;
            let slot = b.slot(&target, node.ty, true);
            b.program.folds.push(Folded {
                fold: r.fold,
                value,
                slot,
                keeps: r.keeps,
                in_order: r.in_order,
            });
        }
        b.finish()
    }

    /// The loops of the program that each value is inside of, by their numbers in ascending order:
    /// those whose values it is computed from.
    pub(crate) fn loops_around(&self) -> Vec<SmallVec<[u32; 2]>> {
        let mut all: Vec<SmallVec<[u32; 2]>> = Vec::with_capacity(self.values.len());
        for v in &self.values {
            let mut around: SmallVec<[u32; 2]> = match v.op {
                Op::Carried(l, _) => SmallVec::from_elem(l, 1),
                _ => (v.operands.iter())
                    .flat_map(|o| all[*o as usize].iter().copied())
                    .collect(),
            };
            around.sort_unstable();
            around.dedup();
            if let Op::Loop(l) = v.op {
                around.retain(|a| *a != l);
            }
            all.push(around);
        }
        all
    }

    /// Whether the place of an element is asked for, so that axes must stay as they are.
    fn knows_places(&self) -> bool {
        self.values.iter().any(|v| matches!(v.op, Op::Index(_)))
            || self.accesses.iter().any(|a| a.neighbour.is_some())
    }

    /// Whether the place along the outermost axis is asked for.
    pub fn knows_outermost(&self) -> bool {
        self.values.iter().any(|v| v.op == Op::Index(0))
    }

    /// Whether elements of an array are read at other places than the one that is computed.
    pub fn reads_elsewhere(&self, slot: usize) -> bool {
        let gathers = |v: &Value| v.op == Op::Gather(slot as u32);
        let beside = |a: &Access| a.slot as usize == slot && a.neighbour.is_some();
        self.values.iter().any(gathers) || self.accesses.iter().any(beside)
    }

    /// Whether elements of an array are read.
    pub fn reads(&self, slot: usize) -> bool {
        self.accesses.iter().any(|a| a.slot as usize == slot) || self.reads_elsewhere(slot)
    }
}

impl Binding {
    /// The arrays that must not be written while others are read: those of which another array
    /// of the program may have an element, and those that are read at other places.
    pub fn conflicts(&self, program: &Program) -> Vec<usize> {
        let conflict = |slot: usize| {
            let other = |k: usize| {
                let view = &self.views[k];
                k != slot && view.may_overlap(&self.views[slot])
            };
            program.reads_elsewhere(slot) || (0..self.views.len()).any(other)
        };
        (0..self.views.len())
            .filter(|k| program.slots[*k].written && conflict(*k))
            .collect()
    }
}

/// A program in the making.
#[derive(Default)]
struct Builder {
    program: Program,
    binding: Binding,
    /// The values of nodes that were seen.
    seen: FxHashMap<*const Node, u32>,
    /// The loops by their numbers in the graph, in the order in which they were met.
    loops: Vec<u64>,
    /// The numbers of values, so that what is written twice is computed once.
    known: FxHashMap<Value, u32>,
}

impl Builder {
    /// The number of a node's value; its operands come before it.
    fn value(&mut self, node: &Arc<Node>) -> Result<u32, ExprError> {
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

    /// The number of the value of a node whose operands have theirs.
    fn number(&mut self, n: &Node) -> Result<u32, ExprError> {
        let mut operands: SmallVec<[u32; 3]> = n
            .operands
            .iter()
            .map(|o| self.seen[&Arc::as_ptr(o)])
            .collect();
        let op = match &n.kind {
            Kind::Array(view) => {
                let slot = self.slot(view, n.ty, false);
                Op::Load(self.access(slot, None))
            }
            Kind::Neighbour(view, offsets, edge) => {
                let slot = self.slot(view, n.ty, false);
                Op::Load(self.access(slot, Some((offsets.clone(), *edge))))
            }
            Kind::Gather(view) => Op::Gather(self.slot(view, n.ty, false)),
            Kind::Parameter(bits) => {
                self.binding.parameters.push(*bits);
                self.program.parameters.push(n.ty);
                Op::Parameter(self.program.parameters.len() as u32 - 1)
            }
            Kind::Constant(bits) => Op::Constant(*bits),
            Kind::Index(axis) => Op::Index(*axis as u32),
            Kind::Carried(id, k) => Op::Carried(self.looped(*id), *k as u32),
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
            Kind::Cast => Op::Cast,
        };
        let value = Value {
            op,
            ty: n.ty,
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
    fn permute(&mut self, order: &[usize]) {
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

    fn slot(&mut self, view: &View, ty: ElementType, written: bool) -> u32 {
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

    fn access(&mut self, slot: u32, neighbour: Option<(SmallVec<[i64; 4]>, Edge)>) -> u32 {
        let access = Access { slot, neighbour };
        let all = &mut self.program.accesses;
        let found = all.iter().position(|a| *a == access);
        found.unwrap_or_else(|| {
            all.push(access);
            all.len() - 1
        }) as u32
    }

    /// The whole, with one loop where all arrays lie in one piece and no place is asked for.
    fn finish(mut self) -> Result<(Program, Binding), ExprError> {
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
        let results = (p.stores.iter().map(|s| s.value)).chain(p.folds.iter().map(|f| f.value));
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
            let results: Vec<u32> = p.folds.iter().map(|f| f.slot).collect();
            for (k, (s, view)) in p.slots.iter_mut().zip(&mut b.views).enumerate() {
                // A single element stands for itself at each place, and so does an array that is
                // read anywhere.
                let gathered = Op::Gather(k as u32);
                let single = s.rank == 0 && !s.written;
                let single = single || p.values.iter().any(|v| v.op == gathered);
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
