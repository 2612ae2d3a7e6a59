//! Sums and products as for real numbers, where a context allows it.

use super::support::{assert_made, context};
use terrace::array::Algebra;

#[test]
fn what_cancels_is_not_computed() {
    let exact = context();
    for (cx, expected) in [
        (exact.with_algebra(Algebra::REAL), 1e-30),
        (exact.with_algebra(Algebra::AS_WRITTEN), 0.0),
        (exact, 0.0),
    ] {
        let n = 1000;
        let (x, y) = (
            cx.vector(&vec![1e-30; n]).unwrap(),
            cx.vector(&vec![1.0; n]).unwrap(),
        );
        let z = cx.zeros::<f64>(&[n]).unwrap();
        z.set((&x + &y) - &y).unwrap();
        assert_eq!(z.to_vec().unwrap(), vec![expected; n]);
        assert_made(&cx, 1);
    }
}
