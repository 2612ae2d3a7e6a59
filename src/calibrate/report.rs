//! What was measured: as a description of the machine, and beside one.

use crate::runtime::device::DeviceInfo;
use crate::targets::machine::{Machine, Part, RATES, Rate, Source, write};
use std::fmt::Write;

/// Rates by their names in descriptions, in the order in which they were measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    pub rates: Vec<(&'static str, f64)>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

impl Measured {
    /// Adds a rate.
    pub fn rate(&mut self, key: &'static str, value: f64) {
        self.rates.push((key, value));
    }

    /// Adds a remark.
    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    fn get(&self, key: &str) -> Option<f64> {
        self.rates.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)
    }
}

/// The description of the device: what it says of itself, what was measured, and the
/// built-in description of its architecture for the rest.
pub fn described(info: &DeviceInfo, built_in: &Machine, measured: &Measured) -> Machine {
    let mut m = *built_in;
    let mut name = info.name.clone();
    name.retain(|c| !c.is_control() && c != '"');
    while Part::new(&name).is_none() {
        name.pop();
    }
    m.part = Part::new(&name).unwrap_or(m.part);
    // A driver that does not know one says 0.
    for (to, from) in [
        (&mut m.sms, info.multiprocessors),
        (
            &mut m.max_threads_per_sm,
            info.max_threads_per_multiprocessor,
        ),
        (&mut m.max_blocks_per_sm, info.max_blocks_per_multiprocessor),
        (&mut m.registers_per_sm, info.registers_per_multiprocessor),
        (&mut m.shared_per_sm, info.shared_per_multiprocessor),
        (&mut m.shared_per_block, info.shared_per_block),
        (&mut m.shared_per_block_opt_in, info.shared_per_block_optin),
    ] {
        if from > 0 {
            *to = from;
        }
    }
    if info.l2_bytes > 0 {
        m.l2_bytes = u64::from(info.l2_bytes);
    }
    for field in RATES {
        if let Some(v) = measured
            .get(field.key)
            .filter(|v| v.is_finite() && *v > 0.0)
        {
            // Six digits say all that repeats.
            let digits = 5 - v.log10().floor() as i32;
            let scale = 10f64.powi(digits);
            let rate = Rate::new((v * scale).round() / scale, Source::Measured);
            (field.set)(&mut m.rates, rate);
        }
    }
    m
}

/// The description as a file.
pub fn file(m: &Machine) -> String {
    format!("# Measured by terrace calibrate.\n{}", write(m))
}

/// The table.
pub fn table(info: &DeviceInfo, measured: &Measured, built_in: &Machine) -> String {
    let mut out = format!("{}, driver {}\n", info.name, info.driver_version);
    let _ = writeln!(
        out,
        "{:<24} {:>10} {:>10} {:>9}  unit, what",
        "measured", "", "built in", "ratio"
    );
    for field in RATES {
        let Some(value) = measured.get(field.key) else {
            continue;
        };
        let known = (field.get)(&built_in.rates);
        let ratio = match known.value > 0.0 {
            true => format!("{:.2}", value / known.value),
            false => "-".to_string(),
        };
        let _ = writeln!(
            out,
            "{:<24} {:>10} {:>10} {ratio:>9}  {}: {} (built in: {})",
            field.key,
            short(value),
            short(known.value),
            field.unit,
            field.doc,
            known.source
        );
    }
    let _ = writeln!(out, "built in: {} ({})", built_in.arch, &*built_in.part);
    for n in &measured.notes {
        let _ = writeln!(out, "{n}");
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
    use crate::targets::machine::{by_name, read};

    fn info() -> DeviceInfo {
        DeviceInfo {
            name: "NVIDIA \"X\" with a name that is much longer than any name of a part should be"
                .into(),
            multiprocessors: 144,
            l2_bytes: 50 << 20,
            ..DeviceInfo::default()
        }
    }

    fn measured() -> Measured {
        let mut m = Measured::default();
        m.rate("memory_gb_s", 4200.43219);
        m.rate("shared_latency", 23.4);
        m.rate("l2_latency", f64::NAN);
        m.note("all well".into());
        m
    }

    #[test]
    fn a_description_is_read_as_written() {
        let built_in = by_name("sm_90").unwrap();
        let m = described(&info(), built_in, &measured());
        assert_eq!((m.sms, m.l2_bytes), (144, 50 << 20));
        assert_eq!(m.max_threads_per_sm, built_in.max_threads_per_sm);
        assert_eq!(m.rates.memory_gb_s, Rate::new(4200.43, Source::Measured));
        assert_eq!(m.rates.l2_latency, built_in.rates.l2_latency);
        assert!(m.part.starts_with("NVIDIA X with") && m.part.len() <= 63);
        assert_eq!(read(&file(&m)), Ok(m));
    }

    #[test]
    fn a_table_has_both() {
        let built_in = by_name("sm_90").unwrap();
        let text = table(&info(), &measured(), built_in);
        let words = |key: &str| {
            let line = text.lines().find(|l| l.starts_with(key)).unwrap();
            line.split_whitespace()
                .map(str::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            words("memory_gb_s")[1..5],
            ["4200", "4244", "0.99", "GB/s:"]
        );
        assert_eq!(words("shared_latency")[1], "23.40");
        assert!(!text.contains("f64_tflops"));
        assert!(
            text.ends_with("built in: sm_90 (H200 SXM)\nall well\n"),
            "{text}"
        );
    }

    #[test]
    fn numbers_are_short() {
        let found = [4243.6, 319.04, 54.678, 3.7].map(short);
        assert_eq!(found, ["4244", "319.0", "54.68", "3.700"]);
    }
}
