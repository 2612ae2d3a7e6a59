//! How long all dependences of the programs in the given files take:
//! `cargo run --release -p terrace-passes --example dependence_time -- examples/polybench/*.mlir`.

use std::time::{Duration, Instant};

use terrace_ir::Context;
use terrace_ir::text::parser::{Source, parse};
use terrace_passes::analysis::dependence::{Options, dependences};

fn main() -> Result<(), String> {
    let mut worst = Duration::ZERO;
    for file in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
        let mut ctx = Context::new();
        terrace_dialects::register_all(&mut ctx);
        let Some(module) = parse(&mut ctx, &Source::new(&file, &text)) else {
            return Err(format!("{file}: {:?}", ctx.take_diagnostics()));
        };
        let functions = module.body(&ctx, 0).ops(&ctx);
        let mut times = Vec::new();
        let mut found = 0;
        for _ in 0..11 {
            let start = Instant::now();
            let all = functions
                .iter()
                .map(|f| dependences(&ctx, *f, &Options::default()).all.len());
            found = all.sum();
            times.push(start.elapsed());
        }
        times.sort();
        worst = worst.max(times[5]);
        let ms = times[5].as_secs_f64() * 1e3;
        println!("{file}: {found} dependences in {ms:.2} ms");
    }
    println!("the slowest: {:.2} ms", worst.as_secs_f64() * 1e3);
    Ok(())
}
