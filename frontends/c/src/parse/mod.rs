//! Preprocessed C to lang-c's syntax tree.
//!
//! The parser reads a masked copy of the text, of the same length, so that every span
//! of the tree is one of the text. `mask` says what is changed and why.

mod brackets;
mod mask;
mod message;
mod tolerant;
mod unused;

pub use tolerant::parse_tolerant;

use lang_c::ast::{DerivedDeclarator, ExternalDeclaration, TranslationUnit};
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};
use terrace_ir::diag::Diagnostic;

use crate::hir::Span;
use crate::lex::{Lexer, Token};
use crate::source::SourceMap;
use crate::stack::on_large_stack;

/// What the parser made of a file.
#[derive(Debug)]
pub struct Parsed {
    pub unit: TranslationUnit,
    /// Attributes behind `struct`, `union` or `enum` that change the record's layout and
    /// that the tree does not have, such as `__attribute__((packed))`: the layout that
    /// the tree gives for the record that follows is wrong.
    pub lost_attributes: Vec<Span>,
}

/// Parses a preprocessed file. Declarations of functions that stand in system headers
/// and that nothing names are not in the tree.
///
/// Errors say what was found and what can stand there. It takes no more stack than it
/// brings along, and time in proportion to the text.
pub fn parse(map: &SourceMap) -> Result<TranslationUnit, Vec<Diagnostic>> {
    parse_with(map, true).map(|parsed| parsed.unit)
}

/// As [`parse`]; `drop_unused` false keeps every declaration.
pub fn parse_with(map: &SourceMap, drop_unused: bool) -> Result<Parsed, Vec<Diagnostic>> {
    let (mut source, lost_attributes) = masked_text(map, drop_unused)?;
    let mut errors = Vec::new();
    loop {
        match parse_masked(source) {
            Ok(unit) => {
                if errors.is_empty() {
                    errors = old_style(map, &unit);
                }
                return match errors.is_empty() {
                    true => Ok(Parsed {
                        unit,
                        lost_attributes,
                    }),
                    false => Err(errors),
                };
            }
            Err(Failure::Syntax(e)) => {
                let tokens: Vec<Token> = Lexer::new(e.source.as_bytes()).collect();
                errors.push(message::syntax(map, &e, &tokens));
                // Errors in other functions are found by leaving this one out.
                match without_function(e, &tokens) {
                    Some(rest) if errors.len() < MAX_ERRORS => source = rest,
                    _ => return Err(errors),
                }
            }
            Err(Failure::NoThread(reason)) => {
                let message = format!("no thread to parse the file with: {reason}");
                errors.push(Diagnostic::error(map.loc(0), message));
                return Err(errors);
            }
        }
    }
}

/// What the parser reads, and attributes that are lost in it.
fn masked_text(map: &SourceMap, drop_unused: bool) -> Result<(String, Vec<Span>), Vec<Diagnostic>> {
    let text = map.text();
    if u32::try_from(text.len()).is_err() {
        let message = "the preprocessed file has 4 GiB or more, which terrace does not read";
        return Err(vec![Diagnostic::error(map.loc(0), message)]);
    }
    let mut masked = mask::Masked::new(text);
    let brackets = brackets::check(map, &masked.bytes, &masked.tokens)?;
    let lost_attributes = mask::mend(&mut masked, &brackets);
    if drop_unused {
        unused::drop(&mut masked, map);
    }
    Ok((masked.into_text(), lost_attributes))
}

/// Syntax errors reported of one file. Each costs a parse.
const MAX_ERRORS: usize = 5;

enum Failure {
    Syntax(SyntaxError),
    NoThread(String),
}

fn parse_masked(source: String) -> Result<TranslationUnit, Failure> {
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::GnuC11,
    };
    match on_large_stack(|| parse_preprocessed(&config, source)) {
        Ok(Ok(parse)) => Ok(parse.unit),
        Ok(Err(e)) => Err(Failure::Syntax(e)),
        Err(e) => Err(Failure::NoThread(e.to_string())),
    }
}

/// The text without the body of the function that the error is in; `None` if it is not
/// in one.
fn without_function(error: SyntaxError, tokens: &[Token]) -> Option<String> {
    let mut bytes = error.source.into_bytes();
    let mut depth = 0usize;
    let mut open = None;
    let mut after_parameters = false;
    for t in tokens {
        let word = &bytes[t.start..t.end];
        match word {
            b"{" => {
                if depth == 0 {
                    open = Some(t.end).filter(|_| after_parameters);
                }
                depth += 1;
            }
            b"}" => {
                depth = depth.saturating_sub(1);
                let body = open.filter(|_| depth == 0 && t.start >= error.offset);
                if let Some(start) = body {
                    // Twice the same error would come of a body that is blank already.
                    let blank = bytes[start..t.start].trim_ascii().is_empty();
                    if start > error.offset || blank {
                        return None;
                    }
                    bytes[start..t.start].fill(b' ');
                    return String::from_utf8(bytes).ok();
                }
            }
            _ => {}
        }
        after_parameters = bytes.get(t.start) == Some(&b')');
    }
    None
}

/// Definitions whose parameters are declared behind the brackets.
fn old_style(map: &SourceMap, unit: &TranslationUnit) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for node in &unit.0 {
        let ExternalDeclaration::FunctionDefinition(f) = &node.node else {
            continue;
        };
        let declarator = &f.node.declarator.node;
        let names = declarator
            .derived
            .iter()
            .any(|d| matches!(&d.node, DerivedDeclarator::KRFunction(names) if !names.is_empty()));
        if names || !f.node.declarations.is_empty() {
            let at = declarator.kind.span;
            let text = map.text();
            let name = text.get(at.start..at.end).unwrap_or_default();
            let message = format!(
                "`{name}` is defined in the old style, with parameters declared behind the \
                 brackets, which terrace does not read; write `{name}(int a, double b)`"
            );
            let mut error = Diagnostic::error(map.loc(at.start), message);
            error.underline = name.len() as u32;
            errors.push(error);
        }
    }
    errors
}

#[cfg(test)]
mod tests;
