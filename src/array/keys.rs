//! What arrays are sorted by.

use super::arrays::Array;
use super::columns::Columns;
use super::columns::sealed::Sealed;
use super::context::Context;
use super::error::ArrayError;
use std::panic::Location;
use terrace_dsl::{Element, Expr, ExprError, Problem, RealNumber, Scalar, bf16, constant, f16};

/// Elements that have an order: that of numbers, and `false` before `true`. Floats are in the total
/// order of IEEE 754, as Rust's `total_cmp`: -0 before 0, NaNs at both ends by their sign.
pub trait Key: Scalar {
    /// An unsigned integer with the same order.
    type Order: RealNumber + Ord + super::radix::Digits;

    /// The integer of an element.
    fn order(of: &Expr<Self>) -> Expr<Self::Order>;

    /// The element of an integer.
    fn back(of: &Expr<Self::Order>) -> Expr<Self>;

    /// What orders such integers.
    #[doc(hidden)]
    fn ordered(order: Array<Self::Order>) -> Ordered;
}

macro_rules! unsigned {
    ($($t:ty, $kind:ident;)*) => {$(
        impl Key for $t {
            type Order = $t;

            fn order(of: &Expr<$t>) -> Expr<$t> {
                of.clone()
            }

            fn back(of: &Expr<$t>) -> Expr<$t> {
                of.clone()
            }

            fn ordered(order: Array<$t>) -> Ordered {
                Ordered::$kind(order)
            }
        }
    )*};
}

unsigned! {
    u32, Narrow;
    u64, Wide;
}

macro_rules! signed {
    ($($t:ty, $order:ty, $kind:ident;)*) => {$(
        impl Key for $t {
            type Order = $order;

            fn order(of: &Expr<$t>) -> Expr<$order> {
                (of ^ constant(<$t>::MIN)).cast()
            }

            fn back(of: &Expr<$order>) -> Expr<$t> {
                of.cast::<$t>() ^ constant(<$t>::MIN)
            }

            fn ordered(order: Array<$order>) -> Ordered {
                Ordered::$kind(order)
            }
        }
    )*};
}

signed! {
    i32, u32, Narrow;
    i64, u64, Wide;
}

macro_rules! floats {
    ($($t:ty, $order:ty, $kind:ident;)*) => {$(
        impl Key for $t {
            type Order = $order;

            // What is below 0 has its bits turned, what is above has the highest one.
            fn order(of: &Expr<$t>) -> Expr<$order> {
                let (bits, high) = (of.to_bits(), constant(1 << (<$order>::BITS - 1)));
                (&bits & &high).ne(constant(0)).select(!&bits, &bits | high)
            }

            fn back(of: &Expr<$order>) -> Expr<$t> {
                let high = constant(1 << (<$order>::BITS - 1));
                let bits = (of & &high).ne(constant(0)).select(of ^ high, !of);
                bits.float_from_bits()
            }

            fn ordered(order: Array<$order>) -> Ordered {
                Ordered::$kind(order)
            }
        }
    )*};
}

floats! {
    f32, u32, Narrow;
    f64, u64, Wide;
}

/// Floats that are a part of the numbers of a wider type, in the same order.
macro_rules! halves {
    ($($t:ty)*) => {$(
        impl Key for $t {
            type Order = u32;

            fn order(of: &Expr<$t>) -> Expr<u32> {
                f32::order(&of.cast())
            }

            fn back(of: &Expr<u32>) -> Expr<$t> {
                f32::back(of).cast()
            }

            fn ordered(order: Array<u32>) -> Ordered {
                Ordered::Narrow(order)
            }
        }
    )*};
}

halves!(f16 bf16);

impl Key for bool {
    type Order = u32;

    fn order(of: &Expr<bool>) -> Expr<u32> {
        of.cast()
    }

    fn back(of: &Expr<u32>) -> Expr<bool> {
        of.ne(constant(0))
    }

    fn ordered(order: Array<u32>) -> Ordered {
        Ordered::Narrow(order)
    }
}

/// Integers with the order of keys.
#[derive(Debug, Clone)]
pub enum Ordered {
    /// Of 32 bits.
    Narrow(Array<u32>),
    /// Of 64 bits.
    Wide(Array<u64>),
}

/// One of them, in an expression.
#[derive(Debug, Clone)]
pub enum OrderedElement {
    /// Of 32 bits.
    Narrow(Expr<u32>),
    /// Of 64 bits.
    Wide(Expr<u64>),
}

/// Does the same to elements of one column, of either kind.
macro_rules! both {
    ($l:expr, $r:expr, |$a:ident, $b:ident| $f:expr, $kind:expr, $other:expr) => {
        match ($l, $r) {
            (OrderedElement::Narrow($a), OrderedElement::Narrow($b)) => ($kind.0)($f),
            (OrderedElement::Wide($a), OrderedElement::Wide($b)) => ($kind.1)($f),
            _ => $other,
        }
    };
}

impl Sealed for Ordered {}

impl Columns for Ordered {
    type Elements = OrderedElement;

    fn own(&self) -> OrderedElement {
        match self {
            Ordered::Narrow(a) => OrderedElement::Narrow(a.own()),
            Ordered::Wide(a) => OrderedElement::Wide(a.own()),
        }
    }

    unsafe fn elements_at(&self, places: &Expr<i64>) -> OrderedElement {
        // SAFETY: by the contract.
        unsafe {
            match self {
                Ordered::Narrow(a) => OrderedElement::Narrow(a.elements_at(places)),
                Ordered::Wide(a) => OrderedElement::Wide(a.elements_at(places)),
            }
        }
    }

    fn choose(c: &Expr<bool>, yes: &OrderedElement, no: &OrderedElement) -> OrderedElement {
        let kinds = (OrderedElement::Narrow, OrderedElement::Wide);
        // Elements of one column are of one kind.
        both!(yes, no, |a, b| c.select(a, b), kinds, yes.clone())
    }

    fn lengths(&self) -> Vec<usize> {
        match self {
            Ordered::Narrow(a) => a.lengths(),
            Ordered::Wide(a) => a.lengths(),
        }
    }

    fn like(&self) -> Result<Self, ArrayError> {
        Ok(match self {
            Ordered::Narrow(a) => Ordered::Narrow(a.like()?),
            Ordered::Wide(a) => Ordered::Wide(a.like()?),
        })
    }

    unsafe fn write(
        &self,
        places: &Expr<i64>,
        when: Option<&Expr<bool>>,
        elements: &OrderedElement,
        all: &mut Vec<super::assign::Assignment>,
    ) {
        // SAFETY: by the contract.
        unsafe {
            match (self, elements) {
                (Ordered::Narrow(a), OrderedElement::Narrow(e)) => a.write(places, when, e, all),
                (Ordered::Wide(a), OrderedElement::Wide(e)) => a.write(places, when, e, all),
                _ => {}
            }
        }
    }

    fn moved(&self, to: &Context) -> Result<Self, ArrayError> {
        Ok(match self {
            Ordered::Narrow(a) => Ordered::Narrow(a.moved(to)?),
            Ordered::Wide(a) => Ordered::Wide(a.moved(to)?),
        })
    }
}

/// Whether elements come before others: by the first column in which they differ.
pub(super) fn less(l: &[OrderedElement], r: &[OrderedElement]) -> Expr<bool> {
    let mut columns = l.iter().zip(r).rev();
    let same = |e: Expr<bool>| e;
    let Some((l, r)) = columns.next() else {
        return constant(false);
    };
    let mut less = both!(l, r, |a, b| a.lt(b), (same, same), constant(false));
    for (l, r) in columns {
        let here = both!(l, r, |a, b| a.lt(b), (same, same), constant(false));
        let equal = both!(l, r, |a, b| a.eq(b), (same, same), constant(false));
        less = here | (equal & less);
    }
    less
}

/// An array or an expression that is a key.
pub trait KeyColumn: Sealed {
    /// The type of its elements.
    type Element: Key;

    /// Its elements.
    fn elements(&self) -> Expr<Self::Element>;
}

macro_rules! columns {
    ($($of:ident)*) => {$(
        impl<T: Key> KeyColumn for $of<T> {
            type Element = T;

            fn elements(&self) -> Expr<T> {
                terrace_dsl::Operand::expr(self)
            }
        }

        impl<T: Key> KeyColumn for &$of<T> {
            type Element = T;

            fn elements(&self) -> Expr<T> {
                terrace_dsl::Operand::expr(*self)
            }
        }
    )*};
}

columns!(Array Expr);

impl<T> Sealed for Expr<T> {}
impl<T> Sealed for &Expr<T> {}
impl<T> Sealed for &Array<T> {}

/// Keys: an array or expression of one axis, or a tuple of up to four, which is in order by the
/// first of them in which elements differ.
pub trait Keys: Sealed {
    /// The keys as arrays.
    type Columns: Columns;

    /// Them as integers that have their order, on one device.
    ///
    /// # Errors
    ///
    /// They have several axes or different lengths, or cannot be computed.
    #[doc(hidden)]
    fn ordered(
        &self,
        cx: &Context,
        at: &'static Location<'static>,
    ) -> Result<Vec<Ordered>, ArrayError>;

    /// Them as they are, on one device.
    ///
    /// # Errors
    ///
    /// As [`Keys::ordered`].
    #[doc(hidden)]
    fn columns(
        &self,
        cx: &Context,
        at: &'static Location<'static>,
    ) -> Result<Self::Columns, ArrayError>;

    /// How many elements there are.
    ///
    /// # Errors
    ///
    /// They have several axes or different lengths, or mean nothing.
    #[doc(hidden)]
    fn count(&self, at: &'static Location<'static>) -> Result<usize, ArrayError>;
}

/// An expression of one axis as an array of its own on one device.
fn computed<T: Element>(
    cx: &Context,
    e: &Expr<T>,
    at: &'static Location<'static>,
) -> Result<Array<T>, ArrayError> {
    let array = cx.zeros(&[length(e, at)?])?;
    array.set(e)?;
    array.moved(cx.alone())
}

/// The length of an expression of one axis.
fn length<T: Element>(e: &Expr<T>, at: &'static Location<'static>) -> Result<usize, ExprError> {
    match e.sizes()? {
        Some([n]) => Ok(*n),
        None => {
            let operation = "sort";
            let problem = Problem::NoArray { operation };
            Err(ExprError { at, problem })
        }
        Some(sizes) => {
            let sizes = sizes.into();
            let problem = Problem::Sorted { sizes };
            Err(ExprError { at, problem })
        }
    }
}

impl<C: KeyColumn> Keys for C {
    type Columns = Array<C::Element>;

    fn ordered(
        &self,
        cx: &Context,
        at: &'static Location<'static>,
    ) -> Result<Vec<Ordered>, ArrayError> {
        let e = self.elements();
        length(&e, at)?;
        let order = computed(cx, &C::Element::order(&e), at)?;
        Ok(vec![C::Element::ordered(order)])
    }

    fn columns(
        &self,
        cx: &Context,
        at: &'static Location<'static>,
    ) -> Result<Self::Columns, ArrayError> {
        computed(cx, &self.elements(), at)
    }

    fn count(&self, at: &'static Location<'static>) -> Result<usize, ArrayError> {
        Ok(length(&self.elements(), at)?)
    }
}

macro_rules! tuples {
    ($($name:ident $n:tt),*) => {
        impl<$($name: KeyColumn),*> Keys for ($($name,)*) {
            type Columns = ($(Array<$name::Element>,)*);

            fn ordered(
                &self,
                cx: &Context,
                at: &'static Location<'static>,
            ) -> Result<Vec<Ordered>, ArrayError> {
                let mut all = Vec::new();
                $(all.extend(self.$n.ordered(cx, at)?);)*
                Ok(all)
            }

            fn columns(
                &self,
                cx: &Context,
                at: &'static Location<'static>,
            ) -> Result<Self::Columns, ArrayError> {
                Ok(($(self.$n.columns(cx, at)?,)*))
            }

            fn count(&self, at: &'static Location<'static>) -> Result<usize, ArrayError> {
                let all = [$(self.$n.count(at)?),*];
                match all.iter().find(|n| **n != all[0]) {
                    None => Ok(all[0]),
                    Some(other) => {
                        let problem = Problem::Shapes {
                            operation: "sort",
                            left: [all[0]].as_slice().into(),
                            right: [*other].as_slice().into(),
                        };
                        Err(ExprError { at, problem }.into())
                    }
                }
            }
        }
    };
}

tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
