//! A launch: blocks on host threads.

use crate::block::{Block, Progress};
use crate::count::{Counts, InstCounts};
use crate::decode::{Code, Kernel};
use crate::finding::{Finding, Findings};
use crate::footprint::{SECTOR, Sectors, Windows};
use crate::memory::{Memory, Region};
use crate::races::{MAX_BLOCKS, Races};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// The shape of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Config {
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z; at most 1024 together.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    /// Races, in global and shared memory; costs ten bytes a byte that kernels
    /// touch.
    pub races: bool,
    /// Reads of memory that nobody wrote.
    pub uninitialized: bool,
    /// Reads of registers that the thread did not write.
    pub registers: bool,
    /// Instructions of warps, after which a launch is stopped.
    pub steps: u64,
    /// Host threads; 0 for one a core.
    pub threads: usize,
    /// Bytes of the L2 cache that footprints are counted by; 0 for no bound.
    pub l2_bytes: u64,
}

impl Default for Checks {
    /// Everything, with 100 billion instructions.
    fn default() -> Checks {
        Checks {
            races: true,
            uninitialized: true,
            registers: true,
            steps: 100_000_000_000,
            threads: 0,
            l2_bytes: 0,
        }
    }
}

/// A launch to be run.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    pub kernel: &'a Kernel,
    pub config: Config,
    /// The parameters' bytes, laid out as [`Kernel::parameters`] says.
    pub params: &'a [u8],
}

/// What a launch did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What is wrong, in the order of the PTX text; at most a hundred.
    pub findings: Vec<Finding>,
    /// Whether all threads ran to their end.
    pub completed: bool,
    pub counts: Counts,
    /// For each instruction, in the order of [`Kernel::sites`].
    pub insts: Vec<InstCounts>,
}

/// A region of global memory during a launch.
pub(crate) struct LiveRegion {
    pub region: Arc<Region>,
    pub races: Option<Races>,
    sectors: Sectors,
    windows: Arc<Windows>,
}

impl LiveRegion {
    #[inline]
    pub fn touch_sectors(&self, at: u64, bytes: u32, write: bool) {
        for sector in at / SECTOR..=(at + u64::from(bytes) - 1) / SECTOR {
            self.sectors.touch(sector, write, &self.windows);
        }
    }
}

/// Of blocks, the epochs before which accesses are over.
type Clocks = FxHashMap<u64, u32>;

/// What all blocks of a launch share.
pub(crate) struct Context<'a> {
    pub code: &'a Code,
    pub params: &'a [u8],
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Threads of a block.
    pub threads: u32,
    pub shared_bytes: u32,
    pub dynamic_shared: u32,
    /// Local memory of one thread.
    pub local_bytes: u32,
    pub regions: Vec<LiveRegion>,
    pub checks: Checks,
    pub findings: Findings,
    steps: AtomicU64,
    stopped: AtomicBool,
    /// What was released, by the address that it was released at.
    released: Mutex<FxHashMap<u64, Clocks>>,
}

impl Context<'_> {
    /// Counts steps; false when there are too many.
    pub fn spend(&self, steps: u64) -> bool {
        self.steps.fetch_add(steps, Relaxed) + steps <= self.checks.steps
    }

    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    pub fn thread_coordinates(&self, thread: u32) -> [u32; 3] {
        coordinates(u64::from(thread), self.block)
    }

    pub fn block_coordinates(&self, number: u64) -> [u32; 3] {
        coordinates(number, self.grid)
    }

    /// A parameter's value.
    pub fn param(&self, at: u64, bytes: u32) -> u64 {
        let at = at as usize;
        let mut out = [0; 8];
        let end = (at + bytes as usize).min(self.params.len());
        let part = self.params.get(at..end).unwrap_or(&[]);
        out[..part.len()].copy_from_slice(part);
        u64::from_le_bytes(out)
    }

    fn released(&self) -> std::sync::MutexGuard<'_, FxHashMap<u64, Clocks>> {
        self.released.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a block may know that reads at an address.
    pub fn acquire(&self, address: u64, known: &mut Clocks) {
        if let Some(clocks) = self.released().get(&address) {
            join(known, clocks);
        }
    }

    /// A block makes known, at an address, its accesses before an epoch, and
    /// those of others that it knows of.
    pub fn release(&self, address: u64, block: u64, epoch: u32, known: &Clocks) {
        let mut released = self.released();
        let clocks = released.entry(address).or_default();
        join(clocks, known);
        let own = clocks.entry(block).or_default();
        *own = epoch.max(*own);
    }
}

fn join(into: &mut Clocks, from: &Clocks) {
    for (block, epoch) in from {
        let known = into.entry(*block).or_default();
        *known = (*known).max(*epoch);
    }
}

fn coordinates(number: u64, dims: [u32; 3]) -> [u32; 3] {
    let (x, y) = (u64::from(dims[0].max(1)), u64::from(dims[1].max(1)));
    [
        (number % x) as u32,
        (number / x % y) as u32,
        (number / (x * y)) as u32,
    ]
}

/// Blocks that a host thread keeps going at a time, so that blocks may wait for
/// each other.
const RESIDENT: usize = 64;
/// Instructions of warps before another block has its turn.
const TURN: u64 = 1 << 16;

/// Runs a launch to its end.
///
/// # Errors
/// When it asks for what no launch can: more than 1024 threads a block, a
/// dimension of 0, other bytes of parameters than the kernel has.
pub fn launch(memory: &Memory, launch: &Launch<'_>, checks: &Checks) -> Result<Outcome, String> {
    let Launch {
        kernel,
        config,
        params,
    } = *launch;
    let product = |dims: [u32; 3]| dims.iter().map(|d| u64::from(*d)).product::<u64>();
    let (threads, blocks) = (product(config.block), product(config.grid));
    if threads == 0 || threads > 1024 {
        return Err(format!(
            "a block of {threads} threads; 1 to 1024 are possible"
        ));
    }
    if blocks > MAX_BLOCKS {
        return Err(format!(
            "a grid of {blocks} blocks; the emulator runs up to {MAX_BLOCKS}"
        ));
    }
    if params.len() != kernel.parameter_bytes as usize {
        return Err(format!(
            "{} bytes of parameters for {}, which has {}",
            params.len(),
            kernel.name,
            kernel.parameter_bytes
        ));
    }
    let code = &kernel.code;
    let windows = Arc::new(Windows::new(checks.l2_bytes));
    let live = memory.regions().into_iter().map(|region| LiveRegion {
        races: checks
            .races
            .then(|| Races::new(region.bytes, code.granule_shift)),
        sectors: Sectors::new(region.bytes),
        windows: Arc::clone(&windows),
        region,
    });
    let context = Context {
        code,
        params,
        grid: config.grid,
        block: config.block,
        threads: threads as u32,
        shared_bytes: kernel.static_shared.saturating_add(config.shared_bytes),
        dynamic_shared: config.shared_bytes,
        local_bytes: kernel.local,
        regions: live.collect(),
        checks: *checks,
        findings: Findings::default(),
        steps: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
        released: Mutex::default(),
    };
    let next = AtomicU64::new(0);
    let workers = match checks.threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        n => n,
    };
    let workers = workers
        .min(usize::try_from(blocks).unwrap_or(usize::MAX))
        .max(1);
    let parts: Vec<Option<Part>> = if workers == 1 {
        vec![work(&context, &next, blocks)]
    } else {
        std::thread::scope(|scope| {
            let handles: Vec<_> = (0..workers)
                .map(|_| scope.spawn(|| work(&context, &next, blocks)))
                .collect();
            handles
                .into_iter()
                .map(|h| h.join().ok().flatten())
                .collect()
        })
    };
    let mut insts = vec![InstCounts::default(); code.insts.len()];
    let mut counts = Counts::default();
    for part in parts {
        let part = part.ok_or("the host has no memory for the block's own")?;
        for (all, one) in insts.iter_mut().zip(&part.insts) {
            *all += *one;
        }
        counts.barriers += part.barriers;
    }
    for (inst, count) in code.insts.iter().zip(&insts) {
        counts.add(inst.class, count);
    }
    for region in &context.regions {
        counts.footprint += region.sectors.footprint();
    }
    (counts.windows, counts.window_footprint) = windows.totals();
    let completed = !context.is_stopped();
    Ok(Outcome {
        findings: context.findings.finish(),
        completed,
        counts,
        insts,
    })
}

/// What one host thread counted.
struct Part {
    insts: Vec<InstCounts>,
    barriers: u64,
}

fn work(context: &Context<'_>, next: &AtomicU64, blocks: u64) -> Option<Part> {
    let insts = context.code.insts.len();
    let mut part = Part {
        insts: vec![InstCounts::default(); insts],
        barriers: 0,
    };
    let mut last_region = vec![0; insts];
    let mut resident: VecDeque<Block> = VecDeque::new();
    let mut idle: Vec<Block> = Vec::new();
    while !context.is_stopped() {
        if resident.len() < RESIDENT {
            let number = next.fetch_add(1, Relaxed);
            if number < blocks {
                let mut block = match idle.pop() {
                    Some(block) => block,
                    None => Block::new(context)?,
                };
                block.start(context, number);
                // New blocks run first: most end in their first turn.
                resident.push_front(block);
            }
        }
        let Some(mut block) = resident.pop_front() else {
            break;
        };
        match block.run(context, &mut part.insts, &mut last_region, TURN) {
            Progress::Finished => {
                part.barriers += std::mem::take(&mut block.state.barriers);
                idle.push(block);
            }
            Progress::Paused => resident.push_back(block),
            Progress::Stopped => break,
        }
    }
    Some(part)
}
