//! How counters of loops are compared and go on.

use crate::interp::error::Run;
use crate::interp::value::{Value, sign_extend, wrong};

/// The bits of an integer or index.
#[inline]
pub(super) fn bits(v: &Value) -> Run<u64> {
    match v {
        Value::Int { bits, .. } => Ok(*bits),
        Value::Index(i) => Ok(*i as u64),
        v => Err(wrong("an integer", v)),
    }
}

/// Whether the first number is less.
#[inline]
pub(super) fn below(a: &Value, b: &Value, unsigned: bool) -> Run<bool> {
    if unsigned {
        Ok(bits(a)? < bits(b)?)
    } else {
        Ok(a.i64()? < b.i64()?)
    }
}

/// `iv + step`; `None` where that does not fit.
#[inline]
pub(super) fn advance(iv: &Value, step: &Value, unsigned: bool) -> Run<Option<Value>> {
    Ok(match (iv, step) {
        (Value::Index(i), Value::Index(s)) if !unsigned => i.checked_add(*s).map(Value::Index),
        (Value::Index(i), Value::Index(s)) => (*i as u64)
            .checked_add(*s as u64)
            .map(|v| Value::Index(v as i64)),
        (Value::Int { width, bits }, Value::Int { bits: s, .. }) => {
            let sum = match unsigned {
                true => i128::from(*bits) + i128::from(*s),
                false => {
                    i128::from(sign_extend(*bits, *width)) + i128::from(sign_extend(*s, *width))
                }
            };
            let (low, high) = match unsigned {
                true => (0, 1i128 << width),
                false => (
                    -(1i128 << (width.max(&1) - 1)),
                    1i128 << (width.max(&1) - 1),
                ),
            };
            (low..high)
                .contains(&sum)
                .then(|| Value::int(*width, sum as u64))
        }
        (v, _) => return Err(wrong("an index or integer of at most 64 bits", v)),
    })
}
