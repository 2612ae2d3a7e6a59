//! Polyhedral cones by their generators: the double description method.
//!
//! Motzkin, Raiffa, Thompson and Thrall, "The double description method" (1953), with
//! the combinatorial adjacency test of Fukuda and Prodon, "Double description method
//! revisited" (1996), section 3.

use crate::conjunct::{Conjunct, Row};
use crate::effort::Effort;
use crate::int::Int;

/// The rays and lines that span a cone: its points are the sums of rays taken a
/// nonnegative number of times and lines taken any number of times.
#[derive(Debug, Clone, Default)]
pub struct Generators {
    /// Extreme up to lines; each divided by the greatest common divisor of its entries.
    pub rays: Vec<Row>,
    /// Linearly independent.
    pub lines: Vec<Row>,
}

/// A ray and the inequalities that hold for it with equality.
#[derive(Clone)]
struct Ray {
    row: Row,
    tight: Vec<u64>,
}

impl Generators {
    /// The generators of the cone of all `y` with `e . y == 0` and `a . y >= 0` for
    /// the given rows, which all have the length `columns`.
    ///
    /// The work can grow exponentially in the number of columns; `limit` bounds the
    /// number of rays that are held at once, `effort` the work. `None` says that one of
    /// them did not suffice.
    pub fn of_cone(
        columns: usize,
        equalities: &[Row],
        inequalities: &[Row],
        limit: usize,
        effort: &Effort,
    ) -> Option<Generators> {
        let mut d = Description {
            lines: (0..columns).map(|i| unit(columns, i)).collect(),
            rays: Vec::new(),
            words: inequalities.len().div_ceil(64),
            limit,
            effort,
        };
        for e in equalities {
            d.cut_with_plane(e)?;
        }
        for (index, a) in inequalities.iter().enumerate() {
            d.cut_with_half_space(index, a)?;
        }
        Some(Generators {
            rays: d.rays.into_iter().map(|r| r.row).collect(),
            lines: d.lines,
        })
    }

    /// The generators of the conjunct's rational hull made homogeneous: the last
    /// entry of a row stands for the constant. A ray whose last entry `h` is positive
    /// is the vertex `row / h`, one whose last entry is 0 a direction. Locals have
    /// been projected out. `None` as for [`Generators::of_cone`].
    pub fn of_conjunct(conjunct: &Conjunct, limit: usize, effort: &Effort) -> Option<Generators> {
        let columns = conjunct.row_len();
        let mut inequalities = conjunct.inequalities().to_vec();
        inequalities.push(unit(columns, columns - 1));
        let mut g =
            Generators::of_cone(columns, conjunct.equalities(), &inequalities, limit, effort)?;
        let locals = conjunct.space().columns()..columns - 1;
        for row in g.rays.iter_mut().chain(&mut g.lines) {
            row.drain(locals.clone());
        }
        let is_zero = |r: &Row| r.iter().all(Int::is_zero);
        g.rays.retain(|r| !is_zero(r));
        g.lines.retain(|r| !is_zero(r));
        Some(g)
    }
}

struct Description<'a> {
    rays: Vec<Ray>,
    lines: Vec<Row>,
    /// How many words a set of inequalities takes.
    words: usize,
    limit: usize,
    effort: &'a Effort,
}

impl Description<'_> {
    fn cut_with_plane(&mut self, plane: &Row) -> Option<()> {
        if self.take_line(plane).is_some() {
            return Some(());
        }
        let (positive, zero, negative) = self.sides(plane);
        let mut kept: Vec<Ray> = zero.iter().map(|i| self.rays[*i].clone()).collect();
        self.combine(plane, &positive, &negative, &mut kept)?;
        self.rays = kept;
        Some(())
    }

    fn cut_with_half_space(&mut self, index: usize, normal: &Row) -> Option<()> {
        if let Some(line) = self.take_line(normal) {
            for ray in &mut self.rays {
                ray.tight[index / 64] |= 1 << (index % 64);
            }
            let mut tight = vec![0u64; self.words];
            for earlier in 0..index {
                tight[earlier / 64] |= 1 << (earlier % 64);
            }
            self.rays.push(Ray { row: line, tight });
            return Some(());
        }
        let (positive, zero, negative) = self.sides(normal);
        for i in &zero {
            self.rays[*i].tight[index / 64] |= 1 << (index % 64);
        }
        if negative.is_empty() {
            return Some(());
        }
        let mut kept: Vec<Ray> = positive
            .iter()
            .chain(&zero)
            .map(|i| self.rays[*i].clone())
            .collect();
        let old = kept.len();
        self.combine(normal, &positive, &negative, &mut kept)?;
        for ray in &mut kept[old..] {
            ray.tight[index / 64] |= 1 << (index % 64);
        }
        self.rays = kept;
        Some(())
    }

    /// Takes a line out that crosses the plane, turned to its positive side, and
    /// moves every other generator along it into the plane.
    fn take_line(&mut self, normal: &Row) -> Option<Row> {
        let at = self.lines.iter().position(|l| !dot(normal, l).is_zero())?;
        let mut line = self.lines.swap_remove(at);
        if dot(normal, &line).is_negative() {
            line.iter_mut().for_each(|v| *v = -&*v);
        }
        let step = dot(normal, &line);
        let into_plane = |row: &mut Row| {
            let off = dot(normal, row);
            if !off.is_zero() {
                for (v, l) in row.iter_mut().zip(&line) {
                    *v = &(&*v * &step) - &(l * &off);
                }
                reduce(row);
            }
        };
        self.lines.iter_mut().for_each(into_plane);
        self.rays.iter_mut().for_each(|r| into_plane(&mut r.row));
        Some(line)
    }

    /// The rays before, in and behind the plane, by number.
    fn sides(&self, normal: &Row) -> (Vec<usize>, Vec<usize>, Vec<usize>) {
        let (mut positive, mut zero, mut negative) = (Vec::new(), Vec::new(), Vec::new());
        for (i, ray) in self.rays.iter().enumerate() {
            match dot(normal, &ray.row).signum() {
                1 => positive.push(i),
                0 => zero.push(i),
                _ => negative.push(i),
            }
        }
        (positive, zero, negative)
    }

    /// The rays in which the plane meets the faces that two neighbours span.
    fn combine(
        &self,
        normal: &Row,
        positive: &[usize],
        negative: &[usize],
        into: &mut Vec<Ray>,
    ) -> Option<()> {
        for &p in positive {
            for &n in negative {
                let (p, n) = (&self.rays[p], &self.rays[n]);
                let common: Vec<u64> = p.tight.iter().zip(&n.tight).map(|(a, b)| a & b).collect();
                // Two rays are neighbours when no third lies on all faces that both lie on.
                let third = self.rays.iter().position(|r| {
                    !std::ptr::eq(r, p)
                        && !std::ptr::eq(r, n)
                        && common.iter().zip(&r.tight).all(|(c, t)| c & !t == 0)
                });
                // Words of bits are looked at faster than numbers are multiplied.
                let seen = self.words * third.unwrap_or(self.rays.len());
                self.effort.spend(1 + seen / 8)?;
                if third.is_some() {
                    continue;
                }
                let (a, b) = (dot(normal, &p.row), dot(normal, &n.row));
                let mut row: Row = p
                    .row
                    .iter()
                    .zip(&n.row)
                    .map(|(x, y)| &(y * &a) - &(x * &b))
                    .collect();
                reduce(&mut row);
                into.push(Ray { row, tight: common });
                if into.len() > self.limit {
                    return None;
                }
            }
        }
        Some(())
    }
}

fn unit(columns: usize, at: usize) -> Row {
    let mut row = vec![Int::ZERO; columns];
    row[at] = Int::ONE;
    row
}

fn dot(a: &[Int], b: &[Int]) -> Int {
    let mut sum = Int::ZERO;
    for (a, b) in a.iter().zip(b) {
        if !a.is_zero() && !b.is_zero() {
            sum.add_product(a, b);
        }
    }
    sum
}

/// Divides by the greatest common divisor.
fn reduce(row: &mut Row) {
    let divisor = row.iter().fold(Int::ZERO, |d, v| d.gcd(v));
    if !divisor.is_zero() && !divisor.is_one() {
        row.iter_mut().for_each(|v| *v = v.div_floor(&divisor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Space;

    fn row(values: &[i64]) -> Row {
        values.iter().map(|v| Int::new(*v)).collect()
    }

    fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
        rows.sort();
        rows
    }

    #[test]
    fn rows_are_reduced() {
        for (before, after) in [
            ([0, 0, 0], [0, 0, 0]),
            ([0, 6, -9], [0, 2, -3]),
            ([5, 7, 0], [5, 7, 0]),
        ] {
            let mut reduced = row(&before);
            reduce(&mut reduced);
            assert_eq!(reduced, row(&after));
        }
    }

    #[test]
    fn a_square_has_four_vertices() {
        let mut c = Conjunct::universe(Space::set(0, 2));
        c.add_inequality(&row(&[1, 0]), Int::ZERO);
        c.add_inequality(&row(&[-1, 0]), Int::new(3));
        c.add_inequality(&row(&[0, 1]), Int::ZERO);
        c.add_inequality(&row(&[0, -1]), Int::new(5));
        let g = Generators::of_conjunct(&c, 100, &Effort::new(1_000_000)).expect("four rays");
        assert!(g.lines.is_empty());
        let want = [[0, 0, 1], [0, 5, 1], [3, 0, 1], [3, 5, 1]];
        assert_eq!(sorted(g.rays), want.map(|w| row(&w)).to_vec());
    }

    #[test]
    fn a_triangle_with_a_parameter_opens_with_it() {
        // 0 <= j <= i < n: the vertex (n, i, j) = (1, 0, 0) and three directions.
        let mut c = Conjunct::universe(Space::set(1, 2));
        c.add_inequality(&row(&[0, 0, 1]), Int::ZERO);
        c.add_inequality(&row(&[0, 1, -1]), Int::ZERO);
        c.add_inequality(&row(&[1, -1, 0]), Int::MINUS_ONE);
        let g = Generators::of_conjunct(&c, 100, &Effort::new(1_000_000)).expect("few rays");
        let want = [[1, 0, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], [1, 1, 1, 0]];
        assert_eq!(sorted(g.rays), want.map(|w| row(&w)).to_vec());
        assert!(g.lines.is_empty());
    }

    #[test]
    fn equalities_and_free_columns_leave_lines() {
        let mut c = Conjunct::universe(Space::set(0, 3));
        c.add_equality(&row(&[1, -1, 0]), Int::ZERO);
        c.add_inequality(&row(&[1, 0, 0]), Int::ZERO);
        let g = Generators::of_conjunct(&c, 100, &Effort::new(1_000_000)).expect("few rays");
        assert_eq!(g.lines, [row(&[0, 0, 1, 0])]);
        assert_eq!(sorted(g.rays), [row(&[0, 0, 0, 1]), row(&[1, 1, 0, 0])]);
    }

    #[test]
    fn an_octahedron_has_six_vertices() {
        let mut c = Conjunct::universe(Space::set(0, 3));
        for signs in 0..8 {
            let s = |bit: i32| if signs & bit == 0 { 1 } else { -1 };
            c.add_inequality(&row(&[s(1), s(2), s(4)]), Int::ONE);
        }
        let g = Generators::of_conjunct(&c, 100, &Effort::new(1_000_000)).expect("few rays");
        assert_eq!(g.rays.len(), 6);
        assert!(Generators::of_conjunct(&c, 4, &Effort::new(1_000_000)).is_none());
    }

    #[test]
    fn the_empty_set_has_no_vertex() {
        let mut c = Conjunct::universe(Space::set(0, 1));
        c.add_inequality(&row(&[1]), Int::ZERO);
        c.add_inequality(&row(&[-1]), Int::MINUS_ONE);
        let g = Generators::of_conjunct(&c, 100, &Effort::new(1_000_000)).expect("few rays");
        assert!(g.rays.iter().all(|r| r[1].is_zero()));
    }
}
