//! What was measured beside what is described.

use crate::targets::machine::Machine;
use std::fmt::Write;

/// What a figure says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    Memory,
    SecondLevel,
    Shared,
    MemoryLatency,
    SecondLevelLatency,
    FirstLevelLatency,
    SharedLatency,
    F32,
    F64,
    I32,
    MatrixF64,
    MatrixTf32,
    MatrixF16,
    Launch,
    ToDevice,
    FromDevice,
}

impl What {
    /// Its words and unit in the table.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            What::Memory => ("device memory, copied", "GB/s"),
            What::SecondLevel => ("second-level cache, read", "GB/s"),
            What::Shared => ("shared memory of a multiprocessor, read", "GB/s"),
            What::MemoryLatency => ("a load from device memory", "ns"),
            What::SecondLevelLatency => ("a load from the second-level cache", "ns"),
            What::FirstLevelLatency => ("a load from the first-level cache", "ns"),
            What::SharedLatency => ("a load from shared memory", "ns"),
            What::F32 => ("multiply-add f32", "TFLOP/s"),
            What::F64 => ("multiply-add f64", "TFLOP/s"),
            What::I32 => ("multiply-add i32", "Tops/s"),
            What::MatrixF64 => ("matrix units f64", "TFLOP/s"),
            What::MatrixTf32 => ("matrix units tf32", "TFLOP/s"),
            What::MatrixF16 => ("matrix units f16", "TFLOP/s"),
            What::Launch => ("an empty launch in a row", "us"),
            What::ToDevice => ("pinned copies to the device", "GB/s"),
            What::FromDevice => ("pinned copies from the device", "GB/s"),
        }
    }

    /// What a description says of it, where it does.
    pub fn described(self, m: &Machine) -> Option<f64> {
        let r = &m.rates;
        match self {
            What::Memory => Some(r.memory_gb_s),
            What::F32 => Some(r.f32_tflops),
            What::F64 => Some(r.f64_tflops),
            What::MatrixF64 => r.f64_matrix_tflops,
            What::MatrixTf32 => r.tf32_matrix_tflops,
            What::MatrixF16 => Some(r.f16_matrix_tflops),
            What::Launch => Some(r.launch_us),
            What::ToDevice | What::FromDevice => Some(r.host_link_gb_s),
            _ => None,
        }
    }
}

/// A quantity, measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    pub what: What,
    pub value: f64,
}

impl Figure {
    pub fn new(what: What, value: f64) -> Figure {
        Figure { what, value }
    }
}

/// The table.
pub fn table(device: &str, figures: &[Figure], described: Option<&Machine>) -> String {
    let beside = described.map_or(String::new(), |m| format!("{} ({})", m.arch, m.part));
    let mut out = format!("{device}\n");
    let _ = writeln!(
        out,
        "{:<42} {:>10} {:<8} {:>10} {:>9}  {beside}",
        "", "measured", "", "described", "measured /"
    );
    for f in figures {
        let (words, unit) = f.what.words();
        let known = described.and_then(|m| f.what.described(m));
        let beside = match known {
            Some(d) => format!("{:>10} {:>9.2}", short(d), f.value / d),
            None => format!("{:>10} {:>9}", "-", "-"),
        };
        let _ = writeln!(out, "{words:<42} {:>10} {unit:<8} {beside}", short(f.value));
    }
    out
}

/// Four digits, or what is before the point.
fn short(x: f64) -> String {
    match x.abs() {
        a if a >= 1000.0 => format!("{x:.0}"),
        a if a >= 100.0 => format!("{x:.1}"),
        a if a >= 10.0 => format!("{x:.2}"),
        _ => format!("{x:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::machine::by_name;

    #[test]
    fn a_table_has_both() {
        let h200 = by_name("sm_90").unwrap();
        let figures = [
            Figure::new(What::Memory, 4200.4),
            Figure::new(What::SharedLatency, 16.25),
        ];
        let text = table("NVIDIA H200", &figures, Some(h200));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "NVIDIA H200");
        assert!(lines[1].ends_with("sm_90 (H200 SXM)"), "{text}");
        let words = |l: &str| l.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        assert_eq!(words(lines[2])[3..], ["4200", "GB/s", "4244", "0.99"]);
        assert_eq!(words(lines[3])[5..], ["16.25", "ns", "-", "-"]);
        let alone = table("x", &figures, None);
        assert!(alone.lines().nth(2).is_some_and(|l| l.ends_with('-')));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [4243.6, 319.04, 54.678, 3.7].map(short),
            ["4244", "319.0", "54.68", "3.700"]
        );
    }
}
