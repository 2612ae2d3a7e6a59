//! Reductions, contractions and the like.

use super::attrs::{ITERATOR, ITERATORS_ATTR, KIND, KIND_ATTR, kind_of, supports};
use super::types::{
    ANY_RANK, FLOATS, RANKED, same_element, scalable, scalable_at, shape, vector_type,
};
use crate::arith::FASTMATH_ATTR;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{ANY, ARRAY_ATTR, BOOL_ATTR, DENSE_I64, I64_ATTR};
use terrace_ir::opdef::{Fold, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::Signedness;
use terrace_ir::{Attr, Builder, Context, Op, Str, Type, TypeData, Value, op};

op! {
    /// All elements of a vector, and an accumulator, combined.
    ReductionOp = "vector.reduction" {
        operands: [vector: ANY_RANK, acc: ANY.optional()],
        results: [dest: ANY],
        attrs: [kind: KIND_ATTR, fastmath: FASTMATH_ATTR],
        traits: PURE,
        same_type: [[dest, acc]],
        format: "$kind `,` $vector (`,` $acc^)? (`fastmath` `` `<` $fastmath^ `>`)? attr-dict `:` type($vector) `into` type($dest)",
        verify: verify_reduction,
        canonicalize: super::canonicalize::reduction,
    }

    /// The elements along some dimensions, and an accumulator, combined.
    MultiDimReductionOp = "vector.multi_reduction" {
        operands: [source: RANKED, acc: ANY],
        results: [dest: ANY],
        attrs: [kind: KIND_ATTR, reduction_dims: DENSE_I64],
        traits: PURE,
        same_type: [[dest, acc]],
        format: "$kind `,` $source `,` $acc attr-dict $reduction_dims `:` type($source) `to` type($dest)",
        verify: verify_multi_reduction,
        fold: fold_multi_reduction,
    }

    /// `lhs * rhs + acc` in one rounding.
    FMAOp = "vector.fma" {
        operands: [lhs: FLOATS, rhs: FLOATS, acc: FLOATS],
        results: [result: FLOATS],
        traits: PURE | ELEMENTWISE,
        same_type: [[lhs, rhs, acc, result]],
        format: "$lhs `,` $rhs `,` $acc attr-dict `:` type($lhs)",
    }

    /// Running combinations along a dimension, and the last of them.
    ScanOp = "vector.scan" {
        operands: [source: RANKED, initial_value: ANY_RANK],
        results: [dest: RANKED, accumulated_value: ANY_RANK],
        attrs: [kind: KIND_ATTR, reduction_dim: I64_ATTR, inclusive: BOOL_ATTR],
        traits: PURE,
        same_type: [[source, dest], [initial_value, accumulated_value]],
        format: "$kind `,` $source `,` $initial_value attr-dict `:` type($source) `,` type($initial_value)",
        verify: verify_scan,
        result_names: |_, _| vec![Some("dest".into()), Some("accumulated_value".into())],
    }

    /// A sum of products over the reduction dimensions, as maps say which dimension
    /// of which operand is which; and an accumulator.
    ContractionOp = "vector.contract" {
        operands: [lhs: RANKED, rhs: RANKED, acc: ANY],
        results: [result: ANY],
        attrs: [indexing_maps: ARRAY_ATTR, iterator_types: ITERATORS_ATTR, kind: KIND_ATTR.default(|c| KIND.attr(c, 0))],
        traits: PURE,
        custom: (parse_contract, print_contract),
        verify: verify_contract,
    }

    /// Every element of one vector with every one of the other, and an accumulator.
    OuterProductOp = "vector.outerproduct" {
        operands: [lhs: RANKED, rhs: ANY, acc: RANKED.optional()],
        results: [result: RANKED],
        attrs: [kind: KIND_ATTR.default(|c| KIND.attr(c, 0))],
        traits: PURE,
        custom: (parse_outer, print_outer),
        verify: verify_outer,
    }
}

impl ReductionOp {
    /// The keyword of the operation.
    pub fn kind(self, ctx: &Context) -> String {
        use terrace_ir::OpKind;
        kind_of(ctx, self.op())
    }

    /// `kind` is a keyword of [`KIND`].
    pub fn build(b: &mut Builder, kind: &str, vector: Value, acc: Option<Value>) -> Value {
        let ty = vector.ty(b.ctx).element_or_self(b.ctx);
        let kind = KIND.attr(b.ctx, KIND.parse(kind).unwrap_or(0));
        let none = crate::arith::FASTMATH.attr(b.ctx, 0);
        let mut operands = vec![vector];
        operands.extend(acc);
        b.value::<ReductionOp>(&operands, ty, &[("kind", kind), ("fastmath", none)])
    }
}

impl FMAOp {}

// ---- reductions ----

fn verify_reduction(ctx: &Context, op: Op) -> Verified {
    let (v, d) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    same_element(ctx, v, d, "source operand and result")?;
    let rank = shape(ctx, v).len();
    if rank > 1 {
        return Err(format!("unsupported reduction rank: {rank}").into());
    }
    let kind = kind_of(ctx, op);
    if !supports(ctx, &kind, d) {
        let d = ctx.type_text(d);
        return Err(format!("unsupported reduction type ''{d}'' for kind '{kind}'").into());
    }
    Ok(())
}

fn reduction_dims(ctx: &Context, op: Op) -> Vec<i64> {
    op.attr(ctx, "reduction_dims")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default()
}

fn verify_multi_reduction(ctx: &Context, op: Op) -> Verified {
    let (s, d) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    same_element(ctx, s, d, "source operand and result")?;
    let gone = reduction_dims(ctx, op);
    let kept: Vec<usize> = (0..shape(ctx, s).len())
        .filter(|i| !gone.contains(&(*i as i64)))
        .collect();
    let dims: Vec<i64> = kept.iter().map(|i| shape(ctx, s)[*i]).collect();
    let flags: Vec<bool> = kept.iter().map(|i| scalable_at(ctx, s, *i)).collect();
    let elem = s.element_or_self(ctx);
    let want = if dims.is_empty() {
        elem
    } else {
        vector_type(ctx, &dims, elem, &flags)
    };
    if d != want {
        return Err(format!(
            "destination type '{}' is incompatible with source type '{}'",
            ctx.type_text(d),
            ctx.type_text(s)
        )
        .into());
    }
    Ok(())
}

/// A reduction along no dimension does nothing.
fn fold_multi_reduction(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    if reduction_dims(ctx, op).is_empty() {
        return Fold::value(op.operand(ctx, 0));
    }
    Fold::No
}

fn verify_scan(ctx: &Context, op: Op) -> Verified {
    let (s, initial) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    let dims = shape(ctx, s);
    let rank = dims.len() as i64;
    let along = op.int_attr(ctx, "reduction_dim").unwrap_or(0);
    if along >= rank {
        return Err(format!("reduction dimension {along} has to be less than {rank}").into());
    }
    let have = shape(ctx, initial);
    if have.len() as i64 != rank - 1 {
        return Err(format!(
            "initial value rank {} has to be equal to {}",
            have.len(),
            rank - 1
        )
        .into());
    }
    let want = dims
        .iter()
        .enumerate()
        .filter(|(i, _)| *i as i64 != along)
        .map(|(_, d)| d);
    if !have.iter().eq(want) {
        return Err("incompatible input/initial value shapes".into());
    }
    let (kind, elem) = (kind_of(ctx, op), s.element_or_self(ctx));
    if !supports(ctx, &kind, elem) {
        return Err(format!(
            "unsupported reduction type '{}' for kind '{kind}'",
            ctx.type_text(elem)
        )
        .into());
    }
    Ok(())
}

// ---- contraction ----

const TRAIT_ATTRS: [&str; 3] = ["indexing_maps", "iterator_types", "kind"];

/// `{indexing_maps = [...], iterator_types = ["parallel", ...]} %a, %b, %c : t, t into t`.
fn parse_contract(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let pos = p.pos();
    // The dictionary may stand as an alias.
    let dict = p.parse_attr()?;
    let Some(entries) = dict.as_dict(p.ctx).map(<[_]>::to_vec) else {
        return Err(p.op_error(pos, "invalid kind of attribute specified"));
    };
    let lhs = p.parse_operand()?;
    p.expect(T::Comma)?;
    let rhs = p.parse_operand()?;
    p.expect(T::Comma)?;
    let acc = p.parse_operand()?;
    let mut masks = 0;
    while p.eat(T::Comma) {
        p.parse_operand()?;
        masks += 1;
    }
    p.parse_optional_attr_dict(state)?;
    // Upstream reads any number of types, and looks at the first two.
    let types = p.parse_colon_type_list()?;
    let (Some(tl), Some(tr)) = (types.first().copied(), types.get(1).copied()) else {
        return Err(p.op_error(pos, "expected the types of both factors"));
    };
    p.expect_keyword("into")?;
    let tc = p.parse_type()?;
    state.operands = vec![
        p.resolve(lhs, tl)?,
        p.resolve(rhs, tr)?,
        p.resolve(acc, tc)?,
    ];
    state.result_types.push(tc);
    for (k, a) in entries {
        let name = p.ctx.str(k).to_string();
        state.set_attr(p.ctx, &name, a);
    }
    let list = state
        .get_attr(p.ctx, "iterator_types")
        .and_then(|a| a.as_array(p.ctx));
    let Some(list) = list.map(<[_]>::to_vec) else {
        return Err(p.op_error(pos, "expected \"iterator_types\" array attribute"));
    };
    let mut iterators = Vec::with_capacity(list.len());
    for a in list {
        let word = a.as_str_lossy(p.ctx).map(|s| s.into_owned());
        match word.as_deref().map(|w| ITERATOR.parse(w)) {
            Some(Some(v)) => iterators.push(ITERATOR.attr(p.ctx, v)),
            Some(None) => {
                let w = word.unwrap_or_default();
                return Err(p.op_error(pos, format!("unexpected iterator_type ({w})")));
            }
            None => iterators.push(a),
        }
    }
    let iterators = p.ctx.array_attr(iterators);
    state.set_attr(p.ctx, "iterator_types", iterators);
    if state.get_attr(p.ctx, "kind").is_none() {
        state.set_attr(p.ctx, "kind", KIND.attr(p.ctx, 0));
    }
    match masks {
        0 => Ok(()),
        // Masks are written with `vector.mask` now.
        2 => Err(p.op_error(pos, "expected 3 operands, but found 5")),
        _ => Err(p.op_error(pos, "expected zero or exactly 2 vector mask operands")),
    }
}

fn print_contract(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let words = |a: Attr| {
        let list = a
            .as_array(ctx)
            .unwrap_or(&[])
            .iter()
            .map(|x| match ITERATOR.value(ctx, *x) {
                Some(v) => ctx.string_attr(&ITERATOR.keyword(v).unwrap_or_default()),
                None => *x,
            });
        ctx.array_attr(list.collect())
    };
    let entries: Vec<(Str, Attr)> = op
        .attrs(ctx)
        .into_iter()
        .filter(|(k, _)| TRAIT_ATTRS.contains(&ctx.str(*k)))
        .map(|(k, a)| {
            (
                k,
                if ctx.str(k) == "iterator_types" {
                    words(a)
                } else {
                    a
                },
            )
        })
        .collect();
    p.write(" ");
    p.dict(&entries);
    p.write(" ");
    p.values(&op.operands(ctx));
    p.attr_dict(op, &TRAIT_ATTRS, false);
    p.write(" : ");
    p.types(&op.operand_types(ctx)[..2]);
    p.write(" into ");
    p.ty(op.result(ctx, 0).ty(ctx));
}

/// The result of a map that is dimension `d`.
fn result_of(m: &AffineMap, d: u32) -> Option<usize> {
    m.results()
        .iter()
        .position(|e| matches!(e, AffineExpr::Dim(x) if *x == d))
}

/// The size of each dimension of the iteration, from the factors.
fn extents(l: &[i64], r: &[i64], ml: &AffineMap, mr: &AffineMap) -> Option<Vec<i64>> {
    let extent = |d| {
        let left = result_of(ml, d).and_then(|i| l.get(i));
        left.or_else(|| result_of(mr, d).and_then(|i| r.get(i)))
            .copied()
    };
    (0..ml.num_dims()).map(extent).collect()
}

/// The mask of a contraction: a flag for each point of the iteration.
pub(super) fn contract_mask(ctx: &Context, op: Op) -> Option<Type> {
    let maps = op.attr(ctx, "indexing_maps")?.as_array(ctx)?;
    let (ml, mr) = (maps.first()?.as_map(ctx)?, maps.get(1)?.as_map(ctx)?);
    let (lhs, rhs) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    let dims = extents(shape(ctx, lhs), shape(ctx, rhs), ml, mr)?;
    let flag = |d| match result_of(ml, d) {
        Some(i) => scalable_at(ctx, lhs, i),
        None => result_of(mr, d).is_some_and(|i| scalable_at(ctx, rhs, i)),
    };
    let flags: Vec<bool> = (0..ml.num_dims()).map(flag).collect();
    Some(vector_type(ctx, &dims, ctx.i1(), &flags))
}

fn verify_contract(ctx: &Context, op: Op) -> Verified {
    let types = op.operand_types(ctx);
    let (lhs, rhs, acc, res) = (types[0], types[1], types[2], op.result(ctx, 0).ty(ctx));
    if lhs.element(ctx) != rhs.element(ctx) {
        return Err("failed to verify that lhs and rhs have same element type".into());
    }
    same_element(ctx, acc, res, "third operand acc and result")?;
    if let Some(TypeData::Integer { sign, .. }) = lhs.element(ctx).map(|t| t.data(ctx))
        && *sign != Signedness::Signless
    {
        return Err("only supports signless integer types".into());
    }
    let maps = op
        .attr(ctx, "indexing_maps")
        .and_then(|a| a.as_array(ctx))
        .unwrap_or(&[]);
    let maps: Vec<&AffineMap> = maps.iter().filter_map(|a| a.as_map(ctx)).collect();
    let [ml, mr, mo] = maps.as_slice() else {
        return Err("expected an indexing map for each vector operand".into());
    };
    let iterators = op
        .attr(ctx, "iterator_types")
        .and_then(|a| a.as_array(ctx))
        .unwrap_or(&[]);
    let n = iterators.len();
    for (i, (m, t)) in maps.iter().zip(&types).enumerate() {
        let rank = shape(ctx, *t).len();
        let bad = |what: String| Err(format!("expected indexing map {i} to {what}").into());
        if m.num_symbols() != 0 {
            return bad("have no symbols".into());
        }
        if m.num_dims() as usize != n {
            return bad(format!("have {n} number of inputs"));
        }
        if m.results().len() != rank {
            return bad(format!("have {rank} number of outputs"));
        }
        if !m.is_projected_permutation() {
            return bad("be a projected permutation of its inputs".into());
        }
    }
    let (l, r) = (shape(ctx, lhs), shape(ctx, rhs));
    let (mut contracting, mut batch) = (Vec::new(), Vec::new());
    for (d, it) in (0u32..).zip(iterators) {
        let pair = result_of(ml, d).zip(result_of(mr, d));
        let reduction = ITERATOR.value(ctx, *it) == Some(1);
        match pair {
            Some(p) if reduction => contracting.push(p),
            Some(p) if result_of(mo, d).is_some() => batch.push(p),
            _ => {}
        }
    }
    if contracting.is_empty() {
        return Err("expected at least one contracting dimension pair".into());
    }
    if contracting.iter().any(|(a, b)| l[*a] != r[*b]) {
        return Err("invalid contracting dimension map".into());
    }
    if batch.iter().any(|(a, b)| l[*a] != r[*b]) {
        return Err("invalid batch dimension map".into());
    }
    let free = l.len() - contracting.len() + r.len() - contracting.len() - batch.len();
    if free == 0 {
        if res.is_vector(ctx) || acc.is_vector(ctx) {
            return Err("invalid accumulator/result vector shape".into());
        }
    } else {
        if !res.is_vector(ctx) || !acc.is_vector(ctx) {
            return Err("invalid accumulator/result vector shape".into());
        }
        let Some(all) = extents(l, r, ml, mr) else {
            return Err("expected all dimensions to be either a LHS or a RHS dimension".into());
        };
        let Some(dims) = mo.eval(&all, &[]) else {
            return Ok(());
        };
        let want = vector_type(ctx, &dims, res.element_or_self(ctx), &scalable(ctx, res));
        if res != want || acc != want {
            let want = ctx.type_text(want);
            return Err(
                format!("invalid accumulator/result vector shape, expected: '{want}'").into(),
            );
        }
    }
    if !supports(ctx, &kind_of(ctx, op), res.element_or_self(ctx)) {
        return Err("unsupported contraction type".into());
    }
    Ok(())
}

// ---- outer product ----

fn parse_outer(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let pos = p.pos();
    let operands = p.parse_operand_list()?;
    p.parse_optional_attr_dict(state)?;
    let tl = p.parse_colon_type()?;
    p.expect(T::Comma)?;
    let tr = p.parse_type()?;
    let (Some(a), Some(b)) = (operands.first(), operands.get(1)) else {
        return Err(p.op_error(pos, "expected at least 2 operands"));
    };
    let Some(rows) = shape(p.ctx, tl).first().copied() else {
        return Err(p.op_error(pos, "expected vector type for operand #1"));
    };
    let mut dims = vec![rows];
    let mut flags = vec![scalable_at(p.ctx, tl, 0)];
    if tr.is_vector(p.ctx) {
        let Some(columns) = shape(p.ctx, tr).first().copied() else {
            return Err(p.op_error(pos, "expected 1-d vector for operand #2"));
        };
        dims.push(columns);
        flags.push(scalable_at(p.ctx, tr, 0));
    }
    let ty = vector_type(p.ctx, &dims, tl.element_or_self(p.ctx), &flags);
    state.operands = vec![p.resolve(*a, tl)?, p.resolve(*b, tr)?];
    if let Some(c) = operands.get(2) {
        state.operands.push(p.resolve(*c, ty)?);
    }
    if state.get_attr(p.ctx, "kind").is_none() {
        state.set_attr(p.ctx, "kind", KIND.attr(p.ctx, 0));
    }
    state.result_types.push(ty);
    Ok(())
}

fn print_outer(p: &mut Printer, op: Op) {
    let v = op.operands(p.ctx);
    p.write(" ");
    p.values(&v);
    if v.len() > 2 {
        p.attr_dict(op, &[], false);
    }
    p.write(" : ");
    p.types(&op.operand_types(p.ctx)[..2]);
}

fn verify_outer(ctx: &Context, op: Op) -> Verified {
    let types = op.operand_types(ctx);
    let (l, r, d) = (types[0], types[1], op.result(ctx, 0).ty(ctx));
    same_element(ctx, l, d, "lhs operand and result")?;
    same_element(ctx, r, d, "rhs operand and result")?;
    let (ls, rs, ds) = (shape(ctx, l), shape(ctx, r), shape(ctx, d));
    if ls.len() != 1 {
        return Err("expected 1-d vector for operand #1".into());
    }
    if r.is_vector(ctx) {
        if rs.len() != 1 {
            return Err("expected 1-d vector for operand #2".into());
        }
        if ds.len() != 2 {
            return Err("expected 2-d vector result".into());
        }
        if ls[0] != ds[0] {
            return Err("expected #1 operand dim to match result dim #1".into());
        }
        if rs[0] != ds[1] {
            return Err("expected #2 operand dim to match result dim #2".into());
        }
        if scalable_at(ctx, l, 0) && !scalable_at(ctx, r, 0) {
            return Err("expected either both or only #2 operand dim to be scalable".into());
        }
    } else {
        if ds.len() != 1 {
            return Err("expected 1-d vector result".into());
        }
        if ls[0] != ds[0] {
            return Err("expected #1 operand dim to match result dim #1".into());
        }
    }
    if types.get(2).is_some_and(|t| *t != d) {
        return Err("expected operand #3 of same type as result type".into());
    }
    if !supports(ctx, &kind_of(ctx, op), d.element_or_self(ctx)) {
        return Err("unsupported outerproduct type".into());
    }
    Ok(())
}
