//! The blocks of a product: which have something to do, how many slabs, and which
//! multiprocessor gets them.

use super::{DivCeil, Line, Product};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The slabs of a block, for each pair of factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slabs {
    pub whole: i64,
    /// Slabs of which rows or columns lack a part: their elements are added one by one.
    pub ragged: i64,
}

/// All blocks together.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Blocks {
    pub all: f64,
    /// Those with an element of the result.
    pub busy: f64,
    pub whole: f64,
    pub ragged: f64,
    /// By how much the multiprocessor with most to do has more than the average one.
    pub tail: f64,
    /// Clocks until the last block is done, of blocks that take as long as alone.
    pub clocks: f64,
}

/// More blocks than this are not looked at one by one.
const MAX: i64 = 1 << 22;

/// The slabs of the block of a tile; `None` where no element is its own.
pub fn slabs(p: &Product, [m, n]: [i64; 2]) -> Option<Slabs> {
    let first = |r: [i64; 2], i: i64, size: i64| r[0] + i * size;
    let (r, c) = (first(p.rows, m, p.tile[0]), first(p.cols, n, p.tile[1]));
    let last = |first: i64, size: i64, end: i64| (first + size).min(end) - 1;
    let (re, ce) = (last(r, p.tile[0], p.rows[1]), last(c, p.tile[1], p.cols[1]));
    let extreme = |l: &Line, most: bool| {
        let pick = |f: i64, lo: i64, hi: i64| if (f > 0) == most { hi } else { lo };
        l.at(pick(l.row, r, re), pick(l.col, c, ce))
    };
    if p.inside.iter().any(|l| extreme(l, true) < 0) {
        return None;
    }
    let [lo, hi] = &p.reach;
    let (begin, end) = (extreme(lo, false), extreme(hi, true));
    let length = (end - begin).max(0);
    let whole = match (lo.row, lo.col, hi.row, hi.col) {
        (0, 0, 0, 0) => length.div_ceil_by(p.depth),
        // The end of k is another for each row or column, or its beginning.
        (0, 0, ..) => (extreme(hi, false) - begin).max(0) / p.depth,
        _ => (end - extreme(lo, true)).max(0) / p.depth,
    };
    Some(Slabs {
        whole,
        ragged: (length - whole * p.depth).max(0).div_ceil_by(p.depth),
    })
}

/// All blocks, `slots` of which run on each multiprocessor at once; `clocks` says what one
/// takes by itself.
///
/// # Errors
///
/// More blocks than are looked at.
pub fn schedule(
    p: &Product,
    sms: u32,
    slots: u32,
    clocks: &dyn Fn(Option<Slabs>) -> f64,
) -> Result<Blocks, String> {
    let [rows, cols] = p.tiles();
    let all = rows.saturating_mul(cols);
    if all > MAX {
        return Err(format!("it has more than {MAX} blocks"));
    }
    let (sms, slots) = (sms.max(1) as usize, slots.max(1) as usize);
    let mut out = Blocks {
        all: all as f64,
        ..Blocks::default()
    };
    // What frees first gets the next block; of those that are free, one multiprocessor after
    // the other.
    let mut free: BinaryHeap<Reverse<(u64, usize)>> =
        (0..sms * slots).map(|s| Reverse((0, s))).collect();
    let mut of_sm = vec![0.0; sms];
    for number in 0..all {
        let number = if p.last_first {
            all - 1 - number
        } else {
            number
        };
        let found = slabs(p, tile(p, number, [rows, cols]));
        if let Some(s) = found {
            out.busy += 1.0;
            out.whole += s.whole as f64;
            out.ragged += s.ragged as f64;
        }
        let time = clocks(found).max(0.0);
        if let Some(Reverse((at, slot))) = free.pop() {
            let end = at.saturating_add(time as u64);
            of_sm[slot % sms] += time;
            out.clocks = out.clocks.max(end as f64);
            free.push(Reverse((end, slot)));
        }
    }
    let sum: f64 = of_sm.iter().sum();
    let most = of_sm.iter().copied().fold(0.0, f64::max);
    out.tail = if sum > 0.0 {
        most * sms as f64 / sum
    } else {
        1.0
    };
    Ok(out)
}

/// The tile of a block: some rows of tiles go together, column after column.
fn tile(p: &Product, block: i64, [rows, cols]: [i64; 2]) -> [i64; 2] {
    let together = (p.group * cols).max(1);
    let first = block / together * p.group;
    let high = (rows - first).min(p.group).max(1);
    let inside = block % together;
    [first + inside % high, inside / high]
}

/// How many elements the result has.
pub fn elements(p: &Product) -> f64 {
    let [m, n] = [p.rows, p.cols].map(|r| (r[1] - r[0]).max(0));
    let mut all = m as f64 * n as f64;
    for l in &p.inside {
        all = all.min(halfplane(l, p.rows[0], p.cols[0], m, n));
    }
    all
}

/// How many places of a rectangle a form is not negative at, of factors 1 and -1.
fn halfplane(l: &Line, r0: i64, c0: i64, m: i64, n: i64) -> f64 {
    let (m, n) = (m as f64, n as f64);
    // Where the form is smallest, and by how much it grows from there in both directions.
    let corner = l.at(
        if l.row >= 0 { r0 } else { r0 + m as i64 - 1 },
        if l.col >= 0 { c0 } else { c0 + n as i64 - 1 },
    ) as f64;
    match (l.row.abs(), l.col.abs()) {
        (0, 0) => {
            if corner >= 0.0 {
                m * n
            } else {
                0.0
            }
        }
        (0, b) => n.min((n - (-corner / b as f64).ceil().max(0.0)).max(0.0)) * m,
        (a, 0) => m.min((m - (-corner / a as f64).ceil().max(0.0)).max(0.0)) * n,
        (a, b) => {
            let mut all = 0.0;
            for i in 0..m as i64 {
                let needed = (-(corner + a as f64 * i as f64) / b as f64).ceil().max(0.0);
                all += (n - needed).max(0.0);
            }
            all
        }
    }
}
