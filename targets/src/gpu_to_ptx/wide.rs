//! Accesses of several elements that follow each other in memory: as few
//! instructions as their alignment allows, of up to 16 bytes each.

use super::access::Moved;
use super::kinds::Kind;
use super::lower::Lower;
use super::value::MemRef;
use crate::ptx::modifiers::{Cache, ReadOnly};
use crate::ptx::{Address, FuncBuilder, Mods, Reg, Space, Ty};

/// Bytes that one instruction moves at most.
const MAX: u64 = 16;

/// What is known of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hints {
    /// A power of two that divides the address.
    pub align: u64,
    /// The data is not soon used again.
    pub nontemporal: bool,
}

/// Some lanes that one instruction moves: how many, from which on.
struct Piece {
    first: usize,
    lanes: usize,
}

/// Cuts `n` lanes of `each` bytes at an address of this alignment into pieces.
/// Lanes of less than four bytes go by words of four, or one by one.
fn pieces(n: usize, kind: Kind, align: u64) -> Vec<Piece> {
    let each = u64::from(kind.bytes());
    let mut all = Vec::new();
    let mut first = 0;
    while first < n {
        let at = first as u64 * each;
        let fits = |bytes: &u64| {
            *bytes > each
                && *bytes <= (n - first) as u64 * each
                && align.is_multiple_of(*bytes)
                && at.is_multiple_of(*bytes)
        };
        let wide = [MAX, 8, 4].into_iter().find(fits);
        let lanes = match wide {
            Some(bytes) if kind != Kind::Bool => (bytes / each) as usize,
            _ => 1,
        };
        all.push(Piece { first, lanes });
        first += lanes;
    }
    all
}

impl Lower<'_> {
    fn access_mods(space: Space, hints: Hints) -> Mods {
        let outside = matches!(space, Space::Global | Space::Generic);
        let cache = if hints.nontemporal && outside {
            Cache::Cs
        } else {
            Cache::Default
        };
        FuncBuilder::cached(space, cache)
    }

    /// `n` elements (or lanes of one) that follow each other in memory.
    pub fn load_lanes(&mut self, m: &MemRef, address: Address, n: usize, hints: Hints) -> Vec<Reg> {
        let kind = m.elem;
        let mut mods = Self::access_mods(m.space, hints);
        if m.constant && m.space == Space::Global && mods.cache == Cache::Default {
            mods.nc = ReadOnly::On;
        }
        let mut all = Vec::with_capacity(n);
        for p in pieces(n, kind, hints.align) {
            let bytes = p.lanes as u32 * kind.bytes();
            let at = address.base_with((p.first as u32 * kind.bytes()) as i32);
            let raw = if p.lanes == 1 || kind.bytes() >= 4 {
                self.b.ld_vec(mods, kind.memory(), p.lanes, at).to_vec()
            } else {
                let words = self.b.ld_vec(mods, Ty::B32, (bytes / 4) as usize, at);
                words
                    .iter()
                    .flat_map(|w| self.split_word(kind, *w))
                    .collect()
            };
            for r in raw {
                all.push(self.loaded(kind, r));
            }
        }
        all
    }

    pub fn store_lanes(&mut self, m: &MemRef, address: Address, lanes: &[Reg], hints: Hints) {
        let (kind, mods) = (m.elem, Self::access_mods(m.space, hints));
        let each = kind.bytes();
        for p in pieces(lanes.len(), kind, hints.align) {
            let at = address.base_with((p.first as u32 * each) as i32);
            let raw: Vec<Reg> = lanes[p.first..p.first + p.lanes]
                .iter()
                .map(|r| self.storable(kind, *r))
                .collect();
            if p.lanes == 1 || each >= 4 {
                self.b.st_vec(mods, kind.memory(), at, &raw);
                continue;
            }
            let words: Vec<Reg> = raw
                .chunks(4 / each as usize)
                .map(|part| self.join_word(kind, part))
                .collect();
            self.b.st_vec(mods, Ty::B32, at, &words);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(n: usize, kind: Kind, align: u64) -> Vec<usize> {
        pieces(n, kind, align).iter().map(|p| p.lanes).collect()
    }

    #[test]
    fn pieces_are_as_wide_as_alignment_and_number_allow() {
        assert_eq!(cut(4, Kind::F32, 16), [4]);
        assert_eq!(cut(4, Kind::F32, 8), [2, 2]);
        assert_eq!(cut(4, Kind::F32, 4), [1, 1, 1, 1]);
        assert_eq!(cut(3, Kind::F32, 16), [2, 1]);
        assert_eq!(cut(8, Kind::F32, 64), [4, 4]);
        assert_eq!(cut(2, Kind::F64, 16), [2]);
        assert_eq!(cut(4, Kind::F64, 16), [2, 2]);
        assert_eq!(cut(8, Kind::F16, 16), [8]);
        assert_eq!(cut(7, Kind::F16, 16), [4, 2, 1]);
        assert_eq!(cut(2, Kind::Bool, 16), [1, 1]);
    }
}
