//! Matrices most of whose elements are 0.
//!
//! ```
//! # use terrace::array::Context;
//! # let cx = Context::cpu();
//! // 1 0 2
//! // 0 0 0
//! let a = cx.csr([2, 3], &[0, 2, 2], &[0, 2], &[1.0, 2.0])?;
//! let (x, f) = (cx.vector(&[1.0, 2.0, 3.0])?, cx.vector(&[10.0, 20.0])?);
//! let r = cx.zeros(&[2])?;
//! r.set(&f - a.mul(&x))?;                    // one kernel
//! assert_eq!(r.to_vec()?, [3.0, 20.0]);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! A product is a loop inside the kernel over the elements of a row, in their order. Rows of more
//! than [`PIECE`] elements are sums of pieces, which kernels before compute, so that no thread
//! has very much to do. Both depend on the matrix alone, so all targets have the same bits. What a matrix is made of is checked when it is made, and
//! nobody changes it. The loops rely on that, and check no place.

use super::apart::apart;
use super::arrays::Array;
use super::context::Context;
use super::error::ArrayError;
use std::fmt::Display;
use std::panic::Location;
use terrace_dsl::{
    Element, Expr, ExprError, Number, Operand, Problem, constant, index, iterate_over,
};

/// The most elements that a loop of a product goes through, if not all rows of an [`Ell`] do.
pub const PIECE: usize = 256;

/// An integer that is a place on the host, as an offset or a column.
pub trait Place: Copy + Display + TryInto<usize> {}

impl<P: Copy + Display + TryInto<usize>> Place for P {}

/// Places on the device, in few bytes where they are small.
#[derive(Debug, Clone)]
enum Places {
    Narrow(Array<u32>),
    Wide(Array<i64>),
}

impl Places {
    /// Places that are all less than `end`. There is at least one, so that there is an array.
    fn new(cx: &Context, all: &[usize], end: usize) -> Result<Places, ArrayError> {
        let all = match all {
            [] => &[0],
            all => all,
        };
        // What is in memory has no more bytes than an `isize` counts.
        Ok(match u32::try_from(end) {
            Ok(_) => {
                let narrow: Vec<u32> = all.iter().map(|p| *p as u32).collect();
                Places::Narrow(cx.vector(&narrow)?)
            }
            Err(_) => {
                let wide: Vec<i64> = all.iter().map(|p| *p as i64).collect();
                Places::Wide(cx.vector(&wide)?)
            }
        })
    }

    /// Those of a range, one for each element.
    #[track_caller]
    fn range(&self, range: std::ops::Range<usize>) -> Expr<i64> {
        match self {
            Places::Narrow(a) => a.range(range).cast(),
            Places::Wide(a) => a.range(range).expr(),
        }
    }

    /// Those at other places.
    ///
    /// # Safety
    ///
    /// As [`Expr::gather_unchecked`].
    #[track_caller]
    unsafe fn gather_unchecked(&self, at: &Expr<i64>) -> Expr<i64> {
        // SAFETY: by the contract.
        unsafe {
            match self {
                Places::Narrow(a) => a.gather_unchecked(at).cast(),
                Places::Wide(a) => a.gather_unchecked(at),
            }
        }
    }
}

/// A sparse matrix in rows: the elements of each row, one row after the other.
#[derive(Debug, Clone)]
pub struct Csr<T> {
    sizes: [usize; 2],
    count: usize,
    /// Where rows are long: pieces of elements, pieces of those, and so on.
    pieces: Vec<Parts>,
    /// Where each row begins among the last pieces, or the elements, and where the last one ends.
    rows: Parts,
    /// The columns of the elements, each less than the number of columns.
    columns: Places,
    values: Array<T>,
}

/// Parts of a list that lie one behind the other.
#[derive(Debug, Clone)]
struct Parts {
    /// How many there are.
    count: usize,
    /// Where each begins in the list, and where the last one ends: at most at the list's end.
    offsets: Places,
}

impl Parts {
    fn new(cx: &Context, offsets: &[usize]) -> Result<Parts, ArrayError> {
        let end = offsets.last().copied().unwrap_or(0);
        Ok(Parts {
            count: offsets.len().saturating_sub(1),
            offsets: Places::new(cx, offsets, end)?,
        })
    }

    /// The sum of what there is at each place of each part.
    #[track_caller]
    fn sums<T: Number>(&self, of: impl Fn(&Expr<i64>) -> Expr<T>) -> Expr<T> {
        let from = self.offsets.range(0..self.count);
        let to = self.offsets.range(1..self.count + 1);
        let zero = constant(T::from_bits(0));
        let [sum] = iterate_over(from, to, [zero], |k, [sum]| [sum + of(&k)]);
        sum
    }
}

/// Where pieces of parts begin, at most [`PIECE`] long each, and where the parts begin among them.
fn pieces(parts: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let (mut pieces, mut of_parts) = (vec![0], vec![0]);
    for ends in parts.windows(2) {
        let mut at = ends[0];
        while at < ends[1] {
            at = (at + PIECE).min(ends[1]);
            pieces.push(at);
        }
        of_parts.push(pieces.len() - 1);
    }
    (pieces, of_parts)
}

/// A sparse matrix whose rows have about as many elements each: those of one number in all rows
/// lie side by side.
#[derive(Debug, Clone)]
pub struct Ell<T> {
    sizes: [usize; 2],
    width: usize,
    /// How many elements each row has, at most `width`.
    lengths: Places,
    /// The column of element `k` of row `i` at `k * rows + i`, less than the number of columns.
    columns: Places,
    values: Array<T>,
}

fn wrong<T>(what: String) -> Result<T, ArrayError> {
    Err(ArrayError::Sparse(what))
}

/// A column of the host, if the matrix has it.
fn column<P: Place>(c: P, element: usize, columns: usize) -> Result<usize, ArrayError> {
    match c.try_into().ok().filter(|c| *c < columns) {
        Some(c) => Ok(c),
        None => wrong(format!(
            "element {element} has the column {c} in a matrix of {columns} columns; columns are \
             counted from 0"
        )),
    }
}

fn lengths(of: &str, found: usize, expected: usize) -> Result<(), ArrayError> {
    match found == expected {
        true => Ok(()),
        false => wrong(format!(
            "found {found} {of} for a sparse matrix; there must be {expected}"
        )),
    }
}

/// Values on the device, at least one.
fn values<T: Element>(cx: &Context, host: &[T]) -> Result<Array<T>, ArrayError> {
    match host {
        [] => cx.zeros(&[1]),
        host => cx.vector(host),
    }
}

impl Context {
    /// A sparse matrix of so many rows and columns. Row `i` has the elements from `offsets[i]` to
    /// the one before `offsets[i + 1]`, each with its column. Of equal columns in a row all count.
    ///
    /// # Errors
    ///
    /// There is not one offset more than rows, or the first one is not 0, the last one not the
    /// number of elements, or one is less than that before it. There is not a column for each
    /// element, or the matrix has not that column. Or memory is short.
    pub fn csr<T: Number, P: Place, Q: Place>(
        &self,
        sizes: [usize; 2],
        offsets: &[P],
        columns: &[Q],
        host: &[T],
    ) -> Result<Csr<T>, ArrayError> {
        let [rows, width] = sizes;
        lengths("offsets", offsets.len(), rows.saturating_add(1))?;
        lengths("columns", columns.len(), host.len())?;
        let mut places = Vec::with_capacity(offsets.len());
        let mut last = 0;
        for (i, o) in offsets.iter().enumerate() {
            let place = (*o).try_into().ok();
            match place.filter(|p| (last..=host.len()).contains(p) && (i > 0 || *p == 0)) {
                Some(p) => last = p,
                None => {
                    return wrong(format!(
                        "offset {i} of a sparse matrix is {o}; the first one is 0, and the others \
                         ascend to the number of elements, {}",
                        host.len()
                    ));
                }
            }
            places.push(last);
        }
        if last != host.len() {
            return wrong(format!(
                "the last offset of a sparse matrix is {last}; it must be the number of elements, \
                 {}",
                host.len()
            ));
        }
        let all = columns.iter().enumerate();
        let all: Vec<usize> = all
            .map(|(k, c)| column(*c, k, width))
            .collect::<Result<_, _>>()?;
        let (mut rows, mut levels) = (places, Vec::new());
        while rows.windows(2).any(|ends| ends[1] - ends[0] > PIECE) {
            let (next, of_rows) = pieces(&rows);
            levels.push(Parts::new(self, &next)?);
            rows = of_rows;
        }
        Ok(Csr {
            sizes,
            count: host.len(),
            pieces: levels,
            rows: Parts::new(self, &rows)?,
            columns: Places::new(self, &all, width)?,
            values: values(self, host)?,
        })
    }

    /// A sparse matrix with at most `width` elements in each row. `columns` and `host` have as many
    /// for each row, one row after the other. A column below 0 says that there is no element.
    ///
    /// # Errors
    ///
    /// There are not `width` columns and elements for each row, or the matrix has not that column.
    /// Or memory is short.
    pub fn ell<T: Number, Q: Place + PartialOrd + Default>(
        &self,
        sizes: [usize; 2],
        width: usize,
        columns: &[Q],
        host: &[T],
    ) -> Result<Ell<T>, ArrayError> {
        let rows = sizes[0];
        let count = super::error::bytes_of(T::TYPE, &[rows, width])? / T::TYPE.size();
        lengths("columns", columns.len(), count)?;
        lengths("elements", host.len(), count)?;
        let mut each = vec![0; rows];
        let mut places = vec![0; count];
        let mut turned = vec![T::from_bits(0); count];
        for (k, (c, v)) in columns.iter().zip(host).enumerate() {
            if *c < Q::default() {
                continue;
            }
            let row = k / width;
            let at = each[row] * rows + row;
            places[at] = column(*c, k, sizes[1])?;
            turned[at] = *v;
            each[row] += 1;
        }
        Ok(Ell {
            sizes,
            width,
            lengths: Places::new(self, &each, width)?,
            columns: Places::new(self, &places, sizes[1])?,
            values: values(self, &turned)?,
        })
    }
}

/// The elements of an array with as many as a matrix has columns, or why there are none.
#[track_caller]
fn factor<T: Number>(sizes: [usize; 2], x: &Expr<T>) -> Result<(), Expr<T>> {
    let node = x.graph().node();
    let problem = match node.as_ref().map(|n| (n.array(), &n.sizes)) {
        Err(e) => return Err(Expr::poison(e.clone())),
        Ok((Some(view), _)) if *view.sizes == sizes[1..] => return Ok(()),
        Ok((_, Some(vector))) if **vector != sizes[1..] => Problem::Product {
            matrix: sizes,
            vector: vector.clone(),
        },
        Ok(_) => Problem::NoNeighbours,
    };
    let at = Location::caller();
    Err(Expr::poison(ExprError { at, problem }))
}

/// Zeros of the shape of an array.
#[track_caller]
fn zeros_like<T: Element>(shape: &Expr<i64>) -> Expr<T> {
    let zero = || constant(T::from_bits(0));
    shape.eq(constant(0)).select(zero(), zero())
}

impl<T: Number> Csr<T> {
    /// How many rows and columns it has.
    pub fn shape(&self) -> [usize; 2] {
        self.sizes
    }

    /// How many elements it has.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Its product with an array: one element for each row. The array has as many elements as the
    /// matrix has columns; an expression is assigned to an array first. What does not fit means
    /// nothing.
    #[track_caller]
    pub fn mul(&self, x: impl Operand<T>) -> Expr<T> {
        let x = x.expr();
        if let Err(poison) = factor(self.sizes, &x) {
            return poison;
        }
        if self.sizes[1] == 0 {
            // All rows are empty, and so is the array.
            return zeros_like(&self.rows.offsets.range(0..self.sizes[0]));
        }
        let product = |k: &Expr<i64>| {
            // SAFETY: `k` is a place of a part of the elements, and each element has a column
            // that the array has. Both were checked, and nobody changes them.
            unsafe {
                let column = self.columns.gather_unchecked(k);
                self.values.gather_unchecked(k) * x.gather_unchecked(column)
            }
        };
        let mut sums: Option<Expr<T>> = None;
        for parts in self.pieces.iter().chain([&self.rows]) {
            let next = match &sums {
                None => parts.sums(product),
                // SAFETY: `k` is a place of a part of the pieces before.
                Some(before) => parts.sums(|k| unsafe { before.gather_unchecked(k) }),
            };
            sums = Some(match std::ptr::eq(parts, &self.rows) {
                true => next,
                false => apart(&next, parts.count),
            });
        }
        sums.unwrap_or_else(|| constant(T::from_bits(0)))
    }
}

impl<T: Number> Ell<T> {
    /// How many rows and columns it has.
    pub fn shape(&self) -> [usize; 2] {
        self.sizes
    }

    /// How many elements a row has at most.
    pub fn width(&self) -> usize {
        self.width
    }

    /// As [`Csr::mul`].
    #[track_caller]
    pub fn mul(&self, x: impl Operand<T>) -> Expr<T> {
        let (x, [rows, columns]) = (x.expr(), self.sizes);
        if let Err(poison) = factor(self.sizes, &x) {
            return poison;
        }
        let lengths = self.lengths.range(0..rows);
        if columns == 0 {
            return zeros_like(&lengths);
        }
        let zero = constant(T::from_bits(0));
        let [sum] = iterate_over(0, lengths, [zero], |k, [sum]| {
            let at = k * rows as i64 + index(0);
            // SAFETY: a row has at most `width` elements, and there are `rows` for each number.
            // Each has a column that the array has. Nobody changes them.
            let product = unsafe {
                let column = self.columns.gather_unchecked(&at);
                self.values.gather_unchecked(&at) * x.gather_unchecked(column)
            };
            [sum + product]
        });
        sum
    }
}
