//! Chains split by the depth of loops that their terms are known at, so that what is the same in all
//! iterations is a chain of its own, which moves out.
//!
//! ```text
//! a + x(i) + b + y(i, j)    =>    ((a + b) + x(i)) + y(i, j)
//! ```

use super::graph::{Chain, Graph, Id, Term};

/// The chain with its terms grouped by depth.
pub fn split(graph: &mut Graph, mut chain: Chain) -> Id {
    chain.sort();
    let depth_of = |graph: &Graph, t: &Term| graph.depth(t.node);
    chain.terms.sort_by_key(|t| (depth_of(graph, t), *t));
    let deepest = chain.terms.last().map_or(0, |t| depth_of(graph, t));
    let mut inner = chain.empty_like();
    inner.number = chain.number;
    let mut rest = chain.terms.iter().copied().peekable();
    while let Some(t) = rest.next() {
        inner.terms.push(t);
        let depth = depth_of(graph, &t);
        let last = rest.peek().is_none_or(|next| depth_of(graph, next) > depth);
        if !last || depth == deepest || (inner.len() < 2 && !inner.divides()) {
            continue;
        }
        let mut whole = inner.empty_like();
        let node = graph.intern(inner);
        let term = match chain.kind {
            super::graph::Kind::Sum => graph.signed(node, 1),
            super::graph::Kind::Product => Term { node, n: 1 },
        };
        whole.terms.push(term);
        inner = whole;
    }
    graph.intern(inner)
}
