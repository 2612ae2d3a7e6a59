//! Constants in clauses that no construct can have.

use super::levels::value;
use super::{Rules, clauses};
use crate::directive::{Arg, ClauseKind, Compute, Directive, DirectiveKind};

/// The least of `acc_async_sync`, `acc_async_noval` and `acc_async_default`.
const LEAST_QUEUE: i128 = -3;

impl Rules<'_> {
    pub(super) fn numbers(&mut self, d: &Directive) {
        for c in &d.clauses {
            match &c.kind {
                // Sizes that no machine has are left out, with a warning, where code is made.
                ClauseKind::NumGangs(args) => {
                    let kernels = matches!(
                        d.kind,
                        DirectiveKind::Compute {
                            construct: Compute::Kernels,
                            ..
                        }
                    );
                    if let Some(second) = args.get(1).filter(|_| kernels) {
                        let message = "`num_gangs` of `kernels` takes one number; dimensions of \
                                       gangs are for `parallel`";
                        self.error(second.span, message);
                    }
                }
                ClauseKind::Gang { num, dim, size } => {
                    for a in [num, size].into_iter().flatten() {
                        self.above_zero(a, "gang");
                    }
                    if let Some(a) = dim {
                        self.dimension(a);
                    }
                }
                ClauseKind::Worker(Some(a)) => self.above_zero(a, "worker"),
                ClauseKind::Vector(Some(a)) => self.above_zero(a, "vector"),
                ClauseKind::Async(Some(a)) | ClauseKind::DefaultAsync(a) => self.queue(a),
                ClauseKind::Wait(args) => args.iter().for_each(|a| self.queue(a)),
                ClauseKind::DeviceNum(a) => {
                    if let Some(n) = value(a).filter(|n| *n < 0) {
                        let message = format!("devices are counted from 0, and this is {n}");
                        self.error(a.span, message);
                    }
                }
                _ => {}
            }
        }
        if let DirectiveKind::Wait(args) = &d.kind {
            args.iter().for_each(|a| self.queue(a));
        }
        self.construct_reductions(d);
    }

    fn above_zero(&mut self, a: &Arg, name: &str) {
        if let Some(n) = value(a).filter(|n| *n <= 0) {
            let message = format!("`{name}` needs a number above 0, and this is {n}");
            self.error(a.span, message);
        }
    }

    /// The dimension of gangs is a constant (2.9.2).
    fn dimension(&mut self, a: &Arg) {
        let found = match value(a) {
            Some(n) if (1..=3).contains(&n) => return,
            Some(n) => n.to_string(),
            None => format!("`{}`", a.text.trim()),
        };
        let message = format!("gangs have the dimensions 1, 2 and 3, and this is {found}");
        self.error(a.span, message);
    }

    /// A queue is a number from 0 on, or one of three names (2.16).
    fn queue(&mut self, a: &Arg) {
        if let Some(n) = value(a).filter(|n| *n < LEAST_QUEUE) {
            let message = format!(
                "queues are numbered from 0, and this is {n}; acc_async_sync, acc_async_noval and \
                 acc_async_default have names"
            );
            self.error(a.span, message);
        }
    }

    /// Gangs of several dimensions have no one value to combine (2.5.4).
    fn construct_reductions(&mut self, d: &Directive) {
        let mut several = clauses(d, |k| match k {
            ClauseKind::NumGangs(args) if args.len() > 1 => Some(()),
            _ => None,
        });
        let DirectiveKind::Compute {
            combined: false, ..
        } = d.kind
        else {
            return;
        };
        let Some(((), gangs)) = several.next() else {
            return;
        };
        let reduced = clauses(d, |k| {
            matches!(k, ClauseKind::Reduction { .. }).then_some(())
        });
        for ((), at) in reduced.collect::<Vec<_>>() {
            let message =
                "`reduction` cannot stand on a construct with several dimensions of gangs";
            self.error_with(
                at,
                message,
                Some((gangs, "its `num_gangs` is here".to_owned())),
            );
        }
    }
}
