//! Sums, extrema and the like of expressions.

use super::arrays::Array;
use super::context::Context;
use super::error::ArrayError;
use super::memory::Memory;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;
use terrace_dsl::program::{Program, Reduced};
use terrace_dsl::{
    Element, Expr, ExprError, Fold, Graph, Kept, Number, Operand, Problem, RealNumber, View,
};

/// What is to become of all elements of an expression: one value of type `T`.
#[derive(Debug, Clone)]
pub struct Reduction<T> {
    fold: Fold,
    graph: Graph,
    in_order: bool,
    at: &'static Location<'static>,
    value: PhantomData<fn() -> T>,
}

#[track_caller]
fn reduction<T: Element>(fold: Fold, of: impl Operand<T>) -> Reduction<T> {
    let of = of.expr();
    Reduction {
        fold,
        graph: of.graph().clone(),
        in_order: false,
        at: Location::caller(),
        value: PhantomData,
    }
}

/// The sum of all elements; 0 where there are none. Integers wrap. Floats are added in an order
/// that the target chooses, unless [`Reduction::in_order`] says otherwise.
#[track_caller]
pub fn sum<T: Number>(of: impl Operand<T>) -> Reduction<T> {
    reduction(Fold::Sum, of)
}

/// The product of all elements; 1 where there are none. The order is as that of [`sum`].
#[track_caller]
pub fn product<T: RealNumber>(of: impl Operand<T>) -> Reduction<T> {
    reduction(Fold::Product, of)
}

/// The least element. NaNs are passed over, unless there is nothing else. Of no elements it is a
/// NaN, and of integers the greatest that there is.
#[track_caller]
pub fn min<T: RealNumber>(of: impl Operand<T>) -> Reduction<T> {
    reduction(Fold::Min, of)
}

/// The greatest element. NaNs are passed over, unless there is nothing else. Of no elements it is
/// a NaN, and of integers the least that there is.
#[track_caller]
pub fn max<T: RealNumber>(of: impl Operand<T>) -> Reduction<T> {
    reduction(Fold::Max, of)
}

/// Whether all elements are true.
#[track_caller]
pub fn all(of: impl Operand<bool>) -> Reduction<bool> {
    reduction(Fold::All, of)
}

/// Whether an element is true.
#[track_caller]
pub fn any(of: impl Operand<bool>) -> Reduction<bool> {
    reduction(Fold::Any, of)
}

/// How many elements are true.
#[track_caller]
pub fn count_true(of: impl Operand<bool>) -> Reduction<u64> {
    let ones: Expr<u64> = of.expr().cast();
    reduction(Fold::Sum, ones)
}

impl<T> Reduction<T> {
    /// One element after the other, in row-major order: the same bits on each target, and no
    /// parallel loop.
    #[must_use]
    pub fn in_order(self) -> Reduction<T> {
        Reduction {
            in_order: true,
            ..self
        }
    }

    /// Whether it is of so many elements along one axis.
    ///
    /// # Errors
    ///
    /// It is not, or the expression means nothing.
    pub(super) fn check_length(&self, n: usize) -> Result<(), ExprError> {
        let (at, operation) = (self.at, self.fold.name());
        let problem = match &self.graph.node()?.sizes {
            Some(sizes) if **sizes == [n] => return Ok(()),
            Some(sizes) => Problem::Shapes {
                operation,
                left: sizes.clone(),
                right: [n].as_slice().into(),
            },
            None => Problem::NoArray { operation },
        };
        Err(ExprError { at, problem })
    }

    /// What changes nothing when it is combined with another value.
    pub(super) fn of_nothing(&self) -> T
    where
        T: Element,
    {
        self.fold.nothing()
    }

    /// How, what, and whether in order.
    pub(super) fn parts(self) -> (Fold, Graph, bool) {
        (self.fold, self.graph, self.in_order)
    }

    fn to(&self, target: View, keeps: Kept) -> Reduced {
        Reduced {
            keeps,
            fold: self.fold,
            graph: self.graph.clone(),
            target,
            in_order: self.in_order,
            anew: None,
            at: self.at,
        }
    }
}

/// Reductions that are done by one kernel: one, or a tuple of up to eight.
pub trait Reductions {
    /// Their results.
    type Output;

    /// Puts what is to be done into a list, with memory for the results.
    ///
    /// # Errors
    ///
    /// Memory is short.
    #[doc(hidden)]
    fn list(&self, results: &mut Results) -> Result<(), ArrayError>;

    /// Takes the results, in order.
    ///
    /// # Errors
    ///
    /// What the device says.
    #[doc(hidden)]
    fn take(&self, results: &mut Results) -> Result<Self::Output, ArrayError>;
}

/// What is to be done, and where the results will be.
#[doc(hidden)]
pub struct Results {
    context: Context,
    todo: Vec<Reduced>,
    places: Vec<Arc<Memory>>,
    taken: usize,
}

impl<T: Element> Reductions for Reduction<T> {
    type Output = T;

    fn list(&self, results: &mut Results) -> Result<(), ArrayError> {
        let place = results.context.result()?;
        let target = View::row_major(Arc::clone(&place) as _, &[1]);
        results.places.push(place);
        results.todo.push(self.to(target, Kept::Last));
        Ok(())
    }

    fn take(&self, results: &mut Results) -> Result<T, ArrayError> {
        let mut word = [0; 16];
        if let Some(place) = results.places.get(results.taken) {
            place.read().copy_out(0, &mut word[..T::TYPE.size()])?;
        }
        results.taken += 1;
        Ok(T::from_bits(u128::from_le_bytes(word)))
    }
}

macro_rules! tuples {
    ($($name:ident $n:tt),*) => {
        impl<$($name: Reductions),*> Reductions for ($($name,)*) {
            type Output = ($($name::Output,)*);

            fn list(&self, results: &mut Results) -> Result<(), ArrayError> {
                $(self.$n.list(results)?;)*
                Ok(())
            }

            fn take(&self, results: &mut Results) -> Result<Self::Output, ArrayError> {
                Ok(($(self.$n.take(results)?,)*))
            }
        }
    };
}

up_to_eight!(tuples);

impl Context {
    /// Reduces expressions of one shape to one value each, in one kernel. No array is made for
    /// the expressions.
    ///
    /// # Errors
    ///
    /// What is wrong with an expression, with its line; or what the compiler or the device say.
    pub fn reduce<R: Reductions>(&self, all: R) -> Result<R::Output, ArrayError> {
        let mut results = Results {
            context: self.clone(),
            todo: Vec::new(),
            places: Vec::new(),
            taken: 0,
        };
        let taken = all.list(&mut results).and_then(|()| {
            let (program, binding) = Program::reduce(&results.todo, None)?;
            self.run(&program, &binding)?;
            all.take(&mut results)
        });
        if taken.is_ok() {
            for place in results.places {
                self.give_back(place);
            }
        }
        taken
    }
}

impl<T: Element> Array<T> {
    /// Sets it to the reduction of an expression along some of its axes. The array has the axes
    /// that are left, in their order.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression, or that the shapes differ; or what the compiler or the
    /// device say.
    #[track_caller]
    pub fn set_reduced(&self, value: Reduction<T>, axes: &[usize]) -> Result<(), ArrayError> {
        self.folded(&value, Kept::Last, axes, None)
    }

    /// Sets it to the reductions of the elements up to each place along an axis: with `sum`, to
    /// running sums. It has the shape of the expression.
    ///
    /// # Errors
    ///
    /// As [`Array::set_reduced`].
    #[track_caller]
    pub fn set_scan(&self, value: Reduction<T>, axis: usize) -> Result<(), ArrayError> {
        self.folded(&value, Kept::Inclusive, &[axis], None)
    }

    /// The same without the element at the place itself: the first one is that of no elements.
    ///
    /// # Errors
    ///
    /// As [`Array::set_reduced`].
    #[track_caller]
    pub fn set_exclusive_scan(&self, value: Reduction<T>, axis: usize) -> Result<(), ArrayError> {
        self.folded(&value, Kept::Exclusive, &[axis], None)
    }

    /// Sets it to what is kept of a fold along axes, which begins anew where `anew` is true.
    pub(super) fn folded(
        &self,
        value: &Reduction<T>,
        keeps: Kept,
        axes: &[usize],
        anew: Option<&Graph>,
    ) -> Result<(), ArrayError> {
        let view = self.view()?.clone();
        let reduced = |target: View| -> Result<_, ExprError> {
            let reduced = Reduced {
                anew: anew.cloned(),
                ..value.to(target, keeps)
            };
            Program::reduce(&[reduced], Some(axes))
        };
        let (program, binding) = reduced(view.clone())?;
        if binding.conflicts(&program).is_empty() && !reads(&program) {
            return self.context().run(&program, &binding);
        }
        let aside = self.context().zeros::<T>(&view.sizes)?;
        let (program, binding) = reduced(aside.view()?.clone())?;
        self.context().run(&program, &binding)?;
        self.set(&aside)
    }
}

/// Whether a program reads what it writes.
fn reads(program: &Program) -> bool {
    (0..program.slots.len()).any(|k| program.slots[k].written && program.reads(k))
}
