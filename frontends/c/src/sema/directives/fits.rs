//! What kind of statement a directive is for.

use crate::directive::{Atomic, Compute, Dialect, Directive, DirectiveKind};
use crate::hir::{Stmt, StmtKind};

/// How a directive takes its place among the statements of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// It is for the statement that follows.
    Before,
    /// It stands by itself.
    Alone,
    /// It opens a region that `endscop` closes.
    Open,
    Close,
    /// It belongs outside functions.
    Outside,
}

pub(super) fn position(kind: &DirectiveKind) -> Position {
    match kind {
        DirectiveKind::Compute { .. }
        | DirectiveKind::Loop
        | DirectiveKind::Data
        | DirectiveKind::HostData
        | DirectiveKind::Atomic(_)
        | DirectiveKind::Host
        | DirectiveKind::Target(_)
        | DirectiveKind::Schedule(_) => Position::Before,
        DirectiveKind::EnterData
        | DirectiveKind::ExitData
        | DirectiveKind::Update
        | DirectiveKind::Wait(_)
        | DirectiveKind::Cache(_)
        | DirectiveKind::Declare
        | DirectiveKind::Init
        | DirectiveKind::Shutdown
        | DirectiveKind::Set
        | DirectiveKind::Routine(Some(_)) => Position::Alone,
        DirectiveKind::Scop => Position::Open,
        DirectiveKind::EndScop => Position::Close,
        DirectiveKind::Routine(None) => Position::Outside,
    }
}

/// A directive of OpenACC that says what runs on the device, or what data is there.
pub(super) fn decides(d: &Directive) -> bool {
    let acc = matches!(d.dialect, Dialect::OpenAcc | Dialect::Pgi);
    acc && matches!(
        d.kind,
        DirectiveKind::Compute { .. }
            | DirectiveKind::Data
            | DirectiveKind::HostData
            | DirectiveKind::EnterData
            | DirectiveKind::ExitData
            | DirectiveKind::Update
            | DirectiveKind::Wait(_)
            | DirectiveKind::Declare
            | DirectiveKind::Init
            | DirectiveKind::Shutdown
            | DirectiveKind::Set
    )
}

/// A directive that is for a `for` loop only.
pub(super) fn needs_loop(kind: &DirectiveKind) -> bool {
    matches!(
        kind,
        DirectiveKind::Loop | DirectiveKind::Compute { combined: true, .. }
    )
}

/// A directive that says how the region of another one runs.
pub(super) fn is_modifier(kind: &DirectiveKind) -> bool {
    matches!(
        kind,
        DirectiveKind::Target(_) | DirectiveKind::Host | DirectiveKind::Schedule(_)
    )
}

/// What is wrong with a statement for a directive, if anything: the end of a sentence
/// that begins with the directive's name.
pub(super) fn unfit(kind: &DirectiveKind, stmt: &Stmt) -> Option<&'static str> {
    if needs_loop(kind) {
        return match &stmt.kind {
            StmtKind::For { .. } => None,
            StmtKind::While { .. } | StmtKind::DoWhile { .. } => {
                Some("is for a `for` loop, and another kind of loop follows")
            }
            _ => Some("is for a `for` loop, and none follows"),
        };
    }
    match (kind, &stmt.kind) {
        (_, StmtKind::Decl(_)) => Some("is for a statement, and a declaration follows"),
        (DirectiveKind::Atomic(Atomic::Capture), StmtKind::Expr(_) | StmtKind::Block(_)) => None,
        (DirectiveKind::Atomic(_), StmtKind::Expr(_)) => None,
        (DirectiveKind::Atomic(_), StmtKind::Unsupported(_)) => None,
        (DirectiveKind::Atomic(_), _) => Some("is for an assignment, and none follows"),
        _ => None,
    }
}

/// The directive in the user's words.
pub(super) fn name(d: &Directive) -> String {
    let acc = match d.dialect {
        Dialect::OpenAcc | Dialect::Pgi => "acc ",
        Dialect::Terrace => "terrace ",
        Dialect::Scop => "",
    };
    let pgi = d.dialect == Dialect::Pgi;
    let word = match &d.kind {
        DirectiveKind::Compute {
            construct,
            combined,
        } => {
            let construct = match construct {
                Compute::Kernels if pgi => "region",
                Compute::Kernels => "kernels",
                Compute::Parallel => "parallel",
                Compute::Serial => "serial",
                Compute::Auto => "offload",
            };
            match (combined, pgi) {
                (false, _) => construct.to_owned(),
                (true, true) => format!("{construct} do"),
                (true, false) => format!("{construct} loop"),
            }
        }
        kind => match kind {
            DirectiveKind::Loop if pgi => "do",
            DirectiveKind::Loop => "loop",
            DirectiveKind::Data if pgi => "data region",
            DirectiveKind::Data => "data",
            DirectiveKind::EnterData => "enter data",
            DirectiveKind::ExitData => "exit data",
            DirectiveKind::HostData => "host_data",
            DirectiveKind::Update => "update",
            DirectiveKind::Wait(_) => "wait",
            DirectiveKind::Cache(_) => "cache",
            DirectiveKind::Declare => "declare",
            DirectiveKind::Routine(_) => "routine",
            DirectiveKind::Atomic(_) => "atomic",
            DirectiveKind::Init => "init",
            DirectiveKind::Shutdown => "shutdown",
            DirectiveKind::Set => "set",
            DirectiveKind::Scop => "scop",
            DirectiveKind::EndScop => "endscop",
            DirectiveKind::Host => "host",
            DirectiveKind::Target(_) => "target",
            DirectiveKind::Schedule(_) => "schedule",
            DirectiveKind::Compute { .. } => "compute",
        }
        .to_owned(),
    };
    format!("{acc}{word}")
}
