//! Arithmetic on slices of 64-bit limbs, least significant first.

use std::cmp::Ordering;

pub(in crate::num) const LIMB_BITS: u32 = 64;

/// The limbs a width needs; at least one.
pub(in crate::num) fn limbs_for(width: u32) -> usize {
    width.div_ceil(LIMB_BITS).max(1) as usize
}

/// The bits of the highest limb that belong to a value of that width.
pub(in crate::num) fn top_mask(width: u32) -> u64 {
    match (width, width % LIMB_BITS) {
        (0, _) => 0,
        (_, 0) => u64::MAX,
        (_, used) => (1 << used) - 1,
    }
}

/// The number of bits up to the highest set one.
pub(in crate::num) fn bit_len(a: &[u64]) -> u32 {
    match a.iter().rposition(|&l| l != 0) {
        Some(i) => (i as u32 + 1) * LIMB_BITS - a[i].leading_zeros(),
        None => 0,
    }
}

/// Without the zero limbs at the top.
pub(in crate::num) fn trimmed(a: &[u64]) -> &[u64] {
    let n = a.iter().rposition(|&l| l != 0).map_or(0, |i| i + 1);
    &a[..n]
}

/// Compares as unsigned numbers; lengths may differ.
pub(in crate::num) fn cmp(a: &[u64], b: &[u64]) -> Ordering {
    let (a, b) = (trimmed(a), trimmed(b));
    let by_length = a.len().cmp(&b.len());
    by_length.then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// `a += b`, where `b` is no longer than `a`; the carry out of the top limb.
pub(in crate::num) fn add(a: &mut [u64], b: &[u64]) -> bool {
    let mut carry = false;
    for (i, limb) in a.iter_mut().enumerate() {
        let (sum, c1) = limb.overflowing_add(b.get(i).copied().unwrap_or(0));
        let (sum, c2) = sum.overflowing_add(u64::from(carry));
        *limb = sum;
        carry = c1 | c2;
        if !carry && i + 1 >= b.len() {
            break;
        }
    }
    carry
}

/// `a -= b`, where `b` is no longer than `a`; the borrow out of the top limb.
pub(in crate::num) fn sub(a: &mut [u64], b: &[u64]) -> bool {
    let mut borrow = false;
    for (i, limb) in a.iter_mut().enumerate() {
        let (diff, b1) = limb.overflowing_sub(b.get(i).copied().unwrap_or(0));
        let (diff, b2) = diff.overflowing_sub(u64::from(borrow));
        *limb = diff;
        borrow = b1 | b2;
        if !borrow && i + 1 >= b.len() {
            break;
        }
    }
    borrow
}

/// `out = a * b`, cut off at the length of `out`.
pub(in crate::num) fn mul(out: &mut [u64], a: &[u64], b: &[u64]) {
    out.fill(0);
    let (a, b) = (trimmed(a), trimmed(b));
    for (i, &x) in a.iter().enumerate().take(out.len()) {
        if x == 0 {
            continue;
        }
        let mut carry = 0u128;
        let row = &mut out[i..];
        for (limb, &y) in row.iter_mut().zip(b) {
            let t = u128::from(x) * u128::from(y) + u128::from(*limb) + carry;
            *limb = t as u64;
            carry = t >> 64;
        }
        if let Some(limb) = row.get_mut(b.len()) {
            *limb = carry as u64;
        }
    }
}

/// `a = a * factor + addend`, growing by a limb where needed.
pub(in crate::num) fn mul_add_small(a: &mut Vec<u64>, factor: u64, addend: u64) {
    let mut carry = u128::from(addend);
    for limb in a.iter_mut() {
        let t = u128::from(*limb) * u128::from(factor) + carry;
        *limb = t as u64;
        carry = t >> 64;
    }
    if carry != 0 {
        a.push(carry as u64);
    }
}

/// `a /= divisor`; the remainder. The divisor must not be zero.
pub(in crate::num) fn div_small(a: &mut [u64], divisor: u64) -> u64 {
    let mut rem = 0u64;
    for limb in a.iter_mut().rev() {
        if rem == 0 {
            // The common case of a short quotient needs no wide division.
            rem = *limb % divisor;
            *limb /= divisor;
            continue;
        }
        let t = u128::from(rem) << 64 | u128::from(*limb);
        *limb = (t / u128::from(divisor)) as u64;
        rem = (t % u128::from(divisor)) as u64;
    }
    rem
}

/// `out = a << amount`, cut off at the length of `out`.
pub(in crate::num) fn shl(out: &mut [u64], a: &[u64], amount: u32) {
    let (limbs, bits) = ((amount / LIMB_BITS) as usize, amount % LIMB_BITS);
    for i in (0..out.len()).rev() {
        let at = |j: Option<usize>| j.and_then(|j| a.get(j)).copied().unwrap_or(0);
        let low = at(i.checked_sub(limbs));
        let below = at(i.checked_sub(limbs + 1));
        out[i] = if bits == 0 {
            low
        } else {
            low << bits | below >> (LIMB_BITS - bits)
        };
    }
}

/// `out = a >> amount`, with zeros shifted in.
pub(in crate::num) fn shr(out: &mut [u64], a: &[u64], amount: u32) {
    let (limbs, bits) = ((amount / LIMB_BITS) as usize, amount % LIMB_BITS);
    for (i, limb) in out.iter_mut().enumerate() {
        let high = a.get(i + limbs).copied().unwrap_or(0);
        let above = a.get(i + limbs + 1).copied().unwrap_or(0);
        *limb = if bits == 0 {
            high
        } else {
            high >> bits | above << (LIMB_BITS - bits)
        };
    }
}

/// Quotient and remainder by long division with normalised limbs (Knuth,
/// TAOCP vol. 2, 4.3.1, algorithm D). The divisor must not be zero.
pub(in crate::num) fn div_rem(a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let (a, b) = (trimmed(a), trimmed(b));
    if cmp(a, b) == Ordering::Less {
        return (Vec::new(), a.to_vec());
    }
    if let [divisor] = *b {
        let mut quotient = a.to_vec();
        let rem = div_small(&mut quotient, divisor);
        return (quotient, vec![rem]);
    }
    let n = b.len();
    let shift = b[n - 1].leading_zeros();
    let mut v = vec![0; n];
    shl(&mut v, b, shift);
    let mut u = vec![0; a.len() + 1];
    shl(&mut u, a, shift);
    let mut quotient = vec![0; a.len() - n + 1];
    let (v1, v2) = (u128::from(v[n - 1]), u128::from(v[n - 2]));
    for j in (0..quotient.len()).rev() {
        let top = u128::from(u[j + n]) << 64 | u128::from(u[j + n - 1]);
        let (mut q, mut r) = (top / v1, top % v1);
        while q >> 64 != 0 || q * v2 > (r << 64 | u128::from(u[j + n - 2])) {
            q -= 1;
            r += v1;
            if r >> 64 != 0 {
                break;
            }
        }
        let mut carry = 0u128;
        let mut borrow = false;
        for i in 0..n {
            let t = q * u128::from(v[i]) + carry;
            carry = t >> 64;
            let (d, b1) = u[j + i].overflowing_sub(t as u64);
            let (d, b2) = d.overflowing_sub(u64::from(borrow));
            u[j + i] = d;
            borrow = b1 | b2;
        }
        let (d, b1) = u[j + n].overflowing_sub(carry as u64);
        let (d, b2) = d.overflowing_sub(u64::from(borrow));
        u[j + n] = d;
        if b1 | b2 {
            // The estimate was one too large, which happens about once in 2^63.
            q -= 1;
            let carry = add(&mut u[j..j + n], &v);
            u[j + n] = u[j + n].wrapping_add(u64::from(carry));
        }
        quotient[j] = q as u64;
    }
    let mut rem = vec![0; n];
    shr(&mut rem, &u[..n], shift);
    (quotient, rem)
}
