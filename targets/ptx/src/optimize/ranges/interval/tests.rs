use super::*;

/// Every signed and unsigned interval over a few bits, and odd ones that
/// only both readings together describe.
fn some(bits: u32) -> Vec<Range> {
    let (low, high) = (signed_min(bits), signed_max(bits));
    let mut all = Vec::new();
    for a in low..=high {
        for b in a..=high {
            all.push(Range::signed(bits, a, b));
        }
    }
    for a in 0..=unsigned_max(bits) {
        for b in a..=unsigned_max(bits) {
            all.push(Range::unsigned(bits, a, b));
        }
    }
    all
}

fn members(r: Range) -> impl Iterator<Item = i64> {
    let all = signed_min(r.bits)..=signed_max(r.bits);
    all.filter(move |v| r.contains(*v))
}

fn unsigned(bits: u32, v: i64) -> i64 {
    v & unsigned_max(bits) as i64
}

#[test]
fn intervals_agree_with_their_members() {
    for r in some(4) {
        let list: Vec<i64> = members(r).collect();
        assert_eq!(list.first(), Some(&r.smin), "{r:?}");
        assert_eq!(list.last(), Some(&r.smax), "{r:?}");
    }
    assert_eq!(Range::constant(32, -1).umax(), u64::from(u32::MAX));
    assert_eq!(Range::unsigned(32, 0, 7).smax(), 7);
    let both = Range::signed(32, -8, 7).meet(Range::unsigned(32, 4, u64::from(u32::MAX)));
    assert_eq!(both.map(|r| (r.smin(), r.smax())), Some((-8, 7)));
    assert_eq!(Range::signed(32, 0, 3).meet(Range::signed(32, 4, 9)), None);
}

/// Where one of the two readings has one sign only, what both say is one interval, and its
/// ends are known.
#[test]
fn meets_of_one_sign_end_at_members() {
    let all = some(4);
    for a in &all {
        for b in &all {
            let list: Vec<i64> = members(*a).filter(|x| b.contains(*x)).collect();
            let (Some(low), Some(high)) = (list.first(), list.last()) else {
                continue;
            };
            let m = a.meet(*b).expect("a common member");
            let signed = (a.smin.max(b.smin), a.smax.min(b.smax));
            let other = (a.umin.max(b.umin), a.umax.min(b.umax));
            if signed.0 >= 0 || signed.1 < 0 || other.0 > 7 || other.1 <= 7 {
                assert_eq!((m.smin, m.smax), (*low, *high), "{a:?} {b:?}");
                let ends = (unsigned(4, *low) as u64, unsigned(4, *high) as u64);
                assert_eq!((m.umin, m.umax), ends, "{a:?} {b:?}");
            }
        }
    }
}

type Two = (
    &'static str,
    fn(Range, Range) -> Range,
    fn(i64, i64) -> Option<i64>,
);

#[test]
fn every_operation_holds_all_results_at_three_bits() {
    let ops: &[Two] = &[
        ("add", Range::add, |a, b| Some(a + b)),
        ("sub", Range::sub, |a, b| Some(a - b)),
        ("mul", Range::mul, |a, b| Some(a * b)),
        (
            "mul.hi.s",
            |a, b| a.mul_high(b, true),
            |a, b| Some((a * b) >> 3),
        ),
        (
            "mul.hi.u",
            |a, b| a.mul_high(b, false),
            |a, b| Some(((a & 7) * (b & 7)) >> 3),
        ),
        ("div.s", |a, b| a.div(b, true), |a, b| a.checked_div(b)),
        (
            "div.u",
            |a, b| a.div(b, false),
            |a, b| (a & 7).checked_div(b & 7),
        ),
        ("rem.s", |a, b| a.rem(b, true), |a, b| a.checked_rem(b)),
        (
            "rem.u",
            |a, b| a.rem(b, false),
            |a, b| (a & 7).checked_rem(b & 7),
        ),
        ("min.s", |a, b| a.minimum(b, true), |a, b| Some(a.min(b))),
        (
            "min.u",
            |a, b| a.minimum(b, false),
            |a, b| Some(if a & 7 < b & 7 { a } else { b }),
        ),
        ("max.s", |a, b| a.maximum(b, true), |a, b| Some(a.max(b))),
        (
            "max.u",
            |a, b| a.maximum(b, false),
            |a, b| Some(if a & 7 > b & 7 { a } else { b }),
        ),
        ("and", Range::and, |a, b| Some(a & b)),
        ("or", Range::or, |a, b| Some(a | b)),
        ("xor", Range::xor, |a, b| Some(a ^ b)),
        (
            "shl",
            |a, b| a.shl(b.umin, b.umax),
            |a, b| Some(if b & 7 > 2 { 0 } else { a << (b & 7) }),
        ),
        (
            "shr.s",
            |a, b| a.shr(b.umin, b.umax, true),
            |a, b| Some(a >> (b & 7)),
        ),
        (
            "shr.u",
            |a, b| a.shr(b.umin, b.umax, false),
            |a, b| Some((a & 7) >> (b & 7)),
        ),
        ("join", Range::join, |a, _| Some(a)),
    ];
    let all = some(3);
    for (name, op, exact) in ops {
        for a in &all {
            for b in &all {
                let r = op(*a, *b);
                for x in members(*a) {
                    for y in members(*b) {
                        match exact(x, y) {
                            Some(v) => {
                                assert!(r.contains(v), "{name} {a:?} {b:?}: {r:?} lacks {v}");
                            }
                            // A division by zero says nothing of its result.
                            None => assert_eq!(r, Range::full(3), "{name} {a:?} {b:?}"),
                        }
                    }
                }
                if let Some(m) = a.meet(*b) {
                    for x in members(*a).filter(|x| b.contains(*x)) {
                        assert!(m.contains(x));
                    }
                }
            }
        }
    }
}

#[test]
fn one_operand_and_changes_of_width() {
    for a in some(4) {
        for x in members(a) {
            assert!(a.not().contains(!x) && a.abs().contains(x.abs()), "{a:?}");
            assert!(a.truncated(2).contains(x), "{a:?}");
            assert!(a.extended(9, true).contains(x), "{a:?}");
            assert!(a.extended(9, false).contains(unsigned(4, x)), "{a:?}");
            assert!(a.mul_wide(a, true).contains(x * x), "{a:?}");
            let u = unsigned(4, x);
            assert!(a.mul_wide(a, false).contains(u * u), "{a:?}");
        }
        assert!(a.extended(9, true).fits_signed(4));
        assert!(a.extended(9, false).fits_unsigned(4));
    }
    let wide = Range::signed(32, -300, 70_000);
    assert_eq!(wide.saturated(true, Ty::S16).smin(), -300);
    assert_eq!(wide.saturated(true, Ty::U8).umax(), 255);
}

#[test]
fn precise_where_it_matters() {
    let tid = Range::unsigned(32, 0, 1023);
    let block = Range::unsigned(32, 0, 65534);
    let first = block.mul_wide(Range::constant(32, 1024), false);
    assert_eq!(first.umax(), 65534 * 1024);
    let at = first.add(tid.extended(64, false));
    assert!(at.fits_signed(32) && at.is_nonnegative());
    assert_eq!(tid.and(Range::constant(32, 31)).umax(), 31);
    assert_eq!(tid.shr(5, 5, false).umax(), 31);
    assert_eq!(tid.rem(Range::constant(32, 7), true).smax(), 6);
    // The largest interval that fits, and one more.
    let top = Range::signed(64, 0, i64::MAX - 1).add(Range::constant(64, 1));
    assert_eq!(top.smin(), 1);
    assert!(
        !Range::signed(64, 0, i64::MAX)
            .add(Range::constant(64, 1))
            .is_nonnegative()
    );
}

#[test]
fn widening_stops_at_thresholds() {
    let old = Range::signed(32, 0, 1);
    let new = Range::signed(32, 0, 2);
    assert_eq!(new.widened(old, &[-1, 0, 15, 16]).smax(), 15);
    assert_eq!(new.widened(old, &[]).smax(), i64::from(i32::MAX));
    let down = Range::signed(32, -1, 1);
    assert_eq!(down.widened(old, &[-4, 0]).smin(), -4);
}
