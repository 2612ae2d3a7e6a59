//! Complex numbers in expressions: what is done to them is done to their parts.
//!
//! A complex expression is a node of two parts, so that an operation on it is a few on numbers, and
//! shared parts are computed once. Sums, products and quotients have the bits of those of
//! `num_complex`.

use crate::element::{ComplexPart, Element};
use crate::expr::{Expr, Operand, constant};
use crate::node::{Graph, Kind};
use crate::op::{Binary, Compare, Unary};
use num_complex::Complex;
use std::panic::Location;

type At = &'static Location<'static>;

/// A complex number of its parts.
#[track_caller]
pub fn complex<T: ComplexPart>(
    real: impl Operand<T>,
    imaginary: impl Operand<T>,
) -> Expr<T::Complex> {
    let parts = [
        real.expr().graph().clone(),
        imaginary.expr().graph().clone(),
    ];
    Expr::of(Graph::complex(parts, Location::caller()))
}

/// The real and the imaginary part.
pub fn parts<T: ComplexPart>(z: &Expr<T::Complex>) -> [Expr<T>; 2] {
    match &z.graph().parts()[..] {
        [re, im] => [Expr::of(re.clone()), Expr::of(im.clone())],
        _ => [Expr::of(z.graph().clone()), Expr::of(z.graph().clone())],
    }
}

/// A function of two numbers of one type; an operation of `name` in messages.
fn each(op: Binary, name: &'static str, l: &Graph, r: &Graph, at: At) -> Graph {
    let ty = match (l, r) {
        (Graph::Node(n), _) => n.ty,
        (poison, _) => return poison.clone(),
    };
    Graph::operation(Kind::Binary(op), ty, name, &[l.clone(), r.clone()], at)
}

/// 0 less a number.
fn from_zero(x: &Graph, name: &'static str, at: At) -> Graph {
    match x {
        Graph::Node(n) => {
            let zero = Graph::leaf(n.ty, None, at, |_| Kind::Constant(0));
            each(Binary::Sub, name, &zero, x, at)
        }
        Graph::Poison(_) => x.clone(),
    }
}

/// A function of two numbers, of which each may be complex.
pub(crate) fn binary(op: Binary, l: &Graph, r: &Graph, at: At) -> Graph {
    let name = op.name();
    let of = |op: Binary, l: &Graph, r: &Graph| each(op, name, l, r, at);
    let mul = |l: &Graph, r: &Graph| of(Binary::Mul, l, r);
    let (left, right) = (l.parts(), r.parts());
    let parts = match (&left[..], &right[..], op) {
        ([a, b], [c, d], Binary::Mul) => [
            of(Binary::Sub, &mul(a, c), &mul(b, d)),
            of(Binary::Add, &mul(a, d), &mul(b, c)),
        ],
        ([a, b], [c, d], Binary::Div) => {
            let norm = of(Binary::Add, &mul(c, c), &mul(d, d));
            let re = of(Binary::Add, &mul(a, c), &mul(b, d));
            let im = of(Binary::Sub, &mul(b, c), &mul(a, d));
            [of(Binary::Div, &re, &norm), of(Binary::Div, &im, &norm)]
        }
        ([a, b], [c, d], _) => [of(op, a, c), of(op, b, d)],
        ([a], [c, d], Binary::Mul) => [mul(a, c), mul(a, d)],
        ([a], [c, d], Binary::Div) => {
            let norm = of(Binary::Add, &mul(c, c), &mul(d, d));
            let im = of(Binary::Div, &mul(a, d), &norm);
            [of(Binary::Div, &mul(a, c), &norm), from_zero(&im, name, at)]
        }
        ([a], [c, d], Binary::Sub) => [of(op, a, c), from_zero(d, name, at)],
        ([a], [c, d], _) => [of(op, a, c), d.clone()],
        ([a, b], [c], Binary::Mul | Binary::Div) => [of(op, a, c), of(op, b, c)],
        ([a, b], [c], _) => [of(op, a, c), b.clone()],
        _ => return of(op, l, r),
    };
    Graph::complex(parts, at)
}

/// The number less than 0 by as much as this one is more.
pub(crate) fn negated(x: &Graph, at: At) -> Graph {
    let of = |x: &Graph| match x {
        Graph::Node(n) => {
            let operands = std::slice::from_ref(x);
            Graph::operation(Kind::Unary(Unary::Neg), n.ty, "-", operands, at)
        }
        Graph::Poison(_) => x.clone(),
    };
    match &x.parts()[..] {
        [re, im] => Graph::complex([of(re), of(im)], at),
        _ => of(x),
    }
}

/// A comparison; complex numbers are equal where both parts are.
#[track_caller]
pub(crate) fn compare(op: Compare, l: &Graph, r: &Graph) -> Graph {
    let at = Location::caller();
    let of = |l: &Graph, r: &Graph| {
        let operands = [l.clone(), r.clone()];
        Graph::operation(Kind::Compare(op), bool::TYPE, op.name(), &operands, at)
    };
    match (&l.parts()[..], &r.parts()[..]) {
        ([a, b], [c, d]) => {
            let both = match op {
                Compare::Ne => Binary::Or,
                _ => Binary::And,
            };
            each(both, op.name(), &of(a, c), &of(b, d), at)
        }
        _ => of(l, r),
    }
}

/// One of two.
#[track_caller]
pub(crate) fn select(condition: &Graph, yes: &Graph, no: &Graph) -> Graph {
    let at = Location::caller();
    let of = |yes: &Graph, no: &Graph| match yes {
        Graph::Node(n) => {
            let operands = [condition.clone(), yes.clone(), no.clone()];
            Graph::operation(Kind::Select, n.ty, "select", &operands, at)
        }
        Graph::Poison(_) => yes.clone(),
    };
    match (&yes.parts()[..], &no.parts()[..]) {
        ([a, b], [c, d]) => Graph::complex([of(a, c), of(b, d)], at),
        // What means nothing is no complex number.
        ([_, _], [poison]) => poison.clone(),
        _ => of(yes, no),
    }
}

macro_rules! functions {
    ($($t:ty)*) => {$(
        impl Expr<Complex<$t>> {
            /// The real part.
            pub fn real(&self) -> Expr<$t> {
                let [re, _] = parts::<$t>(self);
                re
            }

            /// The imaginary part.
            pub fn imag(&self) -> Expr<$t> {
                let [_, im] = parts::<$t>(self);
                im
            }

            /// The number with the opposite imaginary part.
            #[track_caller]
            pub fn conj(&self) -> Self {
                let [re, im] = parts::<$t>(self);
                complex(re, -im)
            }

            /// The square of the magnitude.
            #[track_caller]
            pub fn norm_sqr(&self) -> Expr<$t> {
                let [re, im] = parts::<$t>(self);
                &re * &re + &im * &im
            }

            /// The magnitude. No square is computed of a part, so that none is too large or too
            /// small.
            #[track_caller]
            pub fn abs(&self) -> Expr<$t> {
                let [re, im] = parts::<$t>(self).map(|p| p.abs());
                let (more, less) = (re.max(&im), re.min(&im));
                let ratio = &less / &more;
                let one: Expr<$t> = constant(1.0);
                let length = &more * (one + &ratio * &ratio).sqrt();
                // 0 and infinity have no ratio. Of a NaN and a number `max` is the number.
                let plain = more.eq(constant(0.0)) | more.eq(constant(<$t>::INFINITY));
                let nan = (re.is_nan() | im.is_nan()) & more.ne(constant(<$t>::INFINITY));
                nan.select(constant(<$t>::NAN), plain.select(&more, length))
            }

            /// The angle in radians, above -pi and at most pi.
            #[track_caller]
            pub fn arg(&self) -> Expr<$t> {
                let [re, im] = parts::<$t>(self);
                im.atan2(re)
            }

            /// e to the power of it.
            #[track_caller]
            pub fn exp(&self) -> Self {
                let [re, im] = parts::<$t>(self);
                let radius = re.exp();
                complex(&radius * im.cos(), &radius * im.sin())
            }

            /// The natural logarithm whose imaginary part is the angle.
            #[track_caller]
            pub fn ln(&self) -> Self {
                complex(self.abs().ln(), self.arg())
            }

            /// The square root that has no real part below 0.
            #[track_caller]
            pub fn sqrt(&self) -> Self {
                let [re, im] = parts::<$t>(self);
                let half: Expr<$t> = constant(0.5);
                let zero: Expr<$t> = constant(0.0);
                // The part that is a sum of two of one sign loses no bits, and gives the other.
                let large = ((self.abs() + re.abs()) * &half).sqrt();
                let small = large.eq(&zero).select(&zero, im.abs() * half / &large);
                let right = re.ge(zero);
                complex(right.select(&large, &small), right.select(small, large).copysign(im))
            }
        }
    )*};
}

functions!(f32 f64);
