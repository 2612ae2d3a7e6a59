//! What a product asks of the L2 cache and of memory.

use super::tiles::Blocks;
use super::{Factor, Product, Unit, elements};
use crate::gpu::model::requests::Counts;
use crate::gpu::model::traffic::{LOAD_OF_LINE, LOAD_OF_SECTOR, STORE_OF_LINE, STORE_OF_SECTOR};
use terrace_machine::Machine;

/// What is asked for.
pub struct Traffic {
    /// Of the factors, then of the result where it is read, then of its stores.
    pub references: Vec<Counts>,
    pub l2_sectors: f64,
    /// What these cost the L2 cache, in times of a sector of whole lines.
    pub l2_times: f64,
    pub memory_bytes: f64,
}

/// The traffic of all blocks, of which `slots` run on each multiprocessor at once.
pub fn traffic(p: &Product, blocks: &Blocks, m: &Machine, slots: u32) -> Traffic {
    let (sector, line) = (f64::from(m.sector_bytes), f64::from(m.line_bytes));
    let mut out = Traffic {
        references: Vec::new(),
        l2_sectors: 0.0,
        l2_times: 0.0,
        memory_bytes: 0.0,
    };
    let slabs = blocks.whole + blocks.ragged;
    for f in &p.factors {
        // Where rows or columns end within a tile, what lies outside is not loaded.
        let r = [p.rows, p.cols][f.side];
        let padded = p.tiles()[f.side] * p.tile[f.side];
        let there = (r[1] - r[0]).max(0) as f64 / padded.max(1) as f64;
        let all = (p.tile[f.side] * p.depth) as f64 * slabs;
        let fast = if f.along_k { p.depth } else { p.tile[f.side] } as f64;
        let each = |unit: f64| (fast * f.bytes as f64 / unit).ceil() / fast;
        let c = Counts {
            requests: all / (32.0 * f.vector as f64),
            sectors: all * there * each(sector),
            lines: all * there * each(line),
            lanes: all * there,
            exact: false,
            ..Counts::ZERO
        };
        out.l2_sectors += c.sectors;
        out.l2_times += c.lines * LOAD_OF_LINE + c.sectors * LOAD_OF_SECTOR;
        out.references.push(c);
    }
    let of_result = of_result(p, sector, line);
    let reads =
        f64::from(u8::from(p.result.read_before)) + f64::from(u8::from(p.result.read_behind));
    if reads > 0.0 {
        let mut c = Counts::ZERO;
        c.add(&of_result, reads);
        out.l2_sectors += c.sectors;
        out.l2_times += c.lines * LOAD_OF_LINE + c.sectors * LOAD_OF_SECTOR;
        out.references.push(c);
    }
    let mut c = Counts::ZERO;
    c.add(&of_result, p.result.stores as f64);
    out.l2_sectors += c.sectors;
    out.l2_times += c.lines * STORE_OF_LINE + c.sectors * STORE_OF_SECTOR;
    out.references.push(c);
    let result = elements(p) * p.result.bytes as f64;
    let once = |does: bool| if does { result } else { 0.0 };
    out.memory_bytes = from_memory(p, m, slots)
        + once(p.result.read_before || p.result.read_behind)
        + result * p.result.stores as f64;
    out
}

/// An access of each element of the result. Of matrix units a warp has eight rows, of each
/// four lanes with every second of eight neighbours; else four rows of eight groups of four.
fn of_result(p: &Product, sector: f64, line: f64) -> Counts {
    let (rows, bytes) = match p.unit {
        Unit::Registers(_) => (4.0, 29 * p.result.bytes),
        _ => (8.0, 7 * p.result.bytes),
    };
    let requests = elements(p) / 32.0;
    // Neighbours of a thread are stored and loaded together, or one after another while their
    // sector is there.
    let whole = elements(p) * p.result.bytes as f64;
    Counts {
        requests,
        sectors: (requests * rows * (bytes as f64 / sector).ceil()).min(2.0 * whole / sector),
        lines: (requests * rows * (bytes as f64 / line).ceil()).min(2.0 * whole / line),
        lanes: elements(p),
        exact: false,
        ..Counts::ZERO
    }
}

/// Bytes of the factors that come from memory. The blocks that run at once have a group of
/// rows of tiles and some columns of them; what they need of both again later is in the L2
/// cache or is not.
fn from_memory(p: &Product, m: &Machine, slots: u32) -> f64 {
    let tiles = p.tiles().map(|n| n.max(1) as f64);
    let at_once = (f64::from(m.sms) * f64::from(slots)).max(1.0);
    let high = (p.group as f64).min(tiles[0]);
    let wide = (at_once / high).clamp(1.0, tiles[1]);
    let capacity = m.l2_bytes as f64;
    let (k, share) = depth(p);
    let panel = |f: &Factor, n: f64| n * k * f.bytes as f64;
    let all = |side: usize| -> f64 {
        let r = [p.rows, p.cols][side];
        let of = p.factors.iter().filter(|f| f.side == side);
        of.map(|f| panel(f, (r[1] - r[0]).max(0) as f64)).sum()
    };
    // Arrays that several factors read are brought once.
    let distinct = |f: &[Factor]| {
        let mut names: Vec<&str> = f.iter().map(|f| f.array.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.len() as f64 / f.len().max(1) as f64
    };
    let (rows, cols) = (all(0), all(1));
    let groups = (tiles[0] / high).ceil();
    let of_group = rows / groups + cols * (wide / tiles[1]).min(1.0);
    if rows + cols <= capacity {
        // What a triangle leaves out of one factor another tile needs.
        return (rows + cols) * distinct(&p.factors);
    }
    match of_group <= capacity {
        true => (rows + cols * groups) * share,
        false => (rows * (tiles[1] / wide).ceil() + cols * groups) * share,
    }
}

/// All numbers k that there are, and the part of them that an element has on average.
fn depth(p: &Product) -> (f64, f64) {
    let corners = |l: &super::Line| {
        let (r, c) = ([p.rows[0], p.rows[1] - 1], [p.cols[0], p.cols[1] - 1]);
        [
            l.at(r[0], c[0]),
            l.at(r[0], c[1]),
            l.at(r[1], c[0]),
            l.at(r[1], c[1]),
        ]
    };
    let (lo, hi) = (corners(&p.reach[0]), corners(&p.reach[1]));
    let least = lo.iter().copied().min().unwrap_or(0);
    let most = hi.iter().copied().max().unwrap_or(0);
    let all = (most - least).max(0) as f64;
    let mean = (0..4).map(|i| (hi[i] - lo[i]).max(0) as f64).sum::<f64>() / 4.0;
    (all, if all > 0.0 { mean / all } else { 0.0 })
}
