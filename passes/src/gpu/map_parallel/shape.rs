//! How many threads a block has and how many blocks a grid: what clauses ask for, else
//! what suits the loops.

use crate::analysis::directive::Sizes;

/// Threads of a block where nobody says otherwise.
const THREADS: i64 = 256;

/// Threads of a block along one loop that go through loops themselves: there seldom are
/// many of them, and each warp has a multiprocessor's caches to itself.
const LONG_THREADS: i64 = 32;

/// So many of them fill a device with small blocks.
const MANY: i64 = 1 << 15;

/// The most threads that a block may have, and along z (CUDA C++ Programming Guide,
/// Technical Specifications per Compute Capability).
const MAX_THREADS: i64 = 1024;
const MAX_THREADS_Z: i64 = 64;

/// Threads of a block along x, y, z for loops with these numbers of iterations (x
/// first; `None` where not constant), at most three.
///
/// By default 256, 32x8 or 32x4x2; loops with few iterations leave their threads to
/// the others. A warp has 32 threads, so that is the least along x where it can be. Where
/// each thread goes through loops (`long`) a thread for each iteration of one loop makes
/// few blocks of 256: 1000 threads would have 4 multiprocessors of a device's hundred.
pub(crate) fn block_shape(trips: &[Option<i64>], clauses: Sizes, long: bool) -> [i64; 3] {
    let dims = trips.len().clamp(1, 3);
    let most = |d: usize| {
        let n = trips.get(d).copied().flatten().unwrap_or(i64::MAX);
        let n = n.clamp(1, MAX_THREADS) as u64;
        n.next_power_of_two() as i64
    };
    let few = |n: Option<i64>| n.is_none_or(|n| n < MANY);
    let threads = match dims == 1 && long && few(trips.first().copied().flatten()) {
        true => LONG_THREADS,
        false => THREADS,
    };
    let wanted: [i64; 3] = match dims {
        1 => [threads, 1, 1],
        2 => [32, 8, 1],
        _ => [32, 4, 2],
    };
    let mut size = [1i64; 3];
    for d in 0..dims {
        let fixed = match d {
            0 => clauses.vector,
            1 => clauses.workers,
            _ => None,
        };
        let fixed = fixed.map(|n| n.clamp(1, MAX_THREADS));
        let used: i64 = size[..d].iter().product();
        // What the loops before left, in the proportions of the default.
        let planned: i64 = wanted[..=d].iter().product();
        let room = (planned / used).max(1);
        size[d] = fixed.unwrap_or_else(|| room.min(most(d)));
    }
    // Along x more threads are welcome where the others cannot have them.
    if clauses.vector.is_none() {
        while size.iter().product::<i64>() * 2 <= threads && size[0] * 2 <= most(0) {
            size[0] *= 2;
        }
    }
    size[2] = size[2].min(MAX_THREADS_Z);
    size[0] = size[0].clamp(1, MAX_THREADS);
    size[1] = size[1].clamp(1, MAX_THREADS / size[0]);
    size[2] = size[2].clamp(1, (MAX_THREADS / (size[0] * size[1])).max(1));
    size
}

/// Threads of a block of a reduction: a power of two.
pub(super) fn reduction_block(clauses: Sizes) -> i64 {
    let wanted = clauses.vector.unwrap_or(THREADS).clamp(32, MAX_THREADS) as u64;
    let up = wanted.next_power_of_two();
    if up > wanted {
        (up / 2) as i64
    } else {
        up as i64
    }
}

#[cfg(test)]
mod tests {
    use super::{Sizes, block_shape, reduction_block};

    #[test]
    fn blocks_have_the_default_shape_where_loops_are_long() {
        let none = Sizes::default();
        assert_eq!(block_shape(&[None], none, false), [256, 1, 1]);
        assert_eq!(block_shape(&[None, None], none, false), [32, 8, 1]);
        assert_eq!(block_shape(&[None, None, None], none, false), [32, 4, 2]);
    }

    #[test]
    fn short_loops_leave_threads_to_the_others() {
        let none = Sizes::default();
        assert_eq!(block_shape(&[Some(3), None], none, false), [4, 64, 1]);
        assert_eq!(block_shape(&[None, Some(2)], none, false), [128, 2, 1]);
        assert_eq!(block_shape(&[Some(5)], none, false), [8, 1, 1]);
    }

    #[test]
    fn threads_with_loops_of_their_own_have_small_blocks() {
        let none = Sizes::default();
        assert_eq!(block_shape(&[None], none, true), [32, 1, 1]);
        assert_eq!(block_shape(&[Some(1000)], none, true), [32, 1, 1]);
        assert_eq!(block_shape(&[Some(1 << 20)], none, true), [256, 1, 1]);
        assert_eq!(block_shape(&[Some(5)], none, true), [8, 1, 1]);
        assert_eq!(block_shape(&[None, None], none, true), [32, 8, 1]);
        let asked = Sizes {
            vector: Some(128),
            ..none
        };
        assert_eq!(block_shape(&[None], asked, true), [128, 1, 1]);
    }

    #[test]
    fn clauses_are_followed_as_far_as_a_block_goes() {
        let c = |vector, workers| Sizes {
            gangs: None,
            workers,
            vector,
        };
        assert_eq!(block_shape(&[None], c(Some(128), None), false), [128, 1, 1]);
        assert_eq!(
            block_shape(&[None, None], c(Some(64), Some(4)), false),
            [64, 4, 1]
        );
        assert_eq!(
            block_shape(&[None, None], c(Some(512), Some(8)), false),
            [512, 2, 1]
        );
        assert_eq!(
            block_shape(&[None, None], c(None, Some(i64::MAX)), false),
            [32, 32, 1]
        );
        assert_eq!(
            block_shape(&[None, None], c(Some(0), Some(-1)), false),
            [1, 1, 1]
        );
        assert_eq!(reduction_block(c(Some(100), None)), 64);
        assert_eq!(reduction_block(c(Some(4096), None)), 1024);
    }
}
