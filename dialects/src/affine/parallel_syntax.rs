//! `affine.parallel`: text, and what must hold.

use super::ParallelOp;
use super::dense::i32_tensor;
use super::parallel::{groups, i64_list};
use super::scope::verify_operands;
use super::syntax::at_name;
use crate::arith::ATOMIC_RMW_KIND;
use terrace_ir::affine::AffineMap;
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{Argument, OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::{Signedness, TypeData};
use terrace_ir::{Context, Op, OpKind, OpState, Type, Value};

/// `(%i, %j) = (BOUNDS) to (BOUNDS) step (1, 2) reduce ("addf") -> (t) { ... }`.
pub(super) fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let index = p.ctx.index();
    let mut ivs: Vec<Argument> = Vec::new();
    p.parse_list(T::LParen, T::RParen, |p| {
        let mut iv = p.parse_argument(false, false)?;
        iv.ty = Some(index);
        ivs.push(iv);
        Ok(())
    })?;
    p.expect(T::Equal)?;
    parse_bounds(p, state, "max", "lowerBoundsMap", "lowerBoundsGroups")?;
    p.expect_keyword("to")?;
    parse_bounds(p, state, "min", "upperBoundsMap", "upperBoundsGroups")?;

    let mut steps = vec![1; ivs.len()];
    if p.eat_keyword("step") {
        let (map, _) = p.parse_map_of_operands(T::LParen, T::RParen)?;
        let Some(list) = map.constant_results() else {
            return Err(at_name(p, state, "steps must be constant integers"));
        };
        steps = list;
    }
    let steps = i64_list(p.ctx, &steps);
    state.set_attr(p.ctx, "steps", steps);

    let mut reductions = Vec::new();
    if p.eat_keyword("reduce") {
        p.expect(T::LParen)?;
        loop {
            let pos = p.pos();
            let a = p.parse_attr()?;
            let Some(name) = a.as_str(p.ctx) else {
                return Err(p.error(pos, "invalid kind of attribute specified"));
            };
            let Some(kind) = ATOMIC_RMW_KIND.parse(name) else {
                let m = format!("invalid reduction value: {}", p.ctx.attr_text(a));
                return Err(p.error(pos, m));
            };
            reductions.push(kind);
            if !p.eat(T::Comma) {
                break;
            }
        }
        p.expect(T::RParen)?;
    }
    let reductions = i64_list(p.ctx, &reductions);
    state.set_attr(p.ctx, "reductions", reductions);
    state.result_types = p.parse_optional_arrow_types()?;
    let body = p.parse_region(&ivs, false)?;
    let region = body.region(p.ctx);
    if region.is_empty(p.ctx) {
        region.add_block(p.ctx, &[]);
    }
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)
}

/// `(EXPR, max(EXPR, EXPR))`: a flat map, and how many results each loop has.
fn parse_bounds(
    p: &mut OpParser,
    state: &mut OpState,
    keyword: &str,
    map_name: &str,
    groups_name: &str,
) -> PResult<()> {
    let (mut dims, mut symbols) = (Vec::new(), Vec::new());
    let (mut results, mut sizes) = (Vec::new(), Vec::new());
    p.parse_list(T::LParen, T::RParen, |p| {
        let start = results.len();
        if p.eat_keyword(keyword) {
            p.parse_list(T::LParen, T::RParen, |p| {
                results.push(p.parse_expr_of_operands(&mut dims, &mut symbols)?);
                Ok(())
            })?;
        } else {
            results.push(p.parse_expr_of_operands(&mut dims, &mut symbols)?);
        }
        sizes.push(i32::try_from(results.len() - start).unwrap_or(i32::MAX));
        Ok(())
    })?;
    let map = AffineMap::new(dims.len() as u32, symbols.len() as u32, results);
    let map = p.ctx.map_attr(map);
    state.set_attr(p.ctx, map_name, map);
    let sizes = i32_tensor(p.ctx, &sizes);
    state.set_attr(p.ctx, groups_name, sizes);
    let index = p.ctx.index();
    state.operands.extend(p.resolve_all(&dims, index)?);
    state.operands.extend(p.resolve_all(&symbols, index)?);
    Ok(())
}

fn print_bounds(
    p: &mut Printer,
    map: &AffineMap,
    groups: &[usize],
    operands: &[Value],
    keyword: &str,
) {
    let mut rest = map.results();
    for (i, n) in groups.iter().enumerate() {
        if i > 0 {
            p.write(", ");
        }
        let (group, others) = rest.split_at((*n).min(rest.len()));
        rest = others;
        if let [e] = group {
            p.affine_expr(e, map.num_dims(), operands);
            continue;
        }
        p.write(keyword);
        p.write("(");
        let group: Vec<_> = group.iter().collect();
        p.list(&group, |p, e| p.affine_expr(e, map.num_dims(), operands));
        p.write(")");
    }
}

pub(super) fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let this = ParallelOp::wrap(op);
    let Some(body) = op.region(ctx, 0).entry(ctx) else {
        return;
    };
    p.write(" (");
    p.values(&body.args(ctx));
    p.write(") = (");
    let (lower, upper) = (this.lower_operands(ctx), this.upper_operands(ctx));
    print_bounds(
        p,
        this.lower_map(ctx),
        &this.lower_groups(ctx),
        &lower,
        "max",
    );
    p.write(") to (");
    print_bounds(
        p,
        this.upper_map(ctx),
        &this.upper_groups(ctx),
        &upper,
        "min",
    );
    p.write(")");
    let steps = this.steps(ctx);
    if steps.iter().any(|s| *s != 1) {
        p.write(" step (");
        p.list(&steps, |p, s| p.fmt(format_args!("{s}")));
        p.write(")");
    }
    if op.num_results(ctx) > 0 {
        p.write(" reduce (");
        let kinds: Vec<String> = this
            .reductions(ctx)
            .into_iter()
            .map(|k| ATOMIC_RMW_KIND.keyword(k).unwrap_or_default())
            .collect();
        let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        p.list(&kinds, |p, k| p.fmt(format_args!("\"{k}\"")));
        p.write(") -> (");
        p.types(&op.result_types(ctx));
        p.write(")");
    }
    p.write(" ");
    p.region(op.region(ctx, 0), false, op.num_results(ctx) > 0);
    p.attr_dict(
        op,
        &[
            "reductions",
            "lowerBoundsMap",
            "lowerBoundsGroups",
            "upperBoundsMap",
            "upperBoundsGroups",
            "steps",
        ],
        false,
    );
}

pub(super) fn verify(ctx: &Context, op: Op) -> Verified {
    let this = ParallelOp::wrap(op);
    let steps = this.steps(ctx);
    let n = steps.len();
    let args = op
        .region(ctx, 0)
        .entry(ctx)
        .map(|b| b.arg_types(ctx))
        .unwrap_or_default();
    let lower = groups(ctx, op, "lowerBoundsGroups");
    let upper = groups(ctx, op, "upperBoundsGroups");
    if lower.len() != n || upper.len() != n || args.len() != n {
        return Err(format!(
            "the number of region arguments ({}) and the number of map groups for lower ({}) and upper bound ({}), and the number of steps ({n}) must all match",
            args.len(),
            lower.len(),
            upper.len()
        )
        .into());
    }
    for (groups, map, which) in [
        (&lower, this.lower_map(ctx), "lower"),
        (&upper, this.upper_map(ctx), "upper"),
    ] {
        if groups.contains(&0) {
            return Err(format!("expected {which} bound map to have at least one result").into());
        }
        let total: usize = groups.iter().sum();
        if total != map.num_results() {
            return Err(format!("expected {which} bounds map to have {total} results").into());
        }
    }
    let kinds = this.reductions(ctx);
    if kinds.len() != op.num_results(ctx) {
        return Err("a reduction must be specified for each output".into());
    }
    for (kind, ty) in kinds.iter().zip(op.result_types(ctx)) {
        let Some(name) = ATOMIC_RMW_KIND.keyword(*kind) else {
            return Err("invalid reduction attribute".into());
        };
        if !reduces(ctx, &name, ty) {
            return Err("result type cannot match reduction attribute".into());
        }
    }
    // Upstream leaves these to the passes.
    if args.iter().any(|t| !t.is_index(ctx)) {
        return Err("expected region arguments to be of index type".into());
    }
    if steps.iter().any(|s| *s <= 0) {
        return Err("expected steps to be positive".into());
    }
    let (lower, upper) = (this.lower_map(ctx), this.upper_map(ctx));
    let inputs = lower.num_inputs() + upper.num_inputs();
    if op.num_operands(ctx) != inputs {
        return Err(format!(
            "expected {inputs} operands for the bound maps, but found {}",
            op.num_operands(ctx)
        )
        .into());
    }
    verify_operands(ctx, op, &this.lower_operands(ctx), lower.num_dims())?;
    verify_operands(ctx, op, &this.upper_operands(ctx), upper.num_dims())
}

/// Whether values of type `ty` can be reduced so. Integers without a sign and indices
/// too, of which upstream takes no extrema: the reduction says how they compare.
fn reduces(ctx: &Context, kind: &str, ty: Type) -> bool {
    let sign = match ty.data(ctx) {
        TypeData::Integer { sign, .. } => Some(*sign),
        _ => None,
    };
    match kind {
        "assign" => true,
        "addf" | "mulf" | "maximumf" | "minimumf" | "maxnumf" | "minnumf" => ty.is_float(ctx),
        "addi" | "muli" | "ori" | "andi" | "xori" => sign.is_some() || ty.is_index(ctx),
        "maxs" | "mins" => sign.is_some_and(|s| s != Signedness::Unsigned) || ty.is_index(ctx),
        "maxu" | "minu" => sign.is_some_and(|s| s != Signedness::Signed) || ty.is_index(ctx),
        _ => false,
    }
}
