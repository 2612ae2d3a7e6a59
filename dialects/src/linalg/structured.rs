//! What ops on whole arrays have in common: inputs, outputs that they write to, and a body that makes
//! one element. Maps say which elements of the arrays an iteration of the loops around it has.

use super::named;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpState, Type};

/// What an argument of the body is for an operand.
pub(super) fn element_type(ctx: &Context, t: Type) -> Type {
    match t.is_memref(ctx) || t.is_tensor(ctx) {
        true => t.element_or_self(ctx),
        false => t,
    }
}

/// What stands for an op behind its name.
pub(super) struct Parts {
    pub(super) inputs: Vec<Type>,
    pub(super) outputs: Vec<Type>,
}

type Typed<'a> = (Vec<UnresolvedOperand<'a>>, Vec<Type>, u32);

/// `keyword(%a, %b : t, t)`, possibly absent.
fn parse_group<'a>(p: &mut OpParser<'a>, keyword: &str) -> PResult<Typed<'a>> {
    if !p.eat_keyword(keyword) {
        let pos = p.pos();
        return Ok((Vec::new(), Vec::new(), pos));
    }
    p.expect(T::LParen)?;
    let pos = p.pos();
    let operands = p.parse_operand_list()?;
    let types = p.parse_colon_type_list()?;
    p.expect(T::RParen)?;
    Ok((operands, types, pos))
}

/// `{attrs} ins(%v : t) outs(%o : t)`.
pub(super) fn parse_common(p: &mut OpParser, state: &mut OpState) -> PResult<Parts> {
    if p.eat(T::Less) {
        for (k, a) in p.parse_attr_dict_entries()? {
            let name = p.ctx.str(k).to_string();
            state.set_attr(p.ctx, &name, a);
        }
        p.expect(T::Greater)?;
    }
    p.parse_optional_attr_dict(state)?;
    let (inputs, input_types, at_inputs) = parse_group(p, "ins")?;
    let (outputs, output_types, at_outputs) = parse_group(p, "outs")?;
    let counts = [&inputs, &outputs].map(|v| i32::try_from(v.len()).unwrap_or(i32::MAX));
    state.operands = p.resolve_operands(&inputs, &input_types, at_inputs)?;
    let values = p.resolve_operands(&outputs, &output_types, at_outputs)?;
    state.operands.extend(values);
    let segments = p.ctx.i32_array(&counts);
    state.set_attr(p.ctx, "operandSegmentSizes", segments);
    Ok(Parts {
        inputs: input_types,
        outputs: output_types,
    })
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

/// ` ins(%v : t) outs(%o : t)`.
pub(super) fn print_common(p: &mut Printer, op: Op) {
    print_group(p, op, "ins", "inputs");
    print_group(p, op, "outs", "outputs");
}

/// ` -> t`.
pub(super) fn print_results(p: &mut Printer, op: Op) {
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

/// Whether an op is one of these.
pub(super) fn is_structured(ctx: &Context, op: Op) -> bool {
    op.name(ctx) == super::GenericOp::NAME || named::of(op.name(ctx)).is_some()
}

/// The map of each operand; none where an attribute says no maps.
pub(super) fn maps(ctx: &Context, op: Op) -> Option<Vec<AffineMap>> {
    if let Some(list) = op.attr(ctx, "indexing_maps") {
        return list
            .as_array(ctx)?
            .iter()
            .map(|a| a.as_map(ctx).cloned())
            .collect();
    }
    named::of(op.name(ctx)).map(|n| n.maps(ctx, op))
}

/// How many loops an op stands for.
pub(super) fn num_loops(ctx: &Context, op: Op) -> Option<usize> {
    if let Some(list) = op.attr(ctx, "iterator_types") {
        return Some(list.as_array(ctx)?.len());
    }
    maps(ctx, op)?.first().map(|m| m.num_dims() as usize)
}

/// What upstream's interfaces of all these ops ask for.
pub(super) fn verify(ctx: &Context, op: Op) -> Verified {
    verify_results(ctx, op)?;
    let types = op.operand_types(ctx);
    let shaped = || {
        types
            .iter()
            .filter(|t| t.is_memref(ctx) || t.is_tensor(ctx))
    };
    if shaped().any(|t| t.is_memref(ctx)) && shaped().any(|t| t.is_tensor(ctx)) {
        return Err("expected to have pure tensor or buffer semantics".into());
    }
    let maps = maps(ctx, op).unwrap_or_default();
    verify_shapes(ctx, &maps, &types)?;
    let loops = num_loops(ctx, op).unwrap_or(0);
    for (i, map) in maps.iter().enumerate() {
        if map.num_dims() as usize != loops {
            return Err(format!(
                "expected indexing_map #{i} to have {loops} dim(s) to match the number of loops"
            )
            .into());
        }
    }
    let blocks = op.region(ctx, 0).blocks(ctx);
    let [body] = blocks[..] else {
        return Err("expects to have 1 region with 1 block".into());
    };
    let args = body.args(ctx);
    if args.len() != types.len() {
        return Err(
            "expected as many non-induction variable region arguments as the number of input/output operands"
                .into(),
        );
    }
    for (i, (arg, t)) in args.iter().zip(&types).enumerate() {
        let (has, want) = (arg.ty(ctx), element_type(ctx, *t));
        if has != want {
            return Err(format!(
                "expected type of bb argument #{i} ('{}') to match element or self type of the corresponding operand ('{}')",
                ctx.type_text(has),
                ctx.type_text(want)
            )
            .into());
        }
    }
    Ok(())
}

/// Outputs that are tensors come back as results.
fn verify_results(ctx: &Context, op: Op) -> Verified {
    let first = op.operand_group(ctx, "inputs").len();
    let outputs = op.operand_group(ctx, "outputs");
    let tensors: Vec<(usize, Type)> = (outputs.iter().enumerate())
        .map(|(i, v)| (first + i, v.ty(ctx)))
        .filter(|(_, t)| t.is_tensor(ctx))
        .collect();
    let results = op.result_types(ctx);
    if results.len() != tensors.len() {
        return Err(format!(
            "expected the number of tensor results ({}) to be equal to the number of output tensors ({})",
            results.len(),
            tensors.len()
        )
        .into());
    }
    for ((i, t), result) in tensors.iter().zip(&results) {
        if t != result {
            return Err(format!(
                "expected type of operand #{i} ('{}') to match type of corresponding result ('{}')",
                ctx.type_text(*t),
                ctx.type_text(*result)
            )
            .into());
        }
    }
    Ok(())
}

/// The arrays have elements where the maps ask for them.
fn verify_shapes(ctx: &Context, maps: &[AffineMap], types: &[Type]) -> Verified {
    if maps.len() != types.len() {
        return Err(format!(
            "expected the number of indexing_map ({}) to be equal to the number of input/output operands ({})",
            maps.len(),
            types.len()
        )
        .into());
    }
    // A vector is one element.
    let shape = |t: &Type| -> Vec<i64> {
        let array = t.is_memref(ctx) || t.is_tensor(ctx);
        let shape = t.shape(ctx).filter(|_| array);
        shape.map(<[i64]>::to_vec).unwrap_or_default()
    };
    for (i, (map, t)) in maps.iter().zip(types).enumerate() {
        if map.num_symbols() != 0 {
            return Err(format!("unexpected symbols in indexing_map #{i}").into());
        }
        let rank = shape(t).len();
        if map.num_results() != rank {
            return Err(format!(
                "expected operand #{i} rank ({rank}) to match the result rank of indexing_map ({})",
                map.num_results()
            )
            .into());
        }
    }
    let Some(ends) = loop_sizes(maps, &types.iter().map(shape).collect::<Vec<_>>()) else {
        let results = maps.iter().flat_map(|m| m.results().to_vec()).collect();
        let all = AffineMap::new(maps[0].num_dims(), 0, results);
        return Err(format!("invalid indexing maps are non-invertible: ({all})").into());
    };
    if ends.contains(&DYNAMIC) {
        return Ok(());
    }
    let last: Vec<i64> = ends.iter().map(|n| n - 1).collect();
    let first = vec![0; last.len()];
    for (i, (map, t)) in maps.iter().zip(types).enumerate() {
        let (Some(at_first), Some(at_last)) = (map.eval(&first, &[]), map.eval(&last, &[])) else {
            continue;
        };
        for (dim, size) in shape(t).into_iter().enumerate() {
            if size == DYNAMIC || size == 0 {
                continue;
            }
            let (from, to) = (at_first[dim], at_last[dim]);
            if from.min(to) < 0 {
                return Err(
                    format!("unexpected result less than 0 at expression #{dim} in {map}").into(),
                );
            }
            let needed = from.max(to) + 1;
            let one_to_one = matches!(map.results()[dim], AffineExpr::Dim(_));
            if one_to_one && needed != size || needed > size {
                let how = if one_to_one {
                    ""
                } else {
                    "greater than or equal to "
                };
                return Err(format!(
                    "inferred input/output operand #{i} has shape's dimension #{dim} to be {how}{needed}, but found {size}"
                )
                .into());
            }
        }
    }
    Ok(())
}

/// The size of each loop, from the first dimension that it alone counts through. `None` where a loop
/// has no such dimension.
fn loop_sizes(maps: &[AffineMap], shapes: &[Vec<i64>]) -> Option<Vec<i64>> {
    let loops = maps.first().map_or(0, AffineMap::num_dims);
    let size = |d: u32| {
        maps.iter().zip(shapes).find_map(|(map, shape)| {
            let counts = |e: &AffineExpr| matches!(e, AffineExpr::Dim(x) if *x == d);
            let at = map.results().iter().position(counts)?;
            shape.get(at).copied()
        })
    };
    (0..loops).map(size).collect()
}

/// The end of a body yields an element for each output.
pub(super) fn verify_yield(ctx: &Context, op: Op) -> Verified {
    let around = op.parent(ctx).filter(|p| p.num_regions(ctx) == 1);
    let Some(around) = around else {
        return Err("expected single non-empty parent region".into());
    };
    if !is_structured(ctx, around) {
        return Err("expected parent op with LinalgOp interface".into());
    }
    let outputs = around.operand_group(ctx, "outputs");
    if op.num_operands(ctx) != outputs.len() {
        return Err(format!(
            "expected number of yield values ({}) to match the number of inits / outs operands of the enclosing LinalgOp ({})",
            op.num_operands(ctx),
            outputs.len()
        )
        .into());
    }
    for (i, (t, output)) in op.operand_types(ctx).iter().zip(outputs).enumerate() {
        let want = element_type(ctx, output.ty(ctx));
        if *t != want {
            return Err(format!(
                "type of yield operand {} ('{}') doesn't match the element type of the enclosing linalg.generic op ('{}')",
                i + 1,
                ctx.type_text(*t),
                ctx.type_text(want)
            )
            .into());
        }
    }
    Ok(())
}

/// The loop that is asked for is there.
pub(super) fn verify_index(ctx: &Context, op: Op) -> Verified {
    let around = op.parent(ctx).filter(|p| is_structured(ctx, *p));
    let Some(around) = around else {
        return Err("expected parent op with LinalgOp interface".into());
    };
    let dim = op.attr(ctx, "dim").and_then(|a| a.as_i64(ctx)).unwrap_or(0);
    let loops = num_loops(ctx, around).unwrap_or(0) as i64;
    match dim < loops {
        true => Ok(()),
        false => Err(Invalid::from(format!(
            "expected dim ({dim}) to be lower than the number of loops ({loops}) of the enclosing LinalgOp"
        ))),
    }
}
