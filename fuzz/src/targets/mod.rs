//! What must hold of text that comes in from outside, whatever it is: a function for each
//! kind of it, which panics where it does not hold. The fuzz targets call these, and so
//! does the test `fuzz_corpus` with what the fuzzer has found.

pub mod arguments;
pub mod c;
pub mod c_regions;
pub mod directives;
pub mod machines;
pub mod mlir;
pub mod npy;
pub mod pipelines;
pub mod programs;
pub mod ptx;
pub mod schedules;
pub mod sets;

/// Looks at one input.
pub type Check = fn(&[u8]);

/// Every target: its name and what looks at an input.
pub const TARGETS: [(&str, Check); 11] = [
    ("arguments", arguments::check),
    ("c", c::check),
    ("c_regions", c_regions::check),
    ("directives", directives::check),
    ("machines", machines::check),
    ("mlir", mlir::check),
    ("npy", npy::check),
    ("pipelines", pipelines::check),
    ("ptx", ptx::check),
    ("schedules", schedules::check),
    ("sets", sets::check),
];

/// Longer inputs say little and take long.
pub const MAX_BYTES: usize = 16_384;
