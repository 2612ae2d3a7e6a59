//! Side tables indexed by op: vectors by arena slot, not hash maps.
//!
//! A pass that keeps a number for each of a million ops would spend most of its
//! time missing the cache in a hash map. Slots of ops made one after another are
//! neighbours, so a vector keeps the numbers of neighbouring ops together.

use crate::op::Op;
use std::hash::{Hash, Hasher};

/// Reads the slot out of a handle. pliron keeps the arena index private, but a
/// handle hashes by writing exactly that index, once, as version (high half) and
/// slot (low half).
#[derive(Default)]
struct SlotReader(u64);

impl Hasher for SlotReader {
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
    fn write(&mut self, _: &[u8]) {}
    fn finish(&self) -> u64 {
        self.0
    }
}

fn slot(op: Op) -> usize {
    let mut r = SlotReader::default();
    op.0.hash(&mut r);
    (r.0 & 0xffff_ffff) as usize
}

/// A number for each op, 0 where none was set.
///
/// A slot is used again after its op is erased: forget the number of an op before
/// erasing it, or only use the table while ops are not erased.
#[derive(Debug, Default)]
pub(crate) struct OpNumbers(Vec<u32>);

impl OpNumbers {
    pub fn get(&self, op: Op) -> u32 {
        self.0.get(slot(op)).copied().unwrap_or(0)
    }

    pub fn set(&mut self, op: Op, n: u32) {
        let i = slot(op);
        if i >= self.0.len() {
            self.0.resize((i + 1).max(self.0.len() * 2), 0);
        }
        self.0[i] = n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::OpState;
    use crate::context::Context;
    use crate::loc::Loc;

    #[test]
    fn every_live_op_has_its_own_slot() {
        let mut ctx = Context::new();
        let name = ctx.intern("t.op");
        let ops: Vec<Op> = (0..1000)
            .map(|_| OpState::unregistered(name, Loc::Unknown).create(&mut ctx))
            .collect();
        let mut t = OpNumbers::default();
        for (i, op) in ops.iter().enumerate() {
            assert_eq!(t.get(*op), 0);
            t.set(*op, i as u32 + 1);
        }
        for (i, op) in ops.iter().enumerate() {
            assert_eq!(t.get(*op), i as u32 + 1);
        }
        // Slots are dense: the table is not much longer than the number of ops.
        assert!(t.0.len() < 4096, "{}", t.0.len());
    }
}
