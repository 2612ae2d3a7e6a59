//! Tests of the analysis as a whole.

mod headers;

use super::testing::good;

#[test]
fn a_loop_over_arrays() {
    let unit = good("void f(int n, double a[n][n]) { for (int i = 0; i < n; i++) a[i][i] += 2; }");
    assert_eq!(unit.functions.len(), 1);
}
