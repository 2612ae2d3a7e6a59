//! Loads and stores: maps that stay within the array where the limits let them.

use super::generate::{Array, Gen};

/// How a tile lies in an array.
pub struct Access {
    pub subscripts: String,
    pub limits: String,
}

impl Gen {
    /// A map from a tile to an array, and the limits that it needs. For a store no two
    /// elements go to one place.
    pub fn access(&mut self, array: &Array, shape: &[i64], store: bool) -> Option<Access> {
        let fixed = match (&self.row, store) {
            (Some((_, counter)), true) => Some(counter.clone()),
            _ => None,
        };
        let first = usize::from(fixed.is_some());
        let ranks = array.sizes.len();
        // For each dimension of the array that of the tile which is in its subscript.
        let mut dims: Vec<Option<usize>> = vec![None; ranks];
        if store {
            let mut free: Vec<usize> = (first..ranks).collect();
            for d in (0..shape.len()).filter(|d| shape[*d] > 1) {
                if free.is_empty() {
                    return None;
                }
                let at = self.rng.below(free.len());
                dims[free.remove(at)] = Some(d);
            }
        } else if !shape.is_empty() {
            for d in &mut dims {
                *d = Some(self.rng.below(shape.len())).filter(|_| self.rng.chance(80));
            }
        }
        // The coordinates that may exist.
        let mut ranges: Vec<(i64, i64)> = shape.iter().map(|n| (0, *n)).collect();
        let mut subscripts = Vec::new();
        for (k, size) in array.sizes.iter().enumerate() {
            if let (0, Some(counter)) = (k, &fixed) {
                subscripts.push(counter.clone());
                continue;
            }
            let Some(d) = dims[k] else {
                let n = self.rng.between(0, size - 1);
                let known = n < 8 && self.rng.chance(40);
                subscripts.push(if known {
                    format!("%s{n}")
                } else {
                    n.to_string()
                });
                continue;
            };
            let (text, range) = self.subscript(d, *size, store);
            let r = &mut ranges[d];
            *r = (r.0.max(range.0), r.1.min(range.1));
            subscripts.push(text);
        }
        let limits = self.limits(shape, &ranges);
        Some(Access {
            subscripts: subscripts.join(", "),
            limits,
        })
    }

    /// A subscript with `d{d}`, and for which coordinates it is below `size`.
    fn subscript(&mut self, d: usize, size: i64, store: bool) -> (String, (i64, i64)) {
        if !store && self.rng.chance(15) {
            let by = self.rng.between(2, 3);
            return match self.rng.chance(50) {
                true => (format!("d{d} floordiv {by}"), (0, size * by)),
                false => (format!("d{d} mod {}", by.min(size)), (0, 100)),
            };
        }
        let stride = *self.rng.pick(&[1, 1, 1, 2]);
        let offset = self.rng.between(-1, 2);
        let (mut text, mut low, mut high) = (format!("d{d}"), offset, offset);
        if stride > 1 {
            text = format!("{text} * {stride}");
        }
        if self.rng.chance(40) {
            let counters = self.counters.clone();
            if !counters.is_empty() && self.rng.chance(70) {
                let c = self.rng.pick(&counters);
                text = format!("{} + {text}", c.name);
                high += c.last;
            } else {
                let n = self.rng.between(0, 2);
                text = format!("%s{n} + {text}");
                (low, high) = (low + n, high + n);
            }
        }
        if offset != 0 {
            text = format!("{text} + {offset}");
        }
        let first = (-low).max(0).div_euclid(stride) + (-low).max(0) % stride;
        let end = (size - 1 - high).div_euclid(stride) + 1;
        (text, (first, end))
    }

    /// Limits that leave only coordinates of these ranges, and often fewer.
    pub fn limits(&mut self, shape: &[i64], ranges: &[(i64, i64)]) -> String {
        let mut all = Vec::new();
        for (size, (low, high)) in shape.iter().zip(ranges) {
            let mut lower = Some(*low).filter(|n| *n > 0);
            let mut upper = Some(*high).filter(|n| n < size);
            if self.rng.chance(15) {
                lower = Some(self.rng.between(*low - i64::from(*low == 0), size + 1));
            }
            if self.rng.chance(25) {
                let most = if high >= size { size + 2 } else { *high };
                upper = Some(self.rng.between(0.min(most), most));
            }
            let lower = lower.map(|n| self.number(n));
            let upper = upper.map(|n| self.number(n));
            all.push(match (lower, upper) {
                (None, None) => "_".to_string(),
                (None, Some(n)) => n,
                (Some(l), None) => format!("{l} to _"),
                (Some(l), Some(n)) => format!("{l} to {n}"),
            });
        }
        match all.iter().any(|l| l != "_") {
            true => format!(" limits [{}]", all.join(", ")),
            false => String::new(),
        }
    }
}
