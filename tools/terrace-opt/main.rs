//! `terrace-opt`: mlir-opt's habits over terrace's dialects and passes.

fn main() {
    terrace_support::unfinished::install();
    let args: Vec<String> = std::env::args().skip(1).collect();
    terrace::opt::run(&args, &mut std::io::stdin()).write_and_exit();
}
