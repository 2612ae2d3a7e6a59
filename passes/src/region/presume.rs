//! `offload-presume`: conditions on the sizes that a region is given, under which its arrays of one
//! dimension are ones of several.
//!
//! ```text
//! func.func @f(%A, %n, %m, %ld)              func.func @f(%A, %n, %m, %ld) attributes
//!   affine.for %i = 0 to %n                      {acc.presumes = [array<i64: 0, 0, -1, 1, 0>]}
//!     affine.for %j = 0 to %m            =>    ... as before, and what reads it knows that m <= ld
//!       %k = i * ld + j
//!       memref.store %x, %A[%k]
//! ```
//!
//! C does not say that a row of `m` elements is no longer than the `ld` from one to the next. Legal
//! because the call of the region looks whether it holds, and runs the C statement where not.

use terrace_dialects::func;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, Value};

use crate::analysis::dependence::{Presumed, presume, presumptions};
use crate::analysis::source;

/// `offload-presume`.
pub static INFO: PassInfo = PassInfo {
    name: "offload-presume",
    title: "OffloadPresume",
    summary: "Say what has to hold of sizes so that subscripts come apart",
    description: "Puts acc.presumes on a function whose linearised subscripts are those of several dimensions under conditions on its arguments, as m <= ld for i * ld + j with j below m. Whoever calls the function has to look whether they hold.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new("num-conditions", "Number of conditions")],
    make: |_| Ok(Box::new(Presume)),
    ..PassInfo::EMPTY
};

struct Presume;

impl Pass for Presume {
    fn run(&mut self, ctx: &mut PassContext, function: Op) -> PassResult {
        let found = presumptions(ctx, function);
        let more = presume(ctx, function, found);
        ctx.count("num-conditions", more);
        Ok(())
    }
}

/// A condition that a region's call looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// Products of arguments of the region's function by number, and what each is multiplied by.
    pub terms: Vec<(Vec<usize>, i64)>,
    /// The sum of these and this is not negative.
    pub constant: i64,
    /// In the names of the source: `m <= ld`.
    pub text: String,
}

impl Condition {
    /// Whether it multiplies arguments, which 64 bits may not hold.
    pub fn has_products(&self) -> bool {
        self.terms.iter().any(|(product, _)| product.len() > 1)
    }
}

/// What is presumed of the arguments of a region's function.
pub(super) fn conditions(ctx: &Context, function: Op) -> Vec<Condition> {
    let entry = function.region(ctx, 0).entry(ctx);
    let args = entry.map(|b| b.args(ctx)).unwrap_or_default();
    let all = Presumed::of(ctx, function).into_iter();
    all.map(|p| Condition {
        text: words(ctx, &args, &p),
        terms: p.terms,
        constant: p.constant,
    })
    .collect()
}

/// The condition with what is subtracted on the left.
fn words(ctx: &Context, args: &[Value], p: &Presumed) -> String {
    let side = |sign: i64| {
        let mut all: Vec<String> = (p.terms.iter())
            .filter(|(_, c)| c.signum() == sign)
            .map(|(i, c)| {
                let names = i.iter().filter_map(|i| args.get(*i));
                let names: Vec<String> = names.map(|v| source::array(ctx, *v)).collect();
                let name = names.join(" * ");
                match c.abs() {
                    1 => name,
                    n => format!("{n} * {name}"),
                }
            })
            .collect();
        if p.constant.signum() == sign {
            all.push(p.constant.abs().to_string());
        }
        match all.is_empty() {
            true => "0".to_string(),
            false => all.join(" + "),
        }
    };
    format!("{} <= {}", side(-1), side(1))
}
