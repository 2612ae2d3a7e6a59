//! Arithmetic with constants that becomes shifts, sums and low bits.

use super::{compiled, int, results};

const NUMBERS: [i128; 8] = [0, 1, 7, -1, -8, 123_456, 2_147_483_647, -2_147_483_648];

/// Products by sums of few powers of two, and others beside them.
#[test]
fn products_by_constants() {
    let factors = [
        3i64, 5, 6, 7, 9, 10, 12, 15, 17, 24, 31, 33, 36, 63, 65, 11, 14, 8, 1, -3, -7,
    ];
    let mut text = String::new();
    for (k, n) in factors.iter().enumerate() {
        text += &format!(
            "func.func @f{k}(%a: i32) -> i32 {{
               %n = arith.constant {n} : i32
               %r = arith.muli %a, %n : i32
               return %r : i32
             }}\n"
        );
    }
    let (_, m) = compiled(&text);
    for (k, n) in factors.iter().enumerate() {
        for a in NUMBERS {
            let want = (a as i32).wrapping_mul(*n as i32);
            let have = results(&m, &format!("f{k}"), &[int(a)]);
            assert_eq!(have, [int(i128::from(want))], "{a} * {n}");
        }
    }
}

/// What is left of a division by a power of two, written as a difference.
#[test]
fn remainders_as_differences() {
    let quotients = [
        ("floordivsi", 16i64),
        ("divui", 16),
        ("shrsi", 4),
        ("shrui", 4),
        // No remainder: rounded to zero, or multiplied by something else.
        ("divsi", 16),
        ("shrsi", 3),
    ];
    let mut text = String::new();
    for (k, (op, by)) in quotients.iter().enumerate() {
        text += &format!(
            "func.func @f{k}(%a: i32) -> i32 {{
               %by = arith.constant {by} : i32
               %n = arith.constant 16 : i32
               %q = arith.{op} %a, %by : i32
               %m = arith.muli %q, %n : i32
               %r = arith.subi %a, %m : i32
               return %r : i32
             }}\n"
        );
    }
    let (_, m) = compiled(&text);
    for (k, (op, by)) in quotients.iter().enumerate() {
        for a in NUMBERS {
            let a = a as i32;
            let quotient = match *op {
                "floordivsi" => a.div_euclid(16),
                "divui" => (a as u32 / 16) as i32,
                "shrsi" => a >> by,
                "shrui" => (a as u32 >> by) as i32,
                _ => a / 16,
            };
            let want = a.wrapping_sub(quotient.wrapping_mul(16));
            let have = results(&m, &format!("f{k}"), &[int(i128::from(a))]);
            assert_eq!(have, [int(i128::from(want))], "{op} of {a} by {by}");
        }
    }
}
