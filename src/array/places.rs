//! Elements that are written to places which are computed.
//!
//! ```
//! # use terrace::array::{Context, sum};
//! # let cx = Context::cpu();
//! let places = cx.vector(&[2i64, 0, 1])?;
//! let x = cx.vector(&[1.0, 2.0, 3.0])?;
//! let z = cx.vector(&[0.0; 3])?;
//! z.at(&places).set_unique(&x)?;
//! assert_eq!(z.to_vec()?, [2.0, 3.0, 1.0]);
//! z.at(&places / 2).add(&x)?;
//! assert_eq!(z.to_vec()?, [7.0, 4.0, 1.0]);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```

use super::arrays::Array;
use super::assign::Assignment;
use super::context::Context;
use super::error::ArrayError;
use super::memory::Memory;
use super::reduce::{Reduction, sum};
use std::panic::Location;
use std::sync::Arc;
use terrace_dsl::program::{Assigned, Placed};
use terrace_dsl::{Element, Expr, Graph, Number, Operand, Scatter, View, Within};

/// Places in an array of one axis, to which elements are written.
#[derive(Debug, Clone)]
pub struct Places<'a, T> {
    array: &'a Array<T>,
    places: Expr<i64>,
    when: Option<Graph>,
    within: Within,
}

impl<T: Element> Array<T> {
    /// The places of an array of one axis that an expression computes, counted from 0.
    #[track_caller]
    pub fn at(&self, places: impl Operand<i64>) -> Places<'_, T> {
        Places {
            array: self,
            places: places.expr(),
            when: None,
            within: Within::Nearest,
        }
    }
}

impl<T: Element> Places<'_, T> {
    /// Elements for which this is not true go nowhere, and their places are not looked at.
    #[must_use]
    pub fn when(self, when: impl Operand<bool>) -> Self {
        Places {
            when: Some(when.expr().graph().clone()),
            ..self
        }
    }

    /// Places of which none is looked at.
    ///
    /// # Safety
    ///
    /// Whenever the assignment is done, each place for which [`Places::when`] is true is at least
    /// 0 and less than the size of the array.
    #[must_use]
    pub unsafe fn unchecked(self) -> Self {
        Places {
            within: Within::Sure,
            ..self
        }
    }

    /// Writes an expression to the places, of which no two are equal: of those that are, one
    /// element stays. What is at other places stays too. Places or expression have a shape, and
    /// where both have one it is the same.
    ///
    /// # Errors
    ///
    /// As [`Array::set`]; and where a place is beside the array. Then nothing was written for it,
    /// and the other elements were.
    #[track_caller]
    pub fn set_unique(&self, value: impl Operand<T>) -> Result<(), ArrayError> {
        self.array.context().assign((self.to_unique(value),))
    }

    /// The same as [`Places::set_unique`], to be done by [`Context::assign`] together with others.
    #[track_caller]
    pub fn to_unique(&self, value: impl Operand<T>) -> Assignment {
        self.placed(value.expr().graph().clone(), Scatter::Unique, false)
    }

    /// The same, where no two places are equal of all that the kernel writes to the array.
    ///
    /// # Safety
    ///
    /// As [`Places::unchecked`].
    #[track_caller]
    pub(super) unsafe fn to_distinct(&self, value: &Expr<T>) -> Assignment {
        // SAFETY: by the contract.
        let at = unsafe { self.clone().unchecked() };
        at.placed(value.graph().clone(), Scatter::Distinct, false)
    }

    /// As [`Places::to_combined`], of any type where cores do it.
    #[track_caller]
    pub(super) fn to_folded(&self, value: Reduction<T>) -> Assignment {
        let (fold, graph, in_order) = value.parts();
        self.placed(graph, Scatter::Fold(fold), in_order)
    }

    #[track_caller]
    fn placed(&self, graph: Graph, scatter: Scatter, in_order: bool) -> Assignment {
        let at = Location::caller();
        let target = self.array.view().cloned();
        Assignment(target.map(|target| Assigned {
            target,
            ty: T::TYPE,
            graph,
            place: Some(Placed {
                graph: self.places.graph().clone(),
                scatter,
                in_order,
                when: self.when.clone(),
                within: self.within,
            }),
            at,
        }))
    }
}

impl<T: Number> Places<'_, T> {
    /// Adds an expression to the elements at the places, of which some may be equal. Floats are
    /// added in an order that the target chooses.
    ///
    /// # Errors
    ///
    /// As [`Places::set_unique`].
    #[track_caller]
    pub fn add(&self, value: impl Operand<T>) -> Result<(), ArrayError> {
        self.combine(sum(value))
    }

    /// Combines an expression with the elements at the places by a sum, product, least or greatest
    /// one. Some places may be equal. With [`Reduction::in_order`] floats have the bits of a loop
    /// over the elements, for which a device sorts them by their places.
    ///
    /// # Errors
    ///
    /// As [`Places::set_unique`].
    #[track_caller]
    pub fn combine(&self, value: Reduction<T>) -> Result<(), ArrayError> {
        self.array.context().assign((self.to_combined(value),))
    }

    /// The same as [`Places::combine`], to be done by [`Context::assign`] together with others.
    #[track_caller]
    pub fn to_combined(&self, value: Reduction<T>) -> Assignment {
        self.to_folded(value)
    }
}

impl Context {
    /// Memory in which a kernel tells of places beside arrays, which holds 0.
    pub(super) fn fault(&self) -> Result<(Arc<Memory>, View), ArrayError> {
        let memory = self.zeroed()?;
        let view = View::row_major(Arc::clone(&memory) as _, &[1]);
        Ok((memory, view))
    }

    /// What a kernel told of places beside arrays, as an error.
    pub(super) fn faulted(&self, all: &[Assigned], memory: Arc<Memory>) -> Result<(), ArrayError> {
        let mut word = [0; 8];
        memory.read().copy_out(0, &mut word)?;
        let said = u64::from_le_bytes(word);
        if said == 0 {
            self.give_back_zeroed(memory);
            return Ok(());
        }
        Err(self.placed_wrong(all, ((1 << 63) - said) as usize)?)
    }

    /// Why an element was not written. Which of the assignments it was, and which place, is
    /// computed once more.
    pub(super) fn placed_wrong(
        &self,
        all: &[Assigned],
        element: usize,
    ) -> Result<ArrayError, ArrayError> {
        for a in all {
            let looked = |p: &&Placed| p.within == Within::Nearest;
            let Some(p) = a.place.as_ref().filter(looked) else {
                continue;
            };
            let size = a.target.count();
            let counts = match &p.when {
                Some(when) => self.value_at::<bool>(when, a, element)?,
                None => true,
            };
            let place: i64 = self.value_at(&p.graph, a, element)?;
            if !counts || usize::try_from(place).is_ok_and(|p| p < size) {
                continue;
            }
            return Ok(ArrayError::Place {
                at: a.at,
                element,
                place,
                size,
            });
        }
        Ok(ArrayError::Device(format!(
            "element {element} was to go to a place that its array has not"
        )))
    }

    /// The value of an expression for one element, counted in row-major order.
    fn value_at<V: Element>(
        &self,
        graph: &Graph,
        a: &Assigned,
        element: usize,
    ) -> Result<V, ArrayError> {
        let all = self.zeros::<V>(&a.iterated()?)?;
        let places = Assigned {
            target: all.view()?.clone(),
            ty: V::TYPE,
            graph: graph.clone(),
            place: None,
            at: a.at,
        };
        self.assign(vec![Assignment(Ok(places))])?;
        let found = all.reshaped(&[all.len()]);
        let found = found.range(element..element.saturating_add(1)).to_vec()?;
        Ok(found.first().copied().unwrap_or(V::from_bits(0)))
    }
}
