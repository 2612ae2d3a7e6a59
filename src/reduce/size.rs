//! How large a module is: what every step of reducing makes less.

use crate::ir::{Context, Op, Value};
use std::collections::HashMap;

/// The parts of a module, then its text. Sizes are compared in the order of the fields,
/// so that no sequence of steps that each make it less goes on for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Ops, blocks, arguments, results, operands and attributes; a constant is one part.
    parts: usize,
    bytes: usize,
    /// The sum of the numbers in the text.
    numbers: u128,
    /// The sum of the places at which operands are defined.
    places: usize,
}

impl Size {
    pub fn of(ctx: &Context, module: Op, text: &str) -> Size {
        let mut parts = 0;
        let mut places: HashMap<Value, usize> = HashMap::new();
        let ops = module.pre_order(ctx);
        for op in &ops {
            for block in op.blocks(ctx) {
                parts += 1 + block.num_args(ctx);
                for v in block.args(ctx) {
                    places.insert(v, places.len());
                }
            }
            let results = op.results(ctx);
            parts += match ctx.constant_value(*op) {
                // No more than an argument or an operand in whose place it stands.
                Some(_) => 1,
                None => 1 + op.num_operands(ctx) + results.len() + op.attrs(ctx).len(),
            };
            for v in results {
                places.insert(v, places.len());
            }
        }
        let operands = ops.iter().flat_map(|op| op.operands(ctx));
        Size {
            parts,
            bytes: text.len(),
            numbers: numbers(text),
            places: operands.filter_map(|v| places.get(&v)).sum(),
        }
    }
}

/// The sum of the numbers in a text that are not parts of names.
fn numbers(text: &str) -> u128 {
    let bytes = text.as_bytes();
    let mut sum = 0u128;
    let mut i = 0;
    while i < bytes.len() {
        if !bytes[i].is_ascii_digit() {
            i += 1;
            continue;
        }
        let begin = i;
        while i < bytes.len() && bytes[i].is_ascii_digit() {
            i += 1;
        }
        // The `x` in `4x8xf32` is no name.
        let mut before = bytes[..begin].iter().rev();
        let in_shape = matches!(before.clone().next(), Some(b'x'))
            && matches!(before.clone().nth(1), Some(c) if c.is_ascii_digit() || *c == b'?');
        let in_name = before
            .next()
            .is_some_and(|c| c.is_ascii_alphanumeric() || b"_%#@^!".contains(c));
        if in_shape || !in_name {
            sum = sum.saturating_add(text[begin..i].parse().unwrap_or(u128::MAX));
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn names_have_no_numbers() {
        assert_eq!(numbers("%12 = f.op2 %arg3 : i32, f64 #map1 @g9 ^bb4"), 0);
        assert_eq!(numbers("memref<4x?x8xf32>, 3 : i32, [5, -6]"), 26);
    }
}
