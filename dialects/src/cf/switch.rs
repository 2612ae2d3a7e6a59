//! `cf.switch`.

use super::switch_canonicalize;
use terrace_ir::constraint::{ANY, AttrConstraint, DENSE_I32, INT};
use terrace_ir::num::Int;
use terrace_ir::opdef::Verified;
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{
    Attr, AttrData, Block, Builder, Context, DenseData, Op, OpKind, OpState, Type, TypeData, Value,
    op,
};

const CASE_VALUES: AttrConstraint =
    AttrConstraint::new("integer elements attribute", |c, a| match a.data(c) {
        AttrData::Dense { ty, .. } => ty.element(c).is_some_and(|e| e.is_int_or_index(c)),
        _ => false,
    });

op! {
    /// Continues at the block whose case value equals the flag, else at the default.
    SwitchOp = "cf.switch" {
        operands: [flag: INT, defaultOperands: ANY.variadic(), caseOperands: ANY.variadic()],
        attrs: [case_values: CASE_VALUES.optional(), case_operand_segments: DENSE_I32],
        successors: [defaultDestination, caseDestinations: Variadic],
        traits: PURE | TERMINATOR | ATTR_SIZED_OPERANDS,
        custom: (parse, print),
        verify: verify,
        successor_operands: successor_operands,
        canonicalize: switch_canonicalize::patterns,
    }
}

/// One case of a switch.
#[derive(Debug, Clone)]
pub struct SwitchCase {
    /// The flag that takes this case, in the flag's width.
    pub value: Int,
    /// Where it goes.
    pub dest: Block,
    /// Values for the arguments of `dest`.
    pub operands: Vec<Value>,
}

impl SwitchOp {
    /// The integer that decides.
    pub fn flag(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Where it goes if no case fits.
    pub fn default_dest(self, ctx: &Context) -> Block {
        self.op().successor(ctx, 0)
    }

    /// Values for the arguments of the default block.
    pub fn default_operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "defaultOperands")
    }

    /// The cases in order; none of an op that does not verify.
    pub fn cases(self, ctx: &Context) -> Vec<SwitchCase> {
        let op = self.op();
        let values = op
            .attr(ctx, "case_values")
            .map(|a| int_elements(ctx, a))
            .unwrap_or_default();
        if values.len() + 1 != op.num_successors(ctx) {
            return Vec::new();
        }
        let case = |(i, value): (usize, Int)| {
            let range = successor_operands(ctx, op, i + 1);
            let operands = range.map(|k| op.operand(ctx, k)).collect();
            SwitchCase {
                value,
                dest: op.successor(ctx, i + 1),
                operands,
            }
        };
        values.into_iter().enumerate().map(case).collect()
    }

    pub(crate) fn build(
        b: &mut Builder,
        flag: Value,
        default: (Block, &[Value]),
        cases: &[SwitchCase],
    ) -> SwitchOp {
        let mut s = b.state::<SwitchOp>().operands(&[flag]).operands(default.1);
        s.successors.push(default.0);
        let mut segments = Vec::new();
        for c in cases {
            s.operands.extend_from_slice(&c.operands);
            s.successors.push(c.dest);
            segments.push(c.operands.len() as i32);
        }
        let values: Vec<Int> = cases.iter().map(|c| c.value.clone()).collect();
        let ty = flag.ty(b.ctx);
        set_attrs(b.ctx, &mut s, ty, default.1.len(), &segments, &values);
        SwitchOp::wrap(b.create(s))
    }
}

fn set_attrs(
    ctx: &Context,
    s: &mut OpState,
    flag: Type,
    defaults: usize,
    segments: &[i32],
    values: &[Int],
) {
    let total = segments.iter().sum();
    s.set_attr(
        ctx,
        "operandSegmentSizes",
        ctx.i32_array(&[1, defaults as i32, total]),
    );
    s.set_attr(ctx, "case_operand_segments", ctx.i32_array(segments));
    if !values.is_empty() {
        s.set_attr(ctx, "case_values", vector_attr(ctx, flag, values));
    }
}

/// The `vector<nxflag>` attribute of these values.
fn vector_attr(ctx: &Context, flag: Type, values: &[Int]) -> Attr {
    let size = (flag.int_width(ctx).unwrap_or(64) as usize)
        .div_ceil(8)
        .max(1);
    let element = |v: &Int| {
        let mut bytes = v.to_le_bytes();
        bytes.resize(size, 0);
        bytes
    };
    let splat = values.windows(2).all(|w| w[0] == w[1]);
    let bytes = values
        .iter()
        .take(if splat { 1 } else { values.len() })
        .flat_map(element)
        .collect();
    let shape = vec![values.len() as i64];
    let ty = ctx.ty(TypeData::Vector {
        shape,
        elem: flag,
        scalable: Vec::new(),
    });
    ctx.attr(AttrData::Dense {
        ty,
        data: DenseData::Raw { splat, bytes },
    })
}

/// The values of a dense integer attribute, splats spread out.
fn int_elements(ctx: &Context, a: Attr) -> Vec<Int> {
    let AttrData::Dense {
        ty,
        data: DenseData::Raw { splat, bytes },
    } = a.data(ctx)
    else {
        return Vec::new();
    };
    let (Some(elem), Some(shape)) = (ty.element(ctx), ty.shape(ctx)) else {
        return Vec::new();
    };
    let width = elem.int_width(ctx).unwrap_or(64);
    let size = (width as usize).div_ceil(8).max(1);
    let values = bytes
        .chunks_exact(size)
        .map(|c| Int::from_le_bytes(width, c));
    match splat {
        false => values.collect(),
        true => {
            let n = shape
                .iter()
                .try_fold(1usize, |n, s| n.checked_mul(usize::try_from(*s).ok()?));
            // The number of cases is bounded by the successors written out.
            let one: Vec<Int> = values.take(1).collect();
            one.iter()
                .cycle()
                .take(n.unwrap_or(0).min(1 << 20) * one.len())
                .cloned()
                .collect()
        }
    }
}

/// The operands of successor `i`, the default being successor 0.
fn successor_operands(ctx: &Context, op: Op, i: usize) -> std::ops::Range<usize> {
    let group = |g| SwitchOp::DEF.operand_range(ctx, op, g).unwrap_or(0..0);
    if i == 0 {
        return group(1);
    }
    let all = group(2);
    if all.is_empty() {
        // The common case, at a cost that does not grow with the number of cases.
        return all;
    }
    let segments = op
        .attr(ctx, "case_operand_segments")
        .and_then(|a| a.as_i64_array(ctx));
    let segments = segments.unwrap_or_default();
    let size = |k: usize| {
        segments
            .get(k)
            .and_then(|s| usize::try_from(*s).ok())
            .unwrap_or(0)
    };
    let start = (0..i - 1).map(size).fold(all.start, usize::saturating_add);
    let end = start.saturating_add(size(i - 1));
    if end <= all.end { start..end } else { 0..0 }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let cases = op.num_successors(ctx).saturating_sub(1);
    let segments = op
        .attr(ctx, "case_operand_segments")
        .and_then(|a| a.as_i64_array(ctx));
    let segments = segments.unwrap_or_default();
    let given = op.operand_group(ctx, "caseOperands").len();
    let sum = segments.iter().try_fold(0i64, |s, x| s.checked_add(*x));
    if segments.iter().any(|s| *s < 0) || sum != i64::try_from(given).ok() {
        return Err(format!(
            "'case_operand_segments' attribute for specifying operand segments must hold \
             non-negative sizes that sum up to the {given} case operands"
        )
        .into());
    }
    if segments.len() != cases {
        return Err(format!(
            "number of case operand segments ({}) should match number of case destinations \
             ({cases})",
            segments.len()
        )
        .into());
    }
    let Some(values) = op.attr(ctx, "case_values") else {
        return match cases {
            0 => Ok(()),
            n => Err(format!(
                "number of case values (0) should match number of case destinations ({n})"
            )
            .into()),
        };
    };
    let flag = op.operand(ctx, 0).ty(ctx);
    let elem = values
        .typed(ctx)
        .and_then(|t| t.element(ctx))
        .unwrap_or(flag);
    if elem != flag {
        return Err(format!(
            "'flag' type ('{}') should match case value type ('{}')",
            ctx.type_text(flag),
            ctx.type_text(elem)
        )
        .into());
    }
    let n = int_elements(ctx, values).len();
    if n != cases {
        return Err(format!(
            "number of case values ({n}) should match number of case destinations ({cases})"
        )
        .into());
    }
    Ok(())
}

/// `%flag : i32, [ default: ^bb1(%a : t), 42: ^bb2, ... ]`.
fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let flag = p.parse_operand()?;
    let flag_type = p.parse_colon_type()?;
    let Some(width) = flag_type.int_width(p.ctx) else {
        return Err(p.error(flag.pos, "operand #0 must be integer"));
    };
    p.expect(T::Comma)?;
    p.expect(T::LSquare)?;
    p.expect_keyword("default")?;
    p.expect(T::Colon)?;
    let flag = p.resolve(flag, flag_type)?;
    state.operands.push(flag);
    let default = p.parse_successor()?;
    state.successors.push(default);
    let defaults = p.parse_successor_args()?;
    state.operands.extend_from_slice(&defaults);
    let (mut values, mut segments) = (Vec::new(), Vec::new());
    while p.eat(T::Comma) {
        let pos = p.pos();
        let Some(value) = p.parse_optional_i64()? else {
            return Err(p.error_here("expected integer value"));
        };
        let int = Int::from_i64(width, value);
        // Printed values are unsigned, written ones may be negative.
        if int.to_i64() != Some(value) && int.to_u64().map(i128::from) != Some(i128::from(value)) {
            let m = format!(
                "case value {value} does not fit '{}'",
                p.ctx.type_text(flag_type)
            );
            return Err(p.error(pos, m));
        }
        values.push(int);
        p.expect(T::Colon)?;
        let dest = p.parse_successor()?;
        state.successors.push(dest);
        let args = p.parse_successor_args()?;
        segments.push(args.len() as i32);
        state.operands.extend(args);
    }
    p.expect(T::RSquare)?;
    set_attrs(p.ctx, state, flag_type, defaults.len(), &segments, &values);
    p.parse_optional_attr_dict(state)
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let switch = SwitchOp::wrap(op);
    let flag = switch.flag(ctx);
    p.write(" ");
    p.value(flag);
    p.write(" : ");
    p.ty(flag.ty(ctx));
    p.write(", [");
    p.newline();
    p.write("  default: ");
    p.successor(switch.default_dest(ctx), &switch.default_operands(ctx));
    let cases = switch.cases(ctx);
    for c in &cases {
        p.write(",");
        p.newline();
        // As upstream: unsigned, the largest 64-bit value for what is larger.
        p.fmt(format_args!("  {}: ", c.value.to_u64().unwrap_or(u64::MAX)));
        p.successor(c.dest, &c.operands);
    }
    if op.attr(ctx, "case_values").is_some() {
        p.newline();
    }
    p.write("]");
    let own = [
        "operandSegmentSizes",
        "case_operand_segments",
        "case_values",
    ];
    p.attr_dict(op, &own, false);
}
