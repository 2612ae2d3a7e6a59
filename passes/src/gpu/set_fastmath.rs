//! `arith-set-fastmath`: float operations get fast-math flags, as command lines ask
//! for them.
//!
//! | option | ops | flags |
//! | --- | --- | --- |
//! | `contract` | `arith.addf`, `subf`, `mulf` | `contract` |
//! | `functions` | `math` functions but `sqrt` | `afn` |
//! | `division` | `arith.divf` | `arcp`, with `functions` also `afn` |
//! | `sqrt` | `math.sqrt` | `afn` |
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
    description: "Adds contract, afn and arcp to the operations that the options name.",
    options: &[
        OptionInfo::flag("contract", "Products and sums may be rounded once"),
        OptionInfo::flag("functions", "Functions may be approximated"),
        OptionInfo::flag("division", "Division may be approximated"),
        OptionInfo::flag("sqrt", "The square root may be approximated"),
    ],
    make: |o| {
        Ok(Box::new(SetFastMath {
            contract: o.bool("contract"),
            functions: o.bool("functions"),
            division: o.bool("division"),
            sqrt: o.bool("sqrt"),
        }))
    },
    ..PassInfo::EMPTY
};

struct SetFastMath {
    contract: bool,
    functions: bool,
    division: bool,
    sqrt: bool,
}

impl SetFastMath {
    /// The flags that an op of a name gets.
    fn flags(&self, name: &str) -> i64 {
        let when = |on: bool, flags: i64| if on { flags } else { 0 };
        match name {
            arith::AddFOp::NAME | arith::SubFOp::NAME | arith::MulFOp::NAME => {
                when(self.contract, fastmath::CONTRACT)
            }
            arith::DivFOp::NAME => {
                when(self.division, fastmath::ARCP)
                    | when(self.division && self.functions, fastmath::AFN)
            }
            math::SqrtOp::NAME => when(self.sqrt, fastmath::AFN),
            math::ExpOp::NAME
            | math::Exp2Op::NAME
            | math::LogOp::NAME
            | math::Log2Op::NAME
            | math::Log10Op::NAME
            | math::PowFOp::NAME
            | math::SinOp::NAME
            | math::CosOp::NAME
            | math::TanOp::NAME
            | math::TanhOp::NAME
            | math::RsqrtOp::NAME => when(self.functions, fastmath::AFN),
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
