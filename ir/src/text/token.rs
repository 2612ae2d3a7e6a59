//! Tokens of MLIR's textual IR.

/// What a token is. Keywords are [`TokenKind::BareIdentifier`]; the parser
/// compares their spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum TokenKind {
    /// End of the input. Every call after it returns it again.
    Eof,
    /// Text that is no token; `crate::text::Lexer::error` says why.
    Error,

    /// `foo`, `func.func`, `x4` : `[A-Za-z_][A-Za-z0-9_$.]*`
    BareIdentifier,
    /// `@foo` or `@"any string"`
    AtIdentifier,
    /// `#alias`, `#dialect.attr`, `#0`
    HashIdentifier,
    /// `%value`, `%0`
    PercentIdentifier,
    /// `^block`
    CaretIdentifier,
    /// `!alias`, `!dialect.type`
    ExclamationIdentifier,

    /// `1.`, `2.5e-3`; never signed
    Float,
    /// `42`, `0x2A`; never signed
    Integer,
    /// `"text"`, quotes and escapes included
    String,
    /// `i32`, `si8`, `ui16`
    IntType,

    /// `->`
    Arrow,
    /// `:`. As in MLIR, `::` is two of these.
    Colon,
    /// `,`
    Comma,
    /// `...`
    Ellipsis,
    /// `=`
    Equal,
    /// `>`
    Greater,
    /// `{`
    LBrace,
    /// `(`
    LParen,
    /// `[`
    LSquare,
    /// `<`
    Less,
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `?`
    Question,
    /// `}`
    RBrace,
    /// `)`
    RParen,
    /// `]`
    RSquare,
    /// `/`
    Slash,
    /// `*`
    Star,
    /// `|`
    VerticalBar,
    /// `{-#`
    FileMetadataBegin,
    /// `#-}`
    FileMetadataEnd,
}

impl TokenKind {
    /// The text of a punctuation token; `None` for kinds without a fixed one.
    pub const fn spelling(self) -> Option<&'static str> {
        Some(match self {
            TokenKind::Arrow => "->",
            TokenKind::Colon => ":",
            TokenKind::Comma => ",",
            TokenKind::Ellipsis => "...",
            TokenKind::Equal => "=",
            TokenKind::Greater => ">",
            TokenKind::LBrace => "{",
            TokenKind::LParen => "(",
            TokenKind::LSquare => "[",
            TokenKind::Less => "<",
            TokenKind::Minus => "-",
            TokenKind::Plus => "+",
            TokenKind::Question => "?",
            TokenKind::RBrace => "}",
            TokenKind::RParen => ")",
            TokenKind::RSquare => "]",
            TokenKind::Slash => "/",
            TokenKind::Star => "*",
            TokenKind::VerticalBar => "|",
            TokenKind::FileMetadataBegin => "{-#",
            TokenKind::FileMetadataEnd => "#-}",
            _ => return None,
        })
    }
}

/// A token: its kind and the bytes `start..end` of the text it was lexed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// What the token is.
    pub kind: TokenKind,
    /// Its first byte.
    pub start: u32,
    /// The byte behind its last.
    pub end: u32,
}

impl Token {
    /// The token's spelling in `source`, the whole text given to the lexer.
    /// Empty if the token is not from that text.
    #[inline]
    pub fn text(self, source: &str) -> &str {
        source
            .get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }

    /// Whether the token has this kind.
    #[inline]
    pub fn is(self, kind: TokenKind) -> bool {
        self.kind == kind
    }

    /// Length of the spelling in bytes.
    #[inline]
    pub fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the spelling is empty, which only the end of the input's is.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}
