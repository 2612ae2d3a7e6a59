//! Clauses, and which of them each data op takes.

use terrace_ir::{Context, Op, Value};

/// What a clause asks for an array. The numbers are those of the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clause {
    /// In at the beginning, out at the end.
    Copy = 0,
    /// In at the beginning.
    CopyIn = 1,
    /// Out at the end.
    CopyOut = 2,
    /// Memory on the device, and no copy.
    Create = 3,
    /// It must be present.
    Present = 4,
    /// Its buffer if it is present; else the array of the host.
    NoCreate = 5,
    /// It leaves the device without a copy.
    Delete = 6,
    /// A buffer of the device already.
    DevicePtr = 7,
    /// `host` of an update: the host gets the device's values.
    UpdateHost = 8,
    /// `device` of an update.
    UpdateDevice = 9,
}

impl Clause {
    /// All, at their numbers.
    pub const ALL: [Clause; 10] = [
        Clause::Copy,
        Clause::CopyIn,
        Clause::CopyOut,
        Clause::Create,
        Clause::Present,
        Clause::NoCreate,
        Clause::Delete,
        Clause::DevicePtr,
        Clause::UpdateHost,
        Clause::UpdateDevice,
    ];

    /// The clause as it is written.
    pub fn word(self) -> &'static str {
        match self {
            Clause::Copy => "copy",
            Clause::CopyIn => "copyin",
            Clause::CopyOut => "copyout",
            Clause::Create => "create",
            Clause::Present => "present",
            Clause::NoCreate => "no_create",
            Clause::Delete => "delete",
            Clause::DevicePtr => "deviceptr",
            Clause::UpdateHost => "host",
            Clause::UpdateDevice => "device",
        }
    }

    /// Whether new data begins with the host's values.
    pub fn copies_in(self) -> bool {
        matches!(self, Clause::Copy | Clause::CopyIn)
    }

    /// Whether the host gets the values when nobody holds the data any more.
    pub fn copies_out(self) -> bool {
        matches!(self, Clause::Copy | Clause::CopyOut)
    }

    /// Whether it makes data present that is absent.
    pub fn makes(self) -> bool {
        matches!(
            self,
            Clause::Copy | Clause::CopyIn | Clause::CopyOut | Clause::Create
        )
    }

    fn of(number: i64) -> Option<Clause> {
        Clause::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

/// Clauses of `xfer.data`.
pub(super) const OF_REGION: &[Clause] = &[
    Clause::Copy,
    Clause::CopyIn,
    Clause::CopyOut,
    Clause::Create,
    Clause::Present,
    Clause::NoCreate,
    Clause::DevicePtr,
];
/// Those that can be counted at the beginning and the end of a region.
pub(super) const STRUCTURED: &[Clause] = &[
    Clause::Copy,
    Clause::CopyIn,
    Clause::CopyOut,
    Clause::Create,
    Clause::Present,
    Clause::NoCreate,
];
pub(super) const OF_ENTER: &[Clause] = &[Clause::CopyIn, Clause::Create];
pub(super) const OF_EXIT: &[Clause] = &[Clause::CopyOut, Clause::Delete];
pub(super) const OF_UPDATE: &[Clause] = &[Clause::UpdateHost, Clause::UpdateDevice];

/// Each array of a data op with its clause; none of an op that does not verify.
pub fn clauses(ctx: &Context, op: Op) -> Vec<(Value, Clause)> {
    let numbers = op
        .attr(ctx, "clauses")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    let all = op.operands(ctx).into_iter().zip(numbers);
    all.filter_map(|(v, n)| Some((v, Clause::of(n)?))).collect()
}
