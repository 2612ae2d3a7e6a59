//! Sorting by the threads of a pool.

use super::Pool;
use rayon::slice::ParallelSliceMut;

/// Threads up to which the calling one sorts a share of its own: what it does then no other thread
/// would do, and merging by one thread costs little beside.
const FEW: usize = 4;

/// Elements from which on other threads help.
const MANY: usize = 1 << 14;

impl Pool {
    /// Sorts a slice whose equal elements cannot be told apart.
    pub fn sort<T: Ord + Copy + Send>(&self, slice: &mut [T]) {
        let threads = self.threads();
        let workers = match &self.workers {
            Some(workers) if slice.len() >= MANY => workers,
            _ => return slice.sort_unstable(),
        };
        if threads > FEW {
            return workers.install(|| slice.par_sort_unstable());
        }
        let share = slice.len() / threads;
        let (own, others) = slice.split_at_mut(share);
        workers.in_place_scope(|s| {
            s.spawn(|_| others.par_sort_unstable());
            own.sort_unstable();
        });
        // Two runs in order, which the stable sort finds and merges.
        slice.sort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_sort() {
        for threads in [1, 2, 3, 6] {
            let pool = Pool::new(threads).unwrap();
            for n in [0u64, 1, 2, 1000, 50_000] {
                let mut all: Vec<u64> = (0..n)
                    .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50)
                    .collect();
                let mut expected = all.clone();
                expected.sort();
                pool.sort(&mut all);
                assert_eq!(all, expected);
            }
        }
    }
}
