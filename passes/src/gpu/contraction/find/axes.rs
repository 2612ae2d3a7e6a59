//! Which loops count rows, columns, and products side by side.

use super::{MatchFailure, Statement, Statements, no_match_at_all};
use crate::gpu::contraction::shape::Factor;
use terrace_dialects::affine::ForOp;
use terrace_ir::Value;

/// Rows or columns that would leave most of a block empty.
const FEW: i64 = 16;

/// The loops of a statement by what they count.
pub(super) struct Axes {
    pub row: ForOp,
    pub col: ForOp,
    /// The outer counter of rows that have two.
    pub outer: Option<ForOp>,
    /// Those of products side by side.
    pub batch: Vec<ForOp>,
    /// Which of the element's subscripts have counters.
    pub places: Vec<usize>,
    pub roles: Roles,
    /// Where the element's subscripts have row and column.
    pub at: [usize; 2],
    pub rest: Vec<ForOp>,
}

/// What the counters in an element's subscripts are, by their number there: the others are
/// those of products side by side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Roles {
    pub outer: Option<usize>,
    pub row: usize,
    pub col: usize,
}

/// What so many counters may be, the best first where nothing else tells. Rows by two counters
/// make one large product. Else columns are the last subscript that can be, as neighbours there
/// are stored together.
pub(super) fn arrangements(counters: usize) -> Vec<Roles> {
    let pairs = (0..counters).flat_map(|col| (0..col).map(move |row| (row, col)));
    let mut all: Vec<Roles> = pairs
        .map(|(row, col)| Roles {
            outer: None,
            row,
            col,
        })
        .collect();
    if counters == 3 {
        all.push(Roles {
            outer: Some(0),
            row: 1,
            col: 2,
        });
    }
    all.reverse();
    all
}

impl Statements<'_> {
    /// The counters in the subscripts of what a statement stores, and where they are.
    pub(super) fn counters(&self, s: &Statement) -> Result<Vec<(usize, ForOp)>, MatchFailure> {
        let ctx = self.ctx;
        let mut found: Vec<(usize, ForOp)> = Vec::new();
        for (d, form) in s.target.at.iter().enumerate() {
            let mut here = (s.loops.iter()).filter(|l| form.coefficient(l.iv(ctx)) != 0);
            let Some(l) = here.next() else { continue };
            if here.next().is_some() || form.coefficient(l.iv(ctx)) != 1 {
                return no_match_at_all(s.store, "has subscripts of several counters");
            }
            if found.iter().any(|(_, other)| other == l) {
                return no_match_at_all(s.store, "stores along a diagonal");
            }
            found.push((d, *l));
        }
        match found.len() {
            2.. => Ok(found),
            _ => no_match_at_all(s.store, "stores to no array of two dimensions or more"),
        }
    }

    /// The loops of a statement where its counters have these roles.
    pub(super) fn axes(&self, s: &Statement, counters: &[(usize, ForOp)], roles: Roles) -> Axes {
        let [(p, row), (q, col)] = [counters[roles.row], counters[roles.col]];
        let outer = roles.outer.map(|o| counters[o].1);
        let all: Vec<ForOp> = counters.iter().map(|c| c.1).collect();
        let own = |l: &ForOp| *l == row || *l == col || Some(*l) == outer;
        let batch = all.iter().copied().filter(|l| !own(l)).collect();
        let rest = (s.loops.iter().copied()).filter(|l| !all.contains(l));
        Axes {
            row,
            col,
            outer,
            batch,
            places: counters.iter().map(|c| c.0).collect(),
            roles,
            at: [p, q],
            rest: rest.collect(),
        }
    }

    /// Whether there are only a few rows or columns, as far as that is known.
    pub(super) fn is_thin(&self, axes: &Axes) -> bool {
        let few = |l: &ForOp| {
            let length = self.bounds(*l).ok().and_then(|r| r.length());
            length.is_some_and(|n| n < FEW)
        };
        few(&axes.row) || few(&axes.col)
    }

    /// How many subscripts rows and columns are apart from k in the factors: matrices of
    /// neighbours in memory are nearer.
    pub(super) fn apart(&self, axes: &Axes, k_loop: ForOp, products: &[[Factor; 2]]) -> usize {
        let ctx = self.ctx;
        let counters = [axes.row.iv(ctx), axes.col.iv(ctx)];
        let of = |f: &Factor, v: Value| {
            let place = |v: Value| {
                let mut forms = f.element.at.iter();
                forms.position(|l| l.coefficient(v) != 0).unwrap_or(0)
            };
            place(v).abs_diff(place(k_loop.iv(ctx)))
        };
        let pairs = products.iter().flat_map(|p| p.iter().zip(counters));
        pairs.map(|(f, v)| of(f, v)).sum()
    }
}
