//! C as it comes from the preprocessor: read, and lowered to loops.

use terrace::ir::diag::Severity;
use terrace::ir::verify::verify;
use terrace::with_stack;
use terrace_c::lower::{Options, lower_unit};

/// # Panics
///
/// Where a file is refused without an error, or what is made of it does not verify or is
/// not read back from its text.
pub fn check(data: &[u8]) {
    if data.len() > super::MAX_BYTES {
        return;
    }
    with_stack(|| lowered(&String::from_utf8_lossy(data)));
}

fn lowered(text: &str) {
    let unit = match terrace_c::read(format!("# 1 \"fuzz.c\"\n{text}")) {
        Ok((unit, _)) => unit,
        Err(e) => {
            let mut said = e.diagnostics.iter();
            assert!(said.any(|d| d.severity == Severity::Error), "no error");
            return;
        }
    };
    for regions_only in [false, true] {
        let mut ctx = terrace::dialects::context();
        let made = lower_unit(&mut ctx, &unit, &Options { regions_only });
        if !verify(&ctx, made.module) {
            let why = ctx.take_diagnostics();
            panic!("{why:?}\n{}", ctx.op_text(made.module));
        }
        if !regions_only {
            super::mlir::check_printed(&ctx.op_text(made.module));
        }
    }
}
