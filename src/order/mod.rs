//! In which order loops run, where that is left to the compiler: of regions of C, and of functions with
//! `terrace.any_order`.

mod cores;
pub(crate) mod extract;

pub(crate) use cores::OrderOnCores;

use crate::dialects::attributes::TERRACE_ANY_ORDER;
use crate::ir::Op;
use crate::passes::loops::take_over::take_over;
use crate::passes::region::parallelize::{Options, Reductions};
use crate::run::executor::Program;
use crate::shown::Passes;
use crate::targets::machine::Cores;

/// Puts the loops of the functions that leave it open into the order that is estimated to be the best on
/// these cores, and makes those parallel that may be.
pub(crate) fn choose_on_cores(program: &mut Program, cores: &Cores) {
    let rules = Options {
        reassociate: false,
        reductions: Reductions::None,
        ..Options::default()
    };
    for function in left_open(program) {
        let (instruments, about) = program.shown();
        let (ctx, module) = (&mut program.ctx, program.module);
        let Some(name) = function.symbol_name(ctx).map(str::to_string) else {
            continue;
        };
        let copies = extract::alone(ctx, module, &name).zip(extract::alone(ctx, module, &name));
        let Some((found, written)) = copies else {
            continue;
        };
        let order = OrderOnCores {
            passes: Passes::over(&instruments, about).of(format!("the order of loops of {name}")),
            cores,
            rules: &rules,
            is_found: true,
        };
        order.passes.parallelize(ctx, found.1, &rules);
        let better = order.better(ctx, found, written);
        take_over(ctx, function, better.1);
        for copy in [found, written] {
            copy.0.erase(ctx);
        }
    }
}

fn left_open(program: &Program) -> Vec<Op> {
    let ctx = &program.ctx;
    let all = program.module.body(ctx, 0).ops(ctx).into_iter();
    all.filter(|op| op.attr(ctx, TERRACE_ANY_ORDER).is_some())
        .collect()
}
