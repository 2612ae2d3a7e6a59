//! Why a nest of loops is not what a mapper makes kernels of.

use terrace_ir::Op;

/// Where a nest is something else, and in words. `near`: it is worth saying.
#[derive(Debug)]
pub(crate) struct MatchFailure {
    pub op: Op,
    pub why: String,
    pub near: bool,
}

/// It is nearly one.
pub(super) fn no_match<T>(op: Op, why: impl Into<String>) -> Result<T, MatchFailure> {
    Err(MatchFailure {
        op,
        why: why.into(),
        near: true,
    })
}

/// It is nothing of the kind.
pub(super) fn no_match_at_all<T>(op: Op, why: &str) -> Result<T, MatchFailure> {
    Err(MatchFailure {
        op,
        why: why.into(),
        near: false,
    })
}
