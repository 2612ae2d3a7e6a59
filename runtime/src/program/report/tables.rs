//! The tables of `TERRACE_PROFILE`.

use super::record::{Kind, Record};
use super::size;
use crate::profile::{Direction, Table, time};

/// 10^9 bytes a second.
fn rate(bytes: u64, microseconds: f64) -> String {
    match microseconds > 0.0 {
        true => format!("{:.1}", bytes as f64 / microseconds * 1e-3),
        false => "-".to_string(),
    }
}

/// Kernels and copies; empty when there are none.
pub(super) fn tables(record: &Record) -> String {
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
    ]);
    let mut copies = Table::new(&[
        "copies", "way", "at", "count", "bytes", "total", "min", "average", "max", "GB/s",
    ]);
    let mut sums: [(u64, u64, f64); 3] = Default::default();
    for row in &record.rows {
        let [name, second] = row.names.clone();
        let count = row.count.to_string();
        match &row.kind {
            Kind::Host => {}
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
                kernels.rows.push(cells);
            }
            Kind::Copy(direction) => {
                let way = direction.name().to_string();
                let bytes = row.bytes.to_string();
                let mut cells = vec![name, way, row.place.clone(), count, bytes];
                cells.extend(row.times());
                cells.push(rate(row.bytes, row.total));
                copies.rows.push(cells);
                let sum = &mut sums[*direction as usize];
                sum.0 += row.count;
                sum.1 = sum.1.saturating_add(row.bytes);
                sum.2 += row.total;
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
    let tables = [kernels, copies].into_iter().filter(|t| !t.rows.is_empty());
    let tables: Vec<String> = tables.map(|t| t.to_string()).collect();
    tables.join("\n")
}
