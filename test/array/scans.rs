//! Running sums and the like.

use super::support::{assert_made, assert_same, context};
use terrace::array::{any, max, min, product, sum};

#[test]
fn running_sums_of_integers() {
    let cx = context();
    for n in [1usize, 2, 31, 1000, 5000] {
        let host: Vec<i64> = (0..n as i64).map(|i| i * 7919 % 101 - 50).collect();
        let x = cx.vector(&host).unwrap();
        let (y, z) = (cx.zeros(&[n]).unwrap(), cx.zeros(&[n]).unwrap());
        y.set_scan(sum(&x * 2), 0).unwrap();
        z.set_exclusive_scan(sum(&x * 2), 0).unwrap();
        let (mut s, mut up_to, mut before) = (0, Vec::new(), Vec::new());
        for v in &host {
            before.push(s);
            s += v * 2;
            up_to.push(s);
        }
        assert_eq!(y.to_vec().unwrap(), up_to);
        assert_eq!(z.to_vec().unwrap(), before);
    }
    assert_made(&cx, 2);
}

#[test]
fn running_sums_of_floats_in_order() {
    let cx = context();
    let host: Vec<f64> = (0..700).map(|i| (f64::from(i) * 0.7).sin()).collect();
    let x = cx.vector(&host).unwrap();
    let y = cx.zeros(&[700]).unwrap();
    y.set_scan(sum(&x).in_order(), 0).unwrap();
    let mut s = 0.0;
    let mut expected = Vec::new();
    for v in &host {
        s += v;
        expected.push(s);
    }
    assert_same(&y.to_vec().unwrap(), &expected, "in order");
    y.set_scan(sum(&x), 0).unwrap();
    for (f, e) in y.to_vec().unwrap().iter().zip(&expected) {
        assert!((f - e).abs() < 1e-12, "{f} {e}");
    }
}

#[test]
fn other_running_values() {
    let cx = context();
    let x = cx.vector(&[3i32, 1, 4, 1, 5]).unwrap();
    let y = cx.zeros(&[5]).unwrap();
    y.set_scan(max(&x), 0).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3, 3, 4, 4, 5]);
    y.set_scan(min(&x), 0).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3, 1, 1, 1, 1]);
    y.set_exclusive_scan(product(&x), 0).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1, 3, 3, 12, 12]);
    let seen = cx.zeros::<bool>(&[5]).unwrap();
    seen.set_scan(any(x.gt(3)), 0).unwrap();
    assert_eq!(seen.to_vec().unwrap(), [false, false, true, true, true]);
    // In place, from behind.
    x.invert_axis(0).set_scan(sum(x.invert_axis(0)), 0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [14, 11, 10, 6, 5]);
}

#[test]
fn scans_along_axes() {
    let cx = context();
    let a = cx.array(&[2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    let b = cx.zeros(&[2, 3]).unwrap();
    b.set_scan(sum(&a), 1).unwrap();
    assert_eq!(b.to_vec().unwrap(), [1, 3, 6, 4, 9, 15]);
    b.set_scan(sum(&a), 0).unwrap();
    assert_eq!(b.to_vec().unwrap(), [1, 2, 3, 5, 7, 9]);
    a.set_scan(sum(&a), 1).unwrap();
    assert_eq!(a.to_vec().unwrap(), [1, 3, 6, 4, 9, 15]);
    let none = cx.zeros::<i32>(&[0]).unwrap();
    none.set_scan(sum(&none), 0).unwrap();
    let text = b.set_scan(sum(&a), 2).unwrap_err().to_string();
    assert!(text.contains("axis 2 of an array of shape 2 x 3"), "{text}");
}
