//! `linalg.generic`, whose maps and body are written out, and what stands in bodies.

use super::attrs::{DIM_ATTR, ITERATOR, ITERATORS_ATTR, MAPS_ATTR};
use super::structured;
use terrace_ir::constraint::{ANY, INDEX, SHAPED, STRING_ATTR, TypeConstraint};
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Attr, Context, Op, OpState, Str, op};

const TENSOR: TypeConstraint = crate::tensor::TENSOR;

op! {
    /// The body makes an element of each output for every iteration of the loops, of the elements
    /// that the maps say. Loops that are no `parallel` ones add to the element that is there.
    GenericOp = "linalg.generic" {
        operands: [inputs: ANY.variadic(), outputs: SHAPED.variadic()],
        results: [result_tensors: TENSOR.variadic()],
        attrs: [
            indexing_maps: MAPS_ATTR,
            iterator_types: ITERATORS_ATTR,
            doc: STRING_ATTR.optional(),
            library_call: STRING_ATTR.optional(),
        ],
        regions: [region: Any],
        traits: ATTR_SIZED_OPERANDS | SINGLE_BLOCK,
        custom: (parse, print),
        verify: structured::verify,
        arg_names: arg_names,
    }

    /// The end of a body, with the elements that it makes.
    YieldOp = "linalg.yield" {
        operands: [values: ANY.variadic()],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        format: "($values^)? attr-dict (`:` type($values)^)?",
        verify: structured::verify_yield,
    }

    /// The iteration of a loop that the body is in.
    IndexOp = "linalg.index" {
        results: [result: INDEX],
        attrs: [dim: DIM_ATTR],
        traits: PURE,
        format: "$dim attr-dict `:` type($result)",
        verify: structured::verify_index,
    }
}

/// What stands in front of the operands.
const TRAIT_ATTRS: [&str; 4] = ["doc", "indexing_maps", "iterator_types", "library_call"];

fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let pos = p.pos();
    // The dictionary may stand as an alias.
    let dict = p.parse_attr()?;
    let Some(entries) = dict.as_dict(p.ctx).map(<[_]>::to_vec) else {
        return Err(p.op_error(pos, "invalid kind of attribute specified"));
    };
    for (k, a) in entries {
        let name = p.ctx.str(k).to_string();
        state.set_attr(p.ctx, &name, a);
    }
    let list = state.get_attr(p.ctx, "iterator_types");
    let Some(list) = list.and_then(|a| a.as_array(p.ctx)).map(<[_]>::to_vec) else {
        return Err(p.op_error(pos, "expected \"iterator_types\" array attribute"));
    };
    let mut iterators = Vec::with_capacity(list.len());
    for a in list {
        let word = a.as_str_lossy(p.ctx).map(|s| s.into_owned());
        match word.as_deref().map(|w| ITERATOR.parse(w)) {
            Some(Some(v)) => iterators.push(ITERATOR.attr(p.ctx, v)),
            Some(None) => {
                let (w, at) = (word.unwrap_or_default(), p.pos());
                return Err(p.error(at, format!("unexpected iterator_type ({w})")));
            }
            None => iterators.push(a),
        }
    }
    let iterators = p.ctx.array_attr(iterators);
    state.set_attr(p.ctx, "iterator_types", iterators);
    structured::parse_common(p, state)?;
    if p.eat_keyword("attrs") {
        p.expect(terrace_ir::text::TokenKind::Equal)?;
        p.parse_optional_attr_dict(state)?;
    }
    let body = p.parse_region(&[], false)?;
    state.regions.push(Some(body));
    state.result_types = p.parse_optional_arrow_types()?;
    Ok(())
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let words = |a: Attr| {
        let list = a.as_array(ctx).unwrap_or(&[]).iter();
        let word = |x: &Attr| match ITERATOR.value(ctx, *x) {
            Some(v) => ctx.string_attr(&ITERATOR.keyword(v).unwrap_or_default()),
            None => *x,
        };
        ctx.array_attr(list.map(word).collect())
    };
    let all = op.attrs(ctx);
    let (written, others): (Vec<_>, Vec<_>) = all
        .into_iter()
        .filter(|(k, _)| ctx.str(*k) != "operandSegmentSizes")
        .partition(|(k, _)| TRAIT_ATTRS.contains(&ctx.str(*k)));
    let entries: Vec<(Str, Attr)> = (written.into_iter())
        .map(|(k, a)| match ctx.str(k) {
            "iterator_types" => (k, words(a)),
            _ => (k, a),
        })
        .collect();
    p.write(" ");
    p.dict(&entries);
    structured::print_common(p, op);
    if !others.is_empty() {
        p.write(" attrs = ");
        p.dict(&others);
    }
    p.write(" ");
    p.region(op.region(ctx, 0), true, true);
    structured::print_results(p, op);
}

fn arg_names(ctx: &Context, op: Op, _: usize) -> Vec<Option<String>> {
    let inputs = op.operand_group(ctx, "inputs").len();
    let name = |i| Some(if i < inputs { "in" } else { "out" }.to_string());
    (0..op.num_operands(ctx)).map(name).collect()
}
