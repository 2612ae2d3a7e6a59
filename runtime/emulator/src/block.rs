//! A block: its warps, its memory, its barriers.

use crate::copies::Copies;
use crate::count::InstCounts;
use crate::decode::{Act, Code, Rendezvous};
use crate::finding::{Finding, FindingKind, Site};
use crate::grid::Context;
use crate::known::Known;
use crate::memory::Region;
use crate::races::{Kind, MAX_EPOCHS, Order, Races};
use crate::step::{Runner, list_lanes};
use crate::warp::{Wait, Warp};
use crate::{Row, WARP};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use terrace_ptx::Special;
use terrace_ptx::modifiers::Reduce;

/// What the warps of a block share.
pub(crate) struct State {
    /// Number of the block in the grid, x first.
    pub number: u64,
    pub coordinates: [u32; 3],
    pub shared: Region,
    pub shared_races: Option<Races>,
    /// Local memory, one thread's after the other's.
    pub local: Region,
    /// Counts barriers, warp barriers and fences.
    pub epoch: u32,
    /// The epoch of the last barrier.
    pub barrier_epoch: u32,
    /// Of other blocks, the epochs before which accesses are known to be over.
    pub acquired: FxHashMap<u64, u32>,
    /// The epoch that the last fence began.
    pub fenced: Option<u32>,
    pub barriers: u64,
    /// Of each barrier, threads that arrived without waiting, and how many it takes.
    arrived: [(u32, u32); BARRIERS],
    pub copies: Copies,
    /// What barriers of part of the block order, if there are such.
    known: Option<Known>,
}

/// Barriers of a block.
pub(crate) const BARRIERS: usize = 16;

impl State {
    /// Begins a new epoch. When the numbers are used up races may be missed,
    /// never invented.
    pub fn next_epoch(&mut self) {
        self.epoch = (self.epoch + 1).min(MAX_EPOCHS - 1);
    }

    /// Everything before may be released by what follows.
    pub fn fence(&mut self) {
        self.next_epoch();
        self.fenced = Some(self.epoch);
    }

    /// Threads arrive at a barrier without waiting.
    pub fn arrive(&mut self, id: u32, threads: u32, count: u32, warp: u32) {
        self.next_epoch();
        if let Some(known) = &mut self.known {
            known.arrive(id, warp as usize, self.epoch);
        }
        if let Some(arrived) = self.arrived.get_mut(id as usize) {
            *arrived = (arrived.0.saturating_add(count), threads);
        }
    }

    /// What an access of a warp is ordered after.
    pub fn order(&self, warp: &Warp) -> Order<'_> {
        let acquired = &self.acquired;
        Order {
            barrier: self.barrier_epoch,
            known: self.known.as_ref().map(|k| k.of(warp.index as usize)),
            warp: warp.sync_epoch,
            acquired: (!acquired.is_empty()).then_some(acquired),
            access: Kind::Usual,
        }
    }
}

pub(crate) struct Block {
    pub state: State,
    pub warps: Vec<Warp>,
}

/// How a block left off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    Finished,
    /// It can go on.
    Paused,
    /// The launch must stop.
    Stopped,
}

/// Instructions that a warp runs before the next one has its turn.
const SLICE: u64 = 4096;

impl Block {
    /// A block of a launch, not started; none if the host lacks memory.
    pub fn new(context: &Context<'_>) -> Option<Block> {
        let threads = context.threads;
        let local = u64::from(context.local_bytes) * u64::from(threads);
        let shared = u64::from(context.shared_bytes);
        let warps = threads.div_ceil(WARP as u32);
        Some(Block {
            state: State {
                number: 0,
                coordinates: [0; 3],
                shared: Region::new(0, shared, "")?,
                shared_races: context
                    .checks
                    .races
                    .then(|| Races::new(shared, context.code.granule_shift)),
                local: Region::new(0, local, "")?,
                epoch: 0,
                barrier_epoch: 0,
                acquired: FxHashMap::default(),
                fenced: None,
                barriers: 0,
                arrived: [(0, 0); BARRIERS],
                copies: Copies::default(),
                known: context.code.has_partial_barriers.then(Known::default),
            },
            warps: (0..warps).map(|i| Warp::new(i, context.code)).collect(),
        })
    }

    /// Starts as block `number` of the grid.
    pub fn start(&mut self, context: &Context<'_>, number: u64) {
        let state = &mut self.state;
        state.number = number;
        state.coordinates = context.block_coordinates(number);
        state.shared.reset();
        if let Some(races) = &mut state.shared_races {
            races.reset();
        }
        if context.local_bytes > 0 {
            state.local.reset();
        }
        state.epoch = 0;
        state.barrier_epoch = 0;
        state.acquired.clear();
        state.fenced = None;
        state.arrived = [(0, 0); BARRIERS];
        if let Some(known) = &mut state.known {
            known.reset(self.warps.len());
        }
        if context.code.has_copies {
            state.copies.reset(context.threads, state.shared.bytes);
        }
        for warp in &mut self.warps {
            let first = warp.index * WARP as u32;
            let threads = (context.threads - first).min(WARP as u32);
            let mask = if threads == 32 {
                u32::MAX
            } else {
                (1 << threads) - 1
            };
            warp.start(mask);
            fill_specials(warp, context, &self.state);
        }
    }

    /// Runs about `budget` instructions of warps.
    pub fn run(
        &mut self,
        context: &Context<'_>,
        counts: &mut [InstCounts],
        last_region: &mut [u32],
        budget: u64,
    ) -> Progress {
        let mut left = budget;
        loop {
            let (mut ran, mut spins) = (false, true);
            for warp in &mut self.warps {
                if warp.is_done() || warp.is_at_barriers() {
                    continue;
                }
                ran = true;
                let before = warp.executed;
                let mut runner = Runner {
                    context,
                    state: &mut self.state,
                    warp,
                    counts,
                    last_region,
                };
                let go_on = runner.run(SLICE);
                let steps = warp.executed - before;
                spins &= warp.spins && !warp.is_done();
                left = left.saturating_sub(steps);
                if !go_on || !context.spend(steps) {
                    if go_on {
                        self.too_long(context);
                    }
                    context.stop();
                    return Progress::Stopped;
                }
            }
            if self.warps.iter().all(Warp::is_done) {
                return Progress::Finished;
            }
            let released = self.release_barriers(context);
            if !ran && !released {
                self.deadlock(context);
                context.stop();
                return Progress::Stopped;
            }
            if context.is_stopped() {
                return Progress::Stopped;
            }
            // What all its warps spin on is for another block to do.
            if left == 0 || ran && spins && !released {
                return Progress::Paused;
            }
        }
    }

    /// Lets the threads of every barrier go on that has all of its threads.
    fn release_barriers(&mut self, context: &Context<'_>) -> bool {
        let mut released = false;
        for (id, arrived) in (0..).zip(self.state.arrived) {
            let mut waiting = arrived.0;
            let mut wanted = (arrived.0 > 0).then_some(arrived.1);
            let mut everyone = true;
            for warp in self.warps.iter().filter(|w| !w.is_done()) {
                let mut here = 0u32;
                let mut whole = true;
                for fragment in &warp.fragments {
                    match fragment.wait {
                        Wait::Barrier {
                            id: at,
                            threads,
                            aligned,
                        } if at == id => {
                            here |= fragment.lanes;
                            whole &= aligned;
                            wanted = wanted.or(Some(threads));
                        }
                        _ => {}
                    }
                }
                everyone &= here == warp.live();
                // An aligned barrier counts whole warps.
                waiting += match here {
                    0 => 0,
                    _ if whole || here == warp.live() => WARP as u32,
                    _ => here.count_ones(),
                };
            }
            let full = match wanted {
                None => false,
                Some(0) => everyone,
                Some(threads) => waiting >= threads,
            };
            if full {
                self.pass_barrier(context, id);
                released = true;
            }
        }
        released
    }

    fn pass_barrier(&mut self, context: &Context<'_>, id: u32) {
        self.state.barriers += 1;
        self.state.next_epoch();
        self.state.barrier_epoch = self.state.epoch;
        if let Some(known) = &mut self.state.known {
            let waits = |w: &&Warp| {
                let mut fragments = w.fragments.iter();
                fragments.any(|f| matches!(f.wait, Wait::Barrier { id: at, .. } if at == id))
            };
            let waiting: Vec<usize> = (self.warps.iter().filter(waits))
                .map(|w| w.index as usize)
                .collect();
            known.pass(id, &waiting, self.state.epoch);
        }
        self.state.arrived[id as usize] = (0, 0);
        self.reduce_at_barrier(context, id);
        for warp in &mut self.warps {
            let here: Vec<_> = warp
                .fragments
                .iter()
                .filter(|f| matches!(f.wait, Wait::Barrier { id: at, .. } if at == id))
                .map(|f| (f.pc - 1, f.lanes))
                .collect();
            let Some(((pc, lanes), others)) = here.split_first() else {
                continue;
            };
            let unaligned = warp.fragments.iter().any(
                |f| matches!(f.wait, Wait::Barrier { id: at, aligned: false, .. } if at == id),
            );
            if unaligned {
                release(warp, id);
                continue;
            }
            let absent = warp.threads & !here.iter().fold(0, |m, (_, l)| m | l);
            let at = others
                .first()
                .map(|(pc, _)| *pc)
                .filter(|other| other != pc);
            if absent != 0 || at.is_some() {
                let (lanes, ended) = (
                    list_lanes(*lanes),
                    absent & warp.exited == absent && absent != 0,
                );
                let absent = list_lanes(absent);
                let message = match (at, ended) {
                    (Some(_), _) => format!("only the lanes {lanes} of the warp reach it here"),
                    (None, true) => {
                        format!("the lanes {absent} of the warp have ended and do not reach it")
                    }
                    (None, false) => format!("the lanes {absent} of the warp do not reach it"),
                };
                note(
                    context,
                    &self.state,
                    warp.index,
                    FindingKind::BarrierDivergence,
                    *pc,
                    at,
                    message,
                );
            }
            release(warp, id);
        }
    }

    /// Gives the threads that wait at a barrier what their predicates come to.
    fn reduce_at_barrier(&mut self, context: &Context<'_>, id: u32) {
        let waiting = |warp: &Warp| -> SmallVec<[(Rendezvous, u32); 4]> {
            let here = warp.fragments.iter().filter_map(|f| {
                let inst = context.code.insts.get((f.pc as usize).wrapping_sub(1))?;
                match (&inst.act, f.wait) {
                    (Act::Barrier { how, .. }, Wait::Barrier { id: at, .. }) if at == id => {
                        Some((*how, f.lanes))
                    }
                    _ => None,
                }
            });
            here.collect()
        };
        let (mut count, mut total) = (0, 0);
        for warp in &self.warps {
            for (how, lanes) in waiting(warp) {
                if let Rendezvous::Reduce { value, negated, .. } = how {
                    count += warp.holds(value, negated, lanes).count_ones();
                    total += lanes.count_ones();
                }
            }
        }
        if total == 0 {
            return;
        }
        for warp in &mut self.warps {
            for (how, lanes) in waiting(warp) {
                if let Rendezvous::Reduce { how, to, .. } = how {
                    let result = match how {
                        Reduce::And => u64::from(count == total),
                        Reduce::Or => u64::from(count > 0),
                        _ => u64::from(count),
                    };
                    warp.write(to, &[result; WARP], lanes);
                }
            }
        }
    }

    fn deadlock(&self, context: &Context<'_>) {
        let mut places: Vec<(u32, u32, u32)> = Vec::new();
        for warp in &self.warps {
            for fragment in &warp.fragments {
                if let Wait::Barrier { id, .. } = fragment.wait {
                    places.push((fragment.pc - 1, id, warp.index));
                }
            }
        }
        let Some((pc, id, warp)) = places.first().copied() else {
            return;
        };
        let other = places.iter().find(|(p, ..)| *p != pc).map(|(p, ..)| *p);
        let done = self.warps.iter().filter(|w| w.is_done()).count();
        let message = format!(
            "{} warps wait at barriers, the first at barrier {id}, that the others never reach \
             ({done} of {} warps have ended)",
            self.warps.len() - done,
            self.warps.len()
        );
        note(
            context,
            &self.state,
            warp,
            FindingKind::Deadlock,
            pc,
            other,
            message,
        );
    }

    fn too_long(&self, context: &Context<'_>) {
        let running = self
            .warps
            .iter()
            .find(|w| !w.is_done() && !w.is_at_barriers());
        let Some(warp) = running.or(self.warps.first()) else {
            return;
        };
        let pc = warp.fragments.first().map_or(0, |f| f.pc);
        let message = format!(
            "more than {} instructions of warps; the launch is stopped",
            context.checks.steps
        );
        note(
            context,
            &self.state,
            warp.index,
            FindingKind::TooLong,
            pc,
            None,
            message,
        );
    }
}

/// Lets the fragments of a warp go on that wait at a barrier.
fn release(warp: &mut Warp, id: u32) {
    for fragment in &mut warp.fragments {
        if matches!(fragment.wait, Wait::Barrier { id: at, .. } if at == id) {
            fragment.wait = Wait::No;
        }
    }
}

fn note(
    context: &Context<'_>,
    state: &State,
    warp: u32,
    kind: FindingKind,
    pc: u32,
    other: Option<u32>,
    message: String,
) {
    let site = |pc: u32| -> Site {
        context
            .code
            .sites
            .get(pc as usize)
            .cloned()
            .unwrap_or_default()
    };
    context
        .findings
        .note(kind, pc, other.unwrap_or(pc), || Finding {
            kind,
            message,
            site: site(pc),
            other: other.map(site),
            block: state.coordinates,
            thread: context.thread_coordinates(warp * WARP as u32),
            count: 1,
            instructions: 1,
        });
}

/// Fills the rows of special registers.
fn fill_specials(warp: &mut Warp, context: &Context<'_>, state: &State) {
    let code: &Code = context.code;
    let first = code.registers as usize + code.constants.len();
    let (grid, block, number) = (context.grid, context.block, state.coordinates);
    let warps = context.threads.div_ceil(WARP as u32);
    let all = |v: u32| -> Row { [u64::from(v); WARP] };
    let by_lane =
        |f: &dyn Fn(u32) -> u32| -> Row { std::array::from_fn(|l| u64::from(f(l as u32))) };
    let index = warp.index;
    let thread =
        |axis: usize| by_lane(&|l| context.thread_coordinates(index * WARP as u32 + l)[axis]);
    for (row, special) in warp.rows[first..].iter_mut().zip(&code.specials) {
        *row = match special {
            Special::TidX => thread(0),
            Special::TidY => thread(1),
            Special::TidZ => thread(2),
            Special::NtidX => all(block[0]),
            Special::NtidY => all(block[1]),
            Special::NtidZ => all(block[2]),
            Special::CtaidX => all(number[0]),
            Special::CtaidY => all(number[1]),
            Special::CtaidZ => all(number[2]),
            Special::NctaidX => all(grid[0]),
            Special::NctaidY => all(grid[1]),
            Special::NctaidZ => all(grid[2]),
            Special::LaneId => by_lane(&|l| l),
            Special::WarpId => all(index),
            Special::NWarpId => all(warps),
            Special::SmId => all(0),
            Special::NSmId => all(1),
            Special::LanemaskEq => by_lane(&|l| 1 << l),
            Special::LanemaskLe => by_lane(&|l| u32::MAX >> (31 - l)),
            Special::LanemaskLt => by_lane(&|l| (1 << l) - 1),
            Special::LanemaskGe => by_lane(&|l| u32::MAX << l),
            Special::LanemaskGt => by_lane(&|l| (u32::MAX << l) & !(1 << l)),
            // Read through an instruction of their own.
            Special::Clock | Special::Clock64 | Special::GlobalTimer => all(0),
            Special::DynamicSmemSize => all(context.dynamic_shared),
            Special::TotalSmemSize => all(context.shared_bytes),
        };
    }
}
