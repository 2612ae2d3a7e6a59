//! Random layouts, and what a layout means, written down a second time.

// Each test file uses its part of this.
#![allow(dead_code)]

use terrace_layout::{Digit, Layout, Place, Resource};
use terrace_lit::random::Random;

/// Any digits, most of which make no sense.
pub fn any_layout(rng: &mut Random) -> Layout {
    let rank = rng.between(0, 3) as usize;
    let shape: Vec<i64> = (0..rank).map(|_| rng.between(1, 8)).collect();
    let mut digits = Vec::new();
    for resource in Resource::ALL {
        for _ in 0..rng.between(0, 2) {
            let step: Vec<i64> = (0..rank).map(|_| rng.between(-2, 4)).collect();
            digits.push((resource, Digit::new(rng.between(1, 3), &step)));
        }
    }
    Layout::new(&shape, digits).unwrap()
}

/// A layout that holds each element of the shape, some of them more than once.
///
/// The extents are cut into their prime factors, which are dealt out to `resources`.
/// Lanes and warps may get copies. The layout does not leave the shape.
pub fn covering(rng: &mut Random, shape: &[i64], resources: &[Resource]) -> Layout {
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
    if rng.one_in(2) {
        rng.shuffle(&mut all);
    }
    let mut digits: Vec<(Resource, Digit)> = (all.into_iter())
        .map(|(axis, radix, step)| (*rng.pick(resources), Digit::along(radix, axis, step, rank)))
        .collect();
    if rng.one_in(3) {
        let at = rng.between(0, digits.len() as i64) as usize;
        digits.insert(at, (*rng.pick(resources), Digit::copies(2, rank)));
    }
    Layout::new(shape, digits).unwrap()
}

/// A shape of few elements.
pub fn small_shape(rng: &mut Random) -> Vec<i64> {
    let extents: [&[i64]; 3] = [
        &[2, 4, 6, 8, 12, 16, 24, 32],
        &[1, 2, 3, 4, 6, 8],
        &[1, 2, 4],
    ];
    let rank = rng.between(1, 3) as usize;
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
