//! What is counted while kernels run.

use std::ops::AddAssign;

/// Kinds of instructions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    Integer,
    /// f16, bf16 and their pairs.
    Half,
    Float,
    Double,
    /// The approximate functions.
    Function,
    Convert,
    /// Moves, selections, comparisons, predicates.
    Move,
    Load,
    Store,
    Atomic,
    /// Barriers, fences, shuffles, votes.
    Synchronize,
    Control,
    /// Matrix products.
    Matrix,
    /// Asynchronous copies, which load and store.
    Copy,
}

impl Class {
    /// Every kind.
    pub const ALL: [Class; 14] = [
        Class::Integer,
        Class::Half,
        Class::Float,
        Class::Double,
        Class::Function,
        Class::Convert,
        Class::Move,
        Class::Load,
        Class::Store,
        Class::Atomic,
        Class::Synchronize,
        Class::Control,
        Class::Matrix,
        Class::Copy,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Integer => "integer",
            Class::Half => "half",
            Class::Float => "float",
            Class::Double => "double",
            Class::Function => "function",
            Class::Convert => "convert",
            Class::Move => "move",
            Class::Load => "load",
            Class::Store => "store",
            Class::Atomic => "atomic",
            Class::Synchronize => "synchronize",
            Class::Control => "control",
            Class::Matrix => "matrix",
            Class::Copy => "copy",
        }
    }
}

/// Requests to global memory by one kind of access: what one instruction of one
/// warp asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MemoryCounts {
    pub requests: u64,
    /// 32-byte sectors, each once a request.
    pub sectors: u64,
    /// 128-byte lines, each once a request.
    pub lines: u64,
    /// Bytes that lanes asked for.
    pub bytes: u64,
}

/// Requests to shared memory by one kind of access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SharedCounts {
    pub requests: u64,
    /// Passes that the requests need.
    pub wavefronts: u64,
    /// Passes beyond those that any 32 accesses of this width need: the bank
    /// conflicts.
    pub conflicts: u64,
}

/// Different 32-byte sectors of global memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    /// That were touched at all.
    pub sectors: u64,
    /// That were read, by atomics too.
    pub read: u64,
    /// That were written, by atomics too.
    pub written: u64,
}

/// What one instruction did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InstCounts {
    /// Warps that executed it.
    pub warps: u64,
    /// Threads that did.
    pub threads: u64,
    /// Branches after which the threads of a warp went different ways.
    pub divergences: u64,
    /// Accesses to global memory, through generic addresses too.
    pub global: MemoryCounts,
    pub shared: SharedCounts,
}

macro_rules! add {
    ($name:ident: $($field:ident)*) => {
        impl AddAssign for $name {
            fn add_assign(&mut self, other: $name) {
                $( self.$field += other.$field; )*
            }
        }
    };
}
add!(MemoryCounts: requests sectors lines bytes);
add!(Footprint: sectors read written);
add!(SharedCounts: requests wavefronts conflicts);
add!(InstCounts: warps threads divergences global shared);

/// What a launch did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// By class, in the order of [`Class::ALL`]: instructions of warps.
    pub warp_instructions: [u64; 14],
    /// The same, instructions of threads.
    pub thread_instructions: [u64; 14],
    pub divergences: u64,
    /// Barriers that blocks passed.
    pub barriers: u64,
    pub loads: MemoryCounts,
    pub stores: MemoryCounts,
    pub atomics: MemoryCounts,
    pub shared_loads: SharedCounts,
    pub shared_stores: SharedCounts,
    pub shared_atomics: SharedCounts,
    /// Of global memory, in the whole launch.
    pub footprint: Footprint,
    /// Windows of the launch, each of as many sectors as the L2 cache holds
    /// ([`crate::Checks::l2_bytes`]); the last may be smaller.
    pub windows: u64,
    /// What is touched in each window, all of them added up.
    pub window_footprint: Footprint,
}

impl Counts {
    /// Adds what instructions of a class did.
    pub(crate) fn add(&mut self, class: Class, inst: &InstCounts) {
        self.warp_instructions[class as usize] += inst.warps;
        self.thread_instructions[class as usize] += inst.threads;
        self.divergences += inst.divergences;
        let (global, shared) = match class {
            Class::Load => (&mut self.loads, &mut self.shared_loads),
            Class::Store => (&mut self.stores, &mut self.shared_stores),
            Class::Copy => (&mut self.loads, &mut self.shared_stores),
            _ => (&mut self.atomics, &mut self.shared_atomics),
        };
        *global += inst.global;
        *shared += inst.shared;
    }

    /// Adds what another launch did; its footprint counts beside.
    pub fn add_launch(&mut self, other: &Counts) {
        let by_class = self
            .warp_instructions
            .iter_mut()
            .zip(other.warp_instructions);
        by_class.for_each(|(all, one)| *all += one);
        let by_class = self
            .thread_instructions
            .iter_mut()
            .zip(other.thread_instructions);
        by_class.for_each(|(all, one)| *all += one);
        self.divergences += other.divergences;
        self.barriers += other.barriers;
        self.loads += other.loads;
        self.stores += other.stores;
        self.atomics += other.atomics;
        self.shared_loads += other.shared_loads;
        self.shared_stores += other.shared_stores;
        self.shared_atomics += other.shared_atomics;
        self.footprint += other.footprint;
        self.windows += other.windows;
        self.window_footprint += other.window_footprint;
    }

    /// Instructions of threads, all classes together.
    pub fn threads(&self) -> u64 {
        self.thread_instructions.iter().sum()
    }
}

/// Different values of `addresses / size` among the lanes of a mask, where an
/// access of `bytes` bytes may reach into several.
pub(crate) fn distinct(addresses: &[u64], mask: u32, bytes: u64, shift: u32) -> u64 {
    let mut seen = [0u64; 64];
    let mut count = 0usize;
    let mut last = None;
    for (lane, address) in addresses.iter().enumerate() {
        if mask >> lane & 1 == 0 {
            continue;
        }
        let (first, end) = (address >> shift, last_byte(*address, bytes) >> shift);
        for unit in first..=end {
            // Neighbours mostly share or follow on.
            if last == Some(unit) {
                continue;
            }
            last = Some(unit);
            if !seen[..count].contains(&unit) && count < seen.len() {
                seen[count] = unit;
                count += 1;
            }
        }
    }
    count as u64
}

/// The last byte of an access. One that is out of bounds may go beyond the last address.
pub(crate) fn last_byte(address: u64, bytes: u64) -> u64 {
    address.saturating_add(bytes.saturating_sub(1))
}

/// The passes of 32 neighbours in a row, of 4, 8 or 16 bytes each.
pub(crate) const fn row_of_words(bytes: u32) -> SharedCounts {
    SharedCounts {
        requests: 1,
        wavefronts: bytes as u64 / 4,
        conflicts: 0,
    }
}

/// Of the addresses of words, whether no two lanes want different words of a bank.
fn is_one_pass(addresses: &[u64], mask: u32) -> bool {
    let mut words = [0u64; 32];
    let mut taken = 0u32;
    for (lane, address) in addresses.iter().enumerate() {
        if mask >> lane & 1 == 0 {
            continue;
        }
        let word = address / 4;
        let bank = (word % 32) as usize;
        if taken >> bank & 1 != 0 && words[bank] != word {
            return false;
        }
        taken |= 1 << bank;
        words[bank] = word;
    }
    true
}

/// Passes that a request to shared memory needs: for each of the 32 banks of 4
/// bytes, the different words that lanes want of it; the largest number counts.
/// Accesses of 8 bytes are served for half a warp at a time, of 16 for a
/// quarter.
pub(crate) fn wavefronts(addresses: &[u64], mask: u32, bytes: u32) -> SharedCounts {
    if bytes <= 4 && mask != 0 && is_one_pass(addresses, mask) {
        return row_of_words(4);
    }
    let parts = (bytes / 4).clamp(1, 4);
    let lanes = 32 / parts as usize;
    let mut wavefronts = 0;
    let mut ideal = 0;
    for part in 0..parts as usize {
        // The words that this part wants, bank by bank.
        let mut words = [[0u64; 32]; 32];
        let mut counts = [0u32; 32];
        let here = addresses.iter().enumerate();
        for (lane, address) in here.skip(part * lanes).take(lanes) {
            if mask >> lane & 1 == 0 {
                continue;
            }
            for w in 0..parts.max(1) {
                let word = address / 4 + u64::from(w);
                let bank = (word % 32) as usize;
                let n = counts[bank] as usize;
                if !words[bank][..n].contains(&word) && n < 32 {
                    words[bank][n] = word;
                    counts[bank] += 1;
                }
            }
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        wavefronts += u64::from(most);
        ideal += u64::from(most > 0);
    }
    SharedCounts {
        requests: 1,
        wavefronts,
        conflicts: wavefronts - ideal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(f: impl Fn(u64) -> u64) -> [u64; 32] {
        std::array::from_fn(|i| f(i as u64))
    }

    #[test]
    fn sectors_of_common_patterns() {
        let sectors = |f: fn(u64) -> u64, bytes| distinct(&lanes(f), u32::MAX, bytes, 5);
        assert_eq!(sectors(|i| i * 4, 4), 4);
        assert_eq!(sectors(|i| i * 4 + 4, 4), 5);
        assert_eq!(sectors(|_| 64, 4), 1);
        assert_eq!(sectors(|i| i * 8, 8), 8);
        assert_eq!(sectors(|i| i * 16, 16), 16);
        assert_eq!(sectors(|i| i * 128, 4), 32);
        assert_eq!(sectors(|i| (31 - i) * 4, 4), 4);
        assert_eq!(sectors(|i| (i % 2) * 4096 + i / 2 * 4, 4), 4);
        assert_eq!(distinct(&lanes(|i| i * 128), 0b101, 4, 5), 2);
        // Beyond the last address there are none.
        assert_eq!(sectors(|_| u64::MAX - 1, 8), 1);
    }

    #[test]
    fn bank_conflicts_of_common_patterns() {
        let passes = |f: fn(u64) -> u64, bytes| {
            let c = wavefronts(&lanes(f), u32::MAX, bytes);
            (c.wavefronts, c.conflicts)
        };
        assert_eq!(passes(|i| i * 4, 4), (1, 0));
        assert_eq!(passes(|_| 4, 4), (1, 0));
        assert_eq!(passes(|i| i * 8, 4), (2, 1));
        assert_eq!(passes(|i| i * 128, 4), (32, 31));
        assert_eq!(passes(|i| i * 132, 4), (1, 0));
        assert_eq!(passes(|i| i * 8, 8), (2, 0));
        assert_eq!(passes(|i| i * 16, 16), (4, 0));
        assert_eq!(passes(|i| i * 256, 8), (32, 30));
        assert_eq!(passes(|i| i, 1), (1, 0));
    }
}
