//! `affine.for`: declaration, accessors and builder.

use super::for_fold::fold;
use super::for_syntax::{parse, print, verify};
use super::syntax::map_of;
use super::yield_op::YieldOp;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::constraint::{ANY, INDEX, INDEX_ATTR, MAP_ATTR};
use terrace_ir::effects::nested_are_speculatable;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value, op};

op! {
    /// A loop from the greatest of its lower bounds to below the least of its upper
    /// bounds in steps of a positive constant. The first argument of its body is the
    /// induction variable; the others are values carried from one iteration to the
    /// next, which start as the operands `inits` and end as the results.
    ForOp = "affine.for" {
        operands: [
            lowerBoundOperands: INDEX.variadic(),
            upperBoundOperands: INDEX.variadic(),
            inits: ANY.variadic(),
        ],
        results: [results: ANY.variadic()],
        attrs: [lowerBoundMap: MAP_ATTR, upperBoundMap: MAP_ATTR, step: INDEX_ATTR],
        regions: [region: OneBlock],
        traits: ATTR_SIZED_OPERANDS | RECURSIVE_EFFECTS | LOOP_LIKE | ALLOCATION_SCOPE
            | SINGLE_BLOCK,
        implicit_terminator: "affine.yield",
        // With a larger step the induction variable may wrap around, without end.
        speculatable: |ctx, op| {
            ForOp::wrap(op).step(ctx) == 1 && nested_are_speculatable(ctx, op)
        },
        custom: (parse, print),
        verify_regions: verify,
        fold: fold,
    }
}

impl ForOp {
    /// The lower bound is the greatest of this map's results.
    pub fn lower_map(self, ctx: &Context) -> &AffineMap {
        map_of(ctx, self.op(), "lowerBoundMap")
    }

    /// The upper bound (exclusive) is the least of this map's results.
    pub fn upper_map(self, ctx: &Context) -> &AffineMap {
        map_of(ctx, self.op(), "upperBoundMap")
    }

    /// Operands of the lower bound's map, dimensions first, then symbols.
    pub fn lower_operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "lowerBoundOperands")
    }

    /// Operands of the upper bound's map, dimensions first, then symbols.
    pub fn upper_operands(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "upperBoundOperands")
    }

    /// What the carried values start as.
    pub fn inits(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "inits")
    }

    /// The step; 0 for a malformed op.
    pub fn step(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "step").unwrap_or(0)
    }

    /// The only block of the loop.
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The induction variable.
    pub fn iv(self, ctx: &Context) -> Value {
        self.body(ctx).arg(ctx, 0)
    }

    /// The carried values as the body sees them.
    pub fn iter_args(self, ctx: &Context) -> Vec<Value> {
        self.body(ctx).args(ctx).split_off(1)
    }

    /// What the body hands to the next iteration.
    pub fn yielded(self, ctx: &Context) -> Vec<Value> {
        self.body(ctx)
            .last_op(ctx)
            .map(|y| y.operands(ctx))
            .unwrap_or_default()
    }

    /// The lower bound where it is one constant.
    pub fn constant_lower(self, ctx: &Context) -> Option<i64> {
        self.lower_map(ctx).single_constant()
    }

    /// The upper bound where it is one constant.
    pub fn constant_upper(self, ctx: &Context) -> Option<i64> {
        self.upper_map(ctx).single_constant()
    }

    /// How often the body runs, where both bounds are constants.
    pub fn constant_trip_count(self, ctx: &Context) -> Option<u64> {
        let (lo, hi) = (self.constant_lower(ctx)?, self.constant_upper(ctx)?);
        let step = u64::try_from(self.step(ctx)).ok().filter(|s| *s > 0)?;
        if hi <= lo {
            return Some(0);
        }
        Some(hi.abs_diff(lo).div_ceil(step))
    }

    /// Replace the lower bound, the greatest of the map's results.
    pub fn set_lower(self, ctx: &Context, map: AffineMap, operands: &[Value]) {
        let (upper, inits) = (self.upper_operands(ctx), self.inits(ctx));
        self.op().set_attr(ctx, "lowerBoundMap", ctx.map_attr(map));
        self.set_all(ctx, operands, &upper, &inits);
    }

    /// Replace the upper bound, the least of the map's results; it is not reached.
    pub fn set_upper(self, ctx: &Context, map: AffineMap, operands: &[Value]) {
        let (lower, inits) = (self.lower_operands(ctx), self.inits(ctx));
        self.op().set_attr(ctx, "upperBoundMap", ctx.map_attr(map));
        self.set_all(ctx, &lower, operands, &inits);
    }

    /// Replace the lower bound by a number.
    pub fn set_constant_lower(self, ctx: &Context, value: i64) {
        self.set_lower(ctx, AffineMap::constant(value), &[]);
    }

    /// Replace the upper bound by a number, which is not reached.
    pub fn set_constant_upper(self, ctx: &Context, value: i64) {
        self.set_upper(ctx, AffineMap::constant(value), &[]);
    }

    /// Replace the step, which must be positive.
    pub fn set_step(self, ctx: &Context, step: i64) {
        self.op().set_attr(ctx, "step", ctx.index_attr(step));
    }

    /// Replace what the carried values start as; the body is not touched.
    pub fn set_inits(self, ctx: &Context, inits: &[Value]) {
        let (lower, upper) = (self.lower_operands(ctx), self.upper_operands(ctx));
        self.set_all(ctx, &lower, &upper, inits);
    }

    fn set_all(self, ctx: &Context, lower: &[Value], upper: &[Value], inits: &[Value]) {
        let sizes = segments(ctx, &[lower.len(), upper.len(), inits.len()]);
        self.op().set_attr(ctx, "operandSegmentSizes", sizes);
        self.op().set_operands(ctx, &[lower, upper, inits].concat());
    }

    /// The closest enclosing loops of `op`, the innermost first, up to where
    /// something other than an affine op surrounds them.
    pub fn enclosing(ctx: &Context, op: Op) -> Vec<ForOp> {
        let mut loops = Vec::new();
        let mut next = op.parent(ctx);
        while let Some(p) = next {
            match p.name(ctx) {
                "affine.for" => loops.extend(p.cast::<ForOp>(ctx)),
                "affine.if" | "affine.parallel" => {}
                _ => break,
            }
            next = p.parent(ctx);
        }
        loops
    }

    /// A loop; `body` gets the induction variable and the carried values, and gives
    /// what to hand to the next iteration, one value per entry of `inits`.
    pub fn build(
        b: &mut Builder,
        lower: (AffineMap, &[Value]),
        upper: (AffineMap, &[Value]),
        step: i64,
        inits: &[Value],
        body: impl FnOnce(&mut Builder, Value, &[Value]) -> Vec<Value>,
    ) -> ForOp {
        let f = Self::build_open(b, lower, upper, step, inits);
        let block = f.body(b.ctx);
        let args = block.args(b.ctx);
        b.with_point(InsertPoint::End(block), |b| {
            let v = body(b, args[0], &args[1..]);
            b.op::<YieldOp>(&v, &[], &[]);
        });
        f
    }

    /// As [`Self::build`] with an empty body that the caller fills and ends.
    pub fn build_open(
        b: &mut Builder,
        lower: (AffineMap, &[Value]),
        upper: (AffineMap, &[Value]),
        step: i64,
        inits: &[Value],
    ) -> ForOp {
        let types: Vec<_> = inits.iter().map(|v| v.ty(b.ctx)).collect();
        let attrs = [
            ("lowerBoundMap", b.ctx.map_attr(lower.0)),
            ("upperBoundMap", b.ctx.map_attr(upper.0)),
            ("step", b.ctx.index_attr(step)),
            (
                "operandSegmentSizes",
                segments(b.ctx, &[lower.1.len(), upper.1.len(), inits.len()]),
            ),
        ];
        let mut s = b.state::<ForOp>().results(&types).regions(1);
        s.operands = [lower.1, upper.1, inits].concat();
        for (k, a) in attrs {
            s.set_attr(b.ctx, k, a);
        }
        let op = b.create(s);
        let mut args = vec![b.ctx.index()];
        args.extend(types);
        let block = op.region(b.ctx, 0).add_block(b.ctx, &args);
        block.set_loc(b.ctx, b.loc);
        ForOp::wrap(op)
    }

    /// A loop with constant bounds and no carried values.
    pub fn build_constant(
        b: &mut Builder,
        lower: i64,
        upper: i64,
        step: i64,
        body: impl FnOnce(&mut Builder, Value),
    ) -> ForOp {
        let (lo, hi) = (AffineMap::constant(lower), AffineMap::constant(upper));
        Self::build(b, (lo, &[]), (hi, &[]), step, &[], |b, iv, _| {
            body(b, iv);
            Vec::new()
        })
    }
}

/// `operandSegmentSizes` for groups of these sizes.
pub(super) fn segments(ctx: &Context, sizes: &[usize]) -> terrace_ir::Attr {
    let v: Vec<i32> = sizes
        .iter()
        .map(|s| i32::try_from(*s).unwrap_or(i32::MAX))
        .collect();
    ctx.i32_array(&v)
}

/// Whether `e` is the only symbol of a map of one, which prints as the value alone.
pub(super) fn is_lone_symbol(map: &AffineMap) -> bool {
    map.num_dims() == 0
        && map.num_symbols() == 1
        && matches!(map.results(), [AffineExpr::Symbol(_)])
}
