//! `affine.for`: text, and what must hold.

use super::ForOp;
use super::for_op::{is_lone_symbol, segments};
use super::scope::verify_operands;
use super::syntax::{at_name, parse_dims_and_symbols};
use terrace_ir::affine::AffineMap;
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, Value};

/// `%i = LOWER to UPPER step N iter_args(%x = %a) -> (t) { ... } {attributes}`.
pub(super) fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let index = p.ctx.index();
    let mut iv = p.parse_argument(false, false)?;
    iv.ty = Some(index);
    p.expect(T::Equal)?;
    let lower = parse_bound(p, state, true)?;
    if !p.eat_keyword("to") {
        return Err(p.expected("expected 'to' between bounds"));
    }
    let upper = parse_bound(p, state, false)?;
    let mut step = p.ctx.index_attr(1);
    if p.eat_keyword("step") {
        let pos = p.pos();
        step = p.parse_attr_of(Some(index))?;
        match step.as_int(p.ctx) {
            None => return Err(p.error(pos, "invalid kind of attribute specified")),
            Some(v) if v.is_negative() => {
                let m = "expected step to be representable as a positive signed integer";
                return Err(p.error(pos, m));
            }
            Some(_) => {}
        }
    }
    state.set_attr(p.ctx, "step", step);

    let mut args: Vec<Argument> = vec![iv];
    let mut inits = Vec::new();
    if p.eat_keyword("iter_args") {
        p.parse_list(T::LParen, T::RParen, |p| {
            args.push(p.parse_argument(false, false)?);
            p.expect(T::Equal)?;
            inits.push(p.parse_operand()?);
            Ok(())
        })?;
        p.expect(T::Arrow)?;
        state.result_types = p.parse_function_result_types()?;
        for ((arg, init), ty) in args[1..].iter_mut().zip(&inits).zip(&state.result_types) {
            arg.ty = Some(*ty);
            let v = p.resolve(*init, *ty)?;
            state.operands.push(v);
        }
    }
    let sizes = segments(p.ctx, &[lower, upper, inits.len()]);
    state.set_attr(p.ctx, "operandSegmentSizes", sizes);
    if inits.len() != state.result_types.len() {
        let m = "mismatch between the number of loop-carried values and results";
        return Err(at_name(p, state, m));
    }
    let body = p.parse_region(&args, false)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)
}

/// A bound: a constant, a value, or a map and its operands, with `max` or `min`
/// before a map of several results. Returns the number of operands.
fn parse_bound(p: &mut OpParser, state: &mut OpState, is_lower: bool) -> PResult<usize> {
    let (name, prefix) = if is_lower {
        ("lowerBoundMap", "max")
    } else {
        ("upperBoundMap", "min")
    };
    let prefixed = p.eat_keyword(prefix);
    let index = p.ctx.index();
    if p.at(T::PercentIdentifier) {
        let list = p.parse_operand_list()?;
        if list.len() > 1 {
            return Err(at_name(p, state, "expected only one loop bound operand"));
        }
        state.operands.extend(p.resolve_all(&list, index)?);
        let map = p.ctx.map_attr(AffineMap::symbol_identity());
        state.set_attr(p.ctx, name, map);
        return Ok(1);
    }
    let pos = p.pos();
    let a = p.parse_attr_of(Some(index))?;
    if let Some(map) = a.as_map(p.ctx).cloned() {
        let (operands, dims) = parse_dims_and_symbols(p)?;
        if map.num_dims() as usize != dims {
            let m = "dim operand count and affine map dim count must match";
            return Err(at_name(p, state, m));
        }
        if map.num_inputs() != operands.len() {
            let m = "symbol operand count and affine map symbol count must match";
            return Err(at_name(p, state, m));
        }
        if map.num_results() > 1 && !prefixed {
            let which = if is_lower { "lower" } else { "upper" };
            let m = format!(
                "{which} loop bound affine map with multiple results requires '{prefix}' prefix"
            );
            return Err(p.error(pos, m));
        }
        state.set_attr(p.ctx, name, a);
        state.operands.extend(&operands);
        return Ok(operands.len());
    }
    if let Some(v) = a.as_i64(p.ctx) {
        let map = p.ctx.map_attr(AffineMap::constant(v));
        state.set_attr(p.ctx, name, map);
        return Ok(0);
    }
    Err(at_name(
        p,
        state,
        "expected valid affine map representation for loop bounds",
    ))
}

pub(super) fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let f = ForOp::wrap(op);
    let Some(body) = op.region(ctx, 0).entry(ctx) else {
        return;
    };
    let args = body.args(ctx);
    p.write(" ");
    if let Some(iv) = args.first() {
        p.value(*iv);
        p.argument_loc(*iv);
    }
    p.write(" = ");
    print_bound(
        p,
        op,
        "lowerBoundMap",
        f.lower_map(ctx),
        &f.lower_operands(ctx),
        "max",
    );
    p.write(" to ");
    print_bound(
        p,
        op,
        "upperBoundMap",
        f.upper_map(ctx),
        &f.upper_operands(ctx),
        "min",
    );
    if f.step(ctx) != 1 {
        p.fmt(format_args!(" step {}", f.step(ctx)));
    }
    let inits = f.inits(ctx);
    if !inits.is_empty() {
        p.write(" iter_args(");
        let pairs: Vec<(Value, Value)> = args
            .iter()
            .skip(1)
            .copied()
            .zip(inits.iter().copied())
            .collect();
        p.list(&pairs, |p, (arg, init)| {
            p.value(arg);
            p.write(" = ");
            p.value(init);
        });
        p.write(") -> (");
        p.types(&op.result_types(ctx));
        p.write(")");
    }
    p.write(" ");
    p.region(op.region(ctx, 0), false, !inits.is_empty());
    p.attr_dict(
        op,
        &[
            "lowerBoundMap",
            "upperBoundMap",
            "step",
            "operandSegmentSizes",
        ],
        false,
    );
}

fn print_bound(
    p: &mut Printer,
    op: Op,
    name: &str,
    map: &AffineMap,
    operands: &[Value],
    prefix: &str,
) {
    if map.num_results() == 1 {
        if map.num_inputs() == 0
            && let Some(c) = map.single_constant()
        {
            return p.fmt(format_args!("{c}"));
        }
        if is_lone_symbol(map)
            && let [v] = operands
        {
            return p.value(*v);
        }
    } else {
        p.write(prefix);
        p.write(" ");
    }
    if let Some(a) = op.attr(p.ctx, name) {
        p.attr(a);
    }
    p.dims_and_symbols(operands, map.num_dims() as usize);
}

pub(super) fn verify(ctx: &Context, op: Op) -> Verified {
    let f = ForOp::wrap(op);
    let args = f.body(ctx).arg_types(ctx);
    if args.first().is_none_or(|t| !t.is_index(ctx)) {
        return Err(
            "expected body to have a single index argument for the induction variable".into(),
        );
    }
    for (map, operands, which) in [
        (f.lower_map(ctx), f.lower_operands(ctx), "lower"),
        (f.upper_map(ctx), f.upper_operands(ctx), "upper"),
    ] {
        if map.num_inputs() != operands.len() {
            return Err(format!(
                "expected {} {which} bound operands for the {which} bound map, but found {}",
                map.num_inputs(),
                operands.len()
            )
            .into());
        }
        verify_operands(ctx, op, &operands, map.num_dims())?;
    }
    if f.lower_map(ctx).num_results() == 0 {
        return Err("expected lower bound map to have at least one result".into());
    }
    if f.upper_map(ctx).num_results() == 0 {
        return Err("expected upper bound map to have at least one result".into());
    }
    let results = op.num_results(ctx);
    if f.inits(ctx).len() != results {
        return Err("mismatch between the number of loop-carried values and results".into());
    }
    if args.len() - 1 != results {
        return Err("mismatch between the number of basic block args and results".into());
    }
    // Upstream leaves these to whatever uses the loop next.
    let inits = f.inits(ctx);
    for (i, r) in op.result_types(ctx).into_iter().enumerate() {
        if inits[i].ty(ctx) != r || args[i + 1] != r {
            return Err(format!(
                "type mismatch between loop-carried value {i} and result: '{}' and '{}'",
                ctx.type_text(if inits[i].ty(ctx) != r {
                    inits[i].ty(ctx)
                } else {
                    args[i + 1]
                }),
                ctx.type_text(r)
            )
            .into());
        }
    }
    if f.step(ctx) <= 0 {
        return Err("expected step to be representable as a positive signed integer".into());
    }
    Ok(())
}
