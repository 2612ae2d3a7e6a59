//! What single instructions make of numbers, beside the ranges that are said of them.

use super::*;

/// A number of so many bits, read by its sign or without.
fn read(value: i128, bits: u32, signed: bool) -> i128 {
    let low = value & ((1 << bits) - 1);
    match signed && low >> (bits - 1) == 1 {
        true => low - (1 << bits),
        false => low,
    }
}

/// Numbers at which signs and widths make a difference.
fn corners(bits: u32) -> Vec<i128> {
    let ends = [7, 8, 15, 16, 31, 32, 63, 64].into_iter();
    let ends = ends.filter(|n| *n <= bits).map(|n| 1i128 << n);
    let mut all: Vec<i128> = ends.flat_map(|e| [e - 1, e, -e, -e - 1]).collect();
    all.extend([0, 1, 5, -1]);
    all
}

#[test]
fn conversions_of_integers_hold_what_becomes_of_each_number() {
    let types = [
        Ty::U8,
        Ty::S8,
        Ty::U16,
        Ty::S16,
        Ty::U32,
        Ty::S32,
        Ty::U64,
        Ty::S64,
    ];
    for from in types {
        for to in types {
            let inst = Inst::with_types(Op::Cvt, Mods::default(), &[to, from], []);
            let bits = to.bits().max(16);
            let (width, signed) = (from.bits(), from.is_signed());
            for a in corners(width) {
                for b in corners(width) {
                    let (low, high) = (read(a, width, signed), read(b, width, signed));
                    if low > high {
                        continue;
                    }
                    let source = Range::of(width, low, high);
                    let found = convert(&inst, bits, Some(source)).unwrap();
                    for x in corners(width).into_iter().map(|x| read(x, width, signed)) {
                        if (low..=high).contains(&x) {
                            let value = read(x, to.bits(), to.is_signed());
                            let value = read(value, bits, true) as i64;
                            assert!(found.contains(value), "{to:?} {from:?} {x}: {found:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_field_of_bits_has_exactly_its_numbers() {
    for ty in [Ty::U32, Ty::S32, Ty::U64, Ty::S64] {
        for n in 0..=i64::from(ty.bits()) {
            let all = 1i128 << n;
            let (low, high) = match ty.is_signed() && n > 0 {
                true => (-all / 2, all / 2 - 1),
                false => (0, all - 1),
            };
            let expected = Range::of(ty.bits(), low, high);
            assert_eq!(field(ty, Some(&Operand::Imm(n))), expected, "{ty:?} {n}");
        }
        assert_eq!(field(ty, None), Range::full(ty.bits()));
    }
}
