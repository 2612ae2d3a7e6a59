//! How fast a part is, each number with where it is from.

use std::fmt;
use std::str::FromStr;

/// Where a number comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// Measured with our own benchmarks, or by who wrote the file.
    Measured,
    /// The vendor's data sheet or white paper; expect a tenth less.
    DataSheet,
    /// The CUDA C++ Programming Guide: "Arithmetic Instructions", "Technical
    /// Specifications per Compute Capability".
    Guide,
    /// Micro-benchmarks that others published: Jia et al., "Dissecting the NVIDIA Volta
    /// GPU Architecture via Microbenchmarking" (2018) and "Dissecting the NVidia Turing T4
    /// GPU via Microbenchmarking" (2019); Luo et al., "Benchmarking and Dissecting the
    /// Nvidia Hopper GPU Architecture" (2024), for Ampere, Ada and Hopper.
    Study,
    /// Taken over from the nearest relative, or guessed: calibrate where it matters.
    Estimate,
}

impl Source {
    /// All, with the word that stands in files.
    pub const ALL: [(Source, &'static str); 5] = [
        (Source::Measured, "measured"),
        (Source::DataSheet, "sheet"),
        (Source::Guide, "guide"),
        (Source::Study, "study"),
        (Source::Estimate, "estimate"),
    ];
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Source::ALL.iter().find(|(s, _)| s == self);
        f.write_str(word.map_or("", |(_, w)| w))
    }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Source, String> {
        let found = Source::ALL.iter().find(|(_, word)| *word == text);
        found.map(|(s, _)| *s).ok_or_else(|| {
            let words = Source::ALL.map(|(_, word)| word).join(", ");
            format!("'{text}' is no source of a number; sources are {words}")
        })
    }
}

/// A number and its source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rate {
    pub value: f64,
    pub source: Source,
}

impl Rate {
    pub const fn new(value: f64, source: Source) -> Rate {
        Rate { value, source }
    }
}

/// One number of [`Rates`], or of another such description: its name in files, its unit, what
/// it says, and how it is read and changed.
pub struct RateField<R: 'static = Rates> {
    pub key: &'static str,
    pub unit: &'static str,
    pub doc: &'static str,
    /// Whether it may be 0: the machine has no such unit.
    pub optional: bool,
    pub get: fn(&R) -> Rate,
    pub set: fn(&mut R, Rate),
}

impl<R> RateField<R> {
    /// The rate that words of a file say: a number and its source, which is our own measurement
    /// where there is none. `at` makes an error of a column and a message.
    pub(crate) fn read<E>(
        &self,
        words: &[(usize, &str)],
        at: impl Fn(usize, String) -> E,
    ) -> Result<Rate, E> {
        let (column, word) = words[0];
        let value = word
            .parse::<f64>()
            .ok()
            .filter(|v| v.is_finite() && (1e-6..=1e12).contains(v) || self.optional && *v == 0.0);
        let Some(value) = value else {
            let none = match self.optional {
                true => ", or 0 for none",
                false => "",
            };
            return Err(at(
                column,
                format!(
                    "found '{word}', expected a number of {} from 1e-6 to 1e12{none}",
                    self.unit
                ),
            ));
        };
        let source = match words.get(1) {
            None => Source::Measured,
            Some((column, word)) => word.parse().map_err(|m| at(*column, m))?,
        };
        Ok(Rate { value, source })
    }
}

/// A struct of rates, and the list of its fields. `or NONE` says that a machine may have no such
/// unit.
macro_rules! rates {
    (
        $( #[doc = $what:literal] )* $name:ident, $list:ident;
        $( #[doc = $doc:literal] $key:ident: $unit:literal $(or $none:ident)?; )*
    ) => {
        $( #[doc = $what] )*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $name {
            $( #[doc = concat!($doc, ", in ", $unit, ".")] pub $key: $crate::Rate, )*
        }

        #[doc = concat!("Every number of [`", stringify!($name), "`], in the order of files.")]
        pub const $list: &[$crate::RateField<$name>] = &[$( $crate::RateField {
            key: stringify!($key),
            unit: $unit,
            doc: $doc.trim_ascii(),
            optional: false $( || stringify!($none).len() > 0 )?,
            get: |r| r.$key,
            set: |r, to| r.$key = to,
        }, )*];
    };
}

pub(crate) use rates;

rates! {
    /// How fast a part is.
    Rates, RATES;
    /// Clock under load
    clock_ghz: "GHz";
    /// Device memory, bytes read and written
    memory_gb_s: "GB/s";
    /// From the L2 cache to all multiprocessors
    l2_gb_s: "GB/s";
    /// Between the L2 cache and one multiprocessor
    l2_bytes_per_clock: "bytes/clock/SM";
    /// From the L1 cache
    l1_bytes_per_clock: "bytes/clock/SM";
    /// Lines of which the L1 cache looks up tags
    l1_lines_per_clock: "lines/clock/SM";
    /// From shared memory
    shared_bytes_per_clock: "bytes/clock/SM";
    /// From an access to device memory to its value
    memory_latency: "clocks";
    /// The same where the L2 cache has it
    l2_latency: "clocks";
    /// The same where the L1 cache has it
    l1_latency: "clocks";
    /// The same for shared memory
    shared_latency: "clocks";
    /// From an instruction of f32 or i32 to one that needs its result
    arithmetic_latency: "clocks";
    /// Instructions that the schedulers issue
    issue_per_clock: "warps/clock/SM";
    /// Blocks that the whole part starts
    blocks_per_clock: "blocks/clock";
    /// Multiply-adds, additions and products of f32
    f32_per_clock: "lanes/clock/SM";
    /// The same of f64
    f64_per_clock: "lanes/clock/SM";
    /// Additions and products of 32-bit integers
    i32_per_clock: "lanes/clock/SM";
    /// Approximate functions of f32: reciprocals, roots, sines
    special_per_clock: "lanes/clock/SM";
    /// Conversions from and to types of 64 bits
    convert_per_clock: "lanes/clock/SM";
    /// Addresses of loads and stores
    address_per_clock: "lanes/clock/SM";
    /// Peak of fused multiply-adds of f32, each of which counts two
    f32_tflops: "TFLOP/s";
    /// The same of f64
    f64_tflops: "TFLOP/s";
    /// Matrix units with f16 or bf16 inputs, dense
    f16_matrix_tflops: "TFLOP/s" or NONE;
    /// Matrix units with tf32 inputs; 0 where they have no such mode
    tf32_matrix_tflops: "TFLOP/s" or NONE;
    /// Matrix units with f64 inputs; 0 where they have no such mode
    f64_matrix_tflops: "TFLOP/s" or NONE;
    /// An empty launch in a row of launches
    launch_us: "us";
    /// Pinned copies between host and device, the slower direction
    host_link_gb_s: "GB/s";
}
