//! Matrices of bits.

/// A matrix over the field of two elements, with at most 64 rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BitMatrix {
    rows: usize,
    /// Bit `r` of a column is its entry in row `r`.
    columns: Vec<u64>,
}

impl BitMatrix {
    /// The matrix with these columns, where bit `r` of a column stands in row `r`.
    ///
    /// There is none with more than 64 rows, or where a column has a bit beyond the rows.
    pub fn new(rows: usize, columns: Vec<u64>) -> Option<BitMatrix> {
        let beyond = |c: &u64| rows < 64 && c >> rows != 0;
        (rows <= 64 && !columns.iter().any(beyond)).then_some(BitMatrix { rows, columns })
    }

    /// The number of rows, which are the bits of what comes out.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The columns, which are the images of single bits.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// The image of a vector of bits. Bits beyond the columns have no effect.
    pub fn apply(&self, bits: u64) -> u64 {
        let set = |n: usize| n < 64 && bits >> n & 1 == 1;
        let columns = self.columns.iter().enumerate();
        columns.fold(0, |sum, (n, c)| if set(n) { sum ^ c } else { sum })
    }

    /// The map that applies this one first and `next` to what comes out.
    ///
    /// There is none unless `next` has as many columns as this one has rows.
    pub fn then(&self, next: &BitMatrix) -> Option<BitMatrix> {
        (next.columns.len() == self.rows).then(|| BitMatrix {
            rows: next.rows,
            columns: self.columns.iter().map(|c| next.apply(*c)).collect(),
        })
    }

    /// The number of columns that depend on no others.
    pub fn rank(&self) -> usize {
        rank(self.columns.iter().copied())
    }

    /// The map that takes each image back, if the matrix is square and of full rank.
    pub fn inverse(&self) -> Option<BitMatrix> {
        let n = self.rows;
        if self.columns.len() != n {
            return None;
        }
        // Columns are added to each other until they are unit vectors, in both at once.
        let mut left = self.columns.clone();
        let mut right: Vec<u64> = (0..n).map(|bit| 1 << bit).collect();
        for row in 0..n {
            let pivot = (row..n).find(|c| left[*c] >> row & 1 == 1)?;
            left.swap(row, pivot);
            right.swap(row, pivot);
            let (l, r) = (left[row], right[row]);
            for c in (0..n).filter(|c| *c != row) {
                if left[c] >> row & 1 == 1 {
                    left[c] ^= l;
                    right[c] ^= r;
                }
            }
        }
        BitMatrix::new(n, right)
    }
}

/// The dimension of the space that some vectors span.
pub(crate) fn rank(vectors: impl Iterator<Item = u64>) -> usize {
    // By its highest bit, a vector of the basis.
    let mut basis = [0u64; 64];
    let mut found = 0;
    for mut v in vectors {
        while v != 0 {
            let highest = v.ilog2() as usize;
            if basis[highest] == 0 {
                basis[highest] = v;
                found += 1;
                break;
            }
            v ^= basis[highest];
        }
    }
    found
}
