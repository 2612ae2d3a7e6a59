//! A warp: registers, and the groups of its lanes that run together.
//!
//! Lanes that diverge form fragments. The fragment deepest in calls runs first,
//! among equals the one that stands earliest in the code; as the code of a
//! structured program is in topological order, fragments meet again where
//! their paths join. While a fragment reads again and again by atomic or volatile
//! accesses, which is how lanes wait for each other, the others are let run out
//! of order, so that lanes get on that spin on what another lane of their warp
//! will do, as they do on GPUs since sm_70.

use crate::decode::{Act, Code, NO_ROW, PureFn, R};
use crate::value::int::low;
use crate::wide::{blend, nonzero};
use crate::{Row, WARP};
use smallvec::SmallVec;

/// What a fragment waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    No,
    /// The block's barrier with so many threads (0 for all); `aligned` says that all
    /// lanes of the warp come by the same instruction.
    Barrier {
        id: u32,
        threads: u32,
        aligned: bool,
    },
    /// The lanes that a warp operation names.
    Lanes {
        members: u32,
    },
    /// The lanes are here, or will never be: the operation is to be done.
    Granted,
}

/// Lanes that stand at the same instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fragment {
    pub pc: u32,
    pub lanes: u32,
    pub depth: u32,
    pub wait: Wait,
    /// When it last ran, in picks of the warp.
    ran: u64,
}

pub(crate) struct Warp {
    /// Position in the block.
    pub index: u32,
    pub rows: Box<[Row]>,
    /// For each register, the lanes that wrote it.
    pub written: Box<[u32]>,
    pub fragments: SmallVec<[Fragment; 4]>,
    /// Lanes that have a thread.
    pub threads: u32,
    /// Lanes that have ended.
    pub exited: u32,
    /// The epoch of the last barrier of the warp.
    pub sync_epoch: u32,
    /// Instructions executed.
    pub executed: u64,
    picks: u64,
    /// Strong reads since fragments were last taken in turn.
    patience: u32,
    /// When it last ran all it could do was to read again and again.
    pub spins: bool,
}

/// Strong reads that one fragment may do while others stand ready.
const PATIENCE: u32 = 32;

impl Warp {
    /// A warp with the rows of a kernel, the constants among them filled.
    pub fn new(index: u32, code: &Code) -> Warp {
        let mut rows = vec![[0; WARP]; code.rows()].into_boxed_slice();
        let constants = &mut rows[code.registers as usize..];
        for (row, value) in constants.iter_mut().zip(&code.constants) {
            *row = [*value; WARP];
        }
        Warp {
            index,
            rows,
            written: vec![0; code.registers as usize].into_boxed_slice(),
            fragments: SmallVec::new(),
            threads: 0,
            exited: 0,
            sync_epoch: 0,
            executed: 0,
            picks: 0,
            patience: 0,
            spins: false,
        }
    }

    /// At the kernel's first instruction, with nothing written.
    pub fn start(&mut self, threads: u32) {
        self.written.fill(0);
        self.threads = threads;
        self.exited = 0;
        self.sync_epoch = 0;
        self.executed = 0;
        self.picks = 0;
        self.patience = 0;
        self.fragments.clear();
        self.fragments.push(Fragment {
            pc: 0,
            lanes: threads,
            depth: 0,
            wait: Wait::No,
            ran: 0,
        });
    }

    /// The lanes that have not ended.
    pub fn live(&self) -> u32 {
        self.threads & !self.exited
    }

    pub fn is_done(&self) -> bool {
        self.fragments.is_empty()
    }

    /// Whether all lanes that are left wait for barriers of the block.
    pub fn is_at_barriers(&self) -> bool {
        !self.fragments.is_empty()
            && self
                .fragments
                .iter()
                .all(|f| matches!(f.wait, Wait::Barrier { .. }))
    }

    /// Joins fragments that stand at the same place, waiting for the same.
    fn merge(&mut self) {
        let mut i = 0;
        while i < self.fragments.len() {
            let mut j = i + 1;
            while j < self.fragments.len() {
                let (a, b) = (self.fragments[i], self.fragments[j]);
                if (a.pc, a.depth, a.wait) == (b.pc, b.depth, b.wait) {
                    self.fragments[i].lanes |= b.lanes;
                    self.fragments.remove(j);
                } else {
                    j += 1;
                }
            }
            i += 1;
        }
    }

    /// The fragment to run now; none if all wait for barriers. A fragment that
    /// waits for lanes which cannot come is granted, and second is whether it was
    /// so.
    pub fn pick(&mut self) -> Option<(usize, bool)> {
        let in_turn = self.patience > PATIENCE;
        if in_turn {
            self.patience = 0;
        }
        self.spins = in_turn;
        if let [one] = self.fragments.as_slice()
            && matches!(one.wait, Wait::No | Wait::Granted)
        {
            return Some((0, false));
        }
        self.merge();
        self.picks += 1;
        let live = self.live();
        for fragment in &mut self.fragments {
            if let Wait::Lanes { members } = fragment.wait
                && fragment.lanes & members & live == members & live
            {
                fragment.wait = Wait::Granted;
            }
        }
        let ready = self
            .fragments
            .iter()
            .enumerate()
            .filter(|(_, f)| matches!(f.wait, Wait::No | Wait::Granted));
        self.spins &= ready.clone().count() == 1;
        let best = if in_turn {
            ready.min_by_key(|(_, f)| f.ran)
        } else {
            ready.min_by_key(|(_, f)| (u32::MAX - f.depth, f.pc))
        };
        let best = best.map(|(i, _)| i);
        if let Some(i) = best {
            self.fragments[i].ran = self.picks;
            return Some((i, false));
        }
        let stuck = self
            .fragments
            .iter()
            .position(|f| matches!(f.wait, Wait::Lanes { .. }))?;
        self.fragments[stuck].wait = Wait::Granted;
        Some((stuck, true))
    }

    /// Whether the fragment that runs should let others be looked at.
    pub fn should_pick(&self, joins: bool) -> bool {
        self.fragments.len() > 1 && joins || self.patience > PATIENCE
    }

    /// Notes a read that may be one of waiting for another thread.
    pub fn note_strong_read(&mut self) {
        self.patience += 1;
    }

    /// Part of the lanes of a fragment go elsewhere.
    pub fn split(&mut self, from: usize, lanes: u32, pc: u32, depth: u32) {
        self.fragments[from].lanes &= !lanes;
        self.fragments.push(Fragment {
            pc,
            lanes,
            depth,
            wait: Wait::No,
            ran: self.picks,
        });
    }

    /// Lanes of a fragment end. True if the fragment is gone.
    pub fn exit(&mut self, from: usize, lanes: u32) -> bool {
        self.exited |= lanes;
        self.fragments[from].lanes &= !lanes;
        if self.fragments[from].lanes == 0 {
            self.fragments.remove(from);
            return true;
        }
        false
    }

    /// Notes that lanes of a register were written.
    #[inline]
    pub fn note_written(&mut self, row: R, lanes: u32) {
        if let Some(written) = self.written.get_mut(row as usize) {
            *written |= lanes;
        }
    }

    /// Lanes of a mask for which a register was never written.
    #[inline]
    pub fn unwritten(&self, row: R, lanes: u32) -> u32 {
        match self.written.get(row as usize) {
            Some(written) => lanes & !written,
            None => 0,
        }
    }

    /// The lanes of a mask for which a predicate holds.
    #[inline]
    pub fn holds(&self, row: R, negated: bool, lanes: u32) -> u32 {
        let mask = nonzero(&self.rows[row as usize]);
        lanes & if negated { !mask } else { mask }
    }

    /// Writes lanes of a row as a function of others.
    #[inline]
    pub fn compute(&mut self, f: &PureFn, to: R, from: &[R; 3], lanes: u32) {
        let mut out = [0; WARP];
        let rows = &self.rows;
        f(from.map(|r| &rows[r as usize]), &mut out);
        self.write(to, &out, lanes);
    }

    /// An instruction that may read and write a carry.
    pub fn carry(&mut self, act: &Act, lanes: u32) {
        let Act::Carry {
            f,
            bits,
            to,
            from,
            carry_in,
            carry_out,
        } = act
        else {
            return;
        };
        let [a, b, c] = from.map(|r| &self.rows[r as usize]);
        let before = self.rows.get(*carry_in as usize);
        let (mut out, mut carry) = ([0; WARP], [0; WARP]);
        for lane in 0..WARP {
            let before = before.map_or(0, |row| row[lane] & 1);
            let from = [a[lane], b[lane], c[lane], before];
            (out[lane], carry[lane]) = f(from, *bits);
        }
        self.write(*to, &out, lanes);
        self.write(*carry_out, &carry, lanes);
    }

    /// One row of several, each of `bits` bits, the first lowest.
    pub fn pack(&mut self, to: R, parts: &[R], bits: u32, lanes: u32) {
        let mut out = [0; WARP];
        for (i, part) in parts.iter().enumerate() {
            let row = &self.rows[*part as usize];
            for (o, v) in out.iter_mut().zip(row) {
                *o |= low(*v, bits) << (i as u32 * bits);
            }
        }
        self.write(to, &out, lanes);
    }

    /// The reverse of [`Warp::pack`].
    pub fn unpack(&mut self, to: &[R], from: R, bits: u32, lanes: u32) {
        let value: Row = self.rows[from as usize];
        for (i, part) in to.iter().enumerate() {
            let out = value.map(|v| low(v >> (i as u32 * bits), bits));
            self.write(*part, &out, lanes);
        }
    }

    /// Writes lanes of a row.
    #[inline]
    pub fn write(&mut self, row: R, values: &Row, lanes: u32) {
        if row == NO_ROW {
            return;
        }
        let target = &mut self.rows[row as usize];
        if lanes == u32::MAX {
            *target = *values;
        } else {
            blend(target, values, lanes);
        }
        self.note_written(row, lanes);
    }
}

/// The numbers of the lanes of a mask.
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}
