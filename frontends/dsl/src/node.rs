//! The graph behind an expression: nodes that are shared and never change.

use crate::element::ElementType;
use crate::error::{ExprError, Problem, Sizes};
use crate::op::{Binary, Compare, Edge, Part, Unary, Within};
use smallvec::SmallVec;
use std::any::Any;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// The distances between neighbours along each axis, in elements.
pub type Strides = SmallVec<[isize; 4]>;

/// A part of the memory of an array, as an array of its own. Element `i` lies `offset` plus the
/// sum of `i[k] * strides[k]` elements behind the first one of the memory.
#[derive(Clone)]
pub struct View {
    /// Who owns the memory. Views of one memory have one source, which tells them apart.
    pub source: Arc<dyn Any + Send + Sync>,
    /// Elements before the first one of the view.
    pub offset: usize,
    /// The number of elements along each axis.
    pub sizes: Sizes,
    /// One for each axis.
    pub strides: Strides,
}

impl View {
    /// All of a memory as an array in row-major order.
    pub fn row_major(source: Arc<dyn Any + Send + Sync>, sizes: &[usize]) -> View {
        View {
            source,
            offset: 0,
            strides: row_major(sizes),
            sizes: sizes.into(),
        }
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Whether elements lie one after the other in row-major order.
    pub fn is_contiguous(&self) -> bool {
        let expected = row_major(&self.sizes);
        let mut all = self.sizes.iter().zip(&self.strides).zip(&expected);
        self.count() == 0 || all.all(|((n, s), e)| *n == 1 || s == e)
    }

    /// Whether each of its elements lies in a place of its own.
    ///
    /// # Errors
    ///
    /// One is repeated; `at` is who wants to write it.
    pub fn check_writable(&self, at: &'static Location<'static>) -> Result<(), ExprError> {
        let mut all = self.sizes.iter().zip(&self.strides);
        if self.count() > 0 && all.any(|(n, s)| *n > 1 && *s == 0) {
            let sizes = self.sizes.clone();
            let problem = Problem::Repeated { sizes };
            return Err(ExprError { at, problem });
        }
        Ok(())
    }

    /// What tells memories apart.
    pub fn memory(&self) -> usize {
        Arc::as_ptr(&self.source) as *const () as usize
    }

    /// Whether both are the same elements of the same memory in the same order.
    pub fn is_same(&self, other: &View) -> bool {
        self.memory() == other.memory()
            && self.offset == other.offset
            && self.sizes == other.sizes
            && self.strides == other.strides
    }

    /// The first and the last element's place in the memory; none of an empty view.
    pub fn span(&self) -> Option<(usize, usize)> {
        if self.count() == 0 {
            return None;
        }
        let (mut low, mut high) = (self.offset as isize, self.offset as isize);
        for (n, s) in self.sizes.iter().zip(&self.strides) {
            let reach = (*n as isize - 1) * s;
            low += reach.min(0);
            high += reach.max(0);
        }
        Some((low as usize, high as usize))
    }

    /// Whether an element of one may be an element of the other.
    pub fn may_overlap(&self, other: &View) -> bool {
        match (self.span(), other.span()) {
            (Some(a), Some(b)) => {
                let near = self.memory() == other.memory() && a.0 <= b.1 && b.0 <= a.1;
                // All steps from one to the other are multiples of this.
                let step = self.step(other.step(0));
                near && (step == 0 || self.offset.abs_diff(other.offset).is_multiple_of(step))
            }
            _ => false,
        }
    }

    /// The greatest number that divides another one and all distances between elements.
    fn step(&self, other: usize) -> usize {
        let all = self.sizes.iter().zip(&self.strides);
        let strides = all.filter(|(n, _)| **n > 1).map(|(_, s)| s.unsigned_abs());
        strides.fold(other, |mut step, mut rest| {
            while rest != 0 {
                (step, rest) = (rest, step % rest);
            }
            step
        })
    }
}

/// The strides of an array whose last axis is contiguous.
pub fn row_major(sizes: &[usize]) -> Strides {
    let mut strides: Strides = SmallVec::from_elem(1, sizes.len());
    for k in (1..sizes.len()).rev() {
        strides[k - 1] = strides[k] * sizes[k] as isize;
    }
    strides
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("memory", &self.memory())
            .field("offset", &self.offset)
            .field("sizes", &self.sizes)
            .field("strides", &self.strides)
            .finish()
    }
}

/// What a node is; its operands stand beside it.
#[derive(Debug, Clone)]
pub enum Kind {
    /// The element of an array at the place that is computed.
    Array(View, Part),
    /// The element some way off, and what there is beside the array.
    Neighbour(View, SmallVec<[i64; 4]>, Edge, Part),
    /// The element of an array of one axis at the place that the operand is, or at the nearest
    /// place that there is, unless it is said to lie in the array.
    Gather(View, Within, Part),
    /// A complex number of a real and an imaginary part. No other node is complex: what is done to
    /// complex numbers is done to their parts.
    Complex,
    /// A number that each call passes: its bits.
    Parameter(u64),
    /// A number that the kernel is made for: its bits.
    Constant(u64),
    /// The position along an axis, counted from 0.
    Index(usize),
    /// A value that a loop hands on: the loop's number and the value's.
    Carried(u64, usize),
    /// The counter of the loop of this number.
    Counter(u64),
    /// A loop: of the first counter and the one behind the last, what the values are at first, and
    /// what they become.
    Loop(u64),
    /// A value behind the loop that is the operand.
    Result(usize),
    /// A function of one operand.
    Unary(Unary),
    /// A function of two operands.
    Binary(Binary),
    /// A comparison of two operands.
    Compare(Compare),
    /// The second operand where the first is true, else the third.
    Select,
    /// The first operand times the second, plus the third, rounded once.
    MulAdd,
    /// The operand as another type, as Rust's `as`.
    Cast,
    /// The bits of the operand as a value of another type of the same size.
    Reinterpret,
}

/// An operation of the graph.
#[derive(Debug)]
pub struct Node {
    /// What it does.
    pub kind: Kind,
    /// The type of its value.
    pub ty: ElementType,
    /// What it is done to.
    pub operands: SmallVec<[Arc<Node>; 2]>,
    /// The sizes of the arrays in it; none where there is no array.
    pub sizes: Option<Sizes>,
    /// The line that it was written in.
    pub at: &'static Location<'static>,
}

impl Node {
    /// The numbers that it is made of: the parts of a complex one, else itself.
    pub fn parts(self: &Arc<Node>) -> SmallVec<[(Part, &Arc<Node>); 2]> {
        match (&self.kind, &self.operands[..]) {
            (Kind::Complex, [re, im]) => {
                SmallVec::from_buf([(Part::Real, re), (Part::Imaginary, im)])
            }
            _ => SmallVec::from_elem((Part::Whole, self), 1),
        }
    }

    /// The array whose elements it is; none where it is something else.
    pub fn array(self: &Arc<Node>) -> Option<&View> {
        match self.parts().first().map(|(_, n)| &n.kind) {
            Some(Kind::Array(view, Part::Whole)) => Some(view),
            // Parts are put together by others too.
            Some(Kind::Array(view, Part::Real)) => match self.operands.get(1).map(|n| &n.kind) {
                Some(Kind::Array(other, Part::Imaginary)) if view.is_same(other) => Some(view),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Drop for Node {
    /// Takes a deep graph apart without a deep stack.
    fn drop(&mut self) {
        let mut left: Vec<Arc<Node>> = self.operands.drain(..).collect();
        while let Some(node) = left.pop() {
            if let Some(mut node) = Arc::into_inner(node) {
                left.extend(node.operands.drain(..));
            }
        }
    }
}

/// An expression without its type: a graph, or why there is none.
#[derive(Debug, Clone)]
pub enum Graph {
    /// The node whose value it is.
    Node(Arc<Node>),
    /// The first thing that is wrong in it.
    Poison(Arc<ExprError>),
}

impl Graph {
    /// A node without operands; of a complex type one of two, each for a part.
    pub fn leaf(
        ty: ElementType,
        sizes: Option<&Sizes>,
        at: &'static Location<'static>,
        kind: impl Fn(Part) -> Kind,
    ) -> Graph {
        let leaf = |part: Part| {
            Graph::Node(Arc::new(Node {
                kind: kind(part),
                ty: ty.part().unwrap_or(ty),
                operands: SmallVec::new(),
                sizes: sizes.cloned(),
                at,
            }))
        };
        match ty.part() {
            None => leaf(Part::Whole),
            Some(_) => Graph::complex([leaf(Part::Real), leaf(Part::Imaginary)], at),
        }
    }

    /// The elements of an array.
    pub fn array(view: &View, ty: ElementType, at: &'static Location<'static>) -> Graph {
        Graph::leaf(ty, Some(&view.sizes), at, |part| {
            Kind::Array(view.clone(), part)
        })
    }

    /// A complex number of two parts of one type and of equal shapes.
    pub fn complex(parts: [Graph; 2], at: &'static Location<'static>) -> Graph {
        let ty = match &parts[0] {
            Graph::Node(n) => n.ty.complex(),
            Graph::Poison(_) => return parts[0].clone(),
        };
        Graph::operation(Kind::Complex, ty, "complex", &parts, at)
    }

    /// An operation on operands of equal shapes, called `name` in messages. Operands are no complex
    /// numbers.
    pub fn operation(
        kind: Kind,
        ty: ElementType,
        name: &'static str,
        operands: &[Graph],
        at: &'static Location<'static>,
    ) -> Graph {
        let mut nodes = SmallVec::new();
        let mut sizes: Option<&Sizes> = None;
        for operand in operands {
            let node = match operand {
                Graph::Node(n) => n,
                Graph::Poison(e) => return Graph::Poison(Arc::clone(e)),
            };
            match (sizes, &node.sizes) {
                // An array without axes is a number that is in memory.
                (Some(s), Some(_)) if s.is_empty() => sizes = node.sizes.as_ref(),
                (Some(_), Some(s)) if s.is_empty() => {}
                (Some(left), Some(right)) if left != right => {
                    let problem = Problem::Shapes {
                        operation: name,
                        left: left.clone(),
                        right: right.clone(),
                    };
                    return Graph::Poison(Arc::new(ExprError { at, problem }));
                }
                (None, Some(s)) => sizes = Some(s),
                _ => {}
            }
            nodes.push(Arc::clone(node));
        }
        Graph::Node(Arc::new(Node {
            kind,
            ty,
            sizes: sizes.cloned(),
            operands: nodes,
            at,
        }))
    }

    /// The numbers that it is made of: two of a complex one, else itself.
    pub fn parts(&self) -> SmallVec<[Graph; 2]> {
        match self {
            Graph::Node(n) => {
                let parts = n.parts().into_iter();
                parts.map(|(_, n)| Graph::Node(Arc::clone(n))).collect()
            }
            Graph::Poison(_) => SmallVec::from_elem(self.clone(), 1),
        }
    }

    /// The node.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn node(&self) -> Result<&Arc<Node>, ExprError> {
        match self {
            Graph::Node(n) => Ok(n),
            Graph::Poison(e) => Err((**e).clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(offset: usize, sizes: &[usize], strides: &[isize]) -> View {
        View {
            source: Arc::new(()),
            offset,
            sizes: sizes.into(),
            strides: strides.into(),
        }
    }

    #[test]
    fn spans_of_views() {
        assert_eq!(view(3, &[4], &[1]).span(), Some((3, 6)));
        assert_eq!(view(9, &[4], &[-3]).span(), Some((0, 9)));
        assert_eq!(view(2, &[2, 3], &[10, 2]).span(), Some((2, 16)));
        assert_eq!(view(2, &[2, 0], &[10, 2]).span(), None);
    }

    #[test]
    fn contiguous_views() {
        assert!(view(0, &[2, 3], &[3, 1]).is_contiguous());
        assert!(view(5, &[1, 3], &[77, 1]).is_contiguous());
        assert!(!view(0, &[2, 3], &[1, 2]).is_contiguous());
        assert!(!view(0, &[2, 3], &[4, 1]).is_contiguous());
        assert!(view(0, &[0, 3], &[9, 9]).is_contiguous());
    }

    #[test]
    fn overlaps() {
        let a = view(0, &[4], &[1]);
        let mut b = a.clone();
        b.offset = 3;
        assert!(a.may_overlap(&b) && !a.is_same(&b));
        b.offset = 4;
        assert!(!a.may_overlap(&b));
        // Each second element, and those between them.
        let even = View {
            sizes: [5].as_slice().into(),
            strides: [2].as_slice().into(),
            ..a.clone()
        };
        let odd = View {
            offset: 3,
            ..even.clone()
        };
        assert!(even.may_overlap(&even) && !even.may_overlap(&odd) && odd.may_overlap(&a));
        // Another memory.
        assert!(!a.may_overlap(&view(0, &[4], &[1])));
    }
}
