//! Expressions with the type of their elements.

use crate::element::{Element, ElementType};
use crate::error::{ExprError, Sizes};
use crate::node::{Graph, Kind, View};
use crate::op::Part;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

/// A value for each element of an array, not computed yet.
///
/// Operators and methods make larger expressions of it; an array computes it when it is assigned.
/// Its shape is that of the arrays in it, or none, and then it fits any array. What is wrong with
/// it is kept in it, and comes out where it is computed.
#[derive(Debug)]
pub struct Expr<T> {
    graph: Graph,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Expr<T> {
    fn clone(&self) -> Self {
        Expr {
            graph: self.graph.clone(),
            element: PhantomData,
        }
    }
}

/// What stands in an expression: an expression, an array, or a number.
///
/// A number is passed to the kernel by each call, so that other numbers need no other kernel.
pub trait Operand<T> {
    /// It as an expression.
    #[track_caller]
    fn expr(self) -> Expr<T>;
}

impl<T> Operand<T> for Expr<T> {
    fn expr(self) -> Expr<T> {
        self
    }
}

impl<T> Operand<T> for &Expr<T> {
    fn expr(self) -> Expr<T> {
        self.clone()
    }
}

impl<T: Element> Operand<T> for T {
    #[track_caller]
    fn expr(self) -> Expr<T> {
        parameter(self)
    }
}

/// A number that each call passes. The same expression with another number is the same kernel.
#[track_caller]
pub fn parameter<T: Element>(value: T) -> Expr<T> {
    let bits = value.to_bits();
    Expr::leaf(|part| Kind::Parameter(part.bits(T::TYPE, bits)), None)
}

/// A number that the kernel is made for: its code may be simpler for it, and another number is
/// another kernel.
#[track_caller]
pub fn constant<T: Element>(value: T) -> Expr<T> {
    let bits = value.to_bits();
    Expr::leaf(|part| Kind::Constant(part.bits(T::TYPE, bits)), None)
}

/// The position of each element along an axis: 0, 1, 2 and so on. Axis 0 is the outermost one.
#[track_caller]
pub fn index(axis: usize) -> Expr<i64> {
    Expr::leaf(|_| Kind::Index(axis), None)
}

impl<T: Element> Expr<T> {
    /// The elements of a part of a memory, which holds elements of this type.
    #[track_caller]
    pub fn array(view: View) -> Expr<T> {
        Expr::of(Graph::array(&view, T::TYPE, Location::caller()))
    }

    /// The expression of a graph; none where its elements have another type.
    pub fn from_graph(graph: &Graph) -> Option<Expr<T>> {
        let fits = match graph {
            Graph::Node(n) => n.ty == T::TYPE,
            Graph::Poison(_) => true,
        };
        fits.then(|| Expr::of(graph.clone()))
    }

    #[track_caller]
    pub(crate) fn leaf(kind: impl Fn(Part) -> Kind, sizes: Option<&Sizes>) -> Expr<T> {
        Expr::of(Graph::leaf(T::TYPE, sizes, Location::caller(), kind))
    }

    /// An operation on operands of equal shapes, called `name` in messages. Neither it nor they are
    /// complex.
    #[track_caller]
    pub(crate) fn operation(kind: Kind, name: &'static str, operands: &[Graph]) -> Expr<T> {
        let at = Location::caller();
        Expr::of(Graph::operation(kind, T::TYPE, name, operands, at))
    }
}

impl<T> Expr<T> {
    pub(crate) fn of(graph: Graph) -> Expr<T> {
        Expr {
            graph,
            element: PhantomData,
        }
    }

    /// An expression that means nothing. What is made of it means nothing for the same reason,
    /// and whoever computes it gets that as an error.
    pub fn poison(error: ExprError) -> Expr<T> {
        Expr::of(Graph::Poison(Arc::new(error)))
    }

    /// The expression without its type.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The sizes of the arrays in it; none where there is no array.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn sizes(&self) -> Result<Option<&[usize]>, ExprError> {
        Ok(self.graph.node()?.sizes.as_deref())
    }

    /// The type of its elements; none of one that means nothing.
    pub fn element_type(&self) -> Option<ElementType> {
        self.graph.node().ok().map(|n| n.ty)
    }
}
