//! One hyperplane: the integer program of Pluto, solved with its rows as needed, and two
//! others for loops that run in order around parallel ones.

use super::linear::{orthogonal_complement, rank};
use super::problem::{Dependence, Problem};
use terrace_presburger::{Int, IntegerProgram, Row};

/// What makes one hyperplane better than another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Dependent instances lie close, as in the paper.
    Close,
    /// Small coefficients first, none above 1; of equals that which puts apart the
    /// dependences between most pairs of statements: what a loop that runs in order
    /// carries does not keep those inside it from running at once.
    Simple,
    /// The same with the two turned round, and coefficients up to this. The idea is that of P. Feautrier, "Some
    /// efficient solutions to the affine scheduling problem, part II" (1992).
    Carry(i64),
}

/// Where the unknowns stand. For [`Aim::Close`]: the parameters' part of the bound on
/// distances, its constant, the sum of all coefficients; else how many pairs of
/// statements have dependences that are not carried, and that sum, or the sum first.
/// Then for each statement that takes part its coefficients, the innermost counter's
/// first, and its shift, and for each pair of statements whether it is not carried.
///
/// The program minimises the unknowns in this order, so that of equals the outer loop
/// stays outside.
struct Layout {
    aim: Aim,
    params: usize,
    /// For each statement of the problem the place of its first unknown.
    start: Vec<Option<usize>>,
    dims: Vec<usize>,
    /// Source and sink of the dependences, in the order of their unknowns.
    pairs: Vec<(usize, usize)>,
    first_pair: usize,
    columns: usize,
}

impl Layout {
    fn new(p: &Problem, members: &[usize], active: &[&Dependence], aim: Aim) -> Layout {
        let mut columns = match aim {
            Aim::Close => p.params + 2,
            Aim::Simple | Aim::Carry(_) => 2,
        };
        let mut start = vec![None; p.statements.len()];
        for &s in members {
            start[s] = Some(columns);
            columns += p.statements[s].dims + 1;
        }
        let mut pairs: Vec<_> = active.iter().map(|d| (d.source, d.sink)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        if aim == Aim::Close {
            pairs.clear();
        }
        Layout {
            aim,
            params: p.params,
            start,
            dims: p.statements.iter().map(|s| s.dims).collect(),
            first_pair: columns,
            columns: columns + pairs.len(),
            pairs,
        }
    }

    fn constant_bound(&self) -> usize {
        self.params
    }

    fn sum(&self) -> usize {
        match self.aim {
            Aim::Close => self.params + 1,
            Aim::Simple => 0,
            Aim::Carry(_) => 1,
        }
    }

    /// How many pairs are not carried.
    fn left(&self) -> usize {
        1 - self.sum()
    }

    /// Whether the dependences of a pair of statements are not carried: 0 or 1.
    fn pair(&self, d: &Dependence) -> usize {
        let at = self.pairs.binary_search(&(d.source, d.sink));
        self.first_pair + at.expect("a pair of the problem")
    }

    fn coefficient(&self, statement: usize, dim: usize) -> usize {
        let start = self.start[statement].expect("a member");
        start + self.dims[statement] - 1 - dim
    }

    fn shift(&self, statement: usize) -> usize {
        self.start[statement].expect("a member") + self.dims[statement]
    }

    /// A row of zeros, with a place for the constant at its end.
    fn zero(&self) -> Row {
        vec![Int::ZERO; self.columns + 1]
    }
}

/// How many times the search for one hyperplane may add rows.
const MAX_ROUNDS: usize = 200;
/// How many patterns of signs are tried for what has to be independent.
const MAX_SIGNS: u32 = 8;

/// The best hyperplane along which no dependence runs backwards and which is linearly
/// independent, for each statement of full rank not yet, of `found`: for each
/// statement of the problem its coefficients and its shift (empty for those that are
/// no members). `None` if there is none within the budget.
///
/// `found[h][s]` is statement s's row of hyperplane h. Section 3.2 of the paper gives
/// the objective of [`Aim::Close`], 3.3 the independence.
pub fn find(
    p: &Problem,
    members: &[usize],
    active: &[&Dependence],
    found: &[Vec<Row>],
    aim: Aim,
) -> Option<Vec<Row>> {
    let layout = Layout::new(p, members, active, aim);
    for signs in 0..MAX_SIGNS {
        let (base, patterns) = independence(p, &layout, members, found, signs);
        if signs >= patterns {
            return None;
        }
        if let Some(point) = solve(p, &layout, active, base) {
            return Some(rows_of(p, &layout, members, &point));
        }
    }
    None
}

/// Rows that the solver starts with: the sum of the coefficients, and for each
/// statement that something is not yet spanned. `signs` says which of the directions
/// of the rest are turned round; the second result is how many patterns there are.
fn independence(
    p: &Problem,
    layout: &Layout,
    members: &[usize],
    found: &[Vec<Row>],
    signs: u32,
) -> (IntegerProgram, u32) {
    let mut program = IntegerProgram::new(layout.columns);
    let mut sum = layout.zero();
    sum[layout.sum()] = Int::MINUS_ONE;
    let mut most_directions = 0;
    for &s in members {
        let dims = p.statements[s].dims;
        for d in 0..dims {
            sum[layout.coefficient(s, d)] = Int::ONE;
        }
        sum[layout.shift(s)] = Int::ONE;
        let before: Vec<Row> = found.iter().map(|h| h[s][..dims].to_vec()).collect();
        if rank(&before) == dims {
            continue;
        }
        let directions = orthogonal_complement(&before, dims);
        most_directions = most_directions.max(directions.len());
        let mut any = layout.zero();
        for (i, direction) in directions.iter().enumerate() {
            let turn = signs >> i & 1 == 1;
            let mut row = layout.zero();
            for (d, v) in direction.iter().enumerate() {
                let v = if turn { -v } else { v.clone() };
                any[layout.coefficient(s, d)] += &v;
                row[layout.coefficient(s, d)] = v;
            }
            at_least(&mut program, &row);
        }
        any[layout.columns] = Int::MINUS_ONE;
        at_least(&mut program, &any);
    }
    exactly(&mut program, &sum);
    if layout.aim != Aim::Close {
        carrying(p, layout, members, &mut program);
    }
    (program, 1 << most_directions.min(8))
}

/// The rows of [`Aim::Simple`] and [`Aim::Carry`] that do not depend on dependences: the
/// number of pairs that are not carried, and the limit of coefficients.
fn carrying(p: &Problem, layout: &Layout, members: &[usize], program: &mut IntegerProgram) {
    let mut left = layout.zero();
    left[layout.left()] = Int::MINUS_ONE;
    for pair in 0..layout.pairs.len() {
        left[layout.first_pair + pair] = Int::ONE;
    }
    exactly(program, &left);
    let most = match layout.aim {
        Aim::Carry(most) => most,
        Aim::Close | Aim::Simple => 1,
    };
    for &s in members {
        for d in 0..p.statements[s].dims {
            let mut small = layout.zero();
            small[layout.coefficient(s, d)] = Int::MINUS_ONE;
            small[layout.columns] = Int::new(most);
            at_least(program, &small);
        }
    }
}

/// Solves, looks which dependences the solution violates, adds their rows, and so on:
/// a solution of fewer rows that violates none is the solution of all.
fn solve(
    p: &Problem,
    layout: &Layout,
    active: &[&Dependence],
    mut program: IntegerProgram,
) -> Option<Vec<Int>> {
    for d in active {
        for line in &d.lines {
            let (legal, bound) = conditions(p, layout, d, line);
            exactly(&mut program, &legal);
            exactly(&mut program, &bound);
        }
    }
    for _ in 0..MAX_ROUNDS {
        let point = program.lexmin_within(&p.effort).ok()??;
        let mut violated = Vec::new();
        for d in active {
            let mut worst: [Option<(Int, Row)>; 2] = [None, None];
            for ray in &d.rays {
                let (legal, bound) = conditions(p, layout, d, ray);
                for (row, worst) in [legal, bound].into_iter().zip(&mut worst) {
                    let v = value(&row, &point);
                    if v.is_negative() && worst.as_ref().is_none_or(|w| v < w.0) {
                        *worst = Some((v, row));
                    }
                }
            }
            violated.extend(worst.into_iter().flatten().map(|w| w.1));
        }
        if violated.is_empty() {
            return Some(point);
        }
        violated.sort();
        violated.dedup();
        violated
            .into_iter()
            .for_each(|r| at_least(&mut program, &r));
    }
    None
}

/// What a generator of a dependence demands: that its distance be not negative, and
/// not above the bound, or not zero if the dependence is to be carried.
fn conditions(p: &Problem, layout: &Layout, d: &Dependence, generator: &Row) -> (Row, Row) {
    let mut legal = layout.zero();
    let (s, t) = d.counters(p, generator);
    let h = &generator[generator.len() - 1];
    for (dim, v) in t.iter().enumerate() {
        legal[layout.coefficient(d.sink, dim)] += v;
    }
    legal[layout.shift(d.sink)] += h;
    for (dim, v) in s.iter().enumerate() {
        legal[layout.coefficient(d.source, dim)] -= v;
    }
    legal[layout.shift(d.source)] -= h;
    if layout.aim != Aim::Close {
        let mut carried = legal.clone();
        carried[layout.pair(d)] += h;
        carried[layout.columns] -= h;
        return (legal, carried);
    }
    let mut bound: Row = legal.iter().map(|v| -v).collect();
    for (n, v) in generator[..p.params].iter().enumerate() {
        bound[n] += v;
    }
    bound[layout.constant_bound()] += h;
    (legal, bound)
}

/// Demands that a row, its constant last, is not negative.
fn at_least(program: &mut IntegerProgram, row: &Row) {
    let (constant, coefficients) = row.split_last().expect("a row has a constant");
    program.add_inequality(coefficients, constant.clone());
}

/// Demands that a row is zero.
fn exactly(program: &mut IntegerProgram, row: &Row) {
    let (constant, coefficients) = row.split_last().expect("a row has a constant");
    program.add_equality(coefficients, constant.clone());
}

fn value(row: &Row, point: &[Int]) -> Int {
    let mut sum = row[point.len()].clone();
    for (a, b) in row.iter().zip(point) {
        if !a.is_zero() {
            sum.add_product(a, b);
        }
    }
    sum
}

fn rows_of(p: &Problem, layout: &Layout, members: &[usize], point: &[Int]) -> Vec<Row> {
    let mut rows = vec![Row::new(); p.statements.len()];
    for &s in members {
        rows[s] = (0..p.statements[s].dims)
            .map(|d| point[layout.coefficient(s, d)].clone())
            .chain([point[layout.shift(s)].clone()])
            .collect();
    }
    rows
}
