//! Instructions on matrices that a subgroup computes with together, and copies in
//! the background.

use super::Slot;
use crate::interp::value::Elem;

/// An element of a memref, as the operands say it.
#[derive(Debug)]
pub(in crate::interp) struct MatrixElement {
    pub memref: Slot,
    pub indices: Box<[Slot]>,
}

/// How the elements of a matrix lie in memory.
#[derive(Debug, Clone, Copy)]
pub(in crate::interp) struct Rows {
    /// Elements from one row (of the matrix as it lies in memory) to the next.
    pub lead: i64,
    pub transpose: bool,
}

#[derive(Debug)]
pub(in crate::interp) enum MatrixInst {
    /// `nvgpu.ldmatrix`: tiles of 8 rows of 16 bytes.
    LoadTiles {
        from: MatrixElement,
        tiles: usize,
        transpose: bool,
        elem: Elem,
        dst: Slot,
    },
    /// `nvgpu.mma.sync`, of fragments; `shape` is m, n, k.
    Mma {
        factors: [Slot; 2],
        sum: Slot,
        shape: [usize; 3],
        dst: Slot,
    },
    /// `gpu.subgroup_mma_*`: matrices of which every thread holds the whole.
    Load {
        from: MatrixElement,
        rows: Rows,
        shape: [i64; 2],
        elem: Elem,
        dst: Slot,
    },
    Store {
        value: Slot,
        to: MatrixElement,
        rows: Rows,
    },
    Multiply {
        factors: [Slot; 2],
        sum: Slot,
        unsigned: [bool; 2],
        dst: Slot,
    },
}

/// `nvgpu.device_async_*`.
#[derive(Debug)]
pub(in crate::interp) enum CopyInst {
    Begin {
        from: MatrixElement,
        to: MatrixElement,
        elements: i64,
        /// How many are read; the others become zero.
        read: Option<Slot>,
    },
    Group,
    /// Waits until at most so many groups are under way.
    Wait {
        groups: usize,
    },
}
