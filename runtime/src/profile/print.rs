//! A record as tables.

use std::fmt;

use super::{Event, Profile, Stats, Table, time};

/// The tables: kernels, copies, allocations and steps, those that there are.
impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let distribution = |s: &Stats| {
            [
                s.count.to_string(),
                time(s.total),
                time(s.min),
                time(s.median),
                time(s.max),
            ]
        };
        let or_dash = |value: Option<f64>| match value {
            Some(v) if v < 1.0 => format!("{v:.3}"),
            Some(v) => format!("{v:.1}"),
            None => "-".to_string(),
        };
        let mut head = vec![
            "kernel", "on", "grid", "block", "count", "total", "min", "median", "max", "GFLOP/s",
        ];
        let all = self.kernels();
        // On the host nobody counts.
        let counted = all.iter().any(|k| k.work.is_some());
        let share = |s: Option<f64>| s.map_or("-".to_string(), |s| format!("{:.1} %", 100.0 * s));
        match (counted, self.peaks) {
            (true, Some(_)) => head.extend(["of peak", "GB/s", "of peak"]),
            (true, None) => head.push("GB/s"),
            (false, _) => {}
        }
        let mut kernels = Table::new(&head);
        for k in all {
            let size = |d: [u32; 3]| format!("{}x{}x{}", d[0], d[1], d[2]);
            let (grid, block) = match k.launch {
                Some((grid, block)) => (size(grid), size(block)),
                None => ("-".to_string(), "-".to_string()),
            };
            let mut row = vec![k.name, k.target, grid, block];
            row.extend(distribution(&k.times));
            row.push(or_dash(k.gflops));
            let shares = self.peaks.map(|p| match &k.work {
                Some(work) => p.shares(work, k.times.total),
                None => [None; 2],
            });
            match (counted, shares) {
                (true, Some([flops, bytes])) => {
                    row.extend([share(flops), or_dash(k.gigabytes), share(bytes)]);
                }
                (true, None) => row.push(or_dash(k.gigabytes)),
                (false, _) => {}
            }
            kernels.rows.push(row);
        }
        let mut copies = Table::new(&[
            "copies", "bytes", "count", "total", "min", "median", "max", "GB/s",
        ]);
        for c in self.copies() {
            let mut row = vec![c.direction.name().to_string(), c.bytes.to_string()];
            row.extend(distribution(&c.times));
            row.push(or_dash(c.gigabytes_per_second()));
            copies.rows.push(row);
        }
        let mut memory = Table::new(&["memory", "allocations", "peak bytes"]);
        for target in self.targets() {
            let (peak, count) = self.allocations(target);
            memory.rows.push(vec![
                target.to_string(),
                count.to_string(),
                peak.to_string(),
            ]);
        }
        let mut steps = Table::new(&["step", "time"]);
        for event in &self.events {
            if let Event::Step { name, microseconds } = event {
                steps.rows.push(vec![name.clone(), time(*microseconds)]);
            }
        }
        let mut first = true;
        for table in [kernels, copies, memory, steps] {
            if table.rows.is_empty() {
                continue;
            }
            if !first {
                f.write_str("\n")?;
            }
            first = false;
            write!(f, "{table}")?;
        }
        Ok(())
    }
}
