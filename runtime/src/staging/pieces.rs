//! A copy cut into pieces that fit a slot.

use crate::device::{Pitch, Rows};

/// What a copy moves, cut into pieces that fit a slot.
pub(super) struct Load {
    width: usize,
    rows: usize,
    planes: usize,
    pub(super) host: Pitch,
    pub(super) device: Pitch,
    /// Of one piece: whole planes, or rows of one plane. A piece of the only row of a
    /// plane is a part of it.
    piece_planes: usize,
    piece_rows: usize,
}

/// One piece: where it begins on either side, and its rows.
pub(super) struct Piece {
    pub(super) host: usize,
    pub(super) device: usize,
    pub(super) width: usize,
    pub(super) rows: usize,
    pub(super) planes: usize,
}

impl Load {
    /// Bytes one after the other.
    pub(super) fn line(bytes: usize) -> Load {
        let rows = Rows::line(bytes);
        Load {
            width: bytes,
            rows: 1,
            planes: 1,
            host: rows.src,
            device: rows.dst,
            piece_planes: 1,
            piece_rows: 1,
        }
    }

    pub(super) fn rows(rows: &Rows, host: Pitch, device: Pitch, chunk: usize) -> Load {
        let plane = rows.width.saturating_mul(rows.rows).max(1);
        Load {
            width: rows.width,
            rows: rows.rows,
            planes: rows.planes,
            host,
            device,
            piece_planes: (chunk / plane).max(1),
            piece_rows: match plane <= chunk {
                true => rows.rows.max(1),
                false => (chunk / rows.width.max(1)).max(1),
            },
        }
    }

    /// How many pieces a row is cut into, one after another.
    fn parts(&self, chunk: usize) -> usize {
        self.width.div_ceil(chunk)
    }

    pub(super) fn pieces(&self, chunk: usize) -> usize {
        let rows = self.rows.div_ceil(self.piece_rows) * self.parts(chunk);
        self.planes.div_ceil(self.piece_planes).saturating_mul(rows)
    }

    /// The piece of this number; none behind the last.
    pub(super) fn piece(&self, number: usize, chunk: usize) -> Option<Piece> {
        if number >= self.pieces(chunk) {
            return None;
        }
        let parts = self.parts(chunk);
        let (rest, part) = (number / parts, number % parts);
        let groups = self.rows.div_ceil(self.piece_rows);
        let (plane, row) = (
            rest / groups * self.piece_planes,
            rest % groups * self.piece_rows,
        );
        let at = part * chunk;
        let begin = |p: Pitch| plane * p.plane + row * p.row + at;
        Some(Piece {
            host: begin(self.host),
            device: begin(self.device),
            width: (self.width - at).min(chunk),
            rows: (self.rows - row).min(self.piece_rows),
            planes: (self.planes - plane).min(self.piece_planes),
        })
    }
}
