//! Ops with a name for their body: what their maps are, and what an element is made of.

use super::attrs::{MAPS_ATTR, TYPE_FN_ATTR};
use super::body::{self, Body};
use super::generic::{GenericOp, IndexOp, YieldOp};
use super::structured;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::builder::RegionHolder;
use terrace_ir::constraint::{ANY, SHAPED, TypeConstraint};
use terrace_ir::opdef::{OpDef, Verified};
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{AttrData, Context, Op, OpKind, OpState, Type, op};

const TENSOR: TypeConstraint = crate::tensor::TENSOR;

/// Which elements of the operands an iteration has.
pub(super) enum Maps {
    /// Those at its place in all arrays.
    Elementwise,
    /// The scalar, and that at its place in the output.
    Fill,
    /// One letter a loop, one word an operand: `"ik kj ij"`.
    Letters(&'static str),
    /// Those of the attribute `indexing_maps`, which are these where none is written.
    Attribute(&'static str),
}

/// An op whose body its name says.
pub(super) struct Named {
    name: &'static str,
    inputs: usize,
    maps: Maps,
    body: Body,
}

/// What is known of the op of a name.
pub(super) fn of(name: &str) -> Option<&'static Named> {
    NAMED.iter().find(|n| n.name == name)
}

/// The maps of `"ik kj ij"`; loops are in the order `loops`, or that of the letters.
fn letters(words: &str) -> Vec<AffineMap> {
    let mut loops: Vec<char> = words.chars().filter(|c| *c != ' ' && *c != '-').collect();
    loops.sort_unstable();
    loops.dedup();
    let of = |c: char| loops.iter().position(|l| *l == c).unwrap_or(0) as u32;
    let map = |w: &str| {
        let results = w.chars().filter(|c| *c != '-');
        let results = results.map(|c| AffineExpr::dim(of(c))).collect();
        AffineMap::new(loops.len() as u32, 0, results)
    };
    words.split(' ').map(map).collect()
}

impl Named {
    pub(super) fn maps(&self, ctx: &Context, op: Op) -> Vec<AffineMap> {
        let count = op.num_operands(ctx);
        let outputs = op.operand_group(ctx, "outputs");
        let rank = outputs
            .first()
            .and_then(|v| v.ty(ctx).rank(ctx))
            .unwrap_or(0) as u32;
        match self.maps {
            Maps::Elementwise => vec![AffineMap::identity(rank); count],
            Maps::Fill => vec![
                AffineMap::new(rank, 0, Vec::new()),
                AffineMap::identity(rank),
            ],
            Maps::Letters(words) | Maps::Attribute(words) => letters(words),
        }
    }
}

/// Declares the ops, and lists them with their maps and bodies.
macro_rules! named {
    ($($(#[doc = $doc:literal])* $t:ident = $name:literal $([$($attr:ident: $c:expr),*])?: $inputs:literal, $maps:expr, $body:expr;)*) => {
        op! {$(
            $(#[doc = $doc])*
            $t = $name {
                operands: [inputs: ANY.variadic(), outputs: SHAPED.variadic()],
                results: [result_tensors: TENSOR.variadic()],
                attrs: [$($($attr: $c),*)?],
                regions: [region: Any],
                traits: ATTR_SIZED_OPERANDS | SINGLE_BLOCK,
                custom: (parse, print),
                verify: verify,
            }
        )*}

        static NAMED: &[Named] = &[$(Named { name: $name, inputs: $inputs, maps: $maps, body: $body }),*];

        /// All ops of the dialect.
        pub(super) static OPS: &[&OpDef] = &[GenericOp::DEF, YieldOp::DEF, IndexOp::DEF, $($t::DEF),*];
    };
}

named! {
    /// Every element of the output is the input.
    FillOp = "linalg.fill": 1, Maps::Fill, Body::Cast;
    /// The elements of the input, as numbers of the output's type.
    CopyOp = "linalg.copy" [cast: TYPE_FN_ATTR]: 1, Maps::Elementwise, Body::Cast;
    /// e to the power of each element.
    ExpOp = "linalg.exp": 1, Maps::Elementwise, Body::Unary(body::Unary::Exp);
    /// The natural logarithm of each element.
    LogOp = "linalg.log": 1, Maps::Elementwise, Body::Unary(body::Unary::Log);
    /// Each element without its sign.
    AbsOp = "linalg.abs": 1, Maps::Elementwise, Body::Unary(body::Unary::Abs);
    /// The least whole number not below each element.
    CeilOp = "linalg.ceil": 1, Maps::Elementwise, Body::Unary(body::Unary::Ceil);
    /// The greatest whole number not above each element.
    FloorOp = "linalg.floor": 1, Maps::Elementwise, Body::Unary(body::Unary::Floor);
    /// Each element with the other sign.
    NegFOp = "linalg.negf": 1, Maps::Elementwise, Body::Unary(body::Unary::Neg);
    /// One divided by each element.
    ReciprocalOp = "linalg.reciprocal": 1, Maps::Elementwise, Body::Unary(body::Unary::Reciprocal);
    /// The whole number nearest to each element; halves go away from zero.
    RoundOp = "linalg.round": 1, Maps::Elementwise, Body::Unary(body::Unary::Round);
    /// The square root of each element.
    SqrtOp = "linalg.sqrt": 1, Maps::Elementwise, Body::Unary(body::Unary::Sqrt);
    /// One divided by the square root of each element.
    RsqrtOp = "linalg.rsqrt": 1, Maps::Elementwise, Body::Unary(body::Unary::Rsqrt);
    /// Each element times itself.
    SquareOp = "linalg.square": 1, Maps::Elementwise, Body::Unary(body::Unary::Square);
    /// The hyperbolic tangent of each element.
    TanhOp = "linalg.tanh": 1, Maps::Elementwise, Body::Unary(body::Unary::Tanh);
    /// The error function of each element.
    ErfOp = "linalg.erf": 1, Maps::Elementwise, Body::Unary(body::Unary::Erf);
    /// The sums of elements.
    AddOp = "linalg.add": 2, Maps::Elementwise, Body::Binary(body::Binary::Add);
    /// The differences of elements.
    SubOp = "linalg.sub": 2, Maps::Elementwise, Body::Binary(body::Binary::Sub);
    /// The products of elements.
    MulOp = "linalg.mul": 2, Maps::Elementwise, Body::Binary(body::Binary::Mul);
    /// The quotients of elements; integers have signs.
    DivOp = "linalg.div": 2, Maps::Elementwise, Body::Binary(body::Binary::Div);
    /// The quotients of integers without signs.
    DivUnsignedOp = "linalg.div_unsigned": 2, Maps::Elementwise, Body::Binary(body::Binary::DivUnsigned);
    /// The greater ones of two elements; integers have signs.
    MaxOp = "linalg.max": 2, Maps::Elementwise, Body::Binary(body::Binary::Max);
    /// The lesser ones of two elements; integers have signs.
    MinOp = "linalg.min": 2, Maps::Elementwise, Body::Binary(body::Binary::Min);
    /// Elements to the power of others.
    PowFOp = "linalg.powf": 2, Maps::Elementwise, Body::Binary(body::Binary::Pow);
    /// Elements of the second input where those of the first are true, else of the third.
    SelectOp = "linalg.select": 3, Maps::Elementwise, Body::Select;
    /// The product of two matrices, added to the output. Maps that are written say which of them are
    /// transposed or repeated.
    MatmulOp = "linalg.matmul" [indexing_maps: MAPS_ATTR, cast: TYPE_FN_ATTR]: 2, Maps::Attribute("ac cb ab"), Body::MultiplyAdd;
    /// The products of pairs of matrices, as `linalg.matmul` for each pair.
    BatchMatmulOp = "linalg.batch_matmul" [indexing_maps: MAPS_ATTR]: 2, Maps::Attribute("abd adc abc"), Body::MultiplyAdd;
    /// The product of a matrix and a vector, added to the output.
    MatvecOp = "linalg.matvec": 2, Maps::Letters("ab b a"), Body::MultiplyAdd;
    /// The product of a vector and a matrix, added to the output.
    VecmatOp = "linalg.vecmat": 2, Maps::Letters("b ba a"), Body::MultiplyAdd;
    /// The products of pairs of a matrix and a vector, added to the output.
    BatchMatvecOp = "linalg.batch_matvec": 2, Maps::Letters("abc ac ab"), Body::MultiplyAdd;
    /// The products of pairs of a vector and a matrix, added to the output.
    BatchVecmatOp = "linalg.batch_vecmat": 2, Maps::Letters("ac acb ab"), Body::MultiplyAdd;
    /// The sum of the products of two vectors' elements, added to the output.
    DotOp = "linalg.dot": 2, Maps::Letters("a a -"), Body::MultiplyAdd;
}

fn named(state: &OpState) -> Option<&'static Named> {
    of(state.def.map_or("", |d| d.name))
}

/// `indexing_maps = [...] {attrs} ins(%v : t) outs(%o : t) {attrs} -> t`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let pos = p.pos();
    let Some(named) = named(state) else {
        return Err(p.op_error(pos, "is no op with a body of its own"));
    };
    if let Maps::Attribute(words) = named.maps {
        let maps = match p.eat_keyword("indexing_maps") {
            true => {
                p.expect(terrace_ir::text::TokenKind::Equal)?;
                p.parse_attr()?
            }
            false => {
                let all = letters(words).into_iter();
                let all = all.map(|m| p.ctx.attr(AttrData::AffineMap(m))).collect();
                p.ctx.array_attr(all)
            }
        };
        let is_map = |a: &terrace_ir::Attr| a.as_map(p.ctx).is_some();
        if !maps.as_array(p.ctx).is_some_and(|v| v.iter().all(is_map)) {
            let m = "element of indexing_maps array is not an affine_map";
            return Err(p.error_here(m));
        }
        state.set_attr(p.ctx, "indexing_maps", maps);
    }
    let parts = structured::parse_common(p, state)?;
    p.parse_optional_attr_dict(state)?;
    state.result_types = p.parse_optional_arrow_types()?;
    let types = [parts.inputs, parts.outputs].concat();
    if types.len() != named.inputs + 1 {
        return Err(p.error(
            pos,
            format!(
                "[parseNamedStructuredOpRegion] ods-gen generated region expects {} args, got {}",
                named.inputs + 1,
                types.len()
            ),
        ));
    }
    let args: Vec<Type> = types
        .iter()
        .map(|t| structured::element_type(p.ctx, *t))
        .collect();
    let holder = RegionHolder::new(p.ctx);
    let block = holder.region(p.ctx).add_block(p.ctx, &args);
    block.set_loc(p.ctx, state.loc);
    state.regions.push(Some(holder));
    let unsigned = state.get_attr(p.ctx, "cast");
    let unsigned = unsigned.and_then(|a| super::attrs::TYPE_FN.value(p.ctx, a)) == Some(1);
    let made = body::build(p.ctx, block, state.loc, &named.body, unsigned);
    made.map_err(|m| p.error(pos, m))
}

fn print(p: &mut Printer, op: Op) {
    if let Some(Named {
        maps: Maps::Attribute(words),
        ..
    }) = of(op.name(p.ctx))
        && let Some(written) = op.attr(p.ctx, "indexing_maps")
        && structured::maps(p.ctx, op) != Some(letters(words))
    {
        p.write(" indexing_maps = ");
        p.attr(written);
    }
    // What upstream keeps in generic form so as not to make it again is not written either.
    let elided = [
        "operandSegmentSizes",
        "indexing_maps",
        "linalg.memoized_indexing_maps",
    ];
    p.attr_dict(op, &elided, false);
    structured::print_common(p, op);
    structured::print_results(p, op);
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let Some(named) = of(op.name(ctx)) else {
        return Ok(());
    };
    let (inputs, outputs) = (
        op.operand_group(ctx, "inputs"),
        op.operand_group(ctx, "outputs"),
    );
    if inputs.len() != named.inputs || outputs.len() != 1 {
        return Err(format!(
            "expected {} input(s) and one output, but found {} and {}",
            named.inputs,
            inputs.len(),
            outputs.len()
        )
        .into());
    }
    if let Maps::Fill = named.maps {
        let (value, output) = (inputs[0].ty(ctx), outputs[0].ty(ctx));
        if value
            .rank(ctx)
            .is_some_and(|r| r > 0 && !value.is_vector(ctx))
        {
            return Err("expected op with scalar input".into());
        }
        let (has, want) = (value, structured::element_type(ctx, output));
        if structured::element_type(ctx, has) != want {
            return Err(format!(
                "expected fill value type ('{}') to match output element type ('{}')",
                ctx.type_text(has),
                ctx.type_text(want)
            )
            .into());
        }
    }
    if let Maps::Attribute(_) = named.maps
        && structured::maps(ctx, op).is_some_and(|m| m.len() != 3)
    {
        return Err("Indexing_map attribute must have 3 affine maps.".into());
    }
    structured::verify(ctx, op)?;
    match named.maps {
        Maps::Attribute(words) => verify_maps(ctx, op, &letters(words)),
        _ => Ok(()),
    }
}

/// Maps that are written may transpose and repeat what the op's own say.
fn verify_maps(ctx: &Context, op: Op, own: &[AffineMap]) -> Verified {
    let Some(maps) = structured::maps(ctx, op).filter(|m| m.as_slice() != own) else {
        return Ok(());
    };
    let batch = own[0].num_dims() == 4;
    for (i, (map, own)) in maps.iter().zip(own).enumerate().take(2) {
        let known = |e: &AffineExpr| own.results().contains(e);
        if !map.results().iter().all(known) {
            return Err(match batch {
                true => {
                    "Unexpected result dim expression (outside the set of default result dims)."
                }
                false => "Unexpected dim expression in map result.",
            }
            .into());
        }
        let common = own.num_dims() - 1;
        let has = |k: usize, d: u32| {
            let e = map.results().get(k);
            e.is_some_and(|e| matches!(e, AffineExpr::Dim(x) if *x == d))
        };
        let repeated = map.num_results() < own.num_results();
        if !batch {
            if repeated && !has(0, common) {
                return Err("Invalid broadcast requested, should be (d2).".into());
            }
            continue;
        }
        if map.num_results() > 3 {
            return Err("no. of result dim expressions exceeds 3.".into());
        }
        let valid = match (map.num_results(), i) {
            (1, _) => has(0, 3),
            (2, 0) => (has(0, 0) || has(0, 1)) && has(1, 3),
            (2, _) => has(0, 0) && has(1, 3) || has(0, 3) && has(1, 2),
            _ => true,
        };
        if repeated && !valid {
            return Err("Invalid broadcast requested.".into());
        }
        if !repeated && !has(0, 0) {
            return Err("Invalid batch dimension expression.".into());
        }
    }
    let output = &maps[2];
    if batch && output.num_results() != 3 {
        return Err(format!("expects 3 dims, but got ({}).", output.num_results()).into());
    }
    if batch && output.results() != own[2].results() {
        return Err("Invalid output map result dimension.".into());
    }
    Ok(())
}
