//! Handles to results, which are picked by their positions.

use super::types::{HANDLE, VALUE_HANDLE};
use terrace_ir::constraint::{DENSE_I64, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpState, op};

op! {
    /// The results of ops at these positions, at all others, or all of them.
    GetResultOp = "transform.get_result" {
        operands: [target: HANDLE],
        results: [result: VALUE_HANDLE],
        attrs: [raw_position_list: DENSE_I64, is_inverted: UNIT_ATTR, is_all: UNIT_ATTR],
        custom: (parse, print),
        verify: verify,
    }
}

/// `%target[0, 1] {attrs} : (t) -> t`, or `[all]`, or `[except(0, 1)]` for the positions.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let pos = p.pos();
    let target = p.parse_operand()?;
    p.expect(T::LSquare)?;
    let unit = p.ctx.unit();
    let mut positions = Vec::new();
    if p.eat_keyword("all") {
        state.set_attr(p.ctx, "is_all", unit);
    } else {
        let inverted = p.eat_keyword("except");
        if inverted {
            state.set_attr(p.ctx, "is_inverted", unit);
            p.expect(T::LParen)?;
        }
        loop {
            positions.push(p.parse_i64()?);
            if !p.eat(T::Comma) {
                break;
            }
        }
        if inverted {
            p.expect(T::RParen)?;
        }
    }
    p.expect(T::RSquare)?;
    let positions = p.ctx.i64_array(&positions);
    state.set_attr(p.ctx, "raw_position_list", positions);
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let (inputs, results) = p.parse_signature()?;
    state.operands = p.resolve_operands(&[target], &inputs, pos)?;
    state.result_types = results;
    Ok(())
}

fn print(p: &mut Printer, op: Op) {
    let positions = op.attr(p.ctx, "raw_position_list");
    let positions = positions.and_then(|a| a.as_i64_array(p.ctx));
    let positions: Vec<String> = (positions.unwrap_or_default().iter())
        .map(ToString::to_string)
        .collect();
    let list = positions.join(", ");
    p.write(" ");
    p.value(op.operand(p.ctx, 0));
    let has = |name| op.attr(p.ctx, name).is_some();
    match (has("is_all"), has("is_inverted")) {
        (true, _) => p.write("[all]"),
        (false, true) => p.fmt(format_args!("[except({list})]")),
        (false, false) => p.fmt(format_args!("[{list}]")),
    }
    p.attr_dict(op, &["raw_position_list", "is_inverted", "is_all"], false);
    p.write(" : (");
    p.types(&op.operand_types(p.ctx));
    p.write(") -> ");
    p.types(&op.result_types(p.ctx));
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let positions = op.attr(ctx, "raw_position_list");
    let mut positions = positions
        .and_then(|a| a.as_i64_array(ctx))
        .map(|v| v.to_vec())
        .unwrap_or_default();
    let (all, inverted) = (
        op.attr(ctx, "is_all").is_some(),
        op.attr(ctx, "is_inverted").is_some(),
    );
    if all && inverted {
        return Err("cannot request both 'all' and 'inverted' values in the list".into());
    }
    if all && !positions.is_empty() {
        return Err("cannot both request 'all' and specific values in the list".into());
    }
    if !all && positions.is_empty() {
        return Err("must request specific values in the list if 'all' is not specified".into());
    }
    let count = positions.len();
    positions.sort_unstable();
    positions.dedup();
    match positions.len() == count {
        true => Ok(()),
        false => Err("expected the listed values to be unique".into()),
    }
}
