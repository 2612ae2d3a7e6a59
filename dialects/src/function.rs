//! The syntax that function-like ops share: `@name(%a: t {attrs}) -> (t {attrs})`.

use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, OpParser, PResult, Parser};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, Context, Op, OpState, Str, Type};

/// A parsed signature.
pub struct Signature<'a> {
    /// The parameters.
    pub args: Vec<Argument<'a>>,
    /// Whether `...` ends the parameters.
    pub variadic: bool,
    /// Types of what is returned.
    pub results: Vec<Type>,
    /// A dictionary for each result, mostly empty.
    pub result_attrs: Vec<Vec<(Str, Attr)>>,
}

impl Signature<'_> {
    /// Types of the parameters.
    pub fn inputs(&self) -> Vec<Type> {
        self.args.iter().filter_map(|a| a.ty).collect()
    }
}

/// `(arguments) -> results`. Arguments are all named or all only typed.
pub fn parse_signature<'a>(p: &mut Parser<'a>, allow_variadic: bool) -> PResult<Signature<'a>> {
    let mut s = Signature {
        args: Vec::new(),
        variadic: false,
        results: Vec::new(),
        result_attrs: Vec::new(),
    };
    p.parse_list(T::LParen, T::RParen, |p| {
        if s.variadic {
            return Err(p.error_here("variadic arguments must be in the end of the argument list"));
        }
        if allow_variadic && p.eat(T::Ellipsis) {
            s.variadic = true;
            return Ok(());
        }
        let named = s.args.first().map(|a| a.name.is_some());
        if p.at(T::PercentIdentifier) {
            if named == Some(false) {
                return Err(p.error_here("expected type instead of SSA identifier"));
            }
            s.args.push(p.parse_argument(true, true)?);
            return Ok(());
        }
        if named == Some(true) {
            return Err(p.error_here("expected SSA identifier"));
        }
        let ty = p.parse_type()?;
        let mut a = Parser::unnamed_argument(ty);
        if p.at(T::LBrace) {
            a.attrs = p.parse_attr_dict_entries()?;
        }
        p.parse_argument_location(&mut a)?;
        s.args.push(a);
        Ok(())
    })?;
    if p.eat(T::Arrow) {
        if p.at(T::LParen) {
            p.parse_list(T::LParen, T::RParen, |p| {
                s.results.push(p.parse_type()?);
                let attrs = if p.at(T::LBrace) {
                    p.parse_attr_dict_entries()?
                } else {
                    Vec::new()
                };
                s.result_attrs.push(attrs);
                Ok(())
            })?;
        } else {
            s.results.push(p.parse_type()?);
            s.result_attrs.push(Vec::new());
        }
    }
    Ok(s)
}

/// Record argument and result attributes, where there are any.
pub(crate) fn set_arg_attrs(ctx: &Context, state: &mut OpState, s: &Signature) {
    let dicts = |lists: Vec<&Vec<(Str, Attr)>>| {
        if lists.iter().all(|l| l.is_empty()) {
            return None;
        }
        let v = lists
            .into_iter()
            .map(|l| ctx.dict_attr(l.iter().copied()))
            .collect();
        Some(ctx.array_attr(v))
    };
    if let Some(a) = dicts(s.args.iter().map(|a| &a.attrs).collect()) {
        state.set_attr(ctx, "arg_attrs", a);
    }
    if let Some(a) = dicts(s.result_attrs.iter().collect()) {
        state.set_attr(ctx, "res_attrs", a);
    }
}

/// A whole function-like op: visibility, name, signature, attributes, body.
pub(crate) fn parse_function(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    for v in ["public", "private", "nested"] {
        if p.eat_keyword(v) {
            let a = p.ctx.string_attr(v);
            state.set_attr(p.ctx, "sym_visibility", a);
            break;
        }
    }
    let name = p.parse_symbol_name()?;
    let a = p.ctx.string_attr(&name);
    state.set_attr(p.ctx, "sym_name", a);
    let s = parse_signature(p, false)?;
    let ty = p.ctx.function_type(&s.inputs(), &s.results);
    let ty = p.ctx.type_attr(ty);
    state.set_attr(p.ctx, "function_type", ty);
    let pos = p.pos();
    let entries = match p.eat_keyword("attributes") {
        true => p.parse_attr_dict_entries()?,
        false => Vec::new(),
    };
    for (k, a) in entries {
        let name = p.ctx.str(k);
        if matches!(name, "sym_name" | "sym_visibility" | "function_type") {
            let m = format!(
                "'{name}' is an inferred attribute and should not be specified in the explicit attribute dictionary"
            );
            return Err(p.error(pos, m));
        }
        state.attrs.push((k, a));
    }
    set_arg_attrs(p.ctx, state, &s);
    if p.at(T::LBrace) {
        let pos = p.pos();
        let body = p.parse_region(&s.args, true)?;
        let region = body.region(p.ctx);
        state.regions.push(Some(body));
        if region.is_empty(p.ctx) {
            return Err(p.error(pos, "expected non-empty function body"));
        }
    } else {
        state.regions.push(None);
    }
    Ok(())
}

/// Input and result types of a function-like op.
pub fn types_of(ctx: &Context, op: Op) -> (&[Type], &[Type]) {
    op.attr(ctx, "function_type")
        .and_then(|a| a.as_type(ctx))
        .and_then(|t| t.function_parts(ctx))
        .unwrap_or((&[], &[]))
}

/// The attributes of argument `i`.
pub fn arg_attrs(ctx: &Context, op: Op, i: usize) -> &[(Str, Attr)] {
    indexed_attrs(ctx, op, "arg_attrs", i)
}

/// The attributes of result `i`.
pub(crate) fn result_attrs(ctx: &Context, op: Op, i: usize) -> &[(Str, Attr)] {
    indexed_attrs(ctx, op, "res_attrs", i)
}

fn indexed_attrs<'c>(ctx: &'c Context, op: Op, name: &str, i: usize) -> &'c [(Str, Attr)] {
    op.attr(ctx, name)
        .and_then(|a| a.as_array(ctx))
        .and_then(|v| v.get(i))
        .and_then(|a| a.as_dict(ctx))
        .unwrap_or(&[])
}

/// The value of attribute `name` on argument `i`.
pub fn arg_attr(ctx: &Context, op: Op, i: usize, name: &str) -> Option<Attr> {
    arg_attrs(ctx, op, i)
        .iter()
        .find(|(k, _)| ctx.str(*k) == name)
        .map(|(_, a)| *a)
}

/// `(%a: t {attrs}) -> (t {attrs})`.
pub(crate) fn print_signature(p: &mut Printer, op: Op, variadic: bool) {
    let ctx = p.ctx;
    let (inputs, results) = types_of(ctx, op);
    let entry = op.regions(ctx).first().and_then(|r| r.entry(ctx));
    p.write("(");
    for (i, t) in inputs.iter().enumerate() {
        if i > 0 {
            p.write(", ");
        }
        match entry {
            Some(b) if i < b.num_args(ctx) => {
                let v = b.arg(ctx, i);
                p.value(v);
                p.write(": ");
                p.ty(*t);
                optional_dict(p, arg_attrs(ctx, op, i));
                p.argument_loc(v);
            }
            _ => {
                p.ty(*t);
                optional_dict(p, arg_attrs(ctx, op, i));
            }
        }
    }
    if variadic {
        p.write(if inputs.is_empty() { "..." } else { ", ..." });
    }
    p.write(")");
    if results.is_empty() {
        return;
    }
    p.write(" -> ");
    let plain = results.len() == 1
        && results[0].function_parts(ctx).is_none()
        && result_attrs(ctx, op, 0).is_empty();
    if plain {
        p.ty(results[0]);
        return;
    }
    p.write("(");
    for (i, t) in results.iter().enumerate() {
        if i > 0 {
            p.write(", ");
        }
        p.ty(*t);
        optional_dict(p, result_attrs(ctx, op, i));
    }
    p.write(")");
}

fn optional_dict(p: &mut Printer, attrs: &[(Str, Attr)]) {
    if !attrs.is_empty() {
        p.write(" ");
        p.dict(attrs);
    }
}

/// The counterpart of `parse_function`.
pub fn print_function(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.write(" ");
    if let Some(v) = op.str_attr(ctx, "sym_visibility") {
        p.write(v);
        p.write(" ");
    }
    p.symbol(op.symbol_name(ctx).unwrap_or(""));
    print_signature(p, op, false);
    p.attr_dict(
        op,
        &[
            "sym_name",
            "sym_visibility",
            "function_type",
            "arg_attrs",
            "res_attrs",
        ],
        true,
    );
    let body = op.region(ctx, 0);
    if !body.is_empty(ctx) {
        p.write(" ");
        p.region(body, false, true);
    }
}
