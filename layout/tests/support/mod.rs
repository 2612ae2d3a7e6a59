//! Random layouts, and what a layout means, written down a second time.

// Each test file uses its part of this.
#![allow(dead_code)]

use terrace_layout::{Digit, Layout, Place, Resource};

/// Marsaglia's xorshift64*.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// From `low` to `high`, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    pub fn chance(&mut self, one_in: u64) -> bool {
        self.next().is_multiple_of(one_in)
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.range(0, items.len() as i64 - 1) as usize]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for n in (1..items.len()).rev() {
            items.swap(n, self.range(0, n as i64) as usize);
        }
    }
}

/// Any digits, most of which make no sense.
pub fn any_layout(rng: &mut Rng) -> Layout {
    let rank = rng.range(0, 3) as usize;
    let shape: Vec<i64> = (0..rank).map(|_| rng.range(1, 8)).collect();
    let mut digits = Vec::new();
    for resource in Resource::ALL {
        for _ in 0..rng.range(0, 2) {
            let step: Vec<i64> = (0..rank).map(|_| rng.range(-2, 4)).collect();
            digits.push((resource, Digit::new(rng.range(1, 3), &step)));
        }
    }
    Layout::new(&shape, digits).unwrap()
}

/// A layout that holds each element of the shape, some of them more than once.
///
/// The extents are cut into their prime factors, which are dealt out to `resources`.
/// Lanes and warps may get copies. The layout does not leave the shape.
pub fn covering(rng: &mut Rng, shape: &[i64], resources: &[Resource]) -> Layout {
    let rank = shape.len();
    let mut all: Vec<(usize, i64, i64)> = Vec::new();
    for (axis, extent) in shape.iter().enumerate() {
        let (mut left, mut step) = (*extent, 1);
        while left > 1 {
            let factor = (2..=left).find(|f| left % f == 0).unwrap();
            all.push((axis, factor, step));
            left /= factor;
            step *= factor;
        }
    }
    if rng.chance(2) {
        rng.shuffle(&mut all);
    }
    let mut digits: Vec<(Resource, Digit)> = (all.into_iter())
        .map(|(axis, radix, step)| (*rng.pick(resources), Digit::along(radix, axis, step, rank)))
        .collect();
    if rng.chance(3) {
        let at = rng.range(0, digits.len() as i64) as usize;
        digits.insert(at, (*rng.pick(resources), Digit::copies(2, rank)));
    }
    Layout::new(shape, digits).unwrap()
}

/// A shape of few elements.
pub fn small_shape(rng: &mut Rng) -> Vec<i64> {
    let extents: [&[i64]; 3] = [
        &[2, 4, 6, 8, 12, 16, 24, 32],
        &[1, 2, 3, 4, 6, 8],
        &[1, 2, 4],
    ];
    let rank = rng.range(1, 3) as usize;
    let mut out: Vec<i64> = extents[..rank].iter().map(|e| *rng.pick(e)).collect();
    rng.shuffle(&mut out);
    out
}

/// The element at a place, from the definition alone.
pub fn meaning(layout: &Layout, place: &Place) -> Vec<i64> {
    let mut out = vec![0; layout.rank()];
    for resource in Resource::ALL {
        let mut weight = 1;
        for digit in layout.digits(resource) {
            let value = (place.at(resource) / weight) as i64 % digit.radix;
            weight *= digit.radix as usize;
            for (o, step) in out.iter_mut().zip(&digit.step) {
                *o += value * step;
            }
        }
    }
    out
}

/// All places of a layout, from its sizes alone.
pub fn places(layout: &Layout) -> Vec<Place> {
    let mut out = vec![Place::default()];
    for resource in Resource::ALL {
        out = (out.into_iter())
            .flat_map(|p| (0..layout.size(resource)).map(move |n| p.with(resource, n)))
            .collect();
    }
    out
}
