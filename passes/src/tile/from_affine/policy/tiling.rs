//! The tiles of a block, and which thread holds what of them.

use terrace_layout::{Layout, LayoutError};

/// The tiles of one version of a nest.
#[derive(Debug, Clone)]
pub(in crate::tile::from_affine) struct Tiling {
    /// For each level, how many of its iterations a block has.
    pub sizes: Vec<i64>,
    /// Elements of a row, where it is one tile.
    pub row: Option<i64>,
    /// For each of the loops inside, how many iterations a step of the block has, where they are
    /// gone through piece by piece.
    pub pieces: Vec<i64>,
    /// Whether one piece is all of the innermost loop.
    pub single: bool,
    /// Which thread holds what: a dimension for each level with several iterations, then that of
    /// the row.
    pub layout: Layout,
    /// The same for loads that are adjacent along another level.
    pub other: Option<Layout>,
    pub threads: i64,
    /// Elements of an access, whose rows are known to begin at multiples of that.
    pub vector: i64,
    pub form: Form,
}

/// What the layouts of a tiling are made from.
#[derive(Debug, Clone, Copy)]
pub(in crate::tile::from_affine) enum Form {
    /// So many rows of so many elements, each by so many threads.
    Rows { rows: i64, size: i64, each: i64 },
    /// A tile of this shape, with the dimensions of stores and loads.
    Turn {
        shape: [i64; 2],
        store: usize,
        load: usize,
    },
    /// A tile of up to three dimensions, of which memory is adjacent along this one.
    Fold {
        shape: [i64; 3],
        rank: usize,
        fast: usize,
    },
}

impl Form {
    pub fn layouts(
        self,
        vector: i64,
        threads: i64,
    ) -> Result<(Layout, Option<Layout>), LayoutError> {
        Ok(match self {
            Form::Rows { rows: 1, size, .. } => {
                (Layout::blocked(&[size], &[0], vector, threads)?, None)
            }
            Form::Rows { rows, size, each } => {
                (Layout::rows(&[rows, size], 1, each, vector, threads)?, None)
            }
            Form::Turn { shape, store, load } => (
                Layout::blocked(&shape, &[store, load], vector, threads)?,
                Some(Layout::blocked(&shape, &[load, store], vector, threads)?),
            ),
            Form::Fold { shape, rank, fast } => {
                let others = (0..rank).rev().filter(|d| *d != fast);
                let order: Vec<usize> = std::iter::once(fast).chain(others).collect();
                (
                    Layout::blocked(&shape[..rank], &order, vector, threads)?,
                    None,
                )
            }
        })
    }
}

impl Tiling {
    /// Whether the kernel sees that this axis ends at a multiple of an access.
    pub fn is_checked(&self, axis: usize) -> bool {
        self.vector > 1
            && match self.form {
                Form::Rows { rows, .. } => axis == usize::from(rows > 1),
                Form::Turn { .. } => true,
                Form::Fold { fast, .. } => axis == fast,
            }
    }

    /// The same block with accesses of so many elements.
    pub fn with_vector(&self, vector: i64) -> Option<Tiling> {
        let (layout, other) = self.form.layouts(vector, self.threads).ok()?;
        Some(Tiling {
            layout,
            other,
            vector,
            ..self.clone()
        })
    }
}
