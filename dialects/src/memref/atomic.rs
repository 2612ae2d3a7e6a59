//! Atomic updates: `memref.atomic_rmw`, `memref.generic_atomic_rmw`,
//! `memref.atomic_yield`.

use super::constraints::{ATOMIC, ATOMIC_MEMREF};
use super::{effects, fold};
use terrace_ir::constraint::{ANY, AttrConstraint, EnumDef, EnumStorage, INDEX, enum_attr};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, Value, op};

/// What `memref.atomic_rmw` does with the old element and the operand.
pub static RMW_KIND: EnumDef = EnumDef {
    name: "kind",
    cases: &[
        ("addf", 0),
        ("addi", 1),
        ("andi", 2),
        ("assign", 3),
        ("maximumf", 4),
        ("maxnumf", 5),
        ("maxs", 6),
        ("maxu", 7),
        ("minimumf", 8),
        ("minnumf", 9),
        ("mins", 10),
        ("minu", 11),
        ("mulf", 12),
        ("muli", 13),
        ("ori", 14),
        ("xori", 15),
    ],
    bits: false,
    separator: "",
    storage: EnumStorage::I64,
};

const KIND: AttrConstraint = enum_attr(
    "allowed 64-bit signless integer cases: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
    |c, a| RMW_KIND.value(c, a).is_some(),
    &RMW_KIND,
);

op! {
    /// Combines an element with a value in one indivisible step; the result is the
    /// element before.
    AtomicRmwOp = "memref.atomic_rmw" {
        operands: [value: ATOMIC, memref: ATOMIC_MEMREF, indices: INDEX.variadic()],
        results: [result: ATOMIC],
        attrs: [kind: KIND],
        same_type: [[value, result]],
        format: "$kind $value `,` $memref `[` $indices `]` attr-dict `:` `(` type($value) `,` type($memref) `)` `->` type($result)",
        verify: verify_atomic_rmw,
        fold: fold::atomic_rmw,
        effects: |ctx, op| effects::update(ctx, op, 1),
    }

    /// Replaces an element by what its region makes of it, in one indivisible step; the
    /// result is the element before.
    GenericAtomicRmwOp = "memref.generic_atomic_rmw" {
        operands: [memref: ATOMIC_MEMREF, indices: INDEX.variadic()],
        results: [result: ATOMIC],
        regions: [atomic_body: Any],
        traits: SINGLE_BLOCK,
        implicit_terminator: "memref.atomic_yield",
        custom: (parse_generic, print_generic),
        verify: verify_generic,
        verify_regions: verify_generic_body,
        effects: |ctx, op| effects::update(ctx, op, 0),
    }

    /// The new element, at the end of a `memref.generic_atomic_rmw`.
    AtomicYieldOp = "memref.atomic_yield" {
        operands: [result: ANY],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        parents: ["memref.generic_atomic_rmw"],
        format: "$result attr-dict `:` type($result)",
        verify: verify_yield,
    }
}

impl GenericAtomicRmwOp {
    /// Whether the element stays what it is: an atomic read.
    pub fn only_reads(self, ctx: &Context) -> bool {
        let body = self.op().body(ctx, 0);
        let end = body.terminator(ctx).filter(|end| body.ops(ctx) == [*end]);
        end.is_some_and(|end| end.operands(ctx) == [body.arg(ctx, 0)])
    }
}

impl AtomicRmwOp {
    /// The keyword of its kind, such as `addf`.
    pub fn kind(self, ctx: &Context) -> Option<String> {
        RMW_KIND.keyword(RMW_KIND.value(ctx, self.op().attr(ctx, "kind")?)?)
    }

    /// The operand that is combined with the element.
    pub fn value(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// The memref changed.
    pub fn memref(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }

    /// One subscript for each dimension.
    pub fn indices(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx).split_off(2)
    }
}

impl GenericAtomicRmwOp {
    /// The memref changed.
    pub fn memref(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// One subscript for each dimension.
    pub fn indices(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx).split_off(1)
    }
}

fn verify_atomic_rmw(ctx: &Context, op: Op) -> Verified {
    let (value, memref) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    if memref.element(ctx) != Some(value) {
        return Err("failed to verify that value type matches element type of memref".into());
    }
    if memref.rank(ctx) != Some(op.num_operands(ctx) - 2) {
        return Err("expects the number of subscripts to be equal to memref rank".into());
    }
    let Some(kind) = AtomicRmwOp::wrap(op).kind(ctx) else {
        return Ok(());
    };
    let (fits, wanted) = match kind.as_str() {
        "addf" | "maximumf" | "minimumf" | "mulf" => (value.is_float(ctx), "a floating-point type"),
        "addi" | "andi" | "maxs" | "maxu" | "mins" | "minu" | "muli" | "ori" | "xori" => {
            (value.is_int(ctx), "an integer type")
        }
        _ => return Ok(()),
    };
    if fits {
        Ok(())
    } else {
        Err(format!("with kind '{kind}' expects {wanted}").into())
    }
}

fn verify_generic(ctx: &Context, op: Op) -> Verified {
    let result = op.result(ctx, 0).ty(ctx);
    if op.operand(ctx, 0).ty(ctx).element(ctx) != Some(result) {
        return Err("failed to verify that result type matches element type of memref".into());
    }
    let args = op
        .region(ctx, 0)
        .entry(ctx)
        .map(|b| b.arg_types(ctx))
        .unwrap_or_default();
    let [arg] = args[..] else {
        return Err("expected single number of entry block arguments".into());
    };
    if arg != result {
        return Err("expected block argument of the same type result type".into());
    }
    Ok(())
}

fn verify_generic_body(ctx: &Context, op: Op) -> Verified {
    let mut bad = None;
    op.walk(ctx, &mut |o| {
        if o != op && bad.is_none() && !terrace_ir::effects::is_memory_effect_free(ctx, o) {
            bad = Some(o);
        }
    });
    match bad {
        Some(o) => Err(Invalid::plain(
            "body of 'memref.generic_atomic_rmw' should contain only operations with no side effects",
        )
        .at(o.loc(ctx))),
        None => Ok(()),
    }
}

fn verify_yield(ctx: &Context, op: Op) -> Verified {
    let want = op
        .parent(ctx)
        .and_then(|p| p.result_types(ctx).first().copied());
    let have = op.operand(ctx, 0).ty(ctx);
    match want {
        Some(w) if w != have => Err(format!(
            "types mismatch between yield op: '{}' and its parent: '{}'",
            ctx.type_text(have),
            ctx.type_text(w)
        )
        .into()),
        _ => Ok(()),
    }
}

fn parse_generic(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let memref = p.parse_operand()?;
    let indices = p.parse_delimited_operands(T::LSquare, T::RSquare)?;
    p.expect(T::Colon)?;
    let pos = p.pos();
    let ty = p.parse_type()?;
    let Some(elem) = ty.element(p.ctx).filter(|_| ty.is_memref(p.ctx)) else {
        let m = format!(
            "expected a memref type, but found '{}'",
            p.ctx.type_text(ty)
        );
        return Err(p.error(pos, m));
    };
    state.operands.push(p.resolve(memref, ty)?);
    let index = p.ctx.index();
    state.operands.extend(p.resolve_all(&indices, index)?);
    let body = p.parse_region(&[], false)?;
    state.regions.push(Some(body));
    state.result_types.push(elem);
    p.parse_optional_attr_dict(state)
}

fn print_generic(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    let v = op.operands(ctx);
    p.write(" ");
    p.value(v[0]);
    p.write("[");
    p.values(&v[1..]);
    p.write("] : ");
    p.ty(v[0].ty(ctx));
    p.write(" ");
    p.region(op.region(ctx, 0), true, true);
    p.attr_dict(op, &[], false);
}
