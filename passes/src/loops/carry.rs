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

/// Put a loop in the place of `l` that also carries values that start as `inits`; its
/// body is that of `l`, and hands them on unchanged until the caller says otherwise
/// (see [`set_yielded`]). The results of `l` become the first of the new loop.
pub fn carry(ctx: &mut Context, l: ForOp, inits: &[Value]) -> ForOp {
    let op = l.op();
    let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let upper = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let (step, attrs) = (l.step(ctx), op.attrs(ctx));
    let all = [l.inits(ctx), inits.to_vec()].concat();
    let mut b = Builder::before(ctx, op);
    let new = ForOp::build_open(&mut b, (lower.0, &lower.1), (upper.0, &upper.1), step, &all);
    let ctx = b.ctx;
    let own = OWN.map(|name| ctx.intern(name));
    let mut all = new.op().attrs(ctx);
    all.extend(attrs.into_iter().filter(|(name, _)| !own.contains(name)));
    new.op().set_attrs(ctx, &all);
    let (from, to) = (l.body(ctx), new.body(ctx));
    for (i, old) in from.args(ctx).into_iter().enumerate() {
        old.replace_all_uses(ctx, to.arg(ctx, i));
        to.set_arg_loc(ctx, i, from.arg_loc(ctx, i));
    }
    to.append_ops_of(ctx, from);
    let mut yielded = new.yielded(ctx);
    yielded.extend(&new.iter_args(ctx)[yielded.len()..]);
    set_yielded(ctx, new, &yielded);
    let results = new.op().results(ctx);
    op.replace(ctx, &results[..results.len() - inits.len()]);
    new
}

/// Put a loop in the place of `l` that does not carry value `i`, which nothing may use any more
/// but to hand it on; the loop.
pub fn uncarry(ctx: &mut Context, l: ForOp, i: usize) -> ForOp {
    let op = l.op();
    let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let upper = (l.upper_map(ctx).clone(), l.upper_operands(ctx));
    let (step, attrs) = (l.step(ctx), op.attrs(ctx));
    let without = |mut all: Vec<Value>| {
        all.remove(i);
        all
    };
    let (inits, yielded) = (without(l.inits(ctx)), without(l.yielded(ctx)));
    let mut b = Builder::before(ctx, op);
    let new = ForOp::build_open(
        &mut b,
        (lower.0, &lower.1),
        (upper.0, &upper.1),
        step,
        &inits,
    );
    let ctx = b.ctx;
    let own = OWN.map(|name| ctx.intern(name));
    let mut all = new.op().attrs(ctx);
    all.extend(attrs.into_iter().filter(|(name, _)| !own.contains(name)));
    new.op().set_attrs(ctx, &all);
    let (from, to) = (l.body(ctx), new.body(ctx));
    // The counter stands in front of the carried values.
    for (place, old) in from.args(ctx).into_iter().enumerate() {
        if place == i + 1 {
            continue;
        }
        let at = place - usize::from(place > i + 1);
        old.replace_all_uses(ctx, to.arg(ctx, at));
        to.set_arg_loc(ctx, at, from.arg_loc(ctx, place));
    }
    to.append_ops_of(ctx, from);
    set_yielded(ctx, new, &yielded);
    let results = new.op().results(ctx);
    for (place, old) in op.results(ctx).into_iter().enumerate() {
        if place != i {
            old.replace_all_uses(ctx, results[place - usize::from(place > i)]);
        }
    }
    op.erase(ctx);
    new
}

/// Let every iteration hand `values` to the next.
pub fn set_yielded(ctx: &Context, l: ForOp, values: &[Value]) {
    if let Some(end) = l.body(ctx).last_op(ctx) {
        end.set_operands(ctx, values);
    }
}
