//! Lanes narrower than 32 bits in registers of 32: what wide accesses and the
//! instructions on matrices work with.

use super::kinds::Kind;
use super::lower::Lower;
use crate::ptx::{Reg, RegTy, Ty};

impl Lower<'_> {
    /// The lanes of a word of 32 bits, the lowest first.
    pub fn split_word(&mut self, kind: Kind, word: Reg) -> Vec<Reg> {
        let lanes: Vec<Reg> = match (kind, kind.bytes()) {
            (_, 2) => self.b.unpack(Ty::B32, word, 2).to_vec(),
            (_, 1) => (0..4u32)
                .map(|i| {
                    let byte = self.b.shr(Ty::U32, word, 8 * i);
                    let byte = self.b.and(Ty::B32, byte, 0xff);
                    self.b.cvt(Ty::U16, Ty::U32, byte)
                })
                .collect(),
            (Kind::F32, _) => {
                let f = self.b.reg(RegTy::F32);
                self.b.mov_to(f, Ty::B32, word);
                vec![f]
            }
            _ => vec![word],
        };
        for (i, lane) in lanes.iter().enumerate() {
            self.parts.insert(*lane, (word, i));
        }
        lanes
    }

    /// Lanes that fill a word of 32 bits as one; that which they were split
    /// from where there is one.
    pub fn join_word(&mut self, kind: Kind, lanes: &[Reg]) -> Reg {
        let whole = lanes.first().and_then(|l| self.parts.get(l)).map(|p| p.0);
        if let Some(word) = whole
            && (lanes.iter().enumerate()).all(|(i, l)| self.parts.get(l) == Some(&(word, i)))
        {
            return word;
        }
        match (lanes, kind.bytes()) {
            (_, 2) => self.b.pack(Ty::B32, lanes),
            (_, 1) => {
                let mut word = None;
                for (lane, i) in lanes.iter().zip(0u32..) {
                    let wide = self.b.cvt(Ty::U32, Ty::U16, *lane);
                    let moved = self.b.shl(Ty::B32, wide, 8 * i);
                    word = Some(match word {
                        Some(low) => self.b.or(Ty::B32, low, moved),
                        None => moved,
                    });
                }
                word.unwrap_or(lanes[0])
            }
            _ => lanes[0],
        }
    }

    /// Lanes as the registers that instructions on matrices take: words of 32
    /// bits, or doubles.
    pub fn joined(&mut self, kind: Kind, lanes: &[Reg]) -> Vec<Reg> {
        let each = (4 / kind.bytes() as usize).max(1);
        lanes
            .chunks(each)
            .map(|part| self.join_word(kind, part))
            .collect()
    }

    /// The counterpart of [`Self::joined`].
    pub fn split(&mut self, kind: Kind, words: &[Reg]) -> Vec<Reg> {
        if kind == Kind::F64 {
            return words.to_vec();
        }
        words
            .iter()
            .flat_map(|w| self.split_word(kind, *w))
            .collect()
    }
}
