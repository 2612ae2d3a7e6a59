//! The compact form that functions are decoded to: one list of instructions, with the
//! values of a function in numbered slots and its regions joined by jumps.
//!
//! Structured loops become jumps too, so that a thread of a kernel can stop anywhere (at
//! a barrier) with nothing but its slots and a position to remember.

use super::affine::AffineCode;
use super::ew::EwOp;
use super::float::FloatBin;
use super::int::{Flags, IntBin};
use super::memref::Shape;
use super::value::{Elem, Value};
use std::rc::Rc;
use terrace_dialects::arith::{CmpFPredicate, CmpIPredicate};
use terrace_ir::Op;

/// The place of a value in the frame of its function.
pub(super) type Slot = u32;

/// A position in the instructions; numbers of labels while a function is decoded.
pub(super) type Target = u32;

/// Families of ops, for the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OpClass {
    /// Jumps and moves that stand for no op.
    None,
    Constant,
    Arith,
    Math,
    Control,
    Call,
    Affine,
    Load,
    Store,
    Memory,
    Vector,
    Gpu,
}

impl OpClass {
    pub const ALL: [OpClass; 12] = {
        use OpClass::*;
        [None, Constant, Arith, Math, Control, Call, Affine, Load, Store, Memory, Vector, Gpu]
    };

    pub fn name(self) -> &'static str {
        match self {
            OpClass::None => "none",
            OpClass::Constant => "constant",
            OpClass::Arith => "arith",
            OpClass::Math => "math",
            OpClass::Control => "control",
            OpClass::Call => "call",
            OpClass::Affine => "affine",
            OpClass::Load => "load",
            OpClass::Store => "store",
            OpClass::Memory => "memory",
            OpClass::Vector => "vector",
            OpClass::Gpu => "gpu",
        }
    }
}

/// A decoded function, kernel or region that runs on its own.
#[derive(Debug)]
pub(super) struct Code {
    pub name: String,
    pub insts: Vec<Inst>,
    /// For each instruction, the op it comes from and its class.
    pub ops: Vec<Op>,
    pub classes: Vec<OpClass>,
    pub slots: u32,
    /// The first slots are the arguments.
    pub args: u32,
    /// The arguments that are buffers of the block and of the thread.
    pub workgroup: Vec<(Slot, Shape)>,
    pub private: Vec<(Slot, Shape)>,
    /// Values from outside that a launch's body uses: slots of the one that launches.
    pub captures: Vec<Slot>,
    /// Where those go.
    pub captured: Vec<Slot>,
    /// A `gpu.launch` or `gpu.func`.
    pub device: bool,
    /// A `gpu.launch`.
    pub is_inline: bool,
}

/// An index of an op that is known or computed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Num {
    Known(i64),
    Slot(Slot),
}

#[derive(Debug)]
pub(super) enum Inst {
    Const { dst: Slot, value: Value },
    Move { dst: Slot, src: Slot },
    /// All at once: sources are read before a destination is written.
    MoveAll(Box<[(Slot, Slot)]>),
    Jump(Target),
    /// Jumps where the condition does not hold.
    Unless { cond: Slot, to: Target },
    Switch(Box<Switch>),
    /// Fails unless the step is positive.
    CheckStep { step: Slot, unsigned: bool },
    /// Jumps unless `iv` is below `ub`.
    LoopTest { iv: Slot, ub: Slot, unsigned: bool, exit: Target },
    /// Adds the step to `iv` and jumps where the sum is below `ub`.
    LoopNext { iv: Slot, step: Slot, ub: Slot, unsigned: bool, body: Target },
    IndexBin { op: IntBin, dst: Slot, a: Slot, b: Slot },
    IntBin { op: IntBin, flags: Flags, width: u32, dst: Slot, a: Slot, b: Slot },
    F64Bin { op: FloatBin, dst: Slot, a: Slot, b: Slot },
    F32Bin { op: FloatBin, dst: Slot, a: Slot, b: Slot },
    CmpI { predicate: CmpIPredicate, dst: Slot, a: Slot, b: Slot },
    CmpF64 { predicate: CmpFPredicate, dst: Slot, a: Slot, b: Slot },
    Ew(Box<Ew>),
    Load { dst: Slot, memref: Slot, indices: Box<[Slot]> },
    Store { value: Slot, memref: Slot, indices: Box<[Slot]> },
    AffineLoad { dst: Slot, memref: Slot, indices: Box<[AffineCode]> },
    AffineStore { value: Slot, memref: Slot, indices: Box<[AffineCode]> },
    Affine { dst: Slot, expr: Box<AffineCode> },
    /// The least or greatest of several.
    AffineBest { dst: Slot, greatest: bool, exprs: Box<[AffineCode]> },
    /// Jumps unless all hold: `expr == 0` where the flag is set, else `expr >= 0`.
    AffineUnless { constraints: Box<[(AffineCode, bool)]>, to: Target },
    Call(Box<Call>),
    Return(Box<[Slot]>),
    Assert { cond: Slot, message: Box<str> },
    ScopeEnter,
    ScopeLeave,
    Memory(Box<MemoryInst>),
    Vector(Box<VectorInst>),
    Gpu(Box<GpuInst>),
    /// What cannot be run, which matters only where it is reached.
    Trap(Box<str>),
}

#[derive(Debug)]
pub(super) struct Switch {
    pub on: Slot,
    /// By value, sorted; the first of equal ones counts.
    pub cases: Vec<(i64, Target)>,
    pub default: Target,
}

#[derive(Debug)]
pub(super) struct Ew {
    pub op: EwOp,
    pub out: Elem,
    pub args: Box<[Slot]>,
    pub dst: Slot,
    pub second: Option<Slot>,
}

#[derive(Debug)]
pub(super) struct Call {
    pub callee: Callee,
    pub args: Box<[Slot]>,
    pub results: Box<[Slot]>,
}

#[derive(Debug)]
pub(super) enum Callee {
    Known(Op),
    /// A function value.
    Slot(Slot),
}

/// Which memory an allocation is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AllocKind {
    Heap,
    Stack,
    Device,
    HostShared,
}

#[derive(Debug)]
pub(super) enum MemoryInst {
    Alloc { kind: AllocKind, shape: Shape, sizes: Box<[Slot]>, symbols: Box<[Slot]>, dst: Slot },
    Realloc { source: Slot, size: Num, dst: Slot },
    Free { memref: Slot, device: bool },
    Copy { source: Slot, target: Slot, anywhere: bool },
    Fill { target: Slot, value: Slot, anywhere: bool },
    Dim { source: Slot, index: Slot, dst: Slot },
    Rank { source: Slot, dst: Slot },
    /// A value of the memref type of the result; `None` for an unranked one.
    Cast { source: Slot, shape: Option<Shape>, dst: Slot },
    Subview { source: Slot, offsets: Box<[Num]>, sizes: Box<[Num]>, strides: Box<[Num]>, dropped: Box<[bool]>, shape: Shape, dst: Slot },
    Reinterpret { source: Slot, offset: Num, sizes: Box<[Num]>, strides: Box<[Num]>, dst: Slot },
    Reshape { source: Slot, sizes: Slot, dst: Slot },
    View { source: Slot, shift: Slot, sizes: Box<[Num]>, shape: Shape, dst: Slot },
    Collapse { source: Slot, groups: Vec<Vec<usize>>, dst: Slot },
    Expand { source: Slot, groups: Vec<Vec<usize>>, sizes: Box<[Num]>, dst: Slot },
    Transpose { source: Slot, permutation: Box<[usize]>, dst: Slot },
    Metadata { source: Slot, base: Slot, offset: Slot, sizes: Box<[Slot]>, strides: Box<[Slot]> },
    /// The address as a number: that of the buffer and the byte in it.
    Pointer { source: Slot, dst: Slot },
    Global { op: Op, shape: Shape, dst: Slot },
    AtomicRmw { combine: EwOp, value: Slot, memref: Slot, indices: Box<[Slot]>, dst: Slot },
    /// Fails unless the address of the memref is a multiple.
    AssumeAlignment { source: Slot, alignment: i64, dst: Option<Slot> },
    /// Fails unless the memrefs are of distinct buffers.
    Distinct { sources: Box<[Slot]>, results: Box<[Slot]> },
    Dma(Dma),
    Delinearize { linear: Slot, basis: Box<[Num]>, outer_bound: bool, dst: Box<[Slot]> },
    Linearize { indices: Box<[Slot]>, basis: Box<[Num]>, disjoint: bool, dst: Slot },
    HostRegister { memref: Slot, on: bool },
}

/// A transfer of `count` elements, in runs of `run` elements that lie `stride` apart on
/// the side that is strided.
#[derive(Debug)]
pub(super) struct Dma {
    pub source: (Slot, Box<[AffineCode]>),
    pub target: (Slot, Box<[AffineCode]>),
    pub count: Slot,
    pub strided: Option<(Slot, Slot)>,
    pub source_is_strided: bool,
}

#[derive(Debug)]
pub(super) struct Transfer {
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

#[derive(Debug)]
pub(super) enum VectorInst {
    TransferRead { transfer: Transfer, padding: Slot, dst: Slot },
    TransferWrite { transfer: Transfer, value: Slot },
    Load { memref: Slot, indices: Box<[AffineCode]>, shape: Rc<[i64]>, elem: Elem, dst: Slot },
    Store { memref: Slot, indices: Box<[AffineCode]>, value: Slot },
    MaskedLoad { memref: Slot, indices: Box<[Slot]>, mask: Slot, otherwise: Slot, dst: Slot },
    MaskedStore { memref: Slot, indices: Box<[Slot]>, mask: Slot, value: Slot },
    Broadcast { source: Slot, shape: Rc<[i64]>, elem: Elem, dst: Slot },
    Extract { source: Slot, position: Box<[Num]>, dst: Slot },
    Insert { value: Slot, dest: Slot, position: Box<[Num]>, dst: Slot },
    Reduction { combine: EwOp, source: Slot, acc: Option<Slot>, dst: Slot },
    ShapeCast { source: Slot, shape: Rc<[i64]>, dst: Slot },
    Transpose { source: Slot, permutation: Box<[usize]>, dst: Slot },
    FromElements { elements: Box<[Slot]>, shape: Rc<[i64]>, elem: Elem, dst: Slot },
    ToElements { source: Slot, dst: Box<[Slot]> },
    /// True below the sizes.
    Mask { sizes: Box<[Num]>, shape: Rc<[i64]>, dst: Slot },
    /// The lanes of the two vectors in this order.
    Shuffle { a: Slot, b: Slot, lanes: Box<[i64]>, dst: Slot },
    TypeCast { source: Slot, lanes: Rc<[i64]>, dst: Slot },
}

/// What a thread asks for about itself and its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Id {
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
pub(super) struct Launch {
    pub kernel: Op,
    /// The decoded body of a `gpu.launch`; a kernel that is called is decoded later.
    pub body: Option<Rc<Code>>,
    pub grid: [Slot; 3],
    pub block: [Slot; 3],
    pub cluster: Option<[Slot; 3]>,
    pub shared: Option<Slot>,
    pub args: Box<[Slot]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShuffleMode {
    Xor,
    Up,
    Down,
    Idx,
}

/// How a reduction over threads combines.
#[derive(Debug)]
pub(super) enum Combine {
    Op(EwOp),
    Body(Rc<Code>),
}

/// What the threads of a subgroup or block do together: each waits until all are there.
#[derive(Debug)]
pub(super) enum SyncInst {
    Barrier,
    Shuffle { mode: ShuffleMode, value: Slot, offset: Slot, width: Slot, dst: Slot, valid: Slot },
    Rotate { value: Slot, offset: i64, width: i64, dst: Slot, valid: Slot },
    /// The value of a lane, `None` for the first.
    Broadcast { value: Slot, lane: Option<Slot>, dst: Slot },
    SubgroupReduce { combine: Combine, value: Slot, cluster: Option<(i64, i64)>, dst: Slot },
    AllReduce { combine: Combine, value: Slot, dst: Slot },
}

impl SyncInst {
    /// Whether all threads of the block take part, not only a subgroup.
    pub fn is_block_wide(&self) -> bool {
        matches!(self, SyncInst::Barrier | SyncInst::AllReduce { .. })
    }
}

#[derive(Debug)]
pub(super) enum GpuInst {
    Id { id: Id, dst: Slot },
    DynamicShared { dst: Slot },
    Launch(Launch),
    Sync(SyncInst),
    Printf { format: Box<str>, args: Box<[Slot]> },
}
