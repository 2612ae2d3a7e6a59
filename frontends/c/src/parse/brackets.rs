//! Brackets that match, and a bound on how deep the syntax tree can be, before the
//! parser, which is recursive, sees the text.

use terrace_ir::diag::Diagnostic;

use crate::lex::{Token, TokenKind};
use crate::source::SourceMap;

/// Brackets of all kinds inside each other, as other compilers have it.
const MAX_BRACKETS: usize = 256;

/// Levels of the tree: a sum of a thousand terms is a tree of a thousand levels, and a
/// chain of `else if` or of `case` as deep as it is long.
const MAX_LEVELS: usize = 2000;

/// `sizeof`, `_Alignof` and `typeof` inside each other: the parser tries each as a type
/// and as an expression, so that every level doubles its time.
const MAX_TYPES: usize = 8;

/// For each token that opens a bracket the index of the one that closes it, and the
/// other way round.
#[derive(Debug)]
pub(super) struct Brackets {
    partner: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Brackets {
    pub(super) fn partner(&self, token: usize) -> Option<usize> {
        let partner = *self.partner.get(token)?;
        (partner != NONE).then_some(partner as usize)
    }
}

/// What is open around a token.
struct Level {
    /// The bracket, none for the file.
    open: usize,
    /// Operators since the last `,` or `;`.
    operators: usize,
    /// Statements that the next is a part of.
    statements: usize,
    /// Opened behind `sizeof` and the like.
    of_type: bool,
}

impl Level {
    fn total(&self) -> usize {
        self.operators + self.statements
    }
}

/// Matches brackets. The first that does not match, or a nesting that is too deep, is
/// an error.
pub(super) fn check(
    map: &SourceMap,
    text: &[u8],
    tokens: &[Token],
) -> Result<Brackets, Vec<Diagnostic>> {
    let word = |i: usize| -> &[u8] {
        tokens
            .get(i)
            .map_or(&[], |t| text.get(t.start..t.end).unwrap_or_default())
    };
    let fail = |i: usize, message: String| {
        let at = tokens.get(i).map_or(text.len(), |t| t.start);
        let mut error = Diagnostic::error(map.loc(at), message);
        error.underline = 1;
        error
    };
    let level = |open, of_type| Level {
        open,
        operators: 0,
        statements: 0,
        of_type,
    };
    let mut partner = vec![NONE; tokens.len()];
    let mut stack = vec![level(usize::MAX, false)];
    let mut total = 0usize;
    let mut types = 0usize;
    for i in 0..tokens.len() {
        let this = word(i);
        let top = stack.len() - 1;
        match this {
            b"(" | b"[" | b"{" => {
                let of_type = i > 0 && measures_type(word(i - 1));
                types += usize::from(of_type);
                if stack.len() > MAX_BRACKETS {
                    let message = format!(
                        "brackets are nested more than {MAX_BRACKETS} deep here, which terrace \
                         does not read"
                    );
                    return Err(vec![fail(i, message)]);
                }
                if types > MAX_TYPES {
                    let message = format!(
                        "`sizeof` and `typeof` are nested more than {MAX_TYPES} deep here, which \
                         terrace does not read"
                    );
                    return Err(vec![fail(i - 1, message)]);
                }
                stack.push(level(i, of_type));
            }
            b")" | b"]" | b"}" => {
                let close = char::from(this[0]);
                let open = tokens
                    .get(stack[top].open)
                    .map(|_| word(stack[top].open)[0]);
                // A `)` within braces is more likely too many than a `}` missing.
                if open.is_none() || open == Some(b'{') && close != '}' {
                    let message = format!("`{close}` without a `{}` before it", opening(close));
                    return Err(vec![fail(i, message)]);
                }
                let closed = stack.swap_remove(top);
                let open = char::from(word(closed.open)[0]);
                if open != opening(close) {
                    let message =
                        format!("found `{close}` where the `{open}` before it is not closed yet");
                    let mut error = fail(i, message);
                    let opened = tokens[closed.open].start;
                    error
                        .notes
                        .push((map.loc(opened), format!("this `{open}` is open")));
                    return Err(vec![error]);
                }
                partner[i] = closed.open as u32;
                partner[closed.open] = i as u32;
                total -= closed.total();
                types -= usize::from(closed.of_type);
                let outer = &mut stack[top - 1];
                total -= outer.total();
                if close != '}' {
                    // What follows may be a cast's or a call's.
                    outer.operators += 1;
                } else if matches!(word(i + 1), b"else" | b"while") {
                    outer.operators = 0;
                } else if !continues(word(i + 1)) {
                    outer.operators = 0;
                    outer.statements = 0;
                }
                total += outer.total();
            }
            b"++" | b"--" if matches!(word(i + 1), b"++" | b"--") => {
                // The parser reads each also as two signs, so that a row of them would take
                // time that doubles with every other one.
                let message = format!(
                    "found `{}` next to `{}`, expected a variable, which a value that one of them \
                     gives is not",
                    String::from_utf8_lossy(word(i + 1)),
                    String::from_utf8_lossy(this),
                );
                return Err(vec![fail(i + 1, message)]);
            }
            _ => {
                let here = &mut stack[top];
                total -= here.total();
                match this {
                    b"," => here.operators = 0,
                    b";" => {
                        here.operators = 0;
                        if word(i + 1) != b"else" {
                            here.statements = 0;
                        }
                    }
                    b"if" | b"else" | b"for" | b"while" | b"do" | b"switch" | b"case"
                    | b"default" => here.statements += 1,
                    b"sizeof" => here.operators += 1,
                    _ if tokens[i].kind == TokenKind::Punct => here.operators += 1,
                    _ => {}
                }
                total += here.total();
                if total + stack.len() > MAX_LEVELS {
                    let message = format!(
                        "more than {MAX_LEVELS} operators or statements are nested in each other \
                         here, which terrace does not read; split the expression, or the chain \
                         of `else if` or `case`"
                    );
                    return Err(vec![fail(i, message)]);
                }
            }
        }
    }
    match stack.last() {
        Some(open) if stack.len() > 1 => {
            let bracket = String::from_utf8_lossy(word(open.open)).into_owned();
            Err(vec![fail(
                open.open,
                format!("`{bracket}` is not closed before the file ends"),
            )])
        }
        _ => Ok(Brackets { partner }),
    }
}

fn opening(close: char) -> char {
    match close {
        ')' => '(',
        ']' => '[',
        _ => '{',
    }
}

/// Whether an expression goes on behind `}`.
fn continues(next: &[u8]) -> bool {
    matches!(next, b")" | b"," | b"." | b"->" | b"[")
}

fn measures_type(word: &[u8]) -> bool {
    matches!(
        word,
        b"sizeof"
            | b"_Alignof"
            | b"__alignof"
            | b"__alignof__"
            | b"typeof"
            | b"__typeof"
            | b"__typeof__"
    )
}
