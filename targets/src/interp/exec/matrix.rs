//! Matrices that a subgroup computes with together.
//!
//! Sums of products of doubles are chains of fused multiplications and additions in
//! the order of the depth, from the sum so far on; those of narrower floats are taken
//! as if exactly (in doubles) and rounded once, which is what hardware comes near to;
//! integers wrap. Factors of f32 are rounded to tf32, halves away from zero.

use super::Thread;
use crate::interp::code::{MatrixElement, MatrixInst, Rows, Slot};
use crate::interp::error::{Fault, Run};
use crate::interp::float::{convert, float};
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::Actor;
use crate::interp::memref::{Dims, MemRef};
use crate::interp::value::{Elem, Value, VectorValue, wrong};
use std::rc::Rc;
use terrace_ir::num::{FloatKind, Rounding};

/// Threads that hold the parts of a matrix.
const WARP: usize = 32;

/// Bytes of a row that `ldmatrix` loads.
const ROW: usize = 16;

/// A factor, ready to be multiplied.
#[derive(Clone, Copy)]
enum Factor {
    Float(f64),
    Int(i64),
}

fn factor(v: &Value, unsigned: bool) -> Run<Factor> {
    Ok(match v {
        Value::F32(_) => {
            let v = convert(&float(v)?, FloatKind::TF32, Rounding::NearestAway);
            Factor::Float(v.to_f64())
        }
        Value::Int { bits, .. } if unsigned => Factor::Int(*bits as i64),
        Value::Int { .. } => Factor::Int(v.i64()?),
        v => Factor::Float(v.as_f64().ok_or_else(|| wrong("a float", v))?),
    })
}

/// `sum` and the products of the factors, in order.
fn dot(sum: &Value, factors: impl Iterator<Item = (Factor, Factor)>) -> Run<Value> {
    let mixed = || Fault::new("multiplies floats and integers");
    if let Value::Int { width, .. } = sum {
        let mut total = sum.i64()?;
        for pair in factors {
            let (Factor::Int(a), Factor::Int(b)) = pair else {
                return Err(mixed());
            };
            total = total.wrapping_add(a.wrapping_mul(b));
        }
        return Ok(Value::int(*width, total as u64));
    }
    let mut total = sum.as_f64().ok_or_else(|| wrong("a float", sum))?;
    for pair in factors {
        let (Factor::Float(a), Factor::Float(b)) = pair else {
            return Err(mixed());
        };
        total = a.mul_add(b, total);
    }
    Ok(match sum {
        Value::F64(_) => Value::F64(total),
        Value::F32(_) => Value::F32(total as f32),
        v => Value::from_f64(float(v)?.kind(), total),
    })
}

/// A matrix of factors or sums, row by row.
struct Matrix<T> {
    columns: usize,
    elements: Vec<T>,
}

impl<T> Matrix<T> {
    fn get(&self, row: usize, column: usize) -> &T {
        &self.elements[row * self.columns + column]
    }
}

/// `a b + c`, row by row.
fn multiply(a: &Matrix<Factor>, b: &Matrix<Factor>, c: &Matrix<Value>) -> Run<Vec<Value>> {
    let mut all = Vec::with_capacity(c.elements.len());
    for (at, sum) in c.elements.iter().enumerate() {
        let (i, j) = (at / c.columns, at % c.columns);
        let pairs = (0..a.columns).map(|k| (*a.get(i, k), *b.get(k, j)));
        all.push(dot(sum, pairs)?);
    }
    Ok(all)
}

/// Which row and column element `e` of tile `tile` is that a lane holds, where lanes
/// hold `each` elements of a row and there are `down` tiles below each other.
fn element(lane: usize, tile: usize, e: usize, each: usize, down: usize) -> (usize, usize) {
    let row = lane / 4 + 8 * (tile % down);
    let column = lane % 4 * each + e + 4 * each * (tile / down);
    (row, column)
}

fn vector(shape: &[i64], elem: Elem, lanes: Vec<Value>) -> Value {
    Value::Vector(Rc::new(VectorValue {
        shape: shape.to_vec(),
        elem,
        lanes,
    }))
}

/// Puts the fragments of all lanes together: `down` tiles below each other.
fn gather(parts: &[Rc<VectorValue>], rows: usize, columns: usize) -> Run<Matrix<Value>> {
    let mut elements = vec![Value::Unset; rows * columns];
    for (lane, part) in parts.iter().enumerate() {
        let each = usize::try_from(part.shape.get(1).copied().unwrap_or(0)).unwrap_or(0);
        for (at, v) in part.lanes.iter().enumerate() {
            let (r, c) = element(lane, at / each.max(1), at % each.max(1), each, rows / 8);
            let to = (r < rows && c < columns).then(|| &mut elements[r * columns + c]);
            *to.ok_or("has fragments that do not fit the shape")? = v.clone();
        }
    }
    Ok(Matrix { columns, elements })
}

fn factors(m: Matrix<Value>, unsigned: bool) -> Run<Matrix<Factor>> {
    Ok(Matrix {
        columns: m.columns,
        elements: m
            .elements
            .iter()
            .map(|v| factor(v, unsigned))
            .collect::<Run<_>>()?,
    })
}

fn transposed(m: Matrix<Factor>) -> Matrix<Factor> {
    let rows = m.elements.len() / m.columns.max(1);
    let at = |i: usize| *m.get(i % rows, i / rows);
    Matrix {
        columns: rows,
        elements: (0..m.elements.len()).map(at).collect(),
    }
}

impl Interpreter<'_> {
    /// Carry out an instruction for the threads of a subgroup.
    pub(super) fn matrix(
        &mut self,
        inst: &MatrixInst,
        threads: &mut [Option<Thread>],
        members: &[usize],
    ) -> Run<()> {
        if members.len() != WARP {
            return Err(Fault::new(format!(
                "needs all {WARP} threads of a subgroup, but {} are here",
                members.len()
            )));
        }
        match inst {
            MatrixInst::LoadTiles {
                from,
                tiles,
                transpose,
                elem,
                dst,
            } => {
                let tiles = self.load_tiles(threads, members, from, *tiles, *transpose, *elem)?;
                for (n, v) in members.iter().zip(tiles) {
                    super::sync::set(threads, *n, *dst, v);
                }
                Ok(())
            }
            MatrixInst::Mma {
                factors: [a, b],
                sum,
                shape: [m, n, k],
                dst,
            } => {
                let parts = |s: Slot| -> Run<Vec<Rc<VectorValue>>> {
                    let of = |t: &usize| slot(threads, *t, s)?.vector().cloned();
                    members.iter().map(of).collect()
                };
                let fragments = mma([parts(*a)?, parts(*b)?, parts(*sum)?], [*m, *n, *k])?;
                for (t, v) in members.iter().zip(fragments) {
                    super::sync::set(threads, *t, *dst, v);
                }
                Ok(())
            }
            MatrixInst::Load {
                from,
                rows,
                shape,
                elem,
                dst,
            } => {
                let (m, start, actor) = self.common_place(threads, members, from)?;
                let mut lanes = Vec::new();
                for i in 0..shape[0] {
                    for j in 0..shape[1] {
                        let at = position(start, *rows, i, j)?;
                        self.counters.loads += 1;
                        lanes.push(self.memory.read(&m, at, actor)?);
                    }
                }
                let v = vector(shape, *elem, lanes);
                for n in members {
                    super::sync::set(threads, *n, *dst, v.clone());
                }
                Ok(())
            }
            MatrixInst::Store { value, to, rows } => {
                let (m, start, actor) = self.common_place(threads, members, to)?;
                let v = slot(threads, members[0], *value)?.vector()?.clone();
                let [_, columns] = v.shape[..] else {
                    return Err(wrong("a matrix", &Value::Vector(v.clone())));
                };
                for (at, element) in v.lanes.iter().enumerate() {
                    let (i, j) = (at as i64 / columns, at as i64 % columns);
                    self.counters.stores += 1;
                    self.memory
                        .write(&m, position(start, *rows, i, j)?, element, actor)?;
                }
                Ok(())
            }
            MatrixInst::Multiply {
                factors: [a, b],
                sum,
                unsigned,
                dst,
            } => {
                let whole = |s: Slot| -> Run<(Rc<VectorValue>, Matrix<Value>)> {
                    let v = slot(threads, members[0], s)?.vector()?.clone();
                    let columns = usize::try_from(v.shape.get(1).copied().unwrap_or(1));
                    let columns = columns.map_err(|_| "has a negative size")?;
                    let elements = v.lanes.clone();
                    Ok((v, Matrix { columns, elements }))
                };
                let a = factors(whole(*a)?.1, unsigned[0])?;
                let b = factors(whole(*b)?.1, unsigned[1])?;
                let (sum, c) = whole(*sum)?;
                let v = vector(&sum.shape, sum.elem, multiply(&a, &b, &c)?);
                for n in members {
                    super::sync::set(threads, *n, *dst, v.clone());
                }
                Ok(())
            }
        }
    }

    /// Of each thread the elements that it gets of the tiles.
    fn load_tiles(
        &mut self,
        threads: &[Option<Thread>],
        members: &[usize],
        from: &MatrixElement,
        tiles: usize,
        transpose: bool,
        elem: Elem,
    ) -> Run<Vec<Value>> {
        let mut rows = Vec::with_capacity(8 * tiles);
        for (lane, n) in members.iter().enumerate().take(8 * tiles) {
            rows.push(self.tile_row(threads, *n, lane, from)?);
        }
        let each = 4 / elem.size();
        let fragment = |lane: usize| {
            let mut mine = Vec::with_capacity(tiles * each);
            for tile in rows.chunks(8) {
                for e in 0..each {
                    let (far, near) = (lane / 4, lane % 4 * each + e);
                    let (row, column) = if transpose { (near, far) } else { (far, near) };
                    let v = tile.get(row).and_then(|r| r.get(column));
                    mine.push(v.ok_or("loads elements of the wrong width")?.clone());
                }
            }
            Ok(vector(&[tiles as i64, each as i64], elem, mine))
        };
        (0..members.len()).map(fragment).collect()
    }

    /// The elements of the row of which `lane` gives the address.
    fn tile_row(
        &mut self,
        threads: &[Option<Thread>],
        thread: usize,
        lane: usize,
        from: &MatrixElement,
    ) -> Run<Vec<Value>> {
        let (m, at, actor) = place(threads, thread, from)?;
        let first = m.position(&at)?;
        let byte = first
            .checked_mul(m.elem_size as i64)
            .and_then(|b| b.checked_add(m.base as i64))
            .ok_or("address overflow")?;
        if byte % ROW as i64 != 0 {
            return Err(Fault::new(format!(
                "the row of lane {lane} lies {byte} bytes behind the start of its allocation, which is no multiple of {ROW}"
            )));
        }
        self.counters.loads += 1;
        (0..(ROW / m.elem_size.max(1)) as i64)
            .map(|k| self.memory.read(&m, first.saturating_add(k), actor))
            .collect()
    }

    /// The memref and the position that all threads give.
    fn common_place(
        &self,
        threads: &[Option<Thread>],
        members: &[usize],
        p: &MatrixElement,
    ) -> Run<(Rc<MemRef>, i64, Actor)> {
        let (m, at, actor) = place(threads, members[0], p)?;
        for n in members {
            let (other, others, _) = place(threads, *n, p)?;
            if *other != *m || others != at {
                return Err("the place differs between the threads of a subgroup".into());
            }
        }
        let start = m.position(&at)?;
        Ok((m, start, actor))
    }
}

/// The fragments of all lanes of a sum and a product.
fn mma([a, b, sums]: [Vec<Rc<VectorValue>>; 3], [m, n, k]: [usize; 3]) -> Run<Vec<Value>> {
    let a = factors(gather(&a, m, k)?, false)?;
    // Held as if it were transposed.
    let b = transposed(factors(gather(&b, n, k)?, false)?);
    let c = gather(&sums, m, n)?;
    let product = Matrix {
        columns: n,
        elements: multiply(&a, &b, &c)?,
    };
    let fragment = |(lane, old): (usize, &Rc<VectorValue>)| {
        let mine = (0..old.lanes.len()).map(|at| {
            let (row, column) = element(lane, at / 2, at % 2, 2, m / 8);
            product.get(row, column).clone()
        });
        vector(&old.shape, old.elem, mine.collect())
    };
    Ok(sums.iter().enumerate().map(fragment).collect())
}

fn slot(threads: &[Option<Thread>], thread: usize, s: Slot) -> Run<&Value> {
    let t = threads.get(thread).and_then(Option::as_ref);
    Ok(t.ok_or("a thread has ended")?.slot(s))
}

fn place(
    threads: &[Option<Thread>],
    thread: usize,
    p: &MatrixElement,
) -> Run<(Rc<MemRef>, Dims, Actor)> {
    let m = slot(threads, thread, p.memref)?.memref()?.clone();
    let at = p.indices.iter().map(|s| slot(threads, thread, *s)?.i64());
    let at = at.collect::<Run<Dims>>()?;
    super::check_rank(&m, &at)?;
    let actor = threads[thread].as_ref().map(|t| t.state.actor);
    Ok((m, at, actor.unwrap_or(Actor::Host)))
}

fn position(start: i64, rows: Rows, i: i64, j: i64) -> Run<i64> {
    let (far, near) = if rows.transpose { (j, i) } else { (i, j) };
    far.checked_mul(rows.lead)
        .and_then(|x| x.checked_add(near))
        .and_then(|x| x.checked_add(start))
        .ok_or_else(|| Fault::new("address overflow"))
}
