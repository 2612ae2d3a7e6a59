//! Programs in C.

use super::executor::Program;
use super::source::ProgramText;
use crate::c::driver::host::Host;
use crate::c::joined::Joined;
use crate::c::sources;
use crate::dialects;
use crate::ir::diag::Diagnostic;
use crate::ir::verify::verify;
use crate::opt::Outcome;
use terrace_c::hir::Unit;
use terrace_c::lower::{Options, lower_unit, merge_constructs};
use terrace_c::preprocess::{as_text, expand_directives};
use terrace_c::read;

impl ProgramText {
    /// A program in C, which has no directives of the preprocessor or has been through it.
    pub fn c(name: &str, text: &str) -> ProgramText {
        ProgramText {
            language: super::source::Language::C,
            text: expand_directives(text.to_string(), false),
            ..ProgramText::mlir(name, "")
        }
    }

    /// The program of a C file, with remarks on what stays C.
    ///
    /// # Errors
    ///
    /// Every error of the text.
    pub fn lowered(&self) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut apart = Vec::new();
        let (unit, ctx, lowered) = loop {
            let mut unit = self.unit()?;
            let joined = Joined(merge_constructs(&mut unit, &apart));
            let mut ctx = dialects::context();
            let lowered = lower_unit(&mut ctx, &unit, &Options::default());
            let refused = lowered.kept.iter().filter_map(|k| k.directive);
            if !joined.any_apart(refused, &mut apart) {
                break (unit, ctx, lowered);
            }
        };
        let module = lowered.module;
        if !verify(&ctx, module) {
            return Err(ctx.take_diagnostics());
        }
        let mut said = lowered.diagnostics;
        for k in &lowered.kept {
            let what = if k.directive.is_some() {
                "a region of "
            } else {
                ""
            };
            let m = format!("{what}'{}' stays C: {}", k.function, k.reason);
            said.push(Diagnostic::remark(
                unit.source.loc(k.span.start as usize),
                m,
            ));
        }
        Ok((Program::of(ctx, module).named_as_written(), said))
    }

    /// A C file with names and types.
    ///
    /// # Errors
    ///
    /// Every error of the text.
    pub fn unit(&self) -> Result<Unit, Vec<Diagnostic>> {
        let (unit, _) = read(self.text.clone()).map_err(|e| e.diagnostics)?;
        Ok(unit)
    }
}

/// Diagnostics with their source lines.
pub(super) fn render(diagnostics: &[Diagnostic]) -> String {
    sources::render(diagnostics)
}

/// A file that has been through the preprocessor.
///
/// # Errors
///
/// The compiler has said what is wrong, or there is none.
pub(super) fn preprocessed(path: &str, flags: &[String]) -> Result<String, Outcome> {
    let text = Host::find().preprocessed(path, flags);
    text.map_err(|f| Outcome {
        code: f.code,
        stdout: String::new(),
        stderr: f.said(),
    })
}

/// The text of a file that has been through the preprocessor.
pub(super) fn expanded(bytes: Vec<u8>) -> String {
    expand_directives(as_text(bytes), false)
}
