//! What the kernel of a matrix product costs, as `gpu-map-contractions` makes it.
//!
//! The kernel is no nest that a mapping runs as it stands: blocks take tiles of the result,
//! copy slabs of both factors to workgroup memory ahead of what multiplies them, and that is
//! matrix units or multiply-adds from registers. What the pass made is left on the launch
//! ([`Note`]) and becomes numbers when sizes are known ([`Product`]); [`predict`] makes the
//! same terms of them as of nests.
//!
//! | file | what |
//! | --- | --- |
//! | `note` | what is left on the launch, and what sizes make of it |
//! | `tiles` | which blocks there are, how many slabs each has, which multiprocessor gets it |
//! | `shared` | passes through workgroup memory, from the places of lanes |
//! | `traffic` | what is asked of the L2 cache and of memory |
//! | `terms` | times |

mod note;
mod shared;
mod terms;
#[cfg(test)]
mod tests;
mod tiles;
mod traffic;

pub use note::{Compared, Form, Note, NoteFactor, key_of};
pub use terms::{OF_A_COPY, predict};
pub use tiles::elements;

/// What multiplies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Matrix units with factors of `f64`, of `f32` rounded to `tf32`, or of 16 bits, by
    /// products of this shape: rows, columns, depth.
    Doubles([i64; 3]),
    Rounded([i64; 3]),
    Halves([i64; 3]),
    /// Multiply-adds, each thread a tile of rows and columns.
    Registers([i64; 2]),
}

/// A number for each row and column: a constant and a multiple of both.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Line {
    pub constant: i64,
    pub row: i64,
    pub col: i64,
}

impl Line {
    pub fn constant(constant: i64) -> Line {
        Line {
            constant,
            ..Line::default()
        }
    }

    pub fn at(&self, row: i64, col: i64) -> i64 {
        let by_row = self.row.saturating_mul(row);
        let by_col = self.col.saturating_mul(col);
        self.constant.saturating_add(by_row).saturating_add(by_col)
    }
}

/// A factor in workgroup memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factor {
    pub array: String,
    /// As the source has it: `A[i][k]`.
    pub text: String,
    /// 0: with rows; 1: with columns.
    pub side: usize,
    pub bytes: i64,
    /// Whether neighbours along k are neighbours in memory.
    pub along_k: bool,
    /// The same in workgroup memory.
    pub k_last: bool,
    /// Elements from one line to the next there.
    pub pitch: i64,
    /// Elements that a lane copies at once.
    pub vector: i64,
}

/// The kernel of a product for sizes that are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    pub unit: Unit,
    /// Rows and columns of a block.
    pub tile: [i64; 2],
    /// Warps of a block along both.
    pub warps: [i64; 2],
    /// How much of k a slab has, and how many slabs there are in workgroup memory.
    pub depth: i64,
    pub stages: i64,
    /// Rows of tiles that run together.
    pub group: i64,
    pub shared_bytes: u32,
    /// First and end.
    pub rows: [i64; 2],
    pub cols: [i64; 2],
    /// First and end of k for a row and column.
    pub reach: [Line; 2],
    /// Not negative for the elements that there are.
    pub inside: Vec<Line>,
    /// Whether the last tiles begin first.
    pub last_first: bool,
    /// Two for each product that is added.
    pub factors: Vec<Factor>,
    pub result: Stored,
    /// The kernel is run only where it costs less than another one, at these sizes.
    pub other: Option<Other>,
}

/// The array that sums are stored to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stored {
    pub array: String,
    pub text: String,
    pub bytes: i64,
    /// Of a sum.
    pub sum_bytes: i64,
    /// Read in front of the slabs, and behind them.
    pub read_before: bool,
    pub read_behind: bool,
    /// Stores of an element.
    pub stores: i64,
}

/// The kernel that is run in place of another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Other {
    pub tile: [i64; 2],
    /// Whether this one is run.
    pub is_run: bool,
}

impl Product {
    pub fn threads(&self) -> i64 {
        32 * self.warps[0] * self.warps[1]
    }

    /// Tiles along rows and columns.
    pub fn tiles(&self) -> [i64; 2] {
        let along = |r: [i64; 2], n: i64| r[1].saturating_sub(r[0]).max(0).div_ceil_by(n);
        [
            along(self.rows, self.tile[0]),
            along(self.cols, self.tile[1]),
        ]
    }

    /// Pairs of factors.
    pub fn products(&self) -> f64 {
        self.factors.len() as f64 / 2.0
    }
}

/// Division that rounds up, of what is not negative.
trait DivCeil {
    fn div_ceil_by(self, n: Self) -> Self;
}

impl DivCeil for i64 {
    fn div_ceil_by(self, n: i64) -> i64 {
        let n = n.max(1);
        self / n + i64::from(self % n > 0)
    }
}
