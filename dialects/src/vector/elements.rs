//! Elements of vectors: extract, insert, from and to elements.

use super::types::{ANY_RANK, FIXED_ANY_RANK, same_element, scalable, shape, vector_type};
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{ANY, DENSE_I64, INDEX};
use terrace_ir::opdef::{Fold, Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult, UnresolvedOperand};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Builder, Context, Op, OpKind, Type, Value, op};

op! {
    /// The element or slice at a position, which may be shorter than the vector's
    /// rank and have constants and values in it.
    ExtractOp = "vector.extract" {
        operands: [source: ANY_RANK, dynamic_position: INDEX.variadic()],
        results: [result: ANY],
        attrs: [static_position: DENSE_I64],
        traits: PURE,
        custom: (parse_extract, print_extract),
        verify: verify_extract,
        fold: fold_extract,
        canonicalize: super::canonicalize::extract,
    }

    /// A vector with the element or slice at a position replaced.
    InsertOp = "vector.insert" {
        operands: [valueToStore: ANY, dest: ANY_RANK, dynamic_position: INDEX.variadic()],
        results: [result: ANY_RANK],
        attrs: [static_position: DENSE_I64],
        traits: PURE,
        same_type: [[dest, result]],
        custom: (parse_insert, print_insert),
        verify: verify_insert,
        fold: fold_insert,
        canonicalize: super::canonicalize::insert,
    }

    /// All elements of a vector, in row-major order.
    ToElementsOp = "vector.to_elements" {
        operands: [source: ANY_RANK],
        results: [elements: ANY.variadic()],
        traits: PURE,
        format: "$source attr-dict `:` type($source)",
        infer: infer_to_elements,
        verify: |ctx, op| verify_elements(ctx, op.operand(ctx, 0).ty(ctx), &op.result_types(ctx)),
        fold: fold_to_elements,
        canonicalize: super::canonicalize::to_elements,
    }

    /// The vector of these elements, in row-major order.
    FromElementsOp = "vector.from_elements" {
        operands: [elements: ANY.variadic()],
        results: [dest: FIXED_ANY_RANK],
        traits: PURE,
        custom: (parse_from_elements, print_from_elements),
        verify: |ctx, op| verify_elements(ctx, op.result(ctx, 0).ty(ctx), &op.operand_types(ctx)),
        fold: fold_from_elements,
        canonicalize: super::canonicalize::from_elements,
    }
}

/// A position: [`DYNAMIC`] stands for the next of the values.
fn position(ctx: &Context, op: Op) -> Vec<i64> {
    op.attr(ctx, "static_position")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default()
}

impl ExtractOp {
    /// The position; [`DYNAMIC`] stands for the next of `Self::dynamic_position`.
    pub fn static_position(self, ctx: &Context) -> Vec<i64> {
        position(ctx, self.op())
    }

    pub(crate) fn dynamic_position(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "dynamic_position")
    }

    /// The element or slice of `source` at a constant position.
    pub fn build(b: &mut Builder, source: Value, at: &[i64]) -> Value {
        let ty = slice_type(b.ctx, source.ty(b.ctx), at.len());
        let at = b.ctx.i64_array(at);
        b.value::<ExtractOp>(&[source], ty, &[("static_position", at)])
    }
}

impl InsertOp {
    /// The position; [`DYNAMIC`] stands for the next of `Self::dynamic_position`.
    pub fn static_position(self, ctx: &Context) -> Vec<i64> {
        position(ctx, self.op())
    }
}

/// What is left of a vector type when `n` leading dimensions are fixed.
fn slice_type(ctx: &Context, t: Type, n: usize) -> Type {
    let (dims, elem) = (shape(ctx, t), t.element_or_self(ctx));
    if n >= dims.len() {
        return elem;
    }
    vector_type(ctx, &dims[n..], elem, &scalable(ctx, t)[n..])
}

// ---- syntax ----

/// `[%i, 3]`.
fn parse_position<'a>(p: &mut OpParser<'a>) -> PResult<(Vec<UnresolvedOperand<'a>>, Vec<i64>)> {
    let (mut values, mut constants) = (Vec::new(), Vec::new());
    p.parse_list(T::LSquare, T::RSquare, |p| {
        if p.at(T::PercentIdentifier) {
            values.push(p.parse_operand()?);
            constants.push(DYNAMIC);
        } else {
            constants.push(p.parse_i64()?);
        }
        Ok(())
    })?;
    Ok((values, constants))
}

fn print_position(p: &mut Printer, op: Op) {
    let mut values = op.operand_group(p.ctx, "dynamic_position").into_iter();
    p.write("[");
    p.list(&position(p.ctx, op), |p, c| match c {
        DYNAMIC => {
            if let Some(v) = values.next() {
                p.value(v);
            }
        }
        c => p.fmt(format_args!("{c}")),
    });
    p.write("]");
}

fn parse_extract(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let source = p.parse_operand()?;
    let (values, constants) = parse_position(p)?;
    p.parse_optional_attr_dict(state)?;
    let result = p.parse_colon_type()?;
    p.expect_keyword("from")?;
    let ty = p.parse_type()?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(source, ty)?);
    state.operands.extend(p.resolve_all(&values, index)?);
    state.set_attr(p.ctx, "static_position", p.ctx.i64_array(&constants));
    state.result_types.push(result);
    Ok(())
}

fn print_extract(p: &mut Printer, op: Op) {
    let source = op.operand(p.ctx, 0);
    p.write(" ");
    p.value(source);
    print_position(p, op);
    p.attr_dict(op, &["static_position"], false);
    p.write(" : ");
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
    p.write(" from ");
    p.ty(source.ty(p.ctx));
}

fn parse_insert(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let value = p.parse_operand()?;
    p.expect(T::Comma)?;
    let dest = p.parse_operand()?;
    let (values, constants) = parse_position(p)?;
    p.parse_optional_attr_dict(state)?;
    let from = p.parse_colon_type()?;
    p.expect_keyword("into")?;
    let ty = p.parse_type()?;
    let index = p.ctx.index();
    state.operands.push(p.resolve(value, from)?);
    state.operands.push(p.resolve(dest, ty)?);
    state.operands.extend(p.resolve_all(&values, index)?);
    state.set_attr(p.ctx, "static_position", p.ctx.i64_array(&constants));
    state.result_types.push(ty);
    Ok(())
}

fn print_insert(p: &mut Printer, op: Op) {
    let (value, dest) = (op.operand(p.ctx, 0), op.operand(p.ctx, 1));
    p.write(" ");
    p.values(&[value, dest]);
    p.write(" ");
    print_position(p, op);
    p.attr_dict(op, &["static_position"], false);
    p.write(" : ");
    p.ty(value.ty(p.ctx));
    p.write(" into ");
    p.ty(dest.ty(p.ctx));
}

fn parse_from_elements(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let pos = p.pos();
    let elements = p.parse_operand_list()?;
    p.parse_optional_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    let n = ty.num_elements(p.ctx).unwrap_or(-1);
    if elements.len() as i64 != n {
        let have = elements.len();
        return Err(p.op_error(
            pos,
            format!("number of operands and types do not match: got {have} operands and {n} types"),
        ));
    }
    let elem = ty.element_or_self(p.ctx);
    state.operands = p.resolve_all(&elements, elem)?;
    state.result_types.push(ty);
    Ok(())
}

fn print_from_elements(p: &mut Printer, op: Op) {
    p.write(" ");
    p.values(&op.operands(p.ctx));
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
}

// ---- extract and insert ----

/// Constants of a position lie in the vector, or are -1 for no element.
fn check_position(ctx: &Context, at: &[i64], t: Type, tail: &str) -> Verified {
    for (i, (p, n)) in at.iter().zip(shape(ctx, t)).enumerate() {
        if *p != DYNAMIC && (*p < -1 || p >= n) {
            return Err(format!("expected position attribute #{} {tail}", i + 1).into());
        }
    }
    Ok(())
}

fn verify_extract(ctx: &Context, op: Op) -> Verified {
    let e = ExtractOp::wrap(op);
    let (s, r) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    same_element(ctx, s, r, "operand and result")?;
    if r.is_vector(ctx) && shape(ctx, r).is_empty() {
        return Err(Invalid::plain(
            "expected a scalar instead of a 0-d vector as the result type",
        ));
    }
    let at = position(ctx, op);
    if at.iter().filter(|p| **p == DYNAMIC).count() != e.dynamic_position(ctx).len() {
        return Err("mismatch between dynamic and static positions (kDynamic marker but no corresponding dynamic position) -- this can only happen due to an incorrect fold/rewrite".into());
    }
    if at.len() > shape(ctx, s).len() {
        return Err("expected position attribute of rank no greater than vector rank".into());
    }
    check_position(
        ctx,
        &at,
        s,
        "to be a non-negative integer smaller than the corresponding vector dimension or poison (-1)",
    )?;
    let want = slice_type(ctx, s, at.len());
    // One element may also be asked for as a vector of one element.
    let single = shape(ctx, r).iter().all(|d| *d == 1) && r.is_vector(ctx);
    if r != want && (!single || want.is_vector(ctx)) {
        return Err(format!(
            "inferred type(s) '{}' are incompatible with return type(s) of operation '{}'",
            ctx.type_text(want),
            ctx.type_text(r)
        )
        .into());
    }
    Ok(())
}

fn verify_insert(ctx: &Context, op: Op) -> Verified {
    let (s, d) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    same_element(ctx, s, d, "source operand and result")?;
    if s.is_vector(ctx) && shape(ctx, s).is_empty() {
        return Err(Invalid::plain(
            "expected a scalar instead of a 0-d vector as the source operand",
        ));
    }
    let at = position(ctx, op);
    let rank = shape(ctx, d).len();
    if at.len() > rank {
        return Err("expected position attribute of rank no greater than dest vector rank".into());
    }
    if s.is_vector(ctx) && shape(ctx, s).len() + at.len() != rank {
        return Err(
            "expected position attribute rank + source rank to match dest vector rank".into(),
        );
    }
    if !s.is_vector(ctx) && at.len() != rank {
        return Err("expected position attribute rank to match the dest vector rank".into());
    }
    if at.iter().filter(|p| **p == DYNAMIC).count() != op.num_operands(ctx) - 2 {
        return Err("mismatch between dynamic and static positions".into());
    }
    check_position(
        ctx,
        &at,
        d,
        "to be a non-negative integer smaller than the corresponding dest vector dimension",
    )
}

/// Positions that are known go into the attribute.
fn fold_position(ctx: &Context, op: Op, operands: &[Option<Attr>], first: usize) -> bool {
    let mut at = position(ctx, op);
    let values = op.operands(ctx);
    let limits = shape(ctx, values[first - 1].ty(ctx)).to_vec();
    let mut kept: Vec<Value> = values[..first].to_vec();
    let mut next = first;
    let mut changed = false;
    for (p, n) in at.iter_mut().zip(limits) {
        if *p != DYNAMIC || next >= values.len() {
            continue;
        }
        let known = operands
            .get(next)
            .copied()
            .flatten()
            .and_then(|a| a.as_i64(ctx));
        // -1 is the place of no element.
        match known.filter(|k| (-1..n).contains(k)) {
            Some(k) => {
                *p = k;
                changed = true;
            }
            None => kept.push(values[next]),
        }
        next += 1;
    }
    if changed {
        op.set_operands(ctx, &kept);
        op.set_attr(ctx, "static_position", ctx.i64_array(&at));
    }
    changed
}

fn fold_extract(ctx: &Context, op: Op, operands: &[Option<Attr>]) -> Fold {
    let at = position(ctx, op);
    let (source, r) = (op.operand(ctx, 0), op.result(ctx, 0).ty(ctx));
    if at.is_empty() && source.ty(ctx) == r {
        return Fold::value(source);
    }
    if fold_position(ctx, op, operands, 1) {
        return Fold::InPlace;
    }
    let Some(def) = source.def_op() else {
        return Fold::No;
    };
    let fixed = !at.contains(&DYNAMIC);
    if def.isa::<ExtractOp>(ctx) {
        // One extract at both positions.
        let mut whole = position(ctx, def);
        whole.extend(&at);
        let mut operands = def.operands(ctx);
        operands.extend(op.operands(ctx).into_iter().skip(1));
        op.set_operands(ctx, &operands);
        op.set_attr(ctx, "static_position", ctx.i64_array(&whole));
        return Fold::InPlace;
    }
    if fixed && def.isa::<InsertOp>(ctx) {
        let into = position(ctx, def);
        if into == at && def.operand(ctx, 0).ty(ctx) == r {
            return Fold::value(def.operand(ctx, 0));
        }
        let apart = into.iter().zip(&at).any(|(a, b)| a != b);
        if apart && !into.contains(&DYNAMIC) && !into.contains(&-1) && !at.contains(&-1) {
            op.set_operand(ctx, 0, def.operand(ctx, 1));
            return Fold::InPlace;
        }
    }
    if def.isa::<super::shape::BroadcastOp>(ctx) && def.operand(ctx, 0).ty(ctx) == r {
        return Fold::value(def.operand(ctx, 0));
    }
    if fixed && def.isa::<FromElementsOp>(ctx) && !r.is_vector(ctx) {
        let dims = shape(ctx, source.ty(ctx));
        let index = at.iter().zip(dims).try_fold(0i64, |n, (p, d)| {
            (*p >= 0)
                .then(|| n.checked_mul(*d)?.checked_add(*p))
                .flatten()
        });
        let found = index
            .and_then(|i| usize::try_from(i).ok())
            .filter(|i| *i < def.num_operands(ctx));
        if let Some(i) = found {
            return Fold::value(def.operand(ctx, i));
        }
    }
    Fold::No
}

fn fold_insert(ctx: &Context, op: Op, operands: &[Option<Attr>]) -> Fold {
    if position(ctx, op).is_empty() && op.operand(ctx, 0).ty(ctx) == op.result(ctx, 0).ty(ctx) {
        return Fold::value(op.operand(ctx, 0));
    }
    if fold_position(ctx, op, operands, 2) {
        Fold::InPlace
    } else {
        Fold::No
    }
}

// ---- from and to elements ----

fn infer_to_elements(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    let t = s
        .operands
        .first()
        .map(|v| v.ty(ctx))
        .filter(|t| t.is_vector(ctx));
    let Some(t) = t else {
        return Err("operand #0 must be vector of any type values".into());
    };
    match t.num_elements(ctx).and_then(|n| usize::try_from(n).ok()) {
        Some(n) if n < 1 << 20 => Ok(vec![t.element_or_self(ctx); n]),
        _ => Err("has too many elements to name each".into()),
    }
}

fn verify_elements(ctx: &Context, t: Type, elements: &[Type]) -> Verified {
    let n = t.num_elements(ctx).and_then(|n| usize::try_from(n).ok());
    if n != Some(elements.len()) || elements.iter().any(|e| Some(*e) != t.element(ctx)) {
        return Err(
            "failed to verify that operand and result have the same number and type of elements"
                .into(),
        );
    }
    Ok(())
}

fn fold_to_elements(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    match op.operand(ctx, 0).def_op() {
        Some(d) if d.isa::<FromElementsOp>(ctx) => values(&d.operands(ctx)),
        Some(d)
            if d.isa::<super::shape::BroadcastOp>(ctx)
                && !d.operand(ctx, 0).ty(ctx).is_vector(ctx) =>
        {
            values(&vec![d.operand(ctx, 0); op.num_results(ctx)])
        }
        _ => Fold::No,
    }
}

fn values(v: &[Value]) -> Fold {
    Fold::Results(
        v.iter()
            .map(|v| terrace_ir::opdef::FoldResult::Value(*v))
            .collect(),
    )
}

/// All the elements of one vector, in order, are that vector.
fn fold_from_elements(ctx: &Context, op: Op, _: &[Option<Attr>]) -> Fold {
    let elements = op.operands(ctx);
    let Some(d) = elements.first().and_then(|v| v.def_op()) else {
        return Fold::No;
    };
    if d.isa::<ToElementsOp>(ctx)
        && d.results(ctx) == elements
        && d.operand(ctx, 0).ty(ctx) == op.result(ctx, 0).ty(ctx)
    {
        return Fold::value(d.operand(ctx, 0));
    }
    Fold::No
}
