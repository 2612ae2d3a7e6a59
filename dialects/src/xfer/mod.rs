//! The `xfer` dialect: where arrays live, and when they move between host and device.

mod canonicalize;
mod coherence;
mod ops;
mod profile;
mod space;

use terrace_ir::{DialectDef, OpKind};

pub use coherence::{AssertValidOp, CreateOp, DiscardOp, EnsureOp, MarkWrittenOp, SIDE, Side};
pub use ops::{AllocOp, CopyOp, Direction, FreeOp};
pub use profile::{NoteWorkOp, ProfiledOp};
pub use space::{device_number, device_space, in_space, is_device};

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
        NoteWorkOp::DEF,
        ProfiledOp::DEF,
    ],
    attrs: space::ATTRS,
    ..DialectDef::EMPTY
};
