//! The copy of the text that the parser reads: what lang-c does not take is blanked, or
//! replaced by something of the same length that means as much to terrace.
//!
//! Blanked: lines of the preprocessor, comments, `__extension__`, attributes that do not
//! change the layout of types, `asm` labels and `asm` at file scope, `_Static_assert`,
//! `__thread`, `[[attributes]]`. Types that terrace does not compute with become other
//! such types: `__int128` is `_Float16`, `__auto_type` is `long double`; the text of
//! their spans still has the user's word.

use super::brackets::Brackets;
use crate::lex::{Lexer, Token, TokenKind};

/// The masked copy and its tokens.
pub(super) struct Masked {
    pub(super) bytes: Vec<u8>,
    /// Those of the text, not of what replaces it.
    pub(super) tokens: Vec<Token>,
    /// Words in lines of the preprocessor, which the tokens do not have.
    pub(super) pragma_words: Vec<Token>,
}

impl Masked {
    /// Blanks lines of the preprocessor and everything between tokens.
    pub(super) fn new(text: &str) -> Masked {
        let mut bytes = text.as_bytes().to_vec();
        let pragma_words = blank_directives(&mut bytes);
        let tokens: Vec<Token> = Lexer::new(&bytes).collect();
        let mut at = 0;
        for t in &tokens {
            blank(&mut bytes[at..t.start]);
            at = t.end;
        }
        blank(&mut bytes[at..]);
        Masked {
            bytes,
            tokens,
            pragma_words,
        }
    }

    pub(super) fn word(&self, token: usize) -> &[u8] {
        match self.tokens.get(token) {
            Some(t) => &self.bytes[t.start..t.end],
            None => &[],
        }
    }

    pub(super) fn into_text(self) -> String {
        // Only whole tokens and what is between them was overwritten, with ASCII.
        String::from_utf8(self.bytes)
            .unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
    }

    fn blank_tokens(&mut self, first: usize, last: usize) {
        let (start, end) = (self.tokens[first].start, self.tokens[last].end);
        blank(&mut self.bytes[start..end]);
    }

    /// Overwrites a token with a shorter word.
    fn replace(&mut self, token: usize, word: &[u8]) {
        let t = self.tokens[token];
        let place = &mut self.bytes[t.start..t.end];
        debug_assert!(word.len() <= place.len());
        place.fill(b' ');
        for (to, from) in place.iter_mut().zip(word) {
            *to = *from;
        }
    }
}

/// Blanks for everything but line ends.
fn blank(bytes: &mut [u8]) {
    for b in bytes {
        if *b != b'\n' {
            *b = b' ';
        }
    }
}

/// Blanks lines that begin with `#`, and returns the words of the pragmas among them.
fn blank_directives(bytes: &mut [u8]) -> Vec<Token> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let line = |from: usize, bytes: &[u8]| {
            let rest = bytes[from..].iter().position(|&b| b == b'\n');
            rest.map_or(bytes.len(), |n| from + n)
        };
        let mut end = line(at, bytes);
        let trimmed = bytes[at..end].trim_ascii_start();
        if trimmed.starts_with(b"#") {
            while end < bytes.len() && bytes[at..end].trim_ascii_end().ends_with(b"\\") {
                end = line(end + 1, bytes);
            }
            let marker = bytes[at..end].trim_ascii_start()[1..].trim_ascii_start();
            if !marker.first().is_some_and(u8::is_ascii_digit) {
                words.extend(Lexer::range(bytes, at, end).filter(|t| t.kind == TokenKind::Word));
            }
            blank(&mut bytes[at..end]);
        }
        at = end + 1;
    }
    words
}

/// Replaces what lang-c fails at.
pub(super) fn mend(masked: &mut Masked, brackets: &Brackets) {
    let mut depth = 0usize;
    let mut i = 0;
    // An empty declaration, which may stand behind another only.
    while masked.word(i) == b";" {
        masked.replace(i, b"");
        i += 1;
    }
    while i < masked.tokens.len() {
        let token = masked.tokens[i];
        match token.kind {
            TokenKind::Str | TokenKind::Char => mend_escapes(masked, token),
            TokenKind::Number => mend_suffix(masked, token),
            TokenKind::Punct => match masked.word(i) {
                b"{" => depth += 1,
                b"}" => depth = depth.saturating_sub(1),
                b"[" if masked.word(i + 1) == b"[" => {
                    if let Some(close) = brackets.partner(i) {
                        masked.blank_tokens(i, close);
                        i = close;
                    }
                }
                _ => {}
            },
            TokenKind::Word => {
                if depth > 0 {
                    mend_label(masked, i);
                }
                i = mend_word(masked, brackets, i, depth);
            }
            TokenKind::Unknown => {}
        }
        i += 1;
    }
}

/// Puts an empty statement behind a label that a declaration or the end of a block follows
/// (C23 6.8.1, and gcc in every mode); lang-c wants a statement there. A semicolon needs a
/// place: where the colon is followed at once, the colon moves to the blank before it.
fn mend_label(masked: &mut Masked, i: usize) {
    let Some(colon) = label_end(masked, i) else {
        return;
    };
    let next = colon + 1;
    if masked.word(next) != b"}" && !begins_declaration(masked, next) {
        return;
    }
    let Some(after) = masked.tokens.get(next) else {
        return;
    };
    let (at, end) = (masked.tokens[colon].start, masked.tokens[colon].end);
    if after.start > end {
        masked.bytes[end] = b';';
    } else if masked.tokens[colon - 1].end < at {
        masked.bytes[at - 1] = b':';
        masked.bytes[at] = b';';
    }
}

/// The colon of a label that begins with a word.
fn label_end(masked: &Masked, i: usize) -> Option<usize> {
    match masked.word(i) {
        b"case" => {
            let (mut depth, mut choices) = (0usize, 0usize);
            for at in i + 1..masked.tokens.len() {
                match masked.word(at) {
                    b"(" | b"[" | b"{" => depth += 1,
                    b")" | b"]" | b"}" => depth = depth.checked_sub(1)?,
                    b";" => return None,
                    b"?" => choices += 1,
                    b":" if depth == 0 && choices == 0 => return Some(at),
                    b":" => choices = choices.saturating_sub(1),
                    _ => {}
                }
            }
            None
        }
        b"default" => (masked.word(i + 1) == b":").then_some(i + 1),
        _ => {
            let before = match i {
                0 => &[][..],
                i => masked.word(i - 1),
            };
            let begins = matches!(before, b";" | b"{" | b"}" | b":" | b")" | b"else" | b"do");
            (begins && masked.word(i + 1) == b":").then_some(i + 1)
        }
    }
}

/// Whether the tokens from here on are a declaration and no statement, as far as words tell:
/// `name * name` may be either and is taken for a product.
fn begins_declaration(masked: &Masked, i: usize) -> bool {
    let is_word = |t: usize| {
        masked
            .tokens
            .get(t)
            .is_some_and(|t| t.kind == TokenKind::Word)
    };
    const DECLARES: &[&[u8]] = &[
        b"void",
        b"char",
        b"short",
        b"int",
        b"long",
        b"float",
        b"double",
        b"signed",
        b"unsigned",
        b"_Bool",
        b"bool",
        b"_Complex",
        b"struct",
        b"union",
        b"enum",
        b"const",
        b"volatile",
        b"static",
        b"extern",
        b"register",
        b"auto",
        b"typedef",
        b"_Alignas",
        b"_Atomic",
        b"_Thread_local",
        b"typeof",
        b"__typeof__",
        b"__typeof",
        b"__const__",
        b"__signed__",
        b"__volatile__",
        b"__int128",
        b"__auto_type",
        b"_Static_assert",
        b"static_assert",
        b"_Float16",
        b"_Float32",
        b"_Float64",
        b"_Float128",
        b"__float128",
        b"__extension__",
        b"inline",
        b"__inline",
        b"__inline__",
        b"_Noreturn",
    ];
    const STATEMENTS: &[&[u8]] = &[
        b"case",
        b"default",
        b"if",
        b"else",
        b"while",
        b"do",
        b"for",
        b"switch",
        b"goto",
        b"return",
        b"break",
        b"continue",
        b"sizeof",
        b"asm",
        b"__asm__",
        b"__asm",
        b"__attribute__",
        b"__attribute",
        b"_Alignof",
        b"__alignof__",
        b"__real__",
        b"__imag__",
        b"_Generic",
    ];
    if DECLARES.contains(&masked.word(i)) {
        return true;
    }
    is_word(i) && is_word(i + 1) && !STATEMENTS.contains(&masked.word(i))
}

/// Mends at a word. Returns the last token that was dealt with.
fn mend_word(masked: &mut Masked, brackets: &Brackets, i: usize, depth: usize) -> usize {
    let args = || match masked.word(i + 1) {
        b"(" => brackets.partner(i + 1),
        _ => None,
    };
    match masked.word(i) {
        b"__extension__" | b"__thread" => masked.replace(i, b""),
        b"__int128" | b"__ibm128" | b"__int128_t" | b"__uint128_t" => {
            masked.replace(i, b"_Float16")
        }
        b"__float128" => masked.replace(i, b"_Float128"),
        b"__float80" => masked.replace(i, b"_Float64x"),
        // No other type is as short.
        b"__bf16" => masked.replace(i, b"void"),
        b"__auto_type" => masked.replace(i, b"long double"),
        b"__builtin_ms_va_list" | b"__builtin_sysv_va_list" => {
            masked.replace(i, b"__builtin_va_list")
        }
        b"__const__" => masked.replace(i, b"const"),
        b"typeof_unqual" | b"__typeof_unqual" | b"__typeof_unqual__" => {
            masked.replace(i, b"__typeof__")
        }
        // Of a complex value, which has a type that is not computed with, also behind
        // the sign; of another value it is that value.
        b"__real__" | b"__real" | b"__imag__" | b"__imag" => masked.replace(i, b"+"),
        b"__builtin_types_compatible_p"
        | b"__builtin_convertvector"
        | b"__builtin_classify_type"
        | b"__builtin_has_attribute" => {
            // Types among the arguments.
            if let Some(close) = args() {
                if close > i + 2 {
                    masked.blank_tokens(i + 2, close - 1);
                }
                return close;
            }
        }
        b"__declspec" | b"_Pragma" => {
            if let Some(close) = args() {
                masked.blank_tokens(i, close);
                return close;
            }
        }
        b"_Static_assert" => {
            if let Some(close) = args() {
                let last = close + usize::from(masked.word(close + 1) == b";");
                masked.blank_tokens(i, last);
                return last;
            }
        }
        b"__attribute__" | b"__attribute" => {
            if let Some(close) = args() {
                mend_attribute(masked, brackets, i, close);
                return close;
            }
        }
        b"asm" | b"__asm" | b"__asm__" => return mend_asm(masked, brackets, i, depth),
        _ => {}
    }
    i
}

/// Attributes that change the layout of a type, which the tree has to have.
fn changes_layout(word: &[u8]) -> bool {
    let name = word
        .strip_prefix(b"__")
        .and_then(|w| w.strip_suffix(b"__"))
        .unwrap_or(word);
    matches!(
        name,
        b"packed"
            | b"aligned"
            | b"vector_size"
            | b"mode"
            | b"ms_struct"
            | b"scalar_storage_order"
            | b"transparent_union"
    )
}

fn mend_attribute(masked: &mut Masked, brackets: &Brackets, i: usize, close: usize) {
    let layout = (i + 2..close)
        .any(|t| masked.tokens[t].kind == TokenKind::Word && changes_layout(masked.word(t)));
    let before = i.checked_sub(1).map_or(&[][..], |b| masked.word(b));
    let tag = matches!(before, b"struct" | b"union" | b"enum");
    // Behind a bit-field's width.
    let bits = before_is_width(masked, i);
    if !layout || tag || bits {
        masked.blank_tokens(i, close);
        return;
    }
    // The brackets have to stand together.
    let inner = brackets.partner(i + 2).filter(|&c| c + 1 == close);
    if let Some(inner) = inner {
        let (first, second) = (masked.tokens[i + 1].start, masked.tokens[i + 2].start);
        masked.bytes[second] = b' ';
        masked.bytes[first + 1] = b'(';
        let (first, second) = (masked.tokens[inner].start, masked.tokens[close].start);
        masked.bytes[first] = b' ';
        masked.bytes[second - 1] = b')';
    }
}

fn before_is_width(masked: &Masked, i: usize) -> bool {
    i >= 2
        && matches!(
            masked.tokens[i - 1].kind,
            TokenKind::Number | TokenKind::Word
        )
        && masked.word(i - 2) == b":"
}

/// `asm("name")` behind a declarator, and `asm` at file scope, are blanked; statements
/// keep the word and lose the rest, which terrace does not look into.
fn mend_asm(masked: &mut Masked, brackets: &Brackets, i: usize, depth: usize) -> usize {
    let mut open = i + 1;
    while matches!(
        masked.word(open),
        b"volatile"
            | b"__volatile__"
            | b"__volatile"
            | b"goto"
            | b"inline"
            | b"__inline__"
            | b"__inline"
            | b"const"
    ) {
        open += 1;
    }
    if masked.word(open) != b"(" {
        return i;
    }
    let Some(close) = brackets.partner(open) else {
        return i;
    };
    let before = i.checked_sub(1).map_or(&b";"[..], |b| masked.word(b));
    let declarator = match before {
        b")" => depth == 0,
        b"]" => true,
        b"else" | b"do" => false,
        _ => i > 0 && masked.tokens[i - 1].kind == TokenKind::Word,
    };
    if declarator {
        masked.blank_tokens(i, close);
    } else if depth == 0 {
        let last = close + usize::from(masked.word(close + 1) == b";");
        masked.blank_tokens(i, last);
        return last;
    } else {
        let (start, end) = (masked.tokens[open].start, masked.tokens[close].end);
        let after = masked.tokens[i].end;
        blank(&mut masked.bytes[after..end]);
        if end - start >= 4 {
            masked.bytes[start..start + 4].copy_from_slice(b"(\"\")");
        }
    }
    close
}

/// Escapes that lang-c does not know, by others of the same length.
fn mend_escapes(masked: &mut Masked, token: Token) {
    let text = &mut masked.bytes[token.start..token.end];
    let mut i = 0;
    while i + 1 < text.len() {
        if text[i] != b'\\' {
            i += 1;
            continue;
        }
        match text[i + 1] {
            b'\''
            | b'"'
            | b'?'
            | b'\\'
            | b'a'
            | b'b'
            | b'c'
            | b'f'
            | b'n'
            | b'r'
            | b't'
            | b'v'
            | b'0'..=b'7'
            | b'x' => {}
            b'u' | b'U' => text[i + 1] = b'x',
            b if b.is_ascii() => text[i + 1] = b'f',
            _ => {}
        }
        i += 2;
    }
}

/// Suffixes of `__float128` constants.
fn mend_suffix(masked: &mut Masked, token: Token) {
    let text = &mut masked.bytes[token.start..token.end];
    let hex = text.starts_with(b"0x") || text.starts_with(b"0X");
    if let Some(last) = text.last_mut()
        && !hex
        && matches!(last, b'q' | b'Q' | b'w' | b'W')
    {
        *last = b'L';
    }
}
