//! Instructions of kernels and launches.

use super::{Code, CopyInst, MatrixInst, Slot};
use crate::interp::ew::EwOp;
use std::rc::Rc;
use terrace_ir::Op;

/// What a thread asks for about itself and its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::interp) enum Id {
    Thread(usize),
    Block(usize),
    BlockDim(usize),
    GridDim(usize),
    Global(usize),
    Cluster(usize),
    ClusterDim(usize),
    ClusterBlock(usize),
    ClusterDimBlocks(usize),
    Lane,
    Subgroup,
    SubgroupSize,
    NumSubgroups,
}

#[derive(Debug)]
pub(in crate::interp) struct Launch {
    pub kernel: Op,
    /// The decoded body of a `gpu.launch`; a kernel that is called is decoded later.
    pub body: Option<Rc<Code>>,
    pub grid: [Slot; 3],
    pub block: [Slot; 3],
    pub cluster: Option<[Slot; 3]>,
    /// No more blocks along x run than there is room for, which here is one.
    pub cooperative: bool,
    pub shared: Option<Slot>,
    pub args: Box<[Slot]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::interp) enum ShuffleMode {
    Xor,
    Up,
    Down,
    Idx,
}

/// How a reduction over threads combines.
#[derive(Debug)]
pub(in crate::interp) enum Combine {
    Op(EwOp),
    Body(Rc<Code>),
}

/// What the threads of a subgroup or block do together: each waits until all are there.
#[derive(Debug)]
pub(in crate::interp) enum SyncInst {
    Barrier,
    Shuffle {
        mode: ShuffleMode,
        value: Slot,
        offset: Slot,
        width: Slot,
        dst: Slot,
        valid: Slot,
    },
    Rotate {
        value: Slot,
        offset: i64,
        width: i64,
        dst: Slot,
        valid: Slot,
    },
    /// The value of a lane, `None` for the first.
    Broadcast {
        value: Slot,
        lane: Option<Slot>,
        dst: Slot,
    },
    SubgroupReduce {
        combine: Combine,
        value: Slot,
        cluster: Option<(i64, i64)>,
        dst: Slot,
    },
    AllReduce {
        combine: Combine,
        value: Slot,
        dst: Slot,
    },
    Matrix(Box<MatrixInst>),
}

impl SyncInst {
    /// Whether all threads of the block take part, not only a subgroup.
    pub fn is_block_wide(&self) -> bool {
        matches!(self, SyncInst::Barrier | SyncInst::AllReduce { .. })
    }
}

/// What concerns ops that go on while the host does something else.
#[derive(Debug)]
pub(in crate::interp) enum AsyncInst {
    /// The instruction behind this one is asynchronous, in order with others.
    Begin {
        name: &'static str,
        tokens: Box<[Slot]>,
        queue: Option<Slot>,
    },
    /// The counterpart of `Begin`, which gives the token.
    End { queue: Option<Slot>, dst: Slot },
    /// The host waits, for all where there is no list.
    Wait {
        of: Option<(Box<[Slot]>, Box<[Slot]>)>,
    },
    /// A token for tokens and queues, for all where there is no list. A queue may be made
    /// to wait.
    Join {
        of: Option<(Box<[Slot]>, Box<[Slot]>)>,
        on: Option<Slot>,
        dst: Slot,
    },
}

#[derive(Debug)]
pub(in crate::interp) enum GpuInst {
    Id { id: Id, dst: Slot },
    DynamicShared { dst: Slot },
    Launch(Launch),
    Sync(SyncInst),
    Copy(CopyInst),
    Async(AsyncInst),
    Printf { format: Box<str>, args: Box<[Slot]> },
}
