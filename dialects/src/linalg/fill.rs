//! `linalg.fill` and the terminator of the computation that it stands for.

use terrace_ir::builder::RegionHolder;
use terrace_ir::constraint::{ANY, SHAPED, TypeConstraint};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, Type, op};

const TENSOR: TypeConstraint = crate::tensor::TENSOR;

op! {
    /// Every element of the output is the input. The region, which is not written, is
    /// the computation of one element.
    FillOp = "linalg.fill" {
        operands: [inputs: ANY.variadic(), outputs: SHAPED.variadic()],
        results: [result_tensors: TENSOR.variadic()],
        regions: [region: OneBlock],
        traits: ATTR_SIZED_OPERANDS | SINGLE_BLOCK,
        custom: (parse, print),
        verify: verify,
    }

    /// The end of a computation, with the elements it yields.
    YieldOp = "linalg.yield" {
        operands: [values: ANY.variadic()],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        format: "attr-dict ($values^ `:` type($values))?",
    }
}

type Typed<'a> = (Vec<UnresolvedOperand<'a>>, Vec<Type>, u32);

/// `keyword(%a, %b : t, t)`, possibly absent.
fn parse_group<'a>(p: &mut OpParser<'a>, keyword: &str) -> PResult<Typed<'a>> {
    let pos = p.pos();
    if !p.eat_keyword(keyword) {
        return Ok((Vec::new(), Vec::new(), pos));
    }
    p.expect(T::LParen)?;
    let operands = p.parse_operand_list()?;
    let types = match operands.is_empty() {
        true => Vec::new(),
        false => p.parse_colon_type_list()?,
    };
    p.expect(T::RParen)?;
    Ok((operands, types, pos))
}

/// `{attrs} ins(%v : t) outs(%o : t) -> t`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    p.parse_optional_attr_dict(state)?;
    let (inputs, input_types, at_inputs) = parse_group(p, "ins")?;
    let (outputs, output_types, at_outputs) = parse_group(p, "outs")?;
    state.result_types = p.parse_optional_arrow_types()?;
    let counts = [&inputs, &outputs].map(|v| i32::try_from(v.len()).unwrap_or(i32::MAX));
    state.operands = p.resolve_operands(&inputs, &input_types, at_inputs)?;
    let values = p.resolve_operands(&outputs, &output_types, at_outputs)?;
    state.operands.extend(values);
    let segments = p.ctx.i32_array(&counts);
    state.set_attr(p.ctx, "operandSegmentSizes", segments);
    let args: Vec<Type> = input_types
        .iter()
        .chain(&output_types)
        .map(|t| t.element_or_self(p.ctx))
        .collect();
    let body = RegionHolder::new(p.ctx);
    let block = body.region(p.ctx).add_block(p.ctx, &args);
    block.set_loc(p.ctx, state.loc);
    let filled: Vec<_> = block.args(p.ctx).into_iter().take(1).collect();
    let end = OpState::new(YieldOp::DEF, state.loc).operands(&filled);
    let end = end.create(p.ctx);
    block.push_back(p.ctx, end);
    state.regions.push(Some(body));
    Ok(())
}

fn print_group(p: &mut Printer, op: Op, keyword: &str, group: &str) {
    let values = op.operand_group(p.ctx, group);
    if values.is_empty() {
        return;
    }
    p.fmt(format_args!(" {keyword}("));
    p.values(&values);
    p.write(" : ");
    let types: Vec<Type> = values.iter().map(|v| v.ty(p.ctx)).collect();
    p.types(&types);
    p.write(")");
}

fn print(p: &mut Printer, op: Op) {
    p.attr_dict(op, &["operandSegmentSizes"], false);
    print_group(p, op, "ins", "inputs");
    print_group(p, op, "outs", "outputs");
    match op.result_types(p.ctx).as_slice() {
        [] => {}
        [one] => {
            p.write(" -> ");
            p.ty(*one);
        }
        several => {
            p.write(" -> (");
            p.types(several);
            p.write(")");
        }
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let (ins, outs) = (
        op.operand_group(ctx, "inputs"),
        op.operand_group(ctx, "outputs"),
    );
    if ins.len() != 1 || outs.len() != 1 {
        return Err(Invalid::from("expected one input and one output"));
    }
    let (value, output) = (ins[0].ty(ctx), outs[0].ty(ctx));
    if output.element(ctx) != Some(value) {
        return Err(Invalid::from(
            "expected fill value type to match element type of the output",
        ));
    }
    let want: Vec<Type> = [output].into_iter().filter(|t| t.is_tensor(ctx)).collect();
    if op.result_types(ctx) != want {
        return Err(format!(
            "expected the number of tensor results ({}) to be equal to the number of output tensors ({})",
            op.num_results(ctx),
            want.len()
        )
        .into());
    }
    Ok(())
}
