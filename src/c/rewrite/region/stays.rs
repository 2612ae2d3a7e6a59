//! Whether a region that has a form for the GPU may stay on the host all the same.

use terrace_c::directive::{ClauseKind, DataKind, Directive};

use super::super::{Rewriter, clauses};
use super::arrays::Arrays;
use super::slots::Slot;
use crate::c::plan::Pays;

/// What `terrace_pays` is told beside what is known of a region that a directive asks
/// for.
pub(super) const ASKED: u32 = 4;

impl Rewriter<'_> {
    /// What is to be asked before the region leaves the host. One that a directive asks
    /// for may only stay where nobody can tell but by the clock: what the host would find
    /// in its memory is what the clauses say.
    pub(super) fn pays(
        &self,
        index: usize,
        d: Option<&Directive>,
        arrays: &Arrays,
    ) -> Option<Pays> {
        let pays = self.plans[index].pays.filter(|_| arrays.gpu)?;
        if !pays.asked {
            return Some(pays);
        }
        let same = |s: &Slot| match s.kind {
            DataKind::Create if s.implicit => true,
            DataKind::Copy | DataKind::Copyout => !s.zero,
            DataKind::Copyin => !s.written,
            _ => false,
        };
        let other = |c: &ClauseKind| {
            matches!(
                c,
                ClauseKind::Async(_)
                    | ClauseKind::Private(_)
                    | ClauseKind::Firstprivate(_)
                    | ClauseKind::Reduction { .. }
                    | ClauseKind::Default { none: false }
            )
        };
        let told = d.is_some_and(|d| clauses::has(d, other));
        let perhaps = arrays.shared_scalars.iter().all(|s| s.perhaps);
        let may = arrays.slots.iter().all(same) && perhaps && !told;
        may.then_some(pays)
    }
}
