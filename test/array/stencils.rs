//! Stencils with what is beside the array, held against loops.

use super::support::{assert_same, context};
use terrace::array::{Edge, stencil};

const ROWS: usize = 7;
const COLUMNS: usize = 9;

/// The element at a place that may be beside an array of these sizes.
fn at(a: &[f64], i: i64, j: i64, edge: Edge<f64>) -> f64 {
    let (n, m) = (ROWS as i64, COLUMNS as i64);
    let (i, j) = match edge {
        Edge::Clamp => (i.clamp(0, n - 1), j.clamp(0, m - 1)),
        Edge::Wrap => (i.rem_euclid(n), j.rem_euclid(m)),
        Edge::Constant(v) if i < 0 || j < 0 || i >= n || j >= m => return v,
        Edge::Constant(_) => (i, j),
    };
    a[(i * m + j) as usize]
}

#[test]
fn five_points_with_each_edge() {
    let cx = context();
    let host: Vec<f64> = (0..ROWS * COLUMNS)
        .map(|k| (k * k % 17) as f64 * 0.5)
        .collect();
    let a = cx.array(&[ROWS, COLUMNS], &host).unwrap();
    let b = cx.zeros(&[ROWS, COLUMNS]).unwrap();
    for edge in [Edge::Clamp, Edge::Wrap, Edge::Constant(-3.25)] {
        let mean = stencil(&a, edge, |a| {
            0.25 * (a.at([0, 1]) + a.at([0, -1]) + a.at([1, 0]) + a.at([-1, 0]))
        });
        b.set(mean).unwrap();
        let mut expected = Vec::new();
        for i in 0..ROWS as i64 {
            for j in 0..COLUMNS as i64 {
                let a = |i, j| at(&host, i, j, edge);
                expected.push(0.25 * (a(i, j + 1) + a(i, j - 1) + a(i + 1, j) + a(i - 1, j)));
            }
        }
        assert_same(&b.to_vec().unwrap(), &expected, &format!("{edge:?}"));
    }
}

#[test]
fn far_neighbours_of_short_arrays() {
    let cx = context();
    let x = cx.vector(&[1, 2, 3]).unwrap();
    let y = cx.zeros(&[3]).unwrap();
    y.set(stencil(&x, Edge::Wrap, |x| 100 * x.at([-7]) + x.at([5])))
        .unwrap();
    assert_eq!(y.to_vec().unwrap(), [303, 101, 202]);
    y.set(stencil(&x, Edge::Clamp, |x| 100 * x.at([-7]) + x.at([5])))
        .unwrap();
    assert_eq!(y.to_vec().unwrap(), [103, 103, 103]);
}

#[test]
fn several_arrays_and_parts_of_arrays() {
    let cx = context();
    let x = cx.vector(&[1.0, 2.0, 4.0, 8.0, 16.0]).unwrap();
    let k = cx.vector(&[1.0, 10.0, 100.0]).unwrap();
    let y = cx.zeros(&[3]).unwrap();
    // The part's own edges count.
    let part = x.range(1..4);
    let slope = part.neighbour([1], Edge::Clamp) - part.neighbour([-1], Edge::Clamp);
    y.set(&k * slope).unwrap();
    assert_eq!(y.to_vec().unwrap(), [2.0, 60.0, 400.0]);
    // Rows that are apart, turned.
    let a = cx.array(&[2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    let t = a.transposed();
    let b = cx.zeros(&[3, 2]).unwrap();
    b.set(stencil(&t, Edge::Constant(0), |t| {
        t.at([1, 0]) + t.at([0, -1])
    }))
    .unwrap();
    assert_eq!(b.to_vec().unwrap(), [2, 6, 3, 8, 0, 3]);
}

#[test]
fn an_array_is_smoothed_in_place() {
    let cx = context();
    let x = cx.vector(&[0.0, 0.0, 9.0, 0.0, 0.0]).unwrap();
    for _ in 0..2 {
        let mean = stencil(&x, Edge::Clamp, |x| {
            (x.at([-1]) + x.at([0]) + x.at([1])) / 3.0
        });
        x.set(mean).unwrap();
    }
    assert_eq!(x.to_vec().unwrap(), [1.0, 2.0, 3.0, 2.0, 1.0]);
}

#[test]
fn neighbours_in_sums() {
    let cx = context();
    let x = cx.vector(&[1i64, 4, 9, 16]).unwrap();
    let rise = x.neighbour([1], Edge::Clamp) - &x;
    assert_eq!(
        cx.reduce(terrace::array::sum(&rise * &rise)).unwrap(),
        9 + 25 + 49
    );
    // Along the second axis of an array, whose first one is kept.
    let a = cx.array(&[2, 3], &[1i64, 2, 4, 1, 3, 9]).unwrap();
    let rows = cx.zeros::<i64>(&[2]).unwrap();
    let rise = a.neighbour([0, 1], Edge::Clamp) - &a;
    rows.set_reduced(terrace::array::max(rise), &[1]).unwrap();
    assert_eq!(rows.to_vec().unwrap(), [2, 6]);
    let columns = cx.zeros::<i64>(&[3]).unwrap();
    let rise = a.neighbour([1, 0], Edge::Constant(0)) - &a;
    columns
        .set_reduced(terrace::array::sum(rise), &[0])
        .unwrap();
    assert_eq!(columns.to_vec().unwrap(), [-1, -2, -4]);
}

#[test]
fn what_has_no_neighbours() {
    let cx = context();
    let x = cx.vector(&[1.0, 2.0]).unwrap();
    let text = x
        .set((&x + 1.0).neighbour([1], Edge::Wrap))
        .unwrap_err()
        .to_string();
    assert!(
        text.ends_with(
            "neighbours are elements of an array; assign the expression to an array first"
        ),
        "{text}"
    );
    let text = x
        .set(x.neighbour([1, 0], Edge::Wrap))
        .unwrap_err()
        .to_string();
    assert!(
        text.ends_with(
            "found 2 offsets for a neighbour in an array of shape 2; there is one for each axis"
        ),
        "{text}"
    );
}

#[test]
fn neighbours_along_an_axis() {
    let cx = context();
    let a = cx.array(&[2, 3], &[1, 2, 3, 4, 5, 6]).unwrap();
    let b = cx.zeros(&[2, 3]).unwrap();
    b.set(a.neighbour_along(1, -1, Edge::Wrap) * 10 + a.neighbour_along(0, 1, Edge::Constant(0)))
        .unwrap();
    assert_eq!(b.to_vec().unwrap(), [34, 15, 26, 60, 40, 50]);
    let said = b.set(a.neighbour_along(2, 1, Edge::Clamp)).unwrap_err();
    assert!(
        said.to_string()
            .contains("axis 2 of an array of shape 2 x 3"),
        "{said}"
    );
    let said = b
        .set((&a + 1).neighbour_along(0, 1, Edge::Clamp))
        .unwrap_err();
    assert!(
        said.to_string()
            .contains("neighbours are elements of an array"),
        "{said}"
    );
}

#[test]
fn neighbours_that_are_very_far_off() {
    let cx = context();
    let a = cx.vector(&[1, 2, 3]).unwrap();
    let b = cx.zeros(&[3]).unwrap();
    for edge in [Edge::Clamp, Edge::Wrap, Edge::Constant(7)] {
        for by in [i64::MIN, i64::MAX, 1 << 61, -(1 << 61) - 1] {
            b.set(a.neighbour([by], edge)).unwrap();
            let place = |i: i128| match edge {
                Edge::Clamp => [1, 3][usize::from(by > 0)],
                Edge::Wrap => 1 + (i + i128::from(by)).rem_euclid(3) as i32,
                Edge::Constant(v) => v,
            };
            let expected: Vec<i32> = (0..3).map(place).collect();
            assert_eq!(b.to_vec().unwrap(), expected, "{edge:?} {by}");
        }
    }
}
