//! The text of data ops.

use super::clause::{Clause, OF_ENTER, OF_EXIT, OF_REGION, OF_UPDATE, STRUCTURED, clauses};
use super::is_structured;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Op, OpState, Value};

/// `copyin(%a : t, ...) create(...)`; where `named`, `%a as %d : t to t`, and the
/// arguments.
fn parse_clauses<'a>(
    p: &mut OpParser<'a>,
    state: &mut OpState,
    allowed: &[Clause],
    named: bool,
) -> PResult<Vec<Argument<'a>>> {
    let mut numbers = Vec::new();
    let mut args = Vec::new();
    while let Some(clause) = allowed.iter().find(|c| p.eat_keyword(c.word())) {
        p.expect(T::LParen)?;
        loop {
            let array = p.parse_operand()?;
            let name = match named {
                true => {
                    p.expect_keyword("as")?;
                    Some(p.parse_operand()?)
                }
                false => None,
            };
            p.expect(T::Colon)?;
            let ty = p.parse_type()?;
            if let Some(name) = name {
                p.expect_keyword("to")?;
                let to = p.parse_type()?;
                args.push(Argument::new(name, to));
            }
            let v = p.resolve(array, ty)?;
            state.operands.push(v);
            numbers.push(*clause as i32);
            if !p.eat(T::Comma) {
                break;
            }
        }
        p.expect(T::RParen)?;
    }
    if numbers.is_empty() {
        let words: Vec<&str> = allowed.iter().map(|c| c.word()).collect();
        return Err(p.expected(format!("expected a clause: {}", words.join(", "))));
    }
    let a = p.ctx.i32_array(&numbers);
    state.set_attr(p.ctx, "clauses", a);
    Ok(args)
}

fn parse_flag(p: &mut OpParser, state: &mut OpState, name: &'static str) -> bool {
    let found = p.eat_keyword(name);
    if found {
        let unit = p.ctx.unit();
        state.set_attr(p.ctx, name, unit);
    }
    found
}

pub(super) fn parse_data(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let args = parse_clauses(p, state, OF_REGION, true)?;
    let body = p.parse_region(&args, false)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)
}

pub(super) fn parse_enter(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let allowed = match parse_flag(p, state, "structured") {
        true => STRUCTURED,
        false => OF_ENTER,
    };
    parse_clauses(p, state, allowed, false)?;
    p.parse_optional_attr_dict(state)
}

pub(super) fn parse_exit(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let allowed = match parse_flag(p, state, "structured") {
        true => STRUCTURED,
        false => OF_EXIT,
    };
    parse_clauses(p, state, allowed, false)?;
    parse_flag(p, state, "finalize");
    p.parse_optional_attr_dict(state)
}

pub(super) fn parse_update(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    parse_clauses(p, state, OF_UPDATE, false)?;
    parse_flag(p, state, "if_present");
    p.parse_optional_attr_dict(state)
}

/// The clauses, equal ones that follow each other as one; with the buffers of a region.
fn print_list(p: &mut Printer, op: Op, buffers: Option<&[Value]>) {
    let ctx = p.ctx;
    let mut last = None;
    for (i, (array, clause)) in clauses(ctx, op).into_iter().enumerate() {
        match last == Some(clause) {
            true => p.write(", "),
            false => {
                if last.is_some() {
                    p.write(")");
                }
                p.fmt(format_args!(" {}(", clause.word()));
            }
        }
        last = Some(clause);
        p.value(array);
        let buffer = buffers.and_then(|b| b.get(i).copied());
        if let Some(b) = buffer {
            p.write(" as ");
            p.value(b);
        }
        p.write(" : ");
        p.ty(array.ty(ctx));
        if let Some(b) = buffer {
            p.write(" to ");
            p.ty(b.ty(ctx));
        }
    }
    if last.is_some() {
        p.write(")");
    }
}

pub(super) fn print_data(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let entry = op.region(ctx, 0).entry(ctx);
    let buffers = entry.map(|b| b.args(ctx)).unwrap_or_default();
    print_list(p, op, Some(&buffers));
    p.write(" ");
    p.region(op.region(ctx, 0), false, false);
    p.attr_dict(op, &["clauses"], false);
}

pub(super) fn print_clauses(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    if is_structured(ctx, op) {
        p.write(" structured");
    }
    print_list(p, op, None);
    for flag in ["finalize", "if_present"] {
        if op.attr(ctx, flag).is_some() {
            p.fmt(format_args!(" {flag}"));
        }
    }
    let flags = ["clauses", "structured", "finalize", "if_present"];
    p.attr_dict(op, &flags, false);
}
