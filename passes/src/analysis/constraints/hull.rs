//! The smallest box, in terms of the symbols, around two systems.

use super::{Row, System};

/// The bounds of a dimension over the symbols: `floor(lower / divisor)` up to
/// `floor(upper / divisor)`, both included.
struct Interval {
    lower: Row,
    upper: Row,
    divisor: i128,
}

/// How two bounds compare wherever the symbols are.
enum Order {
    Less,
    Equal,
    Greater,
    Unknown,
}

fn compare(a: &Row, b: &Row) -> Order {
    let (Some((x, a)), Some((y, b))) = (a.split_last(), b.split_last()) else {
        return Order::Unknown;
    };
    if a != b {
        return Order::Unknown;
    }
    match x.cmp(y) {
        std::cmp::Ordering::Less => Order::Less,
        std::cmp::Ordering::Equal => Order::Equal,
        std::cmp::Ordering::Greater => Order::Greater,
    }
}

impl System {
    /// The pair of bounds over the symbols with the least constant difference.
    fn interval(&self, column: usize) -> Option<Interval> {
        let symbolic = |row: &Row, sign: i128| -> Option<Row> {
            row[self.dims..]
                .iter()
                .map(|c| c.checked_mul(sign))
                .collect()
        };
        if let Some(i) = self.equality_free_of(column, 0..self.dims) {
            let row = &self.equalities[i];
            let value = symbolic(row, -row[column])?;
            return Some(Interval {
                lower: value.clone(),
                upper: value,
                divisor: 1,
            });
        }
        let sides = self.sides(column, 0..self.dims);
        let width = self.num_columns();
        let mut best: Option<(i128, usize, usize)> = None;
        for u in &sides.upper {
            for l in &sides.lower {
                let (upper, lower) = (&self.inequalities[*u], &self.inequalities[*l]);
                if (0..width).any(|c| upper[c].checked_neg() != Some(lower[c])) {
                    continue;
                }
                let span = upper[width].checked_add(lower[width])?.checked_add(1)?;
                let by = lower[column];
                let size = (span.div_euclid(by) + i128::from(span.rem_euclid(by) != 0)).max(0);
                if best.is_none_or(|(least, _, _)| size < least) {
                    best = Some((size, *l, *u));
                }
            }
        }
        let (_, l, u) = best?;
        let divisor = self.inequalities[l][column];
        let mut lower = symbolic(&self.inequalities[l], -1)?;
        // The lower bound is a quotient rounded up; as one rounded down:
        *lower.last_mut()? += divisor - 1;
        Some(Interval {
            lower,
            upper: symbolic(&self.inequalities[u], 1)?,
            divisor,
        })
    }

    /// Become the smallest box around this and `other`, which is over the same columns,
    /// with the constraints that both have. `None`, with nothing changed, where some
    /// dimension has no bounds a constant apart, or the bounds cannot be compared.
    pub fn union_box(&mut self, other: &System) -> Option<()> {
        if self.overflow || other.overflow || self.locals > 0 || other.locals > 0 {
            return None;
        }
        if self.dims != other.dims || self.values.len() != other.values.len() {
            return None;
        }
        let constant = |c: i64| -> Row {
            let mut row = vec![0; self.num_symbols() + 1];
            row[self.num_symbols()] = i128::from(c);
            row
        };
        let mut rows = Vec::new();
        for d in 0..self.dims {
            let (a, b) = (self.interval(d)?, other.interval(d)?);
            if a.divisor != b.divisor {
                return None;
            }
            let divisor = a.divisor;
            let lower = match compare(&a.lower, &b.lower) {
                Order::Less | Order::Equal => rounded_up(a.lower, divisor)?,
                Order::Greater => rounded_up(b.lower, divisor)?,
                Order::Unknown => {
                    let (x, y) = (self.constant_bounds(d).0?, other.constant_bounds(d).0?);
                    scaled(constant(x.min(y)), divisor)?
                }
            };
            let upper = match compare(&a.upper, &b.upper) {
                Order::Greater | Order::Equal => a.upper,
                Order::Less => b.upper,
                Order::Unknown => {
                    let (x, y) = (self.constant_bounds(d).1?, other.constant_bounds(d).1?);
                    scaled(constant(x.max(y)), divisor)?
                }
            };
            let mut row = vec![0; self.dims];
            row[d] = divisor;
            row.extend(lower.iter().map(|c| -c));
            rows.push(row);
            let mut row = vec![0; self.dims];
            row[d] = -divisor;
            row.extend(upper);
            rows.push(row);
        }
        let common = |a: &[Row], b: &[Row]| -> Vec<Row> {
            a.iter().filter(|r| b.contains(r)).cloned().collect()
        };
        rows.extend(common(&self.inequalities, &other.inequalities));
        self.equalities = common(&self.equalities, &other.equalities);
        self.inequalities = rows;
        self.remove_trivial_redundancy();
        Some(())
    }
}

/// The numerator of a quotient rounded up that is one rounded down.
fn rounded_up(mut lower: Row, divisor: i128) -> Option<Row> {
    *lower.last_mut()? -= divisor - 1;
    Some(lower)
}

fn scaled(row: Row, by: i128) -> Option<Row> {
    row.iter().map(|c| c.checked_mul(by)).collect()
}
