//! arith and math.

use super::{binary_cases, call, compiled, float, int, results, same};

#[test]
fn integers() {
    let (least, most) = (i128::from(i32::MIN), i128::from(i32::MAX));
    binary_cases(
        "i32",
        &[
            ("arith.addi", int(most), int(1), int(least)),
            ("arith.subi", int(least), int(1), int(most)),
            ("arith.muli", int(1 << 20), int(1 << 12), int(0)),
            ("arith.divsi", int(-7), int(2), int(-3)),
            ("arith.divsi", int(least), int(-1), int(least)),
            ("arith.remsi", int(-7), int(2), int(-1)),
            ("arith.remsi", int(least), int(-1), int(0)),
            ("arith.divui", int(-1), int(2), int(most)),
            ("arith.remui", int(-1), int(16), int(15)),
            ("arith.floordivsi", int(-7), int(2), int(-4)),
            ("arith.floordivsi", int(7), int(-2), int(-4)),
            ("arith.floordivsi", int(6), int(-2), int(-3)),
            ("arith.ceildivsi", int(-7), int(2), int(-3)),
            ("arith.ceildivsi", int(7), int(2), int(4)),
            ("arith.ceildivui", int(7), int(2), int(4)),
            ("arith.ceildivui", int(8), int(2), int(4)),
            ("arith.shli", int(3), int(30), int(-1 << 30)),
            ("arith.shrsi", int(-8), int(1), int(-4)),
            ("arith.shrui", int(-8), int(28), int(15)),
            ("arith.andi", int(12), int(10), int(8)),
            ("arith.ori", int(12), int(10), int(14)),
            ("arith.xori", int(12), int(10), int(6)),
            ("arith.maxsi", int(-1), int(1), int(1)),
            ("arith.maxui", int(-1), int(1), int(-1)),
            ("arith.minsi", int(-1), int(1), int(-1)),
            ("arith.minui", int(-1), int(1), int(1)),
            ("math.ipowi", int(-3), int(3), int(-27)),
            ("math.ipowi", int(2), int(-1), int(0)),
            ("math.ipowi", int(-1), int(-3), int(-1)),
        ],
    );
}

#[test]
fn odd_widths_wrap_at_their_own_width() {
    binary_cases(
        "i5",
        &[
            ("arith.addi", int(15), int(1), int(-16)),
            ("arith.muli", int(7), int(7), int(-15)),
            ("arith.divsi", int(-16), int(-1), int(-16)),
            ("arith.divsi", int(-15), int(4), int(-3)),
            ("arith.divui", int(-1), int(2), int(15)),
            ("arith.shrsi", int(-16), int(2), int(-4)),
            ("arith.shrui", int(-16), int(2), int(4)),
            ("arith.maxsi", int(-1), int(3), int(3)),
            ("arith.floordivsi", int(-15), int(4), int(-4)),
        ],
    );
    binary_cases("i1", &[("arith.addi", int(1), int(1), int(0))]);
    let big = 1i128 << 70;
    binary_cases(
        "i128",
        &[
            ("arith.addi", int(big), int(-1), int(big - 1)),
            ("arith.muli", int(big), int(3), int(big * 3)),
            ("arith.divsi", int(-big), int(7), int(-big / 7)),
            ("arith.remsi", int(-big), int(7), int(-big % 7)),
            ("arith.divui", int(-1), int(2), int(i128::MAX)),
            ("arith.divsi", int(i128::MIN), int(-1), int(i128::MIN)),
            ("arith.shli", int(3), int(100), int(3 << 100)),
            ("arith.shrsi", int(-big), int(68), int(-4)),
            ("arith.maxsi", int(-big), int(2), int(2)),
        ],
    );
    binary_cases(
        "i100",
        &[
            ("arith.addi", int((1 << 99) - 1), int(1), int(-(1 << 99))),
            ("arith.divsi", int(-(1 << 99)), int(4), int(-(1 << 97))),
        ],
    );
}

#[test]
fn division_by_constants() {
    let text = |op: &str, by: i64| {
        format!(
            "func.func @f(%a: i64) -> i64 {{\n  %c = arith.constant {by} : i64\n  %r = arith.{op} %a, %c : i64\n  return %r : i64\n}}"
        )
    };
    for by in [1i64, 2, 8, 3, -1, -4, i64::MIN] {
        for (op, f) in [
            ("divsi", i64::wrapping_div as fn(i64, i64) -> i64),
            ("remsi", i64::wrapping_rem),
            ("divui", |a, b| (a as u64 / b as u64) as i64),
            ("remui", |a, b| (a as u64 % b as u64) as i64),
            ("floordivsi", |a, b| {
                let q = a.wrapping_div(b);
                if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) {
                    q - 1
                } else {
                    q
                }
            }),
        ] {
            let (_, m) = compiled(&text(op, by));
            for a in [0i64, 1, -1, 7, -7, 8, -8, i64::MAX, i64::MIN] {
                let have = results(&m, "f", &[int(a.into())]);
                assert_eq!(have, [int(f(a, by).into())], "{op} {a} {by}");
            }
        }
    }
}

#[test]
fn extended_arithmetic() {
    let (_, m) = compiled(
        "func.func @add(%a: i8, %b: i8) -> (i8, i1) {
           %s, %o = arith.addui_extended %a, %b : i8, i1
           return %s, %o : i8, i1
         }
         func.func @mul(%a: i64, %b: i64) -> (i64, i64, i64, i64) {
           %l, %h = arith.mulsi_extended %a, %b : i64
           %ul, %uh = arith.mului_extended %a, %b : i64
           return %l, %h, %ul, %uh : i64, i64, i64, i64
         }
         func.func @small(%a: i5, %b: i5) -> (i5, i5) {
           %l, %h = arith.mulsi_extended %a, %b : i5
           return %l, %h : i5, i5
         }",
    );
    assert_eq!(results(&m, "add", &[int(200), int(100)]), [int(44), int(1)]);
    assert_eq!(results(&m, "add", &[int(20), int(100)]), [int(120), int(0)]);
    assert_eq!(
        results(&m, "mul", &[int(-1), int(2)]),
        [int(-2), int(-1), int(-2), int(1)]
    );
    // -16 * 15 = -240 = -8 * 32 + 16
    assert_eq!(
        results(&m, "small", &[int(-16), int(15)]),
        [int(-16), int(-8)]
    );
}

#[test]
fn floats() {
    let nan = f64::NAN;
    let cases = [
        ("arith.addf", 1.5, 2.25, 3.75),
        ("arith.subf", 1.5, 2.25, -0.75),
        ("arith.mulf", 1.5, -2.0, -3.0),
        ("arith.divf", 1.0, 0.0, f64::INFINITY),
        ("arith.remf", -7.5, 2.0, -1.5),
        ("arith.maximumf", nan, 1.0, nan),
        ("arith.maximumf", -0.0, 0.0, 0.0),
        ("arith.minimumf", -0.0, 0.0, -0.0),
        ("arith.minimumf", 1.0, nan, nan),
        ("arith.maxnumf", nan, 1.0, 1.0),
        ("arith.maxnumf", 1.0, nan, 1.0),
        ("arith.minnumf", nan, 1.0, 1.0),
        ("arith.minnumf", 2.0, 1.0, 1.0),
        ("arith.minnumf", nan, nan, nan),
        ("math.powf", 2.0, 10.0, 1024.0),
        ("math.copysign", 3.0, -0.0, -3.0),
    ];
    for ty in ["f64", "f32", "f16", "bf16"] {
        let cases: Vec<_> = cases
            .iter()
            .map(|(n, a, b, r)| (*n, float(*a), float(*b), float(*r)))
            .collect();
        binary_cases(ty, &cases);
    }
    // Rounded to 11 and to 8 digits, ties to even.
    binary_cases(
        "f16",
        &[("arith.addf", float(2048.0), float(1.0), float(2048.0))],
    );
    binary_cases(
        "f16",
        &[("arith.addf", float(2048.0), float(3.0), float(2052.0))],
    );
    binary_cases(
        "f16",
        &[(
            "arith.mulf",
            float(300.0),
            float(300.0),
            float(f64::INFINITY),
        )],
    );
    binary_cases(
        "bf16",
        &[("arith.addf", float(256.0), float(1.0), float(256.0))],
    );
}

#[test]
fn comparisons() {
    let cmpf = |p: &str| {
        format!(
            "func.func @{p}(%a: f64, %b: f64) -> i1 {{\n %r = arith.cmpf {p}, %a, %b : f64\n return %r : i1\n}}\n"
        )
    };
    let names = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult",
        "ule", "une", "uno", "true",
    ];
    let (_, m) = compiled(&names.map(cmpf).concat());
    // Of 1 and 2, 2 and 1, 1 and 1, NaN and 1, as digits.
    let want = [
        "0000", "0010", "0100", "0110", "1000", "1010", "1100", "1110", "0011", "0101", "0111",
        "1001", "1011", "1101", "0001", "1111",
    ];
    for (p, w) in names.iter().zip(want) {
        let pairs = [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (f64::NAN, 1.0)];
        let have: String = pairs
            .iter()
            .map(|(a, b)| match results(&m, p, &[float(*a), float(*b)])[..] {
                [super::NativeArg::Int(1)] => '1',
                _ => '0',
            })
            .collect();
        assert_eq!(have, w, "{p}");
    }
    let (_, m) = compiled(
        "func.func @f(%a: i7, %b: i7) -> (i1, i1, i1, i1) {
           %0 = arith.cmpi slt, %a, %b : i7
           %1 = arith.cmpi ult, %a, %b : i7
           %2 = arith.cmpi eq, %a, %b : i7
           %3 = arith.cmpi sge, %a, %b : i7
           return %0, %1, %2, %3 : i1, i1, i1, i1
         }",
    );
    let bits = |a, b| results(&m, "f", &[int(a), int(b)]);
    assert_eq!(bits(-1, 1), [int(1), int(0), int(0), int(0)]);
    assert_eq!(bits(5, 5), [int(0), int(0), int(1), int(1)]);
}

#[test]
fn divisions_by_powers_of_two_round() {
    for (bits, d) in [(8, 4), (16, 8), (32, 2), (64, 1), (64, 1 << 40), (7, 16)] {
        let text = format!(
            "func.func @f(%a: i{bits}) -> (i{bits}, i{bits}) {{
               %d = arith.constant {d} : i{bits}
               %0 = arith.floordivsi %a, %d : i{bits}
               %1 = arith.ceildivsi %a, %d : i{bits}
               return %0, %1 : i{bits}, i{bits}
             }}"
        );
        let (_, m) = compiled(&text);
        let least = -(1i128 << (bits - 1));
        for a in [least, -least - 1, -1, 0, 1]
            .into_iter()
            .flat_map(|n| [-d - 1, -d, 1 - d, -1, 0, 1, d - 1, d, d + 1].map(|m| n + m))
        {
            if (least..-least).contains(&a) {
                let (down, up) = (a.div_euclid(d), -(-a).div_euclid(d));
                assert_eq!(results(&m, "f", &[int(a)]), [int(down), int(up)], "{a} {d}");
            }
        }
    }
}

#[test]
fn numbers_between_constants() {
    let ends = [-128i64, -127, -3, -1, 0, 1, 5, 126, 127];
    for (least, most) in ends.iter().flat_map(|a| ends.iter().map(move |b| (*a, *b))) {
        let text = format!(
            "func.func @f(%a: i8) -> (i1, i1) {{
               %l = arith.constant {least} : i8
               %m = arith.constant {most} : i8
               %0 = arith.cmpi sge, %a, %l : i8
               %1 = arith.cmpi sle, %a, %m : i8
               %2 = arith.andi %0, %1 : i1
               %3 = arith.cmpi slt, %a, %m : i8
               %4 = arith.cmpi sgt, %a, %l : i8
               %5 = arith.andi %3, %4 : i1
               return %2, %5 : i1, i1
             }}"
        );
        let (_, m) = compiled(&text);
        for a in -128..=127 {
            let want = [least <= a && a <= most, least < a && a < most];
            let want = want.map(|b| int(b.into()));
            assert_eq!(
                results(&m, "f", &[int(a.into())]),
                want,
                "{least} {a} {most}"
            );
        }
    }
}

#[test]
fn casts() {
    let one = |text: &str, from: &str, to: &str, a, want: super::NativeArg| {
        let f = format!(
            "func.func @f(%a: {from}) -> {to} {{\n  %r = {text} %a : {from} to {to}\n  return %r : {to}\n}}"
        );
        let (_, m) = compiled(&f);
        let have = results(&m, "f", &[a]);
        assert!(
            same(&have[0], &want),
            "{text} {from} {to}: {have:?}, not {want:?}"
        );
    };
    one("arith.extsi", "i5", "i12", int(-3), int(-3));
    one("arith.extui", "i5", "i12", int(-3), int(29));
    one("arith.extui", "i1", "i32", int(1), int(1));
    one("arith.extsi", "i1", "i32", int(1), int(-1));
    one("arith.extsi", "i64", "i128", int(-3), int(-3));
    one("arith.trunci", "i32", "i5", int(0x3f), int(-1));
    one("arith.trunci", "i128", "i64", int(-5), int(-5));
    one("arith.index_cast", "i32", "index", int(-3), int(-3));
    one(
        "arith.index_castui",
        "i32",
        "index",
        int(-1),
        int(0xffff_ffff),
    );
    one("arith.index_cast", "index", "i8", int(0x1ff), int(-1));
    one("arith.sitofp", "i8", "f32", int(-3), float(-3.0));
    one("arith.uitofp", "i8", "f32", int(-1), float(255.0));
    one(
        "arith.uitofp",
        "i64",
        "f64",
        int(-1),
        float(18446744073709551615.0),
    );
    // About 2^63, where numbers are halved first, ties and what lies beside them.
    for base in [1u64 << 63, 3 << 62, 0, 1 << 62] {
        for off in [
            0,
            1,
            1 << 10,
            (1 << 10) + 1,
            3 << 10,
            1 << 39,
            (1 << 39) + 1,
            3 << 39,
        ] {
            let n = base + off;
            one("arith.uitofp", "i64", "f64", int(n.into()), float(n as f64));
            let short = float((n as f32).into());
            one("arith.uitofp", "i64", "f32", int(n.into()), short);
        }
    }
    one("arith.uitofp", "i1", "f64", int(1), float(1.0));
    one("arith.sitofp", "i1", "f64", int(1), float(-1.0));
    one(
        "arith.sitofp",
        "i128",
        "f64",
        int(-(1 << 80)),
        float(-(2f64.powi(80))),
    );
    // Just above a tie of bf16: rounding first to f64 would lose the excess.
    one(
        "arith.sitofp",
        "i64",
        "bf16",
        int((0x101 << 54) + 1),
        float(258.0 * 2f64.powi(54)),
    );
    one(
        "arith.sitofp",
        "i32",
        "f16",
        int(100_000),
        float(f64::INFINITY),
    );
    one("arith.fptosi", "f64", "i32", float(-2.9), int(-2));
    one("arith.fptosi", "f64", "i8", float(1e9), int(127));
    one("arith.fptosi", "f64", "i8", float(-1e9), int(-128));
    one("arith.fptosi", "f32", "i64", float(f64::NAN), int(0));
    one("arith.fptoui", "f64", "i8", float(255.5), int(-1));
    one("arith.fptoui", "f64", "i8", float(-3.0), int(0));
    one(
        "arith.fptosi",
        "f64",
        "i128",
        float(2f64.powi(100)),
        int(1 << 100),
    );
    one(
        "arith.fptosi",
        "f64",
        "i100",
        float(2f64.powi(110)),
        int((1 << 99) - 1),
    );
    one("arith.extf", "f32", "f64", float(0.5), float(0.5));
    one("arith.extf", "f16", "f64", float(0.5), float(0.5));
    one(
        "arith.truncf",
        "f64",
        "f32",
        float(0.1),
        float(f64::from(0.1f32)),
    );
    one(
        "arith.truncf",
        "f64",
        "f16",
        float(1.0 + 2f64.powi(-11) + 2f64.powi(-40)),
        float(1.0 + 2f64.powi(-10)),
    );
    one(
        "arith.truncf",
        "f32",
        "bf16",
        float(1.0 + 2f64.powi(-8)),
        float(1.0),
    );
    one("arith.bitcast", "f32", "i32", float(1.0), int(0x3f80_0000));
    one(
        "arith.bitcast",
        "i64",
        "f64",
        int(0x4000_0000_0000_0000),
        float(2.0),
    );
    one(
        "arith.bitcast",
        "f16",
        "i16",
        float(-1.5),
        int(0xbe00 - 0x10000),
    );
    one("arith.bitcast", "i16", "f16", int(1), float(2f64.powi(-24)));
    one(
        "arith.bitcast",
        "f16",
        "bf16",
        float(1.875),
        float(f64::from(f32::from_bits(0x3f80_0000))),
    );
}

#[test]
fn functions_of_one_float() {
    let names: [(&str, f64, f64); 31] = [
        ("absf", -2.5, 2.5),
        ("acos", 0.5, 0.5f64.acos()),
        ("acosh", 2.0, 2f64.acosh()),
        ("asin", 0.5, 0.5f64.asin()),
        ("asinh", 0.5, 0.5f64.asinh()),
        ("atan", 0.5, 0.5f64.atan()),
        ("atanh", 0.5, 0.5f64.atanh()),
        ("cbrt", 27.0, 3.0),
        ("ceil", -1.5, -1.0),
        ("cos", 1.0, 1f64.cos()),
        ("cosh", 1.0, 1f64.cosh()),
        ("erf", 0.5, 0.520_499_877_813_046_5),
        ("erfc", 0.5, 0.479_500_122_186_953_5),
        ("exp", 1.0, std::f64::consts::E),
        ("exp2", 3.0, 8.0),
        ("expm1", 1e-10, 1e-10f64.exp_m1()),
        ("floor", -1.5, -2.0),
        ("log", 10.0, 10f64.ln()),
        ("log10", 1000.0, 3.0),
        ("log1p", 1e-10, 1e-10f64.ln_1p()),
        ("log2", 8.0, 3.0),
        ("round", 2.5, 3.0),
        ("roundeven", 2.5, 2.0),
        ("rsqrt", 4.0, 0.5),
        ("sin", 1.0, 1f64.sin()),
        ("sinh", 1.0, 1f64.sinh()),
        ("sqrt", 2.0, 2f64.sqrt()),
        ("tan", 1.0, 1f64.tan()),
        ("tanh", 1.0, 1f64.tanh()),
        ("trunc", -1.5, -1.0),
        ("floor", -0.0, -0.0),
    ];
    let mut text = String::new();
    for (i, (n, ..)) in names.iter().enumerate() {
        for ty in ["f64", "f32"] {
            text += &format!(
                "func.func @f{i}_{ty}(%a: {ty}) -> {ty} {{\n %r = math.{n} %a : {ty}\n return %r : {ty}\n}}\n"
            );
        }
    }
    let (_, m) = compiled(&text);
    for (i, (n, x, want)) in names.iter().enumerate() {
        for (ty, error) in [("f64", 1e-15), ("f32", 1e-6)] {
            let have = match results(&m, &format!("f{i}_{ty}"), &[float(*x)])[..] {
                [super::NativeArg::Float(v)] => v,
                _ => panic!("not a float"),
            };
            let off = (have - want).abs();
            assert!(
                off <= error * want.abs(),
                "{n} {x} : {ty} is {have}, not {want}"
            );
        }
    }
}

#[test]
fn other_math() {
    let (_, m) = compiled(
        "func.func @fma(%a: f64, %b: f64, %c: f64) -> f64 {
           %r = math.fma %a, %b, %c : f64
           return %r : f64
         }
         func.func @classes(%a: f32) -> (i1, i1, i1, i1) {
           %0 = math.isnan %a : f32
           %1 = math.isinf %a : f32
           %2 = math.isfinite %a : f32
           %3 = math.isnormal %a : f32
           return %0, %1, %2, %3 : i1, i1, i1, i1
         }
         func.func @bits(%a: i12) -> (i12, i12, i12, i12) {
           %0 = math.ctlz %a : i12
           %1 = math.cttz %a : i12
           %2 = math.ctpop %a : i12
           %3 = math.absi %a : i12
           return %0, %1, %2, %3 : i12, i12, i12, i12
         }
         func.func @more(%a: f64, %n: i32) -> (f64, f64, f64, f64, f64) {
           %0 = math.fpowi %a, %n : f64, i32
           %s, %c = math.sincos %a : f64
           %1 = math.atan2 %a, %a : f64
           %lo = arith.constant 1.0 : f64
           %hi = arith.constant 2.0 : f64
           %2 = math.clampf %a to [%lo, %hi] : f64
           return %0, %s, %c, %1, %2 : f64, f64, f64, f64, f64
         }",
    );
    let tiny = 2f64.powi(-52);
    assert_eq!(
        results(
            &m,
            "fma",
            &[
                float(1.0 + tiny),
                float(1.0 + tiny),
                float(-1.0 - 2.0 * tiny)
            ]
        ),
        [float(tiny * tiny)]
    );
    let c = |v| results(&m, "classes", &[float(v)]);
    assert_eq!(c(f64::NAN), [int(1), int(0), int(0), int(0)]);
    assert_eq!(c(f64::NEG_INFINITY), [int(0), int(1), int(0), int(0)]);
    assert_eq!(c(1e-40), [int(0), int(0), int(1), int(0)]);
    assert_eq!(c(-1.0), [int(0), int(0), int(1), int(1)]);
    let b = |v| results(&m, "bits", &[int(v)]);
    assert_eq!(b(0), [int(12), int(12), int(0), int(0)]);
    assert_eq!(b(-4), [int(0), int(2), int(10), int(4)]);
    assert_eq!(
        results(&m, "more", &[float(3.0), int(-2)]),
        [
            float(1.0 / 9.0),
            float(3f64.sin()),
            float(3f64.cos()),
            float(std::f64::consts::FRAC_PI_4),
            float(2.0)
        ]
    );
}

#[test]
fn zero_to_a_negative_power_is_an_error() {
    let (ctx, m) = compiled(
        "func.func @f(%a: i32, %b: i32) -> i32 {
           %r = math.ipowi %a, %b : i32
           return %r : i32
         }",
    );
    let e = call(&m, "f", &[int(0), int(-1)]).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 2);
    assert_eq!(e.message, "'math.ipowi' op zero to a negative power");
}
