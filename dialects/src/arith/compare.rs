//! `arith.cmpi`, `arith.cmpf` and `arith.select`.

use super::attrs::{CMPF_ATTR, CMPI_ATTR, FASTMATH_ATTR, i1_like};
use super::predicate::{CmpFPredicate, CmpIPredicate};
use super::{canonicalize, fold_compare, verify};
use terrace_ir::constraint::{ANY, BOOL_LIKE, FLOAT_LIKE, SIGNLESS_INT_LIKE};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Builder, Context, Op, OpKind, OpState, Type, Value, op};

op! {
    /// An integer comparison, element by element.
    CmpIOp = "arith.cmpi" {
        operands: [lhs: SIGNLESS_INT_LIKE, rhs: SIGNLESS_INT_LIKE],
        results: [result: BOOL_LIKE],
        attrs: [predicate: CMPI_ATTR],
        traits: PURE | SAME_TYPE_OPERANDS | ELEMENTWISE,
        format: "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs)",
        infer: infer_compare,
        verify_types: verify::compare_types,
        fold: fold_compare::cmpi,
        canonicalize: canonicalize::cmpi,
    }

    /// A float comparison, element by element.
    CmpFOp = "arith.cmpf" {
        operands: [lhs: FLOAT_LIKE, rhs: FLOAT_LIKE],
        results: [result: BOOL_LIKE],
        attrs: [predicate: CMPF_ATTR, fastmath: FASTMATH_ATTR],
        traits: PURE | SAME_TYPE_OPERANDS | ELEMENTWISE,
        format: "$predicate `,` $lhs `,` $rhs (`fastmath` `<` $fastmath^ `>`)? attr-dict `:` type($lhs)",
        infer: infer_compare,
        verify_types: verify::compare_types,
        fold: fold_compare::cmpf,
        canonicalize: canonicalize::cmpf,
    }

    /// The first value where the condition holds, else the second; the condition is
    /// one `i1`, or one for each element.
    SelectOp = "arith.select" {
        operands: [condition: BOOL_LIKE, true_value: ANY, false_value: ANY],
        results: [result: ANY],
        same_type: [[true_value, false_value, result]],
        traits: PURE | ELEMENTWISE,
        custom: (parse_select, print_select),
        verify_types: verify::select_types,
        verify: verify::select,
        fold: fold_compare::select,
        canonicalize: canonicalize::select,
    }
}

/// A comparison has the shape of its operands.
fn infer_compare(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    match s.operands.first() {
        Some(v) => {
            // A type that is no operand's has no result type either.
            let constraint = &s.def.and_then(|d| d.operands.first()).map(|o| o.constraint);
            match constraint {
                Some(c) if !(c.check)(ctx, v.ty(ctx)) => Err(format!(
                    "'lhs' must be {}, but got {}",
                    c.summary,
                    ctx.quoted_types(&[v.ty(ctx)])
                )),
                _ => Ok(vec![i1_like(ctx, v.ty(ctx))]),
            }
        }
        None => Err("needs operands to know its result type".into()),
    }
}

impl CmpIOp {
    /// What is asked; `None` for a malformed op.
    pub fn predicate(self, ctx: &Context) -> Option<CmpIPredicate> {
        self.op()
            .int_attr(ctx, "predicate")
            .and_then(CmpIPredicate::from_i64)
    }

    /// Compare integers, or vectors of them element by element.
    pub fn build(b: &mut Builder, predicate: CmpIPredicate, lhs: Value, rhs: Value) -> Value {
        let ty = i1_like(b.ctx, lhs.ty(b.ctx));
        let p = predicate.attr(b.ctx);
        b.value::<CmpIOp>(&[lhs, rhs], ty, &[("predicate", p)])
    }
}

impl CmpFOp {
    /// What is asked; `None` for a malformed op.
    pub fn predicate(self, ctx: &Context) -> Option<CmpFPredicate> {
        self.op()
            .int_attr(ctx, "predicate")
            .and_then(CmpFPredicate::from_i64)
    }

    /// Compare floats, or vectors of them element by element.
    pub fn build(b: &mut Builder, predicate: CmpFPredicate, lhs: Value, rhs: Value) -> Value {
        let ty = i1_like(b.ctx, lhs.ty(b.ctx));
        let p = predicate.attr(b.ctx);
        b.value::<CmpFOp>(&[lhs, rhs], ty, &[("predicate", p)])
    }
}

impl SelectOp {
    /// `if_true` where `condition` holds, else `if_false`.
    pub fn build(b: &mut Builder, condition: Value, if_true: Value, if_false: Value) -> Value {
        let ty = if_true.ty(b.ctx);
        b.value::<SelectOp>(&[condition, if_true, if_false], ty, &[])
    }
}

/// `%c, %a, %b : [condition type,] type`.
fn parse_select(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let pos = p.pos();
    let operands = p.parse_operand_list()?;
    if operands.len() != 3 {
        return Err(p.error(
            pos,
            format!("expected 3 operands, found {}", operands.len()),
        ));
    }
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let mut ty = p.parse_type()?;
    let mut condition = p.ctx.i1();
    if p.eat(T::Comma) {
        condition = ty;
        ty = p.parse_type()?;
    }
    state.result_types.push(ty);
    state.operands = p.resolve_operands(&operands, &[condition, ty, ty], pos)?;
    Ok(())
}

fn print_select(p: &mut Printer, op: Op) {
    let v = op.operands(p.ctx);
    p.write(" ");
    p.values(&v);
    p.attr_dict(op, &[], false);
    p.write(" : ");
    let condition = v[0].ty(p.ctx);
    if condition.element(p.ctx).is_some() {
        p.ty(condition);
        p.write(", ");
    }
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
}
