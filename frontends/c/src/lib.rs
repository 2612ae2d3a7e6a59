//! C programs, with their directives: parsed, typed, and lowered to affine loops.
//!
//! `cc -E` preprocesses, lang-c parses. [`source`] maps places in the preprocessed
//! text to the files as written, [`directive`] reads pragmas, and [`hir`] is the unit
//! with names resolved and types known.

pub mod directive;
pub mod hir;
pub mod lex;
pub mod lower;
pub mod parse;
pub mod preprocess;
pub mod region;
pub mod sema;
pub mod source;
pub mod stack;
pub mod types;

use terrace_ir::diag::{Diagnostic, Severity};

/// Reads a preprocessed file: the typed unit and warnings, or what is wrong with it.
pub fn read(map: source::SourceMap) -> Result<(hir::Unit, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (directives, mut diagnostics) = directive::collect(&map);
    let parsed = match parse::parse(&map) {
        Ok(parsed) => parsed,
        Err(errors) => {
            diagnostics.extend(errors);
            return Err(diagnostics);
        }
    };
    let (unit, found) = sema::analyze(map, &parsed, directives);
    diagnostics.extend(found);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(diagnostics);
    }
    Ok((unit, diagnostics))
}
