//! Functions of the host that compiled code calls by name.

use super::shared;
use terrace_support::*;

/// A part of a parallel loop, as compiled.
pub type ParallelBody = extern "C" fn(env: *const u64, begin: i64, end: i64) -> i32;

/// Runs a parallel loop in sequence: what `terrace_parallel_for` is where nothing else
/// was given.
extern "C" fn parallel_in_sequence(
    body: ParallelBody,
    env: *const u64,
    begin: i64,
    end: i64,
    _step: i64,
) -> i32 {
    if begin < end {
        body(env, begin, end)
    } else {
        0
    }
}

macro_rules! c_library {
    (unary: $($f64:ident $f32:ident,)*; binary: $($g64:ident $g32:ident,)*) => {
        unsafe extern "C" {
            $(fn $f64(x: f64) -> f64; fn $f32(x: f32) -> f32;)*
            $(fn $g64(x: f64, y: f64) -> f64; fn $g32(x: f32, y: f32) -> f32;)*
            fn fma(x: f64, y: f64, z: f64) -> f64;
            fn fmaf(x: f32, y: f32, z: f32) -> f32;
            fn memmove(to: *mut u8, from: *const u8, n: usize) -> *mut u8;
        }

        /// Names and addresses of the C library's functions that compiled code uses.
        fn c_symbols() -> Vec<(&'static str, *const u8)> {
            vec![
                $((stringify!($f64), $f64 as *const u8), (stringify!($f32), $f32 as *const u8),)*
                $((stringify!($g64), $g64 as *const u8), (stringify!($g32), $g32 as *const u8),)*
                ("fma", fma as *const u8),
                ("fmaf", fmaf as *const u8),
                ("memmove", memmove as *const u8),
            ]
        }
    };
}

c_library! {
    unary:
        acos acosf, acosh acoshf, asin asinf, asinh asinhf, atan atanf, atanh atanhf,
        cbrt cbrtf, ceil ceilf, cos cosf, cosh coshf, erf erff, erfc erfcf, exp expf,
        exp2 exp2f, expm1 expm1f, floor floorf, log logf, log10 log10f, log1p log1pf,
        log2 log2f, nearbyint nearbyintf, round roundf, sin sinf, sinh sinhf, tan tanf,
        tanh tanhf, trunc truncf,;
    binary: atan2 atan2f, fmod fmodf, pow powf,
}

macro_rules! table {
    ($($f:ident,)*) => { vec![$((stringify!($f), $f as *const u8),)*] };
}

/// Names and addresses of everything that compiled code may call unless it is told of
/// something else by the same name.
pub(super) fn symbols() -> Vec<(&'static str, *const u8)> {
    let mut all = c_symbols();
    all.extend(table![
        terrace_alloc,
        terrace_free,
        terrace_alloca,
        terrace_alloca_release,
        terrace_div_i128,
        terrace_div_u128,
        terrace_rem_i128,
        terrace_rem_u128,
        terrace_i128_to_f64,
        terrace_i128_to_f32,
        terrace_u128_to_f64,
        terrace_u128_to_f32,
        terrace_f64_to_i128,
        terrace_f64_to_u128,
        terrace_f64_to_f16,
        terrace_f64_to_bf16,
        terrace_round_f16,
        terrace_round_bf16,
        terrace_int_to_f16,
        terrace_int_to_bf16,
        terrace_f16_bits,
        terrace_f16_value,
        terrace_bf16_bits,
        terrace_powi_f64,
        terrace_powi_f32,
        terrace_ipow,
    ]);
    let checks: [(&'static str, *const u8); 4] = [
        ("terrace_heap_alloc", shared::heap_alloc as *const u8),
        ("terrace_heap_free", shared::heap_free as *const u8),
        ("terrace_note_bounds", shared::note_bounds as *const u8),
        ("terrace_stack_is_low", shared::stack_is_low as *const u8),
    ];
    all.extend(checks);
    all.push(("terrace_parallel_for", parallel_in_sequence as *const u8));
    all
}

/// Callbacks without a definition here: what an object file may refer to beside
/// [`symbols`].
pub(super) const DEVICE_CALLBACKS: [&str; 14] = [
    "terrace_gpu_alloc",
    "terrace_gpu_free",
    "terrace_gpu_copy",
    "terrace_gpu_copy_strided",
    "terrace_gpu_memset",
    "terrace_gpu_launch",
    "terrace_gpu_sync",
    "terrace_gpu_profiled",
    "terrace_gpu_work",
    "terrace_gpu_begin",
    "terrace_gpu_token",
    "terrace_gpu_wait",
    "terrace_gpu_join",
    "terrace_gpu_alloc_host",
];

/// A float rounded to what `f16` or `bf16` holds.
pub(super) fn round_half(v: f64, bf16: bool) -> f32 {
    match bf16 {
        true => terrace_f64_to_bf16(v),
        false => terrace_f64_to_f16(v),
    }
}
