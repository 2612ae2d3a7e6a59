//! Which iterations a thread has.
//!
//! Iterations of all loops are numbered in rows: along one loop, that of neighbouring threads,
//! in columns. Blocks take pieces by turns: some iterations of each thread, one beside the
//! other along a row that is longer than a block has threads, else one below the other in rows
//! that a power of two of the threads goes along. So there are divisions for each piece, and
//! none for each iteration.

use super::policy::THREADS;
use crate::gpu::map_parallel::{Band, iteration_numbers};
use crate::loops::build::index::*;
use terrace_dialects::arith::{CmpIOp, CmpIPredicate, SelectOp};
use terrace_dialects::scf;
use terrace_ir::{Builder, Value};

/// The iterations of a nest, as the host has counted them.
pub(super) struct Iterations {
    /// Of each level, the most that it has.
    trips: Vec<Value>,
    /// The level along which neighbouring threads go, and the others.
    pub x: usize,
    others: Vec<usize>,
    /// None where there are no others.
    rows: Option<Rows>,
    /// Of a piece.
    columns: Value,
    /// Of a thread in a piece.
    pub steps: i64,
    /// Neighbouring iterations that are one column.
    pub group: i64,
    /// In all.
    pub pieces: Value,
    pub count: Value,
}

/// What is known of rows.
struct Rows {
    count: Value,
    /// Pieces beside one another.
    across: Value,
    /// Threads beside one another.
    width: Value,
    /// Of a piece.
    rows: Value,
    /// From one iteration of a thread to its next.
    down: Value,
    right: Value,
}

/// A row and a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub row: Value,
    pub column: Value,
}

impl Iterations {
    /// Counts those of `band` on the host, of which a thread has `steps` columns of a piece, each
    /// of `group` iterations.
    pub fn new(b: &mut Builder, band: &Band, x: usize, (steps, group): (i64, i64)) -> Iterations {
        let trips: Vec<Value> = band.levels.iter().map(|l| l.trips).collect();
        let others: Vec<usize> = (0..trips.len()).filter(|l| *l != x).collect();
        let all = others.iter().map(|l| trips[*l]);
        let rows = all.reduce(|x, y| mul(b, x, y));
        let each = constant(b, group);
        let along = match group {
            1 => trips[x],
            _ => ceiling(b, trips[x], each),
        };
        let piece = constant(b, THREADS * steps);
        let Some(rows) = rows else {
            let pieces = ceiling(b, along, piece);
            return Iterations {
                count: trips[x],
                trips,
                x,
                others,
                rows: None,
                columns: piece,
                steps,
                group,
                pieces,
            };
        };
        let width = width(b, along);
        let threads = constant(b, THREADS);
        let high = div(b, threads, width);
        let zero = constant(b, 0);
        let is_long = CmpIOp::build(b, CmpIPredicate::Sgt, along, threads);
        let one = constant(b, 1);
        let below = times(b, high, steps);
        let columns = SelectOp::build(b, is_long, piece, width);
        let rows_of_piece = SelectOp::build(b, is_long, one, below);
        let across = ceiling(b, along, columns);
        let down_pieces = ceiling(b, rows, rows_of_piece);
        let right = SelectOp::build(b, is_long, threads, zero);
        let down = SelectOp::build(b, is_long, zero, high);
        Iterations {
            pieces: mul(b, across, down_pieces),
            count: mul(b, rows, trips[x]),
            trips,
            x,
            others,
            columns,
            steps,
            group,
            rows: Some(Rows {
                count: rows,
                across,
                width,
                rows: rows_of_piece,
                down,
                right,
            }),
        }
    }

    /// Where a thread is in a piece.
    pub fn place(&self, b: &mut Builder, thread: Value) -> At {
        match &self.rows {
            None => At {
                row: constant(b, 0),
                column: thread,
            },
            Some(r) => At {
                row: div(b, thread, r.width),
                column: rem(b, thread, r.width),
            },
        }
    }

    /// Goes through a block's pieces, from number `block` on in steps of `blocks`, and says where each
    /// begins.
    pub fn each_piece(
        &self,
        b: &mut Builder,
        (block, blocks): (Value, Value),
        does: impl FnOnce(&mut Builder, At),
    ) {
        let Some(r) = &self.rows else {
            scf::ForOp::build_with(b, (block, self.pieces, blocks), &[], |b, piece, _| {
                let corner = At {
                    row: constant(b, 0),
                    column: mul(b, piece, self.columns),
                };
                does(b, corner);
                Vec::new()
            });
            return;
        };
        let first = [div(b, block, r.across), rem(b, block, r.across)];
        let further = [div(b, blocks, r.across), rem(b, blocks, r.across)];
        let ends = (block, self.pieces, blocks);
        scf::ForOp::build_with(b, ends, &first, |b, _, at| {
            let corner = At {
                row: mul(b, at[0], r.rows),
                column: mul(b, at[1], self.columns),
            };
            does(b, corner);
            // Both are less than there are pieces across, so that one row more is enough.
            let right = add(b, at[1], further[1]);
            let beyond = CmpIOp::build(b, CmpIPredicate::Sge, right, r.across);
            let next = sub(b, right, r.across);
            let right = SelectOp::build(b, beyond, next, right);
            let down = add(b, at[0], further[0]);
            let below = add_constant(b, down, 1);
            let down = SelectOp::build(b, beyond, below, down);
            vec![down, right]
        });
    }

    /// Whether all of the piece at a corner are iterations.
    pub fn is_full(&self, b: &mut Builder, corner: At) -> Value {
        let within = |b: &mut Builder, from, size, end| {
            let behind = add(b, from, size);
            CmpIOp::build(b, CmpIPredicate::Sle, behind, end)
        };
        let columns = within(b, corner.column, self.columns, self.trips[self.x]);
        match &self.rows {
            None => columns,
            Some(r) => {
                let rows = within(b, corner.row, r.rows, r.count);
                and(b, rows, columns)
            }
        }
    }

    /// Where a thread that begins at `first` is in its iteration `step`.
    pub fn step(&self, b: &mut Builder, first: At, step: Value) -> At {
        match &self.rows {
            None => {
                let right = times(b, step, THREADS);
                At {
                    row: first.row,
                    column: add(b, first.column, right),
                }
            }
            Some(r) => {
                let (down, right) = (mul(b, step, r.down), mul(b, step, r.right));
                At {
                    row: add(b, first.row, down),
                    column: add(b, first.column, right),
                }
            }
        }
    }

    /// Whether that is an iteration, where each is a column.
    pub fn is_inside(&self, b: &mut Builder, at: At) -> Value {
        let column = less(b, at.column, self.trips[self.x]);
        match &self.rows {
            None => column,
            Some(r) => {
                let row = less(b, at.row, r.count);
                and(b, row, column)
            }
        }
    }

    /// Whether all iterations of a column are there.
    pub fn is_whole(&self, b: &mut Builder, at: At) -> Value {
        let behind = add_constant(b, at.column, 1);
        let behind = times(b, behind, self.group);
        let end = self.trips[self.x];
        let column = CmpIOp::build(b, CmpIPredicate::Sle, behind, end);
        match &self.rows {
            None => column,
            Some(r) => {
                let row = less(b, at.row, r.count);
                and(b, row, column)
            }
        }
    }

    /// The iteration of a column with this number in it.
    pub fn of_group(&self, b: &mut Builder, at: At, number: Value) -> At {
        let first = times(b, at.column, self.group);
        At {
            row: at.row,
            column: add(b, first, number),
        }
    }

    /// The number of an iteration in each level.
    pub fn numbers(&self, b: &mut Builder, at: At) -> Vec<Value> {
        let mut all = vec![at.column; self.trips.len()];
        if self.rows.is_some() {
            let numbers = iteration_numbers(b, at.row, &self.others, &self.trips);
            for (l, n) in self.others.iter().zip(numbers) {
                all[*l] = n;
            }
        }
        all
    }
}

/// Threads that go along a row: the least power of two that is as long, or all.
fn width(b: &mut Builder, along: Value) -> Value {
    let mut width = constant(b, THREADS);
    let mut n = THREADS / 2;
    while n > 0 {
        let short = constant(b, n);
        let fits = CmpIOp::build(b, CmpIPredicate::Sle, along, short);
        width = SelectOp::build(b, fits, short, width);
        n /= 2;
    }
    width
}
