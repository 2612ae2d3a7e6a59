//! Loops inside an expression, and functions that numbers and expressions share.

use crate::element::Element;
use crate::expr::{Expr, Operand, constant, parameter};
use crate::node::{Graph, Kind};
use crate::op::Part;
use std::ops::{Add, Div, Mul, Neg, Sub};
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tells loops apart while expressions are made; no kernel sees it.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Values that a step is done to `count` times, in a loop inside the kernel. The step is called
/// once, with what stands for the values, and says what they become. It may use other
/// expressions, and loops of its own.
///
/// ```
/// # use terrace_dsl::{Expr, View, iterate};
/// # let x = Expr::<f64>::array(View::row_major(std::sync::Arc::new(0u8), &[8]));
/// // Newton's way to the square root.
/// let [root] = iterate(20, [&x], |[r]| [0.5 * (&r + &x / &r)]);
/// ```
#[track_caller]
pub fn iterate<T: Element, S: Operand<T>, const N: usize>(
    count: u64,
    start: [S; N],
    step: impl FnOnce([Expr<T>; N]) -> [Expr<T>; N],
) -> [Expr<T>; N] {
    let recorded = Recorded::<T, N, 0>::of(|values, []| step(values));
    recorded.repeated(count, start.map(Operand::expr), [])
}

/// Values that a step is done to for each counter from `from` to the one before `to`, in a loop
/// inside the kernel. The step is called once, with what stands for the counter and the values.
/// Both ends are computed for each element; where `to` is not above `from` the values stay.
///
/// ```
/// # use terrace_dsl::{Expr, View, index, iterate_over};
/// # let x = Expr::<f64>::array(View::row_major(std::sync::Arc::new(0u8), &[8]));
/// // The sum of the elements before each one.
/// let [before] = iterate_over(0, index(0), [0.0], |k, [s]| [s + x.gather(k)]);
/// ```
#[track_caller]
pub fn iterate_over<T: Element, S: Operand<T>, const N: usize>(
    from: impl Operand<i64>,
    to: impl Operand<i64>,
    start: [S; N],
    step: impl FnOnce(Expr<i64>, [Expr<T>; N]) -> [Expr<T>; N],
) -> [Expr<T>; N] {
    looped(&from.expr(), &to.expr(), start, step)
}

#[track_caller]
fn looped<T: Element, S: Operand<T>, const N: usize>(
    from: &Expr<i64>,
    to: &Expr<i64>,
    start: [S; N],
    step: impl FnOnce(Expr<i64>, [Expr<T>; N]) -> [Expr<T>; N],
) -> [Expr<T>; N] {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let next = step(Expr::leaf(|_| Kind::Counter(id), None), symbols(id, 0));
    around::<T, N>(id, [from, to], start.map(Operand::expr).as_slice(), &next)
}

/// What stands for the values that a loop hands on, from one on.
#[track_caller]
fn symbols<T: Element, const N: usize>(id: u64, from: usize) -> [Expr<T>; N] {
    // A loop hands on numbers, of which a complex one has two.
    let number = |k: usize, p: Part| (from + k) * T::TYPE.parts() + p.place();
    std::array::from_fn(|k| Expr::leaf(|p| Kind::Carried(id, number(k, p)), None))
}

/// The values behind a loop, the first `N` of those that it hands on.
#[track_caller]
fn around<T: Element, const N: usize>(
    id: u64,
    [from, to]: [&Expr<i64>; 2],
    start: &[Expr<T>],
    next: &[Expr<T>],
) -> [Expr<T>; N] {
    let at = Location::caller();
    let (parts, ty) = (T::TYPE.parts(), T::TYPE.part().unwrap_or(T::TYPE));
    let all: Vec<Graph> = [from.graph().clone(), to.graph().clone()]
        .into_iter()
        .chain(start.iter().flat_map(|e| e.graph().parts()))
        .chain(next.iter().flat_map(|e| e.graph().parts()))
        .collect();
    let looped = Graph::operation(Kind::Loop(id), ty, "iterate", &all, at);
    let result = |k: usize| {
        let of = std::slice::from_ref(&looped);
        Graph::operation(Kind::Result(k), ty, "iterate", of, at)
    };
    std::array::from_fn(|k| {
        Expr::of(match parts {
            1 => result(k),
            _ => Graph::complex([result(2 * k), result(2 * k + 1)], at),
        })
    })
}

/// A step that was recorded: what becomes of `N` values, where there are `M` others that stay.
#[derive(Debug, Clone)]
pub struct Recorded<T, const N: usize, const M: usize> {
    id: u64,
    /// What all become; those that stay stand for themselves.
    next: Vec<Expr<T>>,
}

impl<T: Element, const N: usize, const M: usize> Recorded<T, N, M> {
    /// Calls a step once, with what stands for the values.
    #[track_caller]
    pub fn of(step: impl FnOnce([Expr<T>; N], [Expr<T>; M]) -> [Expr<T>; N]) -> Self {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let stay: [Expr<T>; M] = symbols(id, N);
        let next = step(symbols(id, 0), stay.clone());
        Recorded {
            id,
            next: next.into_iter().chain(stay).collect(),
        }
    }

    /// What the values become in so many steps, in a loop inside the kernel.
    #[track_caller]
    pub fn repeated(&self, count: u64, start: [Expr<T>; N], stay: [Expr<T>; M]) -> [Expr<T>; N] {
        let to = parameter(i64::try_from(count).unwrap_or(i64::MAX));
        let start: Vec<Expr<T>> = start.into_iter().chain(stay).collect();
        around(self.id, [&constant(0), &to], &start, &self.next)
    }

    /// What becomes of the values.
    pub fn next(&self) -> &[Expr<T>] {
        &self.next[..N]
    }
}

/// Numbers to compute with that are `f32` or `f64`, or expressions of them: a function of such is
/// tried with numbers, and runs on arrays as a kernel.
///
/// ```
/// use terrace_dsl::{Expr, Real};
/// fn logistic<R: Real>(x: R, r: R) -> R {
///     r * x.clone() * (R::number(1.0) - x)
/// }
/// assert_eq!(logistic(0.5, 4.0), 1.0);
/// let symbolic: fn(Expr<f64>, Expr<f64>) -> Expr<f64> = logistic;
/// ```
pub trait Real:
    Clone
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// A number; in an expression a [`constant`].
    fn number(v: f64) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// e to the power of it.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The sine.
    fn sin(self) -> Self;
    /// The cosine.
    fn cos(self) -> Self;
    /// The magnitude.
    fn abs(self) -> Self;
    /// `yes` where it is less than the other, else `no`.
    fn less_then(self, other: Self, yes: Self, no: Self) -> Self;
}

macro_rules! real {
    ($($t:ty)*) => {$(
        impl Real for $t {
            fn number(v: f64) -> Self {
                v as $t
            }
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            fn exp(self) -> Self {
                <$t>::exp(self)
            }
            fn ln(self) -> Self {
                <$t>::ln(self)
            }
            fn sin(self) -> Self {
                <$t>::sin(self)
            }
            fn cos(self) -> Self {
                <$t>::cos(self)
            }
            fn abs(self) -> Self {
                <$t>::abs(self)
            }
            fn less_then(self, other: Self, yes: Self, no: Self) -> Self {
                if self < other { yes } else { no }
            }
        }

        impl Real for Expr<$t> {
            fn number(v: f64) -> Self {
                constant(v as $t)
            }
            fn sqrt(self) -> Self {
                <Expr<$t>>::sqrt(&self)
            }
            fn exp(self) -> Self {
                <Expr<$t>>::exp(&self)
            }
            fn ln(self) -> Self {
                <Expr<$t>>::ln(&self)
            }
            fn sin(self) -> Self {
                <Expr<$t>>::sin(&self)
            }
            fn cos(self) -> Self {
                <Expr<$t>>::cos(&self)
            }
            fn abs(self) -> Self {
                <Expr<$t>>::abs(&self)
            }
            fn less_then(self, other: Self, yes: Self, no: Self) -> Self {
                self.lt(other).select(yes, no)
            }
        }
    )*};
}

real!(f32 f64);
