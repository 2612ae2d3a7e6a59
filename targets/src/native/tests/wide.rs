//! Machine code of our own: each op on long vectors gives what it gives on scalars, random loops do,
//! and what should have such code has it.

use super::{
    Level, all_options, array, at_level, compiled_with, float, int, levels, results, same,
};

/// Arrays of 128 elements that ops are run on.
const N: usize = 128;

fn types_of(level: Level, ty: &str) -> usize {
    let bytes = match ty {
        "f64" | "i64" => 8,
        "f32" | "i32" => 4,
        "i16" => 2,
        _ => 1,
    };
    level.bytes() as usize / bytes
}

/// A function that computes `body` of `%x0`, `%x1` and `%x2` by vectors into `%d` and one by one into
/// `%e`. A line of it is `%NAME = OP OPERANDS`; its last is the result.
fn function(ty: &str, lanes: usize, body: &[String]) -> String {
    let memref = format!("memref<{N}x{ty}>");
    let vector = format!("vector<{lanes}x{ty}>");
    let mut text = format!(
        "func.func @f(%a0: {memref}, %a1: {memref}, %a2: {memref}, %d: {memref}, %e: {memref}, %s: {ty}) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %n = arith.constant {N} : index
           %step = arith.constant {lanes} : index
           %sv = vector.broadcast %s : {ty} to {vector}\n"
    );
    for (step, ty, array, is_vector) in [
        ("%step", &vector, "%d", true),
        ("%c1", &ty.to_string(), "%e", false),
    ] {
        text += &format!("scf.for %i = %c0 to %n step {step} {{\n");
        for k in 0..3 {
            text += &match is_vector {
                true => format!("%x{k} = vector.load %a{k}[%i] : {memref}, {vector}\n"),
                false => format!("%x{k} = memref.load %a{k}[%i] : {memref}\n"),
            };
        }
        for line in body {
            let line = if is_vector {
                line.replace("%s,", "%sv,")
            } else {
                line.clone()
            };
            let bit = if is_vector {
                format!("vector<{lanes}xi1>")
            } else {
                "i1".to_string()
            };
            text += &match line.contains("select") {
                true => format!("{line} : {bit}, {ty}\n")
                    .replace(&format!(" : i1, {ty}"), &format!(" : {ty}")),
                false => format!("{line} : {ty}\n"),
            };
        }
        let last = body
            .last()
            .and_then(|l| l.split(' ').next())
            .unwrap_or("%x0");
        text += &match is_vector {
            true => format!("vector.store {last}, {array}[%i] : {memref}, {vector}\n"),
            false => format!("memref.store {last}, {array}[%i] : {memref}\n"),
        };
        text += "}\n";
    }
    text + "return\n}"
}

trait Number: Copy + Default + std::fmt::Debug {
    fn some(i: usize) -> Self;
    fn arg(self) -> super::NativeArg;
}

const SPECIAL: [f64; 8] = [
    0.0,
    -0.0,
    1.5,
    -2.25,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e-40,
];

macro_rules! numbers {
    ($($t:ty, $arg:expr, $some:expr;)*) => {$(
        impl Number for $t {
            fn some(i: usize) -> Self {
                $some(i)
            }
            fn arg(self) -> super::NativeArg {
                $arg(self)
            }
        }
    )*};
}

/// A number as good as any other.
fn mixed(i: usize) -> u64 {
    (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (i as u64) << 7
}

numbers! {
    f64, float, |i: usize| SPECIAL.get(i % 19).copied().unwrap_or((mixed(i) >> 40) as f64 / 1000.0 - 8000.0);
    f32, |v: f32| float(f64::from(v)), |i: usize| SPECIAL.get(i % 17).map_or((mixed(i) >> 44) as f32 / 100.0 - 5000.0, |v| *v as f32);
    i64, |v: i64| int(i128::from(v)), |i: usize| (mixed(i) as i64) >> (i % 5 * 15);
    i32, |v: i32| int(i128::from(v)), |i: usize| (mixed(i) as i32) >> (i % 5 * 7);
    i16, |v: i16| int(i128::from(v)), |i: usize| (mixed(i) as i16) >> (i % 3 * 4);
    i8, |v: i8| int(i128::from(v)), |i: usize| mixed(i) as i8;
}

/// Whether both loops of a function give the same at a level; and that it has code of our own there.
fn check<T: Number>(level: Level, ty: &str, body: &[String], must: bool) {
    let lanes = types_of(level, ty);
    for lanes in [lanes, 2 * lanes] {
        let text = function(ty, lanes, body);
        let (_, m) = compiled_with(&text, &at_level(level), &[]);
        if must {
            assert!(!m.asm().contains("no long vectors"), "{text}\n{}", m.asm());
        }
        let mut all: Vec<Vec<T>> = (0..3)
            .map(|k| (0..N).map(|i| T::some(i * 3 + k * 101)).collect())
            .collect();
        let n = [N as i64];
        let (mut d, mut e) = (vec![T::default(); N], vec![T::default(); N]);
        let mut args: Vec<_> = all.iter_mut().map(|a| array(a, &n)).collect();
        args.push(array(&mut d, &n));
        args.push(array(&mut e, &n));
        args.push(T::some(12).arg());
        results(&m, "f", &args);
        for (i, (x, y)) in d.iter().zip(&e).enumerate() {
            assert!(
                same(&x.arg(), &y.arg()),
                "{i}: {x:?}, not {y:?}\n{text}\n{}",
                m.asm()
            );
        }
    }
}

fn line(op: &str, operands: &str) -> Vec<String> {
    vec![format!("%r = {op} {operands}")]
}

fn each_op<T: Number>(ty: &str, binary: &[&str], unary: &[&str]) {
    for level in levels() {
        for op in binary {
            check::<T>(level, ty, &line(op, "%x0, %x1"), true);
            check::<T>(level, ty, &line(op, "%s, %x1"), true);
        }
        for op in unary {
            check::<T>(level, ty, &line(op, "%x0"), true);
        }
    }
}

#[test]
fn every_op_on_floats() {
    let binary = [
        "arith.addf",
        "arith.subf",
        "arith.mulf",
        "arith.divf",
        "arith.maximumf",
        "arith.minimumf",
        "arith.maxnumf",
        "arith.minnumf",
    ];
    let unary = [
        "arith.negf",
        "math.sqrt",
        "math.absf",
        "math.floor",
        "math.ceil",
        "math.trunc",
    ];
    each_op::<f64>("f64", &binary, &unary);
    each_op::<f32>("f32", &binary, &unary);
}

#[test]
fn every_op_on_integers() {
    let binary = [
        "arith.addi",
        "arith.subi",
        "arith.andi",
        "arith.ori",
        "arith.xori",
    ];
    each_op::<i64>("i64", &binary, &[]);
    each_op::<i8>("i8", &binary, &["math.absi"]);
    let more = [
        &binary[..],
        &[
            "arith.muli",
            "arith.maxsi",
            "arith.minsi",
            "arith.maxui",
            "arith.minui",
        ],
    ]
    .concat();
    each_op::<i32>("i32", &more, &["math.absi"]);
    each_op::<i16>("i16", &more, &["math.absi"]);
    for level in levels().into_iter().filter(|l| *l == Level::V4) {
        for op in &more {
            check::<i64>(level, "i64", &line(op, "%x0, %x1"), true);
        }
    }
}

/// Expressions of up to 14 ops of earlier values, chosen by a seed.
fn random(ops: &[&str], compare: &str, predicates: &[&str], seed: usize) -> Vec<String> {
    let mut state = mixed(seed);
    let mut next = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut names: Vec<String> = ["%x0", "%x1", "%x2"].map(String::from).to_vec();
    let mut body = Vec::new();
    for k in 0..2 + next(12) {
        let (a, b, c, d) = {
            let mut one = || names[next(names.len())].clone();
            (one(), one(), one(), one())
        };
        let name = format!("%v{k}");
        match next(5) {
            0 => {
                let p = predicates[next(predicates.len())];
                body.push(format!("%m{k} = {compare} {p}, {a}, {b}"));
                body.push(format!("{name} = arith.select %m{k}, {c}, {d}"));
            }
            _ => {
                let op = ops[next(ops.len())];
                let first = if next(6) == 0 { "%s".to_string() } else { a };
                body.push(format!("{name} = {op} {first}, {b}"));
            }
        }
        names.push(name);
    }
    body
}

#[test]
fn random_loops() {
    let floats = ["arith.addf", "arith.subf", "arith.mulf", "arith.divf"];
    let float_predicates = [
        "olt", "ole", "ogt", "oge", "oeq", "une", "ord", "uno", "ult", "ule", "ugt", "uge", "one",
        "ueq",
    ];
    let ints = [
        "arith.addi",
        "arith.subi",
        "arith.andi",
        "arith.ori",
        "arith.xori",
    ];
    let signed = ["slt", "sle", "sgt", "sge", "eq", "ne"];
    let all = [&signed[..], &["ult", "ule", "ugt", "uge"]].concat();
    for level in levels() {
        let int_predicates: &[&str] = if level == Level::V4 { &all } else { &signed };
        for seed in 0..24 {
            let body = random(&floats, "arith.cmpf", &float_predicates, seed);
            check::<f64>(level, "f64", &body, true);
            check::<f32>(level, "f32", &body, true);
            let body = random(&ints, "arith.cmpi", int_predicates, seed);
            check::<i64>(level, "i64", &body, true);
            check::<i32>(level, "i32", &body, true);
            check::<i16>(level, "i16", &body, true);
            check::<i8>(level, "i8", &body, true);
        }
    }
}

/// Lanes that lie apart in memory, or are numbers at hand.
fn lane_by_lane<T: Number>(ty: &str) {
    for level in levels() {
        let lanes = types_of(level, ty);
        let vector = format!("vector<{lanes}x{ty}>");
        let list = |f: &dyn Fn(usize) -> String| (0..lanes).map(f).collect::<Vec<_>>().join(", ");
        let mut text = format!(
            "func.func @f(%a: memref<{n}x2x{ty}>, %d: memref<{n}x{ty}>, %s: {ty}) {{
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %n = arith.constant {n} : index
               %step = arith.constant {lanes} : index
               scf.for %i = %c0 to %n step %step {{\n",
            n = N
        );
        for k in 0..lanes {
            text += &format!(
                "%k{k} = arith.constant {k} : index\n%j{k} = arith.addi %i, %k{k} : index\n"
            );
            text += &format!("%x{k} = memref.load %a[%j{k}, %c1] : memref<{N}x2x{ty}>\n");
        }
        // One lane is no element.
        let names = list(&|k| {
            if k == 2 {
                "%s".into()
            } else {
                format!("%x{k}")
            }
        });
        text += &format!(
            "%v = vector.from_elements {names} : {vector}
               vector.store %v, %d[%i] : memref<{N}x{ty}>, {vector}
             }}
             return
           }}"
        );
        let (_, m) = compiled_with(&text, &at_level(level), &[]);
        assert!(!m.asm().contains("no long vectors"), "{text}\n{}", m.asm());
        let mut a: Vec<T> = (0..2 * N).map(T::some).collect();
        let mut d = vec![T::default(); N];
        let args = [
            array(&mut a, &[N as i64, 2]),
            array(&mut d, &[N as i64]),
            T::some(5).arg(),
        ];
        results(&m, "f", &args);
        for (i, x) in d.iter().enumerate() {
            let want = if i % lanes == 2 {
                T::some(5)
            } else {
                a[2 * i + 1]
            };
            assert!(
                same(&x.arg(), &want.arg()),
                "{i}: {x:?}, not {want:?}\n{}",
                m.asm()
            );
        }
    }
}

#[test]
fn vectors_of_lanes() {
    lane_by_lane::<f64>("f64");
    lane_by_lane::<f32>("f32");
    lane_by_lane::<i64>("i64");
    lane_by_lane::<i32>("i32");
}

#[test]
fn sums_are_made_in_order() {
    let text = "func.func @f(%a: memref<?xf64>, %x: f64) -> (f64, f64) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c8 = arith.constant 8 : index
           %n = memref.dim %a, %c0 : memref<?xf64>
           %r = scf.for %i = %c0 to %n step %c8 iter_args(%s = %x) -> f64 {
             %v = vector.load %a[%i] : memref<?xf64>, vector<8xf64>
             %w = arith.mulf %v, %v : vector<8xf64>
             %t = vector.reduction <add>, %w, %s : vector<8xf64> into f64
             scf.yield %t : f64
           }
           %q = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> f64 {
             %v = memref.load %a[%i] : memref<?xf64>
             %w = arith.mulf %v, %v : f64
             %t = arith.addf %s, %w : f64
             scf.yield %t : f64
           }
           return %r, %q : f64, f64
         }";
    for options in all_options() {
        let (_, m) = compiled_with(text, &options, &[]);
        if options.level.is_some() {
            assert!(!m.asm().contains("no long vectors"), "{}", m.asm());
        }
        let mut a: Vec<f64> = (0..160).map(|i| f64::from(i).sin() * 1e3).collect();
        let have = results(&m, "f", &[array(&mut a, &[160]), float(0.1)]);
        assert!(same(&have[0], &have[1]), "{have:?}");
    }
}

/// More values than registers, carried around a loop.
#[test]
fn values_beyond_the_registers() {
    let carried = 40;
    let list = |f: &dyn Fn(usize) -> String| (0..carried).map(f).collect::<Vec<_>>().join(", ");
    let mut text = String::from(
        "func.func @f(%a: memref<640xf64>, %d: memref<320xf64>) {
           %c0 = arith.constant 0 : index
           %c8 = arith.constant 8 : index
           %n = arith.constant 320 : index
           %z = arith.constant dense<0.5> : vector<8xf64>\n",
    );
    let types = list(&|_| "vector<8xf64>".into());
    let inits = list(&|k| format!("%s{k} = %z"));
    let mut body = String::new();
    for k in 0..carried {
        let other = (k + 1) % carried;
        body += &format!(
            "%o{k} = arith.constant {} : index\n%j{k} = arith.addi %i, %o{k} : index\n",
            8 * k
        );
        body += &format!("%v{k} = vector.load %a[%j{k}] : memref<640xf64>, vector<8xf64>\n");
        body += &format!("%p{k} = arith.mulf %v{k}, %s{other} : vector<8xf64>\n");
        body += &format!("%t{k} = arith.addf %p{k}, %s{k} : vector<8xf64>\n");
    }
    text += &format!(
        "%r:{carried} = scf.for %i = %c0 to %n step %c8 iter_args({inits}) -> ({types}) {{\n{body}scf.yield {} : {types}\n}}\n",
        list(&|k| format!("%t{k}"))
    );
    for k in 0..carried {
        text += &format!("%q{k} = arith.constant {} : index\n", 8 * k);
        text += &format!("vector.store %r#{k}, %d[%q{k}] : memref<320xf64>, vector<8xf64>\n");
    }
    text += "return\n}";
    let mut all = Vec::new();
    for options in all_options() {
        let (_, m) = compiled_with(&text, &options, &[]);
        if options.level.is_some() {
            assert!(!m.asm().contains("no long vectors"), "{}", m.asm());
        }
        let mut a: Vec<f64> = (0..640).map(|i| f64::from(i).cos() * 0.01).collect();
        let mut d = vec![0.0f64; 320];
        results(&m, "f", &[array(&mut a, &[640]), array(&mut d, &[320])]);
        all.push(d.into_iter().map(f64::to_bits).collect::<Vec<_>>());
    }
    assert!(all.iter().all(|d| *d == all[0]));
}
