//! Powers with integer exponents.

use super::bounds::{bounds, ulps, within};
use super::functions::{FUNCTIONS, Numbers, SPECIAL_SINGLES, Tally};
use terrace::run::executor::Program;
use terrace::targets::interp::{Interpreter, Value};

#[test]
fn integer_powers() {
    let text = "func.func @main(%a: i32, %b: i32, %x: f64) -> (i32, f64) {
  %p = math.ipowi %a, %b : i32
  %q = math.fpowi %x, %b : f64, i32
  return %p, %q : i32, f64
}";
    let mut p = Program::new("math.mlir", text).unwrap_or_else(|d| panic!("{d:?}"));
    p.run_pipeline("builtin.module(expand-math-for-gpu{everywhere=true})")
        .unwrap_or_else(|d| panic!("{d:?}"));
    assert!(!p.text().contains("pow"));
    for (a, b, want) in [
        (3, 5, 243i32),
        (-2, 31, i32::MIN),
        (7, 0, 1),
        (2, -1, 0),
        (1, -7, 1),
        (-1, -3, -1),
        (-1, -4, 1),
        (10, 12, 10i32.wrapping_pow(12)),
    ] {
        let int = |v: i32| Value::from_int(terrace::ir::num::Int::from_i64(32, i64::from(v)));
        let mut interp = Interpreter::new(&p.ctx, p.module);
        let args = vec![int(a), int(b), Value::F64(1.5)];
        let r = interp
            .call("main", args)
            .unwrap_or_else(|e| panic!("{e:?}"));
        let found = r[0].to_int().expect("an integer");
        assert_eq!(found.sext(64).to_i64(), Some(i64::from(want)), "{a}^{b}");
        let Value::F64(q) = r[1] else { panic!() };
        assert!(ulps(q, 1.5f64.powi(b)) <= 4, "1.5^{b} is {q}");
    }
}

/// Of floats to integers, among them such as no float has.
#[test]
fn integer_powers_of_singles() {
    let text = "func.func @main(%x: f32, %n: i32) -> f32 {
  %p = math.fpowi %x, %n : f32, i32
  return %p : f32
}";
    let mut p = Program::new("math.mlir", text).unwrap_or_else(|d| panic!("{d:?}"));
    p.run_pipeline("builtin.module(expand-math-for-gpu{everywhere=true},canonicalize)")
        .unwrap_or_else(|d| panic!("{d:?}"));
    assert!(!p.text().contains("pow") && !p.text().contains("f64"));
    let mut g = Numbers(5);
    let mut pairs: Vec<(f32, i32)> = Vec::new();
    for _ in 0..300 {
        pairs.push((g.between(-50.0, 50.0) as f32, g.between(-30.0, 30.0) as i32));
        let near = 1.0 + g.between(-1e-6, 1e-6) as f32;
        pairs.push((near, g.between(-1e8, 1e8) as i32));
        pairs.push((-near, (g.bits() as i32) >> 8 | 1));
    }
    let ends = [
        0,
        1,
        -1,
        2,
        -2,
        7,
        -7,
        i32::MAX,
        i32::MIN,
        16777217,
        -16777217,
    ];
    pairs.extend(SPECIAL_SINGLES.iter().flat_map(|x| ends.map(|n| (*x, n))));
    let mut interp = Interpreter::new(&p.ctx, p.module);
    let mut tally = Tally::default();
    for (x, n) in pairs {
        let exponent = terrace::ir::num::Int::from_i64(32, i64::from(n));
        let r = interp
            .call("main", vec![Value::F32(x), Value::from_int(exponent)])
            .unwrap_or_else(|e| panic!("{e:?}"));
        let Value::F32(got) = r[0] else { panic!() };
        let args = (f64::from(x), f64::from(n));
        tally.single(args, got, args.0.powf(args.1));
    }
    let f = FUNCTIONS.iter().find(|f| f.name == "powf").expect("it");
    within(f, "f32", &tally, bounds("powf").1);
}
