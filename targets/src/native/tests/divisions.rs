//! Divisions by constants.

use super::{call, compiled, int, results};

/// Products stand for these divisions: near multiples, at both ends, and by 0, which is an error.
#[test]
fn constants_divide_32_bits_as_variables_do() {
    let divisors: [i32; 12] = [
        3,
        7,
        10,
        641,
        65_537,
        100_001,
        1 << 30,
        i32::MAX,
        -3,
        -7,
        -100_001,
        i32::MIN,
    ];
    let ops = ["arith.divsi", "arith.remsi", "arith.divui", "arith.remui"];
    for d in divisors {
        let functions: Vec<String> = (ops.iter().enumerate())
            .map(|(i, op)| {
                format!(
                    "func.func @f{i}(%x: i32) -> i32 {{
                       %d = arith.constant {d} : i32
                       %q = {op} %x, %d : i32
                       return %q : i32
                     }}\n"
                )
            })
            .collect();
        let (_, m) = compiled(&functions.concat());
        let near = |n: i64| (-2..=2).map(move |k| n + k);
        let multiples = [0, 1, -1, 5, 1000, -1000].map(|k| k * i64::from(d));
        let ends = [i64::from(i32::MIN), i64::from(i32::MAX), 1 << 32];
        for x in multiples.into_iter().chain(ends).flat_map(near) {
            let x = x as i32;
            let (ux, ud) = (x as u32, d as u32);
            let right = [
                x.wrapping_div(d),
                x.wrapping_rem(d),
                (ux / ud) as i32,
                (ux % ud) as i32,
            ];
            for (i, right) in right.into_iter().enumerate() {
                let got = results(&m, &format!("f{i}"), &[int(i128::from(x))]);
                assert_eq!(got, [int(i128::from(right))], "{} {x} {d}", ops[i]);
            }
        }
    }
    for op in ops {
        let text = format!(
            "func.func @f(%x: i32) -> i32 {{
               %d = arith.constant 0 : i32
               %q = {op} %x, %d : i32
               return %q : i32
             }}"
        );
        let (_, m) = compiled(&text);
        let e = call(&m, "f", &[int(5)]).unwrap_err();
        assert_eq!(e.message, format!("'{op}' op division by zero"));
    }
}

/// The same for 64 bits, where even divisors are halved first if their reciprocals are long.
#[test]
fn constants_divide_64_bits_as_variables_do() {
    let odd = [
        3u64,
        7,
        10,
        14,
        641,
        28,
        1_000_000_000,
        1_000_000_007,
        10_000_000_000,
    ];
    let large = [
        1 << 40,
        u64::MAX,
        u64::MAX - 1,
        (1 << 63) + 2,
        6 * 0x0AAA_AAAA_AAAA_AAAB,
    ];
    for d in odd.into_iter().chain(large) {
        let signed = d as i64;
        let (_, m) = compiled(&format!(
            "func.func @f(%x: i64) -> (i64, i64) {{
               %d = arith.constant {signed} : i64
               %q = arith.divui %x, %d : i64
               %r = arith.remui %x, %d : i64
               return %q, %r : i64, i64
             }}"
        ));
        let near = |n: u64| [-2i64, -1, 0, 1, 2].map(|k| n.wrapping_add_signed(k));
        let multiples = [0, 1, 5, 1000, u64::MAX / d, u64::MAX / d / 2].map(|k| k.wrapping_mul(d));
        let ends = [1 << 63, u64::MAX, 1 << 32];
        for x in multiples.into_iter().chain(ends).flat_map(near) {
            let got = results(&m, "f", &[int(i128::from(x as i64))]);
            let right = [x / d, x % d].map(|n| int(i128::from(n as i64)));
            assert_eq!(got, right, "{x} {d}");
        }
    }
}
