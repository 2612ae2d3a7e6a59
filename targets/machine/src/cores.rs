//! The host's cores as data: what the estimates and passes for the CPU ask for. The text is like
//! that of GPUs.
//!
//! ```text
//! kind = x86_64                 # where the description starts from
//! name = "AMD EPYC"
//! l1_bytes = 32768
//! read_gb_s = 21.5 measured     # a rate and its source
//! ```

use super::Source::Estimate;
use super::lines::{Entry, entries, unknown, whole};
use super::rates::rates;
use super::{Part, Rate, ReadError};
use std::fmt::{self, Write};
use std::str::FromStr;

/// Which instructions cores have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoreKind {
    X86_64,
    Aarch64,
}

impl CoreKind {
    /// All, with the words that stand in files, which are Rust's for the architectures.
    pub const ALL: [(CoreKind, &'static str); 2] =
        [(CoreKind::X86_64, "x86_64"), (CoreKind::Aarch64, "aarch64")];

    /// That of the machine this runs on, if there are descriptions of it.
    pub fn here() -> Option<CoreKind> {
        std::env::consts::ARCH.parse().ok()
    }
}

impl fmt::Display for CoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = CoreKind::ALL.iter().find(|(k, _)| k == self);
        f.write_str(word.map_or("", |(_, w)| w))
    }
}

impl FromStr for CoreKind {
    type Err = String;

    fn from_str(text: &str) -> Result<CoreKind, String> {
        let found = CoreKind::ALL.iter().find(|(_, word)| *word == text);
        found.map(|(k, _)| *k).ok_or_else(|| {
            let words = CoreKind::ALL.map(|(_, word)| word).join(" and ");
            format!("'{text}' is no kind of core; there are {words}")
        })
    }
}

/// The cores of a machine: those of a common one, or those that were measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cores {
    pub kind: CoreKind,
    /// The processor's name.
    pub name: Part,
    /// How many cores a process gets.
    pub cores: u64,
    /// What each core's nearest cache of data holds.
    pub l1_bytes: u64,
    pub l2_bytes: u64,
    /// 0 where there is none.
    pub l3_bytes: u64,
    /// What caches keep under one tag.
    pub line_bytes: u64,
    /// Registers of a core for vectors, as our code can name them.
    pub vector_registers: u64,
    /// Bytes of one of them.
    pub vector_bytes: u64,
    pub rates: CoreRates,
}

rates! {
    /// How fast cores are. A multiply-add counts two operations.
    CoreRates, CORE_RATES;
    /// Additions and products of f64 by turns on vectors of 128 bits, where nothing waits
    mixed_gops: "Gop/s";
    /// Additions of f64 that wait for one another
    chain_gops: "Gop/s";
    /// Lines of the caches behind the nearest, each at another place
    lines_per_us: "lines/us";
    /// Memory, read and written by one thread
    copy_gb_s: "GB/s";
    /// From the nearest cache
    l1_gb_s: "GB/s" or NONE;
    /// From the second cache
    l2_gb_s: "GB/s" or NONE;
    /// From the third cache
    l3_gb_s: "GB/s" or NONE;
    /// Memory that one thread reads
    read_gb_s: "GB/s" or NONE;
    /// Memory that one thread writes
    write_gb_s: "GB/s" or NONE;
    /// Memory that all threads read
    read_all_gb_s: "GB/s" or NONE;
    /// Memory that all threads write
    write_all_gb_s: "GB/s" or NONE;
    /// Additions of f32 on vectors of 128 bits
    f32_add_128: "Gop/s" or NONE;
    /// Products of f32 on vectors of 128 bits
    f32_mul_128: "Gop/s" or NONE;
    /// Multiply-adds of f32 on vectors of 128 bits
    f32_fma_128: "Gop/s" or NONE;
    /// Additions of f64 on vectors of 128 bits
    f64_add_128: "Gop/s" or NONE;
    /// Products of f64 on vectors of 128 bits
    f64_mul_128: "Gop/s" or NONE;
    /// Multiply-adds of f64 on vectors of 128 bits
    f64_fma_128: "Gop/s" or NONE;
    /// Additions of 32-bit integers on vectors of 128 bits
    i32_add_128: "Gop/s" or NONE;
    /// Products of 32-bit integers on vectors of 128 bits
    i32_mul_128: "Gop/s" or NONE;
    /// Additions of f32 on vectors of 256 bits
    f32_add_256: "Gop/s" or NONE;
    /// Products of f32 on vectors of 256 bits
    f32_mul_256: "Gop/s" or NONE;
    /// Multiply-adds of f32 on vectors of 256 bits
    f32_fma_256: "Gop/s" or NONE;
    /// Additions of f64 on vectors of 256 bits
    f64_add_256: "Gop/s" or NONE;
    /// Products of f64 on vectors of 256 bits
    f64_mul_256: "Gop/s" or NONE;
    /// Multiply-adds of f64 on vectors of 256 bits
    f64_fma_256: "Gop/s" or NONE;
    /// Additions of 32-bit integers on vectors of 256 bits
    i32_add_256: "Gop/s" or NONE;
    /// Products of 32-bit integers on vectors of 256 bits
    i32_mul_256: "Gop/s" or NONE;
    /// Additions of f32 on vectors of 512 bits
    f32_add_512: "Gop/s" or NONE;
    /// Products of f32 on vectors of 512 bits
    f32_mul_512: "Gop/s" or NONE;
    /// Multiply-adds of f32 on vectors of 512 bits
    f32_fma_512: "Gop/s" or NONE;
    /// Additions of f64 on vectors of 512 bits
    f64_add_512: "Gop/s" or NONE;
    /// Products of f64 on vectors of 512 bits
    f64_mul_512: "Gop/s" or NONE;
    /// Multiply-adds of f64 on vectors of 512 bits
    f64_fma_512: "Gop/s" or NONE;
    /// Additions of 32-bit integers on vectors of 512 bits
    i32_add_512: "Gop/s" or NONE;
    /// Products of 32-bit integers on vectors of 512 bits
    i32_mul_512: "Gop/s" or NONE;
}

const fn estimate(value: f64) -> Rate {
    Rate::new(value, Estimate)
}

/// What is not known, and nobody asks for.
const UNKNOWN: Rate = estimate(0.0);

/// Cores as there are many: what holds where none were measured. The first four rates were fitted
/// to runs of C programs (`docs/lab/c-programs.md`).
pub const CORES: Cores = Cores {
    kind: CoreKind::X86_64,
    name: match Part::new("a core of 2015") {
        Some(name) => name,
        None => panic!("the name is short"),
    },
    cores: 1,
    l1_bytes: 32 << 10,
    l2_bytes: 256 << 10,
    l3_bytes: 8 << 20,
    line_bytes: 64,
    vector_registers: 16,
    vector_bytes: 16,
    rates: CoreRates {
        mixed_gops: estimate(24.0),
        chain_gops: estimate(0.9),
        lines_per_us: estimate(600.0),
        copy_gb_s: estimate(15.0),
        l1_gb_s: UNKNOWN,
        l2_gb_s: UNKNOWN,
        l3_gb_s: UNKNOWN,
        read_gb_s: UNKNOWN,
        write_gb_s: UNKNOWN,
        read_all_gb_s: UNKNOWN,
        write_all_gb_s: UNKNOWN,
        f32_add_128: UNKNOWN,
        f32_mul_128: UNKNOWN,
        f32_fma_128: UNKNOWN,
        f64_add_128: UNKNOWN,
        f64_mul_128: UNKNOWN,
        f64_fma_128: UNKNOWN,
        i32_add_128: UNKNOWN,
        i32_mul_128: UNKNOWN,
        f32_add_256: UNKNOWN,
        f32_mul_256: UNKNOWN,
        f32_fma_256: UNKNOWN,
        f64_add_256: UNKNOWN,
        f64_mul_256: UNKNOWN,
        f64_fma_256: UNKNOWN,
        i32_add_256: UNKNOWN,
        i32_mul_256: UNKNOWN,
        f32_add_512: UNKNOWN,
        f32_mul_512: UNKNOWN,
        f32_fma_512: UNKNOWN,
        f64_add_512: UNKNOWN,
        f64_mul_512: UNKNOWN,
        f64_fma_512: UNKNOWN,
        i32_add_512: UNKNOWN,
        i32_mul_512: UNKNOWN,
    },
};

impl Default for Cores {
    fn default() -> Cores {
        CORES
    }
}

type Get = fn(&Cores) -> u64;
type Set = fn(&mut Cores, u64);

/// Key, least and greatest value, and how it is read and changed.
const SIZES: &[(&str, u64, u64, Get, Set)] = &[
    ("cores", 1, 1 << 20, |c| c.cores, |c, n| c.cores = n),
    (
        "l1_bytes",
        1,
        1 << 40,
        |c| c.l1_bytes,
        |c, n| c.l1_bytes = n,
    ),
    (
        "l2_bytes",
        1,
        1 << 40,
        |c| c.l2_bytes,
        |c, n| c.l2_bytes = n,
    ),
    (
        "l3_bytes",
        0,
        1 << 40,
        |c| c.l3_bytes,
        |c, n| c.l3_bytes = n,
    ),
    (
        "line_bytes",
        8,
        4096,
        |c| c.line_bytes,
        |c, n| c.line_bytes = n,
    ),
    (
        "vector_registers",
        8,
        64,
        |c| c.vector_registers,
        |c, n| c.vector_registers = n,
    ),
    (
        "vector_bytes",
        16,
        64,
        |c| c.vector_bytes,
        |c, n| c.vector_bytes = n,
    ),
];

impl Cores {
    /// What one of them does in a second: operations where nothing waits, lines of caches,
    /// operations that wait for one another, and bytes of memory.
    pub const fn in_a_second(&self) -> [f64; 4] {
        let r = &self.rates;
        [
            r.mixed_gops.value * 1e9,
            r.lines_per_us.value * 1e6,
            r.chain_gops.value * 1e9,
            r.copy_gb_s.value * 1e9,
        ]
    }

    /// The description as text that [`Cores::read`] reads back the same.
    pub fn write(&self) -> String {
        let mut out = format!("kind = {}\nname = \"{}\"\n", self.kind, &*self.name);
        for (key, _, _, get, _) in SIZES {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{key} = {}", get(self));
        }
        for field in CORE_RATES {
            let Rate { value, source } = (field.get)(&self.rates);
            let text = format!("{} = {value} {source}", field.key);
            let _ = writeln!(out, "{text:<40} # {}: {}", field.unit, field.doc);
        }
        out
    }

    /// Reads a description. What a file does not say is as in [`CORES`].
    ///
    /// # Errors
    ///
    /// All that is wrong: lines that are not `key = value`, unknown keys, values out of range, no
    /// `kind`, and caches that are smaller than those in front of them.
    pub fn read(text: &str) -> Result<Cores, Vec<ReadError>> {
        let (entries, mut errors) = entries(text);
        let mut cores = CORES;
        let none = ReadError {
            line: 1,
            column: 1,
            message: "no 'kind = x86_64' or 'kind = aarch64', which says what the cores are".into(),
        };
        if !entries.iter().any(|e| e.key.1 == "kind") {
            errors.push(none);
        }
        for e in &entries {
            if let Err(error) = cores.take(e) {
                errors.push(error);
            }
        }
        let Cores {
            l1_bytes,
            l2_bytes,
            l3_bytes,
            ..
        } = cores;
        for (key, inner, outer) in [
            ("l2_bytes", l1_bytes, l2_bytes),
            ("l3_bytes", l2_bytes, l3_bytes),
        ] {
            if errors.is_empty() && outer < inner && outer != 0 {
                let at = entries.iter().find(|e| e.key.1 == key);
                errors.push(ReadError {
                    line: at.map_or(1, |e| e.line),
                    column: at.map_or(1, |e| e.key.0),
                    message: format!(
                        "a cache of {outer} bytes is smaller than the one of {inner} in front of it"
                    ),
                });
            }
        }
        errors.sort_by_key(|e| (e.line, e.column));
        match errors.is_empty() {
            true => Ok(cores),
            false => Err(errors),
        }
    }

    fn take(&mut self, e: &Entry) -> Result<(), ReadError> {
        let (column, word) = e.words[0];
        let most = |n: usize, what: &str| match e.words.get(n) {
            Some((column, extra)) => Err(e.error(
                *column,
                format!("found '{extra}' behind {what}, expected the end of the line"),
            )),
            None => Ok(()),
        };
        match e.key.1 {
            "kind" => {
                most(1, "the kind")?;
                self.kind = word.parse().map_err(|m| e.error(column, m))?;
            }
            "name" => {
                most(1, "the name; one of several words stands in quotes")?;
                self.name = e.name()?;
            }
            key => {
                if let Some((_, least, largest, _, set)) = SIZES.iter().find(|s| s.0 == key) {
                    most(1, "the number")?;
                    set(self, whole(e, column, word, *least, *largest)?);
                    return Ok(());
                }
                let Some(field) = CORE_RATES.iter().find(|r| r.key == key) else {
                    let keys = ["kind", "name"].into_iter();
                    let keys = keys.chain(SIZES.iter().map(|s| s.0));
                    let keys = keys.chain(CORE_RATES.iter().map(|r| r.key));
                    return Err(e.error(e.key.0, unknown(key, keys)));
                };
                most(2, "the source")?;
                let rate = field.read(&e.words, |column, m| e.error(column, m))?;
                (field.set)(&mut self.rates, rate);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(Cores::read(&CORES.write()), Ok(CORES));
        let mut c = CORES;
        c.kind = CoreKind::Aarch64;
        c.name = Part::new("a # core").unwrap();
        c.l3_bytes = 0;
        c.rates.f64_fma_512 = Rate::new(0.1 + 0.2, Source::Measured);
        assert_eq!(Cores::read(&c.write()), Ok(c));
        let little = Cores::read("kind = x86_64\nline_bytes = 128\nread_gb_s = 12.5").unwrap();
        assert_eq!(little.line_bytes, 128);
        assert_eq!(little.rates.read_gb_s, Rate::new(12.5, Source::Measured));
        assert_eq!(little.in_a_second(), CORES.in_a_second());
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        let said = |text: &str| -> Vec<String> {
            let errors = Cores::read(text).expect_err("is wrong");
            errors.iter().map(ToString::to_string).collect()
        };
        assert_eq!(
            said("l1_byte = 3\nline_bytes = 4\nmixed_gops = 0\nf32_add_512 = -1\nkind = riscv64"),
            [
                "1:1: unknown key 'l1_byte'; is 'l1_bytes' meant?",
                "2:14: found '4', expected a whole number from 8 to 4096",
                "3:14: found '0', expected a number of Gop/s from 1e-6 to 1e12",
                "4:15: found '-1', expected a number of Gop/s from 1e-6 to 1e12, or 0 for none",
                "5:8: 'riscv64' is no kind of core; there are x86_64 and aarch64",
            ]
        );
        assert_eq!(
            said("cores = 2"),
            ["1:1: no 'kind = x86_64' or 'kind = aarch64', which says what the cores are"]
        );
        assert_eq!(
            said("kind = x86_64 3\nname = a b"),
            [
                "1:15: found '3' behind the kind, expected the end of the line",
                "2:10: found 'b' behind the name; one of several words stands in quotes, expected \
                 the end of the line",
            ]
        );
        assert_eq!(
            said("kind = x86_64\nl2_bytes = 1000"),
            ["2:1: a cache of 1000 bytes is smaller than the one of 32768 in front of it"]
        );
    }
}
