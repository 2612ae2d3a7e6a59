//! Parsing around functions that the parser does not take: extensions of GNU C such as
//! addresses of labels, definitions in the old style. Nothing of such a function is
//! asked for if no directive is in it, so it is read as its declaration.

use lang_c::ast::{DerivedDeclarator, ExternalDeclaration, FunctionDefinition, TranslationUnit};
use lang_c::span::Node;
use terrace_ir::diag::{Diagnostic, Severity};

use super::{Failure, masked_text, old_style, parse, parse_masked};
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
    let (mut source, _) = masked_text(map, true).ok()?;
    let mut remarks = Vec::new();
    for _ in 0..MAX_LEFT_OUT {
        let before = source.clone();
        match parse_masked(source) {
            Ok(unit) => {
                let said = old_style(map, &unit);
                if said.is_empty() {
                    return Some((unit, remarks));
                }
                // The tree's spans are of this text.
                source = before;
                for node in unit.0.iter().rev() {
                    if let ExternalDeclaration::FunctionDefinition(f) = &node.node
                        && is_old(&f.node)
                    {
                        source = declared(map, source, f)?;
                    }
                }
                remarks.extend(said.into_iter().map(remark));
            }
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

fn is_old(f: &FunctionDefinition) -> bool {
    let names = |d: &Node<DerivedDeclarator>| matches!(&d.node, DerivedDeclarator::KRFunction(n) if !n.is_empty());
    !f.declarations.is_empty() || f.declarator.node.derived.iter().any(names)
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

/// The text with a definition in the old style made a declaration without parameters.
fn declared(map: &SourceMap, source: String, f: &Node<FunctionDefinition>) -> Option<String> {
    let mut bytes = source.into_bytes();
    let name_end = f.node.declarator.node.kind.span.end;
    let text = bytes.get(name_end..f.span.end)?;
    let open = name_end + text.iter().position(|b| !b.is_ascii_whitespace())?;
    let close = open
        + bytes
            .get(open..f.span.end)?
            .iter()
            .position(|b| *b == b')')?;
    if bytes[open] != b'(' {
        return None;
    }
    bytes[open + 1..close].fill(b' ');
    blank(map, &mut bytes, close + 1, f.span.end)?;
    String::from_utf8(bytes).ok()
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
