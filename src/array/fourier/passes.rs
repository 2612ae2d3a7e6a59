//! Transforms of lengths that are products of small numbers, by passes over all elements.
//!
//! Each pass is one kernel. A thread reads `r` elements that lie far apart, transforms those, and
//! writes them where the next pass finds them: elements come out in order, and no pass puts them
//! there. What is read lies side by side for threads that do. This is Stockham's way, as in N. K.
//! Govindaraju, B. Lloyd, Y. Dotsenko, B. Smith and J. Manferdelli, "High performance discrete
//! Fourier transforms on graphics processors", SC 2008.

use super::super::arrays::Array;
use super::super::assign::Assignment;
use super::super::error::ArrayError;
use super::factors::{root, roots};
use super::{FourierPart, Rows};
use terrace_dsl::{Bits, ComplexPart, Expr, Integer, complex, constant, index, parameter, parts};

/// The radices of passes that transform `n` elements; none where a factor is too large.
pub(super) fn radices(n: usize) -> Option<Vec<usize>> {
    let (mut rest, mut all) = (n, Vec::new());
    for r in [8, 4, 2, 7, 5, 3] {
        while rest > 1 && rest.is_multiple_of(r) {
            rest /= r;
            all.push(r);
        }
    }
    (rest == 1).then_some(all)
}

/// Transforms an array along an axis, in place.
pub(super) fn along<T: FourierPart>(
    array: &Array<T::Complex>,
    rows: Rows,
    radices: &[usize],
) -> Result<(), ArrayError> {
    let cx = array.context();
    let sizes = array.shape();
    let (mut from, mut to) = (array.clone(), cx.zeros::<T::Complex>(sizes)?);
    let roots = roots::<T>(cx, rows.n)?;
    let mut done = 1;
    for r in radices {
        let pass = Pass {
            rows,
            radix: *r,
            done,
        };
        match u32::try_from(rows.count()) {
            // Numbers of 32 bits cost a device half of what those of 64 do.
            Ok(_) => pass.run::<T, u32>(&from, &to, &roots)?,
            Err(_) => pass.run::<T, u64>(&from, &to, &roots)?,
        }
        std::mem::swap(&mut from, &mut to);
        done *= r;
    }
    match radices.len() % 2 {
        0 => Ok(()),
        _ => array.set(&from),
    }
}

/// A pass, which follows others.
struct Pass {
    rows: Rows,
    radix: usize,
    /// The product of the radices before.
    done: usize,
}

/// A complex number in parts.
type Z<T> = [Expr<T>; 2];

impl Pass {
    /// All of it, with places that are numbers of type `I`.
    fn run<T: FourierPart, I: Integer + Bits>(
        &self,
        from: &Array<T::Complex>,
        to: &Array<T::Complex>,
        roots: &Array<T::Complex>,
    ) -> Result<(), ArrayError> {
        let Rows { outer, n, inner } = self.rows;
        let (r, share) = (self.radix, n / self.radix * inner);
        let number = |v: usize| parameter(I::from_bits(v as u128));
        // What is far apart along the axis is so in memory too, all axes inside of it included.
        let (from, own) = match outer {
            1 => (from.reshaped(&[r, share]), index(0)),
            _ => (from.reshaped(&[outer, r, share]), index(1)),
        };
        let axis = from.shape().len() - 2;
        let own: Expr<I> = own.cast();
        let block = self.done * inner;
        // Where it is in the block that passes so far have transformed, and where that begins.
        let within = remainder(&own, block);
        let first = (&own - &within) * number(r) + &within;
        let first = match outer {
            1 => first,
            _ => first + index(0).cast::<I>() * number(n * inner),
        };
        let turn = quotient(&within, inner) * number(n / (self.done * r));
        let read = |k: usize| -> Z<T> {
            let z = parts::<T>(&from.index_axis(axis, k));
            match (self.done, k) {
                (1, _) | (_, 0) => z,
                _ => {
                    let at = (&turn * number(k)).cast::<i64>();
                    // SAFETY: `within / inner` is below `done`, and `k` is below `r`, so the place
                    // is below `n`, which is how many roots there are.
                    times(z, &parts::<T>(&unsafe { roots.gather_unchecked(at) }))
                }
            }
        };
        let all = transformed::<T>((0..r).map(read).collect());
        let flat = to.reshaped(&[self.rows.count()]);
        let written = all.into_iter().enumerate().map(|(k, [re, im])| {
            let place = (&first + number(k * block)).cast::<i64>();
            // SAFETY: blocks of `r * block` elements lie side by side, and this is one of theirs.
            // Each thread has another one for each `k`.
            unsafe { flat.at(place).to_distinct(&complex::<T>(re, im)) }
        });
        to.context().assign(written.collect::<Vec<Assignment>>())
    }
}

/// The remainder of a quotient by a number.
fn remainder<I: Integer + Bits>(of: &Expr<I>, by: usize) -> Expr<I> {
    let number = |v: usize| parameter(I::from_bits(v as u128));
    match by {
        1 => constant(I::from_bits(0)),
        _ if by.is_power_of_two() => of & number(by - 1),
        _ => of % number(by),
    }
}

/// The quotient by a number.
fn quotient<I: Integer + Bits>(of: &Expr<I>, by: usize) -> Expr<I> {
    let number = |v: usize| parameter(I::from_bits(v as u128));
    match by {
        1 => of.clone(),
        _ if by.is_power_of_two() => of >> number(by.ilog2() as usize),
        _ => of / number(by),
    }
}

/// A product.
fn times<T: ComplexPart>([a, b]: Z<T>, [c, d]: &Z<T>) -> Z<T> {
    [&a * c - &b * d, a * d + b * c]
}

fn plus<T: ComplexPart>([a, b]: &Z<T>, [c, d]: &Z<T>) -> Z<T> {
    [a + c, b + d]
}

fn minus<T: ComplexPart>([a, b]: &Z<T>, [c, d]: &Z<T>) -> Z<T> {
    [a - c, b - d]
}

/// The transform of a few numbers.
fn transformed<T: ComplexPart>(z: Vec<Z<T>>) -> Vec<Z<T>> {
    match z.len() {
        0 | 1 => z,
        n if n.is_multiple_of(2) => halves(z),
        _ => odd(&z),
    }
}

/// That of an even number of them: of those at even places and of those at odd ones.
fn halves<T: ComplexPart>(z: Vec<Z<T>>) -> Vec<Z<T>> {
    let n = z.len();
    let at = |first: usize| z.iter().skip(first).step_by(2).cloned().collect();
    let (even, odd) = (transformed::<T>(at(0)), transformed::<T>(at(1)));
    let turned: Vec<Z<T>> = odd
        .into_iter()
        .enumerate()
        .map(|(k, z)| turned(z, k, n))
        .collect();
    let sums = even.iter().zip(&turned).map(|(e, o)| plus(e, o));
    let differences = even.iter().zip(&turned).map(|(e, o)| minus(e, o));
    sums.chain(differences).collect()
}

/// A number times `exp(-2 pi i k / n)`.
fn turned<T: ComplexPart>([re, im]: Z<T>, k: usize, n: usize) -> Z<T> {
    let number = |v: f64| constant(T::near(v));
    match (k, 4 * k == n, 8 * k == n, 8 * k == 3 * n) {
        (0, ..) => [re, im],
        (_, true, ..) => [im, -re],
        (_, _, true, _) => {
            let half = number(std::f64::consts::FRAC_1_SQRT_2);
            [(&re + &im) * &half, (im - re) * half]
        }
        (_, _, _, true) => {
            let half = number(std::f64::consts::FRAC_1_SQRT_2);
            [(&im - &re) * &half, -(re + im) * half]
        }
        _ => {
            let (c, s) = root(k, n);
            times([re, im], &[number(c), number(s)])
        }
    }
}

/// That of an odd number of them: what is as far from both ends has equal factors, or opposite ones.
fn odd<T: ComplexPart>(z: &[Z<T>]) -> Vec<Z<T>> {
    let n = z.len();
    let number = |v: f64| constant(T::near(v));
    let pairs: Vec<(Z<T>, Z<T>)> = (1..=n / 2)
        .map(|j| (plus(&z[j], &z[n - j]), minus(&z[j], &z[n - j])))
        .collect();
    let mut all = vec![z[0].clone(); n];
    for (sum, _) in &pairs {
        all[0] = plus(&all[0], sum);
    }
    for k in 1..=n / 2 {
        let mut even = z[0].clone();
        let mut odd: Option<Z<T>> = None;
        for (j, (sum, difference)) in (1..).zip(&pairs) {
            let (c, s) = root(j * k, n);
            let (c, s) = (number(c), number(s));
            even = plus(&even, &[&sum[0] * &c, &sum[1] * c]);
            // The sine by `i`.
            let term = [-&difference[1] * &s, &difference[0] * s];
            odd = Some(match odd {
                Some(o) => plus(&o, &term),
                None => term,
            });
        }
        if let Some(odd) = odd {
            all[k] = plus(&even, &odd);
            all[n - k] = minus(&even, &odd);
        }
    }
    all
}
