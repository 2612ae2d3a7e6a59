//! Arrays and their expressions, on the target that `TERRACE_TARGET` names: `cpu` (the default of
//! these tests), `emulator` or `gpu`. Results are held against plain Rust.

mod array {
    pub mod algebra;
    pub mod basics;
    pub mod borrowed;
    pub mod by_key;
    pub mod casts;
    pub mod complex;
    pub mod contractions;
    pub mod counters;
    pub mod devices;
    pub mod disk;
    pub mod errors;
    pub mod fourier;
    pub mod functions;
    pub mod gathers;
    pub mod halves;
    pub mod iterate;
    pub mod operators;
    pub mod own;
    pub mod random;
    pub mod random_places;
    pub mod record;
    pub mod reductions;
    pub mod scans;
    pub mod scatters;
    pub mod sorts;
    pub mod sparse;
    pub mod stencils;
    pub mod streams;
    pub mod support;
    pub mod views;
}
