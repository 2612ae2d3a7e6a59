//! Recorded steps, held against the same functions of numbers.

use super::support::{assert_made, assert_same, context};
use terrace::array::{Array, Complex, Context, Expr, Real, constant, iterate, iterate_over};

/// The derivative of Lorenz' system.
fn lorenz<R: Real>([x, y, z]: [R; 3], r: R) -> [R; 3] {
    let (sigma, b) = (R::number(10.0), R::number(8.0 / 3.0));
    [
        sigma * (y.clone() - x.clone()),
        x.clone() * (r - z.clone()) - y.clone(),
        x * y - b * z,
    ]
}

/// A step of Heun's method.
fn heun<R: Real>(s: [R; 3], [r]: [R; 1]) -> [R; 3] {
    let step = R::number(0.01);
    let slope = lorenz(s.clone(), r.clone());
    let ahead = std::array::from_fn(|i| s[i].clone() + step.clone() * slope[i].clone());
    let other = lorenz(ahead, r);
    std::array::from_fn(|i| {
        let both = slope[i].clone() + other[i].clone();
        s[i].clone() + R::number(0.5) * step.clone() * both
    })
}

fn start(cx: &Context, n: usize) -> ([Array<f64>; 3], Vec<f64>) {
    let host: Vec<f64> = (0..n).map(|i| 1.0 + i as f64 * 0.01).collect();
    ([0, 1, 2].map(|_| cx.vector(&host).unwrap()), host)
}

#[test]
fn a_step_is_recorded_once_and_run_often() {
    let cx = context();
    let n = 37;
    let (s, host) = start(&cx, n);
    let r: Vec<f64> = (0..n).map(|i| 0.5 + i as f64).collect();
    let big_r = cx.vector(&r).unwrap();
    let mut called = 0;
    let step = cx
        .record(|s, r| {
            called += 1;
            heun(s, r)
        })
        .unwrap();
    for count in [100, 0, 23] {
        step.repeat(count).run(s.each_ref(), [&big_r]).unwrap();
    }
    assert_eq!(called, 1);
    assert_made(&cx, 1);
    let found = s.each_ref().map(|a| a.to_vec().unwrap());
    for k in 0..n {
        let mut q = [host[k]; 3];
        for _ in 0..123 {
            q = heun(q, [r[k]]);
        }
        assert_same(&found.each_ref().map(|f| f[k]), &q, &format!("system {k}"));
    }
    // What stays is a number as well, and other arrays have other lengths.
    let (other, host) = start(&cx, 5);
    step.repeat(2).run(other.each_ref(), [28.0]).unwrap();
    let expected: Vec<f64> = (host.iter())
        .map(|v| heun(heun([*v; 3], [28.0]), [28.0])[0])
        .collect();
    assert_same(&other[0].to_vec().unwrap(), &expected, "a number");
}

/// Collatz' sequence by branches, and a sum by a loop of its own.
fn branches<R: Real>([x, steps]: [R; 2], [limit]: [R; 1]) -> [R; 2] {
    let half = x.clone() * R::number(0.5);
    let mut up = x.clone();
    for _ in 0..2 {
        up = up + x.clone();
    }
    let next = limit
        .clone()
        .less_then(x.clone(), half, up + R::number(1.0));
    let more = steps.clone() + R::number(1.0);
    let counted = x.less_then(limit, more, steps);
    [next, counted]
}

#[test]
fn branches_and_loops() {
    let cx = context();
    let host: Vec<f64> = (1..40).map(f64::from).collect();
    let (x, steps) = (cx.vector(&host).unwrap(), cx.zeros::<f64>(&[39]).unwrap());
    let step = cx.record(branches).unwrap();
    step.repeat(50).run([&x, &steps], [10.0]).unwrap();
    let run = |v: &f64| (0..50).fold([*v, 0.0], |s, _| branches(s, [10.0]));
    let expected: Vec<[f64; 2]> = host.iter().map(run).collect();
    let column = |k: usize| expected.iter().map(|s| s[k]).collect::<Vec<_>>();
    assert_same(&x.to_vec().unwrap(), &column(0), "x");
    assert_same(&steps.to_vec().unwrap(), &column(1), "steps");
    // A loop of its own, whose length is computed.
    let x = cx.vector(&[1.0, 2.0, 3.0]).unwrap();
    let step = cx
        .record(|[x]: [Expr<f64>; 1], []| {
            let [twice] = iterate(2, [&x], |[v]| [v * constant(3.0)]);
            let count = x.cast::<i64>() % 3;
            let [sum] = iterate_over(0, count, [twice], |k, [s]| [s + k.cast::<f64>() + 1.0]);
            [sum]
        })
        .unwrap();
    step.repeat(3).run::<f64>([&x], []).unwrap();
    let run = |v: f64| {
        (0..3).fold(v, |v, _| {
            let count = v as i64 % 3;
            (0..count).fold(v * 9.0, |s, k| s + k as f64 + 1.0)
        })
    };
    assert_same(&x.to_vec().unwrap(), &[1.0, 2.0, 3.0].map(run), "loops");
}

#[test]
fn complex_numbers_and_other_arrays() {
    let cx = context();
    type C = Complex<f64>;
    let places: Vec<C> = (0..20)
        .map(|i| C::new(f64::from(i) * 0.1 - 1.5, 0.2))
        .collect();
    let c = cx.vector(&places).unwrap();
    let z: Array<C> = cx.zeros(&[20]).unwrap();
    let step = cx.record(|[z], [c]| [&z * &z + c]).unwrap();
    step.repeat(6).run([&z], [&c]).unwrap();
    let run = |c: &C| (0..6).fold(C::default(), |z, _| z * z + c);
    let expected: Vec<C> = places.iter().map(run).collect();
    assert_same(&z.to_vec().unwrap(), &expected, "z");
    // Arrays that the step reads are those that there are when it runs.
    let (x, y) = (
        cx.vector(&[1.0, 2.0]).unwrap(),
        cx.vector(&[10.0, 20.0]).unwrap(),
    );
    let step = cx.record(|[x], []| [x + &*y]).unwrap();
    y.fill(5.0).unwrap();
    step.repeat(2).run::<f64>([&x], []).unwrap();
    assert_same(&x.to_vec().unwrap(), &[11.0, 12.0], "x + 2 y");
}

#[test]
fn what_is_wrong_is_told() {
    let cx = context();
    let (x, y) = (
        cx.vector(&[1.0, 2.0]).unwrap(),
        cx.vector(&[1.0; 3]).unwrap(),
    );
    let said = cx
        .record(|[s]: [Expr<f64>; 1], []| [s + (&x + &y)])
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("record.rs") && said.contains("2 and 3"),
        "{said}"
    );
    let step = cx.record(|[s]: [Expr<f64>; 1], [p]| [s + p]).unwrap();
    let said = step.repeat(1).run([&x], [&y]).unwrap_err().to_string();
    assert!(said.contains("the shapes 2 and 3"), "{said}");
    // What stands for values means nothing elsewhere.
    let mut kept = None;
    let step = cx
        .record(|[s], []| {
            kept = Some(s.clone());
            [s + 1.0]
        })
        .unwrap();
    step.repeat(1).run::<f64>([&x], []).unwrap();
    let said = y.set(kept.unwrap()).unwrap_err().to_string();
    assert!(said.contains("outside of the step"), "{said}");
}
