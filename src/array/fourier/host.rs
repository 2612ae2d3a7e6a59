//! Transforms by the cores, with `rustfft` and `realfft`.
//!
//! Rows are shared out over the threads of the pool. Where an axis is not the last one, a few lines
//! along it are copied side by side, transformed, and copied back.

use super::super::arrays::{Array, memory_of};
use super::super::error::ArrayError;
use super::super::memory::{Contents, Word};
use super::Rows;
use crate::runtime::pool;
use realfft::RealFftPlanner;
use rustfft::{FftNum, FftPlanner};
use std::sync::{Mutex, PoisonError};
use terrace_dsl::{Complex, Element};

/// Plans for lengths that were met. Planners keep what they made.
pub(super) struct Plans<T: FftNum> {
    complex: FftPlanner<T>,
    real: RealFftPlanner<T>,
    asked: usize,
}

/// How often plans are asked for before those that are kept are given up.
const MOST: usize = 1 << 12;

impl<T: FftNum> Plans<T> {
    /// What a planner makes.
    pub fn with<R>(all: &Mutex<Option<Plans<T>>>, f: impl FnOnce(&mut Plans<T>) -> R) -> R {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        if all.as_ref().is_some_and(|p| p.asked >= MOST) {
            *all = None;
        }
        let plans = all.get_or_insert_with(|| Plans {
            complex: FftPlanner::new(),
            real: RealFftPlanner::new(),
            asked: 0,
        });
        plans.asked += 1;
        f(plans)
    }
}

/// Floats that the libraries transform.
pub(super) trait OnHost: FftNum + Word + Element {
    /// The plans of the process.
    fn plans() -> &'static Mutex<Option<Plans<Self>>>;
}

macro_rules! on_host {
    ($($t:ty)*) => {$(
        impl OnHost for $t {
            fn plans() -> &'static Mutex<Option<Plans<$t>>> {
                static PLANS: Mutex<Option<Plans<$t>>> = Mutex::new(None);
                &PLANS
            }
        }
    )*};
}

on_host!(f32 f64);

/// Elements that threads share out.
struct Shared<T>(*mut T);

// SAFETY: each thread takes other elements.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// Elements from one on.
    ///
    /// # Safety
    ///
    /// They lie in the slice, and nobody else uses them meanwhile.
    #[allow(clippy::mut_from_ref)]
    unsafe fn part(&self, from: usize, n: usize) -> &mut [T] {
        // SAFETY: by the contract.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(from), n) }
    }
}

/// Lets the elements of an array be changed.
fn changed<T: Element + Word>(
    contents: &mut Contents,
    n: usize,
    f: impl FnOnce(&mut [T]),
) -> Result<(), ArrayError> {
    contents.check()?;
    let mut found = 0;
    contents.in_place::<T>(|all| {
        found = all.len();
        if found == n {
            f(all);
        }
    });
    match found == n {
        true => Ok(()),
        false => Err(ArrayError::Device(format!(
            "a fault of terrace's own: memory of {found} elements is transformed as {n}"
        ))),
    }
}

/// How many lines are transformed together where they do not lie in one piece.
const LINES: usize = 8;

/// Transforms an array along an axis, in place.
pub(super) fn along<T: OnHost>(array: &Array<Complex<T>>, rows: Rows) -> Result<(), ArrayError>
where
    Complex<T>: Element,
{
    let plan = Plans::with(T::plans(), |p| p.complex.plan_fft_forward(rows.n));
    let Rows { outer, n, inner } = rows;
    let scratch = vec![Complex::new(T::zero(), T::zero()); plan.get_inplace_scratch_len()];
    let memory = memory_of(array.view()?)?;
    let mut contents = memory.write();
    changed::<Complex<T>>(&mut contents, rows.count(), |all| {
        if inner == 1 {
            let all = Shared(all.as_mut_ptr());
            pool::global().parallel_for(0, outer as i64, 1, &|from, to| {
                let (mut scratch, from) = (scratch.clone(), from as usize);
                // SAFETY: each thread has other rows, and all lie in the array.
                let own = unsafe { all.part(from * n, (to as usize - from) * n) };
                plan.process_with_scratch(own, &mut scratch);
            });
            return;
        }
        let blocks = inner.div_ceil(LINES);
        let all = Shared(all.as_mut_ptr());
        pool::global().parallel_for(0, (outer * blocks) as i64, 1, &|from, to| {
            let mut scratch = scratch.clone();
            let mut lines = vec![Complex::new(T::zero(), T::zero()); n * LINES];
            for block in from as usize..to as usize {
                let first = block / blocks * n * inner;
                let column = block % blocks * LINES;
                let width = LINES.min(inner - column);
                let lines = &mut lines[..n * width];
                for k in 0..n {
                    // SAFETY: each thread has other columns, and all lie in the array.
                    let row = unsafe { all.part(first + k * inner + column, width) };
                    for (line, v) in lines.chunks_exact_mut(n).zip(row) {
                        line[k] = *v;
                    }
                }
                plan.process_with_scratch(lines, &mut scratch);
                for k in 0..n {
                    // SAFETY: as above.
                    let row = unsafe { all.part(first + k * inner + column, width) };
                    for (line, v) in lines.chunks_exact(n).zip(row) {
                        *v = line[k];
                    }
                }
            }
        });
    })
}

/// Makes the rows of an array of those of another, which are lost. `scratch` is for the rows of a piece.
fn by_rows<A: Element + Word, B: Element + Word, S>(
    from: &Array<A>,
    to: &Array<B>,
    scratch: impl Fn() -> S + Sync,
    process: impl Fn(&mut [A], &mut [B], &mut S) + Sync,
) -> Result<(), ArrayError> {
    let (rows, n, m) = (from.shape()[0], from.shape()[1], to.shape()[1]);
    let memories = (memory_of(from.view()?)?, memory_of(to.view()?)?);
    let (mut first, mut second) = (memories.0.write(), memories.1.write());
    let mut inner = Ok(());
    changed::<A>(&mut first, from.len(), |a| {
        inner = changed::<B>(&mut second, to.len(), |b| {
            let (a, b) = (Shared(a.as_mut_ptr()), Shared(b.as_mut_ptr()));
            pool::global().parallel_for(0, rows as i64, 1, &|first, end| {
                let mut scratch = scratch();
                for row in first as usize..end as usize {
                    // SAFETY: each thread has other rows, and all lie in the arrays.
                    let (from, to) = unsafe { (a.part(row * n, n), b.part(row * m, m)) };
                    process(from, to, &mut scratch);
                }
            });
        });
    })?;
    inner
}

/// Transforms rows of real numbers. What they were is lost.
pub(super) fn forward<T: OnHost>(x: &Array<T>, z: &Array<Complex<T>>) -> Result<(), ArrayError>
where
    Complex<T>: Element,
{
    let plan = Plans::with(T::plans(), |p| p.real.plan_fft_forward(x.shape()[1]));
    by_rows(
        x,
        z,
        || plan.make_scratch_vec(),
        |x, z, scratch| {
            // It refuses slices of other lengths alone.
            let done = plan.process_with_scratch(x, z, scratch);
            debug_assert!(done.is_ok(), "{done:?}");
        },
    )
}

/// The inverse of it, times the length. What there was is lost.
pub(super) fn inverse<T: OnHost>(z: &Array<Complex<T>>, x: &Array<T>) -> Result<(), ArrayError>
where
    Complex<T>: Element,
{
    let plan = Plans::with(T::plans(), |p| p.real.plan_fft_inverse(x.shape()[1]));
    by_rows(
        z,
        x,
        || plan.make_scratch_vec(),
        |z, x, scratch| {
            // It refuses slices of other lengths, and parts that are not 0 where these are.
            let done = plan.process_with_scratch(z, x, scratch);
            debug_assert!(done.is_ok(), "{done:?}");
        },
    )
}
