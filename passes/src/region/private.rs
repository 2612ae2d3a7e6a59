//! Arrays of which each iteration of a parallel loop gets one of its own.
//!
//! Legal where every element that an iteration reads was written by it before
//! ([`crate::analysis::dependence::Private`]) and nothing reads them after the loop.
//!
//! ```text
//! %t = memref.alloca()                     affine.parallel (%i) {
//! affine.for %i {                            %t = memref.alloca()
//!   ... writes, then reads %t ...     =>     ...
//! }                                        }
//! ```

use terrace_dialects::memref;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Value};

use super::notes::{DependenceKind, DependenceNote, Reason};
use crate::analysis::dependence::Private;
use crate::analysis::loop_like::Loop;
use crate::analysis::memory::is_view;
use crate::analysis::memref_region::element_bytes;
use crate::analysis::source;

/// The most bytes that an array may have to be given to every iteration.
pub(crate) const MAX_BYTES: u64 = 16 * 1024;

/// The bytes of a memref of static shape.
fn bytes(ctx: &Context, m: Value) -> Option<u64> {
    let ty = m.ty(ctx);
    let shape = ty.shape(ctx)?;
    let element = u64::try_from(element_bytes(ctx, ty.element(ctx)?)?).ok()?;
    shape.iter().try_fold(element, |n, s| {
        if *s == DYNAMIC {
            return None;
        }
        n.checked_mul(u64::try_from(*s).ok()?)
    })
}

/// Why the iterations of `l` do not get an array of their own each, as the dependence
/// that then remains; `None` where they may.
pub(crate) fn refusal(ctx: &Context, l: Loop, p: &Private) -> Option<DependenceNote> {
    let m = p.memref;
    let name = source::array(ctx, m);
    let inside = |v: &Value| {
        let ops = v.users(ctx);
        let at = ops.iter().find(|o| l.op().is_ancestor_of(ctx, **o));
        at.map_or_else(|| l.op(), |o| *o)
    };
    let why = if p.live_out {
        format!("its values may be used after the loop; declare {name} inside the loop, or private")
    } else if m
        .def_op()
        .is_none_or(|o| o.name(ctx) != memref::AllocaOp::NAME)
    {
        "only an array of the loop's own can be given to each iteration".to_string()
    } else {
        match bytes(ctx, m) {
            None => "its size is not constant".to_string(),
            Some(n) if n > MAX_BYTES => {
                format!("{n} bytes for every iteration are too many (at most {MAX_BYTES})")
            }
            Some(_) => {
                let seen_through = m
                    .users(ctx)
                    .into_iter()
                    .any(|u| is_view(ctx, u) && !l.op().is_ancestor_of(ctx, u));
                if !seen_through {
                    return None;
                }
                "it is used through another view of it".to_string()
            }
        }
    };
    let place = ctx.diag_loc(inside(&m).loc(ctx));
    Some(DependenceNote {
        kind: DependenceKind::Output,
        array: name.clone(),
        from: Reason::new(place.clone(), format!("{name} is written")),
        to: Reason::new(place, format!("{name} is written again")),
        distance: "1 iteration".to_string(),
        meaning: format!("all iterations use the same {name}; each could have its own, but {why}"),
    })
}

/// The copies that were made.
#[derive(Default)]
pub(crate) struct Copies {
    /// The array and a copy of it, those of outer loops first.
    all: Vec<(Value, Value)>,
}

impl Copies {
    /// Gives every iteration of `l` its own `m`, which [`refusal`] has nothing against.
    /// Loops around come before `l`.
    pub(crate) fn privatise(&mut self, ctx: &mut Context, l: Loop, m: Value) {
        // The copy of a loop around, if it has one, is what is used here.
        let mut copies = self.all.iter().rev();
        let outer = copies.find(|(original, copy)| {
            let home = copy.def_op().and_then(|o| o.parent(ctx));
            *original == m && home.is_some_and(|h| h.is_ancestor_of(ctx, l.op()))
        });
        let current = outer.map_or(m, |(_, copy)| *copy);
        let (Some(alloca), Some(first)) = (current.def_op(), l.body(ctx).first_op(ctx)) else {
            return;
        };
        let own = clone_op(ctx, alloca, &mut IrMapping::new());
        own.insert_before(ctx, first);
        let new = own.result(ctx, 0);
        let around = l.op();
        current.replace_uses_if(ctx, new, |u| around.is_ancestor_of(ctx, u.op));
        self.all.push((m, new));
    }

    /// Drops the arrays that nothing uses any more.
    pub(crate) fn tidy(self, ctx: &mut Context) {
        let mut arrays: Vec<Value> = Vec::new();
        for v in self.all.into_iter().flat_map(|(m, copy)| [copy, m]) {
            if !arrays.contains(&v) {
                arrays.push(v);
            }
        }
        for v in arrays {
            if let Some(op) = v.def_op().filter(|_| !v.has_uses(ctx)) {
                op.erase(ctx);
            }
        }
    }
}
