//! Making tensors, and their single elements and sizes.

use super::{RANKED, TENSOR};
use terrace_ir::constraint::{ANY, INDEX};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpState, Type, TypeData, op};

op! {
    /// The same bits as elements of another type of the same width.
    BitcastOp = "tensor.bitcast" {
        operands: [source: TENSOR],
        results: [dest: TENSOR],
        traits: PURE,
        format: "$source attr-dict `:` type($source) `to` type($dest)",
        result_names: |_, _| vec![Some("bitcast".to_string())],
    }

    /// The same tensor with more or less known of its shape.
    CastOp = "tensor.cast" {
        operands: [source: TENSOR],
        results: [dest: TENSOR],
        traits: PURE,
        format: "$source attr-dict `:` type($source) `to` type($dest)",
        verify: verify_cast,
        result_names: |_, _| vec![Some("cast".to_string())],
    }

    /// The size of a dimension.
    DimOp = "tensor.dim" {
        operands: [source: TENSOR, index: INDEX],
        results: [result: INDEX],
        traits: NO_EFFECT,
        format: "attr-dict $source `,` $index `:` type($source)",
        result_names: |_, _| vec![Some("dim".to_string())],
    }

    /// A tensor whose elements do not matter.
    EmptyOp = "tensor.empty" {
        operands: [dynamicSizes: INDEX.variadic()],
        results: [result: RANKED],
        traits: PURE,
        format: "`(` $dynamicSizes `)` attr-dict `:` type($result)",
        verify: |ctx, op| verify_sizes(ctx, op, op.num_operands(ctx)),
    }

    /// One element.
    ExtractOp = "tensor.extract" {
        operands: [tensor: RANKED, indices: INDEX.variadic()],
        results: [result: ANY],
        traits: PURE,
        format: "$tensor `[` $indices `]` attr-dict `:` type($tensor)",
        infer: infer_extract,
        verify: verify_extract,
        result_names: |_, _| vec![Some("extracted".to_string())],
    }

    /// A tensor of these elements, in row-major order.
    FromElementsOp = "tensor.from_elements" {
        operands: [elements: ANY.variadic()],
        results: [result: RANKED],
        traits: PURE,
        custom: (parse_from_elements, print_from_elements),
        verify: verify_from_elements,
        result_names: |_, _| vec![Some("from_elements".to_string())],
    }

    /// A tensor each of whose elements the body computes from its indices.
    GenerateOp = "tensor.generate" {
        operands: [dynamicExtents: INDEX.variadic()],
        results: [result: RANKED],
        regions: [body: OneBlock],
        traits: RECURSIVE_EFFECTS | SINGLE_BLOCK,
        format: "$dynamicExtents $body attr-dict `:` type($result)",
        verify: |ctx, op| verify_sizes(ctx, op, op.num_operands(ctx)),
        result_names: |_, _| vec![Some("generated".to_string())],
    }

    /// The tensor with one element replaced.
    InsertOp = "tensor.insert" {
        operands: [scalar: ANY, dest: RANKED, indices: INDEX.variadic()],
        results: [result: RANKED],
        traits: PURE,
        same_type: [[dest, result]],
        custom: (parse_insert, print_insert),
        verify: verify_insert,
        result_names: |_, _| vec![Some("inserted".to_string())],
    }

    /// The number of dimensions.
    RankOp = "tensor.rank" {
        operands: [tensor: TENSOR],
        results: [result: INDEX],
        traits: PURE,
        format: "$tensor attr-dict `:` type($tensor)",
        result_names: |_, _| vec![Some("rank".to_string())],
    }

    /// A tensor all of whose elements are the input.
    SplatOp = "tensor.splat" {
        operands: [input: ANY, dynamicSizes: INDEX.variadic()],
        results: [aggregate: RANKED],
        traits: PURE,
        custom: (parse_splat, print_splat),
        verify: |ctx, op| verify_sizes(ctx, op, op.num_operands(ctx) - 1),
        result_names: |_, _| vec![Some("splat".to_string())],
    }

    /// The end of a body, with the element it computed.
    YieldOp = "tensor.yield" {
        operands: [value: ANY],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        parents: ["tensor.generate", "tensor.pad"],
        format: "$value attr-dict `:` type($value)",
    }
}

/// As many sizes are given as the result has unknown ones.
fn verify_sizes(ctx: &Context, op: Op, have: usize) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    let shape = ty.shape(ctx).unwrap_or(&[]);
    let want = shape.iter().filter(|d| **d == DYNAMIC).count();
    if have == want {
        return Ok(());
    }
    Err(format!("incorrect number of dynamic sizes, has {have}, expected {want}").into())
}

/// Whether both may be the type of one tensor.
pub(crate) fn compatible(ctx: &Context, a: Type, b: Type) -> bool {
    a.element(ctx) == b.element(ctx)
        && match (a.shape(ctx), b.shape(ctx)) {
            (Some(a), Some(b)) => {
                let fits = |(a, b): (&i64, &i64)| a == b || *a == DYNAMIC || *b == DYNAMIC;
                a.len() == b.len() && a.iter().zip(b).all(fits)
            }
            _ => true,
        }
}

fn verify_cast(ctx: &Context, op: Op) -> Verified {
    let (a, b) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if compatible(ctx, a, b) {
        return Ok(());
    }
    let (a, b) = (ctx.type_text(a), ctx.type_text(b));
    Err(format!("operand type '{a}' and result type '{b}' are cast incompatible").into())
}

fn infer_extract(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    let element = s.operands.first().and_then(|v| v.ty(ctx).element(ctx));
    element
        .map(|t| vec![t])
        .ok_or_else(|| "operand #0 must be ranked tensor".to_string())
}

fn verify_extract(ctx: &Context, op: Op) -> Verified {
    let tensor = op.operand(ctx, 0).ty(ctx);
    if tensor.element(ctx) != Some(op.result(ctx, 0).ty(ctx)) {
        return Err(Invalid::from(
            "failed to verify that result type matches element type of tensor",
        ));
    }
    if tensor.rank(ctx) != Some(op.num_operands(ctx) - 1) {
        return Err(Invalid::from(
            "incorrect number of indices for extract_element",
        ));
    }
    Ok(())
}

fn verify_insert(ctx: &Context, op: Op) -> Verified {
    let dest = op.operand(ctx, 1).ty(ctx);
    if dest.element(ctx) != Some(op.operand(ctx, 0).ty(ctx)) {
        return Err(Invalid::from(
            "failed to verify that scalar type matches element type of dest",
        ));
    }
    if dest.rank(ctx) != Some(op.num_operands(ctx) - 2) {
        return Err(Invalid::from("incorrect number of indices"));
    }
    Ok(())
}

fn verify_from_elements(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    let Some(want) = ty.num_elements(ctx) else {
        let got = ctx.type_text(ty);
        return Err(format!(
            "result #0 must be statically shaped tensor of any type values, but got '{got}'"
        )
        .into());
    };
    let elem = ty.element_or_self(ctx);
    if op.operand_types(ctx).iter().any(|t| *t != elem) || want != op.num_operands(ctx) as i64 {
        return Err(Invalid::from(
            "failed to verify that operand types match result element type",
        ));
    }
    Ok(())
}

/// The element type of the tensor type read at `pos`.
fn element_of(p: &mut OpParser, ty: Type, pos: u32) -> PResult<Type> {
    match ty.data(p.ctx) {
        TypeData::Tensor { elem, .. } => Ok(*elem),
        _ => {
            let got = p.ctx.type_text(ty);
            Err(p.error(pos, format!("expected ranked tensor type, but got '{got}'")))
        }
    }
}

/// `%a, %b {attrs} : tensor`.
fn parse_from_elements(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let elements = p.parse_operand_list()?;
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let pos = p.pos();
    let ty = p.parse_type()?;
    let elem = element_of(p, ty, pos)?;
    state.operands = p.resolve_all(&elements, elem)?;
    state.result_types.push(ty);
    Ok(())
}

fn print_from_elements(p: &mut Printer, op: Op) {
    if op.num_operands(p.ctx) > 0 {
        p.write(" ");
        p.values(&op.operands(p.ctx));
    }
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
}

/// `%scalar into %dest[%i] {attrs} : tensor`.
fn parse_insert(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let scalar = p.parse_operand()?;
    p.expect_keyword("into")?;
    let dest = p.parse_operand()?;
    let indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let pos = p.pos();
    let ty = p.parse_type()?;
    let elem = element_of(p, ty, pos)?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(scalar, elem)?);
    state.operands.push(p.resolve(dest, ty)?);
    state.operands.extend(p.resolve_all(&indices, index)?);
    state.result_types.push(ty);
    Ok(())
}

fn print_insert(p: &mut Printer, op: Op) {
    let operands = op.operands(p.ctx);
    p.write(" ");
    p.value(operands[0]);
    p.write(" into ");
    p.value(operands[1]);
    p.write("[");
    p.values(&operands[2..]);
    p.write("]");
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(operands[1].ty(p.ctx));
}

/// `%input[%sizes] {attrs} : tensor`.
fn parse_splat(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let input = p.parse_operand()?;
    let sizes = match p.at(T::LSquare) {
        true => p.parse_delimited_operands(T::LSquare, T::RSquare)?,
        false => Vec::new(),
    };
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let pos = p.pos();
    let ty = p.parse_type()?;
    let elem = element_of(p, ty, pos)?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(input, elem)?);
    state.operands.extend(p.resolve_all(&sizes, index)?);
    state.result_types.push(ty);
    Ok(())
}

fn print_splat(p: &mut Printer, op: Op) {
    let operands = op.operands(p.ctx);
    p.write(" ");
    p.value(operands[0]);
    if operands.len() > 1 {
        p.write("[");
        p.values(&operands[1..]);
        p.write("]");
    }
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
}
