//! A heated plate by conjugate gradients: a sparse matrix, whose product stands in expressions.
//!
//! ```text
//! TERRACE_TARGET=cpu cargo run --release --example sparse
//! ```

use terrace::array::{ArrayError, Context, Csr, constant, sum};

/// The matrix of a square of so many points a side, each coupled with the four around it.
fn plate(cx: &Context, side: usize) -> Result<Csr<f64>, ArrayError> {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..side * side {
        let (row, column) = (i / side, i % side);
        let mut point = |there: bool, at: usize, value: f64| {
            if there {
                columns.push(at);
                values.push(value);
            }
        };
        point(row > 0, i.wrapping_sub(side), -1.0);
        point(column > 0, i.wrapping_sub(1), -1.0);
        point(true, i, 4.0);
        point(column + 1 < side, i + 1, -1.0);
        point(row + 1 < side, i + side, -1.0);
        offsets.push(columns.len());
    }
    cx.csr([side * side; 2], &offsets, &columns, &values)
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cx = Context::from_environment()?;
    let side = 24;
    let n = side * side;
    let a = plate(&cx, side)?;
    // Heat comes in at three points, of which two are one.
    let heat = cx.zeros::<f64>(&[n])?;
    let places = cx.vector(&[100i64, 400, 100])?;
    heat.at(&places).add(constant(1.0))?;
    let (x, r, p, q) = (
        cx.zeros::<f64>(&[n])?,
        cx.zeros::<f64>(&[n])?,
        cx.zeros::<f64>(&[n])?,
        cx.zeros::<f64>(&[n])?,
    );
    r.set(&heat - a.mul(&x))?;
    p.set(&r)?;
    let mut rest = cx.reduce(sum(&r * &r))?;
    let mut steps = 0;
    while rest > 1e-20 {
        // Two kernels for a step's vectors, and two for its numbers, whatever the numbers are.
        q.set(a.mul(&p))?;
        let along = rest / cx.reduce(sum(&p * &q))?;
        cx.assign((x.to(&x + along * &p), r.to(&r - along * &q)))?;
        let next = cx.reduce(sum(&r * &r))?;
        p.set(&r + (next / rest) * &p)?;
        rest = next;
        steps += 1;
    }
    // The hottest points.
    let order = cx.argsort(-&x)?;
    let hottest = order.range(0..3).to_vec()?;
    println!("{steps} steps, the hottest points are {hottest:?}");
    assert_eq!(hottest[0], 100);
    r.set(&heat - a.mul(&x))?;
    assert!(cx.reduce(sum(&r * &r))? < 1e-18);
    println!("{:?}", cx.kernels());
    Ok(())
}
