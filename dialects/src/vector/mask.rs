//! Masks, `vector.mask`, `vector.yield` and `vector.print`.

use super::attrs::{PUNCTUATION, PUNCTUATION_ATTR};
use super::reduce::contract_mask;
use super::transfer::mask_type;
use super::types::{MASK, MASK_ANY_RANK, PRINTABLE, scalable, scalable_at, shape, vector_type};
use terrace_ir::constraint::{ANY, DENSE_I64, INDEX, STRING_ATTR};
use terrace_ir::opdef::{Effect, EffectKind, Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, Type, op};

op! {
    /// A mask that is set in the box from 0 to the given sizes.
    ConstantMaskOp = "vector.constant_mask" {
        results: [result: MASK_ANY_RANK],
        attrs: [mask_dim_sizes: DENSE_I64],
        traits: PURE,
        format: "$mask_dim_sizes attr-dict `:` type(results)",
        verify: verify_constant_mask,
        canonicalize: super::canonicalize::constant_mask,
    }

    /// A mask that is set in the box from 0 to the given sizes.
    CreateMaskOp = "vector.create_mask" {
        operands: [operands: INDEX.variadic()],
        results: [result: MASK_ANY_RANK],
        traits: PURE,
        format: "$operands attr-dict `:` type(results)",
        verify: verify_create_mask,
        canonicalize: super::canonicalize::create_mask,
    }

    /// One op that is done only where the mask is set; elsewhere its result is
    /// `passthru`.
    MaskOp = "vector.mask" {
        operands: [mask: MASK, passthru: ANY.optional()],
        results: [results: ANY.variadic()],
        regions: [maskRegion: OneBlock],
        traits: SINGLE_BLOCK | RECURSIVE_EFFECTS | NO_REGION_ARGUMENTS,
        custom: (parse_mask, print_mask),
        verify_regions: verify_mask,
        canonicalize: super::canonicalize::mask,
    }

    /// The values of a region of a `vector` op.
    YieldOp = "vector.yield" {
        operands: [operands: ANY.variadic()],
        traits: PURE | RETURN_LIKE | TERMINATOR,
        format: "attr-dict ($operands^ `:` type($operands))?",
    }

    /// Prints a value, a string or punctuation, for tests.
    PrintOp = "vector.print" {
        operands: [source: PRINTABLE.optional()],
        attrs: [
            punctuation: PUNCTUATION_ATTR.default(|c| PUNCTUATION.attr(c, 1)),
            stringLiteral: STRING_ATTR.optional(),
        ],
        custom: (parse_print, print_print),
        verify: verify_print,
        effects: |_, _| vec![Effect { kind: EffectKind::Write, on: None }],
    }
}

fn verify_constant_mask(ctx: &Context, op: Op) -> Verified {
    let t = op.result(ctx, 0).ty(ctx);
    let dims = shape(ctx, t);
    let sizes = op
        .attr(ctx, "mask_dim_sizes")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    if dims.is_empty() {
        return match sizes.as_slice() {
            [0 | 1] => Ok(()),
            [_] => Err(Invalid::plain(
                "mask dim size must be either 0 or 1 for 0-D vectors",
            )),
            _ => Err(Invalid::plain(
                "array attr must have length 1 for 0-D vectors",
            )),
        };
    }
    if sizes.len() != dims.len() {
        return Err("must specify array attr of size equal vector result rank".into());
    }
    for (i, (s, d)) in sizes.iter().zip(dims).enumerate() {
        if *s < 0 || s > d {
            return Err("array attr of size out of bounds of vector result dimension size".into());
        }
        if scalable_at(ctx, t, i) && *s != 0 && s != d {
            return Err("only supports 'none set' or 'all set' scalable dimensions".into());
        }
    }
    if sizes.contains(&0) && sizes.iter().any(|s| *s != 0) {
        return Err("expected all mask dim sizes to be zeros, as a result of conjunction with zero mask dim".into());
    }
    Ok(())
}

fn verify_create_mask(ctx: &Context, op: Op) -> Verified {
    let rank = shape(ctx, op.result(ctx, 0).ty(ctx)).len();
    let n = op.num_operands(ctx);
    if rank == 0 && n != 1 {
        return Err("must specify exactly one operand for 0-D create_mask".into());
    }
    if rank != 0 && n != rank {
        return Err("must specify an operand for each result vector dimension".into());
    }
    Ok(())
}

// ---- vector.mask ----

/// `%mask, %passthru { op } {attrs} : mask -> results`. A terminator that yields the
/// op's results may be left out.
fn parse_mask(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let mask = p.parse_operand()?;
    let passthru = if p.eat(T::Comma) {
        Some(p.parse_operand()?)
    } else {
        None
    };
    let body = p.parse_region(&[], false)?;
    state.regions.push(Some(body));
    let region = body.region(p.ctx);
    let block = match region.entry(p.ctx) {
        Some(b) => b,
        None => region.add_block(p.ctx, &[]),
    };
    let last = block.last_op(p.ctx);
    let ended = last.is_some_and(|o| o.is_terminator(p.ctx));
    if !ended {
        let results = last.map(|o| o.results(p.ctx)).unwrap_or_default();
        let end = OpState::new(YieldOp::DEF, state.loc)
            .operands(&results)
            .create(p.ctx);
        block.push_back(p.ctx, end);
    }
    p.parse_optional_attr_dict(state)?;
    let pos = p.pos();
    let ty = p.parse_colon_type()?;
    state.result_types = p.parse_optional_arrow_types()?;
    state.operands.push(p.resolve(mask, ty)?);
    if let Some(o) = passthru {
        let Some(ty) = state.result_types.first().copied() else {
            return Err(p.op_error(pos, "expects a result if passthru operand is provided"));
        };
        state.operands.push(p.resolve(o, ty)?);
    }
    Ok(())
}

fn print_mask(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.write(" ");
    p.values(&op.operands(ctx));
    p.write(" { ");
    if let Some(first) = op.region(ctx, 0).entry(ctx).and_then(|b| b.first_op(ctx)) {
        p.inline_op(first);
    }
    p.write(" }");
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(op.operand(ctx, 0).ty(ctx));
    let results = op.result_types(ctx);
    if !results.is_empty() {
        p.write(" -> ");
        p.types(&results);
    }
}

/// The type that a mask around `op` must have: a flag for each element that it works
/// on.
fn expected_mask(ctx: &Context, op: Op) -> Option<Type> {
    let flags_of = |t: Type| vector_type(ctx, shape(ctx, t), ctx.i1(), &scalable(ctx, t));
    let map = || op.attr(ctx, "permutation_map")?.as_map(ctx);
    let group = |name| op.operand_group(ctx, name).first().map(|v| v.ty(ctx));
    match op.name(ctx) {
        "vector.contract" => contract_mask(ctx, op),
        "vector.reduction" | "vector.multi_reduction" => Some(flags_of(op.operand(ctx, 0).ty(ctx))),
        "vector.outerproduct" | "vector.gather" => Some(flags_of(op.result(ctx, 0).ty(ctx))),
        "vector.transfer_read" => Some(mask_type(ctx, op.result(ctx, 0).ty(ctx), map()?)),
        "vector.transfer_write" => Some(mask_type(ctx, group("valueToStore")?, map()?)),
        _ => None,
    }
}

/// The ops that a mask can be put around.
const MASKABLE: [&str; 7] = [
    "vector.contract",
    "vector.reduction",
    "vector.multi_reduction",
    "vector.outerproduct",
    "vector.transfer_read",
    "vector.transfer_write",
    "vector.gather",
];

fn verify_mask(ctx: &Context, op: Op) -> Verified {
    let Some(block) = op.region(ctx, 0).entry(ctx) else {
        return Ok(());
    };
    let ops = block.ops(ctx);
    let Some(end) = ops.last().filter(|o| o.isa::<YieldOp>(ctx)) else {
        return Err("expects a terminator within the mask region".into());
    };
    if ops.len() > 2 {
        return Err("expects only one operation to mask".into());
    }
    if end.num_operands(ctx) != op.num_results(ctx) {
        return Err("expects number of results to match mask region yielded values".into());
    }
    if ops.len() == 1 {
        return Ok(());
    }
    let masked = ops[0];
    if !MASKABLE.contains(&masked.name(ctx)) {
        return Err("expects a MaskableOpInterface within the mask region".into());
    }
    if masked.num_results(ctx) != op.num_results(ctx) {
        return Err(
            "expects number of results to match maskable operation number of results".into(),
        );
    }
    if masked.results(ctx) != end.operands(ctx) {
        return Err("expects all the results from the MaskableOpInterface to match all the values returned by the terminator".into());
    }
    if masked.result_types(ctx) != op.result_types(ctx) {
        return Err("expects result type to match maskable operation result type".into());
    }
    if let Some(want) = expected_mask(ctx, masked)
        && op.operand(ctx, 0).ty(ctx) != want
    {
        let want = ctx.type_text(want);
        return Err(format!("expects a '{want}' mask for the maskable operation").into());
    }
    if let Some(p) = op.operand_group(ctx, "passthru").first() {
        if masked.name(ctx) != "vector.transfer_read" {
            return Err("doesn't expect a passthru argument for this maskable operation".into());
        }
        match op.result_types(ctx).first() {
            None => return Err("expects result when passthru argument is provided".into()),
            Some(t) if *t != p.ty(ctx) => {
                return Err("expects passthru type to match result type".into());
            }
            _ => {}
        }
    }
    Ok(())
}

// ---- vector.print ----

fn parse_print(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    if let Some(o) = p.parse_optional_operand()? {
        let ty = p.parse_colon_type()?;
        let v = p.resolve(o, ty)?;
        state.operands.push(v);
    }
    loop {
        let pos = p.pos();
        let (name, value) = if p.eat_keyword("str") {
            let s = p.parse_attr()?;
            if s.as_str_lossy(p.ctx).is_none() {
                return Err(p.op_error(pos, "invalid kind of attribute specified"));
            }
            ("stringLiteral", s)
        } else if p.eat_keyword("punctuation") {
            ("punctuation", p.parse_attr_params("vector", "punctuation")?)
        } else {
            break;
        };
        if state.get_attr(p.ctx, name).is_some() {
            return Err(p.op_error(pos, "a clause of this kind is given twice"));
        }
        state.set_attr(p.ctx, name, value);
    }
    p.parse_optional_attr_dict(state)?;
    if state.get_attr(p.ctx, "punctuation").is_none() {
        state.set_attr(p.ctx, "punctuation", PUNCTUATION.attr(p.ctx, 1));
    }
    Ok(())
}

fn print_print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    if let Some(v) = op.operands(ctx).first() {
        p.write(" ");
        p.value(*v);
        p.write(" : ");
        p.ty(v.ty(ctx));
    }
    if let Some(s) = op.attr(ctx, "stringLiteral") {
        p.write(" str ");
        p.attr(s);
    }
    let mark = op
        .attr(ctx, "punctuation")
        .filter(|a| PUNCTUATION.value(ctx, *a) != Some(1));
    if let Some(a) = mark {
        p.write(" punctuation ");
        p.attr_params(a);
    }
    p.attr_dict(op, &["stringLiteral", "punctuation"], false);
}

fn verify_print(ctx: &Context, op: Op) -> Verified {
    let newline = op
        .attr(ctx, "punctuation")
        .and_then(|a| PUNCTUATION.value(ctx, a))
        == Some(1);
    if op.attr(ctx, "stringLiteral").is_some() && (op.num_operands(ctx) != 0 || !newline) {
        return Err(
            "failed to verify that `source` or `punctuation` are not set when printing strings"
                .into(),
        );
    }
    Ok(())
}
