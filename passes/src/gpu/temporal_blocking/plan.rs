//! How a stencil is tiled along time: the policy, apart from what makes kernels of it.
//!
//! A block marches along the outermost dimension. For every sweep its threads keep the
//! planes that the next sweep reads in registers ("3.5-D blocking": A. Nguyen and others,
//! "3.5-D Blocking Optimization for Stencil Computations on Modern CPUs and GPUs", 2010;
//! N. Maruyama and T. Aoki, "Optimizing Stencil Computations for NVIDIA Kepler GPUs", 2014).
//! A warp spans the innermost dimension, and its lanes hand each other neighbours by
//! shuffles. Of three dimensions the middle one goes over the warps of a block, which
//! exchange rows through workgroup memory. Tiles overlap: every sweep computes less of
//! its tile that is right, and what is stored is right.

use super::find::Stencil;
use terrace_machine::by_name;

/// How time steps go to launches, blocks and threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeTiling {
    /// Sweeps of a launch; odd, so that it begins in one array and ends in the other.
    pub steps: i64,
    /// Neighbouring elements of a lane along the innermost dimension.
    pub cells: i64,
    /// Of these, how many a store writes at once.
    pub vector: i64,
    /// Elements of a lane along the middle one of three dimensions; 1 of two.
    pub rows: i64,
    /// Warps of a block.
    pub warps: i64,
    /// Planes that a sweep reads behind the one that it writes.
    pub down: i64,
    /// By how many planes a sweep is behind the one before it.
    pub lag: i64,
    /// Planes of the march that are one iteration of its loop.
    pub unroll: i64,
    /// Planes that are loaded before they are used.
    pub ahead: i64,
    /// Planes that workgroup memory holds of each sweep; 0 where it is not used.
    pub slots: i64,
    /// Elements on each side of a tile that are not stored: along the middle dimension
    /// and the innermost.
    pub halo: [i64; 2],
    /// Planes of the outermost dimension that a block marches over at least.
    pub least_march: i64,
    /// Elements of the box below which nothing is tiled.
    pub least_box: i64,
}

/// What is requested in place of what the policy would choose.
#[derive(Debug, Clone, Copy, Default)]
pub struct Requested {
    pub steps: Option<i64>,
    pub cells: Option<i64>,
    pub rows: Option<i64>,
    pub warps: Option<i64>,
    pub least_box: Option<i64>,
}

/// What a machine has room for, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// In the workgroup memory of a block.
    pub shared: i64,
    /// In the L2 cache.
    pub l2: i64,
}

impl Room {
    /// Where the machine is not described, what all have.
    pub fn of(arch: &str) -> Room {
        let machine = by_name(arch).ok();
        Room {
            shared: machine
                .as_ref()
                .map_or(48 * 1024, |m| i64::from(m.shared_per_block_opt_in)),
            l2: machine.map_or(0, |m| i64::try_from(m.l2_bytes).unwrap_or(i64::MAX)),
        }
    }
}

/// Elements of a box of two dimensions from which on several sweeps a launch pay.
const MIN_BOX: i64 = 1 << 14;

/// Lanes of a warp.
pub const LANES: i64 = 32;
/// Bytes that an access of a lane moves at most.
const MAX: i64 = 16;
/// Registers of 32 bits that values should take at most, of two and of three dimensions.
/// Measured on an H200: seven sweeps of jacobi-2d, which are 108 with the others, are slower
/// than five; a block of sixteen warps with two rows each can have 128, and is faster than
/// one of eight with four.
const MAX_REGISTERS: [i64; 2] = [104, 112];
/// Registers that addresses and intermediate values take.
const OTHER_REGISTERS: i64 = 40;
/// The most sweeps of a launch.
const MAX_STEPS: i64 = 7;
/// Of a clock of a multiprocessor of an H200: bytes of memory, operations on f64 and f32,
/// lanes that are handed a word.
const BYTES_A_CLOCK: f64 = 18.3;
const F64_A_CLOCK: f64 = 64.0;
const F32_A_CLOCK: f64 = 128.0;
const LANES_A_CLOCK: f64 = 32.0;
/// How much of what could run beside memory does not.
const NOT_HIDDEN: f64 = 0.5;

impl TimeTiling {
    /// Elements of a tile, halo and all, along the middle dimension and the innermost.
    pub fn tile(&self) -> [i64; 2] {
        [self.rows * self.row_warps(), LANES * self.cells]
    }

    /// Elements of a tile that are stored.
    pub fn useful(&self) -> [i64; 2] {
        let tile = self.tile();
        [tile[0] - 2 * self.halo[0], tile[1] - 2 * self.halo[1]]
    }

    /// Warps of a block that share a tile.
    pub fn row_warps(&self) -> i64 {
        match self.slots {
            0 => 1,
            _ => self.warps,
        }
    }

    /// Tiles of a block along the innermost dimension.
    pub fn tiles_of_block(&self) -> i64 {
        self.warps / self.row_warps()
    }

    /// Planes at the begin and at the end of the box that a march needs what is outside of
    /// for: later sweeps depend on so many planes in front and behind.
    pub fn rim(&self, s: &Stencil) -> [i64; 2] {
        [(self.steps - 1) * self.down, (self.steps - 1) * s.most(0)]
    }

    /// Rows of a warp that others read from workgroup memory.
    pub fn shared_rows(&self, radius: i64) -> i64 {
        self.rows.min(2 * radius)
    }

    fn registers(&self, bytes: i64) -> i64 {
        let planes = self.steps * (self.down + self.lag) + self.ahead;
        planes * self.rows * self.cells * bytes / 4 + OTHER_REGISTERS
    }

    fn shared(&self, s: &Stencil) -> i64 {
        let rows = self.row_warps() * self.shared_rows(s.radius(1));
        self.slots * self.steps * rows * self.tile()[1] * s.bytes
    }

    /// Clocks of a multiprocessor that a sweep takes for an element that is stored.
    fn clocks(&self, s: &Stencil) -> f64 {
        let (tile, useful) = (self.tile(), self.useful());
        let again = (tile[0] * tile[1]) as f64 / (useful[0] * useful[1]) as f64;
        let rate = if s.bytes == 8 {
            F64_A_CLOCK
        } else {
            F32_A_CLOCK
        };
        let work = (s.sweeps[0].work + s.sweeps[1].work) as f64 / 2.0;
        let last = s.rank() - 1;
        let handed = 2 * s.radius(last) * s.bytes / 4;
        let steps = self.steps as f64;
        let handed = handed as f64 / self.cells as f64;
        let compute = steps * again * (work / rate + handed / LANES_A_CLOCK);
        let memory = 2.0 * s.bytes as f64 / BYTES_A_CLOCK;
        (compute.max(memory) + NOT_HIDDEN * compute.min(memory)) / steps
    }

    /// In words: `5 sweeps a launch, tiles of 52 columns`.
    pub fn words(&self) -> String {
        let [rows, columns] = self.useful();
        let tiles = match self.slots {
            0 => format!("{columns} columns"),
            _ => format!("{rows} x {columns}"),
        };
        format!(
            "stencil tiled along time, {} sweeps a launch, tiles of {tiles}",
            self.steps
        )
    }
}

/// The plan for a stencil, with so many bytes of workgroup memory a block.
///
/// # Errors
///
/// Why there is none.
pub fn choose(s: &Stencil, requested: &Requested, room: Room) -> Result<TimeTiling, String> {
    let counts = match requested.steps {
        Some(n) => vec![n],
        None => (3..=MAX_STEPS).step_by(2).collect(),
    };
    let fits = |p: &TimeTiling| {
        let most = MAX_REGISTERS[usize::from(p.slots > 0)];
        let useful = p.useful();
        let small = p.registers(s.bytes) <= most;
        requested.steps.is_some() || small && 2 * useful[1] > p.tile()[1]
    };
    let all = counts.into_iter().map(|n| plan(s, n, requested));
    let possible = all.filter(|p| {
        let useful = p.useful();
        useful[0] > 0
            && useful[1] > 0
            && (p.slots == 0 || p.rows >= s.radius(1))
            && fits(p)
            && p.shared(s) <= room.shared
    });
    let best = possible.min_by(|a, b| a.clocks(s).total_cmp(&b.clocks(s)));
    let best = best.map(|p| TimeTiling {
        least_box: (requested.least_box).unwrap_or_else(|| least_box(s, room)),
        ..p
    });
    best.ok_or_else(|| {
        "what it reads is too far apart for tiles that pay, or that a block has room for".into()
    })
}

/// Elements of the box from which on tiles pay. What overlaps in three dimensions costs more than
/// it saves while both arrays stay in the L2 cache: of heat-3d in f64 on an H100 with 50 MB, a step
/// of 64^3 takes 25 us with tiles and 15 without, of 120^3 27 and 24, of 160^3 59 and 60, of 256^3
/// 158 and 200.
fn least_box(s: &Stencil, room: Room) -> i64 {
    match s.rank() {
        3 => (room.l2 / (2 * s.bytes)).max(MIN_BOX),
        _ => MIN_BOX,
    }
}

fn plan(s: &Stencil, steps: i64, requested: &Requested) -> TimeTiling {
    let middle = s.rank() == 3;
    let last = s.rank() - 1;
    let vector = MAX / s.bytes;
    let cells = requested.cells.unwrap_or(vector);
    let vector = vector.min(cells);
    let down = -s.least(0);
    // The planes whose other rows are read must have been handed out before.
    let across = s.sweeps.iter().flat_map(|w| &w.reads);
    let across = across.filter(|r| middle && r.offset[1] != 0);
    let planes: Vec<i64> = across.map(|r| r.offset[0]).collect();
    let handed = planes.iter().max().map_or(0, |n| n + 1);
    let lag = s.most(0).max(handed);
    let oldest = planes.iter().min().map_or(0, |n| lag - n);
    let kept = down + lag + 1;
    let slots = if middle { oldest + 1 } else { 0 };
    // Planes that move on by one keep their registers if as many steps stand in the loop.
    let (unroll, slots) = match slots {
        0 => (kept, 0),
        n if kept % n == 0 => (kept, n),
        n => (kept.max(n), kept.max(n)),
    };
    let reach = |d: usize| steps * s.radius(d);
    TimeTiling {
        steps,
        cells,
        vector,
        rows: requested
            .rows
            .filter(|_| middle)
            .unwrap_or(if middle { 2 } else { 1 }),
        warps: requested.warps.unwrap_or(if middle { 16 } else { 4 }),
        down,
        lag,
        unroll,
        ahead: if middle { 1 } else { unroll },
        slots,
        halo: [
            if middle { reach(1) } else { 0 },
            round_up(reach(last), vector),
        ],
        least_march: 16,
        least_box: 0,
    }
}

fn round_up(n: i64, to: i64) -> i64 {
    (n + to - 1) / to * to
}
