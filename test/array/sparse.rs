//! Products of sparse matrices with arrays, held against loops over their elements.

use super::support::{assert_made, assert_same, context};
use terrace::array::{Csr, Ell, Expr, Number, PIECE, iterate, sum};

/// A matrix on the host, by rows: columns and values.
struct Matrix<T> {
    sizes: [usize; 2],
    rows: Vec<Vec<(usize, T)>>,
}

impl<T: Number> Matrix<T> {
    fn parts(&self) -> (Vec<usize>, Vec<usize>, Vec<T>) {
        let mut offsets = vec![0];
        let all: Vec<(usize, T)> = self.rows.iter().flatten().copied().collect();
        for r in &self.rows {
            offsets.push(offsets[offsets.len() - 1] + r.len());
        }
        let (columns, values) = all.into_iter().unzip();
        (offsets, columns, values)
    }

    fn csr(&self, cx: &terrace::array::Context) -> Csr<T> {
        let (offsets, columns, values) = self.parts();
        cx.csr(self.sizes, &offsets, &columns, &values).unwrap()
    }

    fn ell(&self, cx: &terrace::array::Context) -> Ell<T> {
        let width = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for (i, r) in self.rows.iter().enumerate() {
            // What is missing stands in front, behind and between.
            let mut row: Vec<(i64, T)> = r.iter().map(|(c, v)| (*c as i64, *v)).collect();
            while row.len() < width {
                let at = i % (row.len() + 1);
                row.insert(at, (-1, T::from_bits(77)));
            }
            columns.extend(row.iter().map(|e| e.0));
            values.extend(row.iter().map(|e| e.1));
        }
        cx.ell(self.sizes, width, &columns, &values).unwrap()
    }
}

/// Rows of very different lengths, some without elements and one with very many.
fn uneven(rows: usize, columns: usize, longest: usize) -> Matrix<f64> {
    let length = |i: usize| match i {
        i if i == rows / 2 => longest,
        i if i % 5 == 1 => 0,
        i => i % 7,
    };
    let element = |i: usize, k: usize| {
        let value = ((i * 31 + k * 17) as f64 * 0.1).sin();
        ((i * 7919 + k * 104_729) % columns, value)
    };
    let row = |i: usize| (0..length(i)).map(|k| element(i, k)).collect();
    Matrix {
        sizes: [rows, columns],
        rows: (0..rows).map(row).collect(),
    }
}

/// The sums of rows in one loop each.
fn product(m: &Matrix<f64>, x: &[f64]) -> Vec<f64> {
    let row = |r: &Vec<(usize, f64)>| r.iter().fold(0.0, |s, (c, v)| s + v * x[*c]);
    m.rows.iter().map(row).collect()
}

/// The same in pieces, where a row is long.
fn in_pieces(m: &Matrix<f64>, x: &[f64]) -> Vec<f64> {
    fn sum(all: &[f64]) -> f64 {
        let pieces = all.chunks(PIECE).map(|p| p.iter().fold(0.0, |s, v| s + v));
        let pieces: Vec<f64> = pieces.collect();
        match &pieces[..] {
            [] => 0.0,
            [one] => *one,
            all => sum(all),
        }
    }
    let row = |r: &Vec<(usize, f64)>| sum(&r.iter().map(|(c, v)| v * x[*c]).collect::<Vec<_>>());
    m.rows.iter().map(row).collect()
}

#[test]
fn products_stand_in_expressions() {
    let cx = context();
    let m = uneven(203, 97, 250);
    let x: Vec<f64> = (0..97).map(|i| (f64::from(i) * 0.7).cos()).collect();
    let f: Vec<f64> = (0..203).map(|i| f64::from(i) * 0.25).collect();
    let (a, e) = (m.csr(&cx), m.ell(&cx));
    assert_eq!(
        (a.shape(), e.shape(), e.width()),
        ([203, 97], [203, 97], 250)
    );
    let (x_on, f_on) = (cx.vector(&x).unwrap(), cx.vector(&f).unwrap());
    let expected = product(&m, &x);
    let rest: Vec<f64> = f.iter().zip(&expected).map(|(f, p)| f - 2.0 * p).collect();
    let r = cx.zeros(&[203]).unwrap();
    r.set(&f_on - 2.0 * a.mul(&x_on)).unwrap();
    assert_same(&r.to_vec().unwrap(), &rest, "rows");
    assert_made(&cx, 1);
    r.set(&f_on - 2.0 * e.mul(&x_on)).unwrap();
    assert_same(&r.to_vec().unwrap(), &rest, "columns");
    assert_made(&cx, 2);
    // Another matrix is the same kernel.
    let other = uneven(31, 50, 99);
    let y = cx.zeros(&[31]).unwrap();
    let x = cx.vector(&x[..50]).unwrap();
    let f = cx.vector(&f[..31]).unwrap();
    y.set(&f - 2.0 * other.csr(&cx).mul(&x)).unwrap();
    assert_made(&cx, 2);
    // Two products with one array, and a function of them.
    y.set((other.csr(&cx).mul(&x) + other.ell(&cx).mul(&x)).abs())
        .unwrap();
    let expected = product(&other, &x.to_vec().unwrap());
    let expected: Vec<f64> = expected.iter().map(|p| (p + p).abs()).collect();
    assert_same(&y.to_vec().unwrap(), &expected, "both");
}

#[test]
fn long_rows_are_summed_in_pieces() {
    let cx = context();
    // Pieces of pieces have the kernel of the last sums.
    for (longest, kernels) in [(PIECE, 1), (PIECE + 1, 2), (3000, 2), (70_000, 2)] {
        let m = uneven(23, 97, longest);
        let host: Vec<f64> = (0..97).map(|i| (f64::from(i) * 0.7).cos()).collect();
        let (a, x) = (m.csr(&cx), cx.vector(&host).unwrap());
        let expected = in_pieces(&m, &host);
        let y = cx.zeros(&[23]).unwrap();
        let fresh = cx.without_disk();
        y.set(1.0 + a.mul(&x)).unwrap();
        let more: Vec<f64> = expected.iter().map(|p| 1.0 + p).collect();
        assert_same(&y.to_vec().unwrap(), &more, "rows");
        // What is there when it is computed counts, and not when it was written down.
        let later = a.mul(&x);
        x.set(&x * 0.5).unwrap();
        let half: Vec<f64> = host.iter().map(|v| v * 0.5).collect();
        y.set(&later - &y).unwrap();
        let rest = in_pieces(&m, &half);
        let rest: Vec<f64> = rest.iter().zip(&more).map(|(r, m)| r - m).collect();
        assert_same(&y.to_vec().unwrap(), &rest, "later");
        let form = cx.reduce(sum(&later * &later).in_order()).unwrap();
        let squares = in_pieces(&m, &half).iter().fold(0.0, |s, p| s + p * p);
        assert_eq!(form, squares);
        // In another context all kernels are made anew.
        let (a, x) = (m.csr(&fresh), fresh.vector(&host).unwrap());
        let y = fresh.zeros(&[23]).unwrap();
        y.set(a.mul(&x)).unwrap();
        assert_same(&y.to_vec().unwrap(), &expected, "again");
        assert_made(&fresh, kernels);
        // Rows of one matrix: what is written is read before.
        let square = uneven(97, 97, longest);
        x.set(square.csr(&fresh).mul(&x)).unwrap();
        assert_same(&x.to_vec().unwrap(), &in_pieces(&square, &host), "in place");
    }
}

#[test]
fn products_are_reduced_and_read_before_they_are_written() {
    let cx = context();
    let m = uneven(60, 60, 256);
    let a = m.csr(&cx);
    let host: Vec<f64> = (0..60).map(|i| f64::from(i) - 7.5).collect();
    let x = cx.vector(&host).unwrap();
    let expected = product(&m, &host);
    // A quadratic form, without an array for the product.
    let form = cx.reduce(sum(&x * a.mul(&x)).in_order()).unwrap();
    let in_order = host.iter().zip(&expected).fold(0.0, |s, (x, p)| s + x * p);
    assert_eq!(form, in_order);
    // A step of Jacobi's kind in place.
    x.set(&x - 0.1 * a.mul(&x)).unwrap();
    let next: Vec<f64> = host
        .iter()
        .zip(&expected)
        .map(|(x, p)| x - 0.1 * p)
        .collect();
    assert_same(&x.to_vec().unwrap(), &next, "in place");
    // With parts of an array, turned.
    let y = cx.zeros(&[120]).unwrap();
    y.step_axis(0, 2).set(&x).unwrap();
    let turned: Vec<f64> = next.iter().rev().copied().collect();
    let z = cx.zeros(&[60]).unwrap();
    z.set(a.mul(y.step_axis(0, 2).invert_axis(0))).unwrap();
    assert_same(&z.to_vec().unwrap(), &product(&m, &turned), "turned");
    // In a loop of the kernel, which computes the product again and again.
    let [s] = iterate(3, [&z], |[s]| [s + a.mul(&x)]);
    let w = cx.zeros(&[60]).unwrap();
    w.set(s).unwrap();
    let p = product(&m, &next);
    let three = product(&m, &turned)
        .iter()
        .zip(&p)
        .map(|(s, p)| s + p + p + p)
        .collect::<Vec<_>>();
    assert_same(&w.to_vec().unwrap(), &three, "in a loop");
}

#[test]
fn integers_and_small_floats_are_multiplied() {
    let cx = context();
    let (offsets, columns) = ([0u8, 2, 2, 3], [1i16, 0, 1]);
    let a = cx
        .csr([3, 2], &offsets, &columns, &[3u64, u64::MAX, 5])
        .unwrap();
    let x = cx.vector(&[7u64, 11]).unwrap();
    let y = cx.zeros(&[3]).unwrap();
    y.set(a.mul(&x)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [33 - 7, 0, 55]);
    let a = cx
        .csr([3, 2], &offsets, &columns, &[0.5f32, 2.0, -1.5])
        .unwrap();
    let x = cx.vector(&[f32::INFINITY, 3.0]).unwrap();
    let y = cx.zeros(&[3]).unwrap();
    y.set(a.mul(&x)).unwrap();
    // What is not an element is not multiplied: 0 times infinity is no number.
    assert_eq!(y.to_vec().unwrap(), [f32::INFINITY, 0.0, -4.5]);
    let e = cx.ell(
        [3, 2],
        2,
        &[1, 0, -1, -1, -1, 1],
        &[0.5f32, 2.0, 9.0, 9.0, 9.0, -1.5],
    );
    y.fill(7.0).unwrap();
    y.set(e.unwrap().mul(&x)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [f32::INFINITY, 0.0, -4.5]);
}

#[test]
fn matrices_without_elements() {
    let cx = context();
    let none: [f64; 0] = [];
    let x = cx.vector(&[1.0; 4]).unwrap();
    let y = cx.vector(&[9.0; 3]).unwrap();
    let a = cx.csr([3, 4], &[0; 4], &[0usize; 0], &none).unwrap();
    y.set(1.0 + a.mul(&x)).unwrap();
    assert_eq!((a.count(), y.to_vec().unwrap()), (0, vec![1.0; 3]));
    let e = cx.ell([3, 4], 0, &[0i32; 0], &none).unwrap();
    y.set(2.0 + e.mul(&x)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [2.0; 3]);
    // No columns, and no rows.
    let empty = cx.vector(&none).unwrap();
    let a = cx.csr([3, 0], &[0; 4], &[0usize; 0], &none).unwrap();
    y.set(3.0 + a.mul(&empty)).unwrap();
    assert_eq!(y.to_vec().unwrap(), [3.0; 3]);
    let a = cx.csr([0, 4], &[0], &[0usize; 0], &none).unwrap();
    empty.set(a.mul(&x)).unwrap();
    let e = cx.ell([0, 4], 3, &[0i32; 0], &none).unwrap();
    empty.set(e.mul(&x)).unwrap();
    assert!(empty.to_vec().unwrap().is_empty());
}

#[test]
fn wrong_matrices_are_refused() {
    let cx = context();
    let v = [1.0, 2.0, 3.0];
    let refused = |offsets: &[i64], columns: &[i64], values: &[f64]| {
        let made = cx.csr([2, 3], offsets, columns, values);
        made.unwrap_err().to_string()
    };
    assert_eq!(
        refused(&[0, 3], &[0, 1, 2], &v),
        "found 2 offsets for a sparse matrix; there must be 3"
    );
    assert_eq!(
        refused(&[0, 1, 3], &[0, 1], &v),
        "found 2 columns for a sparse matrix; there must be 3"
    );
    let ascend = "; the first one is 0, and the others ascend to the number of elements, 3";
    for (offsets, at, found) in [
        ([1i64, 1, 3], 0, 1i64),
        ([0, 2, 1], 2, 1),
        ([0, 4, 3], 1, 4),
        ([0, -1, 3], 1, -1),
    ] {
        assert_eq!(
            refused(&offsets, &[0, 1, 2], &v),
            format!("offset {at} of a sparse matrix is {found}{ascend}")
        );
    }
    assert_eq!(
        refused(&[0, 1, 2], &[0, 1, 2], &v),
        "the last offset of a sparse matrix is 2; it must be the number of elements, 3"
    );
    for bad in [3i64, -1] {
        assert_eq!(
            refused(&[0, 1, 3], &[0, bad, 2], &v),
            format!(
                "element 1 has the column {bad} in a matrix of 3 columns; columns are counted \
                 from 0"
            )
        );
    }
    let said = cx.ell([2, 3], 2, &[0, 1, 2], &v).unwrap_err().to_string();
    assert_eq!(said, "found 3 columns for a sparse matrix; there must be 4");
    let said = cx.ell([1, 3], 3, &[0, 3, 2], &v).unwrap_err().to_string();
    assert!(said.starts_with("element 1 has the column 3"), "{said}");
    let said = cx
        .ell([usize::MAX, 3], 3, &[0, 3, 2], &v)
        .unwrap_err()
        .to_string();
    assert!(
        said.contains("more bytes than an address can count"),
        "{said}"
    );
}

#[test]
fn factors_that_do_not_fit_name_their_line() {
    let cx = context();
    let a = cx.csr([2, 3], &[0, 1, 2], &[0, 2], &[1.0, 2.0]).unwrap();
    let e = cx.ell([2, 3], 1, &[0, 2], &[1.0, 2.0]).unwrap();
    let (x, y) = (cx.vector(&[1.0; 2]).unwrap(), cx.zeros(&[2]).unwrap());
    let fits = cx.vector(&[1.0; 3]).unwrap();
    type Product<'a> = &'a dyn Fn(Expr<f64>) -> Expr<f64>;
    let products: [Product; 2] = [&|x| a.mul(x), &|x| e.mul(x)];
    for mul in products {
        let said = y.set(mul(x.clone() * 1.0)).unwrap_err().to_string();
        assert!(
            said.ends_with("a matrix of shape 2 x 3 is multiplied with an array of shape 2; it must have the shape 3"),
            "{said}"
        );
        let said = y.set(mul(&fits * 2.0)).unwrap_err().to_string();
        assert!(
            said.contains("assign the expression to an array first"),
            "{said}"
        );
        let said = y.set(mul(&fits + &x)).unwrap_err().to_string();
        assert!(said.contains("the operands of `+`"), "{said}");
    }
    let (line, product) = (line!(), a.mul(&x));
    let said = y.set(product).unwrap_err().to_string();
    assert!(said.contains(&format!("sparse.rs:{line}:")), "{said}");
    let said = fits.set(a.mul(&fits)).unwrap_err().to_string();
    assert!(
        said.contains("an expression of shape 2 is assigned"),
        "{said}"
    );
}
