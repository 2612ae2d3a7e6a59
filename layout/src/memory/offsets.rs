//! Offsets of elements in a buffer.

use crate::axes::check_permutation;
use crate::f2::BitMatrix;
use crate::layout::LIMIT;
use crate::{Coords, LayoutError};

/// The largest pitch, and the number of bits of offsets in which a swizzle works.
const OFFSET_BITS: u32 = 40;

/// A swizzle: some bits of an offset are changed by higher bits.
///
/// `offset ^= ((offset >> (base + shift)) & (2^bits - 1)) << base`. The offset counts
/// elements, so the base depends on their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Xor {
    /// How many bits are changed.
    pub bits: u32,
    /// The lowest bit that is changed.
    pub base: u32,
    /// How far above the changed bits the bits are that change them.
    pub shift: u32,
}

impl Xor {
    /// The offset after the swizzle. Applied twice it gives the first offset again.
    pub fn apply(self, offset: i64) -> i64 {
        let mask = (1i64 << self.bits) - 1;
        offset ^ (((offset >> (self.base + self.shift)) & mask) << self.base)
    }
}

/// How a buffer holds tiles: one offset, in elements, for each coordinate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    order: Vec<usize>,
    pitch: Coords,
    slots: i64,
    xor: Option<Xor>,
}

impl Memory {
    /// A buffer whose dimensions have these pitches, in elements.
    ///
    /// `order` names the dimensions, the one with the least pitch first. The buffer has
    /// room for `slots` tiles.
    ///
    /// # Errors
    ///
    /// `order` must name each dimension once, and pitches must be at least 1 and must not
    /// fall along it. There must be at least one slot. A swizzle must change at least one
    /// bit, and the bits that it reads must lie above those.
    pub fn new(
        order: &[usize],
        pitch: &[i64],
        slots: i64,
        xor: Option<Xor>,
    ) -> Result<Memory, LayoutError> {
        check_permutation(order, pitch.len())?;
        let wrong = |wanted| Err(LayoutError::Memory { wanted });
        if pitch.iter().any(|p| !(1..=1 << OFFSET_BITS).contains(p)) {
            return wrong("a pitch must be from 1 to 2^40");
        }
        if order.windows(2).any(|w| pitch[w[0]] > pitch[w[1]]) {
            return wrong("pitches must not fall along the order");
        }
        if !(1..=LIMIT).contains(&slots) {
            return wrong("the number of slots must be from 1 to 2^26");
        }
        if let Some(Xor { bits, base, shift }) = xor {
            if bits < 1 || shift < bits {
                return wrong("a swizzle must have a bit, and a shift of no fewer bits");
            }
            let top = bits.checked_add(base).and_then(|b| b.checked_add(shift));
            if top.is_none_or(|top| top > OFFSET_BITS) {
                return wrong("a swizzle must stay below bit 40");
            }
        }
        Ok(Memory {
            order: order.to_vec(),
            pitch: Coords::from_slice(pitch),
            slots,
            xor,
        })
    }

    /// A buffer for tiles of this shape, whose rows along `order[0]` have `pad` elements more.
    ///
    /// # Errors
    ///
    /// As [`Memory::new`].
    pub fn padded(shape: &[i64], order: &[usize], pad: i64) -> Result<Memory, LayoutError> {
        check_permutation(order, shape.len())?;
        let mut pitch = Coords::from_elem(1, shape.len());
        let mut next = 1i64;
        for (n, axis) in order.iter().enumerate() {
            pitch[*axis] = next;
            let extent = shape[*axis].saturating_add(if n == 0 { pad } else { 0 });
            next = next.saturating_mul(extent.max(1));
        }
        Memory::new(order, &pitch, 1, None)
    }

    /// The same buffer with a swizzle, or without.
    ///
    /// # Errors
    ///
    /// As [`Memory::new`].
    pub fn with_xor(self, xor: Option<Xor>) -> Result<Memory, LayoutError> {
        Memory::new(&self.order, &self.pitch, self.slots, xor)
    }

    /// The same buffer with another number of slots.
    ///
    /// # Errors
    ///
    /// As [`Memory::new`].
    pub fn with_slots(self, slots: i64) -> Result<Memory, LayoutError> {
        Memory::new(&self.order, &self.pitch, slots, self.xor)
    }

    /// The dimensions, the one with the least pitch first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The elements from one index to the next, by dimension.
    pub fn pitch(&self) -> &[i64] {
        &self.pitch
    }

    /// The number of tiles that the buffer has room for.
    pub fn slots(&self) -> i64 {
        self.slots
    }

    /// The swizzle.
    pub fn xor(&self) -> Option<Xor> {
        self.xor
    }

    /// The offset of an element within its slot.
    pub fn offset(&self, element: &[i64]) -> i64 {
        self.swizzled(self.line(element))
    }

    /// The offset before the swizzle. Offsets add up as coordinates do.
    pub(crate) fn line(&self, element: &[i64]) -> i64 {
        (self.pitch.iter().zip(element)).fold(0, |sum, (p, c)| sum.wrapping_add(p.wrapping_mul(*c)))
    }

    pub(crate) fn swizzled(&self, offset: i64) -> i64 {
        self.xor.map_or(offset, |xor| xor.apply(offset))
    }

    /// The elements that one slot takes for tiles of this shape.
    ///
    /// A swizzle moves elements within blocks, so its slots are made of whole blocks.
    pub fn slot_elements(&self, shape: &[i64]) -> i64 {
        let last: Coords = shape.iter().map(|e| e - 1).collect();
        let size = self.line(&last).saturating_add(1);
        let block = self.xor.map_or(1, |xor| 1i64 << (xor.base + xor.bits));
        size.saturating_add(block - 1) / block * block
    }

    /// Whether rows are long enough that no two elements of such a tile meet.
    pub fn fits(&self, shape: &[i64]) -> bool {
        let mut next = 1i64;
        shape.len() == self.pitch.len()
            && self.order.iter().all(|axis| {
                let enough = self.pitch[*axis] >= next || shape[*axis] == 1;
                next = next.max(self.pitch[*axis].saturating_mul(shape[*axis]));
                enough
            })
    }

    /// The map from bits of coordinates to bits of offsets, if it is linear.
    ///
    /// `bits` says how many bits each coordinate has. The last dimension is lowest, as in
    /// [`crate::F2`].
    pub fn to_f2(&self, bits: &[usize]) -> Option<BitMatrix> {
        let mut columns = Vec::new();
        let mut used = 0u64;
        if bits.len() != self.pitch.len() {
            return None;
        }
        for (pitch, width) in self.pitch.iter().zip(bits).rev() {
            for bit in 0..*width {
                let column = (*pitch as u64).checked_mul(1u64.checked_shl(bit as u32)?)?;
                if used & column != 0 || column >> 56 != 0 {
                    return None;
                }
                used |= column;
                columns.push(self.swizzled(column as i64) as u64);
            }
        }
        BitMatrix::new(64, columns)
    }
}
