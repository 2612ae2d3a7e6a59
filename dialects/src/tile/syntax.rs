//! Text that the ops of the dialect share.

use super::bounds::{Bound, bounds_of};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Op, OpState, Value};

/// The bounds of a tile before they are resolved.
#[derive(Default)]
pub(super) struct ParsedBounds<'a> {
    lowers: Vec<UnresolvedOperand<'a>>,
    uppers: Vec<UnresolvedOperand<'a>>,
}

/// `limits [%n, _, %a to %b]`, or nothing: what exists along each dimension.
pub(super) fn parse_bounds<'a>(
    p: &mut OpParser<'a>,
    state: &mut OpState,
) -> PResult<ParsedBounds<'a>> {
    let mut all = ParsedBounds::default();
    let (mut lower_dims, mut upper_dims) = (Vec::new(), Vec::new());
    if p.eat_keyword("limits") {
        let mut dim = 0;
        p.parse_list(T::LSquare, T::RSquare, |p| {
            if !p.eat_keyword("_") {
                let first = p.parse_operand()?;
                if p.eat_keyword("to") {
                    lower_dims.push(dim);
                    all.lowers.push(first);
                    if !p.eat_keyword("_") {
                        upper_dims.push(dim);
                        all.uppers.push(p.parse_operand()?);
                    }
                } else {
                    upper_dims.push(dim);
                    all.uppers.push(first);
                }
            }
            dim += 1;
            Ok(())
        })?;
    }
    let (lower, upper) = (p.ctx.i64_array(&lower_dims), p.ctx.i64_array(&upper_dims));
    state.set_attr(p.ctx, "lower_dims", lower);
    state.set_attr(p.ctx, "upper_dims", upper);
    Ok(all)
}

impl<'a> ParsedBounds<'a> {
    /// The operands, and how many they are of each group.
    pub fn resolve(self, p: &mut OpParser<'a>) -> PResult<(Vec<Value>, [i32; 2])> {
        let index = p.ctx.index();
        let sizes = [self.lowers.len() as i32, self.uppers.len() as i32];
        let mut all = p.resolve_all(&self.lowers, index)?;
        all.extend(p.resolve_all(&self.uppers, index)?);
        Ok((all, sizes))
    }
}

/// The bounds of `op`, a tile of so many dimensions, behind a space.
pub(super) fn print_bounds(p: &mut Printer, op: Op, rank: usize) {
    let bounds = bounds_of(p.ctx, op, rank);
    let Some(last) = bounds.iter().rposition(|b| !b.is_none()) else {
        return;
    };
    p.write(" limits [");
    p.list(&bounds[..=last], |p, b| print_bound(p, &b));
    p.write("]");
}

fn print_bound(p: &mut Printer, b: &Bound) {
    if let Some(v) = b.lower {
        p.value(v);
        p.write(" to ");
    }
    match b.upper {
        Some(v) => p.value(v),
        None => p.write("_"),
    }
}

/// Attributes that the text shows in another way.
pub(super) const SHOWN: &[&str] = &[
    "map",
    "kind",
    "axes",
    "lower_dims",
    "upper_dims",
    "operandSegmentSizes",
];
