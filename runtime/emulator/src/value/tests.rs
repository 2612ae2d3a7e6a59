use super::convert::*;
use super::float::*;
use super::half::{Half, f16_to_f32};
use super::int::*;

#[test]
fn bit_fields() {
    assert_eq!(bfe(0xabcd, 4, 8, 32, false), 0xbc);
    assert_eq!(bfe(0xabcd, 4, 8, 32, true), 0xffff_ffbc);
    assert_eq!(bfe(0x8000_0000, 28, 8, 32, true), 0xffff_fff8);
    assert_eq!(bfe(0x8000_0000, 28, 8, 32, false), 8);
    assert_eq!(bfe(1, 40, 4, 32, false), 0);
    assert_eq!(bfi(0xff, 0x1234, 4, 8, 32), 0x1ff4);
    assert_eq!(bfi(0xff, 0, 28, 8, 32), 0xf000_0000);
    assert_eq!(bfi(5, 7, 200, 8, 64), 7);
    assert_eq!(bfind(0, 32, false), 0xffff_ffff);
    assert_eq!(bfind(0x8000_0000, 32, false), 31);
    assert_eq!(bfind(0xffff_fff0, 32, true), 3);
    assert_eq!(prmt(0x0403_0201, 0x0807_0605, 0x7531), 0x0806_0402);
    // The sign of byte 0, four times.
    assert_eq!(prmt(0x80, 0, 0x8888), 0xffff_ffff);
    assert_eq!(prmt(0x7f, 0, 0x8888), 0);
}

#[test]
fn integers_wrap_and_divide_as_the_machine_does() {
    assert_eq!(mul_hi(u64::MAX, u64::MAX, 64, false), u64::MAX - 1);
    assert_eq!(mul_hi(u64::MAX, u64::MAX, 64, true), 0);
    assert_eq!(mul_wide(0xffff_ffff, 2, 32, true), u64::MAX - 1);
    assert_eq!(mul_wide(0xffff_ffff, 2, 32, false), 0x1_ffff_fffe);
    assert_eq!(mul_wide(0xffff, 3, 16, true), 0xffff_fffd);
    assert_eq!(div(0x8000_0000, 0xffff_ffff, 32, true), 0x8000_0000);
    assert_eq!(div(7, 0, 32, false), 0xffff_ffff);
    assert_eq!(rem(0xffff_fff9, 4, 32, true), 0xffff_fffd);
    assert_eq!(shr(0x8000_0000, 99, 32, true), 0xffff_ffff);
    assert_eq!(shl(1, 32, 32), 0);
    assert_eq!(int_to_int(0x80, (8, true), 32), 0xffff_ff80);
    assert_eq!(
        int_to_int_saturating(0xffff_ff00, (32, true), (8, false)),
        0
    );
    assert_eq!(int_to_int_saturating(300, (32, true), (8, true)), 127);
}

#[test]
fn floats_to_integers_saturate() {
    let f = |x: f32| u64::from(x.to_bits());
    assert_eq!(
        float_to_int(f(2.5), Format::F32, (32, true), Whole::Nearest),
        2
    );
    assert_eq!(
        float_to_int(f(-2.5), Format::F32, (32, true), Whole::Down) as i32,
        -3
    );
    assert_eq!(
        float_to_int(f(-1.0), Format::F32, (32, false), Whole::Zero),
        0
    );
    assert_eq!(
        float_to_int(f(1e20), Format::F32, (32, true), Whole::Zero),
        0x7fff_ffff
    );
    assert_eq!(
        float_to_int(f(1e20), Format::F32, (64, false), Whole::Zero),
        100_000_002_004_087_734_272u128.min(u128::from(u64::MAX)) as u64
    );
    assert_eq!(
        float_to_int(f(f32::NAN), Format::F32, (32, true), Whole::Zero),
        0
    );
    assert_eq!(
        float_to_int(f64::NAN.to_bits(), Format::F64, (64, true), Whole::Zero),
        1 << 63
    );
    assert_eq!(round_to_whole(f(-0.3), Format::F32, Whole::Up), f(-0.0));
}

#[test]
fn directed_rounding_brackets_the_exact_value() {
    let third = |mode| {
        f64_of(apfloat(
            Format::F64,
            Operation::Div,
            bits64(1.0),
            bits64(3.0),
            0,
            mode,
        ))
    };
    assert!(third(Mode::Down) < third(Mode::Up));
    assert_eq!(third(Mode::Zero), third(Mode::Down));
    assert_eq!(third(Mode::Nearest), 1.0 / 3.0);
    for x in [2.0f64, 3.0, 1e-310, 1.5e-323, 1.5e308, 0.1] {
        let r = |mode| f64_of(sqrt(bits64(x), Format::F64, mode));
        assert_eq!(r(Mode::Nearest), x.sqrt());
        let (down, up) = (r(Mode::Down), r(Mode::Up));
        assert!(down <= x.sqrt() && x.sqrt() <= up, "{x}");
        assert_eq!(up.to_bits() - down.to_bits(), 1, "{x}");
        let s = |mode| f32_of(sqrt(bits32(x as f32), Format::F32, mode));
        assert!(s(Mode::Down) <= s(Mode::Up));
    }
    // A perfect square is exact in every direction.
    for mode in [Mode::Down, Mode::Up, Mode::Zero] {
        assert_eq!(f64_of(sqrt(bits64(6.25), Format::F64, mode)), 2.5);
        assert_eq!(f32_of(sqrt(bits32(6.25), Format::F32, mode)), 2.5);
    }
}

#[test]
fn every_half_survives_the_way_through_a_single() {
    for half in [Half::F16, Half::Bf16] {
        for bits in 0..=0xffffu64 {
            let x = half.to_f32(bits);
            let back = half.of_f32(x, Mode::Nearest);
            if x.is_nan() {
                assert_eq!(back, half.nan());
            } else {
                assert_eq!(back, bits, "{half:?} {bits:#x}");
            }
        }
    }
    assert_eq!(f16_to_f32(1), 2f32.powi(-24));
}

#[test]
fn halves_round_once() {
    let h = |x: f32| Half::F16.of_f32(x, Mode::Nearest);
    // 2048 + 1 lies between two halves; adding a quarter of a unit first must not
    // lose the tie.
    let fma = Half::F16.compute(Operation::Fma, h(2048.0), h(1.0), h(1.0));
    assert_eq!(Half::F16.to_f32(fma), 2048.0);
    let fma = Half::F16.compute(Operation::Fma, h(2048.0), h(1.0), h(1.001));
    assert_eq!(Half::F16.to_f32(fma), 2050.0);
}

#[test]
fn minimum_and_maximum_know_zeros_and_nans() {
    let f = bits32;
    let nan = bits32(f32::NAN);
    assert_eq!(min_max(f(0.0), f(-0.0), Format::F32, false, false), f(-0.0));
    assert_eq!(min_max(f(0.0), f(-0.0), Format::F32, true, false), f(0.0));
    assert_eq!(min_max(nan, f(1.0), Format::F32, true, false), f(1.0));
    assert_eq!(min_max(nan, f(1.0), Format::F32, true, true), NAN_32);
    assert_eq!(saturate32(nan), 0);
    assert_eq!(flush(1), 0);
    assert_eq!(to_tf32(f(1.0) + 0x1000), f(1.0) + 0x2000);
}
