//! Sets of addresses: bytes that are valid somewhere, or newer than elsewhere.

/// Disjoint intervals of addresses, from the first byte to behind the last, in order; no two
/// touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Intervals(Vec<(u64, u64)>);

impl Intervals {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All intervals, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().copied()
    }

    /// Adds the bytes from `start` to below `end`.
    pub fn add(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let (mut start, mut end) = (start, end);
        self.0.retain(|&(a, b)| {
            let apart = b < start || end < a;
            if !apart {
                start = start.min(a);
                end = end.max(b);
            }
            apart
        });
        let at = self.0.partition_point(|&(a, _)| a < start);
        self.0.insert(at, (start, end));
    }

    /// Takes the bytes from `start` to below `end` out.
    pub fn remove(&mut self, start: u64, end: u64) {
        if start >= end {
            return;
        }
        let pieces = self.0.iter().flat_map(|&(a, b)| {
            let before = (a, b.min(start));
            let behind = (a.max(end), b);
            [before, behind]
        });
        self.0 = pieces.filter(|(a, b)| a < b).collect();
    }

    /// What of the bytes from `start` to below `end` is in the set.
    pub fn within(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let cut = self.0.iter().map(|&(a, b)| (a.max(start), b.min(end)));
        cut.filter(|(a, b)| a < b).collect()
    }

    /// What of them is not.
    pub fn missing(&self, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        let mut at = start;
        for (a, b) in self.within(start, end) {
            if at < a {
                out.push((at, a));
            }
            at = b;
        }
        if at < end {
            out.push((at, end));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of the bytes 0 to 7 as intervals, against the same as bits.
    #[test]
    fn as_bits() {
        let of = |bits: u32| {
            let mut s = Intervals::default();
            (0..8)
                .filter(|i| bits >> i & 1 == 1)
                .for_each(|i| s.add(i, i + 1));
            s
        };
        let bits = |list: &[(u64, u64)]| {
            let each = list.iter().flat_map(|&(a, b)| a..b);
            each.fold(0u32, |m, i| m | 1 << i)
        };
        for set in 0..256u32 {
            let s = of(set);
            assert_eq!(bits(&s.0), set);
            assert!(s.0.windows(2).all(|w| w[0].1 < w[1].0), "{s:?}");
            for start in 0..8u64 {
                for end in start..9 {
                    let part = ((1u32 << end) - 1) & !((1u32 << start) - 1);
                    assert_eq!(bits(&s.within(start, end)), set & part);
                    assert_eq!(bits(&s.missing(start, end)), !set & part);
                    let mut with = s.clone();
                    with.add(start, end);
                    assert_eq!(with, of(set | part & 255));
                    let mut without = s.clone();
                    without.remove(start, end);
                    assert_eq!(without, of(set & !part));
                }
            }
        }
    }
}
