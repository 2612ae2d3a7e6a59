//! Random expressions, held against a direct evaluation in Rust, bit for bit.

use super::support::{assert_same, context};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use terrace::array::{Array, Context, Expr, constant, index, parameter};

/// An expression that is a float.
#[derive(Debug, Clone)]
enum F {
    X(usize),
    Number(f64),
    Known(f64),
    OfInt(Box<I>),
    Neg(Box<F>),
    Sqrt(Box<F>),
    Floor(Box<F>),
    Two(u8, Box<F>, Box<F>),
    Fma(Box<F>, Box<F>, Box<F>),
    Select(Box<B>, Box<F>, Box<F>),
}

/// One that is an integer.
#[derive(Debug, Clone)]
enum I {
    K(usize),
    Place,
    Number(i64),
    OfFloat(Box<F>),
    Not(Box<I>),
    Two(u8, Box<I>, Box<I>),
    Select(Box<B>, Box<I>, Box<I>),
}

/// One that holds or does not.
#[derive(Debug, Clone)]
enum B {
    Float(u8, Box<F>, Box<F>),
    Int(u8, Box<I>, Box<I>),
    And(Box<B>, Box<B>),
    Not(Box<B>),
}

const ARRAYS: usize = 2;
const ELEMENTS: usize = 19;

fn expressions() -> impl Strategy<Value = (F, I)> {
    let number = prop_oneof![
        Just(0.0),
        Just(-1.5),
        Just(1e10),
        -100.0..100.0f64,
        any::<f64>()
    ];
    let float = prop_oneof![
        (0..ARRAYS).prop_map(F::X),
        number.clone().prop_map(F::Number),
        number.prop_map(F::Known),
    ];
    let int = prop_oneof![
        (0..ARRAYS).prop_map(I::K),
        Just(I::Place),
        any::<i64>().prop_map(I::Number),
        (-4i64..40).prop_map(I::Number),
    ];
    (float, int).prop_recursive(5, 40, 3, |inner| {
        let f = inner.clone().prop_map(|p| Box::new(p.0));
        let i = inner.prop_map(|p| Box::new(p.1));
        let holds = prop_oneof![
            (0..6u8, f.clone(), f.clone()).prop_map(|(o, a, b)| B::Float(o, a, b)),
            (0..6u8, i.clone(), i.clone()).prop_map(|(o, a, b)| B::Int(o, a, b)),
        ];
        let both = (holds.clone(), holds.clone());
        let b = prop_oneof![
            holds.clone(),
            both.prop_map(|(a, b)| B::And(Box::new(a), Box::new(B::Not(Box::new(b))))),
        ]
        .prop_map(Box::new);
        let float = prop_oneof![
            i.clone().prop_map(F::OfInt),
            f.clone().prop_map(F::Neg),
            f.clone().prop_map(F::Sqrt),
            f.clone().prop_map(F::Floor),
            (0..5u8, f.clone(), f.clone()).prop_map(|(o, a, b)| F::Two(o, a, b)),
            (f.clone(), f.clone(), f.clone()).prop_map(|(a, b, c)| F::Fma(a, b, c)),
            (b.clone(), f.clone(), f.clone()).prop_map(|(c, x, y)| F::Select(c, x, y)),
        ];
        let int = prop_oneof![
            f.prop_map(I::OfFloat),
            i.clone().prop_map(I::Not),
            (0..12u8, i.clone(), i.clone()).prop_map(|(o, a, b)| I::Two(o, a, b)),
            (b, i.clone(), i).prop_map(|(c, x, y)| I::Select(c, x, y)),
        ];
        (float, int)
    })
}

/// The arrays of a case, on the device.
struct Arrays {
    x: Vec<Array<f64>>,
    k: Vec<Array<i64>>,
}

impl F {
    fn expr(&self, a: &Arrays) -> Expr<f64> {
        match self {
            F::X(n) => &a.x[*n] * constant(1.0),
            F::Number(v) => parameter(*v),
            F::Known(v) => constant(*v),
            F::OfInt(i) => i.expr(a).cast(),
            F::Neg(f) => -f.expr(a),
            F::Sqrt(f) => f.expr(a).sqrt(),
            F::Floor(f) => f.expr(a).floor(),
            F::Two(o, l, r) => {
                let (l, r) = (l.expr(a), r.expr(a));
                match o {
                    0 => l + r,
                    1 => l - r,
                    2 => l * r,
                    3 => l / r,
                    _ => l % r,
                }
            }
            F::Fma(x, y, z) => x.expr(a).mul_add(y.expr(a), z.expr(a)),
            F::Select(c, x, y) => c.expr(a).select(x.expr(a), y.expr(a)),
        }
    }

    fn value(&self, e: &Elements) -> f64 {
        match self {
            F::X(n) => e.x[*n],
            F::Number(v) | F::Known(v) => *v,
            F::OfInt(i) => i.value(e) as f64,
            F::Neg(f) => -f.value(e),
            F::Sqrt(f) => f.value(e).sqrt(),
            F::Floor(f) => f.value(e).floor(),
            F::Two(o, l, r) => {
                let (l, r) = (l.value(e), r.value(e));
                match o {
                    0 => l + r,
                    1 => l - r,
                    2 => l * r,
                    3 => l / r,
                    _ => l % r,
                }
            }
            F::Fma(x, y, z) => x.value(e).mul_add(y.value(e), z.value(e)),
            F::Select(c, x, y) => match c.value(e) {
                true => x.value(e),
                false => y.value(e),
            },
        }
    }
}

impl I {
    fn expr(&self, a: &Arrays) -> Expr<i64> {
        match self {
            I::K(n) => &a.k[*n] + constant(0),
            I::Place => index(0),
            I::Number(v) => parameter(*v),
            I::OfFloat(f) => f.expr(a).cast(),
            I::Not(i) => !i.expr(a),
            I::Two(o, l, r) => {
                let (l, r) = (l.expr(a), r.expr(a));
                match o {
                    0 => l + r,
                    1 => l - r,
                    2 => l * r,
                    3 => l / r,
                    4 => l % r,
                    5 => l & r,
                    6 => l | r,
                    7 => l ^ r,
                    8 => l << r,
                    9 => l >> r,
                    10 => l.min(r),
                    _ => l.max(r),
                }
            }
            I::Select(c, x, y) => c.expr(a).select(x.expr(a), y.expr(a)),
        }
    }

    fn value(&self, e: &Elements) -> i64 {
        match self {
            I::K(n) => e.k[*n],
            I::Place => e.place,
            I::Number(v) => *v,
            I::OfFloat(f) => f.value(e) as i64,
            I::Not(i) => !i.value(e),
            I::Two(o, l, r) => {
                let (l, r) = (l.value(e), r.value(e));
                match o {
                    0 => l.wrapping_add(r),
                    1 => l.wrapping_sub(r),
                    2 => l.wrapping_mul(r),
                    3 if r == 0 => 0,
                    3 => l.wrapping_div(r),
                    4 if r == 0 => l,
                    4 => l.wrapping_rem(r),
                    5 => l & r,
                    6 => l | r,
                    7 => l ^ r,
                    8 => l.wrapping_shl(r as u32),
                    9 => l.wrapping_shr(r as u32),
                    10 => l.min(r),
                    _ => l.max(r),
                }
            }
            I::Select(c, x, y) => match c.value(e) {
                true => x.value(e),
                false => y.value(e),
            },
        }
    }
}

impl B {
    fn expr(&self, a: &Arrays) -> Expr<bool> {
        match self {
            B::Float(o, l, r) => {
                let (l, r) = (l.expr(a), r.expr(a));
                match o {
                    0 => l.eq(r),
                    1 => l.ne(r),
                    2 => l.lt(r),
                    3 => l.le(r),
                    4 => l.gt(r),
                    _ => l.ge(r),
                }
            }
            B::Int(o, l, r) => {
                let (l, r) = (l.expr(a), r.expr(a));
                match o {
                    0 => l.eq(r),
                    1 => l.ne(r),
                    2 => l.lt(r),
                    3 => l.le(r),
                    4 => l.gt(r),
                    _ => l.ge(r),
                }
            }
            B::And(l, r) => l.expr(a) & r.expr(a),
            B::Not(b) => !b.expr(a),
        }
    }

    fn value(&self, e: &Elements) -> bool {
        fn compared<T: PartialOrd>(o: u8, l: T, r: T) -> bool {
            match o {
                0 => l == r,
                1 => l != r,
                2 => l < r,
                3 => l <= r,
                4 => l > r,
                _ => l >= r,
            }
        }
        match self {
            B::Float(o, l, r) => compared(*o, l.value(e), r.value(e)),
            B::Int(o, l, r) => compared(*o, l.value(e), r.value(e)),
            B::And(l, r) => l.value(e) & r.value(e),
            B::Not(b) => !b.value(e),
        }
    }
}

/// The elements at one place.
struct Elements {
    x: Vec<f64>,
    k: Vec<i64>,
    place: i64,
}

/// The arrays' elements, by array: some special, others spread.
fn elements() -> (Vec<Vec<f64>>, Vec<Vec<i64>>) {
    let x = |n: usize, i: usize| match i {
        0 => f64::INFINITY,
        1 => f64::NAN,
        2 => -0.0,
        i => ((i * 37 + n * 11) % 101) as f64 * 0.75 - 30.0,
    };
    let k = |n: usize, i: usize| match i {
        0 => i64::MIN,
        1 => 0,
        2 => -1,
        i => (i as i64 * 1_000_003 + n as i64 * 77) % 1999 - 900,
    };
    let of = |n| (0..ELEMENTS).map(|i| x(n, i)).collect();
    let ints = |n| (0..ELEMENTS).map(|i| k(n, i)).collect();
    (
        (0..ARRAYS).map(of).collect(),
        (0..ARRAYS).map(ints).collect(),
    )
}

fn check(cx: &Context, (f, i): &(F, I)) {
    let (x, k) = elements();
    let arrays = Arrays {
        x: x.iter().map(|v| cx.vector(v).unwrap()).collect(),
        k: k.iter().map(|v| cx.vector(v).unwrap()).collect(),
    };
    let floats = cx.zeros(&[ELEMENTS]).unwrap();
    let ints = cx.zeros(&[ELEMENTS]).unwrap();
    let both = (floats.to(f.expr(&arrays)), ints.to(i.expr(&arrays)));
    cx.assign(both).unwrap();
    let at = |p: usize| Elements {
        x: x.iter().map(|v| v[p]).collect(),
        k: k.iter().map(|v| v[p]).collect(),
        place: p as i64,
    };
    let expected: Vec<f64> = (0..ELEMENTS).map(|p| f.value(&at(p))).collect();
    assert_same(&floats.to_vec().unwrap(), &expected, "floats");
    let expected: Vec<i64> = (0..ELEMENTS).map(|p| i.value(&at(p))).collect();
    assert_same(&ints.to_vec().unwrap(), &expected, "integers");
}

/// `TERRACE_RANDOM_COUNT` says how many; they are the same ones each time.
#[test]
fn random_expressions_have_the_bits_of_rust() {
    let count = std::env::var("TERRACE_RANDOM_COUNT").ok();
    let cases = count.map_or(64, |c| c.parse().expect("a number of cases"));
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let seed = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, seed);
    let cx = context();
    let ran = runner.run(&expressions(), |case| {
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&cx, &case)));
        checked.map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            TestCaseError::fail(text)
        })
    });
    if let Err(e) = ran {
        panic!("{e}");
    }
}
