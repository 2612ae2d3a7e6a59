//! The table of the snapshot: a line a kernel, a column an architecture.
//!
//! ```text
//! # ptxas 12.9.86
//! # kernel                        sm_70  sm_90
//! examples/gemm.mlir main_kernel     28     30,spill16/24
//! ```
//!
//! A cell is the number of registers, then what is not zero of shared memory, stack,
//! and spill stores and loads, in bytes.

use std::collections::BTreeMap;
use terrace::targets::ptx::ptxas::Resources;

/// What one kernel takes on one architecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    pub registers: u32,
    pub shared: u32,
    pub stack: u32,
    pub spill_stores: u32,
    pub spill_loads: u32,
}

/// How much of two cells must agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strictness {
    Everything,
    /// No more bytes spilled than the snapshot has.
    Spills,
}

/// The cells by kernel and architecture.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// Of the assembler.
    pub version: String,
    pub archs: Vec<String>,
    /// Programs with something else to say than cells.
    notes: BTreeMap<String, String>,
    rows: BTreeMap<String, BTreeMap<String, Cell>>,
}

impl Cell {
    pub fn of(r: &Resources) -> Cell {
        Cell {
            registers: r.registers,
            shared: r.shared_bytes,
            stack: r.stack_bytes,
            spill_stores: r.spill_store_bytes,
            spill_loads: r.spill_load_bytes,
        }
    }

    fn text(&self) -> String {
        let mut text = self.registers.to_string();
        for (name, bytes) in [("shared", self.shared), ("stack", self.stack)] {
            if bytes > 0 {
                text.push_str(&format!(",{name}{bytes}"));
            }
        }
        if self.spill_stores > 0 || self.spill_loads > 0 {
            text.push_str(&format!(",spill{}/{}", self.spill_stores, self.spill_loads));
        }
        text
    }

    fn parse(text: &str) -> Option<Cell> {
        let mut parts = text.split(',');
        let mut cell = Cell {
            registers: parts.next()?.parse().ok()?,
            ..Cell::default()
        };
        for part in parts {
            if let Some(bytes) = part.strip_prefix("shared") {
                cell.shared = bytes.parse().ok()?;
            } else if let Some(bytes) = part.strip_prefix("stack") {
                cell.stack = bytes.parse().ok()?;
            } else {
                let (stores, loads) = part.strip_prefix("spill")?.split_once('/')?;
                cell.spill_stores = stores.parse().ok()?;
                cell.spill_loads = loads.parse().ok()?;
            }
        }
        Some(cell)
    }

    fn agrees(&self, new: &Cell, strictness: Strictness) -> bool {
        match strictness {
            Strictness::Everything => self == new,
            Strictness::Spills => {
                new.spill_stores <= self.spill_stores && new.spill_loads <= self.spill_loads
            }
        }
    }
}

impl Table {
    pub fn new(version: &str, archs: &[&str]) -> Table {
        Table {
            version: version.to_string(),
            archs: archs.iter().map(|a| a.to_string()).collect(),
            ..Table::default()
        }
    }

    pub fn set(&mut self, kernel: &str, arch: &str, cell: Cell) {
        let row = self.rows.entry(kernel.to_string()).or_default();
        row.insert(arch.to_string(), cell);
    }

    pub fn note(&mut self, program: &str, note: &str) {
        self.notes.insert(program.to_string(), note.to_string());
    }

    /// As it is committed: sorted by name.
    pub fn text(&self) -> String {
        let heads = std::iter::once("# kernel").map(str::len);
        let wide = self.rows.keys().map(String::len).chain(heads);
        let wide = wide.max().unwrap_or(0);
        let cell_of = |row: &BTreeMap<String, Cell>, arch: &String| match row.get(arch) {
            Some(cell) => cell.text(),
            None => "-".to_string(),
        };
        let width = |arch: &String| {
            let cells = self.rows.values().map(|row| cell_of(row, arch).len());
            cells.chain([arch.len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = self.archs.iter().map(width).collect();
        let line = |name: &str, cells: Vec<String>| {
            let mut line = format!("{name:wide$}");
            for (cell, width) in cells.iter().zip(&widths) {
                line.push_str(&format!("  {cell:>width$}"));
            }
            line
        };
        let mut lines: Vec<(String, String)> = Vec::new();
        for (name, row) in &self.rows {
            let cells = self.archs.iter().map(|arch| cell_of(row, arch)).collect();
            lines.push((name.clone(), line(name, cells)));
        }
        for (name, note) in &self.notes {
            lines.push((name.clone(), format!("{name}: {note}")));
        }
        lines.sort();
        let mut text = String::from(
            "# Registers of every kernel; where not zero also bytes of shared memory, of stack,\n\
             # and of spill stores/loads, as `ptxas -v` reports them.\n",
        );
        text.push_str(&format!("# ptxas {}\n", self.version));
        text.push_str(&line("# kernel", self.archs.clone()));
        for (_, line) in lines {
            text.push('\n');
            text.push_str(&line);
        }
        text.push('\n');
        text
    }

    pub fn parse(text: &str) -> Result<Table, String> {
        let mut table = Table::default();
        for (at, line) in text.lines().enumerate() {
            let wrong = || format!("line {}: found `{line}`", at + 1);
            let words: Vec<&str> = line.split_whitespace().collect();
            match &words[..] {
                ["#", "ptxas", version] => table.version = version.to_string(),
                ["#", "kernel", archs @ ..] => {
                    table.archs = archs.iter().map(|a| a.to_string()).collect();
                }
                ["#", ..] | [] => {}
                [program, note @ ..] if program.ends_with(':') => {
                    table.note(program.trim_end_matches(':'), &note.join(" "));
                }
                [program, kernel, cells @ ..] if cells.len() == table.archs.len() => {
                    for (cell, arch) in cells.iter().zip(&table.archs.clone()) {
                        if *cell != "-" {
                            let cell = Cell::parse(cell).ok_or_else(wrong)?;
                            table.set(&format!("{program} {kernel}"), arch, cell);
                        }
                    }
                }
                _ => return Err(wrong()),
            }
        }
        match table.version.is_empty() {
            true => Err("no line says `# ptxas VERSION`".to_string()),
            false => Ok(table),
        }
    }

    /// What is different in `new`, a line each; architectures that `new` was not made
    /// for do not count.
    pub fn differences(&self, new: &Table, strictness: Strictness) -> Vec<String> {
        let mut out = Vec::new();
        let nothing = BTreeMap::new();
        let names: std::collections::BTreeSet<&String> =
            self.rows.keys().chain(new.rows.keys()).collect();
        for name in names {
            let old_row = self.rows.get(name).unwrap_or(&nothing);
            let new_row = new.rows.get(name).unwrap_or(&nothing);
            for arch in &new.archs {
                let line = match (old_row.get(arch), new_row.get(arch)) {
                    (Some(a), Some(b)) if !a.agrees(b, strictness) => {
                        format!("{} -> {}", a.text(), b.text())
                    }
                    (Some(a), None) => format!("{} -> no such kernel", a.text()),
                    (None, Some(b)) => format!("no such kernel -> {}", b.text()),
                    _ => continue,
                };
                out.push(format!("  {name} {arch}: {line}"));
            }
        }
        for (program, note) in &new.notes {
            let had_kernels = self
                .rows
                .keys()
                .any(|k| k.split(' ').next() == Some(program));
            if !had_kernels && self.notes.get(program) != Some(note) {
                out.push(format!("  {program}: {note}, and is not in the snapshot"));
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(cells: &[(&str, &str, Cell)]) -> Table {
        let mut t = Table::new("12.9.86", &["sm_70", "sm_90"]);
        for (kernel, arch, cell) in cells {
            t.set(kernel, arch, *cell);
        }
        t
    }

    fn regs(registers: u32) -> Cell {
        Cell {
            registers,
            ..Cell::default()
        }
    }

    #[test]
    fn a_table_survives_its_text() {
        let full = Cell {
            registers: 255,
            shared: 4224,
            stack: 8,
            spill_stores: 16,
            spill_loads: 24,
        };
        let mut t = table(&[
            ("b.mlir k", "sm_70", regs(28)),
            ("b.mlir k", "sm_90", full),
            ("a.mlir k", "sm_90", regs(8)),
        ]);
        t.note("c.mlir", "no kernel");
        let text = t.text();
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            [
                "# ptxas 12.9.86",
                "# kernel  sm_70                             sm_90",
                "a.mlir k      -                                 8",
                "b.mlir k     28  255,shared4224,stack8,spill16/24",
                "c.mlir: no kernel",
            ]
        );
        assert_eq!(Table::parse(&text), Ok(t));
    }

    #[test]
    fn differences_name_kernel_architecture_and_both_cells() {
        let old = table(&[
            ("a.mlir k", "sm_90", regs(8)),
            ("b.mlir k", "sm_90", regs(9)),
        ]);
        let spilled = Cell {
            spill_loads: 4,
            ..regs(10)
        };
        let new = table(&[
            ("a.mlir k", "sm_90", spilled),
            ("c.mlir k", "sm_90", regs(9)),
        ]);
        assert!(old.differences(&old, Strictness::Everything).is_empty());
        let gone_and_new = [
            "  b.mlir k sm_90: 9 -> no such kernel",
            "  c.mlir k sm_90: no such kernel -> 9",
        ];
        let changed = "  a.mlir k sm_90: 8 -> 10,spill0/4";
        assert_eq!(
            old.differences(&new, Strictness::Everything),
            [changed, gone_and_new[0], gone_and_new[1]]
        );
        assert_eq!(
            old.differences(&new, Strictness::Spills),
            [changed, gone_and_new[0], gone_and_new[1]]
        );
        // More registers are nothing where the assembler is another.
        let more = table(&[
            ("a.mlir k", "sm_90", regs(12)),
            ("b.mlir k", "sm_90", regs(9)),
        ]);
        assert!(old.differences(&more, Strictness::Spills).is_empty());
        assert_eq!(old.differences(&more, Strictness::Everything).len(), 1);
    }

    #[test]
    fn what_is_no_table_says_where() {
        assert_eq!(
            Table::parse("# ptxas 12.9\n# kernel sm_70\na.mlir k x\n"),
            Err("line 3: found `a.mlir k x`".to_string())
        );
        assert!(Table::parse("").is_err());
    }
}
