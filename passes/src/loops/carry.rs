//! Loops that carry more values from one iteration to the next.

use terrace_dialects::affine::ForOp;
use terrace_ir::{Builder, Context, OpKind, Value};

/// The attributes that [`ForOp::build_open`] makes.
const OWN: [&str; 4] = [
    "lowerBoundMap",
    "upperBoundMap",
    "step",
    "operandSegmentSizes",
];

/// An empty loop in front of `l` with its bounds and attributes, which carries `inits`.
fn like(ctx: &mut Context, l: ForOp, inits: &[Value]) -> ForOp {
    let op = l.op();
    let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let upper = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let (step, attrs) = (l.step(ctx), op.attrs(ctx));
    let mut b = Builder::before(ctx, op);
    let new = ForOp::build_open(
        &mut b,
        (lower.0, &lower.1),
        (upper.0, &upper.1),
        step,
        inits,
    );
    let ctx = b.ctx;
    let own = OWN.map(|name| ctx.intern(name));
    let mut all = new.op().attrs(ctx);
    all.extend(attrs.into_iter().filter(|(name, _)| !own.contains(name)));
    new.op().set_attrs(ctx, &all);
    new
}

/// Moves the body of `from` to `to`, in which `args` of `from` are the first ones of its own.
fn move_body(ctx: &Context, from: ForOp, to: ForOp, args: Vec<Value>) {
    let (from, to) = (from.body(ctx), to.body(ctx));
    for (i, old) in args.into_iter().enumerate() {
        to.set_arg_loc(ctx, i, old.loc(ctx));
        old.replace_all_uses(ctx, to.arg(ctx, i));
    }
    to.append_ops_of(ctx, from);
}

/// Put a loop in the place of `l` that also carries values that start as `inits`; its
/// body is that of `l`, and hands them on unchanged until the caller says otherwise
/// (see [`set_yielded`]). The results of `l` become the first of the new loop.
pub fn carry(ctx: &mut Context, l: ForOp, inits: &[Value]) -> ForOp {
    let all = [l.inits(ctx), inits.to_vec()].concat();
    let new = like(ctx, l, &all);
    let args = l.body(ctx).args(ctx);
    move_body(ctx, l, new, args);
    let mut yielded = new.yielded(ctx);
    yielded.extend(&new.iter_args(ctx)[yielded.len()..]);
    set_yielded(ctx, new, &yielded);
    let results = new.op().results(ctx);
    l.op().replace(ctx, &results[..results.len() - inits.len()]);
    new
}

/// Put a loop in the place of `l` that does not carry value `i`, of which neither the argument
/// nor the result is used; the loop.
pub fn uncarry(ctx: &mut Context, l: ForOp, i: usize) -> ForOp {
    let without = |mut all: Vec<Value>, i: usize| {
        all.remove(i);
        all
    };
    let inits = without(l.inits(ctx), i);
    let new = like(ctx, l, &inits);
    // The counter stands in front of the carried values.
    let args = without(l.body(ctx).args(ctx), i + 1);
    move_body(ctx, l, new, args);
    // What an iteration hands on may be what another value was in it.
    let yielded = without(new.yielded(ctx), i);
    set_yielded(ctx, new, &yielded);
    let old = without(l.op().results(ctx), i);
    for (old, new) in old.into_iter().zip(new.op().results(ctx)) {
        old.replace_all_uses(ctx, new);
    }
    l.op().erase(ctx);
    new
}

/// Let every iteration hand `values` to the next.
pub fn set_yielded(ctx: &Context, l: ForOp, values: &[Value]) {
    if let Some(end) = l.body(ctx).last_op(ctx) {
        end.set_operands(ctx, values);
    }
}
