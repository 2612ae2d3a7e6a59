//! Integers and bits. `bits` is the width: 8, 16, 32 or 64.

/// The low `bits` bits of a value.
#[inline]
pub const fn low(v: u64, bits: u32) -> u64 {
    if bits >= 64 { v } else { v & ((1 << bits) - 1) }
}

/// The value as a signed number.
#[inline]
pub const fn signed(v: u64, bits: u32) -> i64 {
    (v << (64 - bits)) as i64 >> (64 - bits)
}

/// The smallest and largest number of a type.
pub const fn range(bits: u32, is_signed: bool) -> (i128, i128) {
    if is_signed {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

/// The number that bits mean.
pub const fn number(v: u64, bits: u32, is_signed: bool) -> i128 {
    if is_signed {
        signed(v, bits) as i128
    } else {
        low(v, bits) as i128
    }
}

/// The nearest number of a type.
pub fn saturate(v: i128, bits: u32, is_signed: bool) -> u64 {
    let (least, most) = range(bits, is_signed);
    low(v.clamp(least, most) as u64, bits)
}

/// The upper half of a product of twice the width.
pub const fn mul_hi(a: u64, b: u64, bits: u32, is_signed: bool) -> u64 {
    // A 64-bit product of unsigned numbers needs all of 128 bits.
    let product = if is_signed {
        (number(a, bits, true) * number(b, bits, true)) as u128
    } else {
        low(a, bits) as u128 * low(b, bits) as u128
    };
    low((product >> bits) as u64, bits)
}

/// A product of twice the width.
pub const fn mul_wide(a: u64, b: u64, bits: u32, is_signed: bool) -> u64 {
    let product = number(a, bits, is_signed) * number(b, bits, is_signed);
    low(product as u64, bits * 2)
}

/// A quotient. By zero the machine gives all ones; the smallest number by -1
/// gives itself.
pub const fn div(a: u64, b: u64, bits: u32, is_signed: bool) -> u64 {
    if low(b, bits) == 0 {
        return low(u64::MAX, bits);
    }
    if is_signed {
        low(signed(a, bits).wrapping_div(signed(b, bits)) as u64, bits)
    } else {
        low(a, bits) / low(b, bits)
    }
}

/// A remainder with the sign of the dividend; by zero all ones.
pub const fn rem(a: u64, b: u64, bits: u32, is_signed: bool) -> u64 {
    if low(b, bits) == 0 {
        return low(u64::MAX, bits);
    }
    if is_signed {
        low(signed(a, bits).wrapping_rem(signed(b, bits)) as u64, bits)
    } else {
        low(a, bits) % low(b, bits)
    }
}

/// Shift left; by the width or more gives 0.
#[inline]
pub const fn shl(a: u64, by: u64, bits: u32) -> u64 {
    let by = by as u32;
    if by >= bits { 0 } else { low(a << by, bits) }
}

/// Shift right; by the width or more gives 0 or the sign.
#[inline]
pub const fn shr(a: u64, by: u64, bits: u32, is_signed: bool) -> u64 {
    let by = by as u32;
    if is_signed {
        let by = if by >= bits { bits - 1 } else { by };
        low((signed(a, bits) >> by) as u64, bits)
    } else if by >= bits {
        0
    } else {
        low(a, bits) >> by
    }
}

/// `bfe`: a field of `len` bits from bit `pos`, with the sign of its top bit. What
/// lies beyond the value is its sign, or 0.
pub fn bfe(a: u64, pos: u64, len: u64, bits: u32, is_signed: bool) -> u64 {
    let (pos, len) = ((pos & 255) as u32, (len & 255) as u32);
    let sign = if !is_signed || len == 0 {
        0
    } else {
        a >> (pos + len - 1).min(bits - 1) & 1
    };
    let mut out = 0;
    for i in 0..bits {
        let bit = if i < len && pos + i < bits {
            a >> (pos + i) & 1
        } else {
            sign
        };
        out |= bit << i;
    }
    out
}

/// `bfi`: `into` with `len` bits from bit `pos` replaced by the low bits of `a`.
pub fn bfi(a: u64, into: u64, pos: u64, len: u64, bits: u32) -> u64 {
    let (pos, len) = ((pos & 255) as u32, (len & 255) as u32);
    let mut out = into;
    for i in 0..len.min(bits.saturating_sub(pos)) {
        out = out & !(1 << (pos + i)) | (a >> i & 1) << (pos + i);
    }
    out
}

/// `bfind`: the highest bit that is set, of a negative number the highest that is
/// not; all ones if there is none.
pub const fn bfind(a: u64, bits: u32, is_signed: bool) -> u64 {
    let a = if is_signed && signed(a, bits) < 0 {
        low(!a, bits)
    } else {
        low(a, bits)
    };
    if a == 0 {
        0xffff_ffff
    } else {
        63 - a.leading_zeros() as u64
    }
}

/// `prmt` in its general mode: bytes of `b` over `a`, chosen by the nibbles of
/// `select`, whose top bit asks for the byte's sign instead.
pub fn prmt(a: u64, b: u64, select: u64) -> u64 {
    let bytes = low(b, 32) << 32 | low(a, 32);
    let mut out = 0;
    for i in 0..4 {
        let nibble = select >> (4 * i) & 15;
        let byte = bytes >> (8 * (nibble & 7)) & 255;
        let byte = match nibble & 8 {
            0 => byte,
            _ if byte >= 128 => 255,
            _ => 0,
        };
        out |= byte << (8 * i);
    }
    out
}
