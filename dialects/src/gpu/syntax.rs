//! Syntax that several ops share: `async [%t]` and memory attributions.

use super::types::async_token;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, Context, Op, OpState, Type, Value};

/// `async [%t, ...]`, both parts optional. Adds the dependencies to the operands and
/// returns the type of the token result, where there is one, and the number of
/// dependencies.
pub(crate) fn parse_async(p: &mut OpParser, state: &mut OpState) -> PResult<(Option<Type>, i32)> {
    let pos = p.pos();
    let token = async_token(p.ctx);
    let mut result = None;
    if p.eat_keyword("async") {
        if p.num_named_results() == 0 {
            return Err(p.op_error(pos, "needs to be named when marked 'async'"));
        }
        result = Some(token);
    }
    if !p.at(T::LSquare) {
        return Ok((result, 0));
    }
    let deps = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    let deps = p.resolve_all(&deps, token)?;
    let n = deps.len() as i32;
    state.operands.extend(deps);
    Ok((result, n))
}

/// The counterpart of [`parse_async`], a space first. As upstream's, it leaves that
/// space where there is nothing to print.
pub(crate) fn print_async(p: &mut Printer, op: Op) {
    p.write(" ");
    let token = token_of(p.ctx, op).is_some();
    if token {
        p.write("async");
    }
    let deps = op.operand_group(p.ctx, "asyncDependencies");
    if !deps.is_empty() {
        p.write(if token { " [" } else { "[" });
        p.values(&deps);
        p.write("]");
    }
}

/// The token that an asynchronous op gives.
pub(crate) fn token_of(ctx: &Context, op: Op) -> Option<Value> {
    op.result_group(ctx, "asyncToken").first().copied()
}

/// `keyword(%a : type, ...)`, or nothing. Returns how many it added.
pub(super) fn parse_attributions<'a>(
    p: &mut OpParser<'a>,
    keyword: &str,
    attrs: bool,
    args: &mut Vec<Argument<'a>>,
) -> PResult<usize> {
    let before = args.len();
    if p.eat_keyword(keyword) {
        p.parse_list(T::LParen, T::RParen, |p| {
            args.push(p.parse_argument(true, attrs)?);
            Ok(())
        })?;
    }
    Ok(args.len() - before)
}

/// ` keyword(%a : type {attrs}, ...)`, or nothing where there are none.
pub(super) fn print_attributions(p: &mut Printer, keyword: &str, values: &[Value], attrs: &[Attr]) {
    if values.is_empty() {
        return;
    }
    p.fmt(format_args!(" {keyword}("));
    for (i, v) in values.iter().enumerate() {
        if i > 0 {
            p.write(", ");
        }
        p.value(*v);
        p.write(" : ");
        p.ty(v.ty(p.ctx));
        if let Some(d) = attrs
            .get(i)
            .and_then(|a| a.as_dict(p.ctx))
            .filter(|d| !d.is_empty())
        {
            p.write(" ");
            p.dict(d);
        }
        p.argument_loc(*v);
    }
    p.write(")");
}

/// Attributions are memrefs in the memory space of their kind, or in one that a
/// target has numbered.
pub(super) fn verify_attributions(
    ctx: &Context,
    values: &[Value],
    space: i64,
) -> Result<(), String> {
    for v in values {
        let t = v.ty(ctx);
        if !t.is_memref(ctx) {
            return Err("expected memref type in attribution".into());
        }
        let found = t.memref_parts(ctx).and_then(|m| m.1);
        let found = found.and_then(|s| super::enums::ADDRESS_SPACE.value(ctx, s));
        if found.is_some_and(|f| f != space) {
            let word = super::enums::ADDRESS_SPACE
                .keyword(space)
                .unwrap_or_default();
            return Err(format!("expected memory space {word} in attribution"));
        }
    }
    Ok(())
}

/// The number of workgroup attributions that an op says it has.
pub(super) fn num_workgroup(ctx: &Context, op: Op) -> usize {
    op.int_attr(ctx, "workgroup_attributions")
        .and_then(|n| usize::try_from(n).ok())
        .unwrap_or(0)
}
