//! `gpu.warp_execute_on_lane_0`: code for one lane of a subgroup.

use super::sync::YieldOp;
use terrace_ir::constraint::{ANY, I64_ATTR, INDEX};
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpState, Type, op};

op! {
    /// Runs its body on the lane with id 0 only. Vectors that go in are pieces, one
    /// of each lane, and whole inside; vectors that come out are given out in pieces.
    WarpExecuteOnLane0Op = "gpu.warp_execute_on_lane_0" {
        operands: [laneid: INDEX, args: ANY.variadic()],
        results: [results: ANY.variadic()],
        attrs: [warp_size: I64_ATTR],
        regions: [warpRegion: OneBlock],
        traits: SINGLE_BLOCK | RECURSIVE_EFFECTS,
        implicit_terminator: "gpu.yield",
        custom: (parse, print),
        verify_regions: verify,
    }
}

fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    p.expect(T::LParen)?;
    let lane = p.parse_operand()?;
    p.expect(T::RParen)?;
    p.expect(T::LSquare)?;
    let size = p.parse_i64()?;
    p.expect(T::RSquare)?;
    let size = p.ctx.i64_attr(size);
    state.set_attr(p.ctx, "warp_size", size);
    let index = p.ctx.index();
    let lane = p.resolve(lane, index)?;
    state.operands.push(lane);
    if p.eat_keyword("args") {
        p.expect(T::LParen)?;
        let pos = p.pos();
        let args = p.parse_operand_list()?;
        let types = p.parse_colon_type_list()?;
        p.expect(T::RParen)?;
        state
            .operands
            .extend(p.resolve_operands(&args, &types, pos)?);
    }
    state.result_types = p.parse_optional_arrow_types()?;
    let body = p.parse_region(&[], false)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let operands = op.operands(ctx);
    p.write("(");
    p.value(operands[0]);
    p.fmt(format_args!(
        ")[{}]",
        op.int_attr(ctx, "warp_size").unwrap_or(0)
    ));
    if operands.len() > 1 {
        p.write(" args(");
        p.values(&operands[1..]);
        p.write(" : ");
        p.types(&op.operand_types(ctx)[1..]);
        p.write(")");
    }
    let results = op.result_types(ctx);
    if !results.is_empty() {
        p.write(" -> (");
        p.types(&results);
        p.write(")");
    }
    p.write(" ");
    p.region(op.region(ctx, 0), true, !results.is_empty());
    p.attr_dict(op, &["warp_size"], false);
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let Some(body) = op.region(ctx, 0).entry(ctx) else {
        return Ok(());
    };
    let args = &op.operand_types(ctx)[1..];
    if body.num_args(ctx) != args.len() {
        return Err("expected same number op arguments and block arguments.".into());
    }
    let Some(y) = body.last_op(ctx).filter(|o| o.isa::<YieldOp>(ctx)) else {
        return Ok(());
    };
    let results = op.result_types(ctx);
    if y.num_operands(ctx) != results.len() {
        return Err("expected same number of yield operands and return values.".into());
    }
    let size = op.int_attr(ctx, "warp_size").unwrap_or(0);
    let inside = body.arg_types(ctx).into_iter().chain(y.operand_types(ctx));
    for (whole, piece) in inside.zip(args.iter().copied().chain(results)) {
        verify_distributed(ctx, whole, piece, size)?;
    }
    Ok(())
}

/// `piece` is what each of `warp_size` lanes has of `whole`.
fn verify_distributed(ctx: &Context, whole: Type, piece: Type, warp_size: i64) -> Verified {
    if whole == piece {
        return Ok(());
    }
    if !whole.is_vector(ctx) || !piece.is_vector(ctx) {
        return Err("expected vector type for distributed operands.".into());
    }
    let (w, d) = (
        whole.shape(ctx).unwrap_or(&[]),
        piece.shape(ctx).unwrap_or(&[]),
    );
    if w.len() != d.len() || whole.element(ctx) != piece.element(ctx) {
        return Err("expected distributed vectors to have same rank and element type.".into());
    }
    let mut lanes: i64 = 1;
    for (i, (w, d)) in w.iter().zip(d).enumerate() {
        if *d == 0 || w % d != 0 {
            return Err(format!(
                "expected expanded vector dimension #{i} ({w}) to be a multipler of the distributed vector dimension ({d})"
            )
            .into());
        }
        lanes = lanes.saturating_mul(w / d);
    }
    if lanes != warp_size {
        return Err(format!(
            "incompatible distribution dimensions from '{}' to '{}' with warp size = {warp_size}",
            ctx.type_text(whole),
            ctx.type_text(piece)
        )
        .into());
    }
    Ok(())
}
