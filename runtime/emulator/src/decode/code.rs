//! Code that can be run.

use crate::Row;
use crate::count::Class;
use crate::finding::Site;
use crate::races::Kind;
use crate::value::product::Product;
use smallvec::SmallVec;
use terrace_ptx::Special;
use terrace_ptx::modifiers::Reduce;

/// Index of a row of a warp's registers.
pub(crate) type R = u32;

/// A row that no instruction reads or writes.
pub(crate) const NO_ROW: R = u32::MAX;

/// Computes a row from up to three.
pub(crate) type PureFn = Box<dyn Fn([&Row; 3], &mut Row) + Send + Sync>;

/// The predicate that decides which lanes take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guard {
    pub row: R,
    pub negated: bool,
}

/// A kind of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Space {
    /// Any of global, shared and local, by the address.
    Generic,
    Global,
    Shared,
    Local,
    Param,
}

/// How an access counts for the ordering of threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ordering {
    /// Atomic, volatile or relaxed: does not race with its like.
    pub strong: bool,
    pub acquire: bool,
    pub release: bool,
    /// `.cta`: other blocks need not see it.
    pub within_block: bool,
    /// `.nc`: nobody may have written what it reads.
    pub read_only: bool,
}

impl Ordering {
    /// What is special about it.
    pub fn kind(self) -> Kind {
        match self {
            Ordering {
                read_only: true, ..
            } => Kind::ReadOnly,
            Ordering {
                within_block: true, ..
            } => Kind::WithinBlock,
            _ => Kind::Usual,
        }
    }
}

/// A memory access.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub space: Space,
    /// The address is this row plus `offset`.
    pub base: R,
    pub offset: i64,
    /// Bytes of one element, and whether a load extends its sign.
    pub bytes: u32,
    pub signed: bool,
    /// Bits of the registers that a load writes.
    pub register_bits: u32,
    /// A row for each element; of a store the data.
    pub data: SmallVec<[R; 4]>,
    pub ordering: Ordering,
    /// Whether bytes that nobody wrote may be read: copies of structures take their
    /// padding along.
    pub padding: bool,
}

/// What an atomic does to the value in memory: `(before, operand, second) ->
/// after`.
pub(crate) type AtomicFn = Box<dyn Fn(u64, u64, u64) -> u64 + Send + Sync>;

/// How a shuffle picks its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What a vote gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// Computes a result and a carry from three operands and a carry.
pub(crate) type CarryFn = fn([u64; 4], u32) -> (u64, u64);

/// The combination of two values, which any number of lanes give.
pub(crate) type CombineFn = fn(u64, u64) -> u64;

/// What a barrier does to a thread that comes to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rendezvous {
    Wait,
    /// The thread is counted, and goes on.
    Arrive,
    /// It waits, and gets in `to` what the predicates of all give.
    Reduce {
        how: Reduce,
        to: R,
        value: R,
        negated: bool,
    },
}

/// What an instruction does.
pub(crate) enum Act {
    Pure {
        f: PureFn,
        to: R,
        from: [R; 3],
    },
    /// A comparison, maybe with its negation as a second result.
    Compare {
        f: PureFn,
        to: R,
        other: R,
        from: [R; 3],
    },
    /// Arithmetic with the carry flag, which is a row; read and written or not.
    Carry {
        f: CarryFn,
        bits: u32,
        to: R,
        from: [R; 3],
        carry_in: R,
        carry_out: R,
    },
    /// Bytes of local memory copied: from, to and how many.
    CopyLocal {
        parts: SmallVec<[(u32, u32, u32); 4]>,
    },
    /// A value of `bits` a part put together, the first part lowest.
    Pack {
        to: R,
        parts: SmallVec<[R; 4]>,
        bits: u32,
    },
    Unpack {
        to: SmallVec<[R; 4]>,
        from: R,
        bits: u32,
    },
    Load(Access),
    Store(Access),
    /// `to` is the value before, if wanted.
    Atomic {
        access: Access,
        f: AtomicFn,
        to: R,
        operands: [R; 2],
    },
    Shuffle {
        mode: Shuffle,
        to: R,
        in_range: R,
        value: R,
        lane: R,
        clamp: R,
        members: R,
    },
    Vote {
        mode: Vote,
        to: R,
        value: R,
        negated: bool,
        members: R,
    },
    /// Which lanes hold the same value: those that hold a lane's, or all or none.
    Match {
        all: bool,
        to: R,
        agrees: R,
        value: R,
        members: R,
    },
    /// A value of all lanes combined.
    Redux {
        f: CombineFn,
        bits: u32,
        to: R,
        value: R,
        members: R,
    },
    ActiveMask {
        to: R,
    },
    /// The rows of D, A, B and C.
    Product {
        product: Product,
        rows: [SmallVec<[R; 4]>; 4],
    },
    /// Matrices of 8 rows of 16 bytes, to or from a register each; every lane's
    /// address is that of a row.
    Matrices {
        load: bool,
        transposed: bool,
        access: Access,
    },
    /// An asynchronous copy; `read` is how many bytes of it are read, if not all.
    Copy {
        to: Access,
        from: Access,
        read: R,
    },
    /// Ends a group of copies.
    CopyCommit,
    /// Waits for all but so many groups of copies, or for all copies.
    CopyWait {
        pending: Option<u32>,
    },
    /// The block's barrier `id`; with a number of threads, or all. `aligned`
    /// promises that all lanes of a warp come to it here.
    Barrier {
        id: R,
        threads: R,
        aligned: bool,
        how: Rendezvous,
    },
    WarpBarrier {
        members: R,
    },
    Fence {
        within_block: bool,
    },
    Branch {
        target: u32,
    },
    Call {
        target: u32,
        /// Each argument's row, and the callee's row for it.
        arguments: SmallVec<[(R, R); 4]>,
        /// The row that holds where to return to, lane by lane.
        return_to: R,
    },
    /// From a device function; `return_to` is [`NO_ROW`] in a kernel, where it is
    /// an exit. The result is copied for the caller by a move after the call.
    Return {
        return_to: R,
    },
    Exit,
    Trap,
    /// A clock, in instructions of the warp.
    Clock {
        to: R,
    },
    /// A prefetch, and other advice.
    Nothing,
}

/// An instruction.
pub(crate) struct Inst {
    pub act: Act,
    pub guard: Option<Guard>,
    pub class: Class,
    /// Whether a branch may come here.
    pub joins: bool,
    /// The register rows that are read, whose lanes must have been written.
    pub reads: SmallVec<[R; 4]>,
}

/// The code of a kernel and of the functions that it calls.
pub(crate) struct Code {
    pub insts: Vec<Inst>,
    pub sites: Vec<Site>,
    /// Rows that instructions write; constants and special registers follow.
    pub registers: u32,
    pub constants: Vec<u64>,
    pub specials: Vec<Special>,
    /// Whether barriers name a number of threads, which may be part of the block.
    pub has_partial_barriers: bool,
    /// Whether there are asynchronous copies.
    pub has_copies: bool,
    /// Whether accesses of different blocks may be ordered.
    pub has_fences: bool,
    /// Base-2 logarithm of the narrowest access to global and shared memory.
    pub granule_shift: u32,
}

impl Code {
    /// Rows of a warp.
    pub fn rows(&self) -> usize {
        self.registers as usize + self.constants.len() + self.specials.len()
    }
}

impl Act {
    /// Calls `f` on every row that is named.
    pub fn for_each_row(&mut self, f: impl Fn(&mut R)) {
        match self {
            Act::Pure { to, from, .. } => {
                f(to);
                from.iter_mut().for_each(&f);
            }
            Act::Compare {
                to, other, from, ..
            } => {
                f(to);
                f(other);
                from.iter_mut().for_each(&f);
            }
            Act::Carry {
                to,
                from,
                carry_in,
                carry_out,
                ..
            } => {
                f(to);
                from.iter_mut().for_each(&f);
                f(carry_in);
                f(carry_out);
            }
            Act::Pack { to, parts, .. } => {
                f(to);
                parts.iter_mut().for_each(&f);
            }
            Act::Unpack { to, from, .. } => {
                to.iter_mut().for_each(&f);
                f(from);
            }
            Act::Load(access) | Act::Store(access) => {
                f(&mut access.base);
                access.data.iter_mut().for_each(&f);
            }
            Act::Atomic {
                access,
                to,
                operands,
                ..
            } => {
                f(&mut access.base);
                f(to);
                operands.iter_mut().for_each(&f);
            }
            Act::Shuffle {
                to,
                in_range,
                value,
                lane,
                clamp,
                members,
                ..
            } => [to, in_range, value, lane, clamp, members]
                .into_iter()
                .for_each(f),
            Act::Vote {
                to, value, members, ..
            } => [to, value, members].into_iter().for_each(f),
            Act::Match {
                to,
                agrees,
                value,
                members,
                ..
            } => [to, agrees, value, members].into_iter().for_each(f),
            Act::Redux {
                to, value, members, ..
            } => [to, value, members].into_iter().for_each(f),
            Act::Product { rows, .. } => rows.iter_mut().flatten().for_each(f),
            Act::Matrices { access, .. } => {
                f(&mut access.base);
                access.data.iter_mut().for_each(&f);
            }
            Act::Copy { to, from, read } => {
                f(&mut to.base);
                f(&mut from.base);
                f(read);
            }
            Act::ActiveMask { to } | Act::Clock { to } => f(to),
            Act::Barrier {
                id, threads, how, ..
            } => {
                f(id);
                f(threads);
                if let Rendezvous::Reduce { to, value, .. } = how {
                    f(to);
                    f(value);
                }
            }
            Act::WarpBarrier { members } => f(members),
            Act::Call { arguments, .. } => {
                for (from, to) in arguments {
                    f(from);
                    f(to);
                }
            }
            Act::Return { .. }
            | Act::Fence { .. }
            | Act::CopyLocal { .. }
            | Act::CopyCommit
            | Act::CopyWait { .. }
            | Act::Branch { .. }
            | Act::Exit
            | Act::Trap
            | Act::Nothing => {}
        }
    }
}
