//! Products of matrices and tensors: sums of products of repeated arrays, for which no array of
//! the products is made.

use super::support::{assert_made, context};
use terrace::array::{max, sum};

#[test]
fn matrices_times_vectors() {
    let cx = context();
    let (m, n) = (37, 53);
    let a: Vec<f64> = (0..m * n).map(|i| f64::from(i * 7 % 11) - 5.0).collect();
    let x: Vec<f64> = (0..n).map(|i| f64::from(i % 5) - 2.0).collect();
    let (rows, columns) = (m as usize, n as usize);
    let matrix = cx.array(&[rows, columns], &a).unwrap();
    let v = cx.vector(&x).unwrap();
    let y = cx.zeros(&[rows]).unwrap();
    // Sums of small integers are exact in any order.
    y.set_reduced(sum(&matrix * v.broadcast(&[rows, columns])), &[1])
        .unwrap();
    assert_made(&cx, 1);
    let row = |i: usize| (0..columns).map(|j| a[i * columns + j] * x[j]).sum::<f64>();
    assert_eq!(y.to_vec().unwrap(), (0..rows).map(row).collect::<Vec<_>>());
    // The transpose times a vector is the other axis.
    let z = cx.zeros(&[columns]).unwrap();
    let left = y.reshaped(&[rows, 1]).broadcast(&[rows, columns]);
    z.set_reduced(sum(&matrix * left), &[0]).unwrap();
    let y = y.to_vec().unwrap();
    let column = |j: usize| (0..rows).map(|i| a[i * columns + j] * y[i]).sum::<f64>();
    assert_eq!(
        z.to_vec().unwrap(),
        (0..columns).map(column).collect::<Vec<_>>()
    );
}

#[test]
fn matrices_times_matrices() {
    let cx = context();
    let (m, n, k) = (19, 23, 31);
    let a: Vec<f32> = (0..m * k).map(|i| (i * 7 % 11) as f32 - 5.0).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i * 5 % 13) as f32 - 6.0).collect();
    let left = cx.array(&[m, k], &a).unwrap();
    let right = cx.array(&[k, n], &b).unwrap();
    let all = [m, n, k];
    let left = left.reshaped(&[m, 1, k]).broadcast(&all);
    let right = right.transposed().broadcast(&all);
    let c = cx.zeros(&[m, n]).unwrap();
    c.set_reduced(sum(&left * &right), &[2]).unwrap();
    assert_made(&cx, 1);
    let element = |p: usize| (0..k).map(|l| a[p / n * k + l] * b[l * n + p % n]).sum();
    let expected: Vec<f32> = (0..m * n).map(element).collect();
    assert_eq!(c.to_vec().unwrap(), expected);
    // Of another kind: the greatest of sums, as the paths of a graph have them.
    c.set_reduced(max(&left + &right), &[2]).unwrap();
    let most = |p: usize| {
        let paths = (0..k).map(|l| a[p / n * k + l] + b[l * n + p % n]);
        paths.fold(f32::MIN, f32::max)
    };
    let expected: Vec<f32> = (0..m * n).map(most).collect();
    assert_eq!(c.to_vec().unwrap(), expected);
}

#[test]
fn tensors_are_contracted() {
    let cx = context();
    // c[i, l] is the sum of a[i, j, k] * b[k, l, j].
    let (i, j, k, l) = (5usize, 6usize, 7usize, 4usize);
    let a: Vec<i64> = (0..(i * j * k) as i64).map(|v| v * 7 % 19 - 9).collect();
    let b: Vec<i64> = (0..(k * l * j) as i64).map(|v| v * 11 % 17 - 8).collect();
    let all = [i, l, j, k];
    let left = cx.array(&[i, 1, j, k], &a).unwrap().broadcast(&all);
    let right = cx.array(&[k, l, j], &b).unwrap();
    let right = right.permuted_axes(&[1, 2, 0]).broadcast(&all);
    let c = cx.zeros(&[i, l]).unwrap();
    c.set_reduced(sum(&left * &right), &[2, 3]).unwrap();
    let mut expected = vec![0; i * l];
    for (p, e) in expected.iter_mut().enumerate() {
        for q in 0..j {
            for r in 0..k {
                *e += a[(p / l * j + q) * k + r] * b[(r * l + p % l) * j + q];
            }
        }
    }
    assert_eq!(c.to_vec().unwrap(), expected);
    let one = cx.zeros(&[1]).unwrap();
    one.set_reduced(sum(&left * &right), &[0, 1, 2, 3]).unwrap();
    assert_eq!(one.to_vec().unwrap(), [expected.iter().sum::<i64>()]);
}
