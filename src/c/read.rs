//! Preprocessed C as a unit with names, types and directives.

use crate::ir::diag::{Diagnostic, Severity};

use terrace_c::hir::Unit;
use terrace_c::source::SourceMap;
use terrace_c::{directive, parse, sema};

/// Why a text cannot be used.
#[derive(Debug, Clone)]
pub struct ReadError {
    pub diagnostics: Vec<Diagnostic>,
    /// It is no C that terrace understands; a C compiler may. Otherwise the directives
    /// are wrong.
    pub language: bool,
}

/// Read preprocessed text. Beside the unit there may be warnings.
///
/// # Errors
///
/// All errors of the kind that is met first: syntax, then names and types, then
/// directives.
pub fn read(text: String) -> Result<(Unit, Vec<Diagnostic>), ReadError> {
    let source = SourceMap::new(text);
    let wrong = |diagnostics: Vec<Diagnostic>, language| ReadError {
        diagnostics,
        language,
    };
    let (ast, left_out) = parse::parse_tolerant(&source).map_err(|d| wrong(d, true))?;
    let (directives, mut said) = directive::collect(&source);
    said.extend(left_out);
    let (unit, errors) = sema::analyze(source, &ast, directives);
    let is_error = |d: &Diagnostic| d.severity == Severity::Error;
    if errors.iter().any(is_error) {
        return Err(wrong(errors, true));
    }
    said.extend(errors);
    if said.iter().any(is_error) {
        return Err(wrong(said, false));
    }
    Ok((unit, said))
}
