//! Scans and reductions of elements with equal keys, held against loops.

use super::support::{assert_made, assert_same, context};
use terrace::array::{Element, RealNumber, all, any, constant, count_true, max, min, product, sum};

/// Keys in runs of 1, 2, 3 and so on up to a length, and again; equal ones come back later.
fn runs(n: usize, longest: usize) -> Vec<i32> {
    let mut keys = Vec::new();
    let mut length = 1;
    while keys.len() < n {
        let key = (length * 7 % 5) as i32 - keys.len() as i32 % 2;
        keys.extend(std::iter::repeat_n(key, length));
        length = length % longest + 1;
    }
    keys.truncate(n);
    keys
}

/// What a loop makes of them: the running values, and those before each element.
fn scanned<T: Element>(
    keys: &[i32],
    x: &[T],
    nothing: T,
    f: impl Fn(T, T) -> T,
) -> (Vec<T>, Vec<T>) {
    let (mut up_to, mut before) = (Vec::new(), Vec::new());
    for (i, x) in x.iter().enumerate() {
        let first = i == 0 || keys[i] != keys[i - 1];
        before.push(if first { nothing } else { up_to[i - 1] });
        up_to.push(if first { *x } else { f(up_to[i - 1], *x) });
    }
    (up_to, before)
}

/// The keys of runs, and the last running value of each.
fn reduced<T: Element>(keys: &[i32], up_to: &[T]) -> (Vec<i32>, Vec<T>) {
    let last = |i: &usize| i + 1 == keys.len() || keys[*i] != keys[i + 1];
    let ends: Vec<usize> = (0..keys.len()).filter(last).collect();
    let of_keys = ends.iter().map(|i| keys[*i]).collect();
    (of_keys, ends.iter().map(|i| up_to[*i]).collect())
}

fn check<T: RealNumber>(x: &[T], ends: [T; 4], f: [fn(T, T) -> T; 4]) {
    let cx = context();
    let keys = runs(x.len(), 40);
    let (k, v) = (cx.vector(&keys).unwrap(), cx.vector(x).unwrap());
    let (y, z) = (
        cx.zeros::<T>(&[x.len()]).unwrap(),
        cx.zeros(&[x.len()]).unwrap(),
    );
    let reductions = || [sum(&v), product(&v), min(&v), max(&v)];
    for (n, f) in f.into_iter().enumerate() {
        let (up_to, before) = scanned(&keys, x, ends[n], f);
        let reduction = |n: usize| reductions().into_iter().nth(n).unwrap();
        y.set_scan_by_key(&k, reduction(n), 0).unwrap();
        assert_same(&y.to_vec().unwrap(), &up_to, "up to");
        z.set_exclusive_scan_by_key(&k, reduction(n), 0).unwrap();
        assert_same(&z.to_vec().unwrap(), &before, "before");
        let (of, r) = cx.reduce_by_key(&k, reduction(n)).unwrap();
        let (expected_keys, expected) = reduced(&keys, &up_to);
        assert_eq!(of.to_vec().unwrap(), expected_keys);
        assert_same(&r.to_vec().unwrap(), &expected, "reduced");
    }
}

#[test]
fn all_types_are_folded_by_key() {
    macro_rules! integers {
        ($($t:ty)*) => {$(
            let x: Vec<$t> = (0..900).map(|i: i64| (i * 7919 % 101 - 50) as $t).collect();
            let ends = [0, 1, <$t>::MAX, <$t>::MIN];
            check(&x, ends, [<$t>::wrapping_add, <$t>::wrapping_mul, <$t>::min, <$t>::max]);
        )*};
    }
    integers!(i32 u64);
    macro_rules! floats {
        ($($t:ty)*) => {$(
            // Sums and products of these are exact in any order.
            let x: Vec<$t> =
                (0..900).map(|i: usize| [0.5, 1.0, 2.0, -1.0][i * 7 % 9 % 4]).collect();
            let ends = [0.0, 1.0, <$t>::NAN, <$t>::NAN];
            check(&x, ends, [|a, b| a + b, |a, b| a * b, <$t>::min, <$t>::max]);
        )*};
    }
    floats!(f32 f64);
}

#[test]
fn runs_of_all_lengths() {
    let cx = context();
    let mut made = None;
    for (n, longest) in [
        (1, 1),
        (2, 1),
        (5000, 1),
        (5000, 7),
        (9000, 3000),
        (4097, 1 << 20),
    ] {
        let keys = runs(n, longest);
        let x: Vec<i64> = (0..n as i64).map(|i| i * i % 1009 - 500).collect();
        let (k, v) = (cx.vector(&keys).unwrap(), cx.vector(&x).unwrap());
        let (up_to, _) = scanned(&keys, &x, 0, |a, b| a + b);
        let y = cx.zeros(&[n]).unwrap();
        y.set_scan_by_key(&k, sum(&v), 0).unwrap();
        assert_eq!(y.to_vec().unwrap(), up_to);
        let (of, (s, count)) = cx
            .reduce_by_key(&k, (sum(&v), count_true(v.gt(-1000))))
            .unwrap();
        let (expected_keys, expected) = reduced(&keys, &up_to);
        assert_eq!(of.to_vec().unwrap(), expected_keys);
        assert_eq!(s.to_vec().unwrap(), expected);
        assert_eq!(count.to_vec().unwrap().iter().sum::<u64>(), n as u64);
        // No length needs kernels of its own.
        let before = *made.get_or_insert(cx.kernels().compiled);
        assert_made(&cx, before);
    }
    // One key for all, and none.
    let x = cx.vector(&[1.0, 2.0, 4.0]).unwrap();
    let one = cx.vector(&[9u64; 3]).unwrap();
    let (of, s) = cx.reduce_by_key(&one, sum(&x * 2.0)).unwrap();
    assert_eq!(
        (of.to_vec().unwrap(), s.to_vec().unwrap()),
        (vec![9], vec![14.0])
    );
    let none = cx.vector::<f64>(&[]).unwrap();
    let (of, s) = cx.reduce_by_key(&none, sum(&none)).unwrap();
    assert_eq!((of.len(), s.len()), (0, 0));
    none.set_scan_by_key(&none, sum(&none), 0).unwrap();
}

#[test]
fn floats_in_order_have_the_bits_of_a_loop() {
    let cx = context();
    let keys = runs(2000, 200);
    let x: Vec<f64> = (0..2000).map(|i| (f64::from(i) * 0.7).sin()).collect();
    let (k, v) = (cx.vector(&keys).unwrap(), cx.vector(&x).unwrap());
    let (up_to, _) = scanned(&keys, &x, 0.0, |a, b| a + b);
    let y = cx.zeros(&[2000]).unwrap();
    y.set_scan_by_key(&k, sum(&v).in_order(), 0).unwrap();
    assert_same(&y.to_vec().unwrap(), &up_to, "in order");
    let (_, s) = cx.reduce_by_key(&k, sum(&v).in_order()).unwrap();
    assert_same(&s.to_vec().unwrap(), &reduced(&keys, &up_to).1, "reduced");
    y.set_scan_by_key(&k, sum(&v), 0).unwrap();
    for (f, e) in y.to_vec().unwrap().iter().zip(&up_to) {
        assert!((f - e).abs() < 1e-12, "{f} {e}");
    }
}

#[test]
fn keys_of_other_kinds() {
    let cx = context();
    let x = cx.vector(&[1i32, 2, 3, 4, 5, 6]).unwrap();
    let y = cx.zeros(&[6]).unwrap();
    // An expression, a flag, floats, of which a NaN is nobody's key.
    y.set_scan_by_key(&x / 3, sum(&x), 0).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1, 3, 3, 7, 12, 6]);
    let (of, s) = cx.reduce_by_key(x.gt(2), max(&x)).unwrap();
    assert_eq!(
        (of.to_vec().unwrap(), s.to_vec().unwrap()),
        (vec![false, true], vec![2, 6])
    );
    let nan = f64::NAN;
    let f = cx.vector(&[0.0, -0.0, nan, nan, 1.0, 1.0]).unwrap();
    let (of, s) = cx.reduce_by_key(&f, sum(&x)).unwrap();
    assert_same(&of.to_vec().unwrap(), &[-0.0, nan, nan, 1.0], "keys");
    assert_eq!(s.to_vec().unwrap(), [3, 3, 4, 11]);
    let flags = cx.zeros::<bool>(&[6]).unwrap();
    flags
        .set_scan_by_key(&x / 3, any((&x % 2).eq(0)), 0)
        .unwrap();
    assert_eq!(
        flags.to_vec().unwrap(),
        [false, true, false, true, true, true]
    );
    flags
        .set_scan_by_key(&x / 3, all((&x % 2).eq(0)), 0)
        .unwrap();
    assert_eq!(
        flags.to_vec().unwrap(),
        [false, false, false, false, false, true]
    );
    // In place, from behind, of keys that are what is written.
    let back = x.invert_axis(0);
    back.set_scan_by_key(&back / 4, sum(&back), 0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [6, 5, 3, 15, 11, 6]);
}

#[test]
fn scans_by_key_along_axes() {
    let cx = context();
    let a = cx.array(&[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let k = cx.array(&[2, 4], &[1, 1, 2, 2, 1, 3, 3, 3]).unwrap();
    let b = cx.zeros(&[2, 4]).unwrap();
    b.set_scan_by_key(&k, sum(&a), 1).unwrap();
    assert_eq!(b.to_vec().unwrap(), [1, 3, 3, 7, 5, 6, 13, 21]);
    b.set_scan_by_key(&k, sum(&a), 0).unwrap();
    assert_eq!(b.to_vec().unwrap(), [1, 2, 3, 4, 6, 6, 7, 8]);
}

#[test]
fn equal_keys_anywhere_are_sorted_first() {
    let cx = context();
    let keys: Vec<u32> = (0..600u32).map(|i| i * 7919 % 13).collect();
    let x: Vec<i64> = (0..600).collect();
    let (k, v) = (cx.vector(&keys).unwrap(), cx.vector(&x).unwrap());
    let order = k.argsort().unwrap();
    let (of, s) = cx
        .reduce_by_key(k.gather(&order), sum(v.gather(&order)))
        .unwrap();
    assert!(of.to_vec().unwrap().into_iter().eq(0..13));
    let mut expected = vec![0; 13];
    for (k, x) in keys.iter().zip(&x) {
        expected[*k as usize] += x;
    }
    assert_eq!(s.to_vec().unwrap(), expected);
    // As combining at places does.
    let sums = cx.zeros::<i64>(&[13]).unwrap();
    sums.at(k.cast::<i64>()).add(&v).unwrap();
    assert_eq!(sums.to_vec().unwrap(), expected);
}

#[test]
fn what_has_no_keys() {
    let cx = context();
    let (a, x) = (
        cx.zeros::<i32>(&[2, 2]).unwrap(),
        cx.zeros::<i32>(&[3]).unwrap(),
    );
    let said = |e: Result<(), terrace::array::ArrayError>| e.unwrap_err().to_string();
    let text = said(cx.reduce_by_key(&a, sum(&a)).map(|_| ()));
    let shape = "the keys of a reduction have the shape 2 x 2; they must have one axis";
    assert!(
        text.ends_with(shape) && text.contains("by_key.rs:"),
        "{text}"
    );
    let text = said(cx.reduce_by_key(constant(1i32), sum(&x)).map(|_| ()));
    assert!(text.contains("`reduce_by_key` has no array"), "{text}");
    let text = said(cx.reduce_by_key(x.range(0..2), sum(&x)).map(|_| ()));
    assert!(
        text.contains("the operands of `sum` have the shapes 3 and 2"),
        "{text}"
    );
    let text = said(x.set_scan_by_key(&a, sum(&x), 0));
    assert!(
        text.contains("the operands of `sum` have the shapes 3 and 2 x 2"),
        "{text}"
    );
    let text = said(x.set_scan_by_key(&x, sum(&x), 1));
    assert!(text.contains("axis 1 of an array of shape 3"), "{text}");
}
