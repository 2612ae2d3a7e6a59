//! Complex numbers, held against `num_complex`.

use super::support::{assert_made, assert_same, context};
use terrace::array::{Array, Complex, Context, Edge, Element, Expr, complex, constant, index};
use terrace::array::{iterate, iterate_over, parameter, sum};

type C = Complex<f64>;

fn numbers(n: usize, seed: f64) -> Vec<C> {
    let at = |i: usize| i as f64 + seed;
    let one = |i: usize| C::new((at(i) * 0.7).sin() * 3.0, (at(i) * 1.3).cos() * 2.0);
    (0..n).map(one).collect()
}

fn set<T: Element>(cx: &Context, n: usize, e: Expr<T>) -> Vec<T> {
    let z = cx.zeros(&[n]).unwrap();
    z.set(e).unwrap();
    z.to_vec().unwrap()
}

#[test]
fn arithmetic_has_the_bits_of_numbers() {
    let cx = context();
    let (a, b) = (numbers(33, 0.0), numbers(33, 5.0));
    let r: Vec<f64> = a.iter().map(|z| z.re + 0.25).collect();
    let (x, y, k) = (
        cx.vector(&a).unwrap(),
        cx.vector(&b).unwrap(),
        cx.vector(&r).unwrap(),
    );
    let both = |what: &str, e: Expr<C>, f: &dyn Fn(C, C, f64) -> C| {
        let expected: Vec<C> = (0..a.len()).map(|i| f(a[i], b[i], r[i])).collect();
        assert_same(&set(&cx, a.len(), e), &expected, what);
    };
    let c = C::new(0.5, -2.0);
    both("x + y", &x + &y, &|x, y, _| x + y);
    both("x - y", &x - &y, &|x, y, _| x - y);
    both("x * y", &x * &y, &|x, y, _| x * y);
    both("x / y", &x / &y, &|x, y, _| x / y);
    both("-x", -&x, &|x, _, _| -x);
    both("conj", x.conj(), &|x, _, _| x.conj());
    both("x * k", &x * &k, &|x, _, k| x * k);
    both("x + k", &x + &k, &|x, _, k| x + k);
    both("x - k", &x - &k, &|x, _, k| x - k);
    both("x / k", &x / &k, &|x, _, k| x / k);
    both("k * x", &k * &x, &|x, _, k| k * x);
    both("k + x", &k + &x, &|x, _, k| k + x);
    both("k - x", &k - &x, &|x, _, k| k - x);
    both("k / x", &k / &x, &|x, _, k| k / x);
    both("2 x", 2.0 * &x, &|x, _, _| 2.0 * x);
    both("x / 2", &x / 2.0, &|x, _, _| x / 2.0);
    both("c x", c * &x, &|x, _, _| c * x);
    both("x + c", &x + c, &|x, _, _| x + c);
    both("c + k", c + &k, &|_, _, k| c + k);
    both("constant", &x * constant(c), &|x, _, _| x * c);
    both("powi", x.powi(3), &|x, _, _| x * (x * x));
    both("select", k.gt(0.0).select(&x, &y), &|x, y, k| {
        if k > 0.0 { x } else { y }
    });
    both("complex", complex(&k, x.imag()), &|x, _, k| C::new(k, x.im));
    let equal = set(&cx, a.len(), x.eq(&y) | x.ne(&x) | (&x + 0.0).eq(&x));
    assert!(equal.into_iter().all(|e| e));
}

#[test]
fn functions_are_near_those_of_numbers() {
    let cx = context();
    let mut a = numbers(29, 2.0);
    a.extend([
        C::new(0.0, 0.0),
        C::new(1e300, -1e300),
        C::new(-2.0, 0.0),
        C::new(0.0, -3.0),
    ]);
    a.push(C::new(1e-200, 1e-200));
    let x = cx.vector(&a).unwrap();
    let near = |what: &str, found: Vec<C>, f: &dyn Fn(C) -> C| {
        for (k, (found, x)) in found.iter().zip(&a).enumerate() {
            let e = f(*x);
            let same = found == &e || (found - e).norm() <= 1e-14 * e.norm();
            let beside = !e.re.is_finite() || !e.im.is_finite();
            assert!(
                same || beside,
                "{what} of {x} ({k}) is {found}, expected {e}"
            );
        }
    };
    let real = |e: Expr<f64>| complex(e, constant(0.0));
    near("abs", set(&cx, a.len(), real(x.abs())), &|z| {
        C::new(z.norm(), 0.0)
    });
    near("norm_sqr", set(&cx, a.len(), real(x.norm_sqr())), &|z| {
        C::new(z.norm_sqr(), 0.0)
    });
    near("arg", set(&cx, a.len(), real(x.arg())), &|z| {
        C::new(z.arg(), 0.0)
    });
    near("exp", set(&cx, a.len(), x.exp()), &C::exp);
    near("ln", set(&cx, a.len(), x.ln()), &|z| {
        if z.norm() == 0.0 {
            z.ln()
        } else {
            C::new(z.norm().ln(), z.arg())
        }
    });
    near("sqrt", set(&cx, a.len(), x.sqrt()), &|z| {
        if z.norm() > 1e200 {
            C::new(f64::NAN, 0.0)
        } else {
            z.sqrt()
        }
    });
    // What is special.
    let special = [
        C::new(f64::NAN, 1.0),
        C::new(f64::INFINITY, f64::NAN),
        C::new(0.0, f64::NEG_INFINITY),
    ];
    let s = cx.vector(&special).unwrap();
    let found = set(&cx, 3, s.abs());
    assert!(
        found[0].is_nan() && found[1] == f64::INFINITY && found[2] == f64::INFINITY,
        "{found:?}"
    );
}

#[test]
fn an_operation_is_one_kernel_with_shared_parts() {
    let cx = context();
    let a = numbers(100, 0.0);
    let x = cx.vector(&a).unwrap();
    let y: Array<C> = cx.zeros(&[100]).unwrap();
    for c in [C::new(1.0, 2.0), C::new(-3.0, 0.5)] {
        y.set(c * &x + parameter(c).conj()).unwrap();
        let expected: Vec<C> = a.iter().map(|z| c * z + c.conj()).collect();
        assert_same(&y.to_vec().unwrap(), &expected, "c x + conj c");
    }
    assert_made(&cx, 1);
    x.set(&x * &x).unwrap();
    let squares: Vec<C> = a.iter().map(|z| z * z).collect();
    assert_same(&x.to_vec().unwrap(), &squares, "in place");
}

#[test]
fn parts_and_orders_of_arrays() {
    let cx = context();
    let a = numbers(24, 1.0);
    let x = cx.array(&[4, 6], &a).unwrap();
    let turned: Vec<C> = (0..24).map(|i| a[(i % 4) * 6 + i / 4]).collect();
    assert_same(&x.transposed().to_vec().unwrap(), &turned, "transposed");
    x.slice_axis(1, 1..3).set(C::new(7.0, 8.0)).unwrap();
    x.index_axis(0, 2)
        .step_axis(0, 2)
        .invert_axis(0)
        .set(2.0 * x.index_axis(0, 1).step_axis(0, 2))
        .unwrap();
    let mut expected = a.clone();
    for r in 0..4 {
        for c in 1..3 {
            expected[r * 6 + c] = C::new(7.0, 8.0);
        }
    }
    let row: Vec<C> = expected[6..12].to_vec();
    for k in 0..3 {
        expected[12 + 2 * (2 - k)] = row[2 * k] * 2.0;
    }
    assert_same(&x.to_vec().unwrap(), &expected, "parts");
}

#[test]
fn neighbours_gathers_and_scatters() {
    let cx = context();
    let a = numbers(9, 3.0);
    let x = cx.vector(&a).unwrap();
    let c = C::new(1.5, -0.5);
    let found = set(
        &cx,
        9,
        x.neighbour([1], Edge::Constant(c)) - x.neighbour([-1], Edge::Wrap),
    );
    let expected: Vec<C> = (0..9)
        .map(|i| a.get(i + 1).copied().unwrap_or(c) - a[(i + 8) % 9])
        .collect();
    assert_same(&found, &expected, "neighbours");
    let places = cx.vector(&[8i64, 3, 4, 0, 1, 2, 7, 6, 5]).unwrap();
    let order = places.to_vec().unwrap();
    let gathered: Vec<C> = order.iter().map(|p| a[*p as usize]).collect();
    assert_same(&set(&cx, 9, x.gather(&places)), &gathered, "gather");
    let z: Array<C> = cx.zeros(&[9]).unwrap();
    z.at(&places).set_unique(&x).unwrap();
    let mut scattered = vec![C::default(); 9];
    order
        .iter()
        .zip(&a)
        .for_each(|(p, v)| scattered[*p as usize] = *v);
    assert_same(&z.to_vec().unwrap(), &scattered, "scatter");
    z.at(&places / 3).combine(sum(&x).in_order()).unwrap();
    order
        .iter()
        .zip(&a)
        .for_each(|(p, v)| scattered[*p as usize / 3] += v);
    assert_same(&z.to_vec().unwrap(), &scattered, "sums at places");
    z.at(index(0) / 9).add(&x).unwrap();
    let all: C = scattered[0] + a.iter().sum::<C>();
    let found = z.to_vec().unwrap();
    assert!((found[0] - all).norm() < 1e-13, "{} {all}", found[0]);
    assert_same(&found[1..], &scattered[1..], "the others");
}

#[test]
fn sums_and_scans() {
    let cx = context();
    let a = numbers(60, 0.5);
    let x = cx.array(&[5, 12], &a).unwrap();
    let (all, n) = cx
        .reduce((sum(&x * &x).in_order(), sum(x.norm_sqr()).in_order()))
        .unwrap();
    let squares = a.iter().fold(C::default(), |s, z| s + z * z);
    assert_same(&[all], &[squares], "sum");
    assert_same(
        &[n],
        &[a.iter().fold(0.0, |s, z| s + z.norm_sqr())],
        "norms",
    );
    let free = cx.reduce(sum(&x)).unwrap();
    assert!((free - a.iter().sum::<C>()).norm() < 1e-13);
    let rows: Array<C> = cx.zeros(&[5]).unwrap();
    rows.set_reduced(sum(&x).in_order(), &[1]).unwrap();
    let expected: Vec<C> = a
        .chunks(12)
        .map(|r| r.iter().fold(C::default(), |s, z| s + z))
        .collect();
    assert_same(&rows.to_vec().unwrap(), &expected, "rows");
    let scan: Array<C> = cx.zeros(&[5]).unwrap();
    scan.set_exclusive_scan(sum(&rows).in_order(), 0).unwrap();
    let mut so_far = C::default();
    let mut before = Vec::new();
    for r in &expected {
        before.push(so_far);
        so_far += r;
    }
    assert_same(&scan.to_vec().unwrap(), &before, "scan");
}

#[test]
fn loops_carry_both_parts() {
    let cx = context();
    let n = 50;
    let c: Vec<C> = (0..n)
        .map(|i| C::new(f64::from(i) * 0.05 - 2.0, f64::from(i % 7) * 0.1))
        .collect();
    let place = cx.vector(&c).unwrap();
    let zero = constant(C::default());
    let [z, w] = iterate(5, [&zero, &(2.0 * &place)], |[z, w]| {
        [&z * &z + &place, w + z]
    });
    let (found, other): (Array<C>, Array<C>) = (
        cx.zeros(&[n as usize]).unwrap(),
        cx.zeros(&[n as usize]).unwrap(),
    );
    cx.assign((found.to(z), other.to(w))).unwrap();
    let mut expected = (Vec::new(), Vec::new());
    for c in &c {
        let (mut z, mut w) = (C::default(), 2.0 * c);
        for _ in 0..5 {
            (z, w) = (z * z + c, w + z);
        }
        expected.0.push(z);
        expected.1.push(w);
    }
    assert_same(&found.to_vec().unwrap(), &expected.0, "z");
    assert_same(&other.to_vec().unwrap(), &expected.1, "w");
    // A sum by a loop of computed ends.
    let [s] = iterate_over(0, index(0), [constant(C::default())], |k, [s]| {
        [s + place.gather(k)]
    });
    found.set(s).unwrap();
    let mut sum = C::default();
    let sums: Vec<C> = c
        .iter()
        .map(|v| {
            let before = sum;
            sum += v;
            before
        })
        .collect();
    assert_same(&found.to_vec().unwrap(), &sums, "sums");
}

#[test]
fn single_precision() {
    let cx = context();
    let a: Vec<Complex<f32>> = numbers(20, 0.0)
        .iter()
        .map(|z| Complex::new(z.re as f32, z.im as f32))
        .collect();
    let x = cx.vector(&a).unwrap();
    let found = set(&cx, 20, 0.5 * &x * x.conj() + Complex::new(1.0f32, 2.0));
    let expected: Vec<Complex<f32>> = a
        .iter()
        .map(|z| 0.5 * z * z.conj() + Complex::new(1.0f32, 2.0))
        .collect();
    assert_same(&found, &expected, "f32");
}

#[test]
fn a_matrix_of_complex_numbers() {
    let cx = context();
    let values = numbers(4, 0.0);
    let a = cx
        .csr([3, 3], &[0, 2, 2, 4], &[0, 2, 1, 2], &values)
        .unwrap();
    let b = numbers(3, 9.0);
    let x = cx.vector(&b).unwrap();
    let found = set(&cx, 3, a.mul(&x));
    let zero = C::default();
    let expected = [
        zero + values[0] * b[0] + values[1] * b[2],
        zero,
        zero + values[2] * b[1] + values[3] * b[2],
    ];
    assert_same(&found, &expected, "product");
}

#[test]
fn shapes_that_differ_name_the_operator() {
    let cx = context();
    let (x, y): (Array<C>, Array<C>) = (cx.zeros(&[3]).unwrap(), cx.zeros(&[4]).unwrap());
    for (e, op) in [(&x * &y, '*'), (&x / &y, '/'), (&x + &y, '+')] {
        let said = x.set(e).unwrap_err().to_string();
        let expected = format!("the operands of `{op}` have the shapes 3 and 4");
        assert!(
            said.contains("complex.rs") && said.contains(&expected),
            "{said}"
        );
    }
}
