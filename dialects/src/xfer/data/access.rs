//! What data ops have, by name, and how they are built.

use super::clause::{Clause, clauses};
use super::{DataOp, EnterDataOp, ExitDataOp, PresentOp, UpdateOp, buffer_type, is_structured};
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

macro_rules! with_clauses {
    ($($op:ident)*) => {$(
        impl $op {
            /// Each array with its clause.
            pub fn clauses(self, ctx: &Context) -> Vec<(Value, Clause)> {
                clauses(ctx, self.op())
            }
        }
    )*};
}

with_clauses!(DataOp EnterDataOp ExitDataOp UpdateOp);

impl DataOp {
    /// The region in which the clauses hold.
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// The buffers, in the order of the clauses.
    pub fn buffers(self, ctx: &Context) -> Vec<Value> {
        self.body(ctx).args(ctx)
    }
}

impl EnterDataOp {
    /// Whether it is the beginning of a region, not of a lifetime without one.
    pub fn is_structured(self, ctx: &Context) -> bool {
        is_structured(ctx, self.op())
    }

    /// The beginning of a region with these clauses.
    pub fn build_structured(b: &mut Builder, list: &[(Value, Clause)]) -> Op {
        build::<EnterDataOp>(b, list, &["structured"])
    }
}

impl ExitDataOp {
    /// Whether it is the end of a region, not of a lifetime without one.
    pub fn is_structured(self, ctx: &Context) -> bool {
        is_structured(ctx, self.op())
    }

    /// Whether the arrays leave the device however often they entered.
    pub fn is_final(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "finalize").is_some()
    }

    /// The end of a region with these clauses.
    pub fn build_structured(b: &mut Builder, list: &[(Value, Clause)]) -> Op {
        build::<ExitDataOp>(b, list, &["structured"])
    }
}

impl UpdateOp {
    /// Copy arrays between host and device now, as the clauses say.
    pub fn build(b: &mut Builder, list: &[(Value, Clause)], if_present: bool) -> Op {
        build::<UpdateOp>(b, list, if if_present { &["if_present"] } else { &[] })
    }

    /// Whether arrays that are not present are passed over.
    pub fn if_present(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "if_present").is_some()
    }
}

impl PresentOp {
    /// The array of the host.
    pub fn array(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Its memory on the device.
    pub fn buffer(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }

    /// Whether the array may be missing on the device.
    pub fn if_present(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "if_present").is_some()
    }

    /// The buffer of `array`, which is present; where `if_present`, maybe.
    pub fn build(b: &mut Builder, array: Value, if_present: bool) -> Value {
        let ty = array.ty(b.ctx);
        let ty = buffer_type(b.ctx, ty);
        let flag = if_present.then(|| ("if_present", b.ctx.unit()));
        b.value::<PresentOp>(&[array], ty, flag.as_slice())
    }
}

fn build<K: OpKind>(b: &mut Builder, list: &[(Value, Clause)], flags: &[&'static str]) -> Op {
    let arrays: Vec<Value> = list.iter().map(|c| c.0).collect();
    let numbers: Vec<i32> = list.iter().map(|c| c.1 as i32).collect();
    let mut attrs = vec![("clauses", b.ctx.i32_array(&numbers))];
    let unit = b.ctx.unit();
    attrs.extend(flags.iter().map(|f| (*f, unit)));
    b.op::<K>(&arrays, &[], &attrs)
}
