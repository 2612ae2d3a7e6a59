//! What a matrix product is: its loops, factors and sum.

use crate::analysis::linear::Linear;
use terrace_ir::{Op, Type, Value};

/// Numbers from `lo` to below `hi`.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    pub lo: Linear,
    pub hi: Linear,
}

/// An element of an array.
#[derive(Debug, Clone)]
pub(crate) struct Element {
    pub memref: Value,
    pub at: Vec<Linear>,
}

/// A factor of the products.
#[derive(Debug, Clone)]
pub(crate) struct Factor {
    /// What is read of the array.
    pub element: Element,
    /// The loaded value, and what is multiplied: computed from it.
    pub loaded: Value,
    pub value: Value,
    /// Whether neighbours along k are neighbours in memory, not those along the other
    /// dimension.
    pub along_k: bool,
    /// Whether the product is taken away from the sum.
    pub negated: bool,
    /// Whether the nest overwrites what is read, later: the kernel has to read a copy.
    pub overwritten: bool,
}

/// How the sum is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sum {
    /// In the element of `C`.
    Memory,
    /// In a value that the loop carries: where it begins, what the loop gives, and what
    /// is then stored.
    Carried {
        init: Value,
        result: Value,
        stored: Value,
    },
}

/// A counter around the rows: of rows by two counters, all of the inner one for each number
/// of this one; of products side by side, one product for each.
#[derive(Debug, Clone)]
pub(crate) struct Outer {
    pub counter: Value,
    pub range: Range,
}

/// Which numbers k are added up is another for each row or column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slope {
    /// By columns, not by rows.
    pub by_col: bool,
    /// The end of k, not the beginning.
    pub at_end: bool,
}

/// A matrix product with what belongs to it.
#[derive(Debug, Clone)]
pub(crate) struct Contraction {
    /// The outermost loop.
    pub root: Op,
    /// The store of the sums.
    pub store: Op,
    /// The type of the sums.
    pub element: Type,
    /// The counters, by which linear forms are in terms of rows, columns and depth.
    pub row: Value,
    pub col: Value,
    pub k: Value,
    /// The outer counter of rows that have two.
    pub outer: Option<Outer>,
    /// The counters of products side by side: all of them for all numbers of each.
    pub batch: Vec<Outer>,
    /// What these counters are in the kernel of one of the products.
    pub fixed: Vec<(Value, Value)>,
    /// All rows and columns that there are; `inside` says which elements.
    pub rows: Range,
    pub cols: Range,
    /// One end may have the row or the column in it, see [`Contraction::slope`].
    pub depth: Range,
    /// Forms in row and column that are not negative for elements of the domain, where
    /// that is not all of the rectangle.
    pub inside: Vec<Linear>,
    pub c: Element,
    /// The factors of each product that is added for one k, that with rows first.
    pub products: Vec<[Factor; 2]>,
    pub sum: Sum,
    /// What is stored into `C[r, c]` by statements before, and behind.
    pub before: Vec<Value>,
    pub behind: Vec<Value>,
    /// Whether what is added may be added in another order.
    pub reassociates: bool,
    /// Counters of the other statements, and the one they are.
    pub same: Vec<(Value, Value)>,
    /// The element with row and column exchanged, which gets the same value in the end.
    pub mirror: Option<Element>,
    /// Stores of the nest that have nothing to do with the sums.
    pub aside: Vec<Op>,
}

impl Contraction {
    /// How the range of k depends on the element, if it does.
    pub(crate) fn slope(&self) -> Option<Slope> {
        let ends = [(&self.depth.lo, false), (&self.depth.hi, true)];
        let counters = [(self.row, false), (self.col, true)];
        ends.iter().find_map(|(l, at_end)| {
            let (_, by_col) = counters.iter().find(|(v, _)| l.coefficient(*v) != 0)?;
            Some(Slope {
                by_col: *by_col,
                at_end: *at_end,
            })
        })
    }

    /// One of the products side by side, that with these counters.
    pub(crate) fn one_of_batch(&self, counters: &[Value]) -> Contraction {
        let mut one = self.clone();
        let own = self.batch.iter().map(|o| o.counter);
        one.fixed = own.zip(counters.iter().copied()).collect();
        let elements = (one.products.iter_mut().flatten().map(|f| &mut f.element))
            .chain([&mut one.c])
            .chain(&mut one.mirror);
        for form in elements.flat_map(|e| &mut e.at) {
            *form = form.named(&one.fixed);
        }
        one
    }

    /// The product with what it adds up as the `number`-th matrix of `work`, from `begin` on,
    /// and nothing before or behind. `corner`: the first row and column.
    pub(crate) fn part(
        &self,
        work: Value,
        number: Value,
        corner: [Value; 2],
        begin: Value,
        stored: Value,
    ) -> Contraction {
        let from = |v: Value, first: Value| Linear {
            terms: vec![(v, 1), (first, -1)],
            constant: 0,
        };
        Contraction {
            c: Element {
                memref: work,
                at: vec![
                    Linear::value(number),
                    from(self.row, corner[0]),
                    from(self.col, corner[1]),
                ],
            },
            sum: Sum::Carried {
                init: begin,
                result: stored,
                stored,
            },
            before: Vec::new(),
            behind: Vec::new(),
            same: Vec::new(),
            mirror: None,
            ..self.clone()
        }
    }

    /// How many products are side by side, where that is known.
    pub(crate) fn side_by_side(&self) -> Option<i64> {
        let mut all = 1i64;
        for o in &self.batch {
            all = all.saturating_mul(o.range.length()?.max(0));
        }
        Some(all)
    }

    /// All numbers k of all elements; `None` where numbers are out of range.
    pub(crate) fn whole_depth(&self) -> Option<Range> {
        let end = |l: &Linear, least: bool| {
            let l = self.rows.extreme(l, self.row, least)?;
            self.cols.extreme(&l, self.col, least)
        };
        Some(Range {
            lo: end(&self.depth.lo, true)?,
            hi: end(&self.depth.hi, false)?,
        })
    }
}

impl Range {
    /// The smallest or the greatest that a form is where `v` is in the range.
    pub(crate) fn extreme(&self, l: &Linear, v: Value, least: bool) -> Option<Linear> {
        match (l.coefficient(v) >= 0) == least {
            true => l.with(v, &self.lo),
            false => l.with(v, &self.hi.plus(-1)?),
        }
    }

    /// How many numbers there are, where that is known.
    pub(crate) fn length(&self) -> Option<i64> {
        self.hi.minus(&self.lo)?.as_constant()
    }
}
