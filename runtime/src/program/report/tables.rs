//! The tables of `TERRACE_PROFILE`.

use terrace_ptx::machine::{Machine, Source};

use super::record::{Kind, Record, Row};
use super::size;
use crate::device::Device;
use crate::profile::{Direction, Peaks, Table, machine, time};

/// 10^9 bytes a second.
fn rate(bytes: u64, microseconds: f64) -> String {
    match microseconds > 0.0 {
        true => format!("{:.1}", bytes as f64 / microseconds * 1e-3),
        false => "-".to_string(),
    }
}

/// What a kernel did in the time of all its launches: operations and bytes a second, each
/// with its share of the peak.
fn rates(row: &Row, peaks: Option<Peaks>) -> [String; 4] {
    let dash = || "-".to_string();
    let us = row.all_us().filter(|us| row.failed == 0 && *us > 0.0);
    let (Some(us), Some(work)) = (us, row.work()) else {
        return [dash(), dash(), dash(), dash()];
    };
    let per_second = |units: Option<f64>| match units {
        Some(units) => format!("{:.1}", units / us * 1e-3),
        None => dash(),
    };
    let share = |s: Option<f64>| s.map_or_else(dash, |s| format!("{:.1} %", 100.0 * s));
    let [flops, bytes] = peaks.map_or([None; 2], |p| p.shares(&work, us));
    [
        per_second(work.all_flops()),
        share(flops),
        per_second(work.known_bytes()),
        share(bytes),
    ]
}

/// The rates of regions whose work is known, in units of the machine's.
fn regions(record: &Record, machine: Option<&Machine>) -> Table {
    let mut table = Table::new(&[
        "region", "at", "runs", "kernels", "Gflop", "GFLOP/s", "of peak", "least GB", "GB/s",
        "of peak",
    ]);
    let known = |r: &&Row| r.kind == Kind::Region && r.known == r.count;
    for row in record.rows.iter().filter(known) {
        let of_it = |r: &&Row| r.kind == Kind::Kernel && r.names[0] == row.names[0];
        let kernels = || record.rows.iter().filter(of_it);
        // A kernel that could not be timed has a share that nobody knows.
        let timed = kernels().all(|r| r.failed == 0 && r.timed > 0);
        let us: f64 = kernels().filter_map(Row::all_us).sum();
        let flops = row.flops[0] + row.flops[1];
        let rate = |units: f64| match timed && us > 0.0 {
            true => format!("{:.1}", units / us * 1e-3),
            false => "-".to_string(),
        };
        // The time at the peak rates, of the time that it took.
        let share = |least_us: Option<f64>| match least_us {
            Some(least) if timed && us > 0.0 => format!("{:.1} %", 100.0 * least / us),
            _ => "-".to_string(),
        };
        let arithmetic = machine.map(|m| {
            (row.flops[0] / m.rates.f32_tflops.value + row.flops[1] / m.rates.f64_tflops.value)
                * 1e-6
        });
        let memory = machine.map(|m| row.least_bytes / m.rates.memory_gb_s.value * 1e-3);
        table.rows.push(vec![
            row.names[0].clone(),
            row.place.clone(),
            row.count.to_string(),
            time(us),
            format!("{:.3}", flops * 1e-9),
            rate(flops),
            share(arithmetic),
            format!("{:.3}", row.least_bytes * 1e-9),
            rate(row.least_bytes),
            share(memory),
        ]);
    }
    table
}

/// The line below the tables where not all were timed.
const SAMPLED: &str = "~: some were timed, which stand for all, with the standard error; \
                       TERRACE_TIMES=all times each\n";

/// The line below the tables that says what peaks are.
fn peaks(machine: &Machine) -> String {
    let r = &machine.rates;
    let source = match r.memory_gb_s.source {
        Source::Measured => "measured",
        Source::DataSheet => "data sheet",
        Source::Guide | Source::Study | Source::Estimate => "estimated",
    };
    format!(
        "peak of {} ({}, {source}): {} GB/s, {} TFLOP/s of f32, {} of f64; host link {} GB/s\n",
        machine.arch,
        machine.part,
        r.memory_gb_s.value,
        r.f32_tflops.value,
        r.f64_tflops.value,
        r.host_link_gb_s.value
    )
}

/// Kernels, regions whose work is known, and copies; empty when there are none.
pub(super) fn tables(record: &Record, device: Option<&dyn Device>) -> String {
    let mut kernels = Table::new(&[
        "region",
        "kernel",
        "at",
        "count",
        "grid",
        "block",
        "registers",
        "total",
        "min",
        "average",
        "max",
        "GFLOP/s",
        "of peak",
        "GB/s",
        "of peak",
    ]);
    let mut copies = Table::new(&[
        "copies", "way", "at", "count", "bytes", "total", "min", "average", "max", "GB/s",
    ]);
    let mut sums: [(u64, u64, f64); 3] = Default::default();
    for row in &record.rows {
        let [name, second] = row.names.clone();
        let count = row.count.to_string();
        match &row.kind {
            Kind::Host | Kind::Region => {}
            Kind::Kernel => {
                let (grid, block) = match (row.shape, row.varies) {
                    (_, true) => ("varies".to_string(), "varies".to_string()),
                    (Some((grid, block)), _) => (size(grid), size(block)),
                    (None, _) => ("-".to_string(), "-".to_string()),
                };
                let registers = row.registers.map_or("-".to_string(), |n| n.to_string());
                let place = row.place.clone();
                let mut cells = vec![name, second, place, count, grid, block, registers];
                cells.extend(row.times());
                cells.extend(rates(row, device.and_then(Peaks::of)));
                kernels.rows.push(cells);
            }
            Kind::Copy(direction) => {
                let way = direction.name().to_string();
                let bytes = row.bytes.to_string();
                let mut cells = vec![name, way, row.place.clone(), count, bytes];
                cells.extend(row.times());
                let total = row.all_us().unwrap_or(0.0);
                cells.push(rate(row.bytes, total));
                copies.rows.push(cells);
                let sum = &mut sums[*direction as usize];
                sum.0 += row.count;
                sum.1 = sum.1.saturating_add(row.bytes);
                sum.2 += total;
            }
        }
    }
    for (direction, (count, bytes, total)) in Direction::ALL.into_iter().zip(sums) {
        if count > 0 {
            let dash = || "-".to_string();
            copies.rows.push(vec![
                "all".to_string(),
                direction.name().to_string(),
                dash(),
                count.to_string(),
                bytes.to_string(),
                time(total),
                dash(),
                time(total / count as f64),
                dash(),
                rate(bytes, total),
            ]);
        }
    }
    let machine = device.and_then(machine);
    let tables = [kernels, regions(record, machine), copies];
    let tables = tables.into_iter().filter(|t| !t.rows.is_empty());
    let mut tables: Vec<String> = tables.map(|t| t.to_string()).collect();
    if let (Some(machine), false) = (machine, tables.is_empty()) {
        tables.push(peaks(machine));
    }
    if record.rows.iter().any(Row::is_sampled) {
        tables.push(SAMPLED.to_string());
    }
    tables.join("\n")
}
