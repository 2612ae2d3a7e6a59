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
    fn new(open: usize, of_type: bool) -> Level {
        Level {
            open,
            operators: 0,
            statements: 0,
            of_type,
        }
    }

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
    let mut checker = Checker {
        map,
        text,
        tokens,
        partner: vec![NONE; tokens.len()],
        stack: vec![Level::new(usize::MAX, false)],
        total: 0,
        types: 0,
    };
    for i in 0..tokens.len() {
        checker.token(i).map_err(|e| vec![e])?;
    }
    match checker.stack.last() {
        Some(open) if checker.stack.len() > 1 => {
            let bracket = String::from_utf8_lossy(checker.word(open.open));
            let message = format!("`{bracket}` is not closed before the file ends");
            Err(vec![checker.fail(open.open, message)])
        }
        _ => Ok(Brackets {
            partner: checker.partner,
        }),
    }
}

struct Checker<'a> {
    map: &'a SourceMap,
    text: &'a [u8],
    tokens: &'a [Token],
    partner: Vec<u32>,
    stack: Vec<Level>,
    /// Levels of the tree that are open, without brackets.
    total: usize,
    /// Brackets that are open behind `sizeof` and the like.
    types: usize,
}

impl<'a> Checker<'a> {
    fn word(&self, i: usize) -> &'a [u8] {
        let token = self.tokens.get(i);
        token.map_or(&[], |t| self.text.get(t.start..t.end).unwrap_or_default())
    }

    fn fail(&self, i: usize, message: String) -> Diagnostic {
        let at = self.tokens.get(i).map_or(self.text.len(), |t| t.start);
        let mut error = Diagnostic::error(self.map.loc(at), message);
        error.underline = 1;
        error
    }

    fn token(&mut self, i: usize) -> Result<(), Diagnostic> {
        let (this, next) = (self.word(i), self.word(i + 1));
        match this {
            b"(" | b"[" | b"{" => self.open(i),
            b")" | b"]" | b"}" => self.close(i),
            b"++" | b"--" if matches!(next, b"++" | b"--") => {
                // The parser reads each also as two signs, so that a row of them would take
                // time that doubles with every other one.
                let message = format!(
                    "found `{}` next to `{}`, expected a variable, which a value that one of them \
                     gives is not",
                    String::from_utf8_lossy(next),
                    String::from_utf8_lossy(this),
                );
                Err(self.fail(i + 1, message))
            }
            _ => self.other(i),
        }
    }

    fn open(&mut self, i: usize) -> Result<(), Diagnostic> {
        let of_type = i > 0 && measures_type(self.word(i - 1));
        self.types += usize::from(of_type);
        if self.stack.len() > MAX_BRACKETS {
            let message = format!(
                "brackets are nested more than {MAX_BRACKETS} deep here, which terrace does not \
                 read"
            );
            return Err(self.fail(i, message));
        }
        if self.types > MAX_TYPES {
            let message = format!(
                "`sizeof` and `typeof` are nested more than {MAX_TYPES} deep here, which terrace \
                 does not read"
            );
            return Err(self.fail(i - 1, message));
        }
        self.stack.push(Level::new(i, of_type));
        Ok(())
    }

    fn close(&mut self, i: usize) -> Result<(), Diagnostic> {
        let (close, next) = (char::from(self.word(i)[0]), self.word(i + 1));
        let top = self.stack.len() - 1;
        let at = self.stack[top].open;
        let open = self.word(at).first().map(|c| char::from(*c));
        let open = match open {
            // A `)` within braces is more likely too many than a `}` missing.
            Some(open) if open != '{' || close == '}' => open,
            _ => {
                let message = format!("`{close}` without a `{}` before it", opening(close));
                return Err(self.fail(i, message));
            }
        };
        if open != opening(close) {
            let message = format!("found `{close}` where the `{open}` before it is not closed yet");
            let opened = self.map.loc(self.tokens[at].start);
            return Err((self.fail(i, message)).with_note(opened, format!("this `{open}` is open")));
        }
        let closed = self.stack.swap_remove(top);
        self.partner[i] = at as u32;
        self.partner[at] = i as u32;
        self.total -= closed.total();
        self.types -= usize::from(closed.of_type);
        let outer = &mut self.stack[top - 1];
        self.total -= outer.total();
        if close != '}' {
            // What follows may be a cast's or a call's.
            outer.operators += 1;
        } else if matches!(next, b"else" | b"while") {
            outer.operators = 0;
        } else if !continues(next) {
            outer.operators = 0;
            outer.statements = 0;
        }
        self.total += outer.total();
        Ok(())
    }

    fn other(&mut self, i: usize) -> Result<(), Diagnostic> {
        let (this, next) = (self.word(i), self.word(i + 1));
        let top = self.stack.len() - 1;
        let here = &mut self.stack[top];
        self.total -= here.total();
        match this {
            b"," => here.operators = 0,
            b";" => {
                here.operators = 0;
                if next != b"else" {
                    here.statements = 0;
                }
            }
            b"if" | b"else" | b"for" | b"while" | b"do" | b"switch" | b"case" | b"default" => {
                here.statements += 1;
            }
            b"sizeof" => here.operators += 1,
            _ if self.tokens[i].kind == TokenKind::Punct => here.operators += 1,
            _ => {}
        }
        self.total += here.total();
        if self.total + self.stack.len() > MAX_LEVELS {
            let message = format!(
                "more than {MAX_LEVELS} operators or statements are nested in each other here, \
                 which terrace does not read; split the expression, or the chain of `else if` \
                 or `case`"
            );
            return Err(self.fail(i, message));
        }
        Ok(())
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
