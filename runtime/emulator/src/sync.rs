//! Operations of a warp: shuffles, votes, matches, reductions, barriers.

use crate::decode::{Act, R, Shuffle, Vote};
use crate::finding::FindingKind;
use crate::step::{Runner, list_lanes};
use crate::value::int::low;
use crate::warp::{Warp, lanes};
use crate::{Row, WARP};
use smallvec::SmallVec;

/// The lanes that an operation names: those that any lane of the mask names.
pub(crate) fn members(act: &Act, warp: &Warp, mask: u32) -> u32 {
    let row = match act {
        Act::Shuffle { members, .. }
        | Act::Vote { members, .. }
        | Act::Match { members, .. }
        | Act::Redux { members, .. }
        | Act::WarpBarrier { members } => *members,
        Act::Product { .. } | Act::Matrices { .. } => return u32::MAX,
        _ => return mask,
    };
    let values = &warp.rows[row as usize];
    lanes(mask).fold(0, |all, lane| all | values[lane] as u32)
}

/// The lanes of a mask by the lanes that they name.
fn groups(rows: &[Row], members: R, mask: u32) -> SmallVec<[u32; 4]> {
    let named = &rows[members as usize];
    let mut groups = SmallVec::new();
    let mut left = mask;
    while left != 0 {
        let first = named[left.trailing_zeros() as usize];
        let group = lanes(left).fold(0, |m, l| m | u32::from(named[l] == first) << l);
        groups.push(group);
        left &= !group;
    }
    groups
}

impl Runner<'_> {
    pub fn warp_operation(&mut self, act: &Act, pc: u32, mask: u32) {
        let named = members(act, self.warp, mask);
        if mask & !named != 0 {
            let outside = mask & !named;
            self.note(FindingKind::WarpDivergence, pc, outside, |_| {
                format!(
                    "the lanes {} take part and are not named",
                    list_lanes(outside)
                )
            });
        }
        match act {
            Act::Shuffle { .. } => self.shuffle(act, pc, mask),
            Act::Vote {
                mode,
                to,
                value,
                negated,
                members,
            } => {
                // Lanes that name others vote apart.
                for group in groups(&self.warp.rows, *members, mask) {
                    let yes = self.warp.holds(*value, *negated, group);
                    let result = match mode {
                        Vote::All => u64::from(yes == group),
                        Vote::Any => u64::from(yes != 0),
                        Vote::Uniform => u64::from(yes == 0 || yes == group),
                        Vote::Ballot => u64::from(yes),
                    };
                    self.warp.write(*to, &[result; WARP], group);
                }
            }
            Act::Match {
                all,
                to,
                agrees,
                value,
                members,
            } => {
                let values = self.warp.rows[*value as usize];
                for group in groups(&self.warp.rows, *members, mask) {
                    let (mut out, mut ok) = ([0; WARP], [0; WARP]);
                    for lane in lanes(group) {
                        let same = lanes(group)
                            .fold(0, |m, l| m | u32::from(values[l] == values[lane]) << l);
                        let agree = !all || same == group;
                        out[lane] = if agree { u64::from(same) } else { 0 };
                        ok[lane] = u64::from(agree);
                    }
                    self.warp.write(*to, &out, group);
                    self.warp.write(*agrees, &ok, group);
                }
            }
            Act::Redux {
                f,
                bits,
                to,
                value,
                members,
            } => {
                let values = self.warp.rows[*value as usize];
                for group in groups(&self.warp.rows, *members, mask) {
                    let all = lanes(group).map(|l| low(values[l], *bits)).reduce(f);
                    let result = low(all.unwrap_or(0), *bits);
                    self.warp.write(*to, &[result; WARP], group);
                }
            }
            Act::Product { product, rows } => {
                self.check_full(pc, mask);
                self.product(product, rows, mask);
            }
            Act::Matrices {
                load,
                transposed,
                access,
            } => {
                self.check_full(pc, mask);
                self.matrices(*load, *transposed, access, pc, mask);
            }
            _ => {
                // What came before in the warp is ordered from now on.
                self.state.next_epoch();
                self.warp.sync_epoch = self.state.epoch;
            }
        }
    }

    /// Source lanes as the PTX manual computes them for `shfl.sync`.
    fn shuffle(&mut self, act: &Act, pc: u32, mask: u32) {
        let Act::Shuffle {
            mode,
            to,
            in_range,
            value,
            lane: by,
            clamp,
            ..
        } = act
        else {
            return;
        };
        let rows = &self.warp.rows;
        let values = rows[*value as usize];
        let (mut out, mut ok) = ([0; WARP], [0; WARP]);
        let mut absent = 0u32;
        for lane in lanes(mask) {
            let b = rows[*by as usize][lane] as u32 & 31;
            let c = rows[*clamp as usize][lane] as u32;
            let (bound, segment) = (c & 31, c >> 8 & 31);
            let at = lane as u32;
            let (most, least) = (at & segment | bound & !segment, at & segment);
            let (source, inside) = match mode {
                Shuffle::Up => {
                    let source = at.wrapping_sub(b);
                    (source, source as i32 >= most as i32)
                }
                Shuffle::Down => (at + b, at + b <= most),
                Shuffle::Butterfly => (at ^ b, at ^ b <= most),
                Shuffle::Index => {
                    let source = least | b & !segment;
                    (source, source <= most)
                }
            };
            let source = if inside { source & 31 } else { at };
            if mask >> source & 1 == 0 {
                absent |= 1 << lane;
            }
            out[lane] = values[source as usize];
            ok[lane] = u64::from(inside);
        }
        if absent != 0 {
            self.note(FindingKind::WarpDivergence, pc, absent, |_| {
                format!(
                    "the lanes {} read from lanes that do not take part",
                    list_lanes(absent)
                )
            });
        }
        self.warp.write(*to, &out, mask);
        self.warp.write(*in_range, &ok, mask);
    }
}
