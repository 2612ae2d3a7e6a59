//! Vectors of several registers: conversions between widths, masks of other widths than what
//! they choose from, lanes taken out and put together.

use super::{
    MemRef, NativeArg, NativeModule, all_options, array, compiled_with, float, int, results,
};

pub(super) const N: usize = 32;

/// `out`, which makes `%y` of `%x`, over `from` values to `to` values: by vectors of 16 lanes,
/// and one by one. `<T>` in `out` stands for a type and `{x}` for a constant, as each has them.
pub(super) fn both(from: &str, to: &str, out: &str) -> String {
    let by_vector = out
        .replace('<', "vector<16x")
        .replace('{', "dense<")
        .replace('}', ">");
    let by_scalar = out.replace(['<', '>', '{', '}'], "");
    // A mask is named beside what it chooses from, which scalars do without.
    let by_scalar = by_scalar.replace(" : i1, ", " : ");
    format!(
        "func.func @f(%a: memref<{N}x{from}>, %c: memref<{N}x{to}>, %d: memref<{N}x{to}>) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %n = arith.constant {N} : index
           %step = arith.constant 16 : index
           scf.for %i = %c0 to %n step %step {{
             %x = vector.load %a[%i] : memref<{N}x{from}>, vector<16x{from}>
             {by_vector}
             vector.store %y, %c[%i] : memref<{N}x{to}>, vector<16x{to}>
           }}
           scf.for %i = %c0 to %n step %c1 {{
             %x = memref.load %a[%i] : memref<{N}x{from}>
             {by_scalar}
             memref.store %y, %d[%i] : memref<{N}x{to}>
           }}
           return
         }}"
    )
}

/// Runs `text` on `a` under all options; what both ways leave.
pub(super) fn run<A: Copy, B: Copy + Default>(text: &str, a: &[A]) -> Vec<[Vec<B>; 2]> {
    let each = |o| {
        let (_, m) = compiled_with(text, &o, &[]);
        let mut a = a.to_vec();
        let (mut c, mut d) = (vec![B::default(); N], vec![B::default(); N]);
        let n = [N as i64];
        let args = [array(&mut a, &n), array(&mut c, &n), array(&mut d, &n)];
        results(&m, "f", &args);
        [c, d]
    };
    all_options().into_iter().map(each).collect()
}

/// Numbers with all bits in use.
fn bits() -> Vec<i64> {
    let mut all: Vec<i64> = (0..N as i64)
        .map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15u64 as i64))
        .collect();
    all[1] = -1;
    all[2] = i64::MIN;
    all[3] = i64::MAX;
    all
}

macro_rules! ints {
    ($from:ty, $a:literal, $to:ty, $b:literal, $($op:literal),+) => {
        $(
            let a: Vec<$from> = bits().iter().map(|x| (*x >> 3) as $from).collect();
            let text = both($a, $b, concat!("%y = arith.", $op, " %x : <", $a, "> to <", $b, ">"));
            for [c, d] in run::<$from, $to>(&text, &a) {
                assert_eq!(c, d, "{} from {} to {}", $op, $a, $b);
            }
        )+
    };
}

#[test]
fn integers_change_their_width() {
    ints!(i8, "i8", i16, "i16", "extsi", "extui");
    ints!(i8, "i8", i32, "i32", "extsi", "extui");
    ints!(i8, "i8", i64, "i64", "extsi", "extui");
    ints!(i16, "i16", i32, "i32", "extsi", "extui");
    ints!(i16, "i16", i64, "i64", "extsi", "extui");
    ints!(i32, "i32", i64, "i64", "extsi", "extui");
    ints!(i64, "i64", i32, "i32", "trunci");
    ints!(i64, "i64", i16, "i16", "trunci");
    ints!(i64, "i64", i8, "i8", "trunci");
    ints!(i32, "i32", i16, "i16", "trunci");
    ints!(i32, "i32", i8, "i8", "trunci");
    ints!(i16, "i16", i8, "i8", "trunci");
}

#[test]
fn integers_become_floats() {
    ints!(i8, "i8", f32, "f32", "sitofp", "uitofp");
    ints!(i16, "i16", f32, "f32", "sitofp", "uitofp");
    ints!(i32, "i32", f32, "f32", "sitofp", "uitofp");
    ints!(i8, "i8", f64, "f64", "sitofp", "uitofp");
    ints!(i16, "i16", f64, "f64", "sitofp", "uitofp");
    ints!(i32, "i32", f64, "f64", "sitofp", "uitofp");
}

fn floats() -> Vec<f64> {
    let mut all: Vec<f64> = (0..N).map(|i| i as f64 * 37.7 - 500.3).collect();
    let odd = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -0.0,
        1e300,
        -1e300,
        2147483647.9,
        -2147483648.9,
        4e9,
        1e-310,
        255.9,
        -0.9,
    ];
    all[..odd.len()].copy_from_slice(&odd);
    all
}

macro_rules! float_ops {
    ($from:ty, $a:literal, $to:ty, $b:literal, $($op:literal),+) => {
        $(
            let a: Vec<$from> = floats().iter().map(|x| *x as $from).collect();
            let text = both($a, $b, concat!("%y = arith.", $op, " %x : <", $a, "> to <", $b, ">"));
            for [c, d] in run::<$from, $to>(&text, &a) {
                assert_eq!(format!("{c:?}"), format!("{d:?}"), "{} from {} to {}", $op, $a, $b);
            }
        )+
    };
}

#[test]
fn floats_become_others() {
    float_ops!(f32, "f32", f64, "f64", "extf");
    float_ops!(f64, "f64", f32, "f32", "truncf");
    float_ops!(f32, "f32", i32, "i32", "fptosi", "fptoui");
    float_ops!(f32, "f32", i16, "i16", "fptosi", "fptoui");
    float_ops!(f32, "f32", i8, "i8", "fptosi", "fptoui");
    float_ops!(f64, "f64", i32, "i32", "fptosi");
    float_ops!(f64, "f64", i16, "i16", "fptosi", "fptoui");
    float_ops!(f64, "f64", i8, "i8", "fptosi", "fptoui");
    float_ops!(f32, "f32", i32, "i32", "bitcast");
}

#[test]
fn masks_are_brought_to_the_width_of_what_they_choose_from() {
    for (ty, zero) in [
        ("i8", "0"),
        ("i16", "0"),
        ("i32", "0"),
        ("i64", "0"),
        ("f32", "0.0"),
        ("f64", "0.0"),
    ] {
        let compare = match zero {
            "0" => "cmpi slt",
            _ => "cmpf olt",
        };
        for to in ["i8", "i16", "i32", "i64"] {
            let out = format!(
                "%z = arith.constant {{{zero}}} : <{ty}>
                 %m = arith.{compare}, %x, %z : <{ty}>
                 %s = arith.constant {{3}} : <{to}>
                 %t = arith.constant {{5}} : <{to}>
                 %w = arith.select %m, %s, %t : <i1>, <{to}>
                 %v = arith.extui %m : <i1> to <{to}>
                 %y = arith.addi %w, %v : <{to}>"
            );
            let text = both(ty, to, &out);
            macro_rules! check {
                ($from:ty, $to:ty) => {{
                    let a: Vec<$from> = (0..N).map(|i| (i as i64 * 5 % 11 - 5) as $from).collect();
                    for [c, d] in run::<$from, $to>(&text, &a) {
                        assert_eq!(c, d, "{ty} {to}");
                    }
                }};
            }
            macro_rules! each {
                ($from:ty) => {
                    match to {
                        "i8" => check!($from, i8),
                        "i16" => check!($from, i16),
                        "i32" => check!($from, i32),
                        _ => check!($from, i64),
                    }
                };
            }
            match ty {
                "i8" => each!(i8),
                "i16" => each!(i16),
                "i32" => each!(i32),
                "i64" => each!(i64),
                "f32" => each!(f32),
                _ => each!(f64),
            }
        }
    }
}

#[test]
fn all_lanes_are_shifted_by_one_number() {
    for op in ["shli", "shrsi", "shrui"] {
        macro_rules! check {
            ($ty:ty, $text:literal, $by:literal) => {{
                let shift = format!(
                    "%by = arith.constant {{{}}} : <{}>\n%y = arith.{op} %x, %by : <{}>",
                    $by, $text, $text
                );
                let text = both($text, $text, &shift);
                let a: Vec<$ty> = bits().iter().map(|x| (*x >> 7) as $ty).collect();
                for [c, d] in run::<$ty, $ty>(&text, &a) {
                    assert_eq!(c, d, "{op} {}", $text);
                }
            }};
        }
        check!(i8, "i8", 3);
        check!(i16, "i16", 9);
        check!(i32, "i32", 17);
        check!(i64, "i64", 40);
    }
}

#[test]
fn constants_divide_lanes() {
    let a: Vec<i32> = bits().iter().map(|x| (*x >> 7) as i32).collect();
    for op in ["divsi", "divui", "remsi", "remui"] {
        for by in [
            2,
            3,
            5,
            9,
            10,
            64,
            255,
            641,
            100_000,
            i32::MAX,
            -2,
            -9,
            i32::MIN,
        ] {
            // Some factors of unsigned division have 33 bits.
            if op.ends_with("ui") && terrace_ir::num::Reciprocal::unsigned(by as u32).is_none() {
                continue;
            }
            let divide =
                format!("%by = arith.constant {{{by}}} : <i32>\n%y = arith.{op} %x, %by : <i32>");
            for [c, d] in run::<i32, i32>(&both("i32", "i32", &divide), &a) {
                assert_eq!(c, d, "{op} {by}");
            }
        }
    }
}

#[test]
fn the_library_is_called_for_each_lane() {
    let a: Vec<f32> = (0..N).map(|i| i as f32 * 0.37 - 3.0).collect();
    for (op, ty) in [("exp", "f32"), ("sin", "f32"), ("log", "f32")] {
        let text = both(ty, ty, &format!("%y = math.{op} %x : <{ty}>"));
        for [c, d] in run::<f32, f32>(&text, &a) {
            assert_eq!(format!("{c:?}"), format!("{d:?}"), "{op}");
        }
    }
}

#[test]
fn lanes_are_taken_out_and_put_together() {
    let text = "func.func @f(%a: memref<8xi32>, %b: memref<8xi32>) {
        %c0 = arith.constant 0 : index
        %x = vector.load %a[%c0] : memref<8xi32>, vector<8xi32>
        %0 = vector.extract %x[0] : i32 from vector<8xi32>
        %1 = vector.extract %x[1] : i32 from vector<8xi32>
        %5 = vector.extract %x[5] : i32 from vector<8xi32>
        %7 = vector.extract %x[7] : i32 from vector<8xi32>
        %y = vector.from_elements %7, %5, %1, %0, %0, %1, %5, %7 : vector<8xi32>
        vector.store %y, %b[%c0] : memref<8xi32>, vector<8xi32>
        return
      }";
    for o in all_options() {
        let (_, m) = compiled_with(text, &o, &[]);
        let mut a: Vec<i32> = (0..8).map(|i| 10 + i).collect();
        let mut b = vec![0i32; 8];
        let args = [array(&mut a, &[8]), array(&mut b, &[8])];
        results(&m, "f", &args);
        assert_eq!(b, [17, 15, 11, 10, 10, 11, 15, 17]);
    }
}

#[test]
fn sums_of_several_registers_keep_the_order_of_floats() {
    let text = "func.func @f(%a: memref<16xf32>, %n: memref<16xi32>, %s: memref<1xf32>, %t: memref<1xi32>) {
        %c0 = arith.constant 0 : index
        %x = vector.load %a[%c0] : memref<16xf32>, vector<16xf32>
        %y = vector.load %n[%c0] : memref<16xi32>, vector<16xi32>
        %0 = vector.reduction <add>, %x : vector<16xf32> into f32
        %1 = vector.reduction <add>, %y : vector<16xi32> into i32
        memref.store %0, %s[%c0] : memref<1xf32>
        memref.store %1, %t[%c0] : memref<1xi32>
        return
      }";
    for o in all_options() {
        let (_, m) = compiled_with(text, &o, &[]);
        let mut a: Vec<f32> = (0..16).map(|i| 1e7 / (i as f32 + 0.3)).collect();
        let mut n: Vec<i32> = (0..16).map(|i| i * i - 7).collect();
        let (mut s, mut t) = ([0f32], [0i32]);
        let want = (
            a.iter().copied().reduce(|x, y| x + y),
            n.iter().sum::<i32>(),
        );
        let args = [
            array(&mut a, &[16]),
            array(&mut n, &[16]),
            array(&mut s, &[1]),
            array(&mut t, &[1]),
        ];
        results(&m, "f", &args);
        assert_eq!((Some(s[0]), t[0]), want);
    }
}

#[test]
fn long_integers_are_rounded_once() {
    let mut numbers: Vec<i64> = vec![0, 1, -1, i64::MIN, i64::MAX, i64::MIN + 1];
    // About the middle between two floats, and between two doubles, on all scales.
    for digits in 20..63 {
        for next in [-1, 0, 1] {
            numbers.push((1i64 << digits) + next);
            numbers.push(-(1i64 << digits) + next);
            numbers.push((3 << (digits - 1)) + (1 << (digits - 20).min(digits - 1)) + next);
            for fraction in [24, 25, 53, 54] {
                if digits >= fraction {
                    numbers.push((1i64 << digits) + (1 << (digits - fraction)) + next);
                    numbers.push(-(1i64 << digits) - (3 << (digits - fraction)) - next);
                }
            }
        }
    }
    let mut x = 7u64;
    for i in 0..2000 {
        x = x
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        numbers.push((x >> (i % 64)) as i64);
    }
    numbers.resize(numbers.len().next_multiple_of(8), 5);
    let n = numbers.len();
    for (op, to, lanes) in [
        ("sitofp", "f32", 4),
        ("uitofp", "f32", 8),
        ("sitofp", "f64", 2),
        ("uitofp", "f64", 8),
    ] {
        let text = format!(
            "func.func @f(%a: memref<{n}xi64>, %c: memref<{n}x{to}>) {{
               %c0 = arith.constant 0 : index
               %n = arith.constant {n} : index
               %step = arith.constant {lanes} : index
               scf.for %i = %c0 to %n step %step {{
                 %x = vector.load %a[%i] : memref<{n}xi64>, vector<{lanes}xi64>
                 %z = arith.{op} %x : vector<{lanes}xi64> to vector<{lanes}x{to}>
                 vector.store %z, %c[%i] : memref<{n}x{to}>, vector<{lanes}x{to}>
               }}
               return
             }}"
        );
        let size = [n as i64];
        for o in all_options() {
            let (_, m) = compiled_with(&text, &o, &[]);
            let mut a = numbers.clone();
            let (mut singles, mut doubles) = (vec![0f32; n], vec![0f64; n]);
            let result = match to {
                "f32" => array(&mut singles, &size),
                _ => array(&mut doubles, &size),
            };
            results(&m, "f", &[array(&mut a, &size), result]);
            for (i, x) in numbers.iter().enumerate() {
                let (found, expected) = match (op, to) {
                    ("sitofp", "f32") => (singles[i].into(), f64::from(*x as f32)),
                    ("uitofp", "f32") => (singles[i].into(), f64::from(*x as u64 as f32)),
                    ("sitofp", _) => (doubles[i], *x as f64),
                    _ => (doubles[i], *x as u64 as f64),
                };
                assert_eq!(f64::to_bits(found), expected.to_bits(), "{op} {to} {x}");
            }
        }
    }
}

#[test]
fn sums_of_what_was_extended() {
    for (from, to, lanes, extension) in [
        ("i8", "i16", 16, "extui"),
        ("i8", "i16", 32, "extsi"),
        ("i8", "i32", 16, "extui"),
        ("i8", "i32", 48, "extui"),
        ("i8", "i32", 16, "extsi"),
        ("i8", "i64", 16, "extui"),
        ("i16", "i32", 8, "extui"),
        ("i16", "i32", 24, "extsi"),
        ("i32", "i64", 4, "extsi"),
    ] {
        let text = format!(
            "func.func @f(%a: memref<48x{from}>) -> ({to}, {to}) {{
               %c0 = arith.constant 0 : index
               %c1 = arith.constant 1 : index
               %n = arith.constant {lanes} : index
               %zero = arith.constant 0 : {to}
               %x = vector.load %a[%c0] : memref<48x{from}>, vector<{lanes}x{from}>
               %y = arith.{extension} %x : vector<{lanes}x{from}> to vector<{lanes}x{to}>
               %0 = vector.reduction <add>, %y : vector<{lanes}x{to}> into {to}
               %1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> ({to}) {{
                 %e = memref.load %a[%i] : memref<48x{from}>
                 %w = arith.{extension} %e : {from} to {to}
                 %t = arith.addi %s, %w : {to}
                 scf.yield %t : {to}
               }}
               return %0, %1 : {to}, {to}
             }}"
        );
        // Of all bits set, and of the least signed number, nothing is lost.
        for fill in [-1i64, i64::MIN, 0x5bd1_e995_7f4a_7c15] {
            for o in all_options() {
                let (_, m) = compiled_with(&text, &o, &[]);
                let mut a: Vec<u8> = (0..48 * 8)
                    .map(|i| (fill.rotate_left(i * 5 * u32::from(fill > 0)) >> 56) as u8)
                    .collect();
                let args = [NativeArg::MemRef(MemRef::row_major(a.as_mut_ptr(), &[48]))];
                let found = results(&m, "f", &args);
                assert_eq!(found[0], found[1], "{from} {to} {lanes} {extension} {fill}");
            }
        }
    }
}

#[test]
fn masks_say_whether_any_or_all_lanes_are_set() {
    for (elem, count) in [
        ("i8", 16),
        ("i16", 16),
        ("i32", 8),
        ("i64", 4),
        ("f32", 4),
        ("f64", 8),
    ] {
        let compare = match elem.starts_with('f') {
            true => "arith.cmpf olt",
            false => "arith.cmpi slt",
        };
        let vector = format!("vector<{count}x{elem}>");
        let text = format!(
            "func.func @f(%a: memref<{count}x{elem}>, %x: {elem}) -> (i1, i1, i1) {{
               %c0 = arith.constant 0 : index
               %v = vector.load %a[%c0] : memref<{count}x{elem}>, {vector}
               %s = vector.broadcast %x : {elem} to {vector}
               %m = {compare}, %v, %s : {vector}
               %any = vector.reduction <or>, %m : vector<{count}xi1> into i1
               %all = vector.reduction <and>, %m : vector<{count}xi1> into i1
               %y = scf.if %any -> i1 {{
                 %both = vector.reduction <and>, %m : vector<{count}xi1> into i1
                 scf.yield %both : i1
               }} else {{
                 scf.yield %any : i1
               }}
               return %any, %all, %y : i1, i1, i1
             }}"
        );
        for below in [
            vec![],
            vec![0],
            vec![count - 1],
            (0..count).collect::<Vec<_>>(),
        ] {
            let some = !below.is_empty();
            let all = below.len() == count;
            let mut numbers = vec![9i64; count];
            below.iter().for_each(|i| numbers[*i] = 5);
            for o in all_options() {
                let (_, m) = compiled_with(&text, &o, &[]);
                let want = [some, all, all].map(|b| int(b.into()));
                let got = match elem {
                    "i8" => run(&m, &numbers, |n| n as i8, int(7)),
                    "i16" => run(&m, &numbers, |n| n as i16, int(7)),
                    "i32" => run(&m, &numbers, |n| n as i32, int(7)),
                    "i64" => run(&m, &numbers, |n| n, int(7)),
                    "f32" => run(&m, &numbers, |n| n as f32, float(7.0)),
                    _ => run(&m, &numbers, |n| n as f64, float(7.0)),
                };
                assert_eq!(got, want, "{elem} {below:?}");
            }
        }
    }
    fn run<T: Copy>(
        m: &NativeModule,
        numbers: &[i64],
        of: fn(i64) -> T,
        x: NativeArg,
    ) -> Vec<NativeArg> {
        let mut a: Vec<T> = numbers.iter().map(|n| of(*n)).collect();
        let n = a.len() as i64;
        results(m, "f", &[array(&mut a, &[n]), x])
    }
}

#[test]
fn lanes_stand_in_any_order() {
    // Backwards, every second, third and fourth of each offset, and an order without a name.
    let mut orders: Vec<(usize, Vec<i64>)> = Vec::new();
    for n in [2usize, 4, 8, 16] {
        let count = n as i64;
        orders.push((n, (0..count).rev().collect()));
        orders.push((n, (0..count).map(|i| (i * 5 + 3) % (2 * count)).collect()));
        for step in 2..=4 {
            for offset in 0..step {
                let order = (0..count).map(|i| offset + i * step).collect();
                orders.push((n * step as usize, order));
            }
        }
    }
    for (elem, bytes) in [
        ("i8", 1),
        ("i16", 2),
        ("i32", 4),
        ("i64", 8),
        ("f32", 4),
        ("f64", 8),
    ] {
        for (from, order) in &orders {
            let to = order.len();
            let whole = |n: usize| (n * bytes).is_multiple_of(16) && n * bytes <= 256;
            if !whole(*from) || !whole(to) {
                continue;
            }
            let text = format!(
                "func.func @f(%a: memref<{from}x{elem}>, %b: memref<{from}x{elem}>, %c: memref<{to}x{elem}>) {{
                   %c0 = arith.constant 0 : index
                   %x = vector.load %a[%c0] : memref<{from}x{elem}>, vector<{from}x{elem}>
                   %y = vector.load %b[%c0] : memref<{from}x{elem}>, vector<{from}x{elem}>
                   %z = vector.shuffle %x, %y {order:?} : vector<{from}x{elem}>, vector<{from}x{elem}>
                   vector.store %z, %c[%c0] : memref<{to}x{elem}>, vector<{to}x{elem}>
                   return
                 }}"
            );
            for o in all_options() {
                let (_, m) = compiled_with(&text, &o, &[]);
                match elem {
                    "i8" => check(&m, *from, order, |n| n as i8),
                    "i16" => check(&m, *from, order, |n| (n as i16).wrapping_mul(301)),
                    "i32" => check(&m, *from, order, |n| (n as i32).wrapping_mul(70_001)),
                    "i64" => check(&m, *from, order, |n| (n as i64).wrapping_mul(5_000_000_001)),
                    "f32" => check(&m, *from, order, |n| n as f32 + 0.5),
                    _ => check(&m, *from, order, |n| n as f64 + 0.25),
                }
            }
        }
    }
    fn check<T>(m: &NativeModule, from: usize, order: &[i64], of: fn(usize) -> T)
    where
        T: Copy + PartialEq + std::fmt::Debug,
    {
        // Numbers with the highest bit set, too.
        let mut a: Vec<T> = (0..from).map(|i| of(i * 37 + 100)).collect();
        let mut b: Vec<T> = (0..from).map(|i| of(i * 11 + 200)).collect();
        let mut c = vec![of(0); order.len()];
        let both = [a.clone(), b.clone()].concat();
        let want: Vec<T> = order.iter().map(|i| both[*i as usize]).collect();
        let (n, k) = (from as i64, order.len() as i64);
        let args = [
            array(&mut a, &[n]),
            array(&mut b, &[n]),
            array(&mut c, &[k]),
        ];
        results(m, "f", &args);
        assert_eq!(c, want, "{order:?}");
    }
}
