//! A kernel compiled and called while a program runs: parse, compile, call.
//!
//! ```text
//! cargo run --example embed
//! ```

use terrace::run::bind::Value;
use terrace::run::executor::{Executor, Program};
use terrace::run::{RunError, compile, options::RunOptions};

const AXPY: &str = "
func.func @axpy(%a: f64, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %p = affine.load %x[%i] : memref<?xf64>
    %q = affine.load %y[%i] : memref<?xf64>
    %r = arith.mulf %a, %p : f64
    %s = arith.addf %r, %q : f64
    affine.store %s, %y[%i] : memref<?xf64>
  }
  return
}";

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = Program::new("axpy.mlir", AXPY).map_err(RunError::from)?;
    let mut axpy: Box<dyn Executor> = compile(program, &RunOptions::default())?;
    let x = Value::array(&[3], &[1.0, 2.0, 3.0])?;
    let y = Value::array(&[3], &[10.0, 20.0, 30.0])?;
    let mut args = [2.0.into(), x, y];
    axpy.call(&mut args).map_err(RunError::from)?;
    let y = args[2].elements::<f64>()?;
    println!("{y:?}");
    assert_eq!(y, [12.0, 24.0, 36.0]);
    Ok(())
}
