//! Rates of arithmetic in registers, by operation, type and width of vectors.

use super::Effort;

/// Chains of operations that do not wait for one another, in registers 0 to 11: as many as
/// latencies of five cycles and two units need.
const CHAINS: u64 = 12;
/// Rounds of a call.
const ROUNDS: u64 = 1000;

/// A rate: its name, the operations of an instruction, and a loop of `CHAINS` times `ROUNDS`
/// instructions.
type Case = (&'static str, u64, fn());

/// Rates by their names in descriptions.
pub fn rates(effort: &Effort) -> Vec<(&'static str, f64)> {
    let measured = |(key, each, run): Case| {
        let operations = (CHAINS * ROUNDS * each) as f64;
        (key, effort.best(operations, run) / 1e9)
    };
    machine::cases().into_iter().map(measured).collect()
}

/// A function that runs a loop of instructions, each with a register, another one, and register
/// 13 as operands. All registers are 0, which is as fast as other numbers that are not subnormal.
///
/// With `own` each of twelve registers is an operand too; with `added` it is added to, as
/// multiply-adds do; with `turns` two instructions take turns; with `waiting` all are about one
/// register.
macro_rules! chains {
    ($name:ident, $reg:literal $suffix:literal, $op:literal own) => {
        chains!($name, $reg $suffix, $op, $op turns);
    };
    ($name:ident, $reg:literal $suffix:literal, $a:literal, $b:literal turns) => {
        chains!(@ $name, $reg $suffix, [$a "0" "0"] [$b "1" "1"] [$a "2" "2"] [$b "3" "3"]
            [$a "4" "4"] [$b "5" "5"] [$a "6" "6"] [$b "7" "7"] [$a "8" "8"] [$b "9" "9"]
            [$a "10" "10"] [$b "11" "11"]);
    };
    ($name:ident, $reg:literal $suffix:literal, $op:literal added) => {
        chains!(@ $name, $reg $suffix, [$op "0" "12"] [$op "1" "12"] [$op "2" "12"]
            [$op "3" "12"] [$op "4" "12"] [$op "5" "12"] [$op "6" "12"] [$op "7" "12"]
            [$op "8" "12"] [$op "9" "12"] [$op "10" "12"] [$op "11" "12"]);
    };
    ($name:ident, $reg:literal $suffix:literal, $op:literal waiting) => {
        chains!(@ $name, $reg $suffix, [$op "0" "0"] [$op "0" "0"] [$op "0" "0"] [$op "0" "0"]
            [$op "0" "0"] [$op "0" "0"] [$op "0" "0"] [$op "0" "0"] [$op "0" "0"] [$op "0" "0"]
            [$op "0" "0"] [$op "0" "0"]);
    };
    (@ $name:ident, $reg:literal $suffix:literal, $([$op:literal $to:literal $from:literal])*) => {
        fn $name() {
            // SAFETY: it computes in registers that it names, and is a case only where the
            // machine has the instructions.
            unsafe {
                repeated!($(concat!($op, " ", $reg, $to, $suffix, ", ", $reg, $from, $suffix,
                    ", ", $reg, "13", $suffix)),*)
            };
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use super::{Case, ROUNDS};
    use std::arch::is_x86_feature_detected as has;

    macro_rules! repeated {
        ($($line:expr),*) => {
            std::arch::asm!(
                "vzeroall", "2:", $($line,)* "dec {n}", "jnz 2b", "vzeroupper",
                n = inout(reg) ROUNDS => _,
                out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _,
                out("xmm5") _, out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _,
                out("xmm10") _, out("xmm11") _, out("xmm12") _, out("xmm13") _, out("xmm14") _,
                out("xmm15") _, options(nomem, nostack))
        };
    }

    chains!(mixed, "xmm" "", "vaddpd", "vmulpd" turns);
    chains!(waiting, "xmm" "", "vaddsd" waiting);
    chains!(f32_add_128, "xmm" "", "vaddps" own);
    chains!(f32_mul_128, "xmm" "", "vmulps" own);
    chains!(f64_add_128, "xmm" "", "vaddpd" own);
    chains!(f64_mul_128, "xmm" "", "vmulpd" own);
    chains!(f32_fma_128, "xmm" "", "vfmadd231ps" added);
    chains!(f64_fma_128, "xmm" "", "vfmadd231pd" added);
    chains!(i32_add_128, "xmm" "", "vpaddd" own);
    chains!(i32_mul_128, "xmm" "", "vpmulld" own);
    chains!(f32_add_256, "ymm" "", "vaddps" own);
    chains!(f32_mul_256, "ymm" "", "vmulps" own);
    chains!(f64_add_256, "ymm" "", "vaddpd" own);
    chains!(f64_mul_256, "ymm" "", "vmulpd" own);
    chains!(f32_fma_256, "ymm" "", "vfmadd231ps" added);
    chains!(f64_fma_256, "ymm" "", "vfmadd231pd" added);
    chains!(i32_add_256, "ymm" "", "vpaddd" own);
    chains!(i32_mul_256, "ymm" "", "vpmulld" own);
    chains!(f32_add_512, "zmm" "", "vaddps" own);
    chains!(f32_mul_512, "zmm" "", "vmulps" own);
    chains!(f64_add_512, "zmm" "", "vaddpd" own);
    chains!(f64_mul_512, "zmm" "", "vmulpd" own);
    chains!(f32_fma_512, "zmm" "", "vfmadd231ps" added);
    chains!(f64_fma_512, "zmm" "", "vfmadd231pd" added);
    chains!(i32_add_512, "zmm" "", "vpaddd" own);
    chains!(i32_mul_512, "zmm" "", "vpmulld" own);

    pub fn cases() -> Vec<Case> {
        let mut all: Vec<Case> = Vec::new();
        if has!("avx") {
            all.extend([
                ("mixed_gops", 2, mixed as fn()),
                ("chain_gops", 1, waiting),
                ("f32_add_128", 4, f32_add_128),
                ("f32_mul_128", 4, f32_mul_128),
                ("f64_add_128", 2, f64_add_128),
                ("f64_mul_128", 2, f64_mul_128),
                ("i32_add_128", 4, i32_add_128),
                ("i32_mul_128", 4, i32_mul_128),
                ("f32_add_256", 8, f32_add_256),
                ("f32_mul_256", 8, f32_mul_256),
                ("f64_add_256", 4, f64_add_256),
                ("f64_mul_256", 4, f64_mul_256),
            ]);
        }
        if has!("fma") {
            all.extend([
                ("f32_fma_128", 8, f32_fma_128 as fn()),
                ("f64_fma_128", 4, f64_fma_128),
                ("f32_fma_256", 16, f32_fma_256),
                ("f64_fma_256", 8, f64_fma_256),
            ]);
        }
        if has!("avx2") {
            all.extend([
                ("i32_add_256", 8, i32_add_256 as fn()),
                ("i32_mul_256", 8, i32_mul_256),
            ]);
        }
        if has!("avx512f") {
            all.extend([
                ("f32_add_512", 16, f32_add_512 as fn()),
                ("f32_mul_512", 16, f32_mul_512),
                ("f64_add_512", 8, f64_add_512),
                ("f64_mul_512", 8, f64_mul_512),
                ("f32_fma_512", 32, f32_fma_512),
                ("f64_fma_512", 16, f64_fma_512),
                ("i32_add_512", 16, i32_add_512),
                ("i32_mul_512", 16, i32_mul_512),
            ]);
        }
        all
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    use super::{Case, ROUNDS};

    macro_rules! repeated {
        ($($line:expr),*) => {
            std::arch::asm!(
                "movi v0.2d, #0", "movi v1.2d, #0", "movi v2.2d, #0", "movi v3.2d, #0",
                "movi v4.2d, #0", "movi v5.2d, #0", "movi v6.2d, #0", "movi v7.2d, #0",
                "movi v8.2d, #0", "movi v9.2d, #0", "movi v10.2d, #0", "movi v11.2d, #0",
                "movi v12.2d, #0", "movi v13.2d, #0",
                "2:", $($line,)* "subs {n}, {n}, #1", "b.ne 2b",
                n = inout(reg) ROUNDS => _,
                out("v0") _, out("v1") _, out("v2") _, out("v3") _, out("v4") _, out("v5") _,
                out("v6") _, out("v7") _, out("v8") _, out("v9") _, out("v10") _, out("v11") _,
                out("v12") _, out("v13") _, options(nomem, nostack))
        };
    }

    chains!(mixed, "v" ".2d", "fadd", "fmul" turns);
    chains!(waiting, "d" "", "fadd" waiting);
    chains!(f32_add_128, "v" ".4s", "fadd" own);
    chains!(f32_mul_128, "v" ".4s", "fmul" own);
    chains!(f64_add_128, "v" ".2d", "fadd" own);
    chains!(f64_mul_128, "v" ".2d", "fmul" own);
    chains!(f32_fma_128, "v" ".4s", "fmla" added);
    chains!(f64_fma_128, "v" ".2d", "fmla" added);
    chains!(i32_add_128, "v" ".4s", "add" own);
    chains!(i32_mul_128, "v" ".4s", "mul" own);

    pub fn cases() -> Vec<Case> {
        vec![
            ("mixed_gops", 2, mixed),
            ("chain_gops", 1, waiting),
            ("f32_add_128", 4, f32_add_128),
            ("f32_mul_128", 4, f32_mul_128),
            ("f64_add_128", 2, f64_add_128),
            ("f64_mul_128", 2, f64_mul_128),
            ("f32_fma_128", 8, f32_fma_128),
            ("f64_fma_128", 4, f64_fma_128),
            ("i32_add_128", 4, i32_add_128),
            ("i32_mul_128", 4, i32_mul_128),
        ]
    }
}
