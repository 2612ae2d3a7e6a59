//! Loops inside of kernels, held against the same functions on numbers.

use super::support::{assert_made, assert_same, context};
use terrace::array::{Expr, Real, constant, index, iterate, iterate_over, sum};

/// The derivative of Lorenz' system.
fn lorenz<R: Real>([x, y, z]: [R; 3], r: R) -> [R; 3] {
    let (sigma, b) = (R::number(10.0), R::number(8.0 / 3.0));
    [
        sigma * (y.clone() - x.clone()),
        x.clone() * (r - z.clone()) - y.clone(),
        x * y - b * z,
    ]
}

/// A step of Runge and Kutta's method of fourth order.
fn rk4<R: Real>(f: impl Fn([R; 3]) -> [R; 3], s: [R; 3], h: f64) -> [R; 3] {
    let along = |s: &[R; 3], k: &[R; 3], h: f64| -> [R; 3] {
        std::array::from_fn(|i| s[i].clone() + R::number(h) * k[i].clone())
    };
    let k1 = f(s.clone());
    let k2 = f(along(&s, &k1, h / 2.0));
    let k3 = f(along(&s, &k2, h / 2.0));
    let k4 = f(along(&s, &k3, h));
    let two = R::number(2.0);
    std::array::from_fn(|i| {
        let middle = two.clone() * (k2[i].clone() + k3[i].clone());
        let all = k1[i].clone() + middle + k4[i].clone();
        s[i].clone() + R::number(h / 6.0) * all
    })
}

#[test]
fn an_ensemble_is_one_kernel() {
    let cx = context();
    let n = 37;
    let start: Vec<f64> = (0..n).map(|i| 1.0 + f64::from(i) * 0.01).collect();
    let r: Vec<f64> = (0..n).map(|i| 0.5 + f64::from(i)).collect();
    let s = [0, 1, 2].map(|_| cx.vector(&start).unwrap());
    let big_r = cx.vector(&r).unwrap();
    let go = |steps| {
        let first = s.each_ref();
        let [x, y, z] = iterate(steps, first, |q| {
            rk4(|q| lorenz(q, (*big_r).clone()), q, 0.01)
        });
        cx.assign((s[0].to(x), s[1].to(y), s[2].to(z))).unwrap();
    };
    go(100);
    go(0);
    go(23);
    assert_made(&cx, 1);
    let found = s.each_ref().map(|a| a.to_vec().unwrap());
    for k in 0..n as usize {
        let mut q = [start[k]; 3];
        for _ in 0..123 {
            q = rk4(|q| lorenz(q, r[k]), q, 0.01);
        }
        assert_same(&found.each_ref().map(|f| f[k]), &q, &format!("system {k}"));
    }
}

#[test]
fn loops_nest_and_use_what_is_around() {
    let cx = context();
    let x = cx.vector(&[1i64, 2, 3]).unwrap();
    let y = cx.zeros(&[3]).unwrap();
    // Three times: a = sum of four (a + x), b counts.
    let [a, b] = iterate(3, [(*x).clone(), constant(0)], |[a, b]| {
        let [inner] = iterate(4, [constant(0)], |[s]| [s + &a + &x]);
        [inner, b + 1]
    });
    y.set(100 * a + b).unwrap();
    let expected: Vec<i64> = [1i64, 2, 3]
        .iter()
        .map(|x| {
            let mut a = *x;
            for _ in 0..3 {
                a = 4 * (a + x);
            }
            100 * a + 3
        })
        .collect();
    assert_eq!(y.to_vec().unwrap(), expected);
}

#[test]
fn loops_stand_in_sums() {
    let cx = context();
    let x = cx.vector(&[0.5, 2.0, 9.0]).unwrap();
    let [root] = iterate(30, [&x], |[r]| [0.5 * (&r + &x / &r)]);
    let s = cx.reduce(sum(&root * &root)).unwrap();
    assert!((s - 11.5).abs() < 1e-12, "{s}");
}

#[test]
fn branches_are_choices() {
    fn collatz(count: u64, k: &Expr<i64>) -> [Expr<i64>; 2] {
        iterate(count, [k.clone(), constant(0)], |[k, steps]| {
            let next = (&k % 2).eq(0).select(&k / 2, 3 * &k + 1);
            let done = k.le(1);
            [done.select(&k, next), steps + done.select(0, 1)]
        })
    }
    let cx = context();
    let x = cx.vector(&[1i64, 6, 7, 27]).unwrap();
    let steps = cx.zeros(&[4]).unwrap();
    steps.set(&collatz(200, &x)[1]).unwrap();
    assert_eq!(steps.to_vec().unwrap(), [0, 8, 16, 111]);
}

#[test]
fn what_is_handed_on_stays_inside() {
    let cx = context();
    let x = cx.vector(&[1.0]).unwrap();
    let mut outside = None;
    let [y] = iterate(2, [&x], |[s]| {
        outside = Some(s.clone());
        [s + 1.0]
    });
    x.set(y).unwrap();
    assert_eq!(x.to_vec().unwrap(), [3.0]);
    let text = x.set(outside.unwrap() * 2.0).unwrap_err().to_string();
    let said = "a value that `iterate` hands on is used outside of the step; use what `iterate` \
                gives instead";
    assert!(text.ends_with(said), "{text}");
}

#[test]
fn loops_have_counters_and_computed_ends() {
    let cx = context();
    let host: Vec<f64> = (0..50).map(|i| (f64::from(i) * 0.3).sin()).collect();
    let x = cx.vector(&host).unwrap();
    let to: Vec<i64> = (0..50).map(|i| i * 17 % 53 - 2).collect();
    let ends = cx.vector(&to).unwrap();
    let y = cx.zeros(&[50]).unwrap();
    // Where the end is not above the beginning there is nothing.
    let [s] = iterate_over(index(0) / 2, &ends, [&x], |k, [s]| {
        [s * 0.5 + x.gather(&k) * k.cast::<f64>()]
    });
    y.set(s + 1.0).unwrap();
    let mut expected = Vec::new();
    for i in 0..50 {
        let mut s = host[i as usize];
        for k in i / 2..to[i as usize] {
            s = s * 0.5 + host[k.clamp(0, 49) as usize] * k as f64;
        }
        expected.push(s + 1.0);
    }
    assert_same(&y.to_vec().unwrap(), &expected, "counted");
    // From numbers, nested, with ends that the loop around counts.
    let z = cx.zeros::<i64>(&[4]).unwrap();
    let [s] = iterate_over(3, 6, [index(0)], |k, [s]| {
        let [t] = iterate_over(0, &k, [s], |j, [t]| [t + &k * &j]);
        [t + iterate(2, [&k], |[t]| [t + 1])[0].clone()]
    });
    z.set(s).unwrap();
    let sum: i64 = (3..6)
        .map(|k| (0..k).map(|j| k * j).sum::<i64>() + k + 2)
        .sum();
    assert_eq!(z.to_vec().unwrap(), [sum, sum + 1, sum + 2, sum + 3]);
    // A counter stays inside.
    let mut kept = None;
    let _ = iterate_over(0, 3, [&x], |k, [s]| {
        kept = Some(k);
        [s]
    });
    let said = z.set(kept.unwrap()).unwrap_err().to_string();
    assert!(said.contains("outside of the step"), "{said}");
}
