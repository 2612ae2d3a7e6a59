//! `terrace compile x.c --emit mlir`: a C file as a module, before any pass.

use crate::ir::diag::{Diagnostic, NoSources, Renderer, Severity};
use crate::opt::Outcome;
use std::path::PathBuf;
use terrace_c::lower::{Options, lower_unit};
use terrace_c::preprocess::{Preprocess, compiler, preprocess};

/// Whether a file is C by its name.
pub fn is_c(file: &str) -> bool {
    file.ends_with(".c") || file.ends_with(".i")
}

/// The module of a C file as text. What stays C is remarked upon on standard error.
pub fn module_text(file: &str, flags: &[String]) -> Outcome {
    crate::with_stack(|| {
        let mut out = Outcome::default();
        match lowered(file, flags, &mut out.stderr) {
            Some(text) => out.stdout = text,
            None => out.code = 1,
        }
        out
    })
}

fn lowered(file: &str, flags: &[String], messages: &mut String) -> Option<String> {
    let text = if file.ends_with(".i") {
        std::fs::read_to_string(file).map_err(|e| format!("cannot open input file '{file}': {e}"))
    } else {
        preprocess(&Preprocess {
            cc: compiler(),
            flags: flags.to_vec(),
            file: PathBuf::from(file),
            openacc: true,
        })
        .map_err(|e| e.to_string())
    };
    let text = match text {
        Ok(t) => t,
        Err(e) => {
            messages.push_str(&format!("{e}\n"));
            return None;
        }
    };
    let unit = match terrace_c::read(terrace_c::source::SourceMap::new(text)) {
        Ok((unit, warnings)) => {
            say(&warnings, messages);
            unit
        }
        Err(errors) => {
            say(&errors, messages);
            return None;
        }
    };
    let mut ctx = crate::dialects::context();
    let lowered = lower_unit(&mut ctx, &unit, &Options::default());
    let kept: Vec<Diagnostic> = lowered
        .kept
        .iter()
        .map(|k| {
            let what = match k.directive {
                Some(_) => "a region of ",
                None => "",
            };
            let message = format!("{what}'{}' stays C: {}", k.function, k.reason);
            let loc = unit.source.loc(k.span.start as usize);
            Diagnostic::new(Severity::Remark, loc, message)
        })
        .collect();
    say(&kept, messages);
    say(&lowered.diagnostics, messages);
    Some(ctx.op_text(lowered.module))
}

fn say(list: &[Diagnostic], out: &mut String) {
    out.push_str(&Renderer::new(&NoSources).render_all(list));
}
