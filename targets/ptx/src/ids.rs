//! Four-byte ids for id-arena.
//!
//! id-arena's own ids are 16 bytes, because each carries the number of its
//! arena. Here an id means something only together with its function, and an
//! instruction holds several, so an id is the bare index.

use id_arena::ArenaBehavior;
use std::fmt;

macro_rules! ids {
    ($( $(#[$doc:meta])* $id:ident by $behavior:ident ),* $(,)?) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $id(u32);

            impl $id {
                /// Position in its arena.
                pub const fn index(self) -> usize { self.0 as usize }
                /// The id at a position, for tables and tests; the arena may
                /// have no such entry.
                pub const fn from_index(index: u32) -> $id { $id(index) }
            }

            impl fmt::Debug for $id {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    write!(f, "{}({})", stringify!($id), self.0)
                }
            }

            #[doc = concat!("Makes an arena hand out [`", stringify!($id), "`].")]
            #[derive(Clone, Copy, Debug)]
            pub struct $behavior;

            impl ArenaBehavior for $behavior {
                type Id = $id;
                fn new_id(_arena: u32, index: usize) -> $id {
                    // An arena of 2^32 entries would need over 100 GB, so the
                    // saturated id never exists.
                    $id(u32::try_from(index).unwrap_or(u32::MAX))
                }
                fn index(id: $id) -> usize { id.index() }
                fn arena_id(_: $id) -> u32 { 0 }
                fn new_arena_id() -> u32 { 0 }
            }
        )*
    };
}

ids! {
    /// A virtual register of one function.
    Reg by RegIds,
    /// A basic block of one function.
    BlockId by BlockIds,
    /// An instruction of one function.
    InstId by InstIds,
    /// A function of a module.
    FuncId by FuncIds,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_four_bytes() {
        assert_eq!(size_of::<Reg>(), 4);
        assert_eq!(size_of::<InstId>(), 4);
        let mut arena = id_arena::Arena::<&str, RegIds>::new();
        let a = arena.alloc("a");
        let b = arena.alloc("b");
        assert_eq!((arena[a], arena[b], b.index()), ("a", "b", 1));
    }
}
