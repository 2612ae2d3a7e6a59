//! Functions that native code calls by name, beside those of the C library.
//!
//! They are C symbols: code compiled in memory is given their addresses, and an object
//! file refers to them by name. Both go to the one definition here, which is linked
//! into the compiler and, through the runtime, into the programs it makes.

pub mod c_functions;
pub mod estimate;
pub mod subnormals;
pub mod unfinished;

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
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_alloc(bytes: u64, align: u64) -> *mut u8 {
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
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_free(p: *mut u8) {
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
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_alloca(head: *mut *mut u8, bytes: u64, align: u64) -> *mut u8 {
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
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_alloca_release(head: *mut *mut u8, until: *mut u8) {
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

fn join(lo: u64, hi: u64) -> u128 {
    u128::from(lo) | u128::from(hi) << 64
}

macro_rules! wide {
    ($($name:ident = $ty:ty, $method:ident;)*) => { $(
        /// The operation on two integers of 128 bits, low words first.
        ///
        /// # Safety
        /// `out` is valid for writing 16 bytes aligned to 16; the divisor is not 0.
        // SAFETY: no other symbol has this name.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(a0: u64, a1: u64, b0: u64, b1: u64, out: *mut u128) {
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

/// A signed integer of 128 bits, given as its low and its high word, rounded to nearest.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_i128_to_f64(lo: u64, hi: u64) -> f64 {
    join(lo, hi) as i128 as f64
}
/// As [`terrace_i128_to_f64`].
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_i128_to_f32(lo: u64, hi: u64) -> f32 {
    join(lo, hi) as i128 as f32
}
/// An unsigned integer of 128 bits, low word first, rounded to nearest.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_u128_to_f64(lo: u64, hi: u64) -> f64 {
    join(lo, hi) as f64
}
/// As [`terrace_u128_to_f64`].
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_u128_to_f32(lo: u64, hi: u64) -> f32 {
    join(lo, hi) as f32
}

/// The integer nearest towards zero, of so many bits, saturated.
///
/// # Safety
/// `out` is valid for writing 16 bytes aligned to 16; `bits` is 1 to 128.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_f64_to_i128(v: f64, bits: u32, out: *mut u128) {
    let most = i128::MAX >> (128 - bits);
    let i = (v as i128).clamp(-most - 1, most);
    // SAFETY: by the contract.
    unsafe { out.write(i as u128 & (u128::MAX >> (128 - bits))) }
}

/// As [`terrace_f64_to_i128`], without a sign.
///
/// # Safety
/// As for [`terrace_f64_to_i128`].
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn terrace_f64_to_u128(v: f64, bits: u32, out: *mut u128) {
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

/// Rounded to what a float of 5 exponent and 11 digits has.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_f64_to_f16(v: f64) -> f32 {
    round_to(v, 11, -14, 65504.0) as f32
}
/// Rounded to what a float of 8 digits has.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_f64_to_bf16(v: f64) -> f32 {
    round_to(v, 8, -126, f64::from(f32::from_bits(0x7f7f_0000))) as f32
}
/// As [`terrace_f64_to_f16`].
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_round_f16(v: f32) -> f32 {
    terrace_f64_to_f16(f64::from(v))
}
/// As [`terrace_f64_to_bf16`].
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_round_bf16(v: f32) -> f32 {
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

/// An integer of 128 bits, low word first, rounded once to what `f16` holds.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_int_to_f16(lo: u64, hi: u64, signed: u32) -> f32 {
    terrace_f64_to_f16(sticky(lo, hi, signed))
}
/// An integer of 128 bits, low word first, rounded once to what `bf16` holds.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_int_to_bf16(lo: u64, hi: u64, signed: u32) -> f32 {
    terrace_f64_to_bf16(sticky(lo, hi, signed))
}

/// The bits of a value that is one of `f16`'s.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_f16_bits(v: f32) -> u32 {
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

/// The inverse of [`terrace_f16_bits`].
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_f16_value(bits: u32) -> f32 {
    let sign = (bits & 0x8000) << 16;
    let (e, m) = (bits >> 10 & 0x1f, bits & 0x3ff);
    let a = match e {
        0 => m as f32 / 16_777_216.0,
        31 => f32::from_bits(0x7f80_0000 | m << 13),
        _ => f32::from_bits((e + 112) << 23 | m << 13),
    };
    f32::from_bits(a.to_bits() | sign)
}

/// The bits of a value that is one of `bf16`'s.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_bf16_bits(v: f32) -> u32 {
    // A NaN whose digits all lie below stays one.
    v.to_bits() >> 16 | u32::from(v.is_nan()) << 6
}

/// By repeated squaring; the reciprocal for a negative exponent.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_powi_f64(x: f64, n: i64) -> f64 {
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

/// As [`terrace_powi_f64`], rounded once more.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_powi_f32(x: f32, n: i64) -> f32 {
    terrace_powi_f64(f64::from(x), n) as f32
}

/// Wraps; a negative power is 0 but for the bases 1 and -1.
// SAFETY: no other symbol has this name.
#[unsafe(no_mangle)]
pub extern "C" fn terrace_ipow(x: i64, n: i64) -> i64 {
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
