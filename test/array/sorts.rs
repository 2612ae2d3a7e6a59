//! Sorted arrays and orders, held against Rust's stable sort.

use super::support::{assert_made, assert_same, context, floats, integers};
use std::cmp::Ordering;
use terrace::array::{Context, Element, Key, index};

/// Lengths around those of runs, merges and blocks of threads.
const LENGTHS: [usize; 9] = [0, 1, 2, 31, 32, 33, 64, 97, 1000];

/// Numbers without an order, few enough that some are equal.
fn mixed(i: usize, n: usize) -> u64 {
    (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) % (n as u64 / 2 + 3)
}

fn order_of<T>(all: &[T], f: impl Fn(&T, &T) -> Ordering) -> Vec<i64> {
    let mut order: Vec<i64> = (0..all.len() as i64).collect();
    order.sort_by(|a, b| f(&all[*a as usize], &all[*b as usize]));
    order
}

fn check<T: Key>(cx: &Context, host: &[T], cmp: fn(&T, &T) -> Ordering) {
    let what = format!("{} of {}", host.len(), std::any::type_name::<T>());
    let x = cx.vector(host).unwrap();
    let order = x.argsort().unwrap();
    let expected = order_of(host, cmp);
    assert_eq!(order.to_vec().unwrap(), expected, "{what}");
    x.sort().unwrap();
    let sorted: Vec<T> = expected.iter().map(|p| host[*p as usize]).collect();
    assert_same(&x.to_vec().unwrap(), &sorted, &what);
}

#[test]
fn all_types_are_sorted() {
    let cx = context();
    for n in LENGTHS {
        let of = |i: usize| mixed(i, n);
        macro_rules! integers {
            ($($t:ty)*) => {$(
                let middle = (n / 4) as $t;
                let host: Vec<$t> =
                    (0..n).map(|i| (of(i) as $t).wrapping_sub(middle)).collect();
                check(&cx, &host, <$t>::cmp);
            )*};
        }
        integers!(u32 i32 u64 i64);
        let host: Vec<f64> = (0..n)
            .map(|i| of(i) as f64 * 0.5 - n as f64 / 8.0)
            .collect();
        check(&cx, &host, f64::total_cmp);
        let host: Vec<f32> = host.iter().map(|v| *v as f32).collect();
        check(&cx, &host, f32::total_cmp);
        let host: Vec<bool> = (0..n).map(|i| of(i) % 2 == 1).collect();
        check(&cx, &host, bool::cmp);
    }
}

#[test]
fn numbers_with_all_their_digits() {
    let cx = context();
    // Around the tiles of blocks on devices.
    for n in [2047usize, 2048, 2049, 3073, 4096, 4097, 12_289] {
        let random = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = |i: usize| random(i) ^ random(i) >> 29;
        let wide: Vec<u64> = (0..n).map(mixed).collect();
        check(&cx, &wide, u64::cmp);
        let narrow: Vec<u32> = wide.iter().map(|v| (v >> 17) as u32).collect();
        check(&cx, &narrow, u32::cmp);
        let floats: Vec<f64> = wide.iter().map(|v| f64::from_bits(*v)).collect();
        check(&cx, &floats, f64::total_cmp);
        // Of a few bits, far up.
        let few: Vec<i64> = wide.iter().map(|v| ((v % 37) << 50) as i64 - 5).collect();
        check(&cx, &few, i64::cmp);
    }
}

#[test]
fn special_numbers_have_a_place() {
    let cx = context();
    let mut host = floats();
    host.extend([-f64::NAN, f64::MIN_POSITIVE, f64::from_bits(1), -0.0, 0.0]);
    let bits = |x: &[f64]| x.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let x = cx.vector(&host).unwrap();
    x.sort().unwrap();
    host.sort_by(f64::total_cmp);
    // Also NaNs keep their bits.
    assert_eq!(bits(&x.to_vec().unwrap()), bits(&host));
    let host = integers();
    check(&cx, &host, i64::cmp);
    let host: Vec<u64> = host.iter().map(|v| *v as u64).collect();
    check(&cx, &host, u64::cmp);
    let host: Vec<i32> = host.iter().map(|v| *v as i32).collect();
    check(&cx, &host, i32::cmp);
}

#[test]
fn what_is_in_order_already_and_what_is_turned() {
    let cx = context();
    let n = 300i64;
    for host in [
        (0..n).collect::<Vec<i64>>(),
        (0..n).rev().collect(),
        vec![7; n as usize],
        (0..n).map(|i| i % 2).collect(),
    ] {
        check(&cx, &host, i64::cmp);
    }
}

#[test]
fn tuples_are_in_order_by_their_first_difference() {
    let cx = context();
    let n = 500;
    let a: Vec<i32> = (0..n).map(|i| mixed(i, 8) as i32 - 2).collect();
    let b: Vec<f64> = (0..n).map(|i| mixed(i * 3 + 1, 6) as f64 * 0.5).collect();
    let c: Vec<bool> = (0..n).map(|i| mixed(i + 7, 9).is_multiple_of(3)).collect();
    let rows: Vec<_> = (0..n).map(|i| (a[i], b[i], c[i])).collect();
    let (x, y, z) = (
        cx.vector(&a).unwrap(),
        cx.vector(&b).unwrap(),
        cx.vector(&c).unwrap(),
    );
    let two = cx.argsort((&x, &y)).unwrap();
    let by_two =
        |l: &(i32, f64, bool), r: &(i32, f64, bool)| l.0.cmp(&r.0).then(l.1.total_cmp(&r.1));
    assert_eq!(two.to_vec().unwrap(), order_of(&rows, by_two));
    // Expressions are keys: from above, then by a sum.
    let three = cx.argsort((-&x, &y * 2.0 + 1.0, !&z)).unwrap();
    let expected = order_of(&rows, |l, r| {
        (r.0.cmp(&l.0))
            .then(l.1.total_cmp(&r.1))
            .then(r.2.cmp(&l.2))
    });
    assert_eq!(three.to_vec().unwrap(), expected);
}

#[test]
fn others_are_sorted_by_keys() {
    let cx = context();
    let n = 200;
    let keys: Vec<u32> = (0..n).map(|i| mixed(i, 40) as u32).collect();
    let k = cx.vector(&keys).unwrap();
    let values = cx.zeros::<i64>(&[n]).unwrap();
    values.set(index(0)).unwrap();
    values.sort_by_key(&k).unwrap();
    let expected = order_of(&keys, u32::cmp);
    assert_eq!(values.to_vec().unwrap(), expected);
    // Of a part of an array, from behind.
    let all = cx.zeros::<i64>(&[2 * n]).unwrap();
    let part = all.step_axis(0, 2).invert_axis(0);
    part.set(index(0)).unwrap();
    part.sort_by_key(&k).unwrap();
    assert_eq!(part.to_vec().unwrap(), expected);
    part.sort().unwrap();
    assert!(part.to_vec().unwrap().into_iter().eq(0..n as i64));
    assert_eq!(all.to_vec().unwrap()[1], 0);
}

#[test]
fn a_function_says_what_comes_before() {
    let cx = context();
    let n = 700;
    let x: Vec<f64> = (0..n).map(|i| mixed(i, 90) as f64 - 20.0).collect();
    let y: Vec<f64> = (0..n).map(|i| mixed(i * 5 + 2, 70) as f64 - 20.0).collect();
    let (a, b) = (cx.vector(&x).unwrap(), cx.vector(&y).unwrap());
    // By the distance from a point.
    let order = cx.argsort_by((&a, &b), |l, r| {
        let far = |p: &(terrace::array::Expr<f64>, terrace::array::Expr<f64>)| {
            (&p.0 - 1.0).powi(2) + (&p.1 - 2.0).powi(2)
        };
        far(l).lt(far(r))
    });
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).collect();
    let far = |p: &(f64, f64)| (p.0 - 1.0).powi(2) + (p.1 - 2.0).powi(2);
    let expected = order_of(&points, |l, r| far(l).total_cmp(&far(r)));
    assert_eq!(order.unwrap().to_vec().unwrap(), expected);
    // A single key, from above; equal ones stay in order.
    let order = cx.argsort_by(&a, |l, r| l.gt(r)).unwrap();
    let expected = order_of(&x, |l, r| r.total_cmp(l));
    assert_eq!(order.to_vec().unwrap(), expected);
}

/// A function that is no order gives any order, and no place is beside the array.
#[test]
fn a_function_that_is_no_order_does_no_harm() {
    // Places coincide then, which an emulator tells as races.
    if std::env::var("TERRACE_TARGET").is_ok_and(|t| t == "emulator")
        || std::env::var_os("TERRACE_ARRAY_ALL").is_some()
    {
        return;
    }
    let cx = context();
    let x: Vec<u32> = (0..300).map(|i| mixed(i, 90) as u32).collect();
    let x = cx.vector(&x).unwrap();
    let order = cx.argsort_by(&x, |_, _| index(0).ge(0)).unwrap();
    assert!(order.to_vec().unwrap().iter().all(|p| (0..300).contains(p)));
}

#[test]
fn lengths_need_no_kernels_of_their_own() {
    let cx = context();
    let sort = |n: usize| {
        let host: Vec<u32> = (0..n).map(|i| mixed(i, n) as u32).collect();
        cx.vector(&host).unwrap().sort().unwrap();
    };
    sort(100);
    let made = cx.kernels().compiled;
    sort(5000);
    assert_made(&cx, made);
}

#[test]
fn what_is_not_sorted() {
    let cx = context();
    let a = cx.array(&[2, 2], &[1u32, 2, 3, 4]).unwrap();
    let x = cx.vector(&[1u32, 2, 3]).unwrap();
    let said = |e: Result<(), terrace::array::ArrayError>| e.unwrap_err().to_string();
    let text = said(a.sort());
    assert!(
        text.ends_with("what is sorted has the shape 2 x 2; it must have one axis"),
        "{text}"
    );
    assert!(text.contains("sorts.rs:"), "{text}");
    let text = said(x.sort_by_key(&a));
    assert!(
        text.contains("what is sorted has the shape 2 x 2"),
        "{text}"
    );
    let text = said(cx.argsort((&x, x.range(0..2))).map(|_| ()));
    assert!(
        text.contains("the operands of `sort` have the shapes 3 and 2"),
        "{text}"
    );
    let text = said(x.sort_by_key(x.range(0..2)));
    assert!(
        text.contains("an expression of shape 2 is assigned"),
        "{text}"
    );
    let text = said(cx.argsort(index(0)).map(|_| ()));
    assert!(text.contains("`sort` has no array"), "{text}");
    let text = said(x.range(2..9).sort());
    assert!(text.contains("does not lie in an array"), "{text}");
}

/// Types of elements that are keys are those of all arrays.
#[test]
fn keys_are_elements() {
    fn element<T: Key + Element>() {}
    element::<bool>();
}

#[test]
fn several_threads_use_one_context() {
    let cx = context();
    std::thread::scope(|s| {
        for t in 0..4usize {
            let cx = &cx;
            s.spawn(move || {
                for n in [40, 300 + t] {
                    let host: Vec<u32> = (0..n).map(|i| mixed(i + t, n) as u32).collect();
                    check(cx, &host, u32::cmp);
                    let counts = cx.zeros::<i64>(&[n + 3]).unwrap();
                    let places = cx.vector(&host).unwrap().cast::<i64>();
                    counts.at(places).add(1).unwrap();
                    let mut expected = vec![0; n + 3];
                    host.iter().for_each(|p| expected[*p as usize] += 1);
                    assert_eq!(counts.to_vec().unwrap(), expected);
                }
            });
        }
    });
}
