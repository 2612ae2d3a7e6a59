//! Fourier transforms.
//!
//! ```
//! # use terrace::array::{Complex, Context, fft, ifft};
//! # let cx = Context::cpu();
//! let rhs = cx.vector(&[1.0, -2.0, 3.0, -2.0])?;
//! let k = cx.vector(&[0.0, 1.0, 0.5, 1.0])?;
//! let u = cx.zeros::<Complex<f64>>(&[4])?;
//! u.set(ifft(&k * fft(&rhs)))?;
//! assert!((u.to_vec()?[2] - Complex::new(2.0, 0.0)).norm() < 1e-15);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! A transform stands in an expression as an array that is computed before the kernel which reads it
//! ([`super::apart`]). What is transformed is computed by a kernel of its own, into the memory in
//! which the transform goes on. All are on one device.
//!
//! The cores transform by `rustfft` and `realfft` (`host`), where the feature `fft` is on, and a GPU by
//! cuFFT, where that is found and `TERRACE_CUFFT=1` asks for it. Else both do by kernels: `passes` for lengths of small factors, `chirp` for the others,
//! and `real` makes transforms of real numbers of half as many complex ones. The inverse is the
//! transform of numbers whose parts have changed places.

mod chirp;
mod factors;
#[cfg(feature = "fft")]
mod host;
mod passes;
mod real;

pub(super) use factors::Kept;

use super::apart::made_apart;
use super::arrays::{Array, memory_of};
use super::columns::Columns;
use super::error::ArrayError;
use crate::runtime::device::fourier::Transform;
use std::panic::Location;
use terrace_dsl::{
    Complex, ComplexPart, ElementType, Expr, ExprError, Operand, Problem, complex, constant,
    parameter, parts,
};

/// Complex numbers whose parts are of a type.
type Of<T> = <T as ComplexPart>::Complex;

/// What can be transformed: arrays and expressions of `f32`, `f64` and complex numbers of them.
pub trait Signal {
    /// The type of the parts.
    type Part: FourierPart;

    /// It as complex numbers.
    #[doc(hidden)]
    fn signal(self) -> Expr<Of<Self::Part>>;
}

/// What transforms are made for: `f32` and `f64`.
pub trait FourierPart: ComplexPart {
    /// Transforms along an axis by the cores, in place.
    #[cfg(feature = "fft")]
    #[doc(hidden)]
    fn along_on_host(array: &Array<Self::Complex>, rows: Rows) -> Result<(), ArrayError>;

    /// Transforms rows by the cores.
    #[cfg(feature = "fft")]
    #[doc(hidden)]
    fn forward_on_host(x: &Array<Self>, z: &Array<Self::Complex>) -> Result<(), ArrayError>;

    /// The inverse of that, times the length.
    #[cfg(feature = "fft")]
    #[doc(hidden)]
    fn inverse_on_host(z: &Array<Self::Complex>, x: &Array<Self>) -> Result<(), ArrayError>;
}

macro_rules! fourier {
    ($($t:ty)*) => {$(
        impl FourierPart for $t {
            #[cfg(feature = "fft")]
            fn along_on_host(array: &Array<Complex<$t>>, rows: Rows) -> Result<(), ArrayError> {
                host::along(array, rows)
            }

            #[cfg(feature = "fft")]
            fn forward_on_host(x: &Array<$t>, z: &Array<Complex<$t>>) -> Result<(), ArrayError> {
                host::forward(x, z)
            }

            #[cfg(feature = "fft")]
            fn inverse_on_host(z: &Array<Complex<$t>>, x: &Array<$t>) -> Result<(), ArrayError> {
                host::inverse(z, x)
            }
        }
    )*};
}

fourier!(f32 f64);

macro_rules! signals {
    ($($part:ty, $of:ident;)*) => {$(
        signals!(@ $part, $of<$part>, |e| complex(e, constant(0.0)));
        signals!(@ $part, &$of<$part>, |e| complex(e, constant(0.0)));
        signals!(@ $part, $of<Complex<$part>>, |e| e);
        signals!(@ $part, &$of<Complex<$part>>, |e| e);
    )*};
    (@ $part:ty, $of:ty, $f:expr) => {
        impl Signal for $of {
            type Part = $part;

            fn signal(self) -> Expr<Complex<$part>> {
                let made: fn(_) -> Expr<Complex<$part>> = $f;
                made(Operand::expr(self))
            }
        }
    };
}

signals! {
    f32, Array;
    f32, Expr;
    f64, Array;
    f64, Expr;
}

/// The transform along all axes: element `k` of an axis of `n` is the sum of elements `j` times
/// `exp(-2 pi i j k / n)`.
#[track_caller]
pub fn fft<S: Signal>(of: S) -> Expr<Of<S::Part>> {
    transform::<S::Part>(&of.signal(), None)
}

/// The transform along some axes, in this order.
#[track_caller]
pub fn fft_along<S: Signal>(of: S, axes: &[usize]) -> Expr<Of<S::Part>> {
    transform::<S::Part>(&of.signal(), Some(axes))
}

/// The inverse of [`fft`].
#[track_caller]
pub fn ifft<S: Signal>(of: S) -> Expr<Of<S::Part>> {
    inverse::<S::Part>(&of.signal(), None)
}

/// The inverse of [`fft_along`].
#[track_caller]
pub fn ifft_along<S: Signal>(of: S, axes: &[usize]) -> Expr<Of<S::Part>> {
    inverse::<S::Part>(&of.signal(), Some(axes))
}

/// The transform of real numbers along all axes. Of the last axis it has the elements up to the one
/// in the middle, `n / 2 + 1` of them: the others are the conjugates of those.
#[track_caller]
pub fn rfft<T: FourierPart>(of: impl Operand<T>) -> Expr<T::Complex> {
    real::transform(&of.expr(), None)
}

/// The same along some axes. The last one of them gets shorter.
#[track_caller]
pub fn rfft_along<T: FourierPart>(of: impl Operand<T>, axes: &[usize]) -> Expr<T::Complex> {
    real::transform(&of.expr(), Some(axes))
}

/// The inverse of [`rfft`], of which `n` is the size of the last axis. The imaginary parts of its
/// first element and the one in the middle are taken for 0.
#[track_caller]
pub fn irfft<S: Signal>(of: S, n: usize) -> Expr<S::Part> {
    real::inverse(&of.signal(), n, None)
}

/// The inverse of [`rfft_along`], of which `n` is the size of the last one of the axes.
#[track_caller]
pub fn irfft_along<S: Signal>(of: S, n: usize, axes: &[usize]) -> Expr<S::Part> {
    real::inverse(&of.signal(), n, Some(axes))
}

/// The sizes of what is transformed, and the axes along which it is.
///
/// # Errors
///
/// It is wrong, or has no such axis or none at all.
fn shape<T>(
    e: &Expr<T>,
    axes: Option<&[usize]>,
    at: &'static Location<'static>,
) -> Result<(Vec<usize>, Vec<usize>), ExprError>
where
    T: terrace_dsl::Element,
{
    let fail = |problem| Err(ExprError { at, problem });
    let Some(sizes) = e.sizes()? else {
        return fail(Problem::NoArray { operation: "fft" });
    };
    let axes = match axes {
        Some(axes) => axes.to_vec(),
        None => (0..sizes.len()).collect(),
    };
    let there = |axis: &&usize| **axis >= sizes.len();
    match axes.iter().find(there) {
        Some(axis) => fail(Problem::Axis {
            axis: *axis,
            sizes: sizes.into(),
        }),
        None => Ok((sizes.to_vec(), axes)),
    }
}

#[track_caller]
fn transform<T: FourierPart>(of: &Expr<T::Complex>, axes: Option<&[usize]>) -> Expr<T::Complex> {
    let (sizes, axes) = match shape(of, axes, Location::caller()) {
        Ok(all) => all,
        Err(e) => return Expr::poison(e),
    };
    let of = of.clone();
    made_apart(&sizes.clone(), move |cx| {
        let array = cx.zeros::<T::Complex>(&sizes)?;
        array.set(&of)?;
        let array = array.moved(cx.alone())?;
        for axis in &axes {
            along::<T>(&array, *axis)?;
        }
        memory_of(array.moved(cx)?.view()?)
    })
}

#[track_caller]
fn inverse<T: FourierPart>(of: &Expr<T::Complex>, axes: Option<&[usize]>) -> Expr<T::Complex> {
    let scale = match shape(of, axes, Location::caller()) {
        Ok((sizes, axes)) => axes.iter().map(|a| sizes[*a] as f64).product::<f64>(),
        Err(e) => return Expr::poison(e),
    };
    let turned = scaled::<T, _>(&turned::<T>(of), 1.0 / scale);
    self::turned::<T>(&transform::<T>(&turned, axes))
}

/// Numbers whose parts have changed places: `i` times the conjugates.
#[track_caller]
fn turned<T: ComplexPart>(of: &Expr<T::Complex>) -> Expr<T::Complex> {
    let [re, im] = parts::<T>(of);
    complex(im, re)
}

/// Complex numbers times a number.
#[track_caller]
fn scaled<T: ComplexPart<Complex = C>, C>(of: &Expr<C>, by: f64) -> Expr<C> {
    let [re, im] = parts::<T>(of);
    complex(re * parameter(T::near(by)), im * parameter(T::near(by)))
}

/// Transforms an array along an axis, in place. Its elements lie in row-major order, on one device.
///
/// # Errors
///
/// Memory is short, or what the compiler or the device say.
fn along<T: FourierPart>(array: &Array<T::Complex>, axis: usize) -> Result<(), ArrayError> {
    let rows = Rows::of(array.shape(), axis);
    if rows.n < 2 || rows.outer * rows.inner == 0 {
        return Ok(());
    }
    #[cfg(feature = "fft")]
    if array.context().first_is_host() {
        return T::along_on_host(array, rows);
    }
    if by_vendor::<T>(array, rows)? {
        return Ok(());
    }
    match passes::radices(rows.n) {
        Some(radices) => passes::along::<T>(array, rows, &radices),
        None => chirp::along::<T>(array, rows),
    }
}

/// Transforms an array along an axis by the library of the device's vendor. False where there is none.
fn by_vendor<T: FourierPart>(array: &Array<T::Complex>, rows: Rows) -> Result<bool, ArrayError> {
    let memory = memory_of(array.view()?)?;
    let contents = memory.write();
    contents.check()?;
    let Some((device, ptr)) = contents.on_device() else {
        return Ok(false);
    };
    let shape = Transform {
        outer: rows.outer,
        n: rows.n,
        inner: rows.inner,
        double: T::TYPE == ElementType::F64,
    };
    Ok(device.transform(ptr, shape)?)
}

/// An axis among the others: those outside of it, and those inside.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    outer: usize,
    n: usize,
    inner: usize,
}

impl Rows {
    fn of(sizes: &[usize], axis: usize) -> Rows {
        Rows {
            outer: sizes[..axis].iter().product(),
            n: sizes[axis],
            inner: sizes[axis + 1..].iter().product(),
        }
    }

    /// All elements.
    fn count(self) -> usize {
        self.outer * self.n * self.inner
    }
}
