//! Preprocessed C as a unit with names, types and directives.

use terrace_ir::diag::{Diagnostic, Severity};

use crate::dialect::Dialect;
use crate::hir::Unit;
use crate::source::SourceMap;
use crate::{directive, parse, rules, sema};

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
/// Errors of syntax; or else those in the forms of directives, and then those in names
/// and types, of the program's and of the directives'.
pub fn read(text: String) -> Result<(Unit, Vec<Diagnostic>), ReadError> {
    read_as(text, Dialect::default())
}

/// The same in the language that the compiler's options make of C.
///
/// # Errors
///
/// As [`read`].
pub fn read_as(text: String, dialect: Dialect) -> Result<(Unit, Vec<Diagnostic>), ReadError> {
    read_source(SourceMap::new(text).in_dialect(dialect))
}

/// The same of a text whose original files may be elsewhere than on the disk.
///
/// # Errors
///
/// As [`read`].
pub fn read_source(source: SourceMap) -> Result<(Unit, Vec<Diagnostic>), ReadError> {
    let wrong = |diagnostics: Vec<Diagnostic>, language| ReadError {
        diagnostics,
        language,
    };
    let (ast, left_out) = parse::parse_tolerant(&source).map_err(|d| wrong(d, true))?;
    let (directives, mut said) = directive::collect(&source);
    said.extend(left_out);
    let (unit, found) = sema::analyze(source, &ast, directives);
    let has_error = |all: &[Diagnostic]| all.iter().any(|d| d.severity == Severity::Error);
    let language = has_error(&found);
    said.extend(found);
    if !has_error(&said) {
        said.extend(rules::check(&unit));
    }
    match has_error(&said) {
        true => Err(wrong(said, language)),
        false => Ok((unit, said)),
    }
}
