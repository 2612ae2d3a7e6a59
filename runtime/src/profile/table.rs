//! Rows of text in columns, and times in words.

use std::fmt;

/// A time in the unit that suits it: `12.3 us`, `4.56 ms`, `7.89 s`.
pub fn time(microseconds: f64) -> String {
    match microseconds {
        t if t >= 1e6 => format!("{:.3} s", t / 1e6),
        t if t >= 1e3 => format!("{:.3} ms", t / 1e3),
        t => format!("{t:.2} us"),
    }
}

/// Rows of text; the first column is aligned left, the others right.
pub(crate) struct Table {
    head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Table {
        Table {
            head: head.iter().map(|h| h.to_string()).collect(),
            rows: Vec::new(),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || std::iter::once(&self.head).chain(&self.rows);
        let widths: Vec<usize> = (0..self.head.len())
            .map(|c| {
                all()
                    .filter_map(|row| row.get(c))
                    .map(|t| t.chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for row in all() {
            let mut line = String::new();
            for (c, (cell, width)) in row.iter().zip(&widths).enumerate() {
                if c == 0 {
                    line.push_str(&format!("{cell:<width$}"));
                } else {
                    line.push_str(&format!("  {cell:>width$}"));
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
