//! Arrays.

use super::assign::Assignment;
use super::context::Context;
use super::error::ArrayError;
use super::memory::Memory;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;
use terrace_dsl::program::Assigned;
use terrace_dsl::{Element, Expr, ExprError, Operand, View};

/// Elements on the device of a context, or a part of those of another array.
///
/// It stands in expressions as its elements, and has all their methods. Clones and parts share
/// its memory: they see what is written through any of them. An expression reads an array when it
/// is computed, not when it is written down.
pub struct Array<T> {
    context: Context,
    /// Where the elements are, or why there are none.
    view: Result<View, ExprError>,
    elements: Expr<T>,
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        Array {
            context: self.context.clone(),
            view: self.view.clone(),
            elements: self.elements.clone(),
        }
    }
}

impl<T> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut s = f.debug_struct("Array");
        match &self.view {
            Ok(v) => s.field("sizes", &v.sizes).field("strides", &v.strides),
            Err(e) => s.field("error", e),
        };
        s.finish_non_exhaustive()
    }
}

impl<T> Deref for Array<T> {
    type Target = Expr<T>;

    fn deref(&self) -> &Expr<T> {
        &self.elements
    }
}

impl<T> Operand<T> for &Array<T> {
    fn expr(self) -> Expr<T> {
        self.elements.clone()
    }
}

impl<T> Operand<T> for Array<T> {
    fn expr(self) -> Expr<T> {
        self.elements.clone()
    }
}

terrace_dsl::operators_of!(Array);

impl<T: Element> Array<T> {
    #[track_caller]
    pub(super) fn new(context: &Context, view: View) -> Array<T> {
        Array {
            context: context.clone(),
            elements: Expr::array(view.clone()),
            view: Ok(view),
        }
    }

    pub(super) fn poison(context: &Context, error: ExprError) -> Array<T> {
        Array {
            context: context.clone(),
            view: Err(error.clone()),
            elements: Expr::poison(error),
        }
    }

    pub(super) fn view(&self) -> Result<&View, ExprError> {
        self.view.as_ref().map_err(Clone::clone)
    }

    /// The context that it is in.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The address of its first element where the only device is the cores of the host; none of an
    /// array that there is not. It tells whether elements were copied.
    pub fn host_address(&self) -> Option<usize> {
        let view = self.view().ok()?;
        let memory = memory_of(view).ok()?;
        let alone = self.context.count() == 1 && self.context.first_is_host();
        let contents = memory.read();
        let first = view.offset * T::TYPE.size();
        (alone && contents.check().is_ok()).then(|| contents.address(0) as usize + first)
    }

    /// The number of elements along each axis, the outermost first; none of a part that there is
    /// not.
    pub fn shape(&self) -> &[usize] {
        self.view.as_ref().map_or(&[], |v| &v.sizes)
    }

    /// The number of elements; 0 of a part that there is not.
    pub fn len(&self) -> usize {
        self.view.as_ref().map_or(0, View::count)
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Computes an expression for all elements, in one kernel. The expression is a number, or has
    /// the shape of the array, which it may read: it sees what the array held before.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression, with its line; or what the compiler or the device say.
    #[track_caller]
    pub fn set(&self, value: impl Operand<T>) -> Result<(), ArrayError> {
        self.context.assign((self.to(value),))
    }

    /// The same as [`Array::set`], to be done by [`Context::assign`] together with others.
    #[track_caller]
    pub fn to(&self, value: impl Operand<T>) -> Assignment {
        let graph = value.expr().graph().clone();
        let at = Location::caller();
        Assignment(self.view.clone().map(|target| Assigned {
            target,
            ty: T::TYPE,
            graph,
            place: None,
            at,
        }))
    }

    /// A copy of its elements, in row-major order.
    ///
    /// # Errors
    ///
    /// There is no such part, or the kernel that was to compute it failed.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>, ArrayError> {
        let view = self.view()?;
        if !view.is_contiguous() {
            let copy = self.context.zeros::<T>(&view.sizes)?;
            copy.set(self)?;
            return copy.to_vec();
        }
        let (count, size) = (view.count(), T::TYPE.size());
        let mut bytes = vec![0u8; count * size];
        let memory = memory_of(view)?;
        memory.read().copy_out(view.offset * size, &mut bytes)?;
        Ok(from_bytes(&bytes))
    }

    /// Takes over elements from the host, in row-major order.
    ///
    /// # Errors
    ///
    /// The slice has not as many elements, or there is no such part.
    #[track_caller]
    pub fn copy_from(&self, host: &[T]) -> Result<(), ArrayError> {
        let view = self.view()?;
        if host.len() != view.count() {
            return Err(ArrayError::Length {
                slice: host.len(),
                sizes: view.sizes.to_vec(),
            });
        }
        if !view.is_contiguous() {
            let copy = self.context.array(&view.sizes, host)?;
            return self.set(&copy);
        }
        let (size, bytes) = (T::TYPE.size(), to_bytes(host));
        let memory = memory_of(view)?;
        let mut contents = memory.write();
        contents.copy_in(view.offset * size, &bytes)?;
        if bytes.len() == memory.bytes() {
            contents.lost = None;
        }
        Ok(())
    }

    /// Makes all elements equal.
    ///
    /// # Errors
    ///
    /// As [`Array::set`].
    #[track_caller]
    pub fn fill(&self, value: T) -> Result<(), ArrayError> {
        self.set(value)
    }
}

/// The elements of these bytes. Sizes are known in each loop, so that it is a copy.
fn from_bytes<T: Element>(bytes: &[u8]) -> Vec<T> {
    fn all<T: Element, const N: usize>(bytes: &[u8], f: fn([u8; N]) -> u128) -> Vec<T> {
        let (chunks, _) = bytes.as_chunks::<N>();
        chunks.iter().map(|c| T::from_bits(f(*c))).collect()
    }
    match T::TYPE.size() {
        16 => all::<T, 16>(bytes, u128::from_le_bytes),
        8 => all::<T, 8>(bytes, |b| u64::from_le_bytes(b).into()),
        4 => all::<T, 4>(bytes, |b| u32::from_le_bytes(b).into()),
        2 => all::<T, 2>(bytes, |b| u16::from_le_bytes(b).into()),
        _ => all::<T, 1>(bytes, |b| b[0].into()),
    }
}

/// The bytes of these elements.
fn to_bytes<T: Element>(host: &[T]) -> Vec<u8> {
    fn all<T: Element, const N: usize>(host: &[T], f: fn(u128) -> [u8; N]) -> Vec<u8> {
        let chunks: Vec<[u8; N]> = host.iter().map(|v| f(v.to_bits())).collect();
        chunks.into_flattened()
    }
    match T::TYPE.size() {
        16 => all(host, u128::to_le_bytes),
        8 => all(host, |v| (v as u64).to_le_bytes()),
        4 => all(host, |v| (v as u32).to_le_bytes()),
        2 => all(host, |v| (v as u16).to_le_bytes()),
        _ => all(host, |v| [v as u8]),
    }
}

/// The memory that a view lies in.
///
/// # Errors
///
/// It is none of a context's.
pub(super) fn memory_of(view: &View) -> Result<Arc<Memory>, ArrayError> {
    let source: Arc<dyn Any + Send + Sync> = Arc::clone(&view.source);
    source
        .downcast::<Memory>()
        .map_err(|_| ArrayError::Device("an array in the expression is of no context".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_others_are_refused() {
        let cx = Context::cpu();
        let x = cx.vector(&[1.0f64]).unwrap();
        let other = Expr::<f64>::array(View::row_major(Arc::new(0u8), &[1]));
        let said = x.set(&x + other).unwrap_err().to_string();
        assert_eq!(said, "an array in the expression is of no context");
    }
}
