//! The functions that `expand-math-for-gpu` computes by arithmetic, against the C
//! library: within the bounds of docs/math.md in units in the last place, special
//! values, the same bits in kernels on the emulator, and the text that NVIDIA's
//! assembler takes.

#[path = "gpu_math/approximations.rs"]
mod approximations;
#[path = "gpu_math/assembler.rs"]
mod assembler;
#[path = "gpu_math/bounds.rs"]
mod bounds;
#[path = "../benches/gpu/math/claims.rs"]
mod claims;
#[path = "../benches/gpu/math/functions.rs"]
#[allow(dead_code)]
mod functions;
#[path = "gpu_math/integer_powers.rs"]
mod integer_powers;
#[path = "gpu_math/library.rs"]
mod library;
#[path = "gpu_math/machine_code.rs"]
mod machine_code;
#[path = "../benches/gpu/math/programs.rs"]
#[allow(dead_code)]
mod programs;
#[path = "gpu_math/run.rs"]
mod run;
#[path = "gpu_math/samples.rs"]
mod samples;
