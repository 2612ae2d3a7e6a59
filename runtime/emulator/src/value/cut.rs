//! Sums of matrix units: terms are cut off at a common lowest bit and added exactly.

use super::convert::float_to_float;
use super::float::{Format, Mode, NAN_32, bits64, f64_of};
use super::product::Element;
use smallvec::SmallVec;

/// A float taken apart.
enum Parts {
    /// `significand * 2^(exponent - fraction)`, the exponent that of the format.
    Finite {
        negative: bool,
        significand: i64,
        exponent: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

/// Takes apart a float of `fraction` explicit bits and so many of exponent.
fn parts(v: u64, fraction: u32, exponents: u32) -> Parts {
    let negative = v >> (fraction + exponents) & 1 == 1;
    let field = (v >> fraction & ((1 << exponents) - 1)) as i32;
    let low = (v & ((1 << fraction) - 1)) as i64;
    let bias = (1 << (exponents - 1)) - 1;
    if field == (1 << exponents) - 1 {
        return if low == 0 {
            Parts::Infinite { negative }
        } else {
            Parts::Nan
        };
    }
    let (significand, exponent) = match field {
        0 => (low, 1 - bias),
        _ => (low | 1 << fraction, field - bias),
    };
    Parts::Finite {
        negative,
        significand,
        exponent,
    }
}

/// Explicit fraction bits and exponent bits.
const fn layout(element: Element) -> (u32, u32) {
    match element {
        Element::F16 => (10, 5),
        Element::Bf16 => (7, 8),
        _ => (10, 8),
    }
}

/// What is added up: finite terms, and infinities by their signs.
#[derive(Default)]
struct Terms {
    /// Exponent, bits below the point and signed significand of each.
    finite: SmallVec<[(i32, i32, i64); 17]>,
    up: bool,
    down: bool,
}

impl Terms {
    fn push(&mut self, exponent: i32, below: u32, negative: bool, significand: i64) {
        let signed = if negative { -significand } else { significand };
        self.finite.push((exponent, below as i32, signed));
    }

    fn infinite(&mut self, negative: bool) {
        self.up |= !negative;
        self.down |= negative;
    }

    /// Adds a product of two elements with `fraction` bits below the point; `None` where it is no
    /// number.
    fn product(&mut self, a: Parts, b: Parts, fraction: u32) -> Option<()> {
        match (a, b) {
            (Parts::Nan, _) | (_, Parts::Nan) => return None,
            (
                Parts::Finite {
                    negative: na,
                    significand: sa,
                    exponent: ea,
                },
                Parts::Finite {
                    negative: nb,
                    significand: sb,
                    exponent: eb,
                },
            ) => self.push(ea + eb, 2 * fraction, na != nb, sa * sb),
            (
                Parts::Infinite { negative },
                Parts::Finite {
                    negative: other,
                    significand,
                    ..
                },
            )
            | (
                Parts::Finite {
                    negative: other,
                    significand,
                    ..
                },
                Parts::Infinite { negative },
            ) => {
                if significand == 0 {
                    return None;
                }
                self.infinite(negative != other);
            }
            (Parts::Infinite { negative: a }, Parts::Infinite { negative: b }) => {
                self.infinite(a != b);
            }
        }
        Some(())
    }

    /// The sum of the finite terms as the bits of a double, each cut off `kept` bits below the
    /// largest exponent; `None` where all are 0.
    fn sum(&self, kept: i32) -> Option<u64> {
        let some = self.finite.iter().filter(|t| t.2 != 0);
        let lowest = some.map(|t| t.0).max()? - kept;
        let sum: i64 = self
            .finite
            .iter()
            .map(|(exponent, below, significand)| {
                let shift = exponent - below - lowest;
                match shift {
                    0.. => significand << shift.min(40),
                    // Cut, not rounded: by magnitude.
                    _ => significand.signum() * (significand.abs() >> (-shift).min(63)),
                }
            })
            .sum();
        Some(bits64(sum as f64 * f64::from(lowest).exp2()))
    }
}

/// The products of two runs of elements and a float, each cut off `kept` bits below
/// the largest exponent, added, and cut to a single or rounded to a half.
pub(super) fn cut_sum(
    element: Element,
    x: &[u64],
    y: &[u64],
    before: u64,
    to: Format,
    kept: i32,
) -> u64 {
    let (nan, infinity, sign, own_fraction, own_exponents, mode) = match to {
        Format::F16 => (0x7fff, 0x7c00, 0x8000, 10, 5, Mode::Nearest),
        _ => (NAN_32, 0x7f80_0000, 0x8000_0000, 23, 8, Mode::Zero),
    };
    let (fraction, exponents) = layout(element);
    // Of tf32 the upper 19 of 32 bits count.
    let drop = if element == Element::Tf32 { 13 } else { 0 };
    let mut terms = Terms::default();
    for (a, b) in x.iter().zip(y) {
        let (a, b) = (
            parts(a >> drop, fraction, exponents),
            parts(b >> drop, fraction, exponents),
        );
        if terms.product(a, b, fraction).is_none() {
            return nan;
        }
    }
    match parts(before, own_fraction, own_exponents) {
        Parts::Nan => return nan,
        Parts::Infinite { negative } => terms.infinite(negative),
        Parts::Finite {
            negative,
            significand,
            exponent,
        } => terms.push(exponent, own_fraction, negative, significand),
    }
    match (terms.up, terms.down) {
        (true, true) => return nan,
        (true, false) => return infinity,
        (false, true) => return infinity | sign,
        _ => {}
    }
    let Some(exact) = terms.sum(kept) else {
        return 0;
    };
    let value = f64_of(exact);
    if to == Format::F32 && value.abs() >= f64::from(128).exp2() {
        return if value < 0.0 {
            infinity | sign
        } else {
            infinity
        };
    }
    float_to_float(exact, Format::F64, to, mode)
}
