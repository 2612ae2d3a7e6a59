//! Fewer divisions: what several chains divide by is divided by once.
//!
//! ```text
//! a / d,  b / d    =>    a*r,  b*r    with  r = 1 / d
//! ```

use super::graph::{Chain, Graph, Id, Kind, Term};
use rustc_hash::FxHashMap;
use terrace_ir::Type;

/// Finds divisors of several products. Returns their reciprocals.
pub fn merge(graph: &mut Graph, roots: &[Id]) -> Vec<Id> {
    let uses = graph.uses(roots);
    let mut by: FxHashMap<(Id, Type, i64), Vec<Id>> = FxHashMap::default();
    let mut order = Vec::new();
    for (k, n) in uses.iter().enumerate() {
        let id = Id(k as u32);
        let Some(c) = graph.product(id).filter(|_| *n > 0) else {
            continue;
        };
        // Where something else is divided by too, the division stays.
        let mut below = c.terms.iter().filter(|t| t.n < 0);
        if let (Some(Term { node, n: -1 }), None) = (below.next(), below.next()) {
            let key = (*node, c.ty, c.flags);
            by.entry(key).or_insert_with(|| {
                order.push(key);
                Vec::new()
            });
            by.entry(key).or_default().push(id);
        }
    }
    let mut made = Vec::new();
    for key in order {
        let quotients = by.remove(&key).unwrap_or_default();
        let (divisor, ty, flags) = key;
        if quotients.len() < 2 {
            continue;
        }
        let mut one = Chain::new(Kind::Product, ty, flags);
        one.terms.push(Term {
            node: divisor,
            n: -1,
        });
        let reciprocal = graph.intern(one);
        for id in quotients.into_iter().filter(|id| *id != reciprocal) {
            let Some(c) = graph.chain(id) else {
                continue;
            };
            let mut terms: Vec<Term> = c.terms.clone();
            for t in terms.iter_mut().filter(|t| t.n < 0) {
                *t = Term {
                    node: reciprocal,
                    n: 1,
                };
            }
            graph.set_terms(id, terms);
        }
        made.push(reciprocal);
    }
    made
}
