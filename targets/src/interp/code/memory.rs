//! Instructions on memrefs and vectors.

use super::{Num, Slot};
use crate::interp::affine::AffineCode;
use crate::interp::ew::EwOp;
use crate::interp::memref::Shape;
use crate::interp::value::Elem;
use std::rc::Rc;
use terrace_dialects::xfer::{Clause, Side};
use terrace_ir::Op;

/// Which memory an allocation is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::interp) enum AllocKind {
    Heap,
    Stack,
    Device,
    Pinned,
    HostShared,
}

/// An array of a data op, and what is asked for it.
#[derive(Debug)]
pub(in crate::interp) struct DataClause {
    pub array: Slot,
    pub clause: Clause,
    /// What the program calls the array.
    pub name: Rc<str>,
    /// Where its buffer goes, and of which type that is.
    pub buffer: Option<(Shape, Slot)>,
}

/// What is done with the table of present arrays.
#[derive(Debug)]
pub(in crate::interp) enum DataInst {
    Enter {
        list: Vec<DataClause>,
        structured: bool,
    },
    Exit {
        list: Vec<DataClause>,
        structured: bool,
        finalize: bool,
    },
    Update {
        list: Vec<DataClause>,
        if_present: bool,
    },
    Present {
        of: DataClause,
        if_present: bool,
    },
    IsPresent {
        of: DataClause,
        dst: Slot,
    },
}

/// What is done with an array and its mirror.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::interp) enum CoherenceInst {
    Ensure,
    MarkWritten,
    AssertValid,
}

/// What is made of a memref's descriptor: another memref, or a number.
#[derive(Debug)]
pub(in crate::interp) enum DescriptorInst {
    Dim {
        index: Slot,
    },
    Rank,
    /// The address as a number: that of the buffer and the byte in it.
    Pointer,
    /// Whether all rows begin at multiples of so many bytes.
    RowsAligned {
        bytes: i64,
    },
    /// A value of the memref type of the result; `None` for an unranked one.
    Cast {
        shape: Option<Shape>,
    },
    Subview {
        offsets: Box<[Num]>,
        sizes: Box<[Num]>,
        strides: Box<[Num]>,
        dropped: Box<[bool]>,
        shape: Shape,
    },
    Reinterpret {
        offset: Num,
        sizes: Box<[Num]>,
        strides: Box<[Num]>,
    },
    Reshape {
        sizes: Slot,
    },
    View {
        shift: Slot,
        sizes: Box<[Num]>,
        shape: Shape,
    },
    Collapse {
        groups: Vec<Vec<usize>>,
    },
    Expand {
        groups: Vec<Vec<usize>>,
        sizes: Box<[Num]>,
    },
    Transpose {
        permutation: Box<[usize]>,
    },
}

#[derive(Debug)]
pub(in crate::interp) enum MemoryInst {
    Alloc {
        kind: AllocKind,
        shape: Shape,
        sizes: Box<[Slot]>,
        symbols: Box<[Slot]>,
        dst: Slot,
    },
    Realloc {
        source: Slot,
        size: Num,
        dst: Slot,
    },
    Free {
        memref: Slot,
        device: bool,
    },
    Copy {
        source: Slot,
        target: Slot,
        anywhere: bool,
    },
    /// A mirror on the device of an array of the host.
    Mirror {
        array: Slot,
        shape: Shape,
        dst: Slot,
    },
    /// `xfer.discard`.
    Discard {
        memref: Slot,
    },
    /// An op of data regions.
    Data(DataInst),
    /// An op on an array and its mirror.
    Coherence {
        what: CoherenceInst,
        array: Slot,
        mirror: Slot,
        sides: &'static [Side],
    },
    Fill {
        target: Slot,
        value: Slot,
        anywhere: bool,
    },
    Descriptor {
        source: Slot,
        inst: DescriptorInst,
        dst: Slot,
    },
    Metadata {
        source: Slot,
        base: Slot,
        offset: Slot,
        sizes: Box<[Slot]>,
        strides: Box<[Slot]>,
    },
    Global {
        op: Op,
        shape: Shape,
        dst: Slot,
    },
    AtomicRmw {
        combine: EwOp,
        value: Slot,
        memref: Slot,
        indices: Box<[Slot]>,
        dst: Slot,
    },
    /// Fails unless the address of the memref is a multiple.
    AssumeAlignment {
        source: Slot,
        alignment: i64,
        dst: Option<Slot>,
    },
    /// Fails unless the memrefs are of distinct buffers.
    Distinct {
        sources: Box<[Slot]>,
        results: Box<[Slot]>,
    },
    Dma(Dma),
    Delinearize {
        linear: Slot,
        basis: Box<[Num]>,
        outer_bound: bool,
        dst: Box<[Slot]>,
    },
    Linearize {
        indices: Box<[Slot]>,
        basis: Box<[Num]>,
        disjoint: bool,
        dst: Slot,
    },
    HostRegister {
        memref: Slot,
        on: bool,
    },
}

/// A transfer of `count` elements, in runs of `run` elements that lie `stride` apart on
/// the side that is strided.
#[derive(Debug)]
pub(in crate::interp) struct Dma {
    pub source: (Slot, Box<[AffineCode]>),
    pub target: (Slot, Box<[AffineCode]>),
    pub count: Slot,
    pub strided: Option<(Slot, Slot)>,
    pub source_is_strided: bool,
}

#[derive(Debug)]
pub(in crate::interp) struct Transfer {
    pub memref: Slot,
    pub indices: Box<[Slot]>,
    /// For each dimension of the vector, the memref's dimension, or `None` where the
    /// element is the same along it.
    pub dims: Box<[Option<usize>]>,
    pub in_bounds: Box<[bool]>,
    pub mask: Option<Slot>,
    pub shape: Rc<[i64]>,
    pub elem: Elem,
}

/// A vector or an element made of others.
#[derive(Debug)]
pub(in crate::interp) enum LaneInst {
    Broadcast {
        source: Slot,
        shape: Rc<[i64]>,
        elem: Elem,
    },
    Extract {
        source: Slot,
        position: Box<[Num]>,
    },
    Insert {
        value: Slot,
        dest: Slot,
        position: Box<[Num]>,
    },
    /// A box in the leading dimensions.
    ExtractSlice {
        source: Slot,
        offsets: Box<[i64]>,
        shape: Rc<[i64]>,
    },
    InsertSlice {
        value: Slot,
        dest: Slot,
        offsets: Box<[i64]>,
    },
    Reduction {
        combine: EwOp,
        source: Slot,
        acc: Option<Slot>,
    },
    ShapeCast {
        source: Slot,
        shape: Rc<[i64]>,
    },
    Transpose {
        source: Slot,
        permutation: Box<[usize]>,
    },
    FromElements {
        elements: Box<[Slot]>,
        shape: Rc<[i64]>,
        elem: Elem,
    },
    /// True below the sizes.
    Mask {
        sizes: Box<[Num]>,
        shape: Rc<[i64]>,
    },
    /// The lanes of the two vectors in this order.
    Shuffle {
        a: Slot,
        b: Slot,
        lanes: Box<[i64]>,
    },
}

#[derive(Debug)]
pub(in crate::interp) enum VectorInst {
    TransferRead {
        transfer: Transfer,
        padding: Slot,
        dst: Slot,
    },
    TransferWrite {
        transfer: Transfer,
        value: Slot,
    },
    Load {
        memref: Slot,
        indices: Box<[AffineCode]>,
        shape: Rc<[i64]>,
        elem: Elem,
        dst: Slot,
    },
    Store {
        memref: Slot,
        indices: Box<[AffineCode]>,
        value: Slot,
    },
    MaskedLoad {
        memref: Slot,
        indices: Box<[Slot]>,
        mask: Slot,
        otherwise: Slot,
        dst: Slot,
    },
    MaskedStore {
        memref: Slot,
        indices: Box<[Slot]>,
        mask: Slot,
        value: Slot,
    },
    Lanes {
        inst: LaneInst,
        dst: Slot,
    },
    ToElements {
        source: Slot,
        dst: Box<[Slot]>,
    },
    TypeCast {
        source: Slot,
        lanes: Rc<[i64]>,
        dst: Slot,
    },
}
