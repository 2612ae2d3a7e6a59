//! Which arrays an iteration of a loop writes as a whole.

use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Value};
use terrace_presburger::{Conjunct, Int, Relation, Space};

use super::linear::add_system;
use super::{AccessSite, Dependences, LoopDim};

impl Dependences {
    /// Whether every iteration of `l`, an `affine.for`, surely writes every element of
    /// `m`, whose shape is static. `false` where that is not known.
    pub fn writes_all(&self, ctx: &Context, l: LoopDim, m: Value) -> bool {
        let p = &self.program;
        let Some(body) = p.bodies.get(&l.op) else {
            return false;
        };
        let Some(shape) = m.ty(ctx).shape(ctx).filter(|s| !s.contains(&DYNAMIC)) else {
            return false;
        };
        let (n, depth) = (p.params.len(), body.depth());
        let space = Space::set(n, depth + shape.len());
        // The iterations of the loop with all elements; at most too many.
        let mut wanted = Vec::new();
        for piece in &body.pieces {
            let mut c = Conjunct::universe(space);
            add_system(&mut c, p.params.facts(), n);
            add_system(&mut c, piece, n);
            for (i, size) in shape.iter().enumerate() {
                let mut row = vec![Int::ZERO; c.row_len() - 1];
                row[n + depth + i] = Int::ONE;
                c.add_inequality(&row, Int::ZERO);
                row[n + depth + i] = Int::MINUS_ONE;
                c.add_inequality(&row, &Int::from(*size) - &Int::ONE);
            }
            wanted.push(c);
        }
        let mut written = Relation::empty(space);
        for s in &p.sites {
            if s.writes
                && !s.frees
                && s.memref == Some(m)
                && s.is_certain()
                && s.domain.loops.get(depth.wrapping_sub(1)) == Some(&l)
            {
                written = written.union(&self.elements_of(s, depth, shape.len()));
            }
        }
        Relation::from_pieces(space, wanted).is_subset(&written) == Ok(true)
    }

    /// The elements that an access touches, behind the first `depth` of its loops.
    fn elements_of(&self, s: &AccessSite, depth: usize, rank: usize) -> Relation {
        let params = &self.program.params;
        let (n, loops) = (params.len(), s.domain.depth());
        let space = Space::set(n, loops + rank);
        let mut pieces = Vec::new();
        if let Ok(e) = &s.element
            && e.is_single()
            && e.subscripts.len() == rank
        {
            for piece in &s.domain.pieces {
                let mut c = Conjunct::universe(space);
                add_system(&mut c, params.facts(), n);
                add_system(&mut c, piece, n);
                let at = add_system(&mut c, &e.system, n);
                let columns = c.row_len() - 1;
                for (i, form) in e.subscripts.iter().enumerate() {
                    let mut row = at.row(form, columns);
                    row[n + loops + i] = Int::MINUS_ONE;
                    c.add_equality(&row, form.constant.clone());
                }
                pieces.push(c);
            }
        }
        Relation::from_pieces(space, pieces).project_out(n + depth..n + loops)
    }
}
