//! Functions of the host that compiled code calls by name.

use std::alloc::{Layout, alloc, dealloc};

/// What stands in front of memory from [`terrace_alloc`], at its end.
#[repr(C)]
struct Header {
    /// Size and alignment of the whole block, and where it begins.
    size: usize,
    align: usize,
    start: *mut u8,
    /// The next block in a list of [`terrace_alloca`].
    next: *mut u8,
}

/// `bytes` of memory aligned to `align`, a power of two; null where there is none.
extern "C" fn terrace_alloc(bytes: u64, align: u64) -> *mut u8 {
    let align = (align as usize).max(64);
    let Some(size) = usize::try_from(bytes)
        .ok()
        .and_then(|b| b.max(1).checked_add(align))
    else {
        return std::ptr::null_mut();
    };
    let Ok(layout) = Layout::from_size_align(size, align) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the size is not 0.
    let start = unsafe { alloc(layout) };
    if start.is_null() {
        return start;
    }
    // SAFETY: the block is `align` bytes longer than asked for, and `align` is at least
    // the size of a header and a multiple of its alignment.
    unsafe {
        let p = start.add(align);
        p.cast::<Header>().sub(1).write(Header {
            size,
            align,
            start,
            next: std::ptr::null_mut(),
        });
        p
    }
}

/// Free memory from [`terrace_alloc`]; null is nothing to free.
///
/// # Safety
/// `p` is null or from [`terrace_alloc`] and not freed yet.
unsafe extern "C" fn terrace_free(p: *mut u8) {
    if p.is_null() {
        return;
    }
    // SAFETY: by the contract a header stands in front of `p`, and the block it tells
    // of was allocated with the layout it tells of.
    unsafe {
        let h = p.cast::<Header>().sub(1).read();
        if let Ok(layout) = Layout::from_size_align(h.size, h.align) {
            dealloc(h.start, layout);
        }
    }
}

/// Memory as from [`terrace_alloc`], put in front of the list at `head`.
///
/// # Safety
/// `head` points to the head of a list that only this and
/// [`terrace_alloca_release`] change.
unsafe extern "C" fn terrace_alloca(head: *mut *mut u8, bytes: u64, align: u64) -> *mut u8 {
    let p = terrace_alloc(bytes, align);
    if !p.is_null() {
        // SAFETY: a header stands in front of `p`; `head` is valid by the contract.
        unsafe {
            (*p.cast::<Header>().sub(1)).next = *head;
            *head = p;
        }
    }
    p
}

/// Free the list at `head` down to `until`, which stays.
///
/// # Safety
/// As for [`terrace_alloca`]; `until` is null or in the list.
unsafe extern "C" fn terrace_alloca_release(head: *mut *mut u8, until: *mut u8) {
    // SAFETY: all elements of the list are from `terrace_alloc`, have headers in front
    // and are freed once, as they leave the list.
    unsafe {
        while *head != until && !(*head).is_null() {
            let p = *head;
            *head = (*p.cast::<Header>().sub(1)).next;
            terrace_free(p);
        }
    }
}

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

fn join(lo: u64, hi: u64) -> u128 {
    u128::from(lo) | u128::from(hi) << 64
}

macro_rules! wide {
    ($($name:ident = $ty:ty, $method:ident;)*) => { $(
        /// # Safety
        /// `out` is valid for writing 16 bytes aligned to 16; the divisor is not 0.
        unsafe extern "C" fn $name(a0: u64, a1: u64, b0: u64, b1: u64, out: *mut u128) {
            let (a, b) = (join(a0, a1) as $ty, join(b0, b1) as $ty);
            let v = if b == 0 { 0 } else { a.$method(b) };
            // SAFETY: by the contract.
            unsafe { out.write(v as u128) }
        }
    )* };
}

wide! {
    terrace_div_i128 = i128, wrapping_div;
    terrace_div_u128 = u128, wrapping_div;
    terrace_rem_i128 = i128, wrapping_rem;
    terrace_rem_u128 = u128, wrapping_rem;
}

extern "C" fn terrace_i128_to_f64(lo: u64, hi: u64) -> f64 {
    join(lo, hi) as i128 as f64
}
extern "C" fn terrace_i128_to_f32(lo: u64, hi: u64) -> f32 {
    join(lo, hi) as i128 as f32
}
extern "C" fn terrace_u128_to_f64(lo: u64, hi: u64) -> f64 {
    join(lo, hi) as f64
}
extern "C" fn terrace_u128_to_f32(lo: u64, hi: u64) -> f32 {
    join(lo, hi) as f32
}

/// # Safety
/// `out` is valid for writing 16 bytes aligned to 16; `bits` is 1 to 128.
unsafe extern "C" fn terrace_f64_to_i128(v: f64, bits: u32, out: *mut u128) {
    let most = i128::MAX >> (128 - bits);
    let i = (v as i128).clamp(-most - 1, most);
    // SAFETY: by the contract.
    unsafe { out.write(i as u128 & (u128::MAX >> (128 - bits))) }
}

/// # Safety
/// As for [`terrace_f64_to_i128`].
unsafe extern "C" fn terrace_f64_to_u128(v: f64, bits: u32, out: *mut u128) {
    // SAFETY: by the contract.
    unsafe { out.write((v as u128).min(u128::MAX >> (128 - bits))) }
}

/// `v` rounded to nearest even with `digits` binary digits, the least exponent of a
/// normal number being `least`; what passes `most` is infinite.
fn round_to(v: f64, digits: i32, least: i32, most: f64) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return v;
    }
    let exponent = ((v.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(least);
    let ulp = 2f64.powi(exponent - digits + 1);
    // Division and product by a power of two are exact here.
    let r = (v / ulp).round_ties_even() * ulp;
    if r.abs() > most {
        f64::INFINITY.copysign(v)
    } else {
        r.copysign(v)
    }
}

extern "C" fn terrace_f64_to_f16(v: f64) -> f32 {
    round_to(v, 11, -14, 65504.0) as f32
}
extern "C" fn terrace_f64_to_bf16(v: f64) -> f32 {
    round_to(v, 8, -126, f64::from(f32::from_bits(0x7f7f_0000))) as f32
}
extern "C" fn terrace_round_f16(v: f32) -> f32 {
    terrace_f64_to_f16(f64::from(v))
}
extern "C" fn terrace_round_bf16(v: f32) -> f32 {
    terrace_f64_to_bf16(f64::from(v))
}

/// An integer as a float with the same rounding to fewer than 50 digits: the last bit
/// kept is set where one behind it is.
fn sticky(lo: u64, hi: u64, signed: u32) -> f64 {
    let v = join(lo, hi);
    let negative = signed != 0 && (v as i128) < 0;
    let m = if negative {
        (v as i128).unsigned_abs()
    } else {
        v
    };
    let drop = (128 - m.leading_zeros()).saturating_sub(52);
    let kept = m >> drop;
    let odd = u128::from(kept << drop != m);
    let f = (kept | odd) as f64 * 2f64.powi(drop as i32);
    if negative { -f } else { f }
}

extern "C" fn terrace_int_to_f16(lo: u64, hi: u64, signed: u32) -> f32 {
    terrace_f64_to_f16(sticky(lo, hi, signed))
}
extern "C" fn terrace_int_to_bf16(lo: u64, hi: u64, signed: u32) -> f32 {
    terrace_f64_to_bf16(sticky(lo, hi, signed))
}

/// The bits of a value that is one of `f16`'s.
extern "C" fn terrace_f16_bits(v: f32) -> u32 {
    let bits = v.to_bits();
    let sign = bits >> 16 & 0x8000;
    if v.is_nan() {
        return sign | 0x7e00 | bits >> 13 & 0x3ff;
    }
    let a = v.abs();
    if a > 65504.0 {
        return sign | 0x7c00;
    }
    if a < f32::from_bits(0x3880_0000) {
        // Below 2^-14: a multiple of 2^-24.
        return sign | (a * 16_777_216.0) as u32;
    }
    sign | ((a.to_bits() - 0x3800_0000) >> 13)
}

extern "C" fn terrace_f16_value(bits: u32) -> f32 {
    let sign = (bits & 0x8000) << 16;
    let (e, m) = (bits >> 10 & 0x1f, bits & 0x3ff);
    let a = match e {
        0 => m as f32 / 16_777_216.0,
        31 => f32::from_bits(0x7f80_0000 | m << 13),
        _ => f32::from_bits((e + 112) << 23 | m << 13),
    };
    f32::from_bits(a.to_bits() | sign)
}

extern "C" fn terrace_bf16_bits(v: f32) -> u32 {
    // A NaN whose digits all lie below stays one.
    v.to_bits() >> 16 | u32::from(v.is_nan()) << 6
}

/// By repeated squaring; the reciprocal for a negative exponent.
extern "C" fn terrace_powi_f64(x: f64, n: i64) -> f64 {
    let (mut base, mut k, mut v) = (x, n.unsigned_abs(), 1.0);
    while k > 0 {
        if k & 1 == 1 {
            v *= base;
        }
        base *= base;
        k >>= 1;
    }
    if n < 0 { 1.0 / v } else { v }
}

extern "C" fn terrace_powi_f32(x: f32, n: i64) -> f32 {
    terrace_powi_f64(f64::from(x), n) as f32
}

/// Wraps; a negative power is 0 but for the bases 1 and -1.
extern "C" fn terrace_ipow(x: i64, n: i64) -> i64 {
    if n < 0 {
        return match x {
            1 => 1,
            -1 if n & 1 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut base, mut k, mut v) = (x, n, 1i64);
    while k > 0 {
        if k & 1 == 1 {
            v = v.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        k >>= 1;
    }
    v
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
    all.push(("terrace_parallel_for", parallel_in_sequence as *const u8));
    all
}

/// A float rounded to what `f16` or `bf16` holds.
pub(super) fn round_half(v: f64, bf16: bool) -> f32 {
    match bf16 {
        true => terrace_f64_to_bf16(v),
        false => terrace_f64_to_f16(v),
    }
}
