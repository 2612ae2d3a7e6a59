//! Byte classes, and scanning eight bytes at a time for the ends of comments
//! and strings.

/// `[A-Za-z0-9_$.]`
pub(crate) const IDENT: u8 = 1;
/// `[A-Za-z0-9_$.-]`
pub const SUFFIX: u8 = 2;
/// `[A-Za-z]`
pub(crate) const ALPHA: u8 = 4;
/// `[0-9]`
pub(crate) const DIGIT: u8 = 8;
/// `[0-9A-Fa-f]`
pub(crate) const HEX: u8 = 16;

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 256 {
        let c = b as u8;
        let mut class = 0;
        if c.is_ascii_alphabetic() {
            class |= ALPHA;
        }
        if c.is_ascii_digit() {
            class |= DIGIT;
        }
        if c.is_ascii_hexdigit() {
            class |= HEX;
        }
        if c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.') {
            class |= IDENT | SUFFIX;
        }
        if c == b'-' {
            class |= SUFFIX;
        }
        table[b] = class;
        b += 1;
    }
    table
}

static CLASSES: [u8; 256] = classes();

/// Whether `byte` is in any of the classes of `mask`.
#[inline(always)]
pub fn is(byte: u8, mask: u8) -> bool {
    CLASSES[byte as usize] & mask != 0
}

/// The byte at `pos`, or 0 (in no class) past the end.
#[inline(always)]
pub fn at(src: &[u8], pos: usize) -> u8 {
    src.get(pos).copied().unwrap_or(0)
}

/// The first position from `pos` on whose byte is not in `mask`; at most the length.
#[inline(always)]
pub fn skip(src: &[u8], mut pos: usize, mask: u8) -> usize {
    while pos < src.len() && is(src[pos], mask) {
        pos += 1;
    }
    pos
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Non-zero if a byte of `word` equals `byte`; its lowest set bit lies in the
/// first such byte (bits above it may be wrong through borrows).
#[inline(always)]
const fn equal_bytes(word: u64, byte: u8) -> u64 {
    let x = word ^ (LOW * byte as u64);
    x.wrapping_sub(LOW) & !x & HIGH
}

#[inline(always)]
fn find(
    src: &[u8],
    mut pos: usize,
    in_word: impl Fn(u64) -> u64,
    matches: impl Fn(u8) -> bool,
) -> usize {
    while let Some(chunk) = src.get(pos..).and_then(|rest| rest.first_chunk::<8>()) {
        let hits = in_word(u64::from_le_bytes(*chunk));
        if hits != 0 {
            return pos + (hits.trailing_zeros() / 8) as usize;
        }
        pos += 8;
    }
    while pos < src.len() && !matches(src[pos]) {
        pos += 1;
    }
    pos
}

/// The position of the line end (`\n` or `\r`) at or after `pos`, or the length.
#[inline]
pub fn line_end(src: &[u8], pos: usize) -> usize {
    find(
        src,
        pos,
        |w| equal_bytes(w, b'\n') | equal_bytes(w, b'\r'),
        |b| b == b'\n' || b == b'\r',
    )
}

/// The position at or after `pos` of a byte that matters in a string literal
/// (`"`, `\`, `\n`, `\v`, `\f`), or the length.
#[inline]
pub(crate) fn string_stop(src: &[u8], pos: usize) -> usize {
    find(
        src,
        pos,
        |w| {
            equal_bytes(w, b'"')
                | equal_bytes(w, b'\\')
                | equal_bytes(w, b'\n')
                | equal_bytes(w, 0x0b)
                | equal_bytes(w, 0x0c)
        },
        |b| matches!(b, b'"' | b'\\' | b'\n' | 0x0b | 0x0c),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_scanning_agrees_with_byte_scanning() {
        // Bytes beside the sought ones (0x0a, 0x0b, 0x0c, 0x0d, 0x21..0x23) catch
        // false hits from borrows.
        let alphabet = [
            0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x21, b'"', 0x23, b'\\', 0x5d, 0, 0xff, 0x8a,
        ];
        let mut seed = 1u32;
        for len in 0..40 {
            for _ in 0..200 {
                let bytes: Vec<u8> = (0..len)
                    .map(|_| {
                        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        alphabet[(seed >> 16) as usize % alphabet.len()]
                    })
                    .collect();
                for pos in 0..=len {
                    let stop = bytes[pos..]
                        .iter()
                        .position(|b| matches!(b, b'"' | b'\\' | b'\n' | 0x0b | 0x0c))
                        .map_or(len, |i| pos + i);
                    assert_eq!(string_stop(&bytes, pos), stop);
                    let stop = bytes[pos..]
                        .iter()
                        .position(|b| matches!(b, b'\n' | b'\r'))
                        .map_or(len, |i| pos + i);
                    assert_eq!(line_end(&bytes, pos), stop);
                }
            }
        }
    }
}
