//! One instruction of one warp.

use crate::WARP;
use crate::block::{BARRIERS, State};
use crate::count::InstCounts;
use crate::decode::{Act, Inst, R, Rendezvous};
use crate::finding::{Finding, FindingKind};
use crate::grid::Context;
use crate::sync;
use crate::warp::{Wait, Warp, lanes};

/// A warp that runs, and all that it needs for it.
pub(crate) struct Runner<'a> {
    pub context: &'a Context<'a>,
    pub state: &'a mut State,
    pub warp: &'a mut Warp,
    pub counts: &'a mut [InstCounts],
    /// For each instruction, the region that it last found.
    pub last_region: &'a mut [u32],
}

/// What comes after an instruction.
enum Flow {
    /// The next one.
    On,
    /// The fragment goes there.
    Jump(u32),
    /// Some lanes go there, the others on.
    Split {
        lanes: u32,
        target: u32,
    },
    /// The same instruction again, once what it waits for is there.
    Wait(Wait),
    /// The fragment waits, and then goes on.
    WaitThenOn(Wait),
    Exit(u32),
    /// Lanes return to where a row says.
    Return {
        row: R,
        lanes: u32,
    },
    Call {
        lanes: u32,
        target: u32,
    },
    Abort,
}

impl Runner<'_> {
    /// Runs until all fragments wait, the warp is done or spins on what others will do, or
    /// `budget` instructions are spent; false if the launch must stop.
    pub fn run(&mut self, budget: u64) -> bool {
        let end = self.warp.executed + budget;
        let code = self.context.code;
        'pick: while self.warp.executed < end {
            let Some((f, stuck)) = self.warp.pick() else {
                return true;
            };
            if stuck {
                self.missing_lanes(f);
            }
            if self.warp.spins {
                return true;
            }
            loop {
                let fragment = self.warp.fragments[f];
                let pc = fragment.pc;
                let Some(inst) = code.insts.get(pc as usize) else {
                    self.note(
                        FindingKind::Trap,
                        pc.saturating_sub(1),
                        fragment.lanes,
                        |_| "control runs past the end of the code".to_string(),
                    );
                    return false;
                };
                let mask = match inst.guard {
                    Some(guard) => self.warp.holds(guard.row, guard.negated, fragment.lanes),
                    None => fragment.lanes,
                };
                self.check_reads(inst, pc, fragment.lanes, mask);
                self.warp.executed += 1;
                let flow = self.step(inst, pc, f, mask);
                if !matches!(flow, Flow::Wait(_)) {
                    let count = &mut self.counts[pc as usize];
                    count.warps += 1;
                    count.threads += u64::from(mask.count_ones());
                }
                if matches!(flow, Flow::Abort) {
                    return false;
                }
                if self.follow(flow, f, pc) {
                    continue 'pick;
                }
                let joins = code
                    .insts
                    .get(self.warp.fragments[f].pc as usize)
                    .is_some_and(|i| i.joins);
                if self.warp.should_pick(joins) || self.warp.executed >= end {
                    continue 'pick;
                }
            }
        }
        true
    }

    /// Moves the fragment; true if another one may have to run.
    fn follow(&mut self, flow: Flow, f: usize, pc: u32) -> bool {
        let warp = &mut *self.warp;
        match flow {
            Flow::On => {
                warp.fragments[f].pc = pc + 1;
                false
            }
            Flow::Jump(target) => {
                warp.fragments[f].pc = target;
                false
            }
            Flow::Split { lanes, target } => {
                let depth = warp.fragments[f].depth;
                warp.fragments[f].pc = pc + 1;
                warp.split(f, lanes, target, depth);
                self.counts[pc as usize].divergences += 1;
                true
            }
            Flow::Wait(wait) => {
                warp.fragments[f].wait = wait;
                true
            }
            Flow::WaitThenOn(wait) => {
                warp.fragments[f].pc = pc + 1;
                warp.fragments[f].wait = wait;
                true
            }
            Flow::Exit(lanes) => {
                warp.fragments[f].pc = pc + 1;
                warp.exit(f, lanes) || warp.fragments.len() > 1
            }
            Flow::Call { lanes, target } => {
                let fragment = &mut warp.fragments[f];
                if lanes == fragment.lanes {
                    fragment.pc = target;
                    fragment.depth += 1;
                    return warp.fragments.len() > 1;
                }
                let depth = fragment.depth + 1;
                fragment.pc = pc + 1;
                warp.split(f, lanes, target, depth);
                true
            }
            Flow::Return { row, lanes: mask } => {
                let depth = warp.fragments[f].depth.saturating_sub(1);
                let mut left = mask;
                // Lanes that were called from different places part.
                while left != 0 {
                    let first = left.trailing_zeros() as usize;
                    let to = warp.rows[row as usize][first];
                    let same: u32 = lanes(left)
                        .filter(|l| warp.rows[row as usize][*l] == to)
                        .fold(0, |m, l| m | 1 << l);
                    left &= !same;
                    warp.split(f, same, to as u32, depth);
                }
                warp.fragments[f].pc = pc + 1;
                if warp.fragments[f].lanes == 0 {
                    warp.fragments.remove(f);
                }
                true
            }
            Flow::Abort => true,
        }
    }

    fn step(&mut self, inst: &Inst, pc: u32, f: usize, mask: u32) -> Flow {
        let all = self.warp.fragments[f].lanes;
        match &inst.act {
            Act::Branch { target } => {
                return match mask {
                    m if m == all => Flow::Jump(*target),
                    0 => Flow::On,
                    lanes => Flow::Split {
                        lanes,
                        target: *target,
                    },
                };
            }
            _ if mask == 0 => return Flow::On,
            Act::Pure { f, to, from } => self.warp.compute(f, *to, from, mask),
            Act::Compare { f, to, other, from } => {
                let rows = &self.warp.rows;
                let mut out = [0; WARP];
                f(from.map(|r| &rows[r as usize]), &mut out);
                self.warp.write(*to, &out.map(|v| v & 1), mask);
                self.warp.write(*other, &out.map(|v| v >> 1), mask);
            }
            Act::Carry { .. } => self.warp.carry(&inst.act, mask),
            Act::Pack { to, parts, bits } => self.warp.pack(*to, parts, *bits, mask),
            Act::Unpack { to, from, bits } => self.warp.unpack(to, *from, *bits, mask),
            Act::Load(access) => self.load(access, pc, mask),
            Act::Store(access) => self.store(access, pc, mask),
            Act::Atomic {
                access,
                f,
                to,
                operands,
            } => self.atomic(access, f, *to, *operands, pc, mask),
            Act::CopyLocal { parts } => self.copy_local(parts, mask),
            Act::Copy { to, from, read } => self.copy(to, from, *read, pc, mask),
            Act::CopyCommit => self.copy_commit(mask),
            Act::CopyWait { pending } => self.copy_wait(*pending, mask),
            Act::Shuffle { .. }
            | Act::Vote { .. }
            | Act::Match { .. }
            | Act::Redux { .. }
            | Act::Product { .. }
            | Act::Matrices { .. }
            | Act::WarpBarrier { .. } => {
                let granted = self.warp.fragments[f].wait == Wait::Granted;
                let members = sync::members(&inst.act, self.warp, mask);
                let live = self.warp.live();
                if !granted && mask & members & live != members & live {
                    return Flow::Wait(Wait::Lanes { members });
                }
                self.warp.fragments[f].wait = Wait::No;
                self.warp_operation(&inst.act, pc, mask);
            }
            Act::ActiveMask { to } => {
                self.warp.write(*to, &[u64::from(mask); WARP], mask);
            }
            Act::Clock { to } => {
                let now = self.warp.executed;
                self.warp.write(*to, &[now; WARP], mask);
            }
            Act::Barrier {
                id,
                threads,
                aligned,
                how,
            } => return self.barrier(*id, *threads, *aligned, how, pc, mask),
            // Of the block its barriers and what is atomic say enough.
            Act::Fence { within_block } => {
                if !within_block {
                    self.state.fence();
                }
            }
            Act::Call {
                target,
                arguments,
                return_to,
            } => {
                for (from, to) in arguments {
                    let row = self.warp.rows[*from as usize];
                    self.warp.write(*to, &row, mask);
                }
                self.warp
                    .write(*return_to, &[u64::from(pc) + 1; WARP], mask);
                return Flow::Call {
                    lanes: mask,
                    target: *target,
                };
            }
            Act::Return { return_to } => {
                return Flow::Return {
                    row: *return_to,
                    lanes: mask,
                };
            }
            Act::Exit => return Flow::Exit(mask),
            Act::Trap => {
                self.note(FindingKind::Trap, pc, mask, |_| {
                    "the kernel stops itself".to_string()
                });
                return Flow::Abort;
            }
            Act::Nothing => {}
        }
        Flow::On
    }

    /// Comes to a barrier of the block.
    fn barrier(
        &mut self,
        id: R,
        threads: R,
        aligned: bool,
        how: &Rendezvous,
        pc: u32,
        mask: u32,
    ) -> Flow {
        let first = mask.trailing_zeros().min(31) as usize;
        let numbers = &self.warp.rows[id as usize];
        let id = numbers[first];
        let others = lanes(mask).fold(0, |m, l| m | u32::from(numbers[l] != id) << l);
        if others != 0 {
            self.note(FindingKind::BarrierDivergence, pc, others, |_| {
                format!("lanes of a warp come to different barriers, {id} and others,")
            });
        }
        if id >= BARRIERS as u64 {
            self.note(FindingKind::Trap, pc, mask, |_| {
                format!("a barrier of the number {id}; there are {BARRIERS},")
            });
            return Flow::Abort;
        }
        let threads = match self.warp.rows.get(threads as usize) {
            Some(row) => row[first] as u32,
            None => 0,
        };
        let id = id as u32;
        if *how != Rendezvous::Arrive {
            return Flow::WaitThenOn(Wait::Barrier {
                id,
                threads,
                aligned,
            });
        }
        let live = self.warp.live();
        if aligned && mask != live {
            let absent = live & !mask;
            self.note(FindingKind::BarrierDivergence, pc, mask, |_| {
                format!(
                    "the lanes {} of the warp do not reach it,",
                    list_lanes(absent)
                )
            });
        }
        // Warps are counted whole, whatever of them is there.
        let count = if aligned || mask == live {
            WARP as u32
        } else {
            mask.count_ones()
        };
        self.state.arrive(id, threads, count, self.warp.index);
        Flow::On
    }

    /// Reports registers that are read before they are written: the guard by all
    /// lanes, the others by those that it lets take part.
    fn check_reads(&mut self, inst: &Inst, pc: u32, all: u32, mask: u32) {
        if !self.context.checks.registers {
            return;
        }
        for row in &inst.reads {
            let is_guard = inst.guard.is_some_and(|g| g.row == *row);
            let missing = self.warp.unwritten(*row, if is_guard { all } else { mask });
            if missing != 0 {
                self.note(FindingKind::UninitializedRegister, pc, missing, |_| {
                    "a register is read that was not written".to_string()
                });
                // Once is enough.
                self.warp.note_written(*row, missing);
            }
        }
    }

    fn missing_lanes(&mut self, f: usize) {
        let fragment = self.warp.fragments[f];
        let inst = &self.context.code.insts[fragment.pc as usize];
        let members = sync::members(&inst.act, self.warp, fragment.lanes);
        let missing = members & self.warp.live() & !fragment.lanes;
        self.note(
            FindingKind::WarpDivergence,
            fragment.pc,
            fragment.lanes,
            |_| {
                format!(
                    "the lanes {} are named and do not take part",
                    list_lanes(missing)
                )
            },
        );
    }

    /// Reports something about the first lane of a mask, which `message` is told.
    pub fn note(
        &self,
        kind: FindingKind,
        pc: u32,
        mask: u32,
        message: impl FnOnce(usize) -> String,
    ) {
        self.note_with(kind, pc, None, mask.trailing_zeros() as usize, message);
    }

    pub fn note_with(
        &self,
        kind: FindingKind,
        pc: u32,
        other: Option<u32>,
        lane: usize,
        message: impl FnOnce(usize) -> String,
    ) {
        let context = self.context;
        let site = |pc: u32| {
            context
                .code
                .sites
                .get(pc as usize)
                .cloned()
                .unwrap_or_default()
        };
        let thread = self.warp.index * WARP as u32 + lane.min(31) as u32;
        context
            .findings
            .note(kind, pc, other.unwrap_or(pc), || Finding {
                kind,
                message: message(lane.min(31)),
                site: site(pc),
                other: other.map(site),
                block: self.state.coordinates,
                thread: context.thread_coordinates(thread),
                count: 1,
                instructions: 1,
            });
    }
}

/// Lane numbers as ranges: `0-3, 7`.
pub(crate) fn list_lanes(mask: u32) -> String {
    let mut out = String::new();
    let mut lane = 0;
    while lane < 32 {
        if mask >> lane & 1 == 0 {
            lane += 1;
            continue;
        }
        let run = (!(mask >> lane)).trailing_zeros().min(32 - lane);
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(&lane.to_string());
        if run > 1 {
            out.push_str(&format!("-{}", lane + run - 1));
        }
        lane += run;
    }
    out
}
