//! Sums, extrema and the like, of all and along axes.

use super::support::{assert_made, context};
use terrace::array::{all, any, count_true, max, min, product, sum};

#[test]
fn several_at_once_are_one_kernel() {
    let cx = context();
    let host: Vec<f64> = (0..10_000)
        .map(|i| f64::from(i * 7919 % 1000) - 300.0)
        .collect();
    let x = cx.vector(&host).unwrap();
    let y = cx
        .vector(&host.iter().map(|v| v * 0.5).collect::<Vec<_>>())
        .unwrap();
    let (dot, lo, hi) = cx.reduce((sum(&x * &y), min(&x), max(&x - &y))).unwrap();
    // Sums of halves of integers are exact in any order.
    assert_eq!(dot, host.iter().map(|v| v * v * 0.5).sum::<f64>());
    assert_eq!((lo, hi), (-300.0, 349.5));
    assert_made(&cx, 1);
    let again = cx.reduce((sum(&x * &y), min(&x), max(&x - &y))).unwrap();
    assert_eq!(again, (dot, lo, hi));
    assert_made(&cx, 1);
}

#[test]
fn all_types_are_reduced() {
    let cx = context();
    let i = cx.vector(&[3i32, -5, 7, i32::MAX]).unwrap();
    let s = 5i32.wrapping_add(i32::MAX);
    assert_eq!(
        cx.reduce((sum(&i), min(&i), max(&i))).unwrap(),
        (s, -5, i32::MAX)
    );
    let u = cx.vector(&[3u64, u64::MAX, 7]).unwrap();
    assert_eq!(
        cx.reduce((sum(&u), min(&u), max(&u))).unwrap(),
        (9, 3, u64::MAX)
    );
    let f = cx.vector(&[3.0f32, f32::NAN, -7.5]).unwrap();
    assert_eq!(cx.reduce((min(&f), max(&f))).unwrap(), (-7.5, 3.0));
    assert!(cx.reduce(sum(&f)).unwrap().is_nan());
    let p = cx.vector(&[3i64, -5, 7]).unwrap();
    assert_eq!(cx.reduce(product(&p)).unwrap(), -105);
    let p = cx.vector(&[0.5f64, 8.0, -3.0]).unwrap();
    assert_eq!(cx.reduce(product(&p)).unwrap(), -12.0);
}

#[test]
fn conditions_are_reduced() {
    let cx = context();
    let x = cx.vector(&[1, 2, 3, 4, 5]).unwrap();
    let found = cx
        .reduce((all(x.gt(0)), all(x.gt(1)), any(x.gt(4)), any(x.gt(5))))
        .unwrap();
    assert_eq!(found, (true, false, true, false));
    assert_eq!(cx.reduce(count_true((&x % 2).eq(1))).unwrap(), 3);
    let none = cx.vector::<i32>(&[]).unwrap();
    assert_eq!(
        cx.reduce((all(none.gt(0)), any(none.gt(0)))).unwrap(),
        (true, false)
    );
}

#[test]
fn sums_in_order_have_the_bits_of_a_loop() {
    let cx = context();
    let host: Vec<f64> = (0..5000)
        .map(|i| (f64::from(i) * 0.37).sin() / 3.0)
        .collect();
    let x = cx.vector(&host).unwrap();
    let mut expected = 0.0;
    for v in &host {
        expected += v * v;
    }
    assert_eq!(cx.reduce(sum(&x * &x).in_order()).unwrap(), expected);
    // In another order it is another sum, and nearly the same.
    let s = cx.reduce(sum(&x * &x)).unwrap();
    assert!((s - expected).abs() < 1e-11 * expected, "{s} {expected}");
}

#[test]
fn arrays_of_several_axes_are_reduced_whole() {
    let cx = context();
    let a = cx.array(&[2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(cx.reduce((sum(&a), max(&a))).unwrap(), (21, 6));
    let t = a.transposed();
    assert_eq!(cx.reduce(sum(&t * t.step_axis(0, 1))).unwrap(), 91);
}

#[test]
fn axes_are_reduced() {
    let cx = context();
    let host: Vec<i64> = (0..2 * 3 * 4).collect();
    let a = cx.array(&[2, 3, 4], &host).unwrap();
    let at = |i: usize, j: usize, k: usize| host[(i * 3 + j) * 4 + k];
    let b = cx.zeros::<i64>(&[2, 4]).unwrap();
    b.set_reduced(sum(&a * 2), &[1]).unwrap();
    let mut expected = Vec::new();
    for i in 0..2 {
        for k in 0..4 {
            expected.push((0..3).map(|j| 2 * at(i, j, k)).sum::<i64>());
        }
    }
    assert_eq!(b.to_vec().unwrap(), expected);
    let c = cx.zeros::<i64>(&[3]).unwrap();
    c.set_reduced(max(&a), &[0, 2]).unwrap();
    assert_eq!(c.to_vec().unwrap(), [15, 19, 23]);
    // Of rows, as softmax needs them.
    let rows = cx.zeros::<i64>(&[2, 3]).unwrap();
    rows.set_reduced(min(&a), &[2]).unwrap();
    assert_eq!(rows.to_vec().unwrap(), [0, 4, 8, 12, 16, 20]);
    let one = cx.zeros::<i64>(&[1]).unwrap();
    one.set_reduced(sum(&a), &[0, 1, 2]).unwrap();
    assert_eq!(one.to_vec().unwrap(), [276]);
}

#[test]
fn a_single_element_takes_a_reduction_of_all() {
    let cx = context();
    let a = cx.array(&[2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    let one = cx.zeros(&[]).unwrap();
    one.set_reduced(sum(&a), &[1, 0]).unwrap();
    assert_eq!(one.to_vec().unwrap(), [21]);
    let row = cx.zeros(&[2]).unwrap();
    row.index_axis(0, 1).set_reduced(max(&a), &[0, 1]).unwrap();
    assert_eq!(row.to_vec().unwrap(), [0, 6]);
    let all = (
        (sum(&a), product(&a), min(&a), max(&a)),
        (all(a.gt(0)), any(a.gt(6)), count_true(a.gt(3)), sum(-&a)),
    );
    assert_eq!(
        cx.reduce(all).unwrap(),
        ((21, 720, 1, 6), (true, false, 3, -21))
    );
}
