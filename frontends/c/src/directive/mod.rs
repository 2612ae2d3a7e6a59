//! Directives: what OpenACC, PGI's older spellings, `scop` and `terrace` pragmas say.
//!
//! The parser knows words and brackets, not names: expressions and variables are
//! [`Arg`]s, text with a place, which name resolution completes.
//!
//! References are to the OpenACC Application Programming Interface 3.1.

mod collect;
mod exprs;
mod parse;
pub mod schedule;

use crate::hir::{Expr, Span};

pub use collect::collect;
pub use parse::{Message, Outcome, parse_pragma};
use schedule::Schedule;

/// A pragma that was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Directive {
    pub kind: DirectiveKind,
    pub clauses: Vec<Clause>,
    /// From `#` to the end of the line.
    pub span: Span,
    pub dialect: Dialect,
}

impl Directive {
    /// The variables of all data clauses, in order, each with its clause.
    pub fn data(&self) -> impl Iterator<Item = (DataKind, &Section)> {
        self.clauses.iter().flat_map(|c| {
            let (kind, vars): (DataKind, &[Section]) = match &c.kind {
                ClauseKind::Data { kind, vars } => (*kind, vars),
                _ => (DataKind::Copy, &[]),
            };
            vars.iter().map(move |v| (kind, v))
        })
    }
}

/// Whose words they are; messages quote the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    OpenAcc,
    /// PGI Accelerator 1.0 to 1.3: `acc region`, `acc data region`, `acc do`.
    Pgi,
    Scop,
    Terrace,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DirectiveKind {
    /// A compute construct; `combined` with a loop (`parallel loop`, `region do`).
    Compute {
        construct: Compute,
        combined: bool,
    },
    Loop,
    Data,
    EnterData,
    ExitData,
    HostData,
    Update,
    Wait(Vec<Arg>),
    Cache(Vec<Section>),
    Declare,
    /// With a name it is for that function, else for the one that follows.
    Routine(Option<Arg>),
    Atomic(Atomic),
    Init,
    Shutdown,
    Set,
    /// `scop` or `endscop`; the second only until they are paired.
    Scop,
    EndScop,
    /// `terrace host`: stays on the host, whatever the analysis says.
    Host,
    /// `terrace target(NAME)`, where [`Target::parse`] knows the name.
    Target(Arg),
    /// `terrace schedule(...)`.
    Schedule(Schedule),
}

/// Where a region is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// As the system's compiler makes it.
    Host,
    /// On the host's cores, as terrace compiles it.
    Cpu,
    /// On a GPU where there is one.
    Gpu,
    /// The same, as code for this architecture: `sm_90`.
    Arch(String),
}

impl Target {
    /// The target of this name; whether there is such an architecture is not looked at.
    pub fn parse(name: &str) -> Option<Target> {
        let digits = name
            .strip_prefix("sm_")
            .map(|n| n.trim_end_matches(['a', 'f']));
        Some(match name {
            "host" => Target::Host,
            "cpu" => Target::Cpu,
            "gpu" => Target::Gpu,
            _ if digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit())) => {
                Target::Arch(name.to_owned())
            }
            _ => return None,
        })
    }

    /// Whether it is a GPU of any kind.
    pub fn is_gpu(&self) -> bool {
        matches!(self, Target::Gpu | Target::Arch(_))
    }
}

/// What runs on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compute {
    Parallel,
    Kernels,
    Serial,
    /// `scop` and `terrace offload`: everything is terrace's choice, and must be
    /// proved.
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Atomic {
    Read,
    Write,
    Update,
    Capture,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Clause {
    pub kind: ClauseKind,
    pub span: Span,
    /// Set after `device_type(...)`: the names it is for. Clauses for other devices
    /// than NVIDIA's are dropped by the parser, and so are those that a clause for
    /// NVIDIA's replaces.
    pub device_type: Vec<String>,
}

// A file has few clauses, and `gang` is among the most common.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, PartialEq)]
pub enum ClauseKind {
    Gang {
        num: Option<Arg>,
        dim: Option<Arg>,
        size: Option<Arg>,
    },
    Worker(Option<Arg>),
    Vector(Option<Arg>),
    Seq,
    Auto,
    Independent,
    Collapse {
        force: bool,
        count: Arg,
    },
    /// `*` is `None`.
    Tile(Vec<Option<Arg>>),
    Reduction {
        op: Reduction,
        vars: Vec<Section>,
    },
    Private(Vec<Section>),
    Firstprivate(Vec<Section>),
    Data {
        kind: DataKind,
        vars: Vec<Section>,
    },
    UseDevice(Vec<Section>),
    If(Arg),
    IfPresent,
    Finalize,
    /// `self` of a compute construct, with its condition.
    SelfCondition(Option<Arg>),
    Async(Option<Arg>),
    Wait(Vec<Arg>),
    NumGangs(Vec<Arg>),
    NumWorkers(Arg),
    VectorLength(Arg),
    /// `none` is true, `present` false.
    Default {
        none: bool,
    },
    Bind(Arg),
    NoHost,
    /// PGI: `host(width)`, `unroll(width)`, `parallel(width)` and `kernel` of a loop.
    Host(Option<Arg>),
    Unroll(Option<Arg>),
    Kernel,
    DeviceNum(Arg),
    DefaultAsync(Arg),
}

/// OpenACC 3.1, 2.7; `Update...` are those of the update directive, 2.14.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataKind {
    Copy,
    Copyin,
    Copyout,
    Create,
    Present,
    NoCreate,
    Delete,
    Detach,
    Attach,
    Deviceptr,
    DeviceResident,
    Link,
    UpdateHost,
    UpdateDevice,
    /// An array in a `firstprivate` clause.
    Firstprivate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reduction {
    Add,
    Mul,
    Max,
    Min,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
}

/// An expression: the text as written, and what name resolution made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Arg {
    pub text: String,
    pub span: Span,
    pub expr: Option<Expr>,
}

/// A variable, or part of an array: `a`, `s.x`, `p->m`, `a[lo:len][0:n]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// The variable or member, without brackets.
    pub base: Arg,
    pub dims: Vec<Dim>,
    pub span: Span,
    /// `readonly:`, `zero:` and the like before the first variable of the list.
    pub modifiers: Vec<String>,
}

/// `[start : length]`; a missing start is 0, a missing length reaches the end. `[i]`
/// is an element: start `i`, length 1, `single`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dim {
    pub start: Option<Arg>,
    pub length: Option<Arg>,
    pub single: bool,
}
