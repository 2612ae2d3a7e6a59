//! Floats of 16 bits: narrow in memory, and computed with as `f32`.

use super::support::{assert_same, context};
use terrace::array::{Array, Edge, Expr, Float, bf16, constant, f16, iterate, max, min, sum};

/// What a test needs of both types.
trait Half: Float {
    fn of(v: f32) -> Self;
    fn wide(self) -> f32;
}

macro_rules! half {
    ($($t:ty)*) => {$(
        impl Half for $t {
            fn of(v: f32) -> Self {
                <$t>::from_f32(v)
            }
            fn wide(self) -> f32 {
                self.to_f32()
            }
        }
    )*};
}

half!(f16 bf16);

/// The nearest one of a number of 64 bits: what is cut off on the way is kept as the lowest bit.
fn of_f64<H: Half>(v: f64) -> H {
    let near = v as f32;
    let cut = match f64::from(near).abs() > v.abs() {
        true => f32::from_bits(near.to_bits() - 1),
        false => near,
    };
    let inexact = u32::from(f64::from(near) != v);
    H::of(f32::from_bits(cut.to_bits() | inexact))
}

fn numbers<H: Half>(n: usize) -> Vec<H> {
    let mut all: Vec<H> = (0..n)
        .map(|i| H::of((i as f32 * 0.77).sin() * 5.0))
        .collect();
    let special = [
        0.0,
        -0.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        65504.0,
        6e-8,
        1e-5,
        -1e-7,
    ];
    all.extend(special.map(H::of));
    all
}

fn expressions<H: Half>() {
    let cx = context();
    let a = numbers::<H>(50);
    let n = a.len();
    let x = cx.vector(&a).unwrap();
    let y: Array<H> = cx.zeros(&[n]).unwrap();
    assert_same(&x.to_vec().unwrap(), &a, "copies");
    let held = |what: &str, e: Expr<H>, f: &dyn Fn(f32) -> f32| {
        y.set(e).unwrap();
        let expected: Vec<H> = a.iter().map(|v| H::of(f(v.wide()))).collect();
        assert_same(&y.to_vec().unwrap(), &expected, what);
    };
    let third = H::of(1.0 / 3.0);
    // One rounding, at the end.
    held("x third + x x", &x * third + &x * &x, &|v| {
        v * third.wide() + v * v
    });
    held("constant", &x - constant(third), &|v| v - third.wide());
    held("sqrt", x.abs().sqrt(), &|v| v.abs().sqrt());
    held("max", x.max(H::of(0.5)), &|v| v.max(0.5));
    held("select", x.lt(H::of(0.0)).select(-&x, &x), &|v| {
        if v < 0.0 { -v } else { v }
    });
    // A conversion rounds where it stands.
    held(
        "cast",
        (x.cast::<f32>() * 3.1f32).cast::<H>() * H::of(2.0),
        &|v| H::of(v * 3.1).wide() * 2.0,
    );
    let [r] = iterate(3, [&x], |[s]| [s * third]);
    held("loop", r, &|v| {
        v * third.wide() * third.wide() * third.wide()
    });
    y.set(x.neighbour([1], Edge::Constant(third))).unwrap();
    let expected: Vec<H> = (1..=n)
        .map(|i| a.get(i).copied().unwrap_or(third))
        .collect();
    assert_same(&y.to_vec().unwrap(), &expected, "neighbours");
}

#[test]
fn expressions_are_computed_wide() {
    expressions::<f16>();
    expressions::<bf16>();
}

fn conversions<H: Half>() {
    let cx = context();
    let y: Array<H> = cx.zeros(&[6]).unwrap();
    // Just above the middle of two: rounded twice it would go down.
    let wide = [
        1.0f64,
        -2.5,
        1.0 + 2f64.powi(-8) + 2f64.powi(-40),
        1.0 + 2f64.powi(-11) + 2f64.powi(-40),
        1e30,
        0.1,
    ];
    let x = cx.vector(&wide).unwrap();
    y.set(x.cast()).unwrap();
    assert_same(&y.to_vec().unwrap(), &wide.map(of_f64::<H>), "f64");
    let ints = [0i64, 1, -3, 2049, 100_001, -65_519];
    let x = cx.vector(&ints).unwrap();
    y.set(x.cast()).unwrap();
    assert_same(
        &y.to_vec().unwrap(),
        &ints.map(|v| of_f64::<H>(v as f64)),
        "i64",
    );
    let back = cx.zeros::<i32>(&[6]).unwrap();
    back.set(y.cast()).unwrap();
    let expected = ints.map(|v| of_f64::<H>(v as f64).wide() as i32);
    assert_same(&back.to_vec().unwrap(), &expected, "i32");
}

#[test]
fn conversions_round_once() {
    conversions::<f16>();
    conversions::<bf16>();
}

fn reductions<H: Half>() {
    let cx = context();
    let a: Vec<H> = (0..300).map(|i| H::of((i as f32 * 0.31).cos())).collect();
    let x = cx.vector(&a).unwrap();
    let (s, lo, hi) = cx.reduce((sum(&x).in_order(), min(&x), max(&x))).unwrap();
    let wide = a.iter().fold(0.0, |s, v| s + v.wide());
    assert_same(&[s], &[H::of(wide)], "sum");
    let least = a.iter().fold(f32::INFINITY, |m, v| m.min(v.wide()));
    let most = a.iter().fold(f32::NEG_INFINITY, |m, v| m.max(v.wide()));
    assert_same(&[lo, hi], &[H::of(least), H::of(most)], "extrema");
    let y: Array<H> = cx.zeros(&[300]).unwrap();
    y.set_scan(sum(&x).in_order(), 0).unwrap();
    let mut so_far = 0.0;
    let scan: Vec<H> = a
        .iter()
        .map(|v| {
            so_far += v.wide();
            H::of(so_far)
        })
        .collect();
    assert_same(&y.to_vec().unwrap(), &scan, "scan");
    // At places memory holds what was added so far, and rounds it.
    let bins: Array<H> = cx.zeros(&[7]).unwrap();
    let places: Vec<i64> = (0..300).map(|i| i * i % 7).collect();
    bins.at(cx.vector(&places).unwrap())
        .combine(sum(&x).in_order())
        .unwrap();
    let mut expected = [H::of(0.0); 7];
    for (p, v) in places.iter().zip(&a) {
        let at = &mut expected[*p as usize];
        *at = H::of(at.wide() + v.wide());
    }
    assert_same(&bins.to_vec().unwrap(), &expected, "bins");
    bins.at(cx.vector(&places).unwrap())
        .add(H::of(0.0))
        .unwrap();
    assert_same(&bins.to_vec().unwrap(), &expected, "added");
}

#[test]
fn reductions_round_at_the_end() {
    reductions::<f16>();
    reductions::<bf16>();
}

#[test]
fn halves_are_sorted() {
    let cx = context();
    let mut a: Vec<f16> = numbers(40);
    a.retain(|v| !v.is_nan());
    let x = cx.vector(&a).unwrap();
    let order = x.argsort().unwrap().to_vec().unwrap();
    x.sort().unwrap();
    let mut places: Vec<usize> = (0..a.len()).collect();
    places.sort_by(|l, r| a[*l].total_cmp(&a[*r]));
    let sorted: Vec<f16> = places.iter().map(|p| a[*p]).collect();
    assert_same(&x.to_vec().unwrap(), &sorted, "sorted");
    assert!(order.iter().zip(&places).all(|(f, e)| *f as usize == *e));
}
