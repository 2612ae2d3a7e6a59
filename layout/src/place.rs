//! Where an element is held.

use crate::Resource;

/// One place that holds an element: an index for each resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The element of a vector register.
    pub simd: usize,
    /// The register of the thread.
    pub reg: usize,
    /// The thread of the warp.
    pub lane: usize,
    /// The warp of the block.
    pub warp: usize,
    /// The block.
    pub block: usize,
}

impl Place {
    /// The place with these three indices, and zeros for the others.
    pub fn thread(reg: usize, lane: usize, warp: usize) -> Place {
        Place {
            reg,
            lane,
            warp,
            ..Place::default()
        }
    }

    /// The index in a resource.
    pub fn at(&self, resource: Resource) -> usize {
        match resource {
            Resource::Simd => self.simd,
            Resource::Reg => self.reg,
            Resource::Lane => self.lane,
            Resource::Warp => self.warp,
            Resource::Block => self.block,
        }
    }

    /// The same place with another index in one resource.
    pub fn with(mut self, resource: Resource, index: usize) -> Place {
        match resource {
            Resource::Simd => self.simd = index,
            Resource::Reg => self.reg = index,
            Resource::Lane => self.lane = index,
            Resource::Warp => self.warp = index,
            Resource::Block => self.block = index,
        }
        self
    }
}
