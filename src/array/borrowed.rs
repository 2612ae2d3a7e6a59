//! Elements of the host as arrays, for the time of a call.
//!
//! ```
//! # use terrace::array::{Context, sum};
//! # let cx = Context::cpu();
//! let (x, mut y) = (vec![1.0, 2.0, 3.0], [0.0; 3]);
//! cx.with_view(&x[..], |x| cx.with_view_mut(&mut y[..], |y| y.set(2.0 * x)))?;
//! assert_eq!(y, [2.0, 4.0, 6.0]);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! The cores use the elements where they are. Other devices get a copy, and what may be written is
//! copied back. An array that outlives the call holds nothing.

use super::arrays::Array;
use super::context::Context;
use super::error::ArrayError;
use super::memory::{May, Memory};
use std::sync::Arc;
use terrace_dsl::node::Strides;
use terrace_dsl::{Element, View};

/// Elements of the host that are borrowed: slices, and views of `ndarray` with the feature of that
/// name.
///
/// # Safety
///
/// `first` is the address of the first element. While the value is there, the element that is the
/// sum of `i[k] * strides[k]` elements further on is there for all `i` below `sizes`. Nobody writes
/// to these elements.
pub unsafe trait HostView {
    /// The type of the elements.
    type Element: Element;

    /// The address of the first element.
    fn first(&self) -> *const Self::Element;

    /// The number of elements along each axis.
    fn sizes(&self) -> Vec<usize>;

    /// The distances between neighbours along each axis, in elements.
    fn strides(&self) -> Vec<isize>;
}

/// Elements that are borrowed to be written.
///
/// # Safety
///
/// As [`HostView`], and nobody else reads or writes these elements. Each lies in a place of its own.
pub unsafe trait HostViewMut: HostView {}

macro_rules! slices {
    ($($of:ty)*) => {$(
        // SAFETY: a slice is its elements side by side.
        unsafe impl<T: Element> HostView for $of {
            type Element = T;

            fn first(&self) -> *const T {
                self.as_ptr()
            }

            fn sizes(&self) -> Vec<usize> {
                vec![self.len()]
            }

            fn strides(&self) -> Vec<isize> {
                vec![1]
            }
        }
    )*};
}

slices!(&[T] &mut [T]);

// SAFETY: it is borrowed from everybody else.
unsafe impl<T: Element> HostViewMut for &mut [T] {}

#[cfg(feature = "ndarray")]
mod of_ndarray {
    use super::{Element, HostView, HostViewMut};
    use ndarray::{ArrayView, ArrayViewMut, Dimension};

    macro_rules! views {
        ($($of:ident)*) => {$(
            // SAFETY: that is what a view is.
            unsafe impl<T: Element, D: Dimension> HostView for $of<'_, T, D> {
                type Element = T;

                fn first(&self) -> *const T {
                    self.as_ptr()
                }

                fn sizes(&self) -> Vec<usize> {
                    self.shape().to_vec()
                }

                fn strides(&self) -> Vec<isize> {
                    $of::strides(self).to_vec()
                }
            }
        )*};
    }

    views!(ArrayView ArrayViewMut);

    // SAFETY: it is borrowed from everybody else, and its elements have places of their own.
    unsafe impl<T: Element, D: Dimension> HostViewMut for ArrayViewMut<'_, T, D> {}
}

/// Gives memory back, also where a panic goes by.
struct Until(Arc<Memory>);

impl Drop for Until {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

/// The distances of all elements from the first one, in row-major order.
fn places(sizes: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut all = vec![0];
    for (n, s) in sizes.iter().zip(strides) {
        let along = |p: isize| (0..*n as isize).map(move |i| p + i * s);
        all = all.into_iter().flat_map(along).collect();
    }
    all
}

impl Context {
    /// Calls a function with elements of the host as an array, which can be read. The cores read
    /// them where they are.
    ///
    /// # Errors
    ///
    /// What the function returns, memory is short, or what a device says of the copy.
    #[track_caller]
    pub fn with_view<H: HostView, R>(
        &self,
        host: H,
        f: impl FnOnce(&Array<H::Element>) -> Result<R, ArrayError>,
    ) -> Result<R, ArrayError> {
        match self.in_place(&host, May::Read) {
            Some((_until, array)) => f(&array),
            None => f(&self.copied(&host)?),
        }
    }

    /// Calls a function with elements of the host as an array, which can be written. The cores
    /// write them where they are. From another device they are copied back when the function
    /// returns, whatever it returns.
    ///
    /// # Errors
    ///
    /// What the function returns, memory is short, or what a device says of the copies.
    #[track_caller]
    pub fn with_view_mut<H: HostViewMut, R>(
        &self,
        host: H,
        f: impl FnOnce(&Array<H::Element>) -> Result<R, ArrayError>,
    ) -> Result<R, ArrayError> {
        if let Some((_until, array)) = self.in_place(&host, May::Write) {
            return f(&array);
        }
        let array = self.copied(&host)?;
        let result = f(&array);
        let elements = match array.to_vec() {
            Ok(elements) => elements,
            Err(e) => return result.and(Err(e)),
        };
        let first = host.first().cast_mut();
        let all = places(&host.sizes(), &host.strides()).into_iter();
        for (place, element) in all.zip(elements) {
            // SAFETY: the elements are there, and nobody else uses them.
            unsafe { *first.offset(place) = element };
        }
        result
    }

    /// Elements where they are, where those are the only device's.
    #[track_caller]
    fn in_place<H: HostView>(&self, host: &H, may: May) -> Option<(Until, Array<H::Element>)> {
        if self.count() != 1 || !self.first_is_host() {
            return None;
        }
        let (sizes, strides) = (host.sizes(), host.strides());
        let (mut low, mut high) = (0, 0);
        let empty = sizes.contains(&0);
        for (n, s) in sizes.iter().zip(&strides).filter(|_| !empty) {
            let reach = (*n as isize - 1) * s;
            low += reach.min(0);
            high += reach.max(0);
        }
        let size = H::Element::TYPE.size();
        let count = if empty { 0 } else { (high - low) as usize + 1 };
        // SAFETY: of the elements that are there the first in memory is that far before.
        let at = unsafe { host.first().offset(low) }.cast::<u8>().cast_mut();
        // SAFETY: who calls has the elements until the memory is given back, which is when `Until`
        // is dropped. The view has those elements alone.
        let memory = unsafe { Memory::borrowed(self.id(), at, count * size, may) };
        let memory = Arc::new(memory);
        let view = View {
            source: Arc::clone(&memory) as _,
            offset: low.unsigned_abs(),
            sizes: sizes.as_slice().into(),
            strides: Strides::from_slice(&strides),
        };
        Some((Until(memory), Array::new(self, view)))
    }

    /// A copy of elements.
    #[track_caller]
    fn copied<H: HostView>(&self, host: &H) -> Result<Array<H::Element>, ArrayError> {
        let (sizes, first) = (host.sizes(), host.first());
        let all = places(&sizes, &host.strides()).into_iter();
        // SAFETY: the elements are there.
        let elements: Vec<_> = all.map(|p| unsafe { *first.offset(p) }).collect();
        self.array(&sizes, &elements)
    }
}
