//! The `xfer` dialect: where arrays live, and when they move between host and device.

mod canonicalize;
mod coherence;
mod data;
pub mod handed;
mod ops;
mod profile;
mod queues;
mod space;

use terrace_ir::{DialectDef, OpKind};

pub use coherence::{AssertValidOp, CreateOp, DiscardOp, EnsureOp, FIXED, MarkWrittenOp, Side};
pub use data::{
    Clause, DataOp, EndDataOp, EnterDataOp, ExitDataOp, IsPresentOp, PresentOp, UpdateOp,
    array_words, buffer_type, clauses,
};
pub use ops::{AllocOp, CopyOp, Direction, FreeOp};
pub use profile::{NoteWorkOp, ProfiledOp};
pub use queues::{Order, PrefetchOp, WaitOp};
pub use space::{device_number, device_space, in_space, is_device, is_pinned};

/// Memory of devices, copies to and from it, and which copy is valid.
pub static DIALECT: DialectDef = DialectDef {
    name: "xfer",
    doc: "Where arrays live, and when they move between host and device.",
    ops: &[
        AllocOp::DEF,
        AssertValidOp::DEF,
        CopyOp::DEF,
        CreateOp::DEF,
        DataOp::DEF,
        DiscardOp::DEF,
        EndDataOp::DEF,
        EnsureOp::DEF,
        EnterDataOp::DEF,
        ExitDataOp::DEF,
        FreeOp::DEF,
        IsPresentOp::DEF,
        MarkWrittenOp::DEF,
        NoteWorkOp::DEF,
        PrefetchOp::DEF,
        PresentOp::DEF,
        ProfiledOp::DEF,
        UpdateOp::DEF,
        WaitOp::DEF,
    ],
    attrs: space::ATTRS,
    ..DialectDef::EMPTY
};
