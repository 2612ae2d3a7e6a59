//! Extents in words: what the function of the extents computes, where loops have
//! iterations at all and it is short.

use terrace_dialects::arith;
use terrace_ir::{Context, Value};

use crate::analysis::source;

/// The longest text that is still easy to read, in bytes.
const MAX_BYTES: usize = 40;

/// A constant plus multiples of values by name.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Sum {
    constant: i64,
    terms: Vec<(String, i64)>,
}

/// How many elements there are from 0 on to `end`, which is not touched; `None` where
/// `low` is not 0, or there are no few words for it.
pub(super) fn count(ctx: &Context, low: Value, end: Value) -> Option<String> {
    let mut lows = Vec::new();
    leaves(ctx, low, arith::MinSIOp::NAME, &mut lows);
    let lows: Option<Vec<i64>> = lows.iter().map(|v| ctx.constant_int(*v)).collect();
    if lows?.into_iter().min() != Some(0) {
        return None;
    }
    // The end is `high + 1`.
    let high = end.def_op()?.operand(ctx, 0);
    let mut highs = Vec::new();
    leaves(ctx, high, arith::MaxSIOp::NAME, &mut highs);
    let mut most: Option<Sum> = None;
    // Single elements at the start lie within what has names.
    let is_short = |s: &Sum| s.terms.is_empty() && s.constant <= 1;
    for v in highs {
        let s = sum(ctx, v)?;
        most = Some(match most {
            None => s,
            Some(m) if m.terms == s.terms => Sum {
                constant: m.constant.max(s.constant),
                ..m
            },
            Some(m) if is_short(&s) => m,
            Some(m) if is_short(&m) => s,
            Some(_) => return None,
        });
    }
    let mut most = most?;
    most.constant = most.constant.checked_add(1)?;
    let text = text(&most);
    (text.len() <= MAX_BYTES && !text.contains("...")).then_some(text)
}

/// What a minimum or maximum is of, without what stands for no iterations.
fn leaves(ctx: &Context, v: Value, op: &str, out: &mut Vec<Value>) {
    let mut todo = vec![v];
    while let Some(v) = todo.pop() {
        let Some(def) = v.def_op() else {
            out.push(v);
            continue;
        };
        let operand = |i: usize| def.operand(ctx, i);
        if def.name(ctx) == op {
            todo.extend([operand(1), operand(0)]);
            continue;
        }
        let nothing = |v| matches!(ctx.constant_int(v), Some(i64::MAX | i64::MIN));
        match def.name(ctx) {
            arith::SelectOp::NAME if nothing(operand(1)) => todo.push(operand(2)),
            arith::SelectOp::NAME if nothing(operand(2)) => todo.push(operand(1)),
            _ => out.push(v),
        }
    }
}

/// The most parts of a sum that are looked at.
const MAX_PARTS: usize = 64;

fn sum(ctx: &Context, v: Value) -> Option<Sum> {
    let mut s = Sum::default();
    let mut todo = vec![(v, 1i64)];
    for _ in 0..MAX_PARTS {
        let Some((v, f)) = todo.pop() else {
            s.terms.retain(|(_, f)| *f != 0);
            s.terms.sort();
            return Some(s);
        };
        if let Some(c) = ctx.constant_int(v) {
            s.constant = s.constant.checked_add(c.checked_mul(f)?)?;
            continue;
        }
        let def = v.def_op();
        let operand = |i: usize| def.map(|o| o.operand(ctx, i));
        match def.map_or("", |o| o.name(ctx)) {
            arith::AddIOp::NAME => todo.extend([(operand(1)?, f), (operand(0)?, f)]),
            arith::MulIOp::NAME if ctx.constant_int(operand(1)?).is_some() => {
                let c = ctx.constant_int(operand(1)?)?;
                todo.push((operand(0)?, f.checked_mul(c)?));
            }
            _ => {
                let name = source::value(ctx, v);
                match s.terms.iter_mut().find(|(n, _)| *n == name) {
                    Some((_, c)) => *c = c.checked_add(f)?,
                    None => s.terms.push((name, f)),
                }
            }
        }
    }
    None
}

fn text(s: &Sum) -> String {
    let mut terms = s.terms.clone();
    terms.sort_by_key(|(_, f)| *f < 0);
    let mut out = String::new();
    for (name, f) in &terms {
        out.push_str(match (out.is_empty(), *f < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        });
        if f.unsigned_abs() != 1 {
            out.push_str(&format!("{} * ", f.unsigned_abs()));
        }
        out.push_str(name);
    }
    match (out.is_empty(), s.constant) {
        (true, c) => c.to_string(),
        (false, 0) => out,
        (false, c) if c < 0 => format!("{out} - {}", c.unsigned_abs()),
        (false, c) => format!("{out} + {c}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Sum, text};

    #[test]
    fn sums() {
        let sum = |constant, terms: &[(&str, i64)]| {
            let terms = terms.iter().map(|(n, f)| (n.to_string(), *f)).collect();
            text(&Sum { constant, terms })
        };
        assert_eq!(sum(3, &[]), "3");
        assert_eq!(sum(0, &[("n", 1)]), "n");
        assert_eq!(sum(-1, &[("m", -1), ("n", 2)]), "2 * n - m - 1");
        assert_eq!(sum(i64::MIN, &[("n", -1)]), "-n - 9223372036854775808");
    }
}
