//! Which warps of a block are ordered after which, where barriers are of part of
//! the block: a clock for each pair of warps.

use crate::block::BARRIERS;
use smallvec::SmallVec;

/// A warp that arrived at a barrier without waiting.
#[derive(Clone)]
struct Arrival {
    warp: usize,
    /// The epoch that began then.
    epoch: u32,
    /// What it was ordered after.
    after: Box<[u32]>,
}

/// Of each warp, the epochs before which accesses of each other warp are over.
#[derive(Default)]
pub(crate) struct Known {
    warps: usize,
    epochs: Vec<u32>,
    arrivals: [SmallVec<[Arrival; 1]>; BARRIERS],
}

impl Known {
    /// Nothing is known among so many warps.
    pub fn reset(&mut self, warps: usize) {
        self.warps = warps;
        self.epochs.clear();
        self.epochs.resize(warps * warps, 0);
        self.arrivals.iter_mut().for_each(SmallVec::clear);
    }

    /// What a warp is ordered after, warp by warp.
    pub fn of(&self, warp: usize) -> &[u32] {
        let start = warp * self.warps;
        self.epochs.get(start..start + self.warps).unwrap_or(&[])
    }

    /// A warp arrives at a barrier, and an epoch begins.
    pub fn arrive(&mut self, id: u32, warp: usize, epoch: u32) {
        let after = self.of(warp).into();
        if let Some(arrivals) = self.arrivals.get_mut(id as usize) {
            arrivals.push(Arrival { warp, epoch, after });
        }
    }

    /// Those that wait at a barrier pass it, and an epoch begins: they are ordered
    /// after each other, after those that arrived, and after what all of these were.
    pub fn pass(&mut self, id: u32, waiting: &[usize], epoch: u32) {
        let mut all = vec![0; self.warps];
        let mut join = |after: &[u32]| {
            for (known, epoch) in all.iter_mut().zip(after) {
                *known = (*known).max(*epoch);
            }
        };
        for warp in waiting {
            join(self.of(*warp));
        }
        let arrivals = match self.arrivals.get_mut(id as usize) {
            Some(arrivals) => std::mem::take(arrivals),
            None => SmallVec::new(),
        };
        for arrival in &arrivals {
            join(&arrival.after);
        }
        let own = waiting.iter().map(|w| (*w, epoch));
        for (warp, epoch) in own.chain(arrivals.iter().map(|a| (a.warp, a.epoch))) {
            if let Some(known) = all.get_mut(warp) {
                *known = (*known).max(epoch);
            }
        }
        for warp in waiting {
            let start = warp * self.warps;
            if let Some(row) = self.epochs.get_mut(start..start + self.warps) {
                row.copy_from_slice(&all);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_of_parts_order_these_and_what_they_were_after() {
        let mut known = Known::default();
        known.reset(4);
        known.pass(1, &[0, 1], 5);
        assert_eq!(known.of(0), [5, 5, 0, 0]);
        assert_eq!(known.of(2), [0; 4]);
        // Warp 1 arrives, and is not ordered after those that wait.
        known.arrive(2, 1, 7);
        known.pass(2, &[2], 9);
        assert_eq!(known.of(2), [5, 7, 9, 0]);
        assert_eq!(known.of(1), [5, 5, 0, 0]);
        // The arrival is used up.
        known.pass(2, &[3], 11);
        assert_eq!(known.of(3), [0, 0, 0, 11]);
    }
}
