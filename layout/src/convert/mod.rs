//! From one layout to another: what has to be done to the registers of a block.
//!
//! `lane_function` is a number for each lane, and how to compute it. `shuffles` looks for
//! an exchange between the lanes of a warp.

mod lane_function;
mod shuffles;

pub use lane_function::{Formula, LaneFunction};
pub use shuffles::{Round, ShufflePlan};

use crate::frame::{Frame, Keys};
use crate::{Coords, Layout, LayoutError, Place, Resource};
use std::collections::HashMap;

/// What turns a tile of one layout into the same tile of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Every register holds what it should already.
    Nothing,
    /// Threads hold what they should. For each new register, the old one to take.
    Registers(Vec<usize>),
    /// The lanes of each warp exchange elements.
    Shuffles(ShufflePlan),
    /// The tile goes through a buffer that all threads of a block see.
    Buffer,
}

/// The least that turns a tile in the layout `from` into one in the layout `to`.
///
/// Where several places hold an element, any of them is a source. A resource without digits
/// counts as copies. What `to` holds outside the shape is left undefined.
///
/// # Errors
///
/// Both must be of one shape. Each element that a block needs must be held in that block.
pub fn conversion(from: &Layout, to: &Layout) -> Result<Conversion, LayoutError> {
    if from.shape() != to.shape() {
        return Err(LayoutError::Shapes {
            from: Coords::from_slice(from.shape()),
            to: Coords::from_slice(to.shape()),
        });
    }
    let pair = Pair::new(from, to);
    let same = |resource| pair.adds_the_same(resource);
    if [Resource::Simd, Resource::Warp, Resource::Block].map(same) == [true; 3] {
        if same(Resource::Lane)
            && let Some(sources) = pair.renaming()
        {
            let is_same = sources.iter().copied().eq(0..from.size(Resource::Reg));
            return Ok(match is_same {
                true => Conversion::Nothing,
                false => Conversion::Registers(sources),
            });
        }
        if let Some(plan) = shuffles::find(&pair) {
            return Ok(Conversion::Shuffles(plan));
        }
    }
    pair.check_held()?;
    Ok(Conversion::Buffer)
}

/// Two layouts of one shape, with elements as numbers of one frame.
struct Pair<'a> {
    from: &'a Layout,
    to: &'a Layout,
    /// By [`Resource::number`], what an index adds.
    old_keys: [Vec<i128>; 5],
    new_keys: [Vec<i128>; 5],
}

impl<'a> Pair<'a> {
    fn new(from: &'a Layout, to: &'a Layout) -> Pair<'a> {
        let frame = Frame::of(&[from, to]);
        Pair {
            from,
            to,
            old_keys: Resource::ALL.map(|r| frame.keys(from, r)),
            new_keys: Resource::ALL.map(|r| frame.keys(to, r)),
        }
    }

    fn old_keys(&self, resource: Resource) -> &[i128] {
        &self.old_keys[resource.number()]
    }

    fn new_keys(&self, resource: Resource) -> &[i128] {
        &self.new_keys[resource.number()]
    }

    /// The number of indices in a resource that are different places in one of the two.
    fn common_size(&self, resource: Resource) -> usize {
        num_integer::lcm(self.from.size(resource), self.to.size(resource))
    }

    /// For each index in a resource, what it adds in both.
    fn both(&self, resource: Resource) -> impl Iterator<Item = (i128, i128)> {
        let (from, to) = (self.old_keys(resource), self.new_keys(resource));
        (0..self.common_size(resource)).map(|n| (from[n % from.len()], to[n % to.len()]))
    }

    fn adds_the_same(&self, resource: Resource) -> bool {
        self.from.agrees(self.to, resource) || self.both(resource).all(|(from, to)| from == to)
    }

    /// Whether any warp needs what a register of a lane holds afterwards.
    fn is_needed(&self, reg: usize, lane: usize) -> bool {
        let warps = 0..self.to.size(Resource::Warp);
        self.to.stays_inside()
            || warps.into_iter().any(|warp| {
                (0..self.to.size(Resource::Block)).any(|block| {
                    (0..self.to.size(Resource::Simd)).any(|simd| {
                        let place = Place {
                            simd,
                            reg,
                            lane,
                            warp,
                            block,
                        };
                        self.to.contains(&self.to.element(&place))
                    })
                })
            })
    }

    /// For each new register the old one to take, where threads need nothing of others.
    fn renaming(&self) -> Option<Vec<usize>> {
        let mut registers: HashMap<i128, usize> = HashMap::new();
        for (n, key) in self.old_keys(Resource::Reg).iter().enumerate() {
            registers.entry(*key).or_insert(n);
        }
        let source = |(reg, key): (usize, &i128)| {
            let stays = self.old_keys(Resource::Reg).get(reg) == Some(key);
            let found = (stays.then_some(reg)).or_else(|| registers.get(key).copied());
            // Whatever is there will do where nothing is needed.
            let lanes = 0..self.to.size(Resource::Lane);
            let is_needed = || lanes.into_iter().any(|lane| self.is_needed(reg, lane));
            found.or_else(|| (!is_needed()).then_some(0))
        };
        let needed = self.new_keys(Resource::Reg).iter().enumerate();
        needed.map(source).collect()
    }

    /// Whether each block holds what it needs.
    fn check_held(&self) -> Result<(), LayoutError> {
        let moved: Vec<i128> = self
            .both(Resource::Block)
            .map(|(from, to)| to - from)
            .collect();
        let held = Keys::of(sums(&self.old_keys), self.from.volume());
        let needed = sums(&self.new_keys);
        let mut shifts = moved.clone();
        shifts.sort_unstable();
        shifts.dedup();
        if (shifts.iter()).all(|shift| needed.iter().all(|key| held.contains(key + shift))) {
            return Ok(());
        }
        // Something is missing. It may lie outside the shape.
        let frame = Frame::of(&[self.from, self.to]);
        let blocks = self.to.size(Resource::Block);
        for (block, shift) in moved.iter().enumerate() {
            let here = self.new_keys(Resource::Block)[block % blocks];
            let elements = self.to.elements();
            for (_, element) in elements.filter(|(p, _)| p.block == block % blocks) {
                if self.to.contains(&element) && !held.contains(frame.key(&element) - here + shift)
                {
                    return Err(LayoutError::NotHeld { element });
                }
            }
        }
        Ok(())
    }
}

/// The numbers of all elements that one block holds, less what the block adds.
fn sums(keys: &[Vec<i128>; 5]) -> Vec<i128> {
    let mut out = vec![0i128];
    for resource in Resource::ALL.into_iter().filter(|r| *r != Resource::Block) {
        let keys = &keys[resource.number()];
        out = (keys.iter())
            .flat_map(|key| out.iter().map(move |sum| sum + key))
            .collect();
    }
    out
}
