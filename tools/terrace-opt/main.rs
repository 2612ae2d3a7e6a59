//! `terrace-opt`: mlir-opt's habits over terrace's dialects and passes.

fn main() {
    terrace::opt::Tool::new("terrace-opt").main();
}
