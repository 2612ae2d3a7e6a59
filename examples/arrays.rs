//! Expressions over arrays that become kernels while the program runs.
//!
//! ```text
//! TERRACE_TARGET=cpu cargo run --release --example arrays
//! ```

use terrace::array::{Context, max, sum};

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cx = Context::from_environment()?;
    println!("on {}", cx.place());
    let n = 1000;
    let host: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.01).collect();
    let x = cx.vector(&host)?;
    let y = cx.zeros(x.shape())?;
    // One kernel, compiled when it is first met. Another number would not be another kernel.
    y.set(2.0 * &x - x.sin())?;
    // One kernel for both, and no array for the products.
    let (dot, most) = cx.reduce((sum(&x * &y), max(&y)))?;
    println!("dot {dot:.6}, max {most:.6}, {:?}", cx.kernels());
    let expected: Vec<f64> = host.iter().map(|x| 2.0 * x - x.sin()).collect();
    let largest = expected.iter().copied().fold(f64::MIN, f64::max);
    assert!((most - largest).abs() < 1e-12);
    // What does not fit is an error that names both shapes and this line.
    let wrong = y.set(&x + x.range(0..10)).unwrap_err();
    println!("{wrong}");
    Ok(())
}
