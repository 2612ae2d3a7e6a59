//! What is sorted: arrays of one length, side by side.

use super::arrays::Array;
use super::assign::Assignment;
use super::context::Context;
use super::error::ArrayError;
use terrace_dsl::{Element, Expr, Operand};

/// Says that a trait is implemented here alone: kernels rely on it.
pub(super) mod sealed {
    pub trait Sealed {}
}

use sealed::Sealed;

/// Arrays of one axis and one length, of which an element is one of each.
pub trait Columns: Sealed + Sized {
    /// An element, in an expression.
    type Elements;

    /// The element of each place.
    fn own(&self) -> Self::Elements;

    /// The elements at places.
    ///
    /// # Safety
    ///
    /// As [`Expr::gather_unchecked`].
    #[doc(hidden)]
    unsafe fn elements_at(&self, places: &Expr<i64>) -> Self::Elements;

    /// One or the other.
    fn choose(c: &Expr<bool>, yes: &Self::Elements, no: &Self::Elements) -> Self::Elements;

    /// How many elements each has.
    fn lengths(&self) -> Vec<usize>;

    /// Other arrays of the same types and length.
    ///
    /// # Errors
    ///
    /// Memory is short.
    fn like(&self) -> Result<Self, ArrayError>;

    /// Adds what writes elements to places, of which no two are equal of all that the kernel writes.
    /// Those for which `when` is not true go nowhere.
    ///
    /// # Safety
    ///
    /// As [`super::Places::unchecked`].
    #[doc(hidden)]
    unsafe fn write(
        &self,
        places: &Expr<i64>,
        when: Option<&Expr<bool>>,
        elements: &Self::Elements,
        all: &mut Vec<Assignment>,
    );

    /// Them as arrays of another context.
    ///
    /// # Errors
    ///
    /// Memory is short, or they hold nothing.
    fn moved(&self, to: &Context) -> Result<Self, ArrayError>;
}

impl<T> Sealed for Array<T> {}
impl<C: Sealed> Sealed for Vec<C> {}

impl<T: Element> Columns for Array<T> {
    type Elements = Expr<T>;

    fn own(&self) -> Expr<T> {
        self.expr()
    }

    unsafe fn elements_at(&self, places: &Expr<i64>) -> Expr<T> {
        // SAFETY: by the contract.
        unsafe { self.gather_unchecked(places) }
    }

    fn choose(c: &Expr<bool>, yes: &Expr<T>, no: &Expr<T>) -> Expr<T> {
        c.select(yes, no)
    }

    fn lengths(&self) -> Vec<usize> {
        vec![self.len()]
    }

    fn like(&self) -> Result<Self, ArrayError> {
        self.context().zeros(self.shape())
    }

    unsafe fn write(
        &self,
        places: &Expr<i64>,
        when: Option<&Expr<bool>>,
        elements: &Expr<T>,
        all: &mut Vec<Assignment>,
    ) {
        let at = self.at(places);
        let at = match when {
            Some(when) => at.when(when),
            None => at,
        };
        // SAFETY: by the contract.
        all.push(unsafe { at.to_distinct(elements) });
    }

    fn moved(&self, to: &Context) -> Result<Self, ArrayError> {
        match self.context().id() == to.id() {
            true => Ok(self.clone()),
            false => to.array(self.shape(), &self.to_vec()?),
        }
    }
}

impl<C: Columns> Columns for Vec<C> {
    type Elements = Vec<C::Elements>;

    fn own(&self) -> Self::Elements {
        self.iter().map(C::own).collect()
    }

    unsafe fn elements_at(&self, places: &Expr<i64>) -> Self::Elements {
        // SAFETY: by the contract.
        self.iter()
            .map(|c| unsafe { c.elements_at(places) })
            .collect()
    }

    fn choose(c: &Expr<bool>, yes: &Self::Elements, no: &Self::Elements) -> Self::Elements {
        let both = yes.iter().zip(no);
        both.map(|(yes, no)| C::choose(c, yes, no)).collect()
    }

    fn lengths(&self) -> Vec<usize> {
        self.iter().flat_map(C::lengths).collect()
    }

    fn like(&self) -> Result<Self, ArrayError> {
        self.iter().map(C::like).collect()
    }

    unsafe fn write(
        &self,
        places: &Expr<i64>,
        when: Option<&Expr<bool>>,
        elements: &Self::Elements,
        all: &mut Vec<Assignment>,
    ) {
        for (c, e) in self.iter().zip(elements) {
            // SAFETY: by the contract.
            unsafe { c.write(places, when, e, all) };
        }
    }

    fn moved(&self, to: &Context) -> Result<Self, ArrayError> {
        self.iter().map(|c| c.moved(to)).collect()
    }
}

macro_rules! tuples {
    ($($name:ident $n:tt),*) => {
        impl<$($name: Sealed),*> Sealed for ($($name,)*) {}

        impl<$($name: Columns),*> Columns for ($($name,)*) {
            type Elements = ($($name::Elements,)*);

            fn own(&self) -> Self::Elements {
                ($(self.$n.own(),)*)
            }

            unsafe fn elements_at(&self, places: &Expr<i64>) -> Self::Elements {
                // SAFETY: by the contract.
                ($(unsafe { self.$n.elements_at(places) },)*)
            }

            fn choose(c: &Expr<bool>, yes: &Self::Elements, no: &Self::Elements) -> Self::Elements {
                ($($name::choose(c, &yes.$n, &no.$n),)*)
            }

            fn lengths(&self) -> Vec<usize> {
                [$(self.$n.lengths()),*].concat()
            }

            fn like(&self) -> Result<Self, ArrayError> {
                Ok(($(self.$n.like()?,)*))
            }

            unsafe fn write(
                &self,
                places: &Expr<i64>,
                when: Option<&Expr<bool>>,
                elements: &Self::Elements,
                all: &mut Vec<Assignment>,
            ) {
                // SAFETY: by the contract.
                $(unsafe { self.$n.write(places, when, &elements.$n, all) };)*
            }

            fn moved(&self, to: &Context) -> Result<Self, ArrayError> {
                Ok(($(self.$n.moved(to)?,)*))
            }
        }
    };
}

tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
