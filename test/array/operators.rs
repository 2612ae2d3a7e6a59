//! Each operator on each type, on all pairs of special values.

use super::support::{assert_same, context, floats, integers};
use terrace::array::{Array, Context, Element, Expr};

/// All pairs of elements, as two arrays.
fn pairs<T: Element>(cx: &Context, all: &[T]) -> (Vec<(T, T)>, Array<T>, Array<T>) {
    let pairs: Vec<(T, T)> = (all.iter())
        .flat_map(|a| all.iter().map(move |b| (*a, *b)))
        .collect();
    let (a, b): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
    (pairs, cx.vector(&a).unwrap(), cx.vector(&b).unwrap())
}

/// Computes an expression and holds it against a function of the pairs.
fn check<T: Element, R: Element>(
    cx: &Context,
    pairs: &[(T, T)],
    what: &str,
    e: Expr<R>,
    f: impl Fn(T, T) -> R,
) {
    let r = cx.zeros::<R>(&[pairs.len()]).unwrap();
    r.set(e).unwrap();
    let expected: Vec<R> = pairs.iter().map(|(a, b)| f(*a, *b)).collect();
    assert_same(&r.to_vec().unwrap(), &expected, what);
}

macro_rules! compare {
    ($cx:ident, $pairs:ident, $a:ident, $b:ident) => {
        check(&$cx, &$pairs, "eq", $a.eq(&$b), |a, b| a == b);
        check(&$cx, &$pairs, "ne", $a.ne(&$b), |a, b| a != b);
        check(&$cx, &$pairs, "lt", $a.lt(&$b), |a, b| a < b);
        check(&$cx, &$pairs, "le", $a.le(&$b), |a, b| a <= b);
        check(&$cx, &$pairs, "gt", $a.gt(&$b), |a, b| a > b);
        check(&$cx, &$pairs, "ge", $a.ge(&$b), |a, b| a >= b);
        let select = $a.lt(&$b).select(&$a, &$b);
        check(
            &$cx,
            &$pairs,
            "select",
            select,
            |a, b| if a < b { a } else { b },
        );
    };
}

macro_rules! floats {
    ($name:ident, $t:ty) => {
        #[test]
        fn $name() {
            let cx = context();
            let all: Vec<$t> = floats().iter().map(|v| *v as $t).collect();
            let (p, a, b) = pairs(&cx, &all);
            check(&cx, &p, "+", &a + &b, |a, b| a + b);
            check(&cx, &p, "-", &a - &b, |a, b| a - b);
            check(&cx, &p, "*", &a * &b, |a, b| a * b);
            check(&cx, &p, "/", &a / &b, |a, b| a / b);
            check(&cx, &p, "%", &a % &b, |a, b| a % b);
            check(&cx, &p, "neg", -&a, |a, _| -a);
            check(&cx, &p, "abs", a.abs(), |a, _| a.abs());
            check(&cx, &p, "copysign", a.copysign(&b), |a, b| a.copysign(b));
            check(&cx, &p, "mul_add", a.mul_add(&b, &a), |a, b| {
                a.mul_add(b, a)
            });
            check(&cx, &p, "is_nan", a.is_nan(), |a, _| a.is_nan());
            compare!(cx, p, a, b);
            // Which zero is the lesser one is left open.
            check(&cx, &p, "min", a.min(&b) + 0.0, |a, b| a.min(b) + 0.0);
            check(&cx, &p, "max", a.max(&b) + 0.0, |a, b| a.max(b) + 0.0);
            check(&cx, &p, "number on the left", 2.0 - &a, |a, _| 2.0 - a);
            check(&cx, &p, "number on the right", &a / 3.0, |a, _| a / 3.0);
        }
    };
}

floats!(floats_of_64_bits, f64);
floats!(floats_of_32_bits, f32);

macro_rules! integers {
    ($name:ident, $t:ty, $($signed:tt)?) => {
        #[test]
        fn $name() {
            let cx = context();
            let all: Vec<$t> = integers().iter().map(|v| *v as $t).collect();
            let (p, a, b) = pairs(&cx, &all);
            check(&cx, &p, "+", &a + &b, |a, b| a.wrapping_add(b));
            check(&cx, &p, "-", &a - &b, |a, b| a.wrapping_sub(b));
            check(&cx, &p, "*", &a * &b, |a, b| a.wrapping_mul(b));
            check(&cx, &p, "/", &a / &b, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) });
            check(&cx, &p, "%", &a % &b, |a, b| if b == 0 { a } else { a.wrapping_rem(b) });
            check(&cx, &p, "&", &a & &b, |a, b| a & b);
            check(&cx, &p, "|", &a | &b, |a, b| a | b);
            check(&cx, &p, "^", &a ^ &b, |a, b| a ^ b);
            check(&cx, &p, "and_not", a.and_not(&b), |a, b| a & !b);
            check(&cx, &p, "!", !&a, |a, _| !a);
            check(&cx, &p, "<<", &a << &b, |a, b| a.wrapping_shl(b as u32));
            check(&cx, &p, ">>", &a >> &b, |a, b| a.wrapping_shr(b as u32));
            check(&cx, &p, "min", a.min(&b), |a, b| a.min(b));
            check(&cx, &p, "max", a.max(&b), |a, b| a.max(b));
            check(&cx, &p, "count_ones", a.count_ones(), |a, _| a.count_ones() as $t);
            check(&cx, &p, "leading_zeros", a.leading_zeros(), |a, _| a.leading_zeros() as $t);
            check(&cx, &p, "trailing_zeros", a.trailing_zeros(), |a, _| a.trailing_zeros() as $t);
            check(&cx, &p, "powi", a.powi(5), |a, _| a.wrapping_pow(5));
            check(&cx, &p, "number on the left", 2 * &a, |a, _| a.wrapping_mul(2));
            compare!(cx, p, a, b);
            $(let () = $signed;
            check(&cx, &p, "neg", -&a, |a, _| a.wrapping_neg());
            check(&cx, &p, "abs", a.abs(), |a, _| a.wrapping_abs());)?
        }
    };
}

integers!(signed_integers_of_64_bits, i64, ());
integers!(signed_integers_of_32_bits, i32, ());
integers!(unsigned_integers_of_64_bits, u64,);
integers!(unsigned_integers_of_32_bits, u32,);

#[test]
fn booleans() {
    let cx = context();
    let (p, a, b) = pairs(&cx, &[false, true]);
    check(&cx, &p, "&", &a & &b, |a, b| a & b);
    check(&cx, &p, "|", &a | &b, |a, b| a | b);
    check(&cx, &p, "^", &a ^ &b, |a, b| a ^ b);
    check(&cx, &p, "!", !&a, |a, _| !a);
    check(&cx, &p, "number", true ^ &a, |a, _| !a);
    check(&cx, &p, "eq", a.eq(&b), |a, b| a == b);
}
