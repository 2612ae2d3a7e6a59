//! The matrix of five points on a square.

/// Offsets, columns and values.
pub type Rows = (Vec<usize>, Vec<u32>, Vec<f64>);

/// Four times each point less its neighbours, on a square of so many points a side.
pub fn five_points(side: usize) -> Rows {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..side {
        for j in 0..side {
            let around = [
                (i > 0, -(side as i64), -1.0),
                (j > 0, -1, -1.0),
                (true, 0, 4.0),
                (j + 1 < side, 1, -1.0),
                (i + 1 < side, side as i64, -1.0),
            ];
            for (_, by, value) in around.into_iter().filter(|a| a.0) {
                columns.push(((i * side + j) as i64 + by) as u32);
                values.push(value);
            }
            offsets.push(columns.len());
        }
    }
    (offsets, columns, values)
}
