//! Elements that are written to computed places.

use super::support::{assert_made, assert_same, context};
use terrace::array::{ArrayError, RealNumber, constant, index, max, min, product, sum};

#[test]
fn elements_go_to_places() {
    let cx = context();
    let p = cx.vector(&[3i64, 0, 4]).unwrap();
    let x = cx.vector(&[1.0, 2.0, 3.0]).unwrap();
    let z = cx.vector(&[9.0; 6]).unwrap();
    z.at(&p).set_unique(&x * 10.0).unwrap();
    assert_eq!(z.to_vec().unwrap(), [20.0, 9.0, 9.0, 10.0, 30.0, 9.0]);
    assert_made(&cx, 1);
    // Another number of them is the same kernel; a number goes to all places.
    let p = cx.vector(&[5i64, 1]).unwrap();
    z.at(&p).set_unique(&p.cast::<f64>() * 10.0).unwrap();
    assert_eq!(z.to_vec().unwrap(), [20.0, 10.0, 9.0, 10.0, 30.0, 50.0]);
    z.at(&p).set_unique(0.5).unwrap();
    assert_eq!(z.to_vec().unwrap(), [20.0, 0.5, 9.0, 10.0, 30.0, 0.5]);
}

#[test]
fn a_permutation_is_turned_around() {
    let cx = context();
    for n in [1usize, 33, 5000] {
        let p: Vec<i64> = (0..n as i64).map(|i| i * 7919 % n as i64).collect();
        let places = cx.vector(&p).unwrap();
        let back = cx.zeros::<i64>(&[n]).unwrap();
        back.at(&places).set_unique(index(0)).unwrap();
        let mut expected = vec![0; n];
        for (i, p) in p.iter().enumerate() {
            expected[*p as usize] = i as i64;
        }
        assert_eq!(back.to_vec().unwrap(), expected);
        // And again: each element is at its place.
        let same = cx.zeros::<i64>(&[n]).unwrap();
        same.set(places.gather(&back)).unwrap();
        assert!(same.to_vec().unwrap().into_iter().eq(0..n as i64));
    }
}

#[test]
fn parts_and_other_types_are_written() {
    let cx = context();
    let z = cx.zeros::<bool>(&[7]).unwrap();
    let p = cx.vector(&[2i64, 0, 1]).unwrap();
    z.range(1..7)
        .step_axis(0, 2)
        .at(&p)
        .set_unique(p.gt(0))
        .unwrap();
    let f = false;
    assert_eq!(z.to_vec().unwrap(), [f, f, f, true, f, true, f]);
    // Places of several axes.
    let a = cx.array(&[2, 3], &[5i64, 3, 1, 4, 2, 0]).unwrap();
    let y = cx.zeros::<i32>(&[6]).unwrap();
    let value = index(0) * 10 + index(1);
    y.at(&a).set_unique(value.cast::<i32>()).unwrap();
    assert_eq!(y.to_vec().unwrap(), [12, 2, 11, 1, 10, 0]);
    // Rows whose elements lie in one piece are one loop.
    y.at(&a).set_unique(a.cast::<i32>()).unwrap();
    assert_eq!(y.to_vec().unwrap(), [0, 1, 2, 3, 4, 5]);
    let none = cx.vector::<i64>(&[]).unwrap();
    y.at(&none).set_unique(7).unwrap();
    assert_eq!(y.to_vec().unwrap(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn all_is_read_before_it_is_written() {
    let cx = context();
    let z = cx.vector(&[10i64, 11, 12, 13]).unwrap();
    z.at((index(0) + 1) % 4).set_unique(&z).unwrap();
    assert_eq!(z.to_vec().unwrap(), [13, 10, 11, 12]);
    // The array is its own places.
    let p = cx.vector(&[2i64, 0, 1]).unwrap();
    p.at(&p).set_unique(index(0)).unwrap();
    assert_eq!(p.to_vec().unwrap(), [1, 2, 0]);
    // Of several axes.
    let a = cx.array(&[2, 2], &[3i64, 2, 1, 0]).unwrap();
    let flat = a.reshaped(&[4]);
    flat.at(&a).set_unique(&a * 10).unwrap();
    assert_eq!(a.to_vec().unwrap(), [0, 10, 20, 30]);
    // Two that overlap: the last one stays.
    let (a, b) = (z.range(0..3), z.range(1..4));
    let q = cx.vector(&[0i64, 1, 2]).unwrap();
    cx.assign((a.at(&q).to_unique(1), b.at(&q).to_unique(2)))
        .unwrap();
    assert_eq!(z.to_vec().unwrap(), [1, 2, 2, 2]);
}

#[test]
fn several_go_to_places_in_one_kernel() {
    let cx = context();
    let p = cx.vector(&[1i64, 2, 0]).unwrap();
    let x = cx.vector(&[1.5, 2.5, 3.5]).unwrap();
    let (y, z) = (cx.zeros(&[3]).unwrap(), cx.zeros::<i64>(&[4]).unwrap());
    let w = cx.zeros(&[3]).unwrap();
    cx.assign((
        y.at(&p).to_unique(&x),
        z.at(&p).to_unique(&p * 2),
        w.to(&x + 1.0),
    ))
    .unwrap();
    assert_made(&cx, 1);
    assert_eq!(y.to_vec().unwrap(), [3.5, 1.5, 2.5]);
    assert_eq!(z.to_vec().unwrap(), [0, 2, 4, 0]);
    assert_eq!(w.to_vec().unwrap(), [2.5, 3.5, 4.5]);
}

/// Combines `x` into eight elements and holds it against a loop.
fn combined<T: RealNumber>(x: &[T], start: T, f: [fn(T, T) -> T; 4]) {
    let cx = context();
    let places: Vec<i64> = (0..x.len() as i64).map(|i| i * 5 % 7).collect();
    let (p, v) = (cx.vector(&places).unwrap(), cx.vector(x).unwrap());
    let reductions = [sum(&v), product(&v), min(&v), max(&v)];
    for (reduction, f) in reductions.into_iter().zip(f) {
        let z = cx.vector(&[start; 8]).unwrap();
        z.at(&p).combine(reduction).unwrap();
        let mut expected = vec![start; 8];
        for (p, x) in places.iter().zip(x) {
            expected[*p as usize] = f(expected[*p as usize], *x);
        }
        assert_same(&z.to_vec().unwrap(), &expected, "combined");
    }
}

#[test]
fn elements_are_combined_at_places() {
    let n = 200;
    let ints = |i: i64| i * 7919 % 101 - 50;
    macro_rules! integers {
        ($($t:ty)*) => {$(
            let x: Vec<$t> = (0..n).map(|i| ints(i) as $t).collect();
            combined(&x, 3, [<$t>::wrapping_add, <$t>::wrapping_mul, <$t>::min, <$t>::max]);
        )*};
    }
    integers!(i32 i64 u32 u64);
    macro_rules! floats {
        ($($t:ty)*) => {$(
            // Sums and products of these are exact in any order.
            let x: Vec<$t> = (0..n).map(|i| [0.5, 1.0, 2.0, -1.0][i as usize % 4]).collect();
            combined(&x, 3.0, [|a, b| a + b, |a, b| a * b, <$t>::min, <$t>::max]);
        )*};
    }
    floats!(f32 f64);
}

#[test]
fn a_histogram() {
    let cx = context();
    let n = 20_000;
    let x: Vec<u32> = (0..n)
        .map(|i: u32| i.wrapping_mul(2_654_435_769) >> 27)
        .collect();
    let v = cx.vector(&x).unwrap();
    let counts = cx.zeros::<i32>(&[32]).unwrap();
    counts.at(v.cast::<i64>()).add(constant(1)).unwrap();
    let mut expected = [0; 32];
    for x in &x {
        expected[*x as usize] += 1;
    }
    assert_eq!(counts.to_vec().unwrap(), expected);
}

#[test]
fn in_order_floats_have_the_bits_of_a_loop() {
    let cx = context();
    let n = 3000;
    let x: Vec<f64> = (0..n).map(|i| (f64::from(i) * 0.7).sin()).collect();
    let p: Vec<i64> = (0..i64::from(n)).map(|i| i * i % 11).collect();
    let (v, places) = (cx.vector(&x).unwrap(), cx.vector(&p).unwrap());
    let z = cx.vector(&[0.25; 11]).unwrap();
    z.at(&places).combine(sum(&v).in_order()).unwrap();
    let mut expected = vec![0.25; 11];
    for (p, x) in p.iter().zip(&x) {
        expected[*p as usize] += x;
    }
    assert_same(&z.to_vec().unwrap(), &expected, "in order");
    // Only some of them, with another one in the same call, from what the array held.
    let z = cx.vector(&[0.5f32; 11]).unwrap();
    let w = cx.zeros::<f64>(&[3000]).unwrap();
    let value = v.cast::<f32>() * z.gather(&places);
    cx.assign((
        z.at(&places)
            .when(v.gt(0.0))
            .to_combined(product(value).in_order()),
        w.to(&v * 2.0),
    ))
    .unwrap();
    let mut products = vec![0.5f32; 11];
    for (p, x) in p.iter().zip(&x).filter(|(_, x)| **x > 0.0) {
        products[*p as usize] *= *x as f32 * 0.5;
    }
    assert_same(&z.to_vec().unwrap(), &products, "some of them");
    assert_eq!(w.to_vec().unwrap()[7], 2.0 * x[7]);
    let z = cx.vector(&[0.25; 11]).unwrap();
    z.at(&places).add(&v).unwrap();
    for (f, e) in z.to_vec().unwrap().iter().zip(&expected) {
        assert!((f - e).abs() < 1e-11, "{f} {e}");
    }
}

#[test]
fn places_beside_the_array_are_refused() {
    let cx = context();
    let z = cx.vector(&[1.0; 4]).unwrap();
    for (places, element, place) in [
        ([0i64, 4, 1], 1, 4),
        ([-1, 9, 1], 0, -1),
        ([2, 3, i64::MIN], 2, i64::MIN),
        ([2, 3, i64::MAX], 2, i64::MAX),
    ] {
        let p = cx.vector(&places).unwrap();
        let x = cx.vector(&[5.0, 6.0, 7.0]).unwrap();
        for way in 0..3 {
            z.fill(1.0).unwrap();
            let at = z.at(&p);
            let (line, failed) = match way {
                0 => (line!(), at.set_unique(&x)),
                1 => (line!(), at.add(&x - 1.0)),
                _ => (line!(), at.combine(sum(&x - 1.0).in_order())),
            };
            let Err(ArrayError::Place {
                at,
                element: e,
                place: q,
                size: 4,
            }) = failed
            else {
                panic!("{failed:?}");
            };
            assert_eq!((e, q), (element, place));
            assert_eq!((at.file(), at.line()), (file!(), line));
            // The others were written.
            let mut expected = [1.0; 4];
            for (p, x) in places.iter().zip([5.0, 6.0, 7.0]) {
                if let Some(e) = usize::try_from(*p).ok().and_then(|p| expected.get_mut(p)) {
                    *e = x;
                }
            }
            assert_eq!(z.to_vec().unwrap(), expected);
        }
    }
    let none = cx.vector::<f64>(&[]).unwrap();
    let failed = none.at(cx.vector(&[0i64]).unwrap()).set_unique(1.0);
    let said = failed.unwrap_err().to_string();
    assert!(
        said.ends_with("element 0 was to go to place 0 of an array of 0; places are counted from 0 and there are 0"),
        "{said}"
    );
    // What went well stays so.
    z.at(cx.vector(&[1i64]).unwrap()).set_unique(8.0).unwrap();
    assert_eq!(z.to_vec().unwrap()[1], 8.0);
}

#[test]
fn what_has_no_places() {
    let cx = context();
    let a = cx.array(&[2, 2], &[1.0; 4]).unwrap();
    let x = cx.vector(&[1.0; 3]).unwrap();
    let p = cx.vector(&[1i64, 0]).unwrap();
    let said = a.at(&p).set_unique(1.0).unwrap_err().to_string();
    assert!(
        said.ends_with(
            "elements are written to places in an array of shape 2 x 2; it must have one axis"
        ),
        "{said}"
    );
    let said = x.at(&p).set_unique(&x).unwrap_err().to_string();
    assert!(
        said.ends_with("the operands of `at` have the shapes 2 and 3; they must be equal, or one of them a number"),
        "{said}"
    );
    let said = x.at(index(0)).set_unique(1.0).unwrap_err().to_string();
    assert!(said.contains("`at` has no array in its operand"), "{said}");
    let repeated = cx.vector(&[1.0]).unwrap().broadcast(&[3]);
    let said = repeated.at(&p).set_unique(1.0).unwrap_err().to_string();
    assert!(said.contains("it can be read only"), "{said}");
}

#[test]
fn conditions_say_what_goes_anywhere() {
    let cx = context();
    let z = cx.vector(&[0i64; 4]).unwrap();
    let x = cx.vector(&[5i64, -6, 7, -8, 9]).unwrap();
    // What does not count may have any place.
    let p = cx.vector(&[3i64, 99, 0, -1, 1]).unwrap();
    z.at(&p).when(x.gt(0)).set_unique(&x).unwrap();
    assert_eq!(z.to_vec().unwrap(), [7, 9, 0, 5]);
    z.at(&p / 2).when(x.gt(5)).add(&x).unwrap();
    assert_eq!(z.to_vec().unwrap(), [23, 9, 0, 5]);
    // Found before it is written: what is below 10 goes one place on.
    z.at(index(0) + 1)
        .when(z.lt(10) & index(0).lt(3))
        .set_unique(&z)
        .unwrap();
    assert_eq!(z.to_vec().unwrap(), [23, 9, 9, 0]);
    let failed = z.at(&p).when(x.lt(0)).set_unique(&x).unwrap_err();
    assert!(
        matches!(
            failed,
            ArrayError::Place {
                element: 1,
                place: 99,
                ..
            }
        ),
        "{failed}"
    );
}

#[test]
fn places_may_be_promised_to_lie_in_the_array() {
    let cx = context();
    let z = cx.vector(&[0i64; 4]).unwrap();
    let p = cx.vector(&[3i64, 7, 0]).unwrap();
    let x = cx.vector(&[5i64, 6, 7]).unwrap();
    // SAFETY: places that count are below 4.
    let at = || unsafe { z.at(&p).when(x.ne(6)).unchecked() };
    at().set_unique(&x).unwrap();
    at().add(&x).unwrap();
    assert_eq!(z.to_vec().unwrap(), [14, 0, 0, 10]);
    // With others that are looked at.
    let failed = cx.assign((at().to_unique(&x), z.range(0..2).at(&p).to_unique(&x)));
    let Err(ArrayError::Place {
        element,
        place,
        size,
        ..
    }) = failed
    else {
        panic!("{failed:?}");
    };
    assert_eq!((element, place, size), (0, 3, 2));
}
