//! The opcodes and what is true of each whatever its types.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What executing an instruction does besides writing its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing; equal operands give equal results.
    Pure,
    /// Reads memory.
    Read,
    /// Writes memory, or reads and writes it.
    Write,
    /// Depends on which threads execute it together, or orders what they do.
    Sync,
    /// Computes from registers of all lanes of the warp, which must execute it
    /// together: it may move within its block and be dropped, but neither be
    /// shared, nor moved to where other lanes come by, nor guarded.
    Warp,
    /// Writes or reads the carry flag, which is no register: such instructions
    /// keep their order among each other, and none of them is dropped, copied or
    /// shared. Nothing else touches the flag but a call.
    Carry,
    /// Leaves the block, or the function.
    Control,
}

macro_rules! ops {
    ($( $name:ident $text:literal $effect:ident $($flag:ident)* ),* $(,)?) => {
        /// An opcode.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Op { $( $name ),* }

        impl Op {
            /// Every opcode.
            pub const ALL: &'static [Op] = &[$( Op::$name ),*];

            /// Its text, without modifiers.
            #[inline]
            pub const fn name(self) -> &'static str {
                match self { $( Op::$name => $text ),* }
            }

            /// What it does besides its result.
            #[inline]
            pub const fn effect(self) -> Effect {
                match self { $( Op::$name => Effect::$effect ),* }
            }

            const FLAGS: &'static [u8] = &[$( 0 $( | Flag::$flag as u8 )* ),*];
        }
    };
}

/// Bits of a set.
#[repr(u8)]
enum Flag {
    /// Operand 0 is not a result.
    NoDest = 1,
    /// The first two sources may be exchanged.
    Commutes = 2,
}

impl Op {
    /// The opcode of a name.
    pub fn named(name: &str) -> Option<Op> {
        static NAMED: LazyLock<FxHashMap<&str, Op>> =
            LazyLock::new(|| Op::ALL.iter().map(|op| (op.name(), *op)).collect());
        NAMED.get(name).copied()
    }

    /// Whether operand 0 is the result.
    #[inline]
    pub const fn has_dest(self) -> bool {
        Op::FLAGS[self as usize] & Flag::NoDest as u8 == 0
    }

    /// Whether the first two sources may be exchanged.
    #[inline]
    pub const fn commutes(self) -> bool {
        Op::FLAGS[self as usize] & Flag::Commutes as u8 != 0
    }

    /// Whether control never passes it, if unguarded.
    #[inline]
    pub const fn is_terminator(self) -> bool {
        matches!(self, Op::Bra | Op::Ret | Op::Exit)
    }

    /// Whether it waits for the other threads of the block, all lanes of a warp
    /// at the same instruction.
    pub const fn is_block_barrier(self) -> bool {
        matches!(self, Op::BarSync | Op::BarRed)
    }

    /// Whether it takes part in a barrier of the block, waiting or not.
    pub const fn is_block_barrier_of_any_kind(self) -> bool {
        matches!(
            self,
            Op::BarSync
                | Op::BarArrive
                | Op::BarRed
                | Op::BarrierSync
                | Op::BarrierArrive
                | Op::BarrierRed
        )
    }

    /// Whether it reads the carry flag.
    pub const fn reads_carry(self) -> bool {
        matches!(self, Op::Addc | Op::Subc | Op::MadcLo | Op::MadcHi)
    }
}

ops! {
    Mov "mov" Pure, Cvt "cvt" Pure, Cvta "cvta" Pure,
    Add "add" Pure Commutes, Sub "sub" Pure, Mul "mul" Pure Commutes, Mad "mad" Pure Commutes,
    Fma "fma" Pure Commutes, Div "div" Pure, Rem "rem" Pure, Abs "abs" Pure, Neg "neg" Pure,
    Min "min" Pure Commutes, Max "max" Pure Commutes,
    And "and" Pure Commutes, Or "or" Pure Commutes, Xor "xor" Pure Commutes, Not "not" Pure,
    Shl "shl" Pure, Shr "shr" Pure,
    Popc "popc" Pure, Clz "clz" Pure, Brev "brev" Pure, Bfe "bfe" Pure, Bfi "bfi" Pure,
    Bfind "bfind" Pure, Prmt "prmt" Pure, Lop3 "lop3" Pure, Shf "shf" Pure, Fns "fns" Pure,
    Cnot "cnot" Pure, Sad "sad" Pure Commutes, Mul24 "mul24" Pure Commutes,
    Mad24 "mad24" Pure Commutes, Dp4a "dp4a" Pure, Dp2a "dp2a" Pure,
    Set "set" Pure, Slct "slct" Pure, Isspacep "isspacep" Pure,
    AddCc "add.cc" Carry Commutes, Addc "addc" Carry Commutes, SubCc "sub.cc" Carry,
    Subc "subc" Carry, MadLoCc "mad.lo.cc" Carry Commutes, MadHiCc "mad.hi.cc" Carry Commutes,
    MadcLo "madc.lo" Carry Commutes, MadcHi "madc.hi" Carry Commutes,
    Setp "setp" Pure, Selp "selp" Pure,
    Sqrt "sqrt" Pure, Rcp "rcp" Pure, Rsqrt "rsqrt" Pure, Sin "sin" Pure, Cos "cos" Pure,
    Ex2 "ex2" Pure, Lg2 "lg2" Pure, Tanh "tanh" Pure, Copysign "copysign" Pure, Testp "testp" Pure,
    Ld "ld" Read, St "st" Write NoDest, Atom "atom" Write, Red "red" Write NoDest,
    Prefetch "prefetch" Write NoDest,
    CpAsync "cp.async" Write NoDest, CpAsyncCommit "cp.async.commit_group" Sync NoDest,
    CpAsyncWait "cp.async.wait_group" Sync NoDest, CpAsyncWaitAll "cp.async.wait_all" Sync NoDest,
    Mma "mma.sync.aligned" Warp, Ldmatrix "ldmatrix.sync.aligned.m8n8" Sync,
    Stmatrix "stmatrix.sync.aligned.m8n8" Sync NoDest,
    Shfl "shfl.sync" Sync, Vote "vote.sync" Sync, Activemask "activemask" Sync,
    Match "match" Sync, Redux "redux.sync" Sync, Nanosleep "nanosleep" Sync NoDest,
    BarSync "bar.sync" Sync NoDest, BarArrive "bar.arrive" Sync NoDest, BarRed "bar.red" Sync,
    BarrierSync "barrier.sync" Sync NoDest, BarrierArrive "barrier.arrive" Sync NoDest,
    BarrierRed "barrier.red" Sync, BarWarpSync "bar.warp.sync" Sync NoDest,
    Membar "membar" Sync NoDest, Fence "fence" Sync NoDest,
    Bra "bra" Control NoDest, Ret "ret" Control NoDest, Exit "exit" Control NoDest,
    Trap "trap" Control NoDest, Call "call" Write,
}
