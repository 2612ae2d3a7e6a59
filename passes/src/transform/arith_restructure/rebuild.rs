//! Chains made anew, from the innermost to the outermost.

use super::graph::{Chain, Graph, Id, Kind, Term, times};
use terrace_dialects::arith::fastmath;
use terrace_ir::Context;

/// What a step makes of a chain whose terms are made anew already. `uses` says of nodes that were there
/// before in how many terms they stand.
pub type Step<'a> = dyn FnMut(&mut Graph, Chain, &[u32]) -> Id + 'a;

/// Runs `step` over all chains that the roots need; what was made of the roots is in their places.
pub fn rebuild(ctx: &Context, graph: &mut Graph, roots: &mut [Id], step: &mut Step) {
    let mut uses = graph.uses(roots);
    let before = graph.len();
    let mut made: Vec<Option<Id>> = vec![None; before];
    for k in 0..before {
        let id = Id(k as u32);
        if uses[k] == 0 {
            continue;
        }
        let Some(old) = graph.chain(id).cloned() else {
            made[k] = Some(id);
            continue;
        };
        let mut new = old.empty_like();
        new.number = old.number;
        for t in old.terms {
            // Nodes refer to those before them.
            let node = made[t.node.index()].unwrap_or(t.node);
            let alone = uses[t.node.index()] == 1;
            put(ctx, graph, &mut new, Term { node, n: t.n }, alone);
        }
        let uses_of_old = uses[k];
        let id = step(graph, new, &uses);
        // What is new is used as often as what it was made of.
        if uses.len() < graph.len() {
            uses.resize(graph.len(), 0);
        }
        if id.0 != k as u32 {
            let alone = u32::from(id.index() < before);
            let n = &mut uses[id.index()];
            *n = n.saturating_add(uses_of_old).saturating_sub(alone);
        }
        made[k] = Some(id);
    }
    for r in roots {
        *r = made[r.index()].unwrap_or(*r);
    }
}

/// Adds a term. A chain of the same kind that nothing else uses becomes part of `into`, and the number
/// of a product goes to where it is not in the way.
pub fn put(ctx: &Context, graph: &mut Graph, into: &mut Chain, t: Term, alone: bool) {
    match into.kind {
        Kind::Sum => {
            let t = graph.signed(t.node, t.n);
            let inner = graph.chain(t.node).filter(|c| {
                let negative = t.n < 0 && !(c.has(fastmath::NSZ) && into.has(fastmath::NSZ));
                // What a chain without terms is does not depend on who else uses it.
                let number = c.terms.is_empty() && c.number.is_some();
                (c.kind == Kind::Sum && alone || number) && !negative
            });
            if let Some(c) = inner {
                let (number, terms, flags) = (c.number, c.terms.clone(), c.flags);
                let sum = into.number.unwrap_or(0.0) + f64::from(t.n) * number.unwrap_or(0.0);
                if sum.is_finite() {
                    into.flags &= flags;
                    if into.number.is_some() || number.is_some() {
                        into.number = Some(sum).filter(|s| *s != 0.0 || !into.has(fastmath::NSZ));
                    }
                    let signed = terms.into_iter().map(|u| Term { n: u.n * t.n, ..u });
                    into.terms.extend(signed);
                    return;
                }
            }
            into.terms.push(t);
        }
        Kind::Product => {
            let constant = |c: &&Chain| c.terms.is_empty() && (t.n > 0 || c.number != Some(0.0));
            let inner = (graph.product(t.node)).or(graph.chain(t.node).filter(constant));
            let inner = inner.filter(|c| {
                let quotient = c.divides() || into.divides() || t.n < 0;
                (alone || c.terms.is_empty())
                    && (!quotient || c.flags & into.flags & fastmath::ARCP != 0)
            });
            if let Some(c) = inner {
                let (number, terms, flags) = (c.number.unwrap_or(1.0), c.terms.clone(), c.flags);
                let bits = bits_of(ctx, into);
                let power = number.powi(t.n);
                let scale = match number {
                    1.0 => Some(into.number.unwrap_or(1.0)),
                    0.0 if into.has(fastmath::NSZ) && t.n > 0 => Some(0.0),
                    _ => times(bits, into.number, power),
                };
                let powers: Option<Vec<Term>> = (terms.into_iter())
                    .map(|u| u.n.checked_mul(t.n).map(|n| Term { n, ..u }))
                    .collect();
                if let (Some(scale), Some(powers)) = (scale, powers) {
                    into.flags &= flags;
                    into.number = Some(scale).filter(|c| *c != 1.0);
                    into.terms.extend(powers);
                    return;
                }
            }
            into.terms.push(t);
        }
    }
}

/// Bits of the floats of a chain.
pub fn bits_of(ctx: &Context, c: &Chain) -> u32 {
    let kind = c.ty.element_or_self(ctx).float_kind(ctx);
    kind.map_or(0, |k| k.width())
}
