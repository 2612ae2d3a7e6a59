//! The parser of MLIR's textual IR.
//!
//! A recursive-descent parser that builds IR as it goes. Every error is recorded in
//! the context with its position; after one the parser skips to the next op of the
//! block and goes on, so that one run reports all errors of a file. Values that a
//! broken op would have defined are remembered, so that their uses are not errors
//! of their own.
//!
//! Op declarations with custom syntax get the parser itself ([`OpParser`]); its
//! public methods are the vocabulary they are written in.

mod affine;
mod alias;
mod attrs;
mod blocks;
mod dense;
mod locs;
mod numbers;
mod ops;
mod region;
mod types;
mod values;

use crate::attr::Attr;
use crate::block::Block;
use crate::context::{Context, FileName};
use crate::diag::{DiagLoc, Diagnostic, Severity};
use crate::loc::Loc;
use crate::op::Op;
use crate::text::lexer::Lexer;
use crate::text::places::Places;
use crate::text::token::{Token, TokenKind};
use crate::types::Type;
use crate::value::Value;
use rustc_hash::FxHashMap;

pub use region::Argument;
pub use values::UnresolvedOperand;

/// Parsing failed, and why has been reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

/// What parsing functions return.
pub type PResult<T> = Result<T, Failed>;

/// The parser as op syntax sees it.
pub type OpParser<'a> = Parser<'a>;

/// A text to parse.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// The name that diagnostics and locations carry.
    pub file_name: &'a str,
    /// The whole text.
    pub text: &'a str,
    /// The line number of the first line; 1 but for chunks of a split file.
    pub first_line: u32,
}

impl<'a> Source<'a> {
    /// A text that begins on line 1.
    pub fn new(file_name: &'a str, text: &'a str) -> Self {
        Source {
            file_name,
            text,
            first_line: 1,
        }
    }
}

/// Parse a module. Top-level ops that are not one `builtin.module` are put into one.
/// On failure every error found is in the context's diagnostics, and `None` returns.
/// The result is not verified yet.
pub fn parse(ctx: &mut Context, source: &Source) -> Option<Op> {
    parse_noting(ctx, source, None)
}

fn parse_noting<'a>(
    ctx: &'a mut Context,
    source: &Source<'a>,
    places: Option<&'a mut Places>,
) -> Option<Op> {
    let errors = ctx.num_errors();
    let mut p = match Parser::new(ctx, source) {
        Ok(p) => p,
        Err(message) => {
            let loc = ctx.file_loc(source.file_name, source.first_line, 1);
            ctx.error(loc, message);
            return None;
        }
    };
    p.places = places;
    let module = p.parse_file();
    match module {
        Ok(m) if ctx.num_errors() == errors => Some(m),
        Ok(m) => {
            m.drop_all_references(ctx);
            m.erase(ctx);
            None
        }
        Err(Failed) => None,
    }
}

/// As [`parse`], and where everything stands, which is there for a broken text too.
pub fn parse_with_places(ctx: &mut Context, source: &Source) -> (Option<Op>, Places) {
    let mut places = Places::for_file(source.text);
    let module = parse_noting(ctx, source, Some(&mut places));
    (module, places)
}

/// Parse a lone type, such as `memref<4x?xf32>`.
pub fn parse_type(ctx: &mut Context, text: &str) -> Option<Type> {
    parse_alone(ctx, text, |p| p.parse_type())
}

/// Parse a lone attribute, such as `affine_map<(d0) -> (d0 + 1)>`.
pub fn parse_attr(ctx: &mut Context, text: &str) -> Option<Attr> {
    parse_alone(ctx, text, |p| p.parse_attr())
}

fn parse_alone<T>(
    ctx: &mut Context,
    text: &str,
    f: impl FnOnce(&mut Parser) -> PResult<T>,
) -> Option<T> {
    let source = Source::new("<string>", text);
    let mut p = match Parser::new(ctx, &source) {
        Ok(p) => p,
        Err(m) => {
            ctx.error(Loc::Unknown, m);
            return None;
        }
    };
    let v = f(&mut p).ok()?;
    if !p.at(TokenKind::Eof) {
        p.error_here("found trailing characters");
        return None;
    }
    Some(v)
}

/// See the [module](self).
pub struct Parser<'a> {
    /// Where the IR is made and errors are recorded.
    pub ctx: &'a mut Context,
    lexer: Lexer<'a>,
    tok: Token,
    /// The end of the token before `tok`.
    last_end: u32,
    file: FileName,
    file_name: std::sync::Arc<str>,
    first_line: u32,
    /// The offset of each line's start.
    lines: Vec<u32>,
    /// The line looked up last: positions mostly move forward a little.
    line_hint: usize,
    /// How deep in nested regions, types and attributes we are.
    depth: usize,
    /// The deepest `depth` so far in the alias definition being parsed.
    deepest: usize,
    /// How many types and attributes were read so far, those of aliases included.
    nodes: u64,
    /// An error was found after which the text makes no sense any more.
    gave_up: bool,
    attr_aliases: FxHashMap<&'a str, alias::Alias<Attr>>,
    type_aliases: FxHashMap<&'a str, alias::Alias<Type>>,
    values: values::Values<'a>,
    block_scopes: Vec<blocks::BlockScope<'a>>,
    default_dialects: Vec<&'static str>,
    /// The ops whose custom syntax is being parsed, the innermost last.
    custom_ops: Vec<&'static str>,
    /// Locations written as an alias that is defined later in the file.
    deferred_locs: Vec<(locs::LocTarget, &'a str, u32)>,
    /// Blocks of broken regions, alive until parsing ends because placeholders may
    /// still point into them.
    orphans: Vec<Block>,
    /// How many results the text names for the op being parsed.
    num_results: usize,
    /// Where everything stands, if somebody asks.
    places: Option<&'a mut Places>,
}

impl<'a> Parser<'a> {
    fn new(ctx: &'a mut Context, source: &Source<'a>) -> Result<Self, String> {
        let mut lexer = Lexer::new(source.text).map_err(|e| e.to_string())?;
        let tok = lexer.lex();
        let mut lines = vec![0u32];
        lines.extend(
            source
                .text
                .bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i as u32 + 1),
        );
        let file = ctx.intern_file(source.file_name);
        Ok(Parser {
            ctx,
            lexer,
            tok,
            last_end: 0,
            file,
            file_name: source.file_name.into(),
            first_line: source.first_line,
            lines,
            line_hint: 0,
            depth: 0,
            deepest: 0,
            nodes: 0,
            gave_up: false,
            attr_aliases: FxHashMap::default(),
            type_aliases: FxHashMap::default(),
            values: values::Values::default(),
            block_scopes: Vec::new(),
            default_dialects: vec!["builtin"],
            custom_ops: Vec::new(),
            deferred_locs: Vec::new(),
            orphans: Vec::new(),
            num_results: 0,
            places: None,
        })
    }

    // ---- positions and errors ----

    /// The byte offset of the current token.
    pub fn pos(&self) -> u32 {
        self.tok.start
    }

    fn line_col(&mut self, pos: u32) -> (u32, u32) {
        let mut i = self.line_hint;
        if self.lines[i] > pos {
            i = self.lines.partition_point(|s| *s <= pos).saturating_sub(1);
        } else {
            while i + 1 < self.lines.len() && self.lines[i + 1] <= pos {
                i += 1;
            }
        }
        self.line_hint = i;
        (i as u32 + self.first_line, pos - self.lines[i] + 1)
    }

    /// The location of a byte offset.
    pub fn loc(&mut self, pos: u32) -> Loc {
        let (line, col) = self.line_col(pos);
        Loc::File {
            file: self.file,
            line,
            col,
        }
    }

    /// Report an error at a byte offset.
    pub fn error(&mut self, pos: u32, message: impl Into<String>) -> Failed {
        if self.gave_up {
            return Failed;
        }
        // A bad token is the first cause of whatever the parser missed there.
        let mut message = message.into();
        let mut pos = pos;
        if pos == self.tok.start
            && self.tok.kind == TokenKind::Error
            && let Some(e) = self.lexer.error(self.tok)
        {
            message = e.to_string();
            pos = e.offset;
        }
        let (line, col) = self.line_col(pos);
        let loc = DiagLoc::pos(&self.file_name, line, col);
        self.ctx
            .emit(Diagnostic::new(Severity::Error, loc, message));
        Failed
    }

    /// Report an error that the syntax of the op being parsed finds, `custom op 'NAME' `
    /// in front.
    pub fn op_error(&mut self, pos: u32, message: impl AsRef<str>) -> Failed {
        let message = message.as_ref();
        match self.custom_ops.last() {
            Some(name) => self.error(pos, format!("custom op '{name}' {message}")),
            None => self.error(pos, message),
        }
    }

    /// Report an error at the current token.
    pub fn error_here(&mut self, message: impl Into<String>) -> Failed {
        self.error(self.tok.start, message)
    }

    /// Report that something was expected but not found here: at the current token,
    /// or, where that starts a new line, behind the token before.
    pub fn expected(&mut self, message: impl Into<String>) -> Failed {
        let (start, end) = (self.tok.start, self.last_end);
        let new_line = self
            .lexer
            .source()
            .get(end as usize..start as usize)
            .is_some_and(|s| s.contains('\n'));
        if self.tok.kind == TokenKind::Error || end == 0 || !new_line {
            self.error(start, message)
        } else {
            self.error(end, message)
        }
    }

    /// Attach a note to the last error.
    pub fn note(&mut self, pos: u32, message: impl Into<String>) {
        if self.gave_up {
            return;
        }
        let (line, col) = self.line_col(pos);
        let loc = DiagLoc::pos(&self.file_name, line, col);
        self.ctx.note_at(loc, message);
    }

    /// Tells who asks where things stand.
    fn note_place(&mut self, tell: impl FnOnce(&mut Places)) {
        if let Some(places) = &mut self.places {
            tell(places);
        }
    }

    // ---- tokens ----

    /// The spelling of a token.
    fn text(&self, t: Token) -> &'a str {
        self.lexer.text(t)
    }

    /// The spelling of the current token.
    pub fn spelling(&self) -> &'a str {
        self.lexer.text(self.tok)
    }

    /// The kind of the current token.
    pub fn kind(&self) -> TokenKind {
        self.tok.kind
    }

    /// Whether the current token is of this kind.
    pub fn at(&self, k: TokenKind) -> bool {
        self.tok.kind == k
    }

    /// Go to the next token and return the one passed.
    pub fn advance(&mut self) -> Token {
        let t = self.tok;
        self.last_end = t.end;
        self.tok = self.lexer.lex();
        t
    }

    /// Pass the current token if it is of this kind; whether it was.
    pub fn eat(&mut self, k: TokenKind) -> bool {
        let yes = self.at(k);
        if yes {
            self.advance();
        }
        yes
    }

    /// Pass a punctuation token or report `expected 'x'`.
    pub fn expect(&mut self, k: TokenKind) -> PResult<()> {
        if self.eat(k) {
            return Ok(());
        }
        let what = k.spelling().unwrap_or("token");
        Err(self.expected(format!("expected '{what}'")))
    }

    /// Pass a token of this kind or report `message`.
    pub fn expect_msg(&mut self, k: TokenKind, message: &str) -> PResult<()> {
        if self.eat(k) {
            Ok(())
        } else {
            Err(self.expected(message))
        }
    }

    fn is_word(&self) -> bool {
        matches!(
            self.tok.kind,
            TokenKind::BareIdentifier | TokenKind::IntType
        )
    }

    pub(crate) fn at_keyword(&self, k: &str) -> bool {
        self.is_word() && self.spelling() == k
    }

    /// Pass this keyword if it comes next; whether it did.
    pub fn eat_keyword(&mut self, k: &str) -> bool {
        let yes = self.at_keyword(k);
        if yes {
            self.advance();
        }
        yes
    }

    /// Pass this keyword or report what was expected.
    pub fn expect_keyword(&mut self, k: &str) -> PResult<()> {
        if self.eat_keyword(k) {
            Ok(())
        } else {
            Err(self.error_here(format!("expected '{k}'")))
        }
    }

    /// Any keyword.
    pub fn parse_keyword(&mut self) -> PResult<&'a str> {
        match self.parse_optional_keyword() {
            Some(k) => Ok(k),
            None => Err(self.error_here("expected valid keyword")),
        }
    }

    /// Any keyword; `None` if none comes next.
    pub fn parse_optional_keyword(&mut self) -> Option<&'a str> {
        if self.is_word() {
            let t = self.advance();
            return Some(self.text(t));
        }
        None
    }

    /// A keyword out of `words`.
    pub fn parse_keyword_of(&mut self, words: &[&'static str]) -> PResult<&'static str> {
        let pos = self.pos();
        if let Some(w) = words.iter().find(|w| self.at_keyword(w)) {
            self.advance();
            return Ok(w);
        }
        let found = if self.is_word() {
            format!(", got '{}'", self.spelling())
        } else {
            String::new()
        };
        Err(self.error(pos, format!("expected one of: {}{found}", words.join(", "))))
    }

    /// A string literal, unescaped.
    pub fn parse_string(&mut self) -> PResult<Vec<u8>> {
        match self.parse_optional_string() {
            Some(s) => Ok(s),
            None => Err(self.expected("expected string")),
        }
    }

    /// A string literal, unescaped; `None` if none comes next.
    pub fn parse_optional_string(&mut self) -> Option<Vec<u8>> {
        if !self.at(TokenKind::String) {
            return None;
        }
        let t = self.advance();
        Some(crate::text::literal::string_bytes(self.text(t)).into_owned())
    }

    // ---- lists ----

    /// `open element, element, ... close`, possibly empty.
    pub fn parse_list(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        mut f: impl FnMut(&mut Self) -> PResult<()>,
    ) -> PResult<()> {
        self.expect(open)?;
        self.parse_list_until(close, &mut f)
    }

    /// As [`Self::parse_list`], with `context` behind what errors at the brackets say
    /// is expected, as in ` in fused location`.
    pub(crate) fn parse_list_in(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        context: &str,
        mut f: impl FnMut(&mut Self) -> PResult<()>,
    ) -> PResult<()> {
        let message = |k: TokenKind| format!("expected '{}'{context}", k.spelling().unwrap_or(""));
        if !self.eat(open) {
            return Err(self.expected(message(open)));
        }
        if self.eat(close) {
            return Ok(());
        }
        loop {
            f(self)?;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if self.eat(close) {
            return Ok(());
        }
        Err(self.expected(message(close)))
    }

    /// `element, element, ... close` after the opening token, possibly empty.
    pub(crate) fn parse_list_until(
        &mut self,
        close: TokenKind,
        f: &mut dyn FnMut(&mut Self) -> PResult<()>,
    ) -> PResult<()> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            f(self)?;
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(close)
    }

    /// As [`Self::parse_list`] where the opening token may be absent.
    pub(crate) fn parse_optional_list(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        f: impl FnMut(&mut Self) -> PResult<()>,
    ) -> PResult<bool> {
        if !self.at(open) {
            return Ok(false);
        }
        self.parse_list(open, close, f)?;
        Ok(true)
    }

    // ---- nesting ----

    /// Go to the end of the text without a further error: what is left cannot be told
    /// apart from what is wrong.
    fn give_up(&mut self) {
        self.gave_up = true;
        self.lexer.reset(u32::MAX);
        self.tok = self.lexer.lex();
    }

    /// Run `f` one level deeper; refuse text that nests beyond the limit.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        let max = self.ctx.config.max_nesting;
        if self.depth >= max {
            let m = format!(
                "nested too deeply: more than {max} levels of regions, types or attributes"
            );
            let failed = self.error_here(m);
            self.give_up();
            return Err(failed);
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        let r = f(self);
        self.depth -= 1;
        r
    }

    /// The block that ops are being parsed into, and a value's type.
    pub fn value_type(&self, v: Value) -> Type {
        v.ty(self.ctx)
    }
}
