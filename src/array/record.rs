//! Steps of algorithms, recorded once and run inside of kernels.
//!
//! ```
//! use terrace::array::{Context, Real};
//!
//! fn decay<R: Real>([x]: [R; 1], [rate]: [R; 1]) -> [R; 1] {
//!     [x.clone() - R::number(0.5) * rate * x]
//! }
//! let cx = Context::cpu();
//! let (x, rate) = (cx.vector(&[1.0, 1.0])?, cx.vector(&[1.0, 0.5])?);
//! let step = cx.record(decay)?;
//! step.repeat(2).run([&x], [&rate])?;                // one kernel, with the loop in it
//! assert_eq!(x.to_vec()?, [0.25, 0.5625]);
//! assert_eq!(decay([1.0], [0.5]), [0.75]);           // the same function of numbers
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```

use super::arrays::Array;
use super::context::Context;
use super::error::ArrayError;
use terrace_dsl::{Element, Expr, Operand, Recorded};

/// A step of an algorithm: what becomes of `N` values, where there are `M` others that stay.
#[derive(Debug, Clone)]
pub struct Step<T, const N: usize, const M: usize> {
    context: Context,
    recorded: Recorded<T, N, M>,
}

/// A step and how often it is done.
#[derive(Debug, Clone, Copy)]
pub struct Repeated<'s, T, const N: usize, const M: usize> {
    step: &'s Step<T, N, M>,
    count: u64,
}

impl Context {
    /// Records a step. It is called once, with what stands for the values that it changes and for
    /// those that stay. Its loops are unrolled, but for those of [`terrace_dsl::iterate`]. Its
    /// branches are [`Expr::select`], or [`terrace_dsl::Real::less_then`] where it is called with
    /// numbers too.
    ///
    /// # Errors
    ///
    /// What is wrong with what the values become, with its line.
    #[track_caller]
    pub fn record<T: Element, const N: usize, const M: usize>(
        &self,
        step: impl FnOnce([Expr<T>; N], [Expr<T>; M]) -> [Expr<T>; N],
    ) -> Result<Step<T, N, M>, ArrayError> {
        let recorded = Recorded::of(step);
        for e in recorded.next() {
            e.graph().node()?;
        }
        Ok(Step {
            context: self.clone(),
            recorded,
        })
    }
}

impl<T: Element, const N: usize, const M: usize> Step<T, N, M> {
    /// The step so many times. Another number is the same kernel.
    pub fn repeat(&self, count: u64) -> Repeated<'_, T, N, M> {
        Repeated { step: self, count }
    }
}

impl<T: Element, const N: usize, const M: usize> Repeated<'_, T, N, M> {
    /// Does the steps with the elements of arrays, each by itself, in one kernel. `values` are
    /// changed, and `stay` are arrays, expressions or numbers.
    ///
    /// # Errors
    ///
    /// As [`Context::assign`].
    #[track_caller]
    pub fn run<S: Operand<T>>(
        &self,
        values: [&Array<T>; N],
        stay: [S; M],
    ) -> Result<(), ArrayError> {
        let start = values.map(|a| a.expr());
        let stay = stay.map(Operand::expr);
        let results = self.step.recorded.repeated(self.count, start, stay);
        let all = values.iter().zip(results).map(|(a, e)| a.to(e));
        self.step.context.assign(all.collect::<Vec<_>>())
    }
}
