//! `affine.delinearize_index` and `affine.linearize_index`: between one index and
//! several over a mixed-radix basis.

use super::index_patterns::{canonicalize_delinearize, canonicalize_linearize};
use super::scope::{affine_scope, is_valid_dim};
use terrace_ir::constraint::{AttrConstraint, DENSE_I64, INDEX};
use terrace_ir::opdef::{Fold, FoldResult, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, AttrData, Builder, Context, Op, OpKind, OpState, Value, op};

const DISJOINT: AttrConstraint = AttrConstraint::new("unit property", |c, a| {
    matches!(a.data(c), AttrData::Unit) || a.as_bool(c).is_some()
})
.optional();

op! {
    /// The digits of an index in a mixed-radix basis, the most significant first. The
    /// basis may leave out the size of the first, which only bounds it.
    DelinearizeIndexOp = "affine.delinearize_index" {
        operands: [linear_index: INDEX, dynamic_basis: INDEX.variadic()],
        results: [multi_index: INDEX.variadic()],
        attrs: [static_basis: DENSE_I64],
        traits: PURE,
        custom: (parse_delinearize, print_delinearize),
        verify: verify_delinearize,
        fold: fold_delinearize,
        canonicalize: canonicalize_delinearize,
    }

    /// The index whose digits in a mixed-radix basis are given. `disjoint` promises
    /// that each is at least 0 and below its size.
    LinearizeIndexOp = "affine.linearize_index" {
        operands: [multi_index: INDEX.variadic(), dynamic_basis: INDEX.variadic()],
        results: [linear_index: INDEX],
        attrs: [static_basis: DENSE_I64, disjoint: DISJOINT],
        traits: PURE | ATTR_SIZED_OPERANDS,
        custom: (parse_linearize, print_linearize),
        verify: verify_linearize,
        fold: fold_linearize,
        canonicalize: canonicalize_linearize,
    }
}

/// One size of a basis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// A number.
    Const(i64),
    /// A value of type `index`.
    Value(Value),
}

/// The basis of either op, without a size for the first index where none is given.
fn basis_of(ctx: &Context, op: Op) -> Vec<Size> {
    let mut dynamic = op.operand_group(ctx, "dynamic_basis").into_iter();
    let sizes = static_basis(ctx, op);
    sizes
        .into_iter()
        .filter_map(|s| match s {
            DYNAMIC => dynamic.next().map(Size::Value),
            s => Some(Size::Const(s)),
        })
        .collect()
}

fn static_basis(ctx: &Context, op: Op) -> Vec<i64> {
    op.attr(ctx, "static_basis")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default()
}

/// A basis as values and static sizes.
fn split(basis: &[Size]) -> (Vec<Value>, Vec<i64>) {
    let mut values = Vec::new();
    let sizes = basis
        .iter()
        .map(|s| match s {
            Size::Const(c) => *c,
            Size::Value(v) => {
                values.push(*v);
                DYNAMIC
            }
        })
        .collect();
    (values, sizes)
}

/// One entry per index: `None` for the first where its size is not given.
fn padded(basis: Vec<Size>, indices: usize) -> Vec<Option<Size>> {
    let mut v: Vec<Option<Size>> = basis.into_iter().map(Some).collect();
    if v.len() < indices {
        v.insert(0, None);
    }
    v
}

impl DelinearizeIndexOp {
    pub(crate) fn linear_index(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// The sizes written, outermost first.
    pub fn basis(self, ctx: &Context) -> Vec<Size> {
        basis_of(ctx, self.op())
    }

    /// The size of each result; `None` for the first where it has none.
    pub(crate) fn padded_basis(self, ctx: &Context) -> Vec<Option<Size>> {
        padded(self.basis(ctx), self.op().num_results(ctx))
    }

    /// Whether the first result has a size.
    pub(crate) fn has_outer_bound(self, ctx: &Context) -> bool {
        self.op().num_results(ctx) == static_basis(ctx, self.op()).len()
    }

    /// One result per entry of `basis`; only the first may be `None`.
    pub fn build(b: &mut Builder, index: Value, basis: &[Option<Size>]) -> DelinearizeIndexOp {
        let sizes: Vec<Size> = basis.iter().copied().flatten().collect();
        let (values, sizes) = split(&sizes);
        let types = vec![b.ctx.index(); basis.len()];
        let sizes = b.ctx.i64_array(&sizes);
        let operands = [&[index], &values[..]].concat();
        let op = b.op::<DelinearizeIndexOp>(&operands, &types, &[("static_basis", sizes)]);
        DelinearizeIndexOp::wrap(op)
    }
}

impl LinearizeIndexOp {
    /// The subscripts, outermost first.
    pub fn multi_index(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "multi_index")
    }

    /// The sizes written, outermost first.
    pub fn basis(self, ctx: &Context) -> Vec<Size> {
        basis_of(ctx, self.op())
    }

    /// The size of each index; `None` for the first where it has none.
    pub(crate) fn padded_basis(self, ctx: &Context) -> Vec<Option<Size>> {
        padded(self.basis(ctx), self.multi_index(ctx).len())
    }

    /// Whether every index is promised to be within its size.
    pub fn disjoint(self, ctx: &Context) -> bool {
        self.op()
            .attr(ctx, "disjoint")
            .is_some_and(|a| matches!(a.data(ctx), AttrData::Unit) || a.as_bool(ctx) == Some(true))
    }

    /// One entry of `basis` per index; only the first may be `None`.
    pub(crate) fn build(
        b: &mut Builder,
        indices: &[Value],
        basis: &[Option<Size>],
        disjoint: bool,
    ) -> Value {
        let sizes: Vec<Size> = basis.iter().copied().flatten().collect();
        let (values, sizes) = split(&sizes);
        let attrs = [
            ("static_basis", b.ctx.i64_array(&sizes)),
            ("disjoint", disjoint_attr(b.ctx, disjoint)),
            (
                "operandSegmentSizes",
                super::for_op::segments(b.ctx, &[indices.len(), values.len()]),
            ),
        ];
        let index = b.ctx.index();
        b.value::<LinearizeIndexOp>(&[indices, &values].concat(), index, &attrs)
    }
}

/// The promise as upstream writes it in the generic form.
fn disjoint_attr(ctx: &Context, disjoint: bool) -> Attr {
    if disjoint {
        ctx.unit()
    } else {
        ctx.bool_attr(false)
    }
}

/// `(2, %n, 3)`.
fn parse_basis(p: &mut OpParser) -> PResult<(Vec<Value>, Vec<i64>)> {
    let index = p.ctx.index();
    let (mut values, mut sizes) = (Vec::new(), Vec::new());
    p.parse_list(T::LParen, T::RParen, |p| {
        if let Some(o) = p.parse_optional_operand()? {
            values.push(p.resolve(o, index)?);
            sizes.push(DYNAMIC);
            return Ok(());
        }
        match p.parse_optional_i64()? {
            Some(v) => sizes.push(v),
            None => return Err(p.expected("expected SSA value or integer")),
        }
        Ok(())
    })?;
    Ok((values, sizes))
}

fn print_basis(p: &mut Printer, op: Op) {
    let basis = basis_of(p.ctx, op);
    p.write("(");
    p.list(&basis, |p, s| match s {
        Size::Const(c) => p.fmt(format_args!("{c}")),
        Size::Value(v) => p.value(v),
    });
    p.write(")");
}

fn parse_delinearize(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let index = p.ctx.index();
    let linear = p.parse_operand()?;
    p.expect_keyword("into")?;
    let (values, sizes) = parse_basis(p)?;
    let sizes = p.ctx.i64_array(&sizes);
    state.set_attr(p.ctx, "static_basis", sizes);
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    if let Some(first) = p.parse_optional_type()? {
        state.result_types.push(first);
        while p.eat(T::Comma) {
            let ty = p.parse_type()?;
            state.result_types.push(ty);
        }
    }
    let linear = p.resolve(linear, index)?;
    state.operands.push(linear);
    state.operands.extend(values);
    Ok(())
}

fn print_delinearize(p: &mut Printer, op: Op) {
    p.write(" ");
    p.value(op.operand(p.ctx, 0));
    p.write(" into ");
    print_basis(p, op);
    p.attr_dict(op, &["static_basis"], false);
    p.write(" : ");
    p.types(&op.result_types(p.ctx));
}

fn parse_linearize(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let index = p.ctx.index();
    let disjoint = p.eat_keyword("disjoint");
    let disjoint = disjoint_attr(p.ctx, disjoint);
    state.set_attr(p.ctx, "disjoint", disjoint);
    let indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    p.expect_keyword("by")?;
    let (values, sizes) = parse_basis(p)?;
    let groups = super::for_op::segments(p.ctx, &[indices.len(), values.len()]);
    let sizes = p.ctx.i64_array(&sizes);
    state.set_attr(p.ctx, "static_basis", sizes);
    state.set_attr(p.ctx, "operandSegmentSizes", groups);
    p.parse_optional_attr_dict(state)?;
    let ty = p.parse_colon_type()?;
    state.operands.extend(p.resolve_all(&indices, index)?);
    state.operands.extend(values);
    state.result_types.push(ty);
    Ok(())
}

fn print_linearize(p: &mut Printer, op: Op) {
    let this = LinearizeIndexOp::wrap(op);
    p.write(if this.disjoint(p.ctx) {
        " disjoint ["
    } else {
        " ["
    });
    p.values(&this.multi_index(p.ctx));
    p.write("] by ");
    print_basis(p, op);
    p.attr_dict(
        op,
        &["static_basis", "operandSegmentSizes", "disjoint"],
        false,
    );
    p.write(" : ");
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
}

fn verify_markers(ctx: &Context, op: Op) -> Verified {
    let markers = static_basis(ctx, op)
        .iter()
        .filter(|s| **s == DYNAMIC)
        .count();
    if markers != op.operand_group(ctx, "dynamic_basis").len() {
        return Err("mismatch between dynamic and static basis (kDynamic marker but no corresponding dynamic basis entry) -- this can only happen due to an incorrect fold/rewrite".into());
    }
    Ok(())
}

fn verify_delinearize(ctx: &Context, op: Op) -> Verified {
    let sizes = static_basis(ctx, op);
    let n = op.num_results(ctx);
    if n != sizes.len() && n != sizes.len() + 1 {
        return Err(
            "should return an index for each basis element and up to one extra index".into(),
        );
    }
    verify_markers(ctx, op)?;
    if sizes.iter().any(|s| *s <= 0 && *s != DYNAMIC) {
        return Err("no basis element may be statically non-positive".into());
    }
    Ok(())
}

fn verify_linearize(ctx: &Context, op: Op) -> Verified {
    let sizes = static_basis(ctx, op);
    let n = LinearizeIndexOp::wrap(op).multi_index(ctx).len();
    if n != sizes.len() && n != sizes.len() + 1 {
        return Err(
            "should be passed a basis element for each index except possibly the first".into(),
        );
    }
    verify_markers(ctx, op)
}

/// Move sizes that are constant values into the static basis. Whether any was.
fn fold_basis(ctx: &Context, op: Op, leading: &[Value]) -> bool {
    let old = basis_of(ctx, op);
    let new: Vec<Size> = old
        .iter()
        .map(|s| match s {
            Size::Value(v) => match ctx.constant_int(*v) {
                // What no verifier would accept stays where it is.
                Some(c) if c > 0 => Size::Const(c),
                _ => *s,
            },
            _ => *s,
        })
        .collect();
    if new == old {
        return false;
    }
    let (values, sizes) = split(&new);
    op.set_attr(ctx, "static_basis", ctx.i64_array(&sizes));
    if op.isa::<LinearizeIndexOp>(ctx) {
        let groups = super::for_op::segments(ctx, &[leading.len(), values.len()]);
        op.set_attr(ctx, "operandSegmentSizes", groups);
    }
    op.set_operands(ctx, &[leading, &values].concat());
    true
}

fn fold_delinearize(ctx: &Context, op: Op, operands: &[Option<Attr>]) -> Fold {
    let this = DelinearizeIndexOp::wrap(op);
    if fold_basis(ctx, op, &[op.operand(ctx, 0)]) {
        return Fold::InPlace;
    }
    if op.num_results(ctx) == 1 {
        return Fold::value(op.operand(ctx, 0));
    }
    let Some(mut rest) = operands
        .first()
        .copied()
        .flatten()
        .and_then(|a| a.as_i64(ctx))
    else {
        return Fold::No;
    };
    let mut sizes = static_basis(ctx, op);
    if op.num_results(ctx) == 0 || sizes.iter().any(|s| *s <= 0) {
        return Fold::No;
    }
    if this.has_outer_bound(ctx) {
        sizes.remove(0);
    }
    let mut digits = Vec::new();
    for s in sizes.iter().rev() {
        digits.push(rest.rem_euclid(*s));
        rest = rest.div_euclid(*s);
    }
    digits.push(rest);
    let attr = |d: i64| FoldResult::Attr(ctx.index_attr(d));
    Fold::Results(digits.into_iter().rev().map(attr).collect())
}

fn fold_linearize(ctx: &Context, op: Op, operands: &[Option<Attr>]) -> Fold {
    let this = LinearizeIndexOp::wrap(op);
    let indices = this.multi_index(ctx);
    if fold_basis(ctx, op, &indices) {
        return Fold::InPlace;
    }
    if indices.is_empty() {
        return Fold::attr(ctx.index_attr(0));
    }
    if let [one] = indices[..] {
        return Fold::value(one);
    }
    Fold::maybe(linear_constant(ctx, op, &operands[..indices.len()]).map(|v| ctx.index_attr(v)))
}

/// The linear index of constants; `None` where it does not fit.
fn linear_constant(ctx: &Context, op: Op, indices: &[Option<Attr>]) -> Option<i64> {
    let sizes = static_basis(ctx, op);
    if sizes.contains(&DYNAMIC) {
        return None;
    }
    let (mut sum, mut stride) = (0i64, 1i64);
    let mut sizes = sizes.iter().rev();
    for (k, i) in indices.iter().rev().enumerate() {
        sum = sum.checked_add((*i)?.as_i64(ctx)?.checked_mul(stride)?)?;
        if let Some(s) = sizes.next()
            && k + 1 < indices.len()
        {
            stride = stride.checked_mul(*s)?;
        }
    }
    Some(sum)
}

impl DelinearizeIndexOp {
    /// Whether the results may be dimensions of affine maps where the op stands.
    pub fn is_affine(self, ctx: &Context) -> bool {
        let scope = affine_scope(ctx, self.op());
        self.op()
            .operands(ctx)
            .iter()
            .all(|v| is_valid_dim(ctx, *v, scope))
    }
}
