//! Rows of constraints in one allocation.

use crate::num::Num;

/// Rows of equal width, one behind the other. The last entry of a row is its
/// constant.
#[derive(Clone, Debug)]
pub(crate) struct Rows<N> {
    width: usize,
    data: Vec<N>,
}

impl<N: Num> Rows<N> {
    pub fn new(width: usize) -> Rows<N> {
        Rows {
            width,
            data: Vec::new(),
        }
    }

    pub fn with_capacity(width: usize, rows: usize) -> Rows<N> {
        Rows {
            width,
            data: Vec::with_capacity(width * rows),
        }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// Every row has at least its constant, so the width is never zero.
    pub fn len(&self) -> usize {
        self.data.len() / self.width
    }

    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    #[inline]
    pub fn row(&self, i: usize) -> &[N] {
        &self.data[i * self.width..(i + 1) * self.width]
    }

    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [N] {
        &mut self.data[i * self.width..(i + 1) * self.width]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[N]> {
        self.data.chunks_exact(self.width)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut [N]> {
        self.data.chunks_exact_mut(self.width)
    }

    pub fn push(&mut self, row: &[N]) {
        debug_assert_eq!(row.len(), self.width);
        self.data.extend_from_slice(row);
    }

    /// One more row, all zeros, to be filled in.
    pub fn push_zeros(&mut self) -> &mut [N] {
        let start = self.data.len();
        self.data.resize(start + self.width, N::zero());
        &mut self.data[start..]
    }

    /// Takes row `i` away; the last row takes its place.
    pub fn swap_remove(&mut self, i: usize) {
        let last = self.len() - 1;
        if i != last {
            let (head, tail) = self.data.split_at_mut(last * self.width);
            head[i * self.width..(i + 1) * self.width].swap_with_slice(&mut tail[..self.width]);
        }
        self.data.truncate(last * self.width);
    }

    /// Keeps the rows of which `keep` says so, in their order.
    pub fn retain(&mut self, keep: impl Fn(&[N]) -> bool) {
        let width = self.width;
        let mut kept = 0;
        for at in 0..self.len() {
            if !keep(self.row(at)) {
                continue;
            }
            if kept != at {
                let (head, tail) = self.data.split_at_mut(at * width);
                head[kept * width..(kept + 1) * width].swap_with_slice(&mut tail[..width]);
            }
            kept += 1;
        }
        self.truncate(kept);
    }

    pub fn truncate(&mut self, rows: usize) {
        self.data.truncate(rows * self.width);
    }

    /// One more column before column `at`, all zeros.
    pub fn insert_column(&mut self, at: usize) {
        let mut data = Vec::with_capacity(self.data.len() + self.len());
        for row in self.data.chunks_exact(self.width) {
            data.extend_from_slice(&row[..at]);
            data.push(N::zero());
            data.extend_from_slice(&row[at..]);
        }
        self.data = data;
        self.width += 1;
    }
}
