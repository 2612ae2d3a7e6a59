//! Preprocessed C to lang-c's syntax tree.
//!
//! The parser reads a masked copy of the text, of the same length, so that every span
//! of the tree is one of the text. `mask` says what is changed and why.

mod brackets;
mod mask;
mod message;
mod unused;

use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};
use terrace_ir::diag::Diagnostic;

use crate::lex::{Lexer, Token};
use crate::source::SourceMap;
use crate::stack::on_large_stack;

/// Parses a preprocessed file. Declarations of functions that stand in system headers
/// and that nothing names are not in the tree.
///
/// Errors say what was found and what can stand there. It takes no more stack than it
/// brings along, and time in proportion to the text.
pub fn parse(map: &SourceMap) -> Result<TranslationUnit, Vec<Diagnostic>> {
    parse_with(map, true)
}

/// As [`parse`]; `drop_unused` false keeps every declaration.
pub fn parse_with(map: &SourceMap, drop_unused: bool) -> Result<TranslationUnit, Vec<Diagnostic>> {
    let text = map.text();
    check_size(map, u32::MAX as usize)?;
    let mut masked = mask::Masked::new(text);
    let brackets = brackets::check(map, &masked.bytes, &masked.tokens)?;
    mask::mend(&mut masked, &brackets);
    if drop_unused {
        unused::drop(&mut masked, map);
    }
    let mut errors = Vec::new();
    let mut source = masked.into_text();
    loop {
        match parse_masked(source) {
            Ok(unit) => {
                return match errors.is_empty() {
                    true => Ok(unit),
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

/// Places are numbers of 32 bits.
fn check_size(map: &SourceMap, most: usize) -> Result<(), Vec<Diagnostic>> {
    if map.text().len() <= most {
        return Ok(());
    }
    let message = format!("the preprocessed file has more than {most} bytes, all terrace reads");
    Err(vec![Diagnostic::error(map.loc(0), message)])
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

#[cfg(test)]
mod tests;
