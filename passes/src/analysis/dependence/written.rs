//! Which arrays an iteration of a loop, or a program, writes as a whole.

use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Value};
use terrace_presburger::{Conjunct, Int, Relation, Space};

use super::linear::add_system;
use super::{AccessSite, Carrier, Dependence, Dependences, LoopDim};

impl Dependences {
    /// Whether every iteration of `l`, an `affine.for`, surely writes every element of
    /// `m`, whose shape is static. `false` where that is not known.
    pub(crate) fn writes_all(&self, ctx: &Context, l: LoopDim, m: Value) -> bool {
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

    /// Whether the program writes every element of `m`, whose sizes are numbers or
    /// parameters, whenever it runs, and reads none before that. `false` where that is not
    /// known.
    pub(crate) fn overwrites(&self, m: Value, sizes: &[Result<i64, usize>]) -> bool {
        let p = &self.program;
        let n = p.params.len();
        let space = Space::set(n, sizes.len());
        let mut written = Relation::empty(space);
        for s in &p.sites {
            if s.memref != Some(m) {
                if s.memref.is_none() || self.may_touch(s.position, m) {
                    return false;
                }
            } else if s.frees || !(s.writes || self.is_written_before(s, |_| true)) {
                return false;
            } else if s.writes && s.is_certain() {
                written = written.union(&self.elements_of(s, 0, sizes.len()));
            }
        }
        let mut all = Conjunct::universe(space);
        add_system(&mut all, p.params.facts(), n);
        for (i, size) in sizes.iter().enumerate() {
            let mut row = vec![Int::ZERO; all.row_len() - 1];
            row[n + i] = Int::ONE;
            all.add_inequality(&row, Int::ZERO);
            row[n + i] = Int::MINUS_ONE;
            match size {
                Ok(size) => all.add_inequality(&row, &Int::from(*size) - &Int::ONE),
                Err(param) => {
                    row[*param] = &row[*param] + &Int::ONE;
                    all.add_inequality(&row, Int::MINUS_ONE);
                }
            }
        }
        Relation::from_pieces(space, vec![all]).is_subset(&written) == Ok(true)
    }

    /// For which parameters something of what was in the rows `first..=last` of `m`, the
    /// range of its outermost subscript, is still there when the program has run, or is
    /// read by it; at most too many. `inner` are the other sizes of `m` where they are
    /// numbers. The answer is a set without dimensions; behind the parameters of the
    /// program it has `first`, `last`, and the sizes in `inner` that are not known. `None`
    /// where nothing is known.
    pub(crate) fn survives(&self, m: Value, inner: &[Option<i64>]) -> Option<Relation> {
        let p = &self.program;
        let (n, rank) = (p.params.len(), inner.len() + 1);
        let mut written = Relation::empty(Space::set(n, rank));
        let mut read = Relation::empty(Space::set(n, 0));
        for s in &p.sites {
            if s.memref != Some(m) {
                if s.memref.is_none() || self.may_touch(s.position, m) {
                    return None;
                }
            } else if s.frees {
                return None;
            } else if !s.writes {
                let loops = n..n + s.domain.depth();
                let old = s
                    .domain
                    .set(&p.params)
                    .subtract(&self.written_before(s, |_| true)?);
                read = read.union(&old.ok()?.project_out(loops));
            } else if s.is_certain() {
                let elements = self.elements_of(s, 0, rank);
                if elements.is_subset(&written) != Ok(true) {
                    written = written.union(&elements);
                }
            }
        }
        if written.pieces().is_empty() {
            return None;
        }
        let more = 2 + inner.iter().filter(|size| size.is_none()).count();
        let (first, last, row) = (n, n + 1, n + more);
        let space = Space::set(n + more, rank);
        let mut all = Conjunct::universe(space);
        add_system(&mut all, p.params.facts(), n);
        let columns = all.row_len() - 1;
        let mut at_least = |terms: &[(usize, Int)], constant: Int| {
            let mut form = vec![Int::ZERO; columns];
            for (column, factor) in terms {
                form[*column] = factor.clone();
            }
            all.add_inequality(&form, constant);
        };
        at_least(&[(row, Int::ONE), (first, Int::MINUS_ONE)], Int::ZERO);
        at_least(&[(last, Int::ONE), (row, Int::MINUS_ONE)], Int::ZERO);
        let mut unknown = last;
        for (i, size) in inner.iter().enumerate() {
            let column = row + 1 + i;
            at_least(&[(column, Int::ONE)], Int::ZERO);
            let below = (column, Int::MINUS_ONE);
            match size {
                Some(size) => at_least(&[below], &Int::from(*size) - &Int::ONE),
                None => {
                    unknown += 1;
                    at_least(&[below, (unknown, Int::ONE)], Int::MINUS_ONE);
                }
            }
        }
        let all = Relation::from_pieces(space, vec![all]);
        let left = all.subtract(&written.add_params(more)).ok()?;
        let left = left.project_out(row..row + rank);
        Some(left.union(&read.add_params(more)))
    }

    /// The rows of `m`, values of its outermost subscript, that accesses touch, as a set;
    /// `None` where that is not known.
    pub(crate) fn rows(&self, m: Value, rank: usize) -> Option<Relation> {
        let n = self.program.params.len();
        let mut rows = Relation::empty(Space::set(n, 1));
        for s in self.program.sites.iter().filter(|s| s.memref == Some(m)) {
            if !s.element.as_ref().is_ok_and(|e| e.is_single()) {
                return None;
            }
            let more = self.elements_of(s, 0, rank).project_out(n + 1..n + rank);
            if more.is_subset(&rows) != Ok(true) {
                rows = rows.union(&more);
            }
        }
        Some(rows)
    }

    /// Whether an access may touch the memory that `m` is, though by another name.
    fn may_touch(&self, site: usize, m: Value) -> bool {
        let sites = &self.program.sites;
        self.all.iter().any(|d| {
            (d.source == site && sites[d.sink].memref == Some(m))
                || (d.sink == site && sites[d.source].memref == Some(m))
        })
    }

    /// Whether every element that a read finds was written before, in this run, as the
    /// dependences for which `by` holds say.
    pub(super) fn is_written_before(
        &self,
        read: &AccessSite,
        by: impl Fn(&Dependence) -> bool,
    ) -> bool {
        let covered = self.written_before(read, by);
        let all = read.domain.set(&self.program.params);
        covered.is_some_and(|covered| all.is_subset(&covered) == Ok(true))
    }

    /// The iterations of a read that find what was written before, in this run, as the
    /// dependences for which `by` holds say; at least these.
    fn written_before(
        &self,
        read: &AccessSite,
        by: impl Fn(&Dependence) -> bool,
    ) -> Option<Relation> {
        let p = &self.program;
        // Of a vector one element may be written and another not.
        if !read.element.as_ref().is_ok_and(|e| e.is_single()) {
            return None;
        }
        let rank = |s: &AccessSite| s.element.as_ref().ok().map(|e| e.subscripts.len());
        let mut covered = Relation::empty(Space::set(p.params.len(), read.domain.depth()));
        for d in self.all.iter().filter(|d| d.sink == read.position) {
            let source = &p.sites[d.source];
            // Which iterations of the source come before is known for each that the sink may
            // have, also where a condition keeps it from some.
            let may = |d: &Dependence| {
                !matches!(d.carrier, Carrier::Opaque(_))
                    && d.doubt == read.domain.inexact
                    && rank(source) == rank(read)
            };
            if source.writes && source.is_certain() && (d.is_exact() || may(d)) && by(d) {
                covered = covered.union(&d.relation().range());
            }
        }
        Some(covered)
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
