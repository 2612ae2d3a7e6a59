//! The `xfer` dialect: where arrays live, and when they move between host and device.

mod canonicalize;
mod coherence;
mod ops;
mod queues;
mod space;

use terrace_ir::{DialectDef, OpKind};

pub use coherence::{AssertValidOp, CreateOp, DiscardOp, EnsureOp, MarkWrittenOp, SIDE, Side};
pub use ops::{AllocOp, CopyOp, Direction, FreeOp};
pub use queues::{Order, PrefetchOp, WaitOp};
pub use space::{device_number, device_space, in_space, is_device, is_pinned, pinned_space};

pub static DIALECT: DialectDef = DialectDef {
    name: "xfer",
    doc: "Where arrays live, and when they move between host and device.",
    ops: &[
        AllocOp::DEF,
        AssertValidOp::DEF,
        CopyOp::DEF,
        CreateOp::DEF,
        DiscardOp::DEF,
        EnsureOp::DEF,
        FreeOp::DEF,
        MarkWrittenOp::DEF,
        PrefetchOp::DEF,
        WaitOp::DEF,
    ],
    attrs: space::ATTRS,
    ..DialectDef::EMPTY
};
