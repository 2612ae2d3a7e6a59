//! A loop nest that a program of pliron makes: what its loops carry, the set of its iterations, a pass
//! of terrace's, the result in pliron again, and a run as machine code.
//!
//! ```text
//! cargo run -p terrace-pliron --example wave
//! ```

use pliron::builtin::op_interfaces::{OneResultInterface, SingleBlockRegionInterface};
use pliron::builtin::ops::{FuncOp, ModuleOp};
use pliron::builtin::types::{FP64Type, FunctionType};
use pliron::context::{Context, Ptr};
use pliron::ident;
use pliron::op::{Op, verify_op};
use pliron::operation::Operation;
use pliron::printable::Printable;
use std::error::Error;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_pliron::affine::{Bound, ForOp, LoadOp, StoreOp, YieldOp};
use terrace_pliron::attrs::IntegerSetAttr;
use terrace_pliron::ops::{AddFOp, MulFOp, ReturnOp, f64_constant};
use terrace_pliron::types::MemrefType;
use terrace_pliron::{Module, sets};

/// `for t in 1..5 { for i in 1..9 { u[t][i] = 0.5 * (u[t - 1][i - 1] + u[t - 1][i + 1]) } }`
fn wave(ctx: &mut Context) -> ModuleOp {
    let f64 = FP64Type::get(ctx).into();
    let array = MemrefType::get(ctx, vec![Some(5), Some(10)], f64);
    let ty = FunctionType::get(ctx, vec![array.into()], vec![]);
    let module = ModuleOp::new(ctx, ident!("example"));
    let function = FuncOp::new(ctx, ident!("wave"), ty);
    let top = module.get_body(ctx, 0);
    function.get_operation().insert_at_back(top, ctx);
    let entry = function.get_entry_block(ctx);
    let u = entry.deref(ctx).get_argument(0);

    let steps = ForOp::new(ctx, Bound::constant(1), Bound::constant(5), 1, &[]);
    let points = ForOp::new(ctx, Bound::constant(1), Bound::constant(9), 1, &[]);
    let at = [steps.counter(ctx), points.counter(ctx)];
    let (t, i) = (AffineExpr::dim(0), AffineExpr::dim(1));
    let before = |by: i64| AffineMap::new(2, 0, vec![t.clone() - 1, i.clone() + by]);
    let left = LoadOp::new(ctx, u, before(-1), &at);
    let right = LoadOp::new(ctx, u, before(1), &at);
    let (a, b) = (left.get_result(ctx), right.get_result(ctx));
    let sum = AddFOp::new(ctx, a, b);
    let half = f64_constant(ctx, 0.5);
    let (a, b) = (half.get_result(ctx), sum.get_result(ctx));
    let mean = MulFOp::new(ctx, a, b);
    let mean_value = mean.get_result(ctx);
    let store = StoreOp::new(ctx, mean_value, u, AffineMap::identity(2), &at);

    let body = points.body(ctx);
    let end = YieldOp::new(ctx, vec![]);
    let ops: [Ptr<Operation>; 7] = [
        left.get_operation(),
        right.get_operation(),
        sum.get_operation(),
        half.get_operation(),
        mean.get_operation(),
        store.get_operation(),
        end.get_operation(),
    ];
    for op in ops {
        op.insert_at_back(body, ctx);
    }
    let body = steps.body(ctx);
    points.get_operation().insert_at_back(body, ctx);
    let end = YieldOp::new(ctx, vec![]);
    end.get_operation().insert_at_back(body, ctx);
    steps.get_operation().insert_at_back(entry, ctx);
    let end = ReturnOp::new(ctx, vec![]);
    end.get_operation().insert_at_back(entry, ctx);
    module
}

/// What the example prints, and what it computes.
///
/// # Errors
///
/// Those of the library.
pub fn run() -> Result<(String, Vec<f64>), Box<dyn Error>> {
    let ctx = &mut Context::new();
    let made = wave(ctx);
    verify_op(&made, ctx).map_err(|e| e.disp(ctx).to_string())?;
    let mut module = Module::read(ctx, made).map_err(|e| e.disp(ctx).to_string())?;
    let mut said = String::new();
    for d in module.dependences(Some("wave"))? {
        let of = |op: Option<Ptr<Operation>>| match op {
            Some(op) => Operation::get_opid(op, ctx).to_string(),
            None => "an op that a pass made".to_string(),
        };
        said.push_str(&format!(
            "{} from {} to {}, level {:?}, exact: {}\n  {}\n",
            d.kind.name(),
            of(d.source),
            of(d.sink),
            d.level,
            d.exact,
            d.iterations
        ));
    }
    let all =
        IntegerSetAttr::parse_text("(t, i) : (t - 1 >= 0, 4 - t >= 0, i - 1 >= 0, 8 - i >= 0)")?;
    let all = sets::set(&all.0)?;
    said.push_str(&format!("iterations: {all}\n"));
    said.push_str(&format!("the first: {:?}\n", all.lexmin_point()));

    // The inner loop carries nothing; with a factor of two its bodies stand side by side.
    module.run("builtin.module(func.func(affine-loop-unroll{unroll-factor=2}))")?;
    let back = module.write(ctx).map_err(|e| e.disp(ctx).to_string())?;
    verify_op(&back, ctx).map_err(|e| e.disp(ctx).to_string())?;
    said.push_str(&back.get_operation().disp(ctx).to_string());
    let again = Module::read(ctx, back).map_err(|e| e.disp(ctx).to_string())?;

    let kernel = again.kernel(Some("wave"))?;
    let wave = kernel.bind::<(&mut [f64],)>()?;
    let mut u = vec![0.0; 50];
    u[5] = 16.0;
    wave.call((&mut u,))?;
    Ok((said, u))
}

/// Prints what [`run`] gives.
///
/// # Errors
///
/// Those of the library.
pub fn main() -> Result<(), Box<dyn Error>> {
    let (said, u) = run()?;
    println!("{said}\n{:?}", &u[40..]);
    Ok(())
}
