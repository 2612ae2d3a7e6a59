//! Matrix products, and the loads and stores of their operands: what all lanes of a
//! warp do together.

use crate::WARP;
use crate::access::Does;
use crate::count::wavefronts;
use crate::decode::{Access, Ordering, R};
use crate::finding::FindingKind;
use crate::races::Touch;
use crate::step::{Runner, list_lanes};
use crate::value::product::Product;
use smallvec::SmallVec;

/// Rows of a matrix, and bytes of each.
const ROWS: usize = 8;
const ROW_BYTES: u32 = 16;

impl Runner<'_> {
    /// Reports a warp that is not complete where an instruction takes all lanes.
    pub fn check_full(&self, pc: u32, mask: u32) {
        let missing = !mask;
        if missing != 0 {
            self.note(FindingKind::WarpDivergence, pc, mask, |_| {
                format!(
                    "all lanes of a warp must take part, and the lanes {} do not",
                    list_lanes(missing)
                )
            });
        }
    }

    pub fn product(&mut self, product: &Product, rows: &[SmallVec<[R; 4]>; 4], mask: u32) {
        let [a, b, c] = [1, 2, 3].map(|i: usize| -> Vec<_> {
            let list = rows[i].iter();
            list.map(|r| self.warp.rows[*r as usize]).collect()
        });
        let d = product.compute(&a, &b, &c);
        for (row, values) in rows[0].iter().zip(&d) {
            self.warp.write(*row, values, mask);
        }
    }

    /// Lane `8 m + r` gives the address of row `r` of matrix `m`; of it lane
    /// `4 r + t` has the elements `2 t` and `2 t + 1`, transposed the other way.
    pub fn matrices(&mut self, load: bool, transposed: bool, access: &Access, pc: u32, mask: u32) {
        let given = ROWS * access.data.len();
        let giving = if given >= WARP {
            mask
        } else {
            mask & ((1 << given) - 1)
        };
        let addresses = self.addresses(access, mask);
        if giving != 0 && self.is_shared(access, addresses[giving.trailing_zeros() as usize]) {
            self.counts[pc as usize].shared += wavefronts(&addresses, giving, ROW_BYTES);
        }
        let does = if load { Does::Read } else { Does::Write };
        for (m, row) in access.data.iter().enumerate() {
            let mut elements = [[0u16; ROWS]; ROWS];
            let registers = self.warp.rows[*row as usize];
            if !load {
                for (lane, register) in registers.iter().enumerate() {
                    for e in 0..2 {
                        let (r, c) = place(lane, e, transposed);
                        elements[r][c] = (register >> (16 * e)) as u16;
                    }
                }
            }
            for (r, line) in elements.iter_mut().enumerate() {
                let lane = ROWS * m + r;
                if mask >> lane & 1 == 0 {
                    continue;
                }
                let found = self.find(access, addresses[lane], ROW_BYTES, pc, lane, does);
                if let Some((place, at)) = found {
                    self.line(load, (place, at), addresses[lane], line, pc, lane);
                }
            }
            if load {
                let values = std::array::from_fn(|lane| {
                    (0..2).fold(0, |v, e| {
                        let (r, c) = place(lane, e, transposed);
                        v | u64::from(elements[r][c]) << (16 * e)
                    })
                });
                self.warp.write(*row, &values, mask);
            }
        }
    }

    /// One row of a matrix, from or to memory.
    fn line(
        &mut self,
        load: bool,
        (place, at): (crate::access::Window, u64),
        address: u64,
        line: &mut [u16; ROWS],
        pc: u32,
        lane: usize,
    ) {
        let verb = if load { Does::Read } else { Does::Write };
        if self.copy_runs(place, at, ROW_BYTES, pc, lane, verb) {
            return;
        }
        let region = self.region(place);
        if load {
            if self.context.checks.uninitialized && !region.is_written(at, ROW_BYTES) {
                self.unwritten(place, at, ROW_BYTES, pc, lane, address);
            }
            self.touch(
                place,
                at,
                ROW_BYTES,
                Touch::Read,
                Ordering::default(),
                pc,
                lane,
            );
            for (i, v) in line.iter_mut().enumerate() {
                *v = self.region(place).load(at + 2 * i as u64, 2) as u16;
            }
            return;
        }
        let changes = line.iter().enumerate().any(|(i, v)| {
            let at = at + 2 * i as u64;
            region.load(at, 2) != u64::from(*v) || !region.is_written(at, 2)
        });
        let touch = if changes {
            Touch::Write
        } else {
            Touch::Rewrite
        };
        self.touch(place, at, ROW_BYTES, touch, Ordering::default(), pc, lane);
        let region = self.region(place);
        for (i, v) in line.iter().enumerate() {
            region.store(at + 2 * i as u64, 2, u64::from(*v));
        }
        region.note_written(at, ROW_BYTES);
    }
}

/// Row and column of a lane's element.
const fn place(lane: usize, e: usize, transposed: bool) -> (usize, usize) {
    let (g, t) = (lane / 4, lane % 4);
    if transposed {
        (2 * t + e, g)
    } else {
        (g, 2 * t + e)
    }
}
