//! How much memory the threads of a warp reach in one access.

/// Threads of a warp.
pub(crate) const WARP: i64 = 32;

/// Bytes that the memory of a GPU moves at once.
const SECTOR: i64 = 32;

/// The largest element that there may be: more than any type has.
const MAX_BYTES: i64 = 4096;

/// Threads along an axis, and elements from one to the next; `None` where that is not
/// one number.
pub(crate) type Axis = (i64, Option<i64>);

/// Sectors that a warp asks for at once, and the least in which its elements fit.
///
/// Threads are numbered along the first axis, then the second, and so on; the last goes
/// on as long as there are threads. Threads that are an unknown number of elements apart
/// are taken to share nothing, so that with such axes the first number is the most that
/// it may be. The first element that is touched lies at the start of a sector.
pub(crate) fn sectors(axes: &[Axis], element_bytes: i64) -> (u32, u32) {
    let bytes = element_bytes.clamp(1, MAX_BYTES);
    // Each lane's place along the axes with unknown distances, as one number, and the
    // element it reaches from there.
    let mut elements: Vec<(i64, i64)> = Vec::with_capacity(WARP as usize);
    for lane in 0..WARP {
        let (mut rest, mut at, mut apart) = (lane, 0i64, 0i64);
        for (i, (threads, stride)) in axes.iter().enumerate() {
            let threads = (*threads).max(1);
            let k = match i + 1 == axes.len() {
                true => rest,
                false => rest % threads,
            };
            rest /= threads;
            match stride {
                Some(s) => at = at.saturating_add(k.saturating_mul(*s)),
                // Places are below 32, and grids have three axes.
                None => apart = apart.wrapping_mul(WARP).wrapping_add(k),
            }
        }
        elements.push((apart, at));
    }
    elements.sort_unstable();
    elements.dedup();
    let mut touched = Vec::with_capacity(2 * WARP as usize);
    let mut start = (None, 0);
    for &(apart, at) in &elements {
        // The first of those that are a known distance apart comes first.
        if start.0 != Some(apart) {
            start = (Some(apart), at);
        }
        let first = at.saturating_sub(start.1).saturating_mul(bytes);
        let last = first.saturating_add(bytes - 1);
        for sector in first.div_euclid(SECTOR)..=last.div_euclid(SECTOR) {
            touched.push((apart, sector));
        }
    }
    touched.sort_unstable();
    touched.dedup();
    let least = (elements.len() as i64).saturating_mul(bytes);
    let least = least.div_euclid(SECTOR) + i64::from(least % SECTOR > 0);
    let count = |n: i64| u32::try_from(n).unwrap_or(u32::MAX);
    (count(touched.len() as i64), count(least))
}

#[cfg(test)]
mod tests {
    use super::{SECTOR, WARP, sectors};
    use std::collections::BTreeSet;

    /// All threads in one row.
    fn row(stride: i64, bytes: i64) -> (u32, u32) {
        sectors(&[(256, Some(stride))], bytes)
    }

    #[test]
    fn by_hand() {
        // Neighbours: 32 doubles are 256 bytes.
        assert_eq!(row(1, 8), (8, 8));
        assert_eq!(row(1, 4), (4, 4));
        assert_eq!(row(1, 1), (1, 1));
        assert_eq!(row(-1, 4), (4, 4));
        // Everybody the same element.
        assert_eq!(row(0, 8), (1, 1));
        // A column: a sector each.
        assert_eq!(row(1000, 8), (32, 8));
        assert_eq!(row(2, 8), (16, 8));
        assert_eq!(row(3, 4), (12, 4));
        // Records of 24 bytes, of which one double is read.
        assert_eq!(row(3, 8), (24, 8));
        // An element of two sectors.
        assert_eq!(row(1, 64), (64, 64));
    }

    #[test]
    fn blocks_with_rows() {
        // Rows of 8 threads, rows 1000 elements apart: a sector each.
        assert_eq!(sectors(&[(8, Some(1)), (32, Some(1000))], 4), (4, 4));
        // Rows follow on one another.
        assert_eq!(sectors(&[(8, Some(1)), (32, Some(8))], 4), (4, 4));
        // All rows read the same.
        assert_eq!(sectors(&[(8, Some(1)), (32, Some(0))], 4), (1, 1));
        // Along y neighbours, along x columns.
        assert_eq!(sectors(&[(8, Some(100)), (32, Some(1))], 8), (8, 8));
        // Three axes of 2, 2 and the rest.
        assert_eq!(
            sectors(&[(2, Some(1)), (2, Some(2)), (64, Some(4))], 8),
            (8, 8)
        );
    }

    #[test]
    fn what_is_not_known_is_apart() {
        assert_eq!(sectors(&[(256, None)], 8), (32, 8));
        assert_eq!(sectors(&[(8, Some(1)), (32, None)], 8), (8, 8));
        assert_eq!(sectors(&[(16, Some(0)), (16, None)], 4), (2, 1));
    }

    /// The same from the addresses of each byte.
    fn enumerated(x: i64, sx: i64, sy: i64, bytes: i64) -> (u32, u32) {
        let (mut touched, mut wanted) = (BTreeSet::new(), BTreeSet::new());
        let elements = (0..WARP).map(|lane| lane % x * sx + lane / x * sy);
        let first = elements.clone().min().unwrap();
        for element in elements.map(|e| e - first) {
            for b in 0..bytes {
                touched.insert((element * bytes + b).div_euclid(SECTOR));
                wanted.insert(element * bytes + b);
            }
        }
        let least = wanted.len().div_ceil(SECTOR as usize);
        (touched.len() as u32, least as u32)
    }

    #[test]
    fn as_counted_lane_by_lane() {
        for bytes in [1, 2, 4, 8, 16] {
            for x in [1, 2, 3, 8, 16, 32] {
                for sx in -5..40 {
                    for sy in [-7, 0, 1, 2, 8, 32, 33, 1000] {
                        let got = sectors(&[(x, Some(sx)), (64, Some(sy))], bytes);
                        let expected = enumerated(x, sx, sy, bytes);
                        assert_eq!(got, expected, "{x} threads, {sx}, {sy}, {bytes} bytes");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_that_overflow() {
        assert!(sectors(&[(32, Some(i64::MAX))], 8).1 <= 8);
        assert!(sectors(&[(0, Some(i64::MIN)), (-3, None)], i64::MAX).0 > 0);
        assert_eq!(sectors(&[], 8), (1, 1));
    }
}
