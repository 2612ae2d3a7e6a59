//! Pieces of text that several structured ops share.

use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, PResult, Parser, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Type, Value};

/// `(%a = %x, %b = %y)`: region arguments with the operands they start from.
pub(super) fn parse_assignments<'a>(
    p: &mut Parser<'a>,
) -> PResult<(Vec<Argument<'a>>, Vec<UnresolvedOperand<'a>>)> {
    let (mut args, mut operands) = (Vec::new(), Vec::new());
    p.parse_list(T::LParen, T::RParen, |p| {
        args.push(p.parse_argument(false, false)?);
        p.expect(T::Equal)?;
        operands.push(p.parse_operand()?);
        Ok(())
    })?;
    Ok((args, operands))
}

/// `PREFIX(%a = %x, %b = %y)`, or nothing.
pub(super) fn print_assignments(p: &mut Printer, prefix: &str, args: &[Value], inits: &[Value]) {
    if inits.is_empty() {
        return;
    }
    p.write(prefix);
    p.write("(");
    let pairs: Vec<(Value, Value)> = args.iter().copied().zip(inits.iter().copied()).collect();
    p.list(&pairs, |p, (a, i)| {
        p.value(a);
        p.write(" = ");
        p.value(i);
    });
    p.write(")");
}

/// `(%i, %j)`: induction variables, all of type `ty`.
pub(super) fn parse_ivs<'a>(p: &mut Parser<'a>, ty: Type) -> PResult<Vec<Argument<'a>>> {
    let mut ivs = Vec::new();
    p.parse_list(T::LParen, T::RParen, |p| {
        let mut a = p.parse_argument(false, false)?;
        a.ty = Some(ty);
        ivs.push(a);
        Ok(())
    })?;
    Ok(ivs)
}

/// `-> (types)`, or `-> type`.
pub(super) fn parse_arrow_types(p: &mut Parser) -> PResult<Vec<Type>> {
    p.expect(T::Arrow)?;
    p.parse_function_result_types()
}

/// ` -> (types)`, always in parentheses.
pub(super) fn print_arrow_list(p: &mut Printer, types: &[Type]) {
    p.write(" -> (");
    p.types(types);
    p.write(")");
}

/// `(%a, 4, %b)`: values, and integers known now. The returned integers hold
/// [`DYNAMIC`] where a value stands.
pub(super) fn parse_index_list<'a>(
    p: &mut Parser<'a>,
) -> PResult<(Vec<UnresolvedOperand<'a>>, Vec<i64>)> {
    let (mut values, mut integers) = (Vec::new(), Vec::new());
    p.parse_list(T::LParen, T::RParen, |p| {
        if let Some(o) = p.parse_optional_operand()? {
            values.push(o);
            integers.push(DYNAMIC);
            return Ok(());
        }
        match p.parse_optional_i64()? {
            Some(v) => integers.push(v),
            None => return Err(p.expected("expected SSA value or integer")),
        }
        Ok(())
    })?;
    Ok((values, integers))
}

pub(super) fn print_index_list(p: &mut Printer, values: &[Value], integers: &[i64]) {
    p.write("(");
    let mut values = values.iter();
    p.list(integers, |p, i| match (i, values.as_slice().first()) {
        (DYNAMIC, Some(v)) => {
            values.next();
            p.value(*v);
        }
        _ => p.fmt(format_args!("{i}")),
    });
    p.write(")");
}
