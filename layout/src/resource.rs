//! What a layout spreads a tile over.

use std::fmt;

/// A kind of place that elements are spread over.
///
/// A GPU uses all but `Simd`, a CPU uses `Simd` and `Reg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// The elements of one vector register.
    Simd,
    /// The registers of one thread.
    Reg,
    /// The threads of one warp.
    Lane,
    /// The warps of one block.
    Warp,
    /// The blocks of a launch or of a cluster.
    Block,
}

impl Resource {
    /// All resources, in the order in which they are printed.
    pub const ALL: [Resource; 5] = [
        Resource::Simd,
        Resource::Reg,
        Resource::Lane,
        Resource::Warp,
        Resource::Block,
    ];

    /// The name in text.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Simd => "simd",
            Resource::Reg => "reg",
            Resource::Lane => "lane",
            Resource::Warp => "warp",
            Resource::Block => "block",
        }
    }

    /// The resource that has this name in text.
    pub fn from_name(name: &str) -> Option<Resource> {
        Resource::ALL.into_iter().find(|r| r.name() == name)
    }

    /// The position in [`Resource::ALL`].
    pub(crate) fn number(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
