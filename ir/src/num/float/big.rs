//! The two formats beyond `f64`, on software arithmetic.

use super::{Float, FloatKind};
use rustc_apfloat::Float as _;
use rustc_apfloat::ieee::{Quad, X87DoubleExtended};

/// A value in the software library's own type for its format.
pub(super) enum Big {
    Extended(X87DoubleExtended),
    Quad(Quad),
}

/// Applies the same expression to one, two or three values of one format.
macro_rules! on_big {
    ($a:expr, |$x:ident| $body:expr) => {
        match $a {
            Big::Extended($x) => Float::from_bits(FloatKind::F80, $body.to_bits()),
            Big::Quad($x) => Float::from_bits(FloatKind::F128, $body.to_bits()),
        }
    };
    ($a:expr, $b:expr, |$x:ident, $y:ident| $body:expr) => {
        match ($a, $b) {
            (Big::Extended($x), Big::Extended($y)) => {
                Float::from_bits(FloatKind::F80, $body.to_bits())
            }
            (Big::Quad($x), Big::Quad($y)) => Float::from_bits(FloatKind::F128, $body.to_bits()),
            _ => unreachable!("operands were brought to one format"),
        }
    };
}
pub(super) use on_big;

impl Big {
    /// Of an `f80` or an `f128`; values of other formats become `f128`.
    pub(crate) fn new(v: &Float) -> Big {
        match v.kind() {
            FloatKind::F80 => Big::Extended(X87DoubleExtended::from_bits(v.to_bits())),
            FloatKind::F128 => Big::Quad(Quad::from_bits(v.to_bits())),
            _ => Big::Quad(Quad::from_bits(v.convert(FloatKind::F128).to_bits())),
        }
    }

    /// Reads `digits e exponent`, correctly rounded.
    pub fn parse(kind: FloatKind, text: &str) -> Option<Float> {
        let bits = match kind {
            FloatKind::F80 => text.parse::<X87DoubleExtended>().ok()?.to_bits(),
            _ => text.parse::<Quad>().ok()?.to_bits(),
        };
        Some(Float::from_bits(kind, bits))
    }
}
