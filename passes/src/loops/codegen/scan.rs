//! The recursion over dimensions.
//!
//! At each dimension, what is to be scanned is cut by the bounds of the statements'
//! shadows until each statement covers a piece wholly or is not in it. A cut has a
//! lower and an upper side along the dimension, so a piece never stands between others:
//! pieces come out in order, whatever the parameters (a binary space partition in place
//! of the sorting of Quilleré, Rajopadhye and Wilde 2000, section 4). A cut that no
//! statement spans is made first. Where cuts would copy statements, and the dimension is
//! one that is to be kept whole, the piece gets bounds that hold for all its statements
//! instead, and conditions further in tell them apart.

use super::expr::{columns, small, value};
use super::guard;
use super::part::{Layout, Part};
use super::system::{System, complement, length, negated, substituted};
use super::tree::Node;
use super::{Options, ScanError};
use std::cell::Cell;
use terrace_ir::affine::{AffineExpr, Constraint};
use terrace_presburger::{Int, Row};

pub(super) struct Scanner<'a> {
    layout: Layout,
    parts: &'a [Part],
    options: &'a Options,
    meaning: Vec<AffineExpr>,
    pieces: Cell<usize>,
}

/// A way to go on with a piece.
enum Cut {
    /// A bound of all statements.
    Common(Row),
    /// What is `>= 0` on one side; on the other there are statements too.
    Between { row: Row, clean: bool },
}

impl<'a> Scanner<'a> {
    pub fn new(layout: Layout, parts: &'a [Part], options: &'a Options) -> Scanner<'a> {
        Scanner {
            layout,
            parts,
            options,
            meaning: columns(layout.params, layout.dims),
            pieces: Cell::new(0),
        }
    }

    /// The code for all parts, where `known` holds of the parameters.
    pub fn scan(&self, known: &System) -> Result<Vec<Node>, ScanError> {
        let all: Vec<usize> = (0..self.parts.len()).collect();
        self.dimension(0, known, &all)
    }

    fn dimension(
        &self,
        d: usize,
        known: &System,
        active: &[usize],
    ) -> Result<Vec<Node>, ScanError> {
        match active {
            [] => Ok(Vec::new()),
            [p] if d == self.parts[*p].dims => self.instance(&self.parts[*p], known),
            [_] => self.piece(d, known, Vec::new(), active.to_vec()),
            _ if d < self.layout.times => self.piece(d, known, Vec::new(), active.to_vec()),
            // At one time, in the order of the statements.
            _ => {
                let mut nodes = Vec::new();
                for p in active {
                    nodes.extend(self.dimension(d, known, &[*p])?);
                }
                Ok(nodes)
            }
        }
    }

    fn instance(&self, part: &Part, known: &System) -> Result<Vec<Node>, ScanError> {
        if known.is_disjoint_within(&part.full) {
            return Ok(Vec::new());
        }
        let conditions = guard::missing(self.layout.params, part, known)?;
        let dims = self.layout.times..part.dims;
        let instance = Node::Instance {
            statement: part.statement,
            iterators: dims.map(|d| AffineExpr::dim(d as u32)).collect(),
        };
        Ok(vec![when(conditions, instance)])
    }

    /// What is left of the parts between the bounds `region` on dimension `d`.
    fn piece(
        &self,
        d: usize,
        outer: &System,
        mut region: Vec<Row>,
        mut active: Vec<usize>,
    ) -> Result<Vec<Node>, ScanError> {
        let mut known = outer.clone();
        region
            .iter()
            .for_each(|row| known.add_inequality(row.clone()));
        active.retain(|&p| !known.is_disjoint(&self.parts[p].shadows[d]));
        if let [p] = active[..] {
            let rows = self.parts[p].shadows[d].as_inequalities().into_iter();
            region.extend(rows.filter(|row| !row[self.column(d)].is_zero()));
            return self.leaf(d, outer, &region, &active);
        }
        loop {
            match self.cut(d, &known, &active) {
                None => return self.leaf(d, outer, &region, &active),
                Some(Cut::Common(row)) => {
                    known.add_inequality(row.clone());
                    region.push(row);
                }
                Some(Cut::Between { row, clean }) => {
                    if !clean
                        && self.options.is_whole(d)
                        && let Some(hull) = self.hull(d, &known, &active)
                    {
                        region.extend(hull);
                        return self.leaf(d, outer, &region, &active);
                    }
                    let mut sides = [complement(&row), row];
                    if sides[0][self.column(d)].is_positive() {
                        sides.reverse();
                    }
                    let mut nodes = Vec::new();
                    for side in sides {
                        let mut region = region.clone();
                        region.push(side);
                        nodes.extend(self.piece(d, outer, region, active.clone())?);
                    }
                    return Ok(nodes);
                }
            }
        }
    }

    fn column(&self, d: usize) -> usize {
        self.layout.params + d
    }

    /// The next bound of one of the statements that does not follow from what is known.
    fn cut(&self, d: usize, known: &System, active: &[usize]) -> Option<Cut> {
        let mut best: Option<Cut> = None;
        for &p in active {
            for row in self.parts[p].shadows[d].as_inequalities() {
                if row[self.column(d)].is_zero() || known.implies(&row) {
                    continue;
                }
                let mut beyond = known.clone();
                beyond.add_inequality(complement(&row));
                let meets = |side: &System, q: usize| !side.is_disjoint(&self.parts[q].shadows[d]);
                let others = active.iter().filter(|&&q| q != p);
                let across: Vec<usize> = others.copied().filter(|&q| meets(&beyond, q)).collect();
                if across.is_empty() {
                    return Some(Cut::Common(row));
                }
                let mut within = known.clone();
                within.add_inequality(row.clone());
                let clean = !across.iter().any(|&q| meets(&within, q));
                if clean {
                    return Some(Cut::Between { row, clean });
                }
                best.get_or_insert(Cut::Between { row, clean });
            }
        }
        best
    }

    /// Bounds of one statement, moved so far that they hold for the others too; none
    /// if there is no lower or no upper one.
    fn hull(&self, d: usize, known: &System, active: &[usize]) -> Option<Vec<Row>> {
        let mut bounds: Vec<Row> = Vec::new();
        for &p in active {
            for mut row in self.parts[p].shadows[d].as_inequalities() {
                if row[self.column(d)].is_zero() {
                    continue;
                }
                let least = |q: &usize| {
                    let mut at = known.clone();
                    at.meet(&self.parts[*q].shadows[d]);
                    match at.implies(&row) {
                        true => Some(Int::ZERO),
                        false => at.minimum(&row),
                    }
                };
                let all: Option<Vec<Int>> = active.iter().map(least).collect();
                let Some(worst) = all.and_then(|all| all.into_iter().min()) else {
                    continue;
                };
                if worst.is_negative() {
                    let last = row.len() - 1;
                    row[last] = &row[last] - &worst;
                }
                bounds.push(row);
            }
        }
        let has = |sign: i32| {
            let mut known = bounds.iter();
            known.any(|row| row[self.column(d)].signum() == sign)
        };
        (has(1) && has(-1)).then_some(bounds)
    }

    /// One loop, or one value, for what is left between the bounds.
    fn leaf(
        &self,
        d: usize,
        outer: &System,
        region: &[Row],
        active: &[usize],
    ) -> Result<Vec<Node>, ScanError> {
        let Some(&first) = active.first() else {
            return Ok(Vec::new());
        };
        self.pieces.set(self.pieces.get() + 1);
        if self.pieces.get() > self.options.max_pieces {
            return Err(ScanError::TooLarge {
                pieces: self.options.max_pieces,
            });
        }
        let column = self.column(d);
        let mut here = System::new(self.layout.columns());
        for row in region {
            here.add_inequality(row.clone());
        }
        // Conditions on what is outside that all statements share, but for those that
        // loops further in, which then are empty, take care of.
        let mut guards = System::new(self.layout.columns());
        let shadow = &self.parts[first].shadows[d];
        let mut inside = outer.clone();
        inside.meet(&here);
        let shared = |row: &Row, inside: &System| {
            active[1..].iter().all(|&p| {
                let mut at = inside.clone();
                at.meet(&self.parts[p].shadows[d]);
                at.implies(row)
            })
        };
        let ensured = |row: &Row, inside: &System| {
            active.iter().all(|&p| {
                let mut at = inside.clone();
                at.meet(&self.parts[p].bounds);
                at.implies(row)
            })
        };
        for row in shadow.as_inequalities() {
            if row[column].is_zero()
                && !inside.implies(&row)
                && !ensured(&row, &inside)
                && shared(&row, &inside)
            {
                inside.add_inequality(row.clone());
                guards.add_inequality(row);
            }
        }
        let point = here
            .equalities
            .iter()
            .position(|row| !row[column].is_zero());
        let mut conditions = Vec::new();
        let value_here = match point {
            None => None,
            Some(at) => {
                let pivot = here.equalities.swap_remove(at);
                let rest = std::mem::replace(&mut here, System::new(self.layout.columns()));
                for row in rest.as_inequalities() {
                    guards.add_inequality(substituted(&row, column, &pivot));
                }
                Some(self.single(&pivot, column, outer, &mut inside, &mut conditions)?)
            }
        };
        if guards.is_plainly_empty() || here.is_plainly_empty() {
            return Ok(Vec::new());
        }
        let (guards, here) = simplified(outer, guards, here);
        for (rows, is_eq) in [(&guards.equalities, true), (&guards.inequalities, false)] {
            for row in rows {
                let expr = value(row, &self.meaning)?;
                conditions.push(Constraint { expr, is_eq });
            }
        }
        let node = match value_here {
            Some(value) => {
                let body = self.dimension(d + 1, &inside, active)?;
                (!body.is_empty()).then_some(Node::Let {
                    dim: d,
                    value,
                    body,
                })
            }
            None => self.looped(d, &here, inside, active)?,
        };
        Ok(node.map(|n| when(conditions, n)).into_iter().collect())
    }

    /// The value of a dimension in `pivot == 0`. Where it need not be an integer, that
    /// it is one becomes a condition.
    fn single(
        &self,
        pivot: &Row,
        column: usize,
        outer: &System,
        inside: &mut System,
        conditions: &mut Vec<Constraint>,
    ) -> Result<AffineExpr, ScanError> {
        let by = pivot[column].abs();
        let mut rest = match pivot[column].is_positive() {
            true => negated(pivot),
            false => pivot.clone(),
        };
        rest[column] = Int::ZERO;
        let numerator = value(&rest, &self.meaning)?;
        if by.is_one() {
            return Ok(numerator);
        }
        let divisor = small(&by)?;
        if !outer.implies_congruence(&rest, &by) {
            conditions.push(Constraint {
                expr: numerator.clone().modulo(divisor),
                is_eq: true,
            });
        }
        inside.add_congruence(rest, by);
        Ok(numerator.floor_div(divisor))
    }

    fn looped(
        &self,
        d: usize,
        here: &System,
        mut inside: System,
        active: &[usize],
    ) -> Result<Option<Node>, ScanError> {
        let column = self.column(d);
        let stride = self.stride(d, active);
        let mut lower = Vec::new();
        let mut upper = Vec::new();
        for row in &here.inequalities {
            let mut rest = row.clone();
            rest[column] = Int::ZERO;
            let a = &row[column];
            if a.is_positive() {
                let mut low = value(&negated(&rest), &self.meaning)?.ceil_div(small(a)?);
                if let Some((residue, step)) = &stride {
                    let s = small(step)?;
                    let first = value(residue, &self.meaning)?;
                    low = low.clone() + (first - low).modulo(s);
                }
                lower.push(low);
            } else {
                let last = value(&rest, &self.meaning)?.floor_div(small(&-a)?);
                upper.push(last + 1);
            }
        }
        if lower.is_empty() || upper.is_empty() {
            return Err(ScanError::Unbounded {
                statement: self.parts[active[0]].statement,
                dimension: d,
                below: lower.is_empty(),
            });
        }
        let mut step = 1;
        if let Some((residue, s)) = stride {
            step = small(&s)?;
            let mut row = negated(&residue);
            row[column] = &row[column] + &Int::ONE;
            inside.add_congruence(row, s);
        }
        let body = self.dimension(d + 1, &inside, active)?;
        Ok((!body.is_empty()).then_some(Node::Loop {
            dim: d,
            lower,
            upper,
            step,
            parallel: active.iter().all(|&p| self.parts[p].parallel.contains(&d)),
            body,
        }))
    }

    /// The distance at which the instances of all statements lie along a dimension, and
    /// the row that they are congruent to.
    fn stride(&self, d: usize, active: &[usize]) -> Option<(Row, Int)> {
        let mut all: Option<(Row, Int)> = None;
        for &p in active {
            let own = self.parts[p].strides[d].iter();
            let (residue, step) = own
                .filter_map(|(row, modulus)| residue(row, modulus, self.column(d)))
                .max_by(|a, b| a.1.cmp(&b.1))?;
            all = Some(match all {
                None => (residue, step),
                Some((first, common)) => {
                    let apart = first.iter().zip(&residue).map(|(a, b)| a - b);
                    let common = apart.fold(common.gcd(&step), |g, a| g.gcd(&a));
                    (first, common)
                }
            });
        }
        let (residue, step) = all?;
        if step.is_one() {
            return None;
        }
        let residue = residue.iter().map(|a| a.mod_floor(&step)).collect();
        Some((residue, step))
    }
}

/// `t` in `row == 0 (mod modulus)` as `t == residue (mod step)`, where the rest of the
/// row allows it.
fn residue(row: &Row, modulus: &Int, column: usize) -> Option<(Row, Int)> {
    let a = row[column].mod_floor(modulus);
    let common = a.gcd(modulus);
    let step = modulus.div_floor(&common);
    let mut rest = row.clone();
    rest[column] = Int::ZERO;
    if step.is_one() || !rest.iter().all(|c| c.is_multiple_of(&common)) {
        return None;
    }
    let inverse = inverse(&a.div_floor(&common), &step)?;
    let by = |c: &Int| (&-&c.div_floor(&common) * &inverse).mod_floor(&step);
    Some((rest.iter().map(by).collect(), step))
}

/// The inverse of `a` modulo `m`, by Euclid's algorithm; none if they share a divisor.
fn inverse(a: &Int, m: &Int) -> Option<Int> {
    let (mut r, mut next_r) = (m.clone(), a.mod_floor(m));
    let (mut t, mut next_t) = (Int::ZERO, Int::ONE);
    while !next_r.is_zero() {
        let q = r.div_floor(&next_r);
        (r, next_r) = (next_r.clone(), &r - &(&q * &next_r));
        (t, next_t) = (next_t.clone(), &t - &(&q * &next_t));
    }
    r.is_one().then(|| t.mod_floor(m))
}

/// Conditions and bounds without those that follow from the others.
fn simplified(outer: &System, guards: System, bounds: System) -> (System, System) {
    let mut rows: Vec<(bool, Row)> = Vec::new();
    rows.extend(guards.inequalities.iter().map(|r| (true, r.clone())));
    rows.extend(bounds.inequalities.iter().map(|r| (false, r.clone())));
    // Conditions go first, then long rows.
    rows.sort_by_key(|(guard, row)| (!guard, std::cmp::Reverse(length(row))));
    let mut base = outer.clone();
    base.meet(&guards.clone().with_inequalities(Vec::new()));
    let mut at = 0;
    while at < rows.len() {
        let row = rows.remove(at);
        let mut rest = base.clone();
        rows.iter()
            .for_each(|(_, r)| rest.add_inequality(r.clone()));
        if !rest.implies(&row.1) {
            rows.insert(at, row);
            at += 1;
        }
    }
    let only = |from: System, guard: bool| {
        let kept = rows.iter().filter(|(g, _)| *g == guard);
        from.with_inequalities(kept.map(|(_, row)| row.clone()).collect())
    };
    (only(guards, true), only(bounds, false))
}

/// The node under the conditions.
fn when(conditions: Vec<Constraint>, node: Node) -> Node {
    if conditions.is_empty() {
        return node;
    }
    Node::If {
        conditions,
        body: vec![node],
    }
}
