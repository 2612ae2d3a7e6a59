//! Attributes that need not be there.

use super::{Pick, backwards};
use crate::ir::{Attr, AttrData, Context, Op};

/// Attributes that the op may be without, then the entries of those that are lists of
/// dictionaries, as of a function's arguments.
pub fn remove(ctx: &mut Context, module: Op, pick: &mut Pick) {
    let ops = backwards(ctx, module).chain([module]);
    for op in ops.collect::<Vec<_>>() {
        for (name, attr) in op.attrs(ctx) {
            let name = ctx.str(name).to_string();
            let def = op.def(ctx);
            let free = def.is_none_or(|d| match d.attr_def(&name) {
                Some(a) => a.constraint.optional,
                None => !d.is_inherent(&name),
            });
            if free && pick.wants() {
                op.remove_attr(ctx, &name);
            } else if let Some(less) = without_entries(ctx, attr, pick) {
                op.set_attr(ctx, &name, less);
            }
        }
    }
}

fn without_entries(ctx: &Context, attr: Attr, pick: &mut Pick) -> Option<Attr> {
    let list = attr.as_array(ctx)?;
    let mut changed = false;
    let mut less = Vec::new();
    for a in list {
        let AttrData::Dict(entries) = a.data(ctx) else {
            return None;
        };
        let kept = entries.iter().filter(|_| !pick.wants()).copied();
        let kept: Vec<_> = kept.collect();
        changed |= kept.len() < entries.len();
        less.push(ctx.attr(AttrData::Dict(kept)));
    }
    changed.then(|| ctx.array_attr(less))
}
