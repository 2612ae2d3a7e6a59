//! Who holds what.

use crate::frame::{Frame, Keys};
use crate::{Coords, Layout, Place, Resource};
use std::collections::HashMap;

/// Whether places may hold elements that lie outside the shape of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Such places are an error.
    Refused,
    /// Such places are allowed, and what they hold has no meaning.
    Allowed,
}

impl Layout {
    /// All places with the elements that they hold, the registers of a thread first.
    pub fn elements(&self) -> impl Iterator<Item = (Place, Coords)> + '_ {
        let sizes = Resource::ALL.map(|r| self.size(r));
        let parts = Resource::ALL.map(|r| {
            (0..self.size(r))
                .map(|index| self.part(r, index))
                .collect::<Vec<Coords>>()
        });
        (0..self.places()).map(move |number| {
            let mut place = Place::default();
            let mut element = Coords::from_elem(0, self.rank());
            let mut rest = number;
            for resource in Resource::ALL {
                let size = sizes[resource.number()];
                let index = rest % size;
                rest /= size;
                place = place.with(resource, index);
                for (e, p) in element.iter_mut().zip(&parts[resource.number()][index]) {
                    *e += p;
                }
            }
            (place, element)
        })
    }

    /// All places that hold an element, in the order of [`Place`].
    pub fn holders(&self, element: &[i64]) -> Vec<Place> {
        let reached = |axis: usize| {
            let (low, high) = self.reach(axis);
            (low..=high).contains(&element[axis])
        };
        if element.len() != self.rank() || !(0..self.rank()).all(reached) {
            return Vec::new();
        }
        let frame = Frame::of(&[self]);
        let wanted = frame.key(element);
        let [simd, reg, lane, warp, block] = Resource::ALL.map(|r| frame.keys(self, r));
        let mut regs: HashMap<i128, Vec<usize>> = HashMap::new();
        for (n, key) in reg.iter().enumerate() {
            regs.entry(*key).or_default().push(n);
        }
        let mut out = Vec::new();
        for (s, simd) in simd.iter().enumerate() {
            for (b, block) in block.iter().enumerate() {
                for (w, warp) in warp.iter().enumerate() {
                    for (l, lane) in lane.iter().enumerate() {
                        let found = regs.get(&(wanted - simd - block - warp - lane));
                        out.extend(found.into_iter().flatten().map(|r| Place {
                            simd: s,
                            reg: *r,
                            lane: l,
                            warp: w,
                            block: b,
                        }));
                    }
                }
            }
        }
        out.sort_unstable();
        out
    }

    /// Whether no element is held twice, except by digits that are copies on purpose.
    pub fn is_injective(&self) -> bool {
        let frame = Frame::of(&[self]);
        let mut keys = vec![0i128];
        let moving = self.digits_with_resource().filter(|(_, d)| !d.is_copies());
        for (_, digit) in moving {
            let (step, below) = (frame.key(&digit.step), keys.len());
            for value in 1..digit.radix {
                for n in 0..below {
                    keys.push(keys[n] + i128::from(value) * step);
                }
            }
        }
        let places = keys.len();
        Keys::of(keys, self.volume()).len() == places
    }

    /// Whether each element of the tile is held at least once.
    ///
    /// With [`Outside::Refused`] it is also asked that nothing else is held.
    pub fn covers(&self, outside: Outside) -> bool {
        if outside == Outside::Refused && !self.stays_inside() {
            return false;
        }
        let volume = self.volume() as usize;
        let mut held = vec![false; volume];
        let mut count = 0;
        for (_, element) in self.elements().filter(|(_, e)| self.contains(e)) {
            let number = (element.iter().zip(self.shape())).fold(0, |n, (c, e)| n * e + c);
            let seen = &mut held[number as usize];
            count += usize::from(!*seen);
            *seen = true;
        }
        count == volume
    }
}
