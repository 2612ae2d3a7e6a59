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

mod assigned;
mod builder;

use crate::element::ElementType;
use crate::error::{ExprError, Problem, Sizes};
use crate::node::{Graph, View};
use crate::op::{Binary, Compare, Edge, Fold, Kept, Part, Scatter, Unary, Within};
use builder::Builder;
use smallvec::SmallVec;
use std::panic::Location;

/// The most values that a program may have.
const MOST_VALUES: usize = 1 << 16;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// The element of an array that the access of this number names.
    Load(u32),
    /// The element of the array of this slot at the place that the value is, or at the nearest
    /// place that there is, unless it lies in the array for sure.
    Gather(u32, Part, Within),
    /// The number that is passed in this place.
    Parameter(u32),
    /// The number with these bits.
    Constant(u64),
    /// The position along an axis.
    Index(u32),
    /// A value that the loop of this number hands on, and which.
    Carried(u32, u32),
    /// The counter of the loop of this number.
    Counter(u32),
    /// The loop of this number: of the first counter and the one behind the last, what the values
    /// are at first, and what they become.
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
    /// The value rounded to a float of 16 bits, and computed with as one of 32.
    Narrow(ElementType),
    /// The bits of the value as another type.
    Reinterpret,
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
    /// What of the element.
    pub part: Part,
    /// How far off along each axis, and what there is beside the array; none of the element at
    /// the place that is computed.
    pub neighbour: Option<(SmallVec<[i64; 4]>, Edge)>,
}

/// A value that is stored for each element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Store {
    /// The array.
    pub slot: u32,
    /// What of the element.
    pub part: Part,
    /// The value.
    pub value: u32,
    /// Where in an array of one axis it goes, if that is computed.
    pub place: Option<Place>,
}

/// A place in an array of one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The value that is the place.
    pub value: u32,
    /// What becomes of the element there.
    pub scatter: Scatter,
    /// Nothing does unless this value is true.
    pub when: Option<u32>,
    /// Whether it may be beside the array: then nothing is written, and the fault tells.
    pub within: Within,
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
    /// What of an element of it.
    pub part: Part,
    /// What is kept.
    pub keeps: Kept,
    /// One after the other, in row-major order.
    pub in_order: bool,
    /// Where this value is true the fold begins anew with the element.
    pub anew: Option<u32>,
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
    /// The array of one `u64` that tells of places beside the array: 2^63 less the number of the
    /// first element that has one, or 0.
    pub fault: Option<u32>,
    /// What is combined at places is combined in the order of the elements.
    pub in_order: bool,
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
    /// The places in the array that it goes to, if these are computed.
    pub place: Option<Placed>,
    /// Where that was written.
    pub at: &'static Location<'static>,
}

/// Places in an array of one axis.
#[derive(Debug, Clone)]
pub struct Placed {
    /// An expression of `i64`.
    pub graph: Graph,
    /// What becomes of the elements there.
    pub scatter: Scatter,
    /// In the order of the elements.
    pub in_order: bool,
    /// Elements for which this is not true go nowhere: an expression of `bool`.
    pub when: Option<Graph>,
    /// Whether places may be beside the array.
    pub within: Within,
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
    /// Where this is true the fold begins anew with the element: an expression of `bool`.
    pub anew: Option<Graph>,
    /// Where that was written.
    pub at: &'static Location<'static>,
}

impl Program {
    /// The program that assigns expressions to arrays of one shape, or to places in arrays, in one
    /// kernel. All of them are computed from what the arrays held before. Where there are places,
    /// `fault` is where the kernel tells of those that do not lie in their array.
    ///
    /// # Errors
    ///
    /// What is wrong with an expression, or that shapes differ.
    pub fn assign(all: &[Assigned], fault: Option<&View>) -> Result<(Program, Binding), ExprError> {
        let mut b = Builder::default();
        let Some(first) = all.first() else {
            return Ok((b.program, b.binding));
        };
        let sizes = first.iterated()?;
        for a in all {
            a.check(&sizes)?;
            let values = b.parts(a.graph.node()?)?;
            let place = match &a.place {
                Some(p) => {
                    b.program.in_order |= p.in_order;
                    let when = match &p.when {
                        Some(when) => Some(b.value(when.node()?)?),
                        None => None,
                    };
                    Some(Place {
                        value: b.value(p.graph.node()?)?,
                        scatter: p.scatter,
                        when,
                        within: p.within,
                    })
                }
                None => None,
            };
            let slot = b.slot(&a.target, a.ty, true);
            let stores = values.into_iter().map(|(part, value)| Store {
                slot,
                part,
                value,
                place,
            });
            b.program.stores.extend(stores);
        }
        if let Some(fault) = fault {
            b.program.fault = Some(b.slot(fault, ElementType::U64, true));
        }
        let rank = sizes.len();
        b.binding.sizes = sizes;
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
            b.parts(node)?;
            if let Some(anew) = &r.anew {
                let anew = anew.node()?;
                if let (Some(left), Some(right)) = (&node.sizes, &anew.sizes)
                    && left != right
                {
                    let (left, right) = (left.clone(), right.clone());
                    return fail(Problem::Shapes {
                        operation,
                        left,
                        right,
                    });
                }
                b.value(anew)?;
            }
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
            if r.keeps == Kept::Last && kept.is_empty() && target.sizes.is_empty() {
                // A single element, with the axis that results of all have.
                target.sizes.push(1);
                target.strides.push(1);
            }
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
            let values = b.parts(node)?;
            let anew = match &r.anew {
                Some(anew) => Some(b.value(anew.node()?)?),
                None => None,
            };
            let slot = b.slot(&target, node.ty, true);
            let folds = values.into_iter().map(|(part, value)| Folded {
                anew,
                fold: r.fold,
                value,
                slot,
                part,
                keeps: r.keeps,
                in_order: r.in_order,
            });
            b.program.folds.extend(folds);
        }
        b.finish()
    }

    /// The loops of the program that each value is inside of, by their numbers in ascending order:
    /// those whose values it is computed from.
    pub(crate) fn loops_around(&self) -> Vec<SmallVec<[u32; 2]>> {
        let mut all: Vec<SmallVec<[u32; 2]>> = Vec::with_capacity(self.values.len());
        for v in &self.values {
            let mut around: SmallVec<[u32; 2]> = match v.op {
                Op::Carried(l, _) | Op::Counter(l) => SmallVec::from_elem(l, 1),
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
        let gathers = |v: &Value| matches!(v.op, Op::Gather(s, ..) if s as usize == slot);
        let beside = |a: &Access| a.slot as usize == slot && a.neighbour.is_some();
        self.values.iter().any(gathers) || self.accesses.iter().any(beside)
    }

    /// Whether elements of an array are written at places that are computed.
    pub fn scatters(&self, slot: usize) -> bool {
        let to = |s: &&Store| s.slot as usize == slot;
        self.stores.iter().filter(to).any(|s| s.place.is_some())
    }

    /// Whether elements of an array are read.
    pub fn reads(&self, slot: usize) -> bool {
        self.accesses.iter().any(|a| a.slot as usize == slot) || self.reads_elsewhere(slot)
    }
}

impl Binding {
    /// The arrays that must not be written while others are read: those of which another array
    /// of the program may have an element, those that are read at other places, and those that are
    /// written at places and read or written otherwise.
    pub fn conflicts(&self, program: &Program) -> Vec<usize> {
        let conflict = |slot: usize| {
            let other = |k: usize| {
                let view = &self.views[k];
                k != slot && view.may_overlap(&self.views[slot])
            };
            let stores = program.stores.iter().filter(|s| s.slot as usize == slot);
            // The parts of one element are two stores.
            let again = |s: &Store| Some(s.part) == stores.clone().next().map(|s| s.part);
            let distinct = |s: &Store| {
                let scatter = s.place.map(|p| p.scatter);
                scatter == Some(Scatter::Distinct)
            };
            let twice = program.reads(slot)
                || !stores.clone().all(distinct) && stores.clone().filter(|s| again(s)).count() > 1;
            program.reads_elsewhere(slot)
                || program.scatters(slot) && twice
                || (0..self.views.len()).any(other)
        };
        (0..self.views.len())
            .filter(|k| program.slots[*k].written && conflict(*k))
            .collect()
    }
}
