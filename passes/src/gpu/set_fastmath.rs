//! `arith-set-fastmath`: float operations get fast-math flags, as command lines ask
//! for them.
//!
//! | option | ops | flags |
//! | --- | --- | --- |
//! | `contract` | `arith.addf`, `subf`, `mulf` | `contract` |
//! | `functions` | `math` functions but `sqrt` | `afn` |
//! | `division` | `arith.divf` | `arcp`, with `functions` also `afn` |
//! | `sqrt` | `math.sqrt` | `afn` |
//! | `reassociate` | `arith.addf`, `subf`, `mulf`, `divf`, `negf` | `reassoc` |
//! | `finite` | the same, and `math.absf` | `nnan`, `ninf` |
//! | `unsigned-zeros` | the same | `nsz` |
//! | `reciprocal` | `arith.divf`, `mulf` | `arcp` |
//!
//! It runs on the program as written, before functions are expanded: what an expansion
//! computes must be rounded as it says.
//!
//! ```text
//! %s = arith.addf %p, %c : f32     =>  %s = arith.addf %p, %c fastmath<contract> : f32
//! ```

use terrace_dialects::arith::{ATTR_FASTMATH, FASTMATH, fastmath, fastmath_of};
use terrace_dialects::{arith, math};
use terrace_ir::Op;
use terrace_ir::pass::{OptionInfo, Pass, PassContext, PassInfo, PassResult};

pub static INFO: PassInfo = PassInfo {
    name: "arith-set-fastmath",
    title: "ArithSetFastMath",
    summary: "Give float operations fast-math flags",
    description: "Adds flags to the operations that the options name: contract, afn and arcp for how exact they are, reassoc, nnan, ninf and nsz for what may be done to sums and products.",
    options: &[
        OptionInfo::flag("contract", "Products and sums may be rounded once"),
        OptionInfo::flag("functions", "Functions may be approximated"),
        OptionInfo::flag("division", "Division may be approximated"),
        OptionInfo::flag("sqrt", "The square root may be approximated"),
        OptionInfo::flag(
            "reassociate",
            "Sums and products may be computed in another order",
        ),
        OptionInfo::flag("finite", "No number is infinite or a NaN"),
        OptionInfo::flag("unsigned-zeros", "The sign of nought does not count"),
        OptionInfo::flag("reciprocal", "Quotients may be products with reciprocals"),
    ],
    make: |o| {
        Ok(Box::new(SetFastMath {
            contract: o.bool("contract"),
            functions: o.bool("functions"),
            division: o.bool("division"),
            sqrt: o.bool("sqrt"),
            reassociate: o.bool("reassociate"),
            finite: o.bool("finite"),
            unsigned_zeros: o.bool("unsigned-zeros"),
            reciprocal: o.bool("reciprocal"),
        }))
    },
    ..PassInfo::EMPTY
};

struct SetFastMath {
    contract: bool,
    functions: bool,
    division: bool,
    sqrt: bool,
    reassociate: bool,
    finite: bool,
    unsigned_zeros: bool,
    reciprocal: bool,
}

impl SetFastMath {
    /// What may be done to an op of a name as a part of sums and products.
    fn algebra(&self, name: &str) -> i64 {
        let when = |on: bool, flags: i64| if on { flags } else { 0 };
        let numbers = when(self.finite, fastmath::NNAN | fastmath::NINF)
            | when(self.unsigned_zeros, fastmath::NSZ);
        let order = when(self.reassociate, fastmath::REASSOC);
        let reciprocal = when(self.reciprocal, fastmath::ARCP);
        match name {
            arith::MulFOp::NAME | arith::DivFOp::NAME => numbers | order | reciprocal,
            arith::AddFOp::NAME | arith::SubFOp::NAME | arith::NegFOp::NAME => numbers | order,
            math::AbsFOp::NAME => numbers,
            _ => 0,
        }
    }

    /// The flags that an op of a name gets.
    fn flags(&self, name: &str) -> i64 {
        let when = |on: bool, flags: i64| if on { flags } else { 0 };
        self.algebra(name)
            | match name {
                arith::AddFOp::NAME | arith::SubFOp::NAME | arith::MulFOp::NAME => {
                    when(self.contract, fastmath::CONTRACT)
                }
                arith::DivFOp::NAME => {
                    when(self.division, fastmath::ARCP)
                        | when(self.division && self.functions, fastmath::AFN)
                }
                math::SqrtOp::NAME => when(self.sqrt, fastmath::AFN),
                name if math::has_approximation(name) => when(self.functions, fastmath::AFN),
                _ => 0,
            }
    }
}

impl Pass for SetFastMath {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        for op in op.pre_order(ctx) {
            let more = self.flags(op.name(ctx));
            let old = fastmath_of(ctx, op);
            if old | more != old {
                let attr = FASTMATH.attr(ctx, old | more);
                op.set_attr(ctx, ATTR_FASTMATH, attr);
            }
        }
        Ok(())
    }
}
