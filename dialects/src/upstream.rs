//! Upstream's dialects, by name, and what brings their ops down to what terrace has.
//!
//! Some are in [`ALL`](crate::ALL) too, with the ops that other people's files use. Attributes of
//! the others are kept as text, and messages about their ops name the flags of `mlir-opt`.

use terrace_ir::ForeignDialect;

/// How functions on tensors get memory.
pub const TENSORS_TO_MEMORY: &str = "mlir-opt --one-shot-bufferize=\"bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map\" gives tensors memory";

/// The flags behind those that give tensors memory.
const LINALG: &str = "mlir-opt --convert-linalg-to-affine-loops makes loops of it; on tensors, behind --linalg-generalize-named-ops --one-shot-bufferize=\"bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map\"";

const TOSA: &str = "mlir-opt --pass-pipeline=\"builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor,tosa-to-scf),linalg-generalize-named-ops,one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(convert-linalg-to-affine-loops))\" makes loops of it";

const SPARSE: &str = "mlir-opt --sparsification-and-bufferization --sparse-storage-specifier-to-llvm makes loops and calls of a library of it";

const SHAPE: &str = "mlir-opt --shape-to-shape-lowering --remove-shape-constraints --convert-shape-to-std --canonicalize makes arith and scf of it";

const BUFFERIZATION: &str = "mlir-opt --one-shot-bufferize=\"bufferize-function-boundaries\" --convert-bufferization-to-memref makes memref of it";

const TRANSFORM: &str = "mlir-opt --transform-interpreter does what it says, and --test-transform-dialect-erase-schedule takes it away";

/// Of what other programs are lowered to, and nothing is lowered from here.
const LOWERED_TO: &str =
    "it is what mlir-opt's conversions make of programs; expected the module from before them";

macro_rules! dialects {
    ($($name:literal $lowered_by:expr;)*) => {
        &[$(ForeignDialect { name: $name, lowered_by: $lowered_by }),*]
    };
}

/// All of them. Of those that are here with all that programs use nothing is said; an op that is not
/// here is a slip of the pen.
pub static DIALECTS: &[ForeignDialect] = dialects! {
    "acc" None;
    "affine" None;
    "amdgpu" None;
    "amx" None;
    "arith" None;
    "arm_neon" None;
    "arm_sme" None;
    "arm_sve" None;
    "async" None;
    "bufferization" Some(BUFFERIZATION);
    "builtin" None;
    "cf" None;
    "complex" Some("mlir-opt --convert-complex-to-standard makes arith and math of it, inside of functions");
    "dlti" None;
    "emitc" Some(LOWERED_TO);
    "func" None;
    "gpu" None;
    "index" None;
    "irdl" None;
    "linalg" Some(LINALG);
    "llvm" Some(LOWERED_TO);
    "math" None;
    "memref" None;
    "ml_program" Some("mlir-opt --one-shot-bufferize=\"bufferize-function-boundaries\" makes memref of its globals");
    "mpi" None;
    "nvgpu" None;
    "nvvm" Some(LOWERED_TO);
    "omp" None;
    "pdl" None;
    "pdl_interp" None;
    "ptr" None;
    "quant" Some("mlir-opt --lower-quant-ops --strip-func-quant-types makes arith of it");
    "rocdl" Some(LOWERED_TO);
    "scf" None;
    "shape" Some(SHAPE);
    "shard" None;
    "smt" None;
    "sparse_tensor" Some(SPARSE);
    "spirv" Some(LOWERED_TO);
    "tensor" Some(TENSORS_TO_MEMORY);
    "tosa" Some(TOSA);
    "transform" Some(TRANSFORM);
    "ub" None;
    "vector" None;
    "wasmssa" Some(LOWERED_TO);
    "x86vector" None;
    "xegpu" None;
    "xevm" Some(LOWERED_TO);
};
