//! `arith` and `math`.

use crate::common::*;
use terrace_ir::num::{FloatKind, Int};
use terrace_targets::interp::Value;

/// `@f` of one op on two values of a type.
fn binary(op: &str, ty: &str) -> String {
    format!(
        "func.func @f(%a: {ty}, %b: {ty}) -> {ty} {{\n %r = {op} %a, %b : {ty}\n return %r : {ty}\n}}"
    )
}

fn unary(op: &str, ty: &str) -> String {
    format!("func.func @f(%a: {ty}) -> {ty} {{\n %r = {op} %a : {ty}\n return %r : {ty}\n}}")
}

#[test]
fn integers_wrap_and_round_as_their_ops_say() {
    let cases: &[(&str, i32, i32, i32)] = &[
        ("addi", i32::MAX, 1, i32::MIN),
        ("subi", i32::MIN, 1, i32::MAX),
        ("muli", 1 << 20, 1 << 12, 0),
        ("muli", -3, 7, -21),
        ("divsi", -7, 2, -3),
        ("divui", -1, 2, i32::MAX),
        ("remsi", -7, 2, -1),
        ("remui", -1, 10, 5),
        ("ceildivsi", -7, 2, -3),
        ("ceildivsi", 7, 2, 4),
        ("ceildivsi", -7, -2, 4),
        ("ceildivui", 7, 2, 4),
        ("floordivsi", -7, 2, -4),
        ("floordivsi", 7, -2, -4),
        ("andi", 12, 10, 8),
        ("ori", 12, 10, 14),
        ("xori", 12, 10, 6),
        ("shli", 3, 30, -1 << 30),
        ("shrui", -1, 28, 15),
        ("shrsi", -8, 1, -4),
        ("minsi", -1, 1, -1),
        ("maxsi", -1, 1, 1),
        ("minui", -1, 1, 1),
        ("maxui", -1, 1, -1),
    ];
    for (op, a, b, want) in cases {
        let text = binary(&format!("arith.{op}"), "i32");
        assert_eq!(
            run(&text, &[i32v(*a), i32v(*b)]),
            [i32v(*want)],
            "{op} {a} {b}"
        );
        // The same op on a width that is not a machine word's, and on a vector.
        let wide = text.replace("i32", "i100");
        let ext = |v: i32| Value::from_int(Int::from_i64(100, v.into()));
        if !matches!(
            *op,
            "addi" | "subi" | "muli" | "divui" | "remui" | "shli" | "shrui" | "maxui" | "minui"
        ) {
            assert_eq!(
                run(&wide, &[ext(*a), ext(*b)]),
                [ext(*want)],
                "{op} {a} {b} on i100"
            );
        }
        let lanes = format!(
            "func.func @f(%a: i32, %b: i32) -> i32 {{
              %x = vector.broadcast %a : i32 to vector<2xi32>
              %y = vector.broadcast %b : i32 to vector<2xi32>
              %v = arith.{op} %x, %y : vector<2xi32>
              %r = vector.extract %v[1] : i32 from vector<2xi32>
              return %r : i32 }}"
        );
        assert_eq!(
            run(&lanes, &[i32v(*a), i32v(*b)]),
            [i32v(*want)],
            "{op} {a} {b} on vectors"
        );
    }
}

#[test]
fn undefined_integer_results_are_errors() {
    let cases: &[(&str, i32, i32, &str)] = &[
        ("divsi", 1, 0, "2: division by zero"),
        ("divui", 1, 0, "2: division by zero"),
        ("remsi", 1, 0, "2: division by zero"),
        ("remui", 1, 0, "2: division by zero"),
        ("floordivsi", 1, 0, "2: division by zero"),
        ("ceildivui", 1, 0, "2: division by zero"),
        (
            "divsi",
            i32::MIN,
            -1,
            "2: signed division overflows: -2147483648 / -1 does not fit 32 bits",
        ),
        (
            "ceildivsi",
            i32::MIN,
            -1,
            "2: signed division overflows: -2147483648 / -1 does not fit 32 bits",
        ),
        (
            "shli",
            1,
            32,
            "2: shift by 32: the amount must be less than the width of 32 bits",
        ),
        (
            "shrsi",
            1,
            33,
            "2: shift by 33: the amount must be less than the width of 32 bits",
        ),
    ];
    for (op, a, b, want) in cases {
        assert_eq!(
            fails(
                &binary(&format!("arith.{op}"), "i32"),
                &[i32v(*a), i32v(*b)]
            ),
            *want
        );
    }
    let flagged = |op: &str, flag: &str| {
        format!(
            "func.func @f(%a: i32, %b: i32) -> i32 {{\n %r = arith.{op} %a, %b overflow<{flag}> : i32\n return %r : i32\n}}"
        )
    };
    assert!(fails(&flagged("addi", "nsw"), &[i32v(i32::MAX), i32v(1)]).contains("(nsw)"));
    assert!(fails(&flagged("addi", "nuw"), &[i32v(-1), i32v(1)]).contains("(nuw)"));
    assert_eq!(
        run(&flagged("addi", "nsw"), &[i32v(-1), i32v(1)]),
        [i32v(0)]
    );
    let exact = "func.func @f(%a: i32, %b: i32) -> i32 {\n %r = arith.divsi %a, %b exact : i32\n return %r : i32\n}";
    assert!(fails(exact, &[i32v(7), i32v(2)]).contains("not exact"));
    let to_int =
        "func.func @f(%a: f64) -> i32 {\n %r = arith.fptosi %a : f64 to i32\n return %r : i32\n}";
    assert!(
        fails(to_int, &[Value::F64(3e9)]).ends_with("does not fit a signed integer of 32 bits")
    );
    assert_eq!(run(to_int, &[Value::F64(-3.9)]), [i32v(-3)]);
}

#[test]
fn extended_results() {
    let text = "func.func @f(%a: i8, %b: i8) -> (i8, i1, i8, i8, i8, i8) {
      %s, %c = arith.addui_extended %a, %b : i8, i1
      %l, %h = arith.mulsi_extended %a, %b : i8
      %ul, %uh = arith.mului_extended %a, %b : i8
      return %s, %c, %l, %h, %ul, %uh : i8, i1, i8, i8, i8, i8 }";
    let v = |b: u64| Value::int(8, b);
    // 200 + 100 = 300; -56 * 100 = -5600 = 0xEA20; 200 * 100 = 20000 = 0x4E20.
    let want = [v(44), Value::bool(true), v(0x20), v(0xEA), v(0x20), v(0x4E)];
    assert_eq!(run(text, &[v(200), v(100)]), want);
}

#[test]
fn comparisons() {
    for (p, want) in [
        ("eq", false),
        ("ne", true),
        ("slt", true),
        ("sle", true),
        ("sgt", false),
        ("ult", false),
        ("uge", true),
    ] {
        let text = format!(
            "func.func @f(%a: i32, %b: i32) -> i1 {{\n %r = arith.cmpi {p}, %a, %b : i32\n return %r : i1\n}}"
        );
        assert_eq!(run(&text, &[i32v(-1), i32v(1)]), [Value::bool(want)], "{p}");
    }
    for (p, ordered, nan) in [
        ("olt", true, false),
        ("ult", true, true),
        ("une", true, true),
        ("one", true, false),
        ("ord", true, false),
        ("uno", false, true),
        ("oge", false, false),
    ] {
        for ty in ["f64", "f32", "bf16"] {
            let text = format!(
                "func.func @f(%a: {ty}, %b: {ty}) -> i1 {{\n %r = arith.cmpf {p}, %a, %b : {ty}\n return %r : i1\n}}"
            );
            let kind = FloatKind::from_name(ty).unwrap();
            let v = |x: f64| Value::from_f64(kind, x);
            assert_eq!(
                run(&text, &[v(1.0), v(2.0)]),
                [Value::bool(ordered)],
                "{p} {ty}"
            );
            assert_eq!(
                run(&text, &[v(f64::NAN), v(2.0)]),
                [Value::bool(nan)],
                "{p} {ty}"
            );
        }
    }
}

#[test]
fn float_arithmetic_is_that_of_the_type() {
    let cases: &[(&str, f64, f64, f64)] = &[
        ("addf", 0.1, 0.2, 0.1 + 0.2),
        ("subf", 1.0, 0.9, 1.0 - 0.9),
        ("mulf", 3.0, 0.1, 3.0 * 0.1),
        ("divf", 1.0, 3.0, 1.0 / 3.0),
        ("remf", -7.5, 2.0, -1.5),
        ("maximumf", 1.0, 2.0, 2.0),
        ("minimumf", 1.0, 2.0, 1.0),
        ("maxnumf", f64::NAN, 2.0, 2.0),
        ("minnumf", 1.0, f64::NAN, 1.0),
    ];
    for (op, a, b, want) in cases {
        let text = binary(&format!("arith.{op}"), "f64");
        assert_eq!(
            run(&text, &[Value::F64(*a), Value::F64(*b)]),
            [Value::F64(*want)],
            "{op}"
        );
    }
    let nan = run(
        &binary("arith.maximumf", "f64"),
        &[Value::F64(f64::NAN), Value::F64(2.0)],
    );
    assert!(matches!(nan[..], [Value::F64(x)] if x.is_nan()));
    let zero = run(
        &binary("arith.minimumf", "f64"),
        &[Value::F64(0.0), Value::F64(-0.0)],
    );
    assert!(matches!(zero[..], [Value::F64(x)] if x.is_sign_negative()));
    // f32 rounds after every op, and so does f16 (2048 + 1 is 2048).
    let text = binary("arith.mulf", "f32");
    assert_eq!(
        run(&text, &[Value::F32(0.1), Value::F32(3.0)]),
        [Value::F32(0.1f32 * 3.0)]
    );
    let half = |x: f64| Value::from_f64(FloatKind::F16, x);
    assert_eq!(
        run(&binary("arith.addf", "f16"), &[half(2048.0), half(1.0)]),
        [half(2048.0)]
    );
    assert_eq!(
        run(&unary("arith.negf", "f64"), &[Value::F64(2.0)]),
        [Value::F64(-2.0)]
    );
}

#[test]
fn conversions() {
    let text = "func.func @f(%a: i8, %x: f64) -> (i32, i32, i4, f32, f64, f64, index, i64, f32, i64) {
      %0 = arith.extsi %a : i8 to i32
      %1 = arith.extui %a : i8 to i32
      %2 = arith.trunci %a : i8 to i4
      %3 = arith.truncf %x : f64 to f32
      %4 = arith.sitofp %a : i8 to f64
      %5 = arith.uitofp %a : i8 to f64
      %6 = arith.index_cast %a : i8 to index
      %7 = arith.index_castui %6 : index to i64
      %8 = arith.extf %h : f16 to f32
      %9 = arith.bitcast %x : f64 to i64
      return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : i32, i32, i4, f32, f64, f64, index, i64, f32, i64 }"
        .replace("%0 = arith.extsi", "%h = arith.constant 1.5 : f16\n %0 = arith.extsi");
    let want = [
        i32v(-2),
        i32v(254),
        Value::int(4, 14),
        Value::F32(0.1f32),
        Value::F64(-2.0),
        Value::F64(254.0),
        index(-2),
        i64v(-2),
        Value::F32(1.5),
        i64v(0.1f64.to_bits() as i64),
    ];
    assert_eq!(run(&text, &[Value::int(8, 254), Value::F64(0.1)]), want);
    for (mode, want) in [
        ("to_nearest_even", 2048.0),
        ("upward", 2050.0),
        ("downward", 2048.0),
        ("toward_zero", 2048.0),
        ("to_nearest_away", 2050.0),
    ] {
        let text = format!(
            "func.func @f(%a: f64) -> f16 {{\n %r = arith.truncf %a {mode} : f64 to f16\n return %r : f16\n}}"
        );
        let half = Value::from_f64(FloatKind::F16, want);
        assert_eq!(run(&text, &[Value::F64(2049.0)]), [half], "{mode}");
    }
}

#[test]
fn select_takes_whole_values_or_lanes() {
    let text = "func.func @f(%c: i1, %a: i32, %b: i32) -> (i32, i32) {
      %r = arith.select %c, %a, %b : i32
      %m = arith.constant dense<[true, false]> : vector<2xi1>
      %x = vector.broadcast %a : i32 to vector<2xi32>
      %y = vector.broadcast %b : i32 to vector<2xi32>
      %v = arith.select %m, %x, %y : vector<2xi1>, vector<2xi32>
      %l = vector.extract %v[1] : i32 from vector<2xi32>
      return %r, %l : i32, i32 }";
    assert_eq!(
        run(text, &[Value::bool(true), i32v(1), i32v(2)]),
        [i32v(1), i32v(2)]
    );
}

#[test]
fn math_functions() {
    let cases: &[(&str, f64, f64)] = &[
        ("absf", -2.5, 2.5),
        ("acos", 0.5, 0.5f64.acos()),
        ("acosh", 2.0, 2f64.acosh()),
        ("asin", 0.5, 0.5f64.asin()),
        ("asinh", 2.0, 2f64.asinh()),
        ("atan", 2.0, 2f64.atan()),
        ("atanh", 0.5, 0.5f64.atanh()),
        ("cbrt", 27.0, 3.0),
        ("ceil", 1.2, 2.0),
        ("cos", 1.0, 1f64.cos()),
        ("cosh", 1.0, 1f64.cosh()),
        ("erf", 1.0, 0.8427007929497149),
        ("erfc", 1.0, 0.15729920705028513),
        ("exp", 1.0, std::f64::consts::E),
        ("exp2", 3.0, 8.0),
        ("expm1", 1.0, 1f64.exp_m1()),
        ("floor", -1.2, -2.0),
        ("log", std::f64::consts::E, 1.0),
        ("log10", 1000.0, 3.0),
        ("log1p", 1.0, std::f64::consts::LN_2),
        ("log2", 8.0, 3.0),
        ("round", 2.5, 3.0),
        ("roundeven", 2.5, 2.0),
        ("rsqrt", 4.0, 0.5),
        ("sin", 1.0, 1f64.sin()),
        ("sinh", 1.0, 1f64.sinh()),
        ("sqrt", 2.0, std::f64::consts::SQRT_2),
        ("tan", 1.0, 1f64.tan()),
        ("tanh", 1.0, 1f64.tanh()),
        ("trunc", -1.7, -1.0),
    ];
    for (op, x, want) in cases {
        let text = unary(&format!("math.{op}"), "f64");
        let [Value::F64(y)] = run(&text, &[Value::F64(*x)])[..] else {
            panic!("{op}")
        };
        assert!(
            (y - want).abs() <= 2.0 * f64::EPSILON * want.abs(),
            "{op} {x}: {y}, not {want}"
        );
        let text = unary(&format!("math.{op}"), "f32");
        let [Value::F32(y)] = run(&text, &[Value::F32(*x as f32)])[..] else {
            panic!("{op}")
        };
        assert!(
            (f64::from(y) - want).abs() <= 3e-7 * want.abs().max(1e-3),
            "{op} {x} in f32: {y}"
        );
    }
    let two: &[(&str, f64, f64, f64)] = &[
        ("atan2", 1.0, -1.0, 1f64.atan2(-1.0)),
        ("powf", 2.0, 0.5, 2f64.sqrt()),
        ("copysign", 2.0, -0.0, -2.0),
    ];
    for (op, a, b, want) in two {
        let r = run(
            &binary(&format!("math.{op}"), "f64"),
            &[Value::F64(*a), Value::F64(*b)],
        );
        assert_eq!(r, [Value::F64(*want)], "{op}");
    }
    let text = "func.func @f(%a: f64, %b: f64, %c: f64, %n: i32) -> (f64, f64, f64, f64, f64) {
      %0 = math.fma %a, %b, %c : f64
      %1 = math.fpowi %a, %n : f64, i32
      %2 = math.clampf %a to [%b, %c] : f64
      %3, %4 = math.sincos %a : f64
      return %0, %1, %2, %3, %4 : f64, f64, f64, f64, f64 }";
    let want = [10.0, 0.25, 3.0, 2f64.sin(), 2f64.cos()].map(Value::F64);
    assert_eq!(
        run(
            text,
            &[Value::F64(2.0), Value::F64(3.0), Value::F64(4.0), i32v(-2)]
        ),
        want
    );
}

#[test]
fn integer_functions_and_classes() {
    let text = "func.func @f(%a: i8, %b: i8) -> (i8, i8, i8, i8, i8) {
      %0 = math.absi %a : i8
      %1 = math.ctlz %b : i8
      %2 = math.cttz %b : i8
      %3 = math.ctpop %a : i8
      %4 = math.ipowi %a, %b : i8
      return %0, %1, %2, %3, %4 : i8, i8, i8, i8, i8 }";
    let v = |b: i64| Value::int(8, b as u64);
    assert_eq!(run(text, &[v(-3), v(4)]), [v(3), v(5), v(2), v(7), v(81)]);
    assert!(fails(text, &[v(0), v(-1)]).starts_with("6: 0 to a negative power"));
    for (op, want) in [
        ("isfinite", [true, false, false, true]),
        ("isinf", [false, true, false, false]),
        ("isnan", [false, false, true, false]),
        ("isnormal", [true, false, false, false]),
    ] {
        let text = format!(
            "func.func @f(%a: f32) -> i1 {{\n %r = math.{op} %a : f32\n return %r : i1\n}}"
        );
        for (x, want) in [1.0, f32::INFINITY, f32::NAN, 1e-40].into_iter().zip(want) {
            assert_eq!(
                run(&text, &[Value::F32(x)]),
                [Value::bool(want)],
                "{op} {x}"
            );
        }
    }
}
