//! Instructions on tiles.

use super::Slot;
use crate::interp::affine::AffineCode;
use crate::interp::ew::EwOp;
use crate::interp::value::Elem;
use std::rc::Rc;

/// Which coordinates exist along one dimension of a tile; all of them where neither is there.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::interp) struct Limit {
    /// The first that exists.
    pub lower: Option<Slot>,
    /// The first behind the last.
    pub upper: Option<Slot>,
}

/// A promise about the dimension of a tile along which memory is contiguous.
#[derive(Debug, Clone, Copy)]
pub(in crate::interp) struct Promise {
    pub dim: usize,
    /// A number of elements for limits, a number of bytes for rows.
    pub multiple: i64,
}

/// Where the elements of a tile lie in memory.
#[derive(Debug)]
pub(in crate::interp) struct TileAccess {
    pub memref: Slot,
    pub shape: Rc<[i64]>,
    /// The coordinates of an element go here before `indices` are evaluated.
    pub coordinates: Box<[Slot]>,
    pub indices: Box<[AffineCode]>,
    pub limits: Box<[Limit]>,
    /// Elements where it is false are not touched.
    pub mask: Option<Slot>,
    pub granule: Option<Promise>,
    pub alignment: Option<Promise>,
}

#[derive(Debug)]
pub(in crate::interp) enum TileInst {
    Load {
        access: TileAccess,
        elem: Elem,
        /// Stands for elements that are not read.
        pad: Option<Slot>,
        dst: Slot,
    },
    Store {
        access: TileAccess,
        value: Slot,
    },
    Reduce {
        combine: EwOp,
        value: Slot,
        init: Slot,
        axes: Box<[usize]>,
        limits: Box<[Limit]>,
        dst: Slot,
    },
    Mask {
        shape: Rc<[i64]>,
        limits: Box<[Limit]>,
        dst: Slot,
    },
}
