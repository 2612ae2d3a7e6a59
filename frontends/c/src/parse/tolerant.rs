//! Parsing around functions that the parser does not take: extensions of GNU C such as
//! addresses of labels. Nothing of such a function is
//! asked for if no directive is in it, so it is read as its declaration.

use lang_c::ast::TranslationUnit;
use terrace_ir::diag::{Diagnostic, Severity};

use super::{Failure, masked_text, parse, parse_masked};
use crate::lex::{Lexer, Token};
use crate::source::{SourceMap, mentions_directives};

/// Functions left out of one file. Each costs a parse.
const MAX_LEFT_OUT: usize = 20;

/// As [`parse`], but functions without directives that cannot be read are declarations
/// in the tree. The remarks say which, and why.
pub fn parse_tolerant(
    map: &SourceMap,
) -> Result<(TranslationUnit, Vec<Diagnostic>), Vec<Diagnostic>> {
    let errors = match parse(map) {
        Ok(unit) => return Ok((unit, Vec::new())),
        Err(errors) => errors,
    };
    match leaving_out(map) {
        Some(found) => Ok(found),
        None => Err(errors),
    }
}

fn leaving_out(map: &SourceMap) -> Option<(TranslationUnit, Vec<Diagnostic>)> {
    let mut source = masked_text(map, true).ok()?;
    let mut remarks = Vec::new();
    for _ in 0..MAX_LEFT_OUT {
        match parse_masked(source) {
            Ok(unit) => return Some((unit, remarks)),
            Err(Failure::Syntax(e)) => {
                let tokens: Vec<Token> = Lexer::new(e.source.as_bytes()).collect();
                remarks.push(remark(super::message::syntax(map, &e, &tokens)));
                source = without_body(map, e.source, e.offset, &tokens)?;
            }
            Err(Failure::NoThread(_)) => return None,
        }
    }
    None
}

fn remark(mut d: Diagnostic) -> Diagnostic {
    d.severity = Severity::Remark;
    d.message.push_str("; the function stays C");
    d
}

/// The text with the body that the place is in made a `;`, if no directive is in it.
fn without_body(map: &SourceMap, source: String, at: usize, tokens: &[Token]) -> Option<String> {
    let mut bytes = source.into_bytes();
    let mut depth = 0usize;
    let mut open = None;
    let mut after_parameters = false;
    for t in tokens {
        match &bytes[t.start..t.end] {
            b"{" => {
                if depth == 0 {
                    open = Some(t.start).filter(|_| after_parameters);
                }
                depth += 1;
            }
            b"}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && t.start >= at {
                    let start = open.filter(|start| *start < at)?;
                    blank(map, &mut bytes, start, t.end)?;
                    return String::from_utf8(bytes).ok();
                }
            }
            _ => {}
        }
        after_parameters = bytes.get(t.start) == Some(&b')');
    }
    None
}

/// Makes a stretch a `;`, unless directives are in it.
fn blank(map: &SourceMap, bytes: &mut [u8], start: usize, end: usize) -> Option<()> {
    let original = map.text().as_bytes().get(start..end)?;
    if original.is_empty() || mentions_directives(original) {
        return None;
    }
    for b in bytes[start..end].iter_mut().filter(|b| **b != b'\n') {
        *b = b' ';
    }
    bytes[start] = b';';
    Some(())
}
