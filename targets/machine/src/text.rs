//! Descriptions as text: one `key = value` a line.
//!
//! ```text
//! # What follows a sign of number is for people.
//! arch = sm_90                  # where the description starts from
//! part = "H200 SXM"
//! sms = 132
//! max_block = 1024 1024 64
//! memory_gb_s = 4244 measured   # a rate and its source
//! ```
//!
//! `arch` names the built-in description that holds for all that the file does not say, so a
//! file may hold what was measured and nothing else. A rate without a source was measured.

use super::ReadError;
use super::lines::{Entry, entries, unknown, whole};
use super::{Arch, Machine, RATES, Rate, by_name};
use std::fmt::Write;

/// A limit of one number.
type Get = fn(&Machine) -> u64;
type Set = fn(&mut Machine, u64);

macro_rules! limits {
    ($($key:ident: $ty:ty, $least:literal to $most:literal;)*) => {
        /// Key, least and greatest value, and how it is read and changed.
        const LIMITS: &[(&str, u64, u64, Get, Set)] = &[$((
            stringify!($key),
            $least,
            $most,
            |m| u64::from(m.$key),
            // The bounds are those of the type, or narrower.
            |m, v| m.$key = v as $ty,
        ),)*];
    };
}

limits! {
    sms: u32, 1 to 0xffff;
    l2_bytes: u64, 1 to 0x7fff_ffff_ffff;
    l1_bytes: u32, 1 to 0x7fff_ffff;
    sector_bytes: u32, 1 to 4096;
    line_bytes: u32, 1 to 65536;
    shared_banks: u32, 1 to 1024;
    bank_bytes: u32, 1 to 64;
    warp_size: u32, 32 to 32;
    max_threads_per_block: u32, 32 to 65536;
    max_threads_per_sm: u32, 32 to 65536;
    max_blocks_per_sm: u32, 1 to 65536;
    registers_per_sm: u32, 1 to 0x7fff_ffff;
    sm_partitions: u32, 1 to 64;
    max_registers_per_thread: u32, 1 to 65536;
    register_granularity: u32, 1 to 65536;
    shared_per_sm: u32, 1 to 0x7fff_ffff;
    shared_per_block: u32, 1 to 0x7fff_ffff;
    shared_per_block_opt_in: u32, 1 to 0x7fff_ffff;
    shared_reserved_per_block: u32, 0 to 65536;
    shared_granularity: u32, 1 to 65536;
    local_per_thread: u32, 0 to 0x7fff_ffff;
    constant_bytes: u32, 0 to 0x7fff_ffff;
}

/// A description as text that [`read`] reads back the same.
pub fn write(m: &Machine) -> String {
    let mut out = String::new();
    let mut line = |key: &str, value: String, note: &str| {
        let text = format!("{key} = {value}");
        // Writing to a string does not fail.
        let _ = match note {
            "" => writeln!(out, "{text}"),
            _ => writeln!(out, "{text:<40} # {note}"),
        };
    };
    line("arch", m.arch.to_string(), "");
    line("part", format!("\"{}\"", &*m.part), "");
    for (key, _, _, get, _) in LIMITS {
        line(key, get(m).to_string(), "");
    }
    for (key, [x, y, z]) in [("max_block", m.max_block), ("max_grid", m.max_grid)] {
        line(key, format!("{x} {y} {z}"), "");
    }
    for field in RATES {
        let Rate { value, source } = (field.get)(&m.rates);
        let note = format!("{}: {}", field.unit, field.doc);
        line(field.key, format!("{value} {source}"), &note);
    }
    out
}

/// Every key that a file may have.
fn keys() -> impl Iterator<Item = &'static str> {
    let first = ["arch", "part", "max_block", "max_grid"].into_iter();
    first
        .chain(LIMITS.iter().map(|l| l.0))
        .chain(RATES.iter().map(|r| r.key))
}

/// Reads a description.
///
/// # Errors
///
/// All that is wrong: lines that are not `key = value`, unknown keys, values out of range,
/// no `arch`, and numbers that contradict each other.
pub fn read(text: &str) -> Result<Machine, Vec<ReadError>> {
    let (entries, mut errors) = entries(text);
    let mut machine = match entries.iter().find(|e| e.key.1 == "arch") {
        None => {
            errors.push(ReadError {
                line: 1,
                column: 1,
                message: "no 'arch = sm_NN', which says what holds for all that is not said".into(),
            });
            super::MACHINES[0]
        }
        Some(e) => base(e).unwrap_or_else(|error| {
            errors.push(error);
            super::MACHINES[0]
        }),
    };
    for e in &entries {
        if let Err(error) = apply(e, &mut machine) {
            errors.push(error);
        }
    }
    if errors.is_empty() {
        for (key, message) in inconsistencies(&machine) {
            let at = entries.iter().find(|e| e.key.1 == key);
            let (line, column) = at.map_or((1, 1), |e| (e.line, e.key.0));
            errors.push(ReadError {
                line,
                column,
                message,
            });
        }
    }
    errors.sort_by_key(|e| (e.line, e.column));
    match errors.is_empty() {
        true => Ok(machine),
        false => Err(errors),
    }
}

/// The built-in description of the architecture that a file names.
fn base(e: &Entry) -> Result<Machine, ReadError> {
    let (column, word) = e.words[0];
    let machine = *by_name(word).map_err(|m| e.error(column, m))?;
    let arch: Arch = word.parse().map_err(|m| e.error(column, m))?;
    Ok(Machine { arch, ..machine })
}

fn apply(e: &Entry, m: &mut Machine) -> Result<(), ReadError> {
    let (column, word) = e.words[0];
    let most = |n: usize, what: &str| match e.words.get(n) {
        Some((column, extra)) => Err(e.error(
            *column,
            format!("found '{extra}' behind {what}, expected the end of the line"),
        )),
        None => Ok(()),
    };
    match e.key.1 {
        "arch" => most(1, "the architecture"),
        "part" => {
            most(1, "the name; one of several words stands in quotes")?;
            m.part = e.name()?;
            Ok(())
        }
        key @ ("max_block" | "max_grid") => {
            most(3, "the three sizes")?;
            let mut sizes = [0; 3];
            for (i, size) in sizes.iter_mut().enumerate() {
                let Some((column, word)) = e.words.get(i) else {
                    return Err(e.error(e.behind, format!("'{key}' has three sizes: x y z")));
                };
                *size = whole(e, *column, word, 1, 0x7fff_ffff)? as u32;
            }
            match key {
                "max_block" => m.max_block = sizes,
                _ => m.max_grid = sizes,
            }
            Ok(())
        }
        key => {
            if let Some((_, least, largest, _, set)) = LIMITS.iter().find(|l| l.0 == key) {
                most(1, "the number")?;
                set(m, whole(e, column, word, *least, *largest)?);
                return Ok(());
            }
            let Some(field) = RATES.iter().find(|r| r.key == key) else {
                return Err(e.error(e.key.0, unknown(key, keys())));
            };
            most(2, "the source")?;
            let rate = field.read(&e.words, |column, m| e.error(column, m))?;
            (field.set)(&mut m.rates, rate);
            Ok(())
        }
    }
}

/// Which keys of a description contradict others, and how.
pub fn inconsistencies(m: &Machine) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    let mut require = |ok: bool, key: &'static str, message: String| {
        if !ok {
            out.push((key, message));
        }
    };
    require(
        m.shared_per_block <= m.shared_per_block_opt_in,
        "shared_per_block",
        format!(
            "a block gets {} bytes of shared memory without asking, but at most {} when it asks",
            m.shared_per_block, m.shared_per_block_opt_in
        ),
    );
    let asked = u64::from(m.shared_per_block_opt_in) + u64::from(m.shared_reserved_per_block);
    require(
        asked <= u64::from(m.shared_per_sm),
        "shared_per_block_opt_in",
        format!(
            "a block may ask for {asked} bytes with those reserved, but a multiprocessor has {}",
            m.shared_per_sm
        ),
    );
    require(
        m.max_threads_per_block <= m.max_threads_per_sm,
        "max_threads_per_block",
        format!(
            "a block may have {} threads, but a multiprocessor holds {}",
            m.max_threads_per_block, m.max_threads_per_sm
        ),
    );
    require(
        m.max_threads_per_sm.is_multiple_of(m.warp_size.max(1)),
        "max_threads_per_sm",
        format!(
            "{} threads are no whole number of warps of {}",
            m.max_threads_per_sm, m.warp_size
        ),
    );
    require(
        m.registers_per_sm.is_multiple_of(m.sm_partitions.max(1)),
        "registers_per_sm",
        format!(
            "{} registers are not the same for each of {} partitions",
            m.registers_per_sm, m.sm_partitions
        ),
    );
    require(
        m.line_bytes.is_multiple_of(m.sector_bytes.max(1)),
        "line_bytes",
        format!(
            "a line of {} bytes is no whole number of sectors of {}",
            m.line_bytes, m.sector_bytes
        ),
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MACHINES, Part, Source};

    fn messages(text: &str) -> Vec<String> {
        let errors = read(text).expect_err("is wrong");
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        for m in MACHINES {
            assert_eq!(read(&write(m)), Ok(*m), "{}", write(m));
        }
        let mut m = MACHINES[5];
        m.arch = "sm_90a".parse().unwrap();
        m.part = Part::new("a # in its name").unwrap();
        m.rates.l2_gb_s = Rate::new(0.1 + 0.2, Source::Study);
        assert_eq!(read(&write(&m)), Ok(m));
    }

    #[test]
    fn what_is_not_said_is_as_built_in() {
        let text = "\n  # comment\n memory_gb_s=4000.5\r\narch = sm_90 # later\nsms = 114\n";
        let m = read(text).unwrap();
        assert_eq!(m.sms, 114);
        assert_eq!(m.rates.memory_gb_s, Rate::new(4000.5, Source::Measured));
        assert_eq!(m.rates.launch_us, by_name("sm_90").unwrap().rates.launch_us);
    }

    #[test]
    fn everything_wrong_is_said_at_its_place() {
        assert_eq!(
            messages(
                "arch = sm_90\nmemory_gbs = 1\n  sms = 0\nl2_gb_s = fast\nclock_ghz = 1 guess\n\
                 nonsense\nsms = 3\nlaunch_us =\nmax_grid = 1 2\npart = a b\nwarp_size = 64\n\
                 tf32_matrix_tflops = -1\nwhat_is_that = 1"
            ),
            [
                "2:1: unknown key 'memory_gbs'; is 'memory_gb_s' meant?",
                "3:9: found '0', expected a whole number from 1 to 65535",
                "4:11: found 'fast', expected a number of GB/s from 1e-6 to 1e12",
                "5:15: 'guess' is no source of a number; sources are measured, sheet, guide, \
                 study, estimate",
                "6:1: found 'nonsense', expected 'key = value'",
                "7:1: 'sms' stands in line 3 already",
                "8:12: 'launch_us' has no value behind '='",
                "9:11: 'max_grid' has three sizes: x y z",
                "10:10: found 'b' behind the name; one of several words stands in quotes, \
                 expected the end of the line",
                "11:13: found '64', expected 32",
                "12:22: found '-1', expected a number of TFLOP/s from 1e-6 to 1e12, or 0 for none",
                "13:1: unknown key 'what_is_that'",
            ]
        );
        assert_eq!(
            messages("sms = 1"),
            ["1:1: no 'arch = sm_NN', which says what holds for all that is not said"]
        );
        assert!(messages("arch = sm_61")[0].starts_with("1:8: unknown architecture 'sm_61'"));
        assert_eq!(
            messages("arch = sm_90\nshared_per_sm = 1000"),
            [
                "1:1: a block may ask for 233472 bytes with those reserved, but a multiprocessor \
                 has 1000"
            ]
        );
    }

    #[test]
    fn no_text_makes_it_panic() {
        let m = write(&MACHINES[0]);
        for i in (0..m.len()).step_by(7) {
            for c in ["\"", "=", "é", "\n", "#", " ", "9"] {
                let text = format!("{}{c}{}", &m[..i], &m[i..]);
                let _ = read(&text);
            }
        }
        let _ = read(&"é".repeat(1000));
        let _ = read("part = \"é");
    }
}
